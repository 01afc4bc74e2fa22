// Paints pictures of the roads, in small steps.
//
// A large city takes a tenth of a second to paint, too long for a frame, so whoever wants a picture
// asks for some milliseconds of work at a time. A picture reaches a little beyond its pane, so that
// roads are there already when it is moved.
import type { Box, Grid } from './grid';
import { arrowAlpha, arrowsAlong, traceArrow } from './one_way';
import type { RoadMap } from './road_map';
import { kindOfClass, ROAD_KINDS, strokeOf } from './road_style';
import { type Label, NAME_SIZE, StreetNames } from './street_names';
import { type MapTheme, mapTheme } from './theme_colours';
import type { Pose } from './view';

/** CSS pixels around the pane. */
export const MARGIN = 160;
/** Points between two looks at the clock; a few tenths of a millisecond. */
const POINTS_AT_ONCE = 1200;
/** Names between two looks at the clock: each costs as much as some hundred points. */
const NAMES_AT_ONCE = 4;
const NAME_FONT = `500 ${NAME_SIZE}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
/** If so much of the map is seen, looking up what is costs more than it saves. */
const NEARLY_ALL = 0.6;

export interface RoadPicture {
    readonly canvas: HTMLCanvasElement;
    readonly pose: Pose;
    /** Of the panes it was painted for, CSS pixels, without the margin. */
    readonly width: number;
    readonly height: number;
    /** Screen pixels per CSS pixel. */
    readonly ratio: number;
    readonly theme: MapTheme;
}

export class RoadPainter {
    private readonly spare: HTMLCanvasElement[] = [];
    private hasDeadline = false;
    private job: { picture: RoadPicture; steps: Iterator<void> } | null = null;
    private readonly kinds: Uint8Array;
    private readonly all: Sorted;
    private readonly found: Uint32Array;
    private readonly names: StreetNames;
    private readonly nameWidths = new Map<string, number>();

    /** @param grid  asked for when a part of the map is painted for the first time */
    constructor(
        private readonly map: RoadMap,
        private readonly grid: () => Grid,
    ) {
        // Plain loops: before the first picture, calling a function per segment is felt.
        const kindOf = Uint8Array.from({ length: 256 }, (_, roadClass) => kindOfClass(roadClass));
        this.kinds = new Uint8Array(map.segmentCount);
        this.found = new Uint32Array(map.segmentCount);
        for (let segment = 0; segment < map.segmentCount; segment++) {
            this.kinds[segment] = kindOf[map.classes[segment]];
            this.found[segment] = segment;
        }
        this.all = sortByKind(this.found, map.segmentCount, this.kinds);
        this.names = new StreetNames(map, this.kinds);
    }

    get isBusy(): boolean {
        return this.job !== null;
    }

    begin(pose: Pose, width: number, height: number, ratio: number): void {
        const canvas = this.spare.pop() ?? document.createElement('canvas');
        const picture = { canvas, pose, width, height, ratio, theme: mapTheme() };
        this.job = { picture, steps: this.paint(picture) };
    }

    /** Paint until `deadline` (performance.now()), or all of it. @returns the picture, once it is whole */
    work(deadline: number): RoadPicture | null {
        if (!this.job) return null;
        this.hasDeadline = deadline < Infinity;
        do {
            if (this.job.steps.next().done) {
                const { picture } = this.job;
                this.job = null;
                return picture;
            }
        } while (performance.now() < deadline);
        return null;
    }

    /** The picture is not shown any more. */
    giveBack(picture: RoadPicture): void {
        this.spare.push(picture.canvas);
    }

    private *paint({ canvas, pose, width, height, ratio, theme }: RoadPicture): Iterator<void> {
        const { scale } = pose;
        // Also clears it. We do read it often, see Pen.
        canvas.width = Math.ceil((width + 2 * MARGIN) * ratio);
        canvas.height = Math.ceil((height + 2 * MARGIN) * ratio);
        const context = canvas.getContext('2d', { willReadFrequently: true });
        if (!context) return;
        const pen = new Pen(context, this.map, pose, ratio, () => this.hasDeadline);
        const seen = this.seen(pose, width, height);
        const strokes = ROAD_KINDS.map((kind) => strokeOf(kind, scale, ratio));
        // First every road's line, then the insides of those that are bands, so that they join.
        for (const isInside of [false, true]) {
            for (const [kind, { colour, inside }] of ROAD_KINDS.entries()) {
                const stroke = strokes[kind];
                if (!stroke || (isInside && !stroke.isBand)) continue;
                context.globalAlpha = stroke.alpha;
                context.strokeStyle = theme[isInside ? inside : colour];
                context.lineWidth = isInside ? stroke.width - 2 : stroke.width;
                context.lineCap = stroke.width > 2.5 ? 'round' : 'butt';
                context.lineJoin = stroke.width > 2.5 ? 'round' : 'bevel';
                yield* pen.strokeAll(seen.segments, seen.first[kind], seen.first[kind + 1]);
            }
        }
        context.globalAlpha = arrowAlpha(scale);
        context.fillStyle = theme.oneWay;
        if (context.globalAlpha > 0) yield* pen.fillArrows(seen.segments);
        context.globalAlpha = 1;
        context.font = NAME_FONT;
        const box = boxSeen(pose, width, height);
        const widthOf = (text: string) => this.nameWidth(context, text);
        const labels = this.names.place(seen.segments, box, scale, widthOf);
        yield* pen.writeNames(labels, theme);
    }

    /** Measured once: the font does not change. */
    private nameWidth(context: CanvasRenderingContext2D, text: string): number {
        let width = this.nameWidths.get(text);
        if (width === undefined) {
            width = context.measureText(text).width;
            this.nameWidths.set(text, width);
        }
        return width;
    }

    private seen(pose: Pose, width: number, height: number): Sorted {
        const box = boxSeen(pose, width, height);
        const wide = Math.min(box.east, this.map.width) - Math.max(box.west, 0);
        const high = Math.min(box.south, this.map.height) - Math.max(box.north, 0);
        if (wide * high >= NEARLY_ALL * this.map.width * this.map.height) return this.all;
        const count = this.grid().find(box, this.found);
        return sortByKind(this.found, count, this.kinds);
    }
}

/** The world that a picture shows, with half the width of the widest road. */
function boxSeen({ scale, offsetX, offsetY }: Pose, width: number, height: number): Box {
    const room = MARGIN / scale + 15;
    return {
        west: -offsetX / scale - room,
        north: -offsetY / scale - room,
        east: (width - offsetX) / scale + room,
        south: (height - offsetY) / scale + room,
    };
}

/** Segments of kind i: first[i] to first[i + 1] - 1. */
interface Sorted {
    first: Uint32Array;
    segments: Uint32Array;
}

function sortByKind(segments: Uint32Array, count: number, kinds: Uint8Array): Sorted {
    const first = new Uint32Array(ROAD_KINDS.length + 1);
    for (let i = 0; i < count; i++) first[kinds[segments[i]] + 1]++;
    for (let kind = 0; kind < ROAD_KINDS.length; kind++) first[kind + 1] += first[kind];
    const next = first.slice();
    const sorted = new Uint32Array(count);
    for (let i = 0; i < count; i++) sorted[next[kinds[segments[i]]]++] = segments[i];
    return { first, segments: sorted };
}

/** Draws segments, leaving out points that fall on the same pixel. */
class Pen {
    private readonly scale: number;
    private readonly dx: number;
    private readonly dy: number;
    private readonly nearby: number;

    constructor(
        private readonly context: CanvasRenderingContext2D,
        private readonly map: RoadMap,
        pose: Pose,
        ratio: number,
        private readonly isTimed: () => boolean,
    ) {
        this.scale = pose.scale;
        this.dx = pose.offsetX + MARGIN;
        this.dy = pose.offsetY + MARGIN;
        this.nearby = 0.8 / ratio;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
    }

    *strokeAll(segments: Uint32Array, from: number, to: number): Generator<void> {
        const { context } = this;
        let i = from;
        while (i < to) {
            context.beginPath();
            for (let points = 0; i < to && points < POINTS_AT_ONCE; i++) {
                points += this.trace(segments[i]);
            }
            context.stroke();
            // A canvas puts lines off until it is looked at, and then draws all of them together.
            // So look at it, if a clock is read next: it is to tell the truth.
            if (this.isTimed()) context.getImageData(0, 0, 1, 1);
            yield;
        }
    }

    *fillArrows(segments: Uint32Array): Generator<void> {
        const { context, scale, dx, dy } = this;
        let i = 0;
        while (i < segments.length) {
            context.beginPath();
            // An arrow has seven points; a road without is looked at all the same.
            for (let points = 0; i < segments.length && points < POINTS_AT_ONCE; i++) {
                points += 0.1;
                points +=
                    7 *
                    arrowsAlong(this.map, segments[i], scale, (arrow) => {
                        const x = arrow.x * scale + dx;
                        const y = arrow.y * scale + dy;
                        traceArrow(context, { ...arrow, x, y });
                    });
            }
            context.fill();
            if (this.isTimed()) context.getImageData(0, 0, 1, 1);
            yield;
        }
    }

    /** Each with a rim of the ground's colour, by which it is read over roads and arrows. */
    *writeNames(labels: readonly Label[], theme: MapTheme): Generator<void> {
        const { context, scale, dx, dy } = this;
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        context.lineJoin = 'round';
        context.lineWidth = 3.5;
        context.strokeStyle = theme.ground;
        context.fillStyle = theme.name;
        for (const [i, { text, x, y, angle }] of labels.entries()) {
            context.save();
            context.translate(x * scale + dx, y * scale + dy);
            context.rotate(angle);
            context.strokeText(text, 0, 0);
            context.fillText(text, 0, 0);
            context.restore();
            if (i % NAMES_AT_ONCE > 0) continue;
            if (this.isTimed()) context.getImageData(0, 0, 1, 1);
            yield;
        }
    }

    private trace(segment: number): number {
        const { context, scale, dx, dy, nearby } = this;
        const { first, xs, ys } = this.map;
        const last = first[segment + 1] - 1;
        let i = first[segment];
        let x = xs[i] * scale + dx;
        let y = ys[i] * scale + dy;
        let points = 1;
        context.moveTo(x, y);
        while (++i <= last) {
            const nextX = xs[i] * scale + dx;
            const nextY = ys[i] * scale + dy;
            if (i < last && Math.abs(nextX - x) + Math.abs(nextY - y) < nearby) continue;
            context.lineTo(nextX, nextY);
            x = nextX;
            y = nextY;
            points++;
        }
        return points;
    }
}
