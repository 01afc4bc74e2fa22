// The map's bytes, GET /v1/map.bin, read into typed arrays. src/service/api/map_display.h has the layout.
//
// 1. Nothing is believed: version, size and check come first, then every count, before memory is taken
//    for it, and every number that leads somewhere. Damaged bytes are a MapError, never half a map.
// 2. Reading beyond the end gives zeros, no more of them than the counts allow, and is noticed when all is
//    read. A look per byte would cost more than the rest.
import { t } from '../text/language';

/** Why there is no map to draw, in words for whoever looks. */
export class MapError extends Error {
    override name = 'MapError';
}

const VERSION = 2;
const HEAD = 80;
/** Of the byte per road: its class, and behind that how it is open. */
const CLASS_BITS = 4;
const CLASS_MASK = 15;
/** "SCMD", little-endian. */
const MAGIC = 0x444d4353;
/** More decimals than a map has (map_display.c); ten to their power is exact. */
const DECIMALS_MAX = 9;

export const NO_COORDINATES = 0;
export const DEGREES = 1;
export const PLANAR = 2;

export interface MapHead {
    /** Sixteen hexadecimal digits, as in /v1/map. */
    readonly checksum: string;
    readonly coordinates: number;
    /** Units per degree, or per unit of the plane: a power of ten. */
    readonly perUnit: number;
    readonly nodeCount: number;
    /** West, south, east and north, in units. */
    readonly sides: readonly [number, number, number, number];
    readonly junctionCount: number;
    readonly segmentCount: number;
    readonly innerCount: number;
    readonly nameCount: number;
}

/** Where a position that is counted from the south-west corner is drawn: x * stepX, (high - y) * stepY. */
export interface Canvas {
    readonly high: number;
    readonly stepX: number;
    readonly stepY: number;
}

export interface MapLines {
    /** Points of segment s: first[s] to first[s + 1] - 1. */
    first: Uint32Array;
    xs: Float32Array;
    ys: Float32Array;
    /** Two nodes per segment. */
    ends: Uint32Array;
    classes: Uint8Array;
    /** How each segment is open from end to end: 3 both ways, 1 forwards, 2 backwards, 0 neither. */
    directions: Uint8Array;
    /** What roads are called. */
    names: string[];
    /** Of each segment, 1 + the place of its name; 0: it has none. */
    nameOf: Uint32Array;
}

/** Throws a MapError, also if anything behind the head is not as it was written. */
export function readHead(bytes: Uint8Array): MapHead {
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    checkWhole(data);
    const coordinates = data.getUint8(10);
    const decimals = data.getUint8(11);
    const side = (i: number) => Number(data.getBigInt64(32 + 8 * i, true));
    const head: MapHead = {
        checksum: data.getBigUint64(24, true).toString(16).padStart(16, '0'),
        coordinates,
        perUnit: 10 ** decimals,
        nodeCount: data.getUint32(12, true),
        sides: [side(0), side(1), side(2), side(3)],
        junctionCount: data.getUint32(64, true),
        segmentCount: data.getUint32(68, true),
        innerCount: data.getUint32(72, true),
        nameCount: data.getUint32(76, true),
    };
    if (coordinates > PLANAR || decimals > DECIMALS_MAX || !isOnGlobe(head)) {
        throw damaged(t('its header'));
    }
    // The least that each takes: a node and two differences; two ends, a count and a class; two differences.
    // And if there are names: one per road, and a length each.
    const named = head.nameCount > 0 ? head.segmentCount + head.nameCount : 0;
    const least = 3 * head.junctionCount + 4 * head.segmentCount + 2 * head.innerCount + named;
    if (least > bytes.length - HEAD) throw damaged(t('its counts'));
    return head;
}

/** @param bytes  whose head is `head`. Throws a MapError. */
export function readLines(bytes: Uint8Array, head: MapHead, canvas: Canvas): MapLines {
    const numbers = new Numbers(bytes, HEAD);
    const junctions = readJunctions(numbers, head);
    const places = readEnds(numbers, head);
    const first = readFirst(numbers, head);
    const points = readPoints(numbers, head, canvas, { ...junctions, places, first });
    const kinds = bytes.subarray(numbers.at, numbers.at + head.segmentCount);
    numbers.at += head.segmentCount;
    const names = readNames(bytes, numbers, head);
    const rest = bytes.length - numbers.at;
    if (rest < 0 || rest > 3) throw damaged(t('its end'));
    return {
        first,
        ...points,
        ends: nodesAt(places, junctions.nodes),
        classes: kinds.map((kind) => kind & CLASS_MASK),
        directions: kinds.map((kind) => kind >> CLASS_BITS),
        ...names,
    };
}

function readNames(
    bytes: Uint8Array,
    numbers: Numbers,
    { segmentCount, nameCount }: MapHead,
): Pick<MapLines, 'names' | 'nameOf'> {
    const names: string[] = [];
    const nameOf = new Uint32Array(segmentCount);
    for (let segment = 0; nameCount > 0 && segment < segmentCount; segment++) {
        nameOf[segment] = numbers.whole();
        if (nameOf[segment] > nameCount) throw damaged(t('the names of its roads'));
    }
    const decoder = new TextDecoder();
    for (let i = 0; i < nameCount; i++) {
        const size = numbers.whole();
        const end = numbers.at + size;
        if (end > bytes.length) throw damaged(t('the names of its roads'));
        names.push(decoder.decode(bytes.subarray(numbers.at, end)));
        numbers.at = end;
    }
    return { names, nameOf };
}

function nodesAt(places: Uint32Array, nodes: Uint32Array): Uint32Array {
    const found = new Uint32Array(places.length);
    for (let i = 0; i < places.length; i++) found[i] = nodes[places[i]];
    return found;
}

function isOnGlobe({ coordinates, perUnit, sides }: MapHead): boolean {
    if (coordinates !== DEGREES) return true;
    // If roads cross the 180th meridian, longitudes go on beyond it.
    const most = sides[0] >= 0 ? 360 : 180;
    const isWithin = (side: number, i: number) =>
        i % 2 ? Math.abs(side) <= 90 * perUnit : side >= -180 * perUnit && side <= most * perUnit;
    return sides.every(isWithin);
}

function damaged(where: string): MapError {
    return new MapError(t('The map is damaged ({where}). Load the page again.', { where }));
}

// --- Head -------------------------------------------------------------------------------------

function checkWhole(data: DataView): void {
    const { byteLength } = data;
    if (byteLength < HEAD || data.getUint32(0, true) !== MAGIC) {
        throw new MapError(t('The data received are not a map. Load the page again.'));
    }
    const version = data.getUint16(8, true);
    if (version !== VERSION) {
        throw new MapError(
            t('The map has version {version}, but this page reads {known}. Load the page again.', {
                version,
                known: VERSION,
            }),
        );
    }
    const size = Number(data.getBigUint64(16, true));
    if (size !== byteLength || size % 4 !== 0) {
        throw new MapError(
            t('{some} of {all} bytes of the map arrived. Load the page again.', {
                some: byteLength,
                all: size,
            }),
        );
    }
    if (checkOf(data) !== data.getUint32(4, true)) throw damaged(t('its checksum'));
}

/** FNV-1a over words: whatever changes within one of them is noticed, and nearly all else. */
function checkOf(data: DataView): number {
    let check = 2166136261;
    for (let at = 8; at < data.byteLength; at += 4) {
        check = Math.imul(check ^ data.getUint32(at, true), 16777619);
    }
    return check >>> 0;
}

// --- Numbers ----------------------------------------------------------------------------------

/** Whole numbers, seven bits per byte, the least first. */
class Numbers {
    constructor(
        private readonly bytes: Uint8Array,
        public at: number,
    ) {}

    whole(): number {
        const { bytes } = this;
        let value = 0;
        for (let shift = 0; shift < 28; shift += 7) {
            const byte = bytes[this.at++];
            value |= (byte & 127) << shift;
            // Not "below 128", which is not true of what lies beyond the end.
            if (!(byte > 127)) return value;
        }
        return this.large(value);
    }

    /** With a sign: 0, 1, 2, 3 are 0, -1, 1, -2. */
    signed(): number {
        const folded = this.whole();
        if (folded < 2 ** 28) return (folded >>> 1) ^ -(folded & 1);
        return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    }

    private large(low: number): number {
        let value = low;
        for (let factor = 2 ** 28; factor < 2 ** 53; factor *= 128) {
            const byte = this.bytes[this.at++];
            value += (byte & 127) * factor;
            if (!(byte > 127)) return value;
        }
        throw damaged(t('a number'));
    }
}

// --- Columns ----------------------------------------------------------------------------------

interface Junctions {
    nodes: Uint32Array;
    /** From the south-west corner, in units; they may be beyond 32 bits. */
    east: Float64Array;
    north: Float64Array;
}

function readJunctions(numbers: Numbers, head: MapHead): Junctions {
    const { junctionCount, nodeCount } = head;
    const nodes = new Uint32Array(junctionCount);
    for (let i = 0, node = 0; i < junctionCount; i++) {
        const more = numbers.whole();
        node += more;
        if (node >= nodeCount || (more === 0 && i > 0)) throw damaged(t('its junctions'));
        nodes[i] = node;
    }
    const east = new Float64Array(junctionCount);
    const north = new Float64Array(junctionCount);
    const { wide, high } = extentOf(head);
    for (let i = 0, x = 0, y = 0; i < junctionCount; i++) {
        x += numbers.signed();
        y += numbers.signed();
        if (!(x >= 0 && x <= wide && y >= 0 && y <= high))
            throw damaged(t('the positions of its junctions'));
        east[i] = x;
        north[i] = y;
    }
    return { nodes, east, north };
}

function extentOf({ sides: [west, south, east, north] }: MapHead): { wide: number; high: number } {
    return { wide: east - west, high: north - south };
}

/** Of each segment, the places of its two junctions among all. */
function readEnds(numbers: Numbers, { segmentCount, junctionCount }: MapHead): Uint32Array {
    const places = new Uint32Array(2 * segmentCount);
    const isPlace = (place: number) => place >= 0 && place < junctionCount;
    for (let i = 0, from = 0; i < places.length; i += 2) {
        from += numbers.signed();
        const to = from + numbers.signed();
        if (!isPlace(from) || !isPlace(to)) throw damaged(t('the ends of its roads'));
        places[i] = from;
        places[i + 1] = to;
    }
    return places;
}

function readFirst(numbers: Numbers, { segmentCount, innerCount }: MapHead): Uint32Array {
    const first = new Uint32Array(segmentCount + 1);
    const total = 2 * segmentCount + innerCount;
    let next = 0;
    for (let segment = 0; segment < segmentCount; segment++) {
        next += 2 + numbers.whole();
        if (next > total) throw damaged(t('the lengths of its roads'));
        first[segment + 1] = next;
    }
    if (next !== total) throw damaged(t('the lengths of its roads'));
    return first;
}

/** Differences are added up in whole numbers, so that no error grows along a road. */
function readPoints(
    numbers: Numbers,
    head: MapHead,
    { high, stepX, stepY }: Canvas,
    { east, north, places, first }: Junctions & { places: Uint32Array; first: Uint32Array },
): { xs: Float32Array; ys: Float32Array } {
    const xs = new Float32Array(first[head.segmentCount]);
    const ys = new Float32Array(first[head.segmentCount]);
    const { wide } = extentOf(head);
    for (let segment = 0; segment < head.segmentCount; segment++) {
        const from = places[2 * segment];
        const to = places[2 * segment + 1];
        const last = first[segment + 1] - 1;
        let x = east[from];
        let y = north[from];
        for (let i = first[segment]; ; ) {
            xs[i] = x * stepX;
            ys[i] = (high - y) * stepY;
            if (++i === last) break;
            x += numbers.signed();
            y += numbers.signed();
            if (!(x >= 0 && x <= wide && y >= 0 && y <= high))
                throw damaged(t('the positions of its roads'));
        }
        xs[last] = east[to] * stepX;
        ys[last] = (high - north[to]) * stepY;
    }
    return { xs, ys };
}
