// Positions that people and the service speak of, and places on the plane.
import { describe, expect, it } from 'vitest';
import { readRoadMap } from '../../src/map/decode';
import { stretchFor } from '../../src/map/road_map';
import { bytesOf, GLOBE, PLANE } from '../support/maps';

describe('the plane', () => {
    it('leads from a place to a position and back, on the globe', () => {
        const map = readRoadMap(bytesOf(GLOBE));
        const position = map.toPosition({ x: 100, y: 50 });
        expect(position).toHaveProperty('lon');
        const back = map.fromPosition(position);
        expect(back.x).toBeCloseTo(100, 6);
        expect(back.y).toBeCloseTo(50, 6);
        expect(map.fromPosition({ lon: -0.002, lat: 45.002 })).toEqual({ x: 0, y: 0 });
    });

    it('leads from a place to a position and back, on a planar map', () => {
        const map = readRoadMap(bytesOf(PLANE));
        expect(map.toPosition({ x: 10, y: 20 })).toEqual({ x: 731245.2, y: 3737325 });
        const back = map.fromPosition({ x: 731245.2, y: 3737325 });
        expect(back.x).toBeCloseTo(10, 6);
        expect(back.y).toBeCloseTo(20, 6);
    });

    it('goes on beyond the 180th meridian if roads do, and positions do not', () => {
        const map = readRoadMap(
            bytesOf({
                ...GLOBE,
                bounds: [179.999, 45, 180.001, 45.001],
                segments: [
                    [1_799_990_000, 450_000_000, 10_000, 0, 10_000, 0],
                    [1_800_010_000, 450_000_000, 0, 10_000],
                ],
            }),
        );
        expect(map.width).toBeLessThan(200);
        expect(map.xs[2] - map.xs[0]).toBeCloseTo(map.width, 3);
        const east = map.toPosition({ x: map.width, y: 0 });
        expect(east).toEqual({ lon: expect.closeTo(-179.999, 9), lat: expect.closeTo(45.001, 9) });
        expect(map.fromPosition(east).x).toBeCloseTo(map.width, 6);
        const west = map.toPosition({ x: 0, y: 0 });
        expect(west).toEqual({ lon: expect.closeTo(179.999, 9), lat: expect.closeTo(45.001, 9) });
        expect(map.fromPosition(west).x).toBeCloseTo(0, 6);
        expect(map.fromPosition({ lon: -179.9995, lat: 45 }).x).toBeCloseTo(0.75 * map.width, 3);
    });

    it('is as large as a town if a planar map is in a unit that cannot be a metre', () => {
        expect(stretchFor(141)).toBe(1);
        expect(stretchFor(0)).toBe(1);
        expect(0.002 * stretchFor(0.002)).toBeCloseTo(80, 9);
        // The same road, but of 0.0014 units.
        const map = readRoadMap(
            bytesOf({
                ...PLANE,
                bounds: [7, 3, 7.001, 3.001],
                unit: 1e-6,
                segments: [[7_000_000, 3_000_000, 1000, 1000]],
            }),
        );
        expect(Math.hypot(map.width, map.height)).toBeCloseTo(80, 4);
        expect(map.xs[1]).toBeCloseTo(map.width, 3);
        const back = map.fromPosition(map.toPosition({ x: 10, y: 20 }));
        expect(back.x).toBeCloseTo(10, 6);
        expect(back.y).toBeCloseTo(20, 6);
    });

    it('takes units from the south-west corner to where the roads are', () => {
        for (const page of [GLOBE, PLANE]) {
            const map = readRoadMap(bytesOf(page));
            const [west, south] = page.bounds ?? [0, 0];
            const [x, y] = page.segments?.[0] ?? [];
            const unit = page.unit ?? 1;
            const at = map.fromUnits(x - Math.round(west / unit), y - Math.round(south / unit));
            expect(at.x).toBeCloseTo(map.xs[0], 3);
            expect(at.y).toBeCloseTo(map.ys[0], 3);
        }
    });
});
