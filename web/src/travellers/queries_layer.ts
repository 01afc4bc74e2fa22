// Queries that wait, each at its traveller, with a ring that runs out as its deadline comes; and for a
// moment what became of those that have ended: a ring that opens if they were answered, a cross if
// they were dropped.

import type { Layer } from '../map/layer';
import type { Point, RoadMap } from '../map/road_map';
import { middleOf } from '../map/spot';
import { mapTheme } from '../map/theme_colours';
import type { View } from '../map/view';
import type { Fleet, Waiting } from '../state/model';
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

interface End {
    at: Point;
    isAnswered: boolean;
    endedAt: number;
}

export class QueriesLayer implements Layer {
    private readonly ends: End[] = [];

    constructor(
        private readonly fleet: Fleet,
        private readonly map: RoadMap,
    ) {
        fleet.ended.on(({ outcome, asked }) => {
            if (!asked) return;
            const endedAt = performance.now();
            const at = this.whereIs(asked, fleet.positions(endedAt));
            this.ends.push({ at, isAnswered: outcome === 'answered', endedAt });
            if (this.ends.length > ENDS_KEPT) this.ends.shift();
        });
    }

    added(invalidate: () => void): void {
        this.fleet.asked.on(invalidate);
    }

    draw(context: CanvasRenderingContext2D, view: View, now: number): boolean {
        this.drawWaiting(context, view, now);
        this.drawEnds(context, view, now);
        return this.fleet.waiting.size + this.ends.length > 0;
    }

    /** All of one urgency in one go: a canvas takes its time for each fill and each stroke. */
    private drawWaiting(context: CanvasRenderingContext2D, view: View, now: number): void {
        const theme = mapTheme();
        const positions = this.fleet.positions(now);
        const size = this.sizeIn(view);
        const seen = screen(context, RING * size);
        const paths = { calm: newPaths(), waiting: newPaths(), urgent: newPaths() };
        for (const query of this.fleet.waiting.values()) {
            const { x, y } = view.toScreen(this.whereIs(query, positions));
            if (!seen(x, y)) continue;
            const left = timeLeft(query.askedAt, query.deadlineAt, now);
            const urgency = urgencyOf(left);
            traceWaiting(paths[urgency], { urgency, left }, x, y, size);
        }
        for (const urgency of URGENCIES) {
            drawWaiting(context, paths[urgency], theme[urgency], size);
        }
    }

    private drawEnds(context: CanvasRenderingContext2D, view: View, now: number): void {
        while (this.ends.length > 0 && now - this.ends[0].endedAt > END_MS) this.ends.shift();
        const theme = mapTheme();
        const size = this.sizeIn(view);
        const seen = screen(context, 2 * RING * size);
        for (const { at, isAnswered, endedAt } of this.ends) {
            const { x, y } = view.toScreen(at);
            if (!seen(x, y)) continue;
            const age = Math.max(0, (now - endedAt) / END_MS);
            context.strokeStyle = isAnswered ? theme.answer : theme.urgent;
            if (isAnswered) drawAnswered(context, x, y, age, size);
            else drawInVain(context, x, y, age, size);
        }
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

function screen(
    context: CanvasRenderingContext2D,
    room: number,
): (x: number, y: number) => boolean {
    const ratio = context.getTransform().a;
    const width = context.canvas.width / ratio + room;
    const height = context.canvas.height / ratio + room;
    return (x, y) => x > -room && x < width && y > -room && y < height;
}
