// A canvas that gets a new picture now and then, beside others that change with each frame.
//
// Without a GPU, Chromium copies each canvas with a 2d context for every frame of the page, changed or not: three
// large ones that stand still cost as much as all that is drawn. One that is handed whole pictures is copied when it
// gets one. So the next picture is drawn out of sight, and then handed over.
import { make } from '../dom';

export class StillCanvas {
    readonly element: HTMLCanvasElement;
    /** Empty whenever a picture was handed over. */
    private readonly next = new OffscreenCanvas(1, 1);

    constructor(name: string) {
        this.element = make('canvas', { class: name, 'aria-hidden': 'true' });
    }

    /**
     * Draw a picture in place of the last one.
     *
     * @param width   of the picture, screen pixels; and its height
     * @param ratio   screen pixels per CSS pixel
     */
    show(
        width: number,
        height: number,
        ratio: number,
        draw: (context: OffscreenCanvasRenderingContext2D) => void,
    ): void {
        // Of a canvas without an extent there is no picture.
        if (width === 0 || height === 0) return;
        const { next } = this;
        if (next.width !== width || next.height !== height) {
            next.width = width;
            next.height = height;
        }
        const context = next.getContext('2d');
        if (!context) return;
        draw(context);
        resizeCanvas(this.element, width, height, ratio);
        const bitmap = next.transferToImageBitmap();
        this.element.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
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
