// Sliders, and roads that the page chooses.
import { describe, expect, it } from 'vitest';
import { chooseSegment, countWithin } from '../../src/ask/choose';
import { clamp, sliderBounds } from '../../src/charts/scale';
import { dice } from '../support/dice';

describe('a slider', () => {
    it('ends where it is of use, and within the bounds of the operator', () => {
        const bounds = { least: 2, standard: 5, most: 1000 };
        expect(sliderBounds(bounds, 20)).toEqual({ least: 2, standard: 5, most: 20 });
        expect(sliderBounds({ ...bounds, most: 8 }, 20).most).toBe(8);
        expect(sliderBounds({ ...bounds, standard: 40 }, 20).most).toBe(80);
        expect(sliderBounds({ least: 30, standard: 30, most: 30 }, 20).most).toBe(30);
    });

    it('takes what was typed into the bounds, and the standard for what is no number', () => {
        const bounds = { least: 2, standard: 5, most: 10 };
        expect([1, 2, 7, 11, Number.NaN].map((value) => clamp(value, bounds))).toEqual([
            2, 2, 7, 10, 5,
        ]);
    });
});

describe('a road chosen for somebody', () => {
    // Road 7 has company, the others have none.
    const company = (segment: number) => (segment === 7 ? 3 : 1);

    it('is any at all where nobody is known to wait', () => {
        const random = dice(1);
        const chosen = new Set<number>();
        for (let i = 0; i < 200; i++) chosen.add(chooseSegment(4, [], random.unit, company));
        expect([...chosen].sort()).toEqual([0, 1, 2, 3]);
    });

    it('is where the most company fits, among those that were looked at', () => {
        expect(chooseSegment(100, [1, 2, 6, 7, 8], dice(3).unit, company)).toBe(7);
    });

    it('counts everybody who waits in reach, and nobody else', () => {
        expect(countWithin([6, 6, 8, 9], Uint32Array.from([6, 7, 8]))).toBe(3);
    });
});
