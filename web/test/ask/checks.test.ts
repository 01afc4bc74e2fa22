// The promises, each kept and each broken.
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/ask/checks';
import { checkPromises, isWithin } from '../../src/ask/checks';

const asked = {
    segment: 4,
    profile: { k: 5, l: 3, max_hops: 2, max_wait_s: 10 },
    reach: Uint32Array.from([1, 3, 4, 5, 9]),
};

function outcome(users: number, segments: number, wait_s: number) {
    return {
        outcome: 'answered' as const,
        wait_s,
        cloak: { id: '9f86d081884c7d65', users, segments },
        metric: 'time' as const,
        objects: [],
    };
}

function verdicts(checks: Check[]) {
    return Object.fromEntries(checks.map(({ id, held }) => [id, held]));
}

const kept = { 'own-segment': true, k: true, l: true, reach: true, time: true };

describe('the promises of a cloak', () => {
    it('are all kept by one that is just large enough, just in time', () => {
        expect(verdicts(checkPromises(asked, outcome(5, 3, 10), [3, 4, 9]))).toEqual(kept);
    });

    it('are broken one at a time', () => {
        const roads = [3, 4, 9];
        expect(verdicts(checkPromises(asked, outcome(5, 3, 1), [1, 3, 9]))).toEqual({
            ...kept,
            'own-segment': false,
        });
        expect(verdicts(checkPromises(asked, outcome(4, 3, 1), roads))).toEqual({
            ...kept,
            k: false,
        });
        expect(verdicts(checkPromises(asked, outcome(5, 2, 1), roads))).toEqual({
            ...kept,
            l: false,
        });
        expect(verdicts(checkPromises(asked, outcome(5, 4, 1), [3, 4, 8, 9]))).toEqual({
            ...kept,
            reach: false,
        });
        expect(verdicts(checkPromises(asked, outcome(5, 3, 10.1), roads))).toEqual({
            ...kept,
            time: false,
        });
    });

    it('are not believed: roads that left are counted, each once', () => {
        expect(verdicts(checkPromises(asked, outcome(5, 3, 1), [4, 9]))).toEqual({
            ...kept,
            l: false,
        });
        expect(verdicts(checkPromises(asked, outcome(5, 3, 1), [4, 9, 9]))).toEqual({
            ...kept,
            l: false,
        });
    });

    it('are said to be unknown where the cloak was not seen', () => {
        expect(verdicts(checkPromises(asked, outcome(5, 3, 1), null))).toEqual({
            ...kept,
            'own-segment': null,
            reach: null,
        });
    });

    it('come with numbers', () => {
        const texts = checkPromises(asked, outcome(6, 14, 1.284), [4]).map(({ text }) => text);
        expect(texts).toContain('6 travellers, at least 5');
        expect(texts).toContain('After 1.3\u00a0s, at most 10\u00a0s');
    });
});

describe('being within', () => {
    it('holds for nothing at all, and not for a road outside', () => {
        expect(isWithin([], asked.reach)).toBe(true);
        expect(isWithin([1, 9], asked.reach)).toBe(true);
        expect(isWithin([1, 2], asked.reach)).toBe(false);
    });
});
