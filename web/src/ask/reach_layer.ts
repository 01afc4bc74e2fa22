// Where the asker is, and how far a cloak may reach, softly. It breathes while a query waits.

import { isMotionUnwelcome } from '../frame/motion';
import { colourOf, drawMark, strokePath } from '../map/draw';
import type { DrawingContext, Layer, Spot } from '../map/layer';
import { pathOf } from '../map/path';
import type { RoadMap } from '../map/road_map';
import type { View } from '../map/view';

/** Milliseconds from breath to breath. */
const BREATH_MS = 2400;

export class ReachLayer implements Layer {
    isWaiting = false;
    private reach: Path2D | null = null;
    private road: Path2D | null = null;
    private spot: Spot | null = null;

    constructor(private readonly map: RoadMap) {}

    show(spot: Spot, reach: Uint32Array): void {
        this.spot = spot;
        this.road = pathOf(this.map, [spot.segment]);
        this.reach = pathOf(this.map, reach);
    }

    draw(context: DrawingContext, view: View, now: number): boolean {
        if (!this.spot || !this.reach || !this.road) return false;
        const isBreathing = this.isWaiting && !isMotionUnwelcome();
        const breath = isBreathing ? 0.5 - 0.5 * Math.cos((2 * Math.PI * now) / BREATH_MS) : 0;
        const colour = colourOf('--map-you');
        strokePath(context, view, this.reach, colour, 9, 0.14 + 0.12 * breath);
        strokePath(context, view, this.road, colour, 5, 0.85);
        drawMark(context, view.toScreen(this.spot), colour);
        return isBreathing;
    }
}
