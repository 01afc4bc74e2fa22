// Names along the streets, once one is near enough to read them.
//
// Segments end at each crossing and are too short for a name, so those of one name that follow each other are joined
// into a street first. Along it there are names at even distances, wherever it is straight enough for one. Streets
// are joined once; where their names stand depends on the zoom alone, so that moving the map does not move them.
// Larger roads come first, and a name that would cover another is left out.
import type { Box } from './grid';
import type { Point, RoadMap } from './road_map';

/** CSS pixels per metre from which on streets have names; those of larger roads are there earlier. */
const NEAR = 0.45;
const NEAR_MAJOR = 0.18;
/** Kinds (road_style.ts) from this one on are larger roads: secondary ones. */
const MAJOR = 3;
/** CSS pixels from one name to the next of the same street, about. */
const APART = 420;
/** The way along the street under a name, by the straight line: a name is not bent. */
const STRAIGHT = 1.04;
/** CSS pixels: of letters, and of the room around a name. */
export const NAME_SIZE = 11.5;
const ROOM = 5;
/** Names on one picture at most: more would take longer than the roads below them. */
const NAMES_MOST = 80;

type Streets = Pick<RoadMap, 'first' | 'xs' | 'ys' | 'ends' | 'names' | 'nameOf' | 'segmentCount'>;

/** A street, metres: its corners, and how far each is from its beginning. */
interface Line {
    xs: number[];
    ys: number[];
    at: number[];
}

export interface Label {
    text: string;
    /** The middle of it, metres. */
    x: number;
    y: number;
    /** Radians; it never stands on its head. */
    angle: number;
}

export class StreetNames {
    private index: NameIndex | null = null;
    private readonly lines = new Map<number, Line[]>();

    /** @param kinds  of each segment (road_style.ts) */
    constructor(
        private readonly map: Streets,
        private readonly kinds: Uint8Array,
    ) {}

    /**
     * @param segments  that are seen
     * @param box       what is seen of the world
     * @param scale     CSS pixels per metre
     * @param widthOf   CSS pixels that a name takes
     */
    place(
        segments: Uint32Array,
        box: Box,
        scale: number,
        widthOf: (text: string) => number,
    ): Label[] {
        if (scale < NEAR_MAJOR || this.map.names.length === 0) return [];
        const labels: Label[] = [];
        const taken = new Taken();
        for (const name of this.namesSeen(segments, scale)) {
            const text = this.map.names[name];
            const width = widthOf(text) / scale;
            for (const line of this.linesOf(name)) {
                for (const label of labelsAlong(line, text, width, APART / scale)) {
                    const isSeen =
                        label.x > box.west &&
                        label.x < box.east &&
                        label.y > box.north &&
                        label.y < box.south;
                    if (!isSeen || !taken.take(label, width, scale)) continue;
                    labels.push(label);
                    if (labels.length === NAMES_MOST) return labels;
                }
            }
        }
        return labels;
    }

    /** Larger roads first; then in the order of the map, whatever is in sight. */
    private namesSeen(segments: Uint32Array, scale: number): number[] {
        const { nameOf } = this.map;
        const kindOf = new Map<number, number>();
        for (const segment of segments) {
            if (nameOf[segment] === 0) continue;
            const name = nameOf[segment] - 1;
            const kind = this.kinds[segment];
            if (scale < NEAR && kind < MAJOR) continue;
            kindOf.set(name, Math.max(kind, kindOf.get(name) ?? 0));
        }
        return [...kindOf].sort(([a, x], [b, y]) => y - x || a - b).map(([name]) => name);
    }

    private linesOf(name: number): Line[] {
        let lines = this.lines.get(name);
        if (!lines) {
            this.index ??= indexNames(this.map);
            const { first, segments } = this.index;
            lines = joined(this.map, segments.subarray(first[name], first[name + 1]));
            this.lines.set(name, lines);
        }
        return lines;
    }
}

/** Segments of name n: segments[first[n]] to segments[first[n + 1] - 1]. */
export interface NameIndex {
    first: Uint32Array;
    segments: Uint32Array;
}

export function indexNames({
    names,
    nameOf,
    segmentCount,
}: Pick<RoadMap, 'names' | 'nameOf' | 'segmentCount'>): NameIndex {
    const first = new Uint32Array(names.length + 1);
    for (let i = 0; i < segmentCount; i++) if (nameOf[i] > 0) first[nameOf[i]]++;
    for (let name = 0; name < names.length; name++) first[name + 1] += first[name];
    const next = first.slice();
    const segments = new Uint32Array(first[names.length]);
    for (let i = 0; i < segmentCount; i++) {
        if (nameOf[i] > 0) segments[next[nameOf[i] - 1]++] = i;
    }
    return { first, segments };
}

/** Segments that follow each other, joined; at a fork of the street one line goes on and others begin. */
export function joined(map: Streets, segments: Uint32Array): Line[] {
    const at = new Map<number, number[]>();
    for (const segment of segments) {
        for (const node of [map.ends[2 * segment], map.ends[2 * segment + 1]]) {
            const known = at.get(node);
            if (known) known.push(segment);
            else at.set(node, [segment]);
        }
    }
    const left = new Set(segments);
    const lines: Line[] = [];
    const follow = (start: number, from: number) => {
        const line: Line = { xs: [], ys: [], at: [] };
        let node = from;
        for (let segment: number | undefined = start; segment !== undefined; ) {
            left.delete(segment);
            node = extend(line, map, segment, node);
            segment = at.get(node)?.find((other) => left.has(other));
        }
        lines.push(line);
    };
    // From loose ends first, so that a street is one line from end to end; then what is a ring.
    for (const segment of segments) {
        const [a, b] = [map.ends[2 * segment], map.ends[2 * segment + 1]];
        if (!left.has(segment)) continue;
        if (at.get(a)?.length === 1) follow(segment, a);
        else if (at.get(b)?.length === 1) follow(segment, b);
    }
    for (const segment of segments) {
        if (left.has(segment)) follow(segment, map.ends[2 * segment]);
    }
    return lines;
}

/** Go along `segment` from that end of it. @returns the node at its other end */
function extend(line: Line, map: Streets, segment: number, from: number): number {
    const [a, b] = [map.ends[2 * segment], map.ends[2 * segment + 1]];
    const isForwards = a === from;
    const [first, last] = [map.first[segment], map.first[segment + 1] - 1];
    for (let i = 0; i <= last - first; i++) {
        const point = isForwards ? first + i : last - i;
        const end = line.xs.length - 1;
        const step =
            end < 0 ? 0 : Math.hypot(map.xs[point] - line.xs[end], map.ys[point] - line.ys[end]);
        if (end >= 0 && step === 0) continue;
        line.at.push((line.at[end] ?? 0) + step);
        line.xs.push(map.xs[point]);
        line.ys.push(map.ys[point]);
    }
    return isForwards ? b : a;
}

/** @param width, apart  metres */
function* labelsAlong(line: Line, text: string, width: number, apart: number): Generator<Label> {
    const length = line.at[line.at.length - 1] ?? 0;
    if (length < width) return;
    const count = Math.max(1, Math.floor(length / Math.max(apart, 1.5 * width)));
    for (let i = 0; i < count; i++) {
        const middle = ((i + 0.5) / count) * length;
        const a = pointAt(line, middle - width / 2);
        const b = pointAt(line, middle + width / 2);
        if (width > STRAIGHT * Math.hypot(b.x - a.x, b.y - a.y)) continue;
        // Read from left to right; straight up is read upwards.
        const isBackwards = b.x < a.x || (b.x === a.x && b.y > a.y);
        const [from, to] = isBackwards ? [b, a] : [a, b];
        const { x, y } = pointAt(line, middle);
        yield {
            text,
            // Between the street's own middle and that of the straight line below the name.
            x: (x + (a.x + b.x) / 2) / 2,
            y: (y + (a.y + b.y) / 2) / 2,
            angle: Math.atan2(to.y - from.y, to.x - from.x),
        };
    }
}

function pointAt(line: Line, distance: number): Point {
    const { xs, ys, at } = line;
    let low = 0;
    let high = at.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (at[middle] <= distance) low = middle;
        else high = middle;
    }
    const step = at[high] - at[low];
    const share = step > 0 ? Math.min(1, Math.max(0, (distance - at[low]) / step)) : 0;
    return {
        x: xs[low] + share * (xs[high] - xs[low]),
        y: ys[low] + share * (ys[high] - ys[low]),
    };
}

/** What is taken up by names already: discs along each of them, in CSS pixels. */
class Taken {
    private readonly discs: Point[] = [];

    /** False, and nothing is taken, if it would cover another. @param width  metres */
    take({ x, y, angle }: Label, width: number, scale: number): boolean {
        const apart = NAME_SIZE + ROOM;
        const half = (width * scale) / 2;
        const steps = Math.max(1, Math.ceil((2 * half) / NAME_SIZE));
        const mine: Point[] = [];
        for (let i = 0; i <= steps; i++) {
            const along = -half + (i / steps) * 2 * half;
            mine.push({
                x: x * scale + along * Math.cos(angle),
                y: y * scale + along * Math.sin(angle),
            });
        }
        const isCovering = mine.some((disc) =>
            this.discs.some((other) => Math.hypot(disc.x - other.x, disc.y - other.y) < apart),
        );
        if (isCovering) return false;
        this.discs.push(...mine);
        return true;
    }
}
