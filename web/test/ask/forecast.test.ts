// How many are there at once while a question waits, by what there was.
import { describe, expect, it } from 'vitest';
import { CompanyFinder } from '../../src/ask/company';
import { atOnceByPiece, expectedAtOnce, type Stay } from '../../src/ask/forecast';
import { Stars } from '../../src/map/ball';
import { dice } from '../support/dice';

// A crossing with four roads.
const stars = new Stars({
    nodeCount: 5,
    segmentCount: 4,
    ends: Uint32Array.from([0, 1, 0, 2, 0, 3, 0, 4]),
});
const wish = { k: 5, l: 3, max_hops: 1 };

function stay(number: number, from: number, to: number, k = 2): Stay {
    return { query: { query: number, who: number, segment: 1, ...wish, k }, from, to };
}

function pieces(stays: Stay[], to: number, k = 5): number[] {
    const finder = new CompanyFinder(stars, { segment: 0, ...wish, k }, 'either');
    return atOnceByPiece(finder, stays, 0, to);
}

describe('who was there at once', () => {
    it('is counted at the best moment of each half second', () => {
        const stays = [stay(1, 100, 400), stay(2, 300, 900), stay(3, 700, Infinity)];
        expect(pieces(stays, 2000)).toEqual([3, 3, 2, 2]);
    });

    it('is counted as the slow way does', () => {
        const { unit, below } = dice(5);
        const stays = Array.from({ length: 60 }, (_, i) => {
            const from = unit() * 5000;
            return stay(i, from, from + 2000 * unit(), 2 + below(4));
        }).sort((a, b) => a.from - b.from);
        const finder = new CompanyFinder(stars, { segment: 0, ...wish }, 'either');
        const slow = Array.from({ length: 10 }, (_, i) => {
            const moments = Array.from({ length: 501 }, (_, ms) => 500 * i + ms);
            const sizes = moments.map((at) =>
                finder.sizeAmong(
                    stays.filter(({ from, to }) => from <= at && to > at).map(({ query }) => query),
                ),
            );
            return Math.max(...sizes);
        });
        const fast = pieces(stays, 5000);
        // Not all moments are looked at: it never says more, and hardly less.
        fast.forEach((size, i) => {
            expect(size).toBeLessThanOrEqual(slow[i]);
        });
        expect(slow.reduce((a, b) => a + b) - fast.reduce((a, b) => a + b)).toBeLessThan(5);
    });

    it('is less than k where somebody wants more company than there is', () => {
        expect(pieces([stay(1, 0, 900, 40), stay(2, 0, 900)], 500, 3)).toEqual([2]);
    });
});

describe('what may be expected', () => {
    it('is what four of five stretches of that length had', () => {
        // A moment of many in ten seconds: within one second it is hardly met, within five it always is.
        const rare = Array.from({ length: 20 }, (_, i) => (i === 10 ? 9 : 2));
        expect(expectedAtOnce([rare], 1)).toBe(2);
        expect(expectedAtOnce([rare], 5)).toBe(9);
    });

    it('is not more for a wait that is longer than what was seen', () => {
        const late = Array.from({ length: 20 }, (_, i) => (i === 19 ? 9 : 2));
        expect(expectedAtOnce([late], 600)).toBe(2);
    });

    it('is what four of five had in all draws of stars', () => {
        const [many, few] = [9, 2].map((size) => Array.from({ length: 20 }, () => size));
        expect(expectedAtOnce([many, many, many, few], 2)).toBe(2);
        expect(expectedAtOnce([many, many, many, many, few], 2)).toBe(9);
    });

    it('is none where nothing was seen', () => {
        expect(expectedAtOnce([[]], 4)).toBe(1);
    });
});
