// Which roads are where, and which is nearest: always what a plain look at all of them finds.
import { describe, expect, it } from 'vitest';
import { contains, Grid } from '../../src/map/grid';
import { Nearest, nearestRoad } from '../../src/map/pick';
import type { Point, RoadMap } from '../../src/map/road_map';
import { dice } from '../support/dice';
import { townAtRandom } from '../support/maps';

// A town, a single long valley, a single road, and a hamlet.
const TOWNS = [
    townAtRandom(1, 400, 5000, 4000),
    townAtRandom(2, 100, 100_000, 3),
    townAtRandom(3, 1, 700, 900),
    townAtRandom(4, 12, 40, 30),
];

function nearestOfAll(map: RoadMap, at: Point): Nearest {
    const best = new Nearest(at, Number.POSITIVE_INFINITY);
    for (let segment = 0; segment < map.segmentCount; segment++) best.try(map, segment);
    return best;
}

/** Places on a segment, close together. */
function* placesOn(map: RoadMap, segment: number): Iterable<Point> {
    for (let i = map.first[segment]; i + 1 < map.first[segment + 1]; i++) {
        for (let share = 0; share <= 1; share += 0.125) {
            yield {
                x: map.xs[i] + share * (map.xs[i + 1] - map.xs[i]),
                y: map.ys[i] + share * (map.ys[i + 1] - map.ys[i]),
            };
        }
    }
}

describe('the grid', () => {
    it('finds every segment that has a place in the box, and each once', () => {
        for (const map of TOWNS) {
            const grid = new Grid(map);
            const found = new Uint32Array(map.segmentCount);
            const { unit } = dice(7);
            for (let round = 0; round < 50; round++) {
                const west = (unit() * 1.4 - 0.2) * map.width;
                const north = (unit() * 1.4 - 0.2) * map.height;
                const east = west + unit() * 0.4 * map.width;
                const south = north + unit() * 0.4 * map.height;
                const count = grid.find({ west, north, east, south }, found);
                const told = new Set(found.subarray(0, count));
                expect(told.size).toBe(count);
                for (let segment = 0; segment < map.segmentCount; segment++) {
                    const isInside = [...placesOn(map, segment)].some(
                        ({ x, y }) => x >= west && x <= east && y >= north && y <= south,
                    );
                    if (isInside) expect(told.has(segment)).toBe(true);
                }
            }
        }
    });

    it('leaves out what is far away', () => {
        const [map] = TOWNS;
        const found = new Uint32Array(map.segmentCount);
        const corner = { west: 0, north: 0, east: map.width / 20, south: map.height / 20 };
        expect(new Grid(map).find(corner, found)).toBeLessThan(map.segmentCount / 4);
    });
});

describe('picking', () => {
    it('finds the nearest road and the place on it, from anywhere', () => {
        for (const map of TOWNS) {
            const grid = new Grid(map);
            const { unit } = dice(11);
            for (let round = 0; round < 300; round++) {
                const at = {
                    x: (unit() * 2 - 0.5) * map.width,
                    y: (unit() * 2 - 0.5) * map.height,
                };
                expect(nearestRoad(map, grid, at)).toEqual(nearestOfAll(map, at).spot);
            }
        }
    });

    it('finds nothing beyond its reach, and everything within', () => {
        const [map] = TOWNS;
        const grid = new Grid(map);
        const { unit } = dice(13);
        for (let round = 0; round < 200; round++) {
            const at = { x: unit() * map.width, y: unit() * map.height };
            const { spot, away } = nearestOfAll(map, at);
            expect(nearestRoad(map, grid, at, away * 0.99)).toBeNull();
            expect(nearestRoad(map, grid, at, away * 1.01)).toEqual(spot);
        }
    });

    it('puts the spot on the road itself', () => {
        const [map] = TOWNS;
        const at = { x: map.width / 2, y: map.height / 2 };
        const spot = nearestRoad(map, new Grid(map), at);
        expect(spot).not.toBeNull();
        expect(nearestOfAll(map, spot as Point).away).toBeLessThan(1e-9);
    });
});

it('a box is within another if none of its sides is beyond it', () => {
    const box = { west: 0, north: 0, east: 10, south: 5 };
    expect(contains(box, box)).toBe(true);
    for (const beyond of [{ west: -1 }, { north: -1 }, { east: 11 }, { south: 6 }]) {
        expect(contains(box, { ...box, ...beyond }), JSON.stringify(beyond)).toBe(false);
    }
});
