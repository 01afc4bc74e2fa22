// The cloak that a question of one's own became: on the provider's side, kept in sight while others fade; and faintly
// on the travellers', so that one sees oneself in it, also on a phone, where one map is seen at a time.
// It shows roads and nothing else, since the provider knows nothing else.

import { colourOf, strokePath } from '../map/draw';
import type { DrawingContext, Layer } from '../map/layer';
import { pathOf } from '../map/path';
import type { RoadMap } from '../map/road_map';
import type { View } from '../map/view';

export class MineLayer implements Layer {
    private path: Path2D | null = null;

    /** @param isFaint  so that travellers below it are seen */
    constructor(
        private readonly map: RoadMap,
        private readonly isFaint = false,
    ) {}

    show(segments: readonly number[]): void {
        this.path = pathOf(this.map, segments);
    }

    clear(): void {
        this.path = null;
    }

    draw(context: DrawingContext, view: View): boolean {
        if (!this.path) return false;
        if (this.isFaint) {
            strokePath(context, view, this.path, colourOf('--map-cloak'), 11, 0.4);
            return false;
        }
        // A cloak like any other, with an edge by which one finds one's own.
        strokePath(context, view, this.path, colourOf('--map-you'), 9);
        strokePath(context, view, this.path, colourOf('--map-cloak'), 5);
        return false;
    }
}
