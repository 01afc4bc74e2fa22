// The roads, decoded once, and where things are on them.
//
// Everything is drawn on a plane in metres: x grows east, y grows south, and 0, 0 is the north-west
// corner of the map's bounds. Typed arrays, since a large city has 200,000 segments.
//
// A planar map may be in any unit. If its roads would be absurdly short or long in metres it is stretched, so that
// whatever is drawn by the metre (road widths, the limits of zooming) looks as it does in a town.
import type { Position } from '../api/types';
import { t } from '../text/language';

export interface Point {
    x: number;
    y: number;
}

export interface RoadMap {
    readonly checksum: string;
    readonly isGeographic: boolean;
    readonly segmentCount: number;
    readonly nodeCount: number;
    /** Points of segment s: first[s] to first[s + 1] - 1. */
    readonly first: Uint32Array;
    readonly xs: Float32Array;
    readonly ys: Float32Array;
    /** Two nodes per segment; border nodes of cloaks are found by them. */
    readonly ends: Uint32Array;
    /** The class of each segment's road, as in the map page. */
    readonly classes: Uint8Array;
    /** How each segment is open from end to end: 3 both ways, 1 forwards, 2 backwards, 0 neither. */
    readonly directions: Uint8Array;
    /** What roads are called, and of each segment 1 + the place of its name; 0: it has none. */
    readonly names: readonly string[];
    readonly nameOf: Uint32Array;
    /** Metres. */
    readonly width: number;
    readonly height: number;
    /** Metres of the drawing per unit of a planar map; 1 if that unit may be a metre, and on the globe. */
    readonly stretch: number;
    toPosition(at: Point): Position;
    fromPosition(position: Position): Point;
    /** From units of the map page, counted from the south-west corner. */
    fromUnits(east: number, north: number): Point;
}

/** "Ringstrasse (B 37)", or "road 17" where the map has no name. */
export function roadName(map: Pick<RoadMap, 'names' | 'nameOf'>, segment: number): string {
    return map.names[map.nameOf[segment] - 1] ?? t('road {number}', { number: segment });
}

/** "17 Ringstrasse (B 37)": roads of one name are told apart by their number. */
export function roadLabel(map: Pick<RoadMap, 'names' | 'nameOf'>, segment: number): string {
    const name = map.names[map.nameOf[segment] - 1];
    return name === undefined ? String(segment) : `${segment} ${name}`;
}

export function isOneWay(map: Pick<RoadMap, 'directions'>, segment: number): boolean {
    return map.directions[segment] === 1 || map.directions[segment] === 2;
}

export function hasOneWayRoads({ directions }: Pick<RoadMap, 'directions'>): boolean {
    return directions.some((way) => way === 1 || way === 2);
}

/** Metres per degree of latitude; the service's sphere (src/lib/map/geo.h), so that lengths agree. */
const METRES_PER_DEGREE = (6371008.8 * Math.PI) / 180;

/** Metres. Mean lengths of a map's roads that are believed; others are drawn as if they were usual. */
const BELIEVED = { least: 5, most: 20_000 };
const USUAL_ROAD = 80;

/** @param meanRoad  in units of a planar map */
export function stretchFor(meanRoad: number): number {
    const isBelieved = meanRoad >= BELIEVED.least && meanRoad <= BELIEVED.most;
    return isBelieved || !(meanRoad > 0) ? 1 : USUAL_ROAD / meanRoad;
}

/**
 * The plane that everything is drawn on, and the positions that people and the service speak of.
 *
 * The globe is flattened at the latitude of the map's middle: for a city that is exact to the width of
 * a road.
 */
export class Plane {
    readonly width: number;
    readonly height: number;
    /** Metres per degree, or per unit of a plane. */
    private readonly perX: number;
    private readonly perY: number;

    /**
     * @param unit     what the map page's whole numbers count
     * @param stretch  of a planar map
     */
    constructor(
        readonly isGeographic: boolean,
        private readonly bounds: readonly [
            west: number,
            south: number,
            east: number,
            north: number,
        ],
        private readonly unit: number,
        readonly stretch = 1,
    ) {
        const [west, south, east, north] = bounds;
        const middle = ((south + north) / 2) * (Math.PI / 180);
        this.perX = isGeographic ? METRES_PER_DEGREE * Math.cos(middle) : stretch;
        this.perY = isGeographic ? METRES_PER_DEGREE : stretch;
        this.width = (east - west) * this.perX;
        this.height = (north - south) * this.perY;
    }

    toPosition(at: Point): Position {
        const [west, , , north] = this.bounds;
        const x = west + at.x / this.perX;
        const y = north - at.y / this.perY;
        return this.isGeographic ? { lon: x > 180 ? x - 360 : x, lat: y } : { x, y };
    }

    fromPosition(position: Position): Point {
        const [west, , east, north] = this.bounds;
        const y = 'lat' in position ? position.lat : position.y;
        let x = 'lon' in position ? position.lon : position.x;
        // A map with roads across the 180th meridian goes on beyond it.
        if (this.isGeographic && east > 180 && x < 0) x += 360;
        return { x: (x - west) * this.perX, y: (north - y) * this.perY };
    }

    fromUnits(east: number, north: number): Point {
        return {
            x: east * this.unit * this.perX,
            y: this.height - north * this.unit * this.perY,
        };
    }

    /** Metres per unit of the map page. */
    get step(): { stepX: number; stepY: number } {
        return { stepX: this.unit * this.perX, stepY: this.unit * this.perY };
    }
}
