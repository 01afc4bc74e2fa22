// The page's own dice for stars: the engine's rules for selecting one.
import { describe, expect, it } from 'vitest';
import { DRAWS, StarDraws } from '../../src/ask/star_draws';
import { Stars } from '../../src/map/ball';
import { dice } from '../support/dice';

// Two crossings, 0 and 1, with the road 0 between them; 0 has roads 1 and 2, 1 has roads 3 and 4.
const stars = new Stars({
    nodeCount: 6,
    segmentCount: 5,
    ends: Uint32Array.from([0, 1, 0, 2, 0, 3, 1, 4, 1, 5]),
});

const asker = (query: number, segment: number, k = 5) => ({
    ...{ query, who: query, segment, k, l: 3, max_hops: 2 },
});

const all = (star: number) => Array.from({ length: DRAWS }, () => star);

describe('the star of a query', () => {
    it('is the only one of its road', () => {
        const draws = new StarDraws(stars);
        expect(draws.starsFor(asker(1, 2))).toEqual(all(0));
        expect(draws.starsFor(asker(1, 3))).toEqual(all(1));
    });

    it('is each end in half of the draws where nobody waits', () => {
        for (const chance of [0.1, 0.9]) {
            const draws = new StarDraws(stars, () => chance);
            const ends = draws.starsFor(asker(1, 0));
            expect(ends.filter((star) => star === 0)).toHaveLength(DRAWS / 2);
            expect(ends.filter((star) => star === 1)).toHaveLength(DRAWS / 2);
        }
    });

    it('is not drawn alike in any two draws for long', () => {
        const { unit } = dice(3);
        const draws = new StarDraws(stars, unit);
        const seen = Array.from({ length: 40 }, () => draws.starsFor(asker(1, 0)));
        const byDraw = Array.from({ length: DRAWS }, (_, draw) => seen.map((each) => each[draw]));
        expect(new Set(byDraw.map(String)).size).toBe(DRAWS);
    });

    it('is the one where somebody waits, until nobody does', () => {
        const draws = new StarDraws(stars);
        const there = asker(1, 3);
        draws.asked(there);
        expect(draws.starsFor(asker(2, 0))).toEqual(all(1));
        draws.ended(there);
        expect(new Set(draws.starsFor(asker(2, 0))).size).toBe(2);
    });

    it('is the one that its road is assigned to where somebody waits at both', () => {
        const draws = new StarDraws(stars);
        draws.asked(asker(1, 3));
        draws.asked(asker(2, 0));
        draws.asked(asker(3, 1));
        expect(draws.starsFor(asker(4, 0))).toEqual(all(1));
    });

    it('is another one where those at the assigned one ask for much more company', () => {
        const draws = new StarDraws(stars);
        draws.asked(asker(1, 3, 20));
        draws.asked(asker(2, 0, 20));
        draws.asked(asker(3, 1));
        draws.asked(asker(4, 0));
        // From now on the road is assigned to the other one, for everybody.
        draws.asked(asker(5, 1, 20));
        expect(draws.starsFor(asker(6, 0, 20))).toEqual(all(0));
    });

    it('does not depend on those who ask for much more company', () => {
        const draws = new StarDraws(stars);
        draws.asked(asker(1, 3, 11));
        expect(new Set(draws.starsFor(asker(2, 0, 5))).size).toBe(2);
        expect(draws.starsFor(asker(2, 0, 6))).toEqual(all(1));
    });

    it('stays what it was, until it is forgotten', () => {
        const draws = new StarDraws(stars, () => 0.1);
        const first = asker(1, 0);
        draws.asked(first);
        const before = all(0).map((_, draw) => draws.starOf(1, draw));
        draws.ended(first);
        draws.asked(asker(2, 3));
        expect(all(0).map((_, draw) => draws.starOf(1, draw))).toEqual(before);
        draws.forget(1);
        expect(draws.starOf(1, 0)).toBeUndefined();
    });
});
