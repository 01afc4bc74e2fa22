// Queries that wait, each at its traveller, with a ring that runs out as its deadline comes; and for a
// moment what became of those that have ended: a ring that opens if they were answered, a cross if
// they were dropped.

import type { DrawingContext, Layer } from '../map/layer';
import type { Point, RoadMap } from '../map/road_map';
import { middleOf } from '../map/spot';
import { mapTheme } from '../map/theme_colours';
import type { View } from '../map/view';
import type { Fleet, Waiting } from '../state/model';
import { msToMove } from './movers_layer';
import {
    drawAnswered,
    drawInVain,
    drawWaiting,
    newPaths,
    RING,
    sizeAt,
    traceWaiting,
} from './query_signs';
import { timeLeft, URGENCIES, urgencyOf } from './urgency';

/** How long an end is shown, and how many at most. */
const END_MS = 900;
const ENDS_KEPT = 300;
/** With more that wait, frames come anyway, and each of their events need not ask for one. */
const FEW = 40;
/** Milliseconds from frame to frame: rings run out slowly, ends are over soon. Among many, a few frames of each do. */
const RING_PACE = 165;
const END_PACE = 50;
const OUTSIDE_PACE = 250;
/** CSS pixels that a ring may stay behind its traveller, whose dot is drawn more often. */
const BEHIND = 0.9;

interface End {
    query: Waiting;
    isAnswered: boolean;
    endedAt: number;
    /** Where it was when that was first drawn; it stays there. */
    at?: Point;
}

export class QueriesLayer implements Layer {
    private readonly ends: End[] = [];

    constructor(
        private readonly fleet: Fleet,
        private readonly map: RoadMap,
    ) {
        fleet.ended.on(({ outcome, asked }) => {
            if (!asked) return;
            const isAnswered = outcome === 'answered';
            this.ends.push({ query: asked, isAnswered, endedAt: performance.now() });
            if (this.ends.length > ENDS_KEPT) this.ends.shift();
        });
    }

    added(invalidate: () => void): void {
        const tell = () => {
            if (this.fleet.waiting.size <= FEW) invalidate();
        };
        this.fleet.asked.on(tell);
        this.fleet.ended.on(tell);
    }

    draw(context: DrawingContext, view: View, now: number): number {
        const rings = this.drawWaiting(context, view, now);
        const hasEnds = this.drawEnds(context, view, now);
        // Who waits may drive into sight, or be told of later.
        if (!hasEnds && rings === 0) return OUTSIDE_PACE;
        const usual = hasEnds && rings <= FEW ? END_PACE : RING_PACE;
        return Math.min(usual, msToMove(BEHIND, view.scale));
    }

    /** All of one urgency in one go: a canvas takes its time for each fill and each stroke. @returns how many are seen */
    private drawWaiting(context: DrawingContext, view: View, now: number): number {
        const theme = mapTheme();
        const positions = this.fleet.positions(now);
        const size = this.sizeIn(view);
        const seen = screen(context, RING * size);
        const paths = { calm: newPaths(), waiting: newPaths(), urgent: newPaths() };
        let count = 0;
        for (const query of this.fleet.waiting.values()) {
            // Most are out of sight: nothing is made for them.
            const farX = positions[2 * query.who] * view.scale + view.offsetX;
            const farY = positions[2 * query.who + 1] * view.scale + view.offsetY;
            if (Number.isFinite(farX) && !seen(farX, farY)) continue;
            const { x, y } = view.toScreen(this.whereIs(query, positions));
            if (!seen(x, y)) continue;
            const left = timeLeft(query.askedAt, query.deadlineAt, now);
            const urgency = urgencyOf(left);
            traceWaiting(paths[urgency], { urgency, left }, x, y, size);
            count++;
        }
        for (const urgency of URGENCIES) {
            drawWaiting(context, paths[urgency], theme[urgency], size);
        }
        return count;
    }

    private drawEnds(context: DrawingContext, view: View, now: number): boolean {
        while (this.ends.length > 0 && now - this.ends[0].endedAt > END_MS) this.ends.shift();
        const theme = mapTheme();
        const size = this.sizeIn(view);
        const seen = screen(context, 2 * RING * size);
        let isAny = false;
        const positions = this.fleet.positions(now);
        for (const end of this.ends) {
            const { query, isAnswered, endedAt } = end;
            end.at ??= this.whereIs(query, positions);
            const { x, y } = view.toScreen(end.at);
            if (!seen(x, y)) continue;
            isAny = true;
            const age = Math.max(0, (now - endedAt) / END_MS);
            context.strokeStyle = isAnswered ? theme.answer : theme.urgent;
            if (isAnswered) drawAnswered(context, x, y, age, size);
            else drawInVain(context, x, y, age, size);
        }
        return isAny;
    }

    private sizeIn(view: View): number {
        return sizeAt(view.scale, this.fleet.waiting.size, this.map);
    }

    /** With its traveller; if that is not to be seen, in the middle of the road that it asked from. */
    private whereIs(query: Waiting, positions: Float32Array): Point {
        const x = positions[2 * query.who];
        const y = positions[2 * query.who + 1];
        return Number.isNaN(x) || x === undefined ? middleOf(this.map, query.segment) : { x, y };
    }
}

function screen(context: DrawingContext, room: number): (x: number, y: number) => boolean {
    const ratio = context.getTransform().a;
    const width = context.canvas.width / ratio + room;
    const height = context.canvas.height / ratio + room;
    return (x, y) => x > -room && x < width && y > -room && y < height;
}
