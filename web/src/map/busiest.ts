// Where to look first: the neighbourhood in which most of something is, travellers or crossings. A whole city at once
// shows that there is much, and nothing of how it works.
import type { Box } from './grid';
import type { RoadMap } from './road_map';

/** A neighbourhood is as wide as so many roads would be if all lay evenly. */
const ROADS_WIDE = 11;
/** Metres; less is a crossing and no neighbourhood. */
const LEAST_M = 400;
/** If so much of the map would be seen, all of it is. */
const NEARLY_ALL = 0.6;
/** Cells that are counted in at most: a map may be long and thin. */
const CELLS_MOST = 1 << 20;

export interface Busiest {
    box: Box;
    /** How many of the points are in it. */
    count: number;
}

type Extent = Pick<RoadMap, 'width' | 'height' | 'segmentCount'>;

/** Metres from side to side; null if the map is hardly larger. */
export function neighbourhoodSide({ width, height, segmentCount }: Extent): number | null {
    const perRoad = Math.sqrt((width * height) / Math.max(1, segmentCount));
    const side = Math.max(LEAST_M, ROADS_WIDE * perRoad);
    return side > NEARLY_ALL * Math.max(width, height) ? null : side;
}

/**
 * The square with the most points, of those whose corners lie on a grid of half its side.
 *
 * @param points  x and y in turn, metres; NaN is nowhere
 * @param side    metres
 * @returns null if there is none
 */
export function busiest(
    points: ArrayLike<number>,
    map: Pick<RoadMap, 'width' | 'height'>,
    side: number,
): Busiest | null {
    const cell = Math.max(side / 2, Math.sqrt((map.width * map.height) / CELLS_MOST));
    const columns = Math.max(2, Math.ceil(map.width / cell));
    const rows = Math.max(2, Math.ceil(map.height / cell));
    const counts = new Uint32Array(columns * rows);
    for (let i = 0; i < points.length; i += 2) {
        const column = Math.floor(points[i] / cell);
        const row = Math.floor(points[i + 1] / cell);
        // Written so that NaN is out as well.
        if (!(column >= 0 && row >= 0 && column < columns && row < rows)) continue;
        counts[row * columns + column]++;
    }
    let best = { count: 0, column: 0, row: 0 };
    for (let row = 0; row + 1 < rows; row++) {
        for (let column = 0; column + 1 < columns; column++) {
            const at = row * columns + column;
            const count =
                counts[at] + counts[at + 1] + counts[at + columns] + counts[at + columns + 1];
            if (count > best.count) best = { count, column, row };
        }
    }
    if (best.count === 0) return null;
    const { count, column, row } = best;
    return {
        box: {
            west: column * cell,
            north: row * cell,
            east: (column + 2) * cell,
            south: (row + 2) * cell,
        },
        count,
    };
}

/** How many of the points are in `box`. */
export function countIn(points: ArrayLike<number>, box: Box): number {
    let count = 0;
    for (let i = 0; i < points.length; i += 2) {
        const isIn =
            points[i] >= box.west &&
            points[i] <= box.east &&
            points[i + 1] >= box.north &&
            points[i + 1] <= box.south;
        if (isIn) count++;
    }
    return count;
}

/** The neighbourhood with the most roads; null if all of the map is to be seen. */
export function busiestRoads(map: RoadMap): Box | null {
    const side = neighbourhoodSide(map);
    if (side === null) return null;
    const ends = new Float32Array(2 * map.segmentCount);
    for (let segment = 0; segment < map.segmentCount; segment++) {
        ends[2 * segment] = map.xs[map.first[segment]];
        ends[2 * segment + 1] = map.ys[map.first[segment]];
    }
    return busiest(ends, map, side)?.box ?? null;
}
