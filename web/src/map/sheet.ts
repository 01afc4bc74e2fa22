// A canvas over the roads, and the layers that are drawn on it.
//
// A pane has two: travellers, who move all the time, have one of their own, so that what is drawn above them (rings,
// lines, pins) is not drawn as often as they are.
import { make } from '../dom';
import type { DrawingContext, Layer } from './layer';
import type { Point } from './road_map';
import { resizeCanvas, StillCanvas } from './still_canvas';
import type { View } from './view';

interface Size {
    width: number;
    height: number;
}

export class Sheet {
    readonly canvas: HTMLCanvasElement;
    /** When it would look different, as performance.now(); Infinity if it does not move by itself. */
    dueAt = 0;
    private readonly layers: Layer[] = [];
    private readonly still: StillCanvas | null;

    /** @param isStill  it is mostly shown for longer than a frame */
    constructor(name: string, isStill: boolean) {
        this.still = isStill ? new StillCanvas(name) : null;
        this.canvas = this.still?.element ?? make('canvas', { class: name, 'aria-hidden': 'true' });
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
    draw(view: View, size: Size, now: number): void {
        this.dueAt = Infinity;
        if (this.layers.length === 0) return;
        const ratio = devicePixelRatio;
        const width = Math.ceil(size.width * ratio);
        const height = Math.ceil(size.height * ratio);
        const drawAll = (context: DrawingContext) => {
            context.setTransform(ratio, 0, 0, ratio, 0, 0);
            this.drawLayers(context, view, now);
        };
        if (this.still) {
            this.still.show(width, height, ratio, drawAll);
            return;
        }
        resizeCanvas(this.canvas, width, height, ratio);
        const context = this.canvas.getContext('2d');
        context?.resetTransform();
        context?.clearRect(0, 0, width, height);
        if (context) drawAll(context);
    }

    private drawLayers(context: DrawingContext, view: View, now: number): void {
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
