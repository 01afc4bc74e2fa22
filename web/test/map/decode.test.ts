// From the service's page to roads on the plane.
import { describe, expect, it } from 'vitest';
import { loadRoadMap, readRoadMap } from '../../src/map/decode';
import { MapError } from '../../src/map/map_bytes';
import { bytesOf, GLOBE, type MapPage, PLANE } from '../support/maps';

/** Metres per degree of the service's sphere. */
const DEGREE = (6371008.8 * Math.PI) / 180;

function failureOf(page: Uint8Array): Error {
    try {
        readRoadMap(page);
    } catch (error) {
        return error as Error;
    }
    throw new Error('it was read');
}

describe('a map page', () => {
    it('of the globe lies on a plane in metres, its north-west corner at 0, 0', () => {
        const map = readRoadMap(bytesOf(GLOBE));
        expect(map.segmentCount).toBe(2);
        expect(map.nodeCount).toBe(4);
        expect([...map.first]).toEqual([0, 3, 5]);
        expect([...map.ends]).toEqual([0, 2, 2, 3]);
        expect([...map.classes]).toEqual([3, 6]);
        const east = DEGREE * Math.cos((45.001 * Math.PI) / 180);
        expect(map.width).toBeCloseTo(0.003 * east, 6);
        expect(map.height).toBeCloseTo(0.002 * DEGREE, 6);
        expect(map.xs[0]).toBe(0);
        expect(map.ys[0]).toBeCloseTo(0.002 * DEGREE, 3);
        expect(map.xs[4]).toBeCloseTo(0.003 * east, 3);
        expect(map.ys[4]).toBeCloseTo(0, 3);
    });

    it('of a plane is in metres already, however far its origin is', () => {
        const map = readRoadMap(bytesOf(PLANE));
        expect([map.width, map.height]).toEqual([100, 100]);
        expect([...map.xs]).toEqual([0, 100]);
        expect([...map.ys]).toEqual([100, 0]);
    });

    it('is the same as in JSON, number by number', () => {
        const lines = Array.from({ length: 50 }, (_, i) => [i * 7, -i, -3, 4, 0, i]);
        const page: MapPage = {
            ...PLANE,
            nodes: 100,
            unit: 1,
            bounds: [-10, -60, 400, 100],
            segments: lines,
            ends: lines.flatMap((_, i) => [2 * i, 2 * i + 1]),
            classes: lines.map((_, i) => i % 10),
        };
        const map = readRoadMap(bytesOf(page));
        for (const [i, [x, y, dx, dy, ex, ey]] of lines.entries()) {
            expect([...map.xs.subarray(3 * i, 3 * i + 3)]).toEqual(
                [x, x + dx, x + dx + ex].map((east) => east + 10),
            );
            expect([...map.ys.subarray(3 * i, 3 * i + 3)]).toEqual(
                [y, y + dy, y + dy + ey].map((north) => 100 - north),
            );
        }
    });

    it('without coordinates is refused, and says so', () => {
        const page: MapPage = { ...GLOBE, bounds: null, unit: null, segments: null };
        const failure = failureOf(bytesOf(page));
        expect(failure).toBeInstanceOf(MapError);
        expect(failure.message).toMatch(/^The map has no coordinates, /);
    });

    it('without roads is refused', () => {
        const page = { ...GLOBE, bounds: null, segments: [], ends: [], classes: [] };
        expect(failureOf(bytesOf(page)).message).toBe('There are no roads on the map.');
    });
});

describe('loading', () => {
    it('reads the body of a response', async () => {
        const map = await loadRoadMap(new Response(bytesOf(GLOBE)));
        expect(map.segmentCount).toBe(2);
        expect(performance.getEntriesByName('map:decoded')).not.toHaveLength(0);
    });
});
