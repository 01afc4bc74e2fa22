// From the service's map to the roads of the plane.
//
// The bytes are read in one go, on this thread: at 200,000 segments that is some 40 ms, during which
// the page has nothing to show anyway. A worker would have to be started first, and would not be sooner.

import { t } from '../text/language';
import {
    DEGREES,
    MapError,
    type MapHead,
    type MapLines,
    NO_COORDINATES,
    readHead,
    readLines,
} from './map_bytes';
import { Plane, type RoadMap, stretchFor } from './road_map';

function withoutPlaces(): string {
    return t(
        'The map has no coordinates, so it cannot be drawn. The service answers queries all the same; to see them here, import the map with its coordinates.',
    );
}

/** GET /v1/map.bin, which went well, read to its end. Throws a MapError. */
export async function loadRoadMap(response: Response): Promise<RoadMap> {
    const bytes = new Uint8Array(await response.arrayBuffer());
    performance.mark('map:bytes');
    const map = readRoadMap(bytes);
    performance.measure('map:decoded', { start: 'map:bytes', detail: { bytes: bytes.length } });
    return map;
}

/** The body of GET /v1/map.bin. Throws a MapError. */
export function readRoadMap(bytes: Uint8Array): RoadMap {
    const head = readHead(bytes);
    if (head.coordinates === NO_COORDINATES) throw new MapError(withoutPlaces());
    if (head.segmentCount === 0) throw new MapError(t('There are no roads on the map.'));
    const unstretched = planeOf(head, 1);
    const lines = readLines(bytes, head, {
        high: head.sides[3] - head.sides[1],
        ...unstretched.step,
    });
    const { isGeographic } = unstretched;
    const stretch = isGeographic ? 1 : stretchFor(meanLength(lines));
    if (stretch !== 1) stretchAll(lines, stretch);
    const plane = planeOf(head, stretch);
    return {
        checksum: head.checksum,
        isGeographic,
        segmentCount: head.segmentCount,
        nodeCount: head.nodeCount,
        ...lines,
        width: plane.width,
        height: plane.height,
        stretch,
        toPosition: (at) => plane.toPosition(at),
        fromPosition: (position) => plane.fromPosition(position),
        fromUnits: (east, north) => plane.fromUnits(east, north),
    };
}

function planeOf({ coordinates, sides, perUnit }: MapHead, stretch: number): Plane {
    const [west, south, east, north] = sides.map((side) => side / perUnit);
    return new Plane(coordinates === DEGREES, [west, south, east, north], 1 / perUnit, stretch);
}

/** Of a segment, in units of the plane. */
function meanLength({ first, xs, ys }: MapLines): number {
    let sum = 0;
    for (let segment = 0; segment + 1 < first.length; segment++) {
        for (let i = first[segment] + 1; i < first[segment + 1]; i++) {
            sum += Math.hypot(xs[i] - xs[i - 1], ys[i] - ys[i - 1]);
        }
    }
    return sum / (first.length - 1);
}

function stretchAll({ xs, ys }: MapLines, stretch: number): void {
    for (let i = 0; i < xs.length; i++) {
        xs[i] *= stretch;
        ys[i] *= stretch;
    }
}
