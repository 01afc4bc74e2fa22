// What was found by its name: a street along its roads, a place as a ring on the map, until something else is found.
import { colourOf, drawMark, strokePath } from './draw';
import type { DrawingContext, Layer } from './layer';
import { pathOf } from './path';
import type { Point, RoadMap } from './road_map';
import type { View } from './view';

export interface Found {
    name: string;
    segments: Iterable<number>;
    /** Null: it is a street. */
    at: Point | null;
}

export class FoundLayer implements Layer {
    private found: { name: string; path: Path2D; at: Point | null } | null = null;
    private invalidate: () => void = () => {};

    constructor(private readonly map: RoadMap) {}

    show(found: Found | null): void {
        this.found = found && {
            name: found.name,
            path: pathOf(this.map, found.segments),
            at: found.at,
        };
        this.invalidate();
    }

    added(invalidate: () => void): void {
        const others = this.invalidate;
        this.invalidate = () => {
            others();
            invalidate();
        };
    }

    draw(context: DrawingContext, view: View): boolean {
        if (!this.found) return false;
        const colour = colourOf('--accent');
        if (this.found.at) drawMark(context, view.toScreen(this.found.at), colour, 8);
        else strokePath(context, view, this.found.path, colour, 8, 0.35);
        return false;
    }

    tipAt(at: Point, reach: number): string | null {
        const place = this.found?.at;
        const isNear = place && Math.hypot(place.x - at.x, place.y - at.y) <= 2 * reach;
        return isNear ? (this.found?.name ?? null) : null;
    }
}
