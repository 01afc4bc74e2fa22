// Where the heads of pins go.
import { describe, expect, it } from 'vitest';
import { PINS_MOST, RADIUS, spreadPins } from '../../src/ask/pins';
import { dice } from '../support/dice';

function headsOf(places: { x: number; y: number }[]) {
    return spreadPins(places).map((lean, i) => ({
        x: places[i].x + (lean?.x ?? 0),
        y: places[i].y + (lean?.y ?? 0),
    }));
}

describe('pins', () => {
    it('stand upright where there is room', () => {
        const leans = spreadPins([{ x: 0, y: 0 }, null, { x: 100, y: 0 }]);
        expect(leans[1]).toBeNull();
        for (const lean of [leans[0], leans[2]]) {
            expect(lean?.x).toBeCloseTo(0, 9);
            expect(lean?.y).toBeLessThan(-RADIUS);
        }
    });

    it('of one and the same place do not cover each other, and the first has the best place', () => {
        const heads = headsOf(new Array(8).fill({ x: 50, y: 50 }));
        expect(heads[0].x).toBeCloseTo(50, 9);
        for (let i = 0; i < heads.length; i++) {
            for (let j = 0; j < i; j++) {
                const apart = Math.hypot(heads[i].x - heads[j].x, heads[i].y - heads[j].y);
                expect(apart).toBeGreaterThanOrEqual(2 * RADIUS - 1);
            }
        }
    });

    it('are for the nearest fifty; other places are dots', () => {
        const leans = spreadPins(Array.from({ length: 400 }, (_, i) => ({ x: 40 * i, y: 0 })));
        expect(leans).toHaveLength(400);
        expect(leans.filter((lean) => lean !== null)).toHaveLength(PINS_MOST);
        expect(leans.indexOf(null)).toBe(PINS_MOST);
    });

    it('lean the same way again, and do so when the map has moved', () => {
        const { unit } = dice(3);
        const places = Array.from({ length: 30 }, () => ({ x: 90 * unit(), y: 90 * unit() }));
        const moved = places.map(({ x, y }) => ({ x: x + 128, y: y - 64 }));
        const leans = spreadPins(places);
        expect(spreadPins(moved)).toEqual(leans);
        expect(spreadPins(places.slice(0, 10))).toEqual(leans.slice(0, 10));
    });
});
