// Something that is drawn over the roads, again for every frame.
import type { View } from './view';

export interface Layer {
    /**
     * Draw, in CSS pixels (the context is scaled for the screen already, and was cleared).
     *
     * @param now  milliseconds, as performance.now()
     * @returns whether it moves by itself, so that another frame is wanted
     */
    draw(context: CanvasRenderingContext2D, view: View, now: number): boolean;
    /** It was put on a pane: `invalidate` asks for a frame, for who moves now and then. */
    added?(invalidate: () => void): void;
}

/** A place on a road that was picked, by pointer or by keyboard. */
export interface Spot {
    segment: number;
    /** On the road itself, metres of the plane. */
    x: number;
    y: number;
}
