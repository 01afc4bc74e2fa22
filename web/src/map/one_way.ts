// Arrows along one-way roads, drawn with the roads once one is near enough to follow them.
//
// Arrows are one path for many roads: a few hundred of them are all that a screen shows, and take
// less than the roads below them.
import type { RoadMap } from './road_map';

/** CSS pixels per metre from which on there are arrows, and at which they are fully there. */
const NEAR = 0.3;
const NEARER = 0.6;
/** CSS pixels: a shorter road has none; from one arrow to the next, about; from tip to end. */
const SHORTEST = 26;
const APART = 110;
const LENGTH = 11;

/** How firm arrows are at a zoom, 0 to 1. @param scale  CSS pixels per metre */
export function arrowAlpha(scale: number): number {
    return Math.min(1, Math.max(0, (scale - NEAR) / (NEARER - NEAR)));
}

export interface Arrow {
    /** Its middle, metres. */
    x: number;
    y: number;
    /** Which way it points; of length 1. */
    dx: number;
    dy: number;
}

type Lines = Pick<RoadMap, 'first' | 'xs' | 'ys' | 'directions'>;

/**
 * The arrows along a segment: evenly apart, pointing as one may drive.
 *
 * @param scale  CSS pixels per metre
 * @returns how many there are; `each` was called for every one
 */
export function arrowsAlong(
    map: Lines,
    segment: number,
    scale: number,
    each: (arrow: Arrow) => void,
): number {
    const way = map.directions[segment];
    if (way !== 1 && way !== 2) return 0;
    const { first, xs, ys } = map;
    const last = first[segment + 1] - 1;
    let length = 0;
    for (let i = first[segment]; i < last; i++) {
        length += Math.hypot(xs[i + 1] - xs[i], ys[i + 1] - ys[i]);
    }
    if (length * scale < SHORTEST) return 0;
    const count = Math.max(1, Math.round((length * scale) / APART));
    let behind = 0;
    let placed = 0;
    for (let i = first[segment]; i < last && placed < count; i++) {
        const x = xs[i + 1] - xs[i];
        const y = ys[i + 1] - ys[i];
        const piece = Math.hypot(x, y);
        for (; placed < count; placed++) {
            const part = (((placed + 0.5) / count) * length - behind) / piece;
            if (!(part <= 1)) break;
            const turn = (way === 1 ? 1 : -1) / piece;
            each({ x: xs[i] + part * x, y: ys[i] + part * y, dx: turn * x, dy: turn * y });
        }
        behind += piece;
    }
    return placed;
}

/** Add an arrow to the path, to be filled. All in CSS pixels. */
export function traceArrow(
    path: Pick<CanvasRenderingContext2D, 'moveTo' | 'lineTo' | 'closePath'>,
    { x, y, dx, dy }: Arrow,
): void {
    const tip = LENGTH / 2;
    // Along and beside: the shaft from its end, then the head, and back.
    const outline: readonly [number, number][] = [
        [-tip, -0.7],
        [tip - 5, -0.7],
        [tip - 5, -2.8],
        [tip, 0],
        [tip - 5, 2.8],
        [tip - 5, 0.7],
        [-tip, 0.7],
    ];
    for (const [i, [along, beside]] of outline.entries()) {
        const atX = x + along * dx - beside * dy;
        const atY = y + along * dy + beside * dx;
        if (i === 0) path.moveTo(atX, atY);
        else path.lineTo(atX, atY);
    }
    path.closePath();
}
