// Small maps for tests: pages as the service writes them, as JSON and as bytes, and towns at random.
import { readRoadMap } from '../../src/map/decode';
import type { RoadMap } from '../../src/map/road_map';
import { dice } from './dice';

/** GET /v1/map, which is for programs, and easy to write by hand. Segments are x, y of the first point, then differences, in whole numbers of `unit`. */
export interface MapPage {
    checksum: string;
    nodes: number;
    is_geographic: boolean;
    bounds: [west: number, south: number, east: number, north: number] | null;
    unit: number | null;
    segments: number[][] | null;
    ends: number[];
    classes: number[];
    /** Missing: all are open both ways, and no road has a name. */
    directions?: number[];
    names?: string[];
    name_of?: number[];
    reason?: string;
}

/** Two roads that meet, half way to the pole. */
export const GLOBE: MapPage = {
    checksum: '85052627b080fb31',
    nodes: 4,
    is_geographic: true,
    bounds: [-0.002, 45, 0.001, 45.002],
    unit: 1e-7,
    segments: [
        [-20000, 450000000, 10000, 10000, 10000, 0],
        [0, 450010000, 10000, 10000],
    ],
    ends: [0, 2, 2, 3],
    classes: [3, 6],
    directions: [3, 1],
    names: ['Ringstraße (B 37)'],
    name_of: [0, 1],
};

/** Northern and far from its origin, as projected coordinates are: beyond 32 bits in its units. */
export const PLANE: MapPage = {
    checksum: '0000000000000001',
    nodes: 2,
    is_geographic: false,
    bounds: [731235.2, 3737245, 731335.2, 3737345],
    unit: 0.001,
    segments: [[731235200, 3737245000, 100000, 100000]],
    ends: [0, 1],
    classes: [0],
};

/** The same page as GET /v1/map.bin has it; src/service/api/map_display.h has the layout. Positions may lie outside of its bounds. */
export function bytesOf(page: MapPage): Uint8Array<ArrayBuffer> {
    const { head, sides } = headOf(page);
    const columns = page.segments ? columnsOf(page, sides) : null;
    const bytes = new Uint8Array(Math.ceil((80 + (columns?.bytes.length ?? 0)) / 4) * 4);
    bytes.set(head);
    bytes.set(columns?.bytes ?? [], 80);
    const data = new DataView(bytes.buffer);
    for (const [i, count] of (columns?.counts ?? []).entries()) {
        data.setUint32(64 + 4 * i, count, true);
    }
    data.setBigUint64(16, BigInt(bytes.length), true);
    return sealed(bytes);
}

/** With the check that its bytes should have: what is wrong with them is for others to find. */
export function sealed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const data = new DataView(bytes.buffer);
    let check = 2166136261n;
    for (let at = 8; at + 4 <= bytes.length; at += 4) {
        check = ((check ^ BigInt(data.getUint32(at, true))) * 16777619n) % 2n ** 32n;
    }
    data.setUint32(4, Number(check), true);
    return bytes;
}

function headOf(page: MapPage): { head: Uint8Array; sides: number[] } {
    const unit = page.unit ?? 1;
    const sides = (page.bounds ?? [0, 0, 0, 0]).map((side) => Math.round(side / unit));
    const head = new Uint8Array(80);
    const data = new DataView(head.buffer);
    head.set(new TextEncoder().encode('SCMD'));
    data.setUint16(8, 2, true);
    head[10] = page.segments === null ? 0 : page.is_geographic ? 1 : 2;
    head[11] = Math.round(-Math.log10(unit));
    data.setUint32(12, page.nodes, true);
    data.setBigUint64(24, BigInt(`0x${page.checksum}`), true);
    for (const [i, side] of sides.entries()) data.setBigInt64(32 + 8 * i, BigInt(side), true);
    return { head, sides };
}

function columnsOf(page: MapPage, [west, south]: number[]): { bytes: number[]; counts: number[] } {
    const lines = (page.segments ?? []).map(corners);
    const nodes = [...new Set(page.ends)].sort((a, b) => a - b);
    const at = new Map<number, readonly number[]>();
    for (const [i, line] of lines.entries()) {
        at.set(page.ends[2 * i], line[0]);
        at.set(page.ends[2 * i + 1], line[line.length - 1]);
    }
    const bytes: number[] = [];
    for (const [i, node] of nodes.entries()) putWhole(bytes, node - (nodes[i - 1] ?? 0));
    let before: readonly number[] = [west, south];
    for (const node of nodes) before = putStep(bytes, before, at.get(node) ?? [0, 0]);
    const places = page.ends.map((node) => nodes.indexOf(node));
    for (let i = 0; i < places.length; i += 2) {
        putSigned(bytes, places[i] - (places[i - 2] ?? 0));
        putSigned(bytes, places[i + 1] - places[i]);
    }
    for (const line of lines) putWhole(bytes, line.length - 2);
    for (const [first, ...line] of lines) {
        let from: readonly number[] = first;
        for (const point of line.slice(0, -1)) from = putStep(bytes, from, point);
    }
    const names = (page.names ?? []).map((name) => new TextEncoder().encode(name));
    bytes.push(...page.classes.map((kind, i) => kind + 16 * (page.directions?.[i] ?? 3)));
    for (const place of page.name_of ?? []) putWhole(bytes, place);
    for (const name of names) {
        putWhole(bytes, name.length);
        bytes.push(...name);
    }
    const inner = lines.reduce((sum, { length }) => sum + length - 2, 0);
    return { bytes, counts: [nodes.length, lines.length, inner, names.length] };
}

/** Differences added up. */
function corners(steps: readonly number[]): number[][] {
    const line: number[][] = [];
    for (let i = 0; i < steps.length; i += 2) {
        const [x, y] = line[line.length - 1] ?? [0, 0];
        line.push([x + steps[i], y + steps[i + 1]]);
    }
    return line;
}

function putWhole(bytes: number[], value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
    bytes.push(rest);
}

function putSigned(bytes: number[], value: number): void {
    putWhole(bytes, value < 0 ? -2 * value - 1 : 2 * value);
}

function putStep(
    bytes: number[],
    from: readonly number[],
    to: readonly number[],
): readonly number[] {
    putSigned(bytes, to[0] - from[0]);
    putSigned(bytes, to[1] - from[1]);
    return to;
}

/** Roads here and there, some long, some without length; on a plane of `width` by `height` metres. */
export function townAtRandom(
    seed: number,
    segments: number,
    width: number,
    height: number,
): RoadMap {
    const { unit, below } = dice(seed);
    const lines = Array.from({ length: segments }, () => {
        const reach = below(10) === 0 ? 1 : 0.05;
        let x = unit() * width;
        let y = unit() * height;
        const line = [Math.round(x), Math.round(y)];
        for (let corners = 1 + below(4); corners > 0; corners--) {
            const nextX = clamp(x + (unit() - 0.5) * reach * width, width);
            const nextY = clamp(y + (unit() - 0.5) * reach * height, height);
            line.push(Math.round(nextX) - Math.round(x), Math.round(nextY) - Math.round(y));
            x = nextX;
            y = nextY;
        }
        return line;
    });
    return readRoadMap(
        bytesOf({
            checksum: '0',
            nodes: 2 * segments,
            is_geographic: false,
            bounds: [0, 0, width, height],
            unit: 1,
            segments: lines,
            ends: lines.flatMap((_, i) => [2 * i, 2 * i + 1]),
            classes: lines.map(() => below(10)),
        } satisfies MapPage),
    );
}

function clamp(value: number, most: number): number {
    return Math.min(most, Math.max(0, value));
}
