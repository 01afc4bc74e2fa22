import { expect, test } from 'vitest';
import { busiest, busiestRoads, countIn, neighbourhoodSide } from '../../src/map/busiest';
import { readRoadMap } from '../../src/map/decode';
import { bytesOf, GLOBE } from '../support/maps';

const MAP = { width: 10_000, height: 6_000 };

test('the square with the most points is found, and those off the road do not count', () => {
    const points = [
        500,
        500,
        4100,
        3100,
        4200,
        3200,
        4900,
        3900,
        Number.NaN,
        Number.NaN,
        9000,
        100,
    ];
    const found = busiest(points, MAP, 1000);
    expect(found?.count).toBe(3);
    expect(found?.box).toEqual({ west: 4000, north: 3000, east: 5000, south: 4000 });
    expect(found && countIn(points, found.box)).toBe(3);
});

test('a group across the border of two cells is found as a whole', () => {
    const points = [980, 990, 1020, 1010, 990, 1020, 1010, 980];
    expect(busiest(points, MAP, 1000)?.count).toBe(4);
});

test('without points there is no such square', () => {
    expect(busiest([], MAP, 1000)).toBeNull();
    expect(busiest([Number.NaN, Number.NaN, -5, 3, 1e9, 2], MAP, 1000)).toBeNull();
});

test('a long thin map takes no more memory than another', () => {
    const found = busiest([1, 1], { width: 1e9, height: 10 }, 400);
    expect(found?.count).toBe(1);
});

test('a neighbourhood is wide enough for some roads, and a small map is seen whole', () => {
    expect(neighbourhoodSide({ ...MAP, segmentCount: 15_000 })).toBeCloseTo(695.7, 1);
    expect(neighbourhoodSide({ ...MAP, segmentCount: 1e7 })).toBe(400);
    expect(neighbourhoodSide({ ...MAP, segmentCount: 100 })).toBeNull();
    expect(busiestRoads(readRoadMap(bytesOf(GLOBE)))).toBeNull();
});
