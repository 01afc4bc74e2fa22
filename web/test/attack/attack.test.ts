// Whom an adversary suspects, what it is asked, and what its belief is called.
import { describe, expect, it } from 'vitest';
import { entropyInWords, rowsOf, sorted, truthOf } from '../../src/attack/belief';
import { heatScale, heatStep } from '../../src/attack/heat';
import {
    attackOnCloak,
    attackOnMethod,
    type Clues,
    NEIGHBOURS_MOST,
    nearestFirst,
    suspectsOf,
} from '../../src/attack/suspects';
import { comparedWith } from '../../src/engine/method_names';
import { dice } from '../support/dice';

const standard = { k: 5, l: 3, max_hops: 4 };
const traveller = { query: 7, who: 17, segment: 4, k: 6, l: 2, max_hops: 3, max_wait_s: 9 };
const own = { segment: 9, k: 2, l: 1, max_hops: 5 };
const clues: Clues = { segments: [3, 4, 9], travellers: [], own: undefined, assumed: 4, standard };

describe('suspects', () => {
    it('are the travellers of the demo, with oneself first', () => {
        const suspects = suspectsOf({ ...clues, travellers: [traveller], own }, dice(1).unit);
        expect(suspects).toEqual([
            {
                name: 'you',
                segment: 9,
                needs: { k: 2, l: 1, max_hops: 5 },
                isYou: true,
                isAssumed: false,
            },
            {
                name: 'traveller 17',
                segment: 4,
                needs: { k: 6, l: 2, max_hops: 3 },
                isYou: false,
                isAssumed: false,
            },
        ]);
    });

    it('are assumed on the roads of the cloak where nobody is known', () => {
        const suspects = suspectsOf(clues, dice(1).unit);
        expect(suspects).toHaveLength(4);
        for (const { segment, needs, isAssumed } of suspects) {
            expect(clues.segments).toContain(segment);
            expect(needs).toEqual(standard);
            expect(isAssumed).toBe(true);
        }
    });

    it('are as many as assumed, oneself included', () => {
        const suspects = suspectsOf({ ...clues, own }, dice(1).unit);
        expect(suspects.map(({ isAssumed }) => isAssumed)).toEqual([false, true, true, true]);
    });

    it('are no more than the service takes', () => {
        const many = Array.from({ length: 80 }, (_, who) => ({ ...traveller, who }));
        expect(suspectsOf({ ...clues, travellers: many }, dice(1).unit)).toHaveLength(64);
    });
});

describe('what an adversary is asked', () => {
    const suspects = suspectsOf({ ...clues, travellers: [traveller], own }, dice(1).unit);

    it('of a cloak says where its roads are, and of its members only what they need', () => {
        expect(attackOnCloak('hybrid', [9, 3, 4], suspects)).toEqual({
            method: 'hybrid',
            segments: [3, 4, 9],
            members: [own, traveller].map(({ k, l, max_hops }) => ({ k, l, max_hops })),
        });
    });

    it('of a method is about another one than made the cloak', () => {
        expect(['basic', 'patient', 'xstar', 'expansion'].map(comparedWith)).toEqual([
            'expansion',
            'expansion',
            'expansion',
            'basic',
        ]);
    });

    it('of a method has the victim come first', () => {
        expect(attackOnMethod('expansion', suspects, suspects[1])).toEqual({
            method: 'expansion',
            queries: [
                { segment: 4, k: 6, l: 2, max_hops: 3 },
                { segment: 9, k: 2, l: 1, max_hops: 5 },
            ],
        });
    });

    it('of a method has those who waited nearest as further company, and not too many', () => {
        const asked = (query: number, segment: number) => ({ ...traveller, query, segment });
        const waiting = Array.from({ length: 100 }, (_, i) => asked(100 + i, 99 - i));
        const near = nearestFirst([...waiting, traveller], [traveller], 4, (segment) => ({
            x: 10 * segment,
            y: 0,
        }));
        expect(near.slice(0, 3).map(({ segment }) => segment)).toEqual([4, 5, 3]);
        expect(near).toHaveLength(100);
        const attack = attackOnMethod('expansion', suspects, suspects[1], near);
        if (!('queries' in attack)) throw new Error('of the other kind');
        expect(attack.queries).toHaveLength(2 + NEIGHBOURS_MOST);
        expect(attack.queries[2]).toEqual({ segment: 4, k: 6, l: 2, max_hops: 3 });
    });
});

const belief = {
    method: 'expansion',
    found: true as const,
    segments: [3, 4, 9, 12],
    members: 5,
    linkability: [0.1, 0.6, 0.3, 0],
    error: [0.01, 0.02, 0.01, 0],
    entropy: 1.3,
    normalised_entropy: 0.65,
    effective: 2.46,
    ruled_out: 1,
    replays: 4096,
    unexplained: false,
};

describe('a belief', () => {
    it('tells how near the truth it is', () => {
        expect(truthOf(belief, 9)).toEqual({ linkability: 0.3, rank: 2 });
        expect(truthOf(belief, 4)).toEqual({ linkability: 0.6, rank: 1 });
        expect(truthOf(belief, 5)).toBeNull();
    });

    it('is sorted by any column, and equal rows stay in the order of roads', () => {
        const rows = rowsOf(belief);
        expect(sorted(rows, 'linkability', true).map(({ segment }) => segment)).toEqual([
            4, 9, 3, 12,
        ]);
        expect(sorted(rows, 'error', false).map(({ segment }) => segment)).toEqual([12, 3, 9, 4]);
        expect(rows.map(({ segment }) => segment)).toEqual([3, 4, 9, 12]);
    });

    it('has a word for every entropy, ever graver', () => {
        const words = [1, 0.95, 0.8, 0.5, 0].map(entropyInWords);
        expect(new Set(words).size).toBe(5);
        expect(words[0]).toBe('It tells next to nothing.');
        expect(words[4]).toBe('It all but gives them away.');
    });
});

describe('the colours of a belief', () => {
    it('go from the palest for nothing to the darkest for the most', () => {
        expect([0, 0.1, 0.3, 0.6, 0.7].map((value) => heatStep(value, 0.6))).toEqual([
            0, 1, 3, 5, 5,
        ]);
        expect(heatStep(0.5, 0)).toBe(0);
    });

    it('have one scale for both sides, which holds the strongest suspicion of all', () => {
        expect(heatScale([0.1, 0.2], [0.31])).toBeCloseTo(0.35);
        expect(heatScale([0.45], [])).toBeCloseTo(0.45);
        expect(heatScale([1])).toBe(1);
    });

    it('are pale where nobody is suspected more than others', () => {
        const most = heatScale(new Array<number>(12).fill(1 / 12));
        expect(heatStep(1 / 12, most)).toBeLessThan(2);
    });
});
