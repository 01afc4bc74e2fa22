// Something that is drawn over the roads, again for every frame.
import type { Point } from './road_map';
import type { View } from './view';

/** Of a canvas on the page, or of one out of sight (still_canvas.ts). */
export type DrawingContext = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export interface Layer {
    /**
     * Draw, in CSS pixels (the context is scaled for the screen already, and was cleared).
     *
     * @param now  milliseconds, as performance.now()
     * @returns after how many milliseconds it would look different, if it moves by itself; true is at once, false is
     *          not before it says so
     */
    draw(context: DrawingContext, view: View, now: number): number | boolean;
    /** It was put on a pane: `invalidate` asks for a frame, for who moves now and then. */
    added?(invalidate: () => void): void;
    /**
     * What it has drawn there, in a few words for a pointer; null if nothing.
     *
     * @param at     metres
     * @param reach  metres around it that are meant as well
     * @param scale  CSS pixels per metre
     */
    tipAt?(at: Point, reach: number, scale: number): string | null;
}

/** A place on a road that was picked, by pointer or by keyboard. */
export interface Spot {
    segment: number;
    /** On the road itself, metres of the plane. */
    x: number;
    y: number;
}
