// Arrows along one-way roads: where they are, and that they point as one may drive.
import { describe, expect, it } from 'vitest';
import { signsOf } from '../../src/frame/signs';
import { readRoadMap } from '../../src/map/decode';
import { type Arrow, arrowAlpha, arrowsAlong, traceArrow } from '../../src/map/one_way';
import { hasOneWayRoads } from '../../src/map/road_map';
import { bytesOf, GLOBE, PLANE } from '../support/maps';

/** One road, 300 m east and then 100 m south. */
function corner(way: number) {
    return {
        first: Uint32Array.of(0, 3),
        xs: Float32Array.of(0, 300, 300),
        ys: Float32Array.of(0, 0, 100),
        directions: Uint8Array.of(way),
    };
}

function arrowsOf(way: number, scale: number): Arrow[] {
    const found: Arrow[] = [];
    expect(arrowsAlong(corner(way), 0, scale, (arrow) => found.push(arrow))).toBe(found.length);
    return found;
}

describe('a one-way road', () => {
    it('has arrows evenly along it that point as one may drive', () => {
        // 400 CSS pixels long: four arrows, in the middles of its quarters.
        expect(arrowsOf(1, 1)).toEqual([
            { x: 50, y: 0, dx: 1, dy: 0 },
            { x: 150, y: 0, dx: 1, dy: 0 },
            { x: 250, y: 0, dx: 1, dy: 0 },
            { x: 300, y: 50, dx: 0, dy: 1 },
        ]);
        expect(arrowsOf(2, 1).map(({ x, y, dx, dy }) => [x, y, dx + 0, dy + 0])).toEqual([
            [50, 0, -1, 0],
            [150, 0, -1, 0],
            [250, 0, -1, 0],
            [300, 50, 0, -1],
        ]);
    });

    it('has more of them as one comes nearer, and one if it is short', () => {
        const counts = [0.05, 0.1, 0.5, 1, 5].map((scale) => arrowsOf(1, scale).length);
        expect(counts).toEqual([0, 1, 2, 4, 18]);
    });

    it('has none if it is open both ways, or not at all', () => {
        expect([0, 3].map((way) => arrowsOf(way, 1))).toEqual([[], []]);
    });

    it('survives points on top of each other', () => {
        const map = { ...corner(1), xs: new Float32Array(3), ys: Float32Array.of(0, 0, 100) };
        const found: Arrow[] = [];
        expect(arrowsAlong(map, 0, 1, (arrow) => found.push(arrow))).toBe(1);
        expect(found).toEqual([{ x: 0, y: 50, dx: 0, dy: 1 }]);
        arrowsAlong({ ...map, ys: new Float32Array(3) }, 0, 1, () => expect.fail());
    });
});

describe('arrows', () => {
    it('come slowly with the zoom', () => {
        const alphas = [0.01, 0.3, 0.45, 0.6, 9].map(arrowAlpha);
        expect(alphas).toEqual([0, 0, expect.closeTo(0.5, 9), 1, 1]);
    });

    it('have their tip ahead', () => {
        const points: [number, number][] = [];
        const note = (x: number, y: number) => void points.push([x, y]);
        traceArrow(
            { moveTo: note, lineTo: note, closePath: () => {} },
            { x: 10, y: 20, dx: 0, dy: 1 },
        );
        const lowest = points.reduce((a, b) => (b[1] > a[1] ? b : a));
        expect(lowest).toEqual([10, 25.5]);
        expect(points).toHaveLength(7);
    });

    it('are among the signs where the map has such roads', () => {
        const [some, none] = [GLOBE, PLANE].map((page) =>
            hasOneWayRoads(readRoadMap(bytesOf(page))),
        );
        expect([some, none]).toEqual([true, false]);
        for (const pane of ['travellers', 'provider'] as const) {
            const drawn = { hasTravellers: true, isAsking: true };
            const texts = (hasOneWay: boolean) =>
                signsOf(pane, { ...drawn, hasOneWay }).map(({ text }) => text());
            expect(texts(true).length).toBe(texts(false).length + 1);
            expect(texts(true).at(-1)).toContain('one-way');
        }
    });
});
