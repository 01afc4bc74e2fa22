// What an adversary believes of each segment of a cloak: pale where it hardly suspects anybody, dark where
// it is almost sure. Where the truth is known, a ring marks it.
//
// One hue, ever darker (on a dark ground: ever lighter), so that it can be read without telling hues apart.
// The scale is by linkability itself and the same for every cloak that is shown beside another: equal colours are
// equal suspicions.

import { colourOf, drawMark, strokePath } from '../map/draw';
import type { DrawingContext, Layer } from '../map/layer';
import { pathOf } from '../map/path';
import type { RoadMap } from '../map/road_map';
import { middleOf } from '../map/spot';
import type { View } from '../map/view';

/** Colours of the scale: --heat-0 to --heat-5 in attack.css. */
export const HEAT_STEPS = 6;

/** Which colour, where `most` is the end of the scale. */
export function heatStep(linkability: number, most: number): number {
    if (!(most > 0)) return 0;
    const share = Math.min(1, Math.max(0, linkability / most));
    return Math.min(HEAT_STEPS - 1, Math.floor(share * HEAT_STEPS));
}

/** Where a scale ends at least: a cloak that tells nothing should look like it, whatever stands beside it. */
const LEAST_END = 0.3;

/** The end of a scale for these beliefs: the strongest of all, rounded up to a whole twentieth. */
export function heatScale(...beliefs: (readonly number[])[]): number {
    const most = Math.max(LEAST_END, ...beliefs.flat());
    return Math.min(1, Math.ceil(most * 20 - 1e-9) / 20);
}

export interface Heat {
    segments: readonly number[];
    linkability: readonly number[];
    most: number;
    /** The victim's segment; null if it is not known. */
    truth: number | null;
}

export class HeatLayer implements Layer {
    private paths: Path2D[] = [];
    private whole: Path2D | null = null;
    private truth: number | null = null;

    constructor(private readonly map: RoadMap) {}

    show(heat: Heat): void {
        const bySteps: number[][] = Array.from({ length: HEAT_STEPS }, () => []);
        heat.segments.forEach((segment, i) => {
            bySteps[heatStep(heat.linkability[i], heat.most)].push(segment);
        });
        this.paths = bySteps.map((segments) => pathOf(this.map, segments));
        this.whole = pathOf(this.map, heat.segments);
        this.truth = heat.truth;
    }

    /** Before anybody has been suspected: the cloak alone. */
    showCloak(segments: readonly number[]): void {
        this.paths = [];
        this.whole = pathOf(this.map, segments);
        this.truth = null;
    }

    draw(context: DrawingContext, view: View): boolean {
        if (!this.whole) return false;
        if (this.paths.length === 0) {
            strokePath(context, view, this.whole, colourOf('--map-cloak'), 5, 0.6);
            return false;
        }
        // A rim keeps pale roads apart from the ground.
        strokePath(context, view, this.whole, colourOf('--line-strong'), 9);
        this.paths.forEach((path, step) => {
            strokePath(context, view, path, colourOf(`--heat-${step}`), 6.5);
        });
        if (this.truth !== null) {
            const at = view.toScreen(middleOf(this.map, this.truth));
            drawMark(context, at, colourOf('--surface'), 9);
            drawMark(context, at, colourOf('--map-you'), 7);
        }
        return false;
    }
}
