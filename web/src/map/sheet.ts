// A canvas over the roads, and the layers that are drawn on it.
//
// A pane has two: travellers, who move all the time, have one of their own, so that what is drawn above them (rings,
// lines, pins) is not drawn as often as they are.
import { make } from '../dom';
import type { Layer } from './layer';
import type { Point } from './road_map';
import type { View } from './view';

export class Sheet {
    readonly canvas: HTMLCanvasElement;
    /** When it would look different, as performance.now(); Infinity if it does not move by itself. */
    dueAt = 0;
    private readonly layers: Layer[] = [];

    constructor(name: string) {
        this.canvas = make('canvas', { class: name, 'aria-hidden': 'true' });
    }

    /** @param wake  asks for a frame */
    add(layer: Layer, wake: () => void): void {
        this.layers.push(layer);
        layer.added?.(() => {
            this.dueAt = 0;
            wake();
        });
        this.dueAt = 0;
        wake();
    }

    /** @param size  CSS pixels */
    draw(view: View, size: { width: number; height: number }, now: number): void {
        this.dueAt = Infinity;
        if (this.layers.length === 0) return;
        const ratio = devicePixelRatio;
        resizeCanvas(
            this.canvas,
            Math.ceil(size.width * ratio),
            Math.ceil(size.height * ratio),
            ratio,
        );
        const context = this.canvas.getContext('2d');
        if (!context) return;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, size.width, size.height);
        for (const layer of this.layers) {
            context.save();
            const after = layer.draw(context, view, now);
            if (after !== false) this.dueAt = Math.min(this.dueAt, now + Number(after));
            context.restore();
        }
    }

    /** What a layer has drawn there; the last one is on top. */
    tipAt(at: Point, reach: number, scale: number): string | null {
        for (let i = this.layers.length - 1; i >= 0; i--) {
            const tip = this.layers[i].tipAt?.(at, reach, scale);
            if (tip) return tip;
        }
        return null;
    }
}

/** Setting a size clears a canvas and takes time, even if it is the same. */
export function resizeCanvas(
    canvas: HTMLCanvasElement,
    width: number,
    height: number,
    ratio: number,
): void {
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${width / ratio}px`;
    canvas.style.height = `${height / ratio}px`;
}
