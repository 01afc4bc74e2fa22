// What a query looks like: a ring that runs out, with a sign in its middle (urgency.ts) while it waits; a ring that
// opens when it is answered; a cross if it waited in vain. And how large, which is the same for all on a map.
import type { DrawingContext } from '../map/layer';
import { traceSign, type Urgency } from './urgency';

/** CSS pixels at size 1. */
export const RING = 8;
const SIGN = 2.6;
/** Sizes: seen from afar, from near, and where there is hardly any room. */
const FAR = 0.42;
const NEAR = 1.25;
const LEAST = 0.2;
/** The part of the map that rings may take up together. */
const CROWDED = 0.14;

/** Smaller when the whole city is seen, and still smaller where many wait on a small map. */
export function sizeAt(
    scale: number,
    waiting: number,
    map: { width: number; height: number },
): number {
    const usual = Math.min(NEAR, Math.max(FAR, FAR + 0.25 * Math.log2(scale / 0.03)));
    const room = radiusFor(CROWDED, waiting, map.width * map.height * scale * scale) / RING;
    return Math.min(usual, Math.max(LEAST, room));
}

/** The radius of discs, in pixels, so many of which take up a part of an area. */
export function radiusFor(part: number, count: number, area: number): number {
    return Math.sqrt((part * area) / (Math.PI * Math.max(1, count)));
}

/** Of all queries of one urgency, filled and stroked in one go. */
export interface WaitingPaths {
    signs: Path2D;
    rings: Path2D;
    tracks: Path2D;
}

export function newPaths(): WaitingPaths {
    return { signs: new Path2D(), rings: new Path2D(), tracks: new Path2D() };
}

export function traceWaiting(
    { signs, rings, tracks }: WaitingPaths,
    { urgency, left }: { urgency: Urgency; left: number },
    x: number,
    y: number,
    size: number,
): void {
    traceSign(signs, urgency, x, y, SIGN * size);
    traceArc(rings, x, y, RING * size, left);
    traceArc(tracks, x, y, RING * size, 1);
}

export function drawWaiting(
    context: DrawingContext,
    { signs, rings, tracks }: WaitingPaths,
    colour: string,
    size: number,
): void {
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = Math.min(1, 2 * size);
    context.globalAlpha = 0.25;
    context.stroke(tracks);
    context.lineWidth = 2.2 * size;
    context.globalAlpha = 1;
    context.stroke(rings);
    context.fill(signs);
}

/** @param age  0 when it ended, 1 when that is no longer shown */
export function drawAnswered(
    context: DrawingContext,
    x: number,
    y: number,
    age: number,
    size: number,
): void {
    context.globalAlpha = 1 - age;
    context.lineWidth = 2 * size;
    context.beginPath();
    context.arc(x, y, RING * size * (1 + age), 0, 2 * Math.PI);
    context.stroke();
}

export function drawInVain(
    context: DrawingContext,
    x: number,
    y: number,
    age: number,
    size: number,
): void {
    const arm = RING * size * 0.6;
    context.globalAlpha = 1 - age;
    context.lineWidth = 2 * size;
    context.beginPath();
    context.moveTo(x - arm, y - arm);
    context.lineTo(x + arm, y + arm);
    context.moveTo(x + arm, y - arm);
    context.lineTo(x - arm, y + arm);
    context.stroke();
}

/** From the top, clockwise, a share of the circle. */
function traceArc(path: Path2D, x: number, y: number, radius: number, share: number): void {
    if (share <= 0) return;
    path.moveTo(x, y - radius);
    path.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share);
}
