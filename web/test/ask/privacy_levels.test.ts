// Low, medium and high within the operator's bounds; and the question that one click asks.
import { describe, expect, it } from 'vitest';
import type { About } from '../../src/api/types';
import { LEVELS, levelOf, profileOf } from '../../src/ask/privacy_levels';
import { quickCategory, quickRequest, quickWords } from '../../src/ask/quick_question';

const bounds = {
    k: { least: 2, standard: 5, most: 100 },
    l: { least: 1, standard: 3, most: 50 },
    max_hops: { least: 0, standard: 4, most: 10 },
    max_wait_s: { least: 1, standard: 10, most: 60 },
};

describe('a level of privacy', () => {
    it('is the standard in the middle, half and twice of it around', () => {
        expect(LEVELS.map((level) => profileOf(level, bounds))).toEqual([
            { k: 3, l: 2, max_hops: 4, max_wait_s: 10 },
            { k: 5, l: 3, max_hops: 4, max_wait_s: 10 },
            { k: 10, l: 6, max_hops: 6, max_wait_s: 20 },
        ]);
    });

    it('stays within the bounds of the operator', () => {
        const tight = { ...bounds, k: { least: 4, standard: 5, most: 8 } };
        expect(LEVELS.map((level) => profileOf(level, tight).k)).toEqual([4, 5, 8]);
    });

    it('is recognised, and values of one s own are none', () => {
        for (const level of LEVELS) expect(levelOf(profileOf(level, bounds), bounds)).toBe(level);
        expect(levelOf({ ...profileOf('high', bounds), k: 11 }, bounds)).toBeNull();
    });

    it('is medium where the operator leaves no choice', () => {
        const one = (value: number) => ({ least: value, standard: value, most: value });
        const fixed = { k: one(5), l: one(3), max_hops: one(4), max_wait_s: one(10) };
        expect(levelOf(profileOf('high', fixed), fixed)).toBe('medium');
    });
});

describe('the quick question', () => {
    it('is for cafes if the map has some, else for what it has most of', () => {
        const some = [
            { name: 'parking', objects: 90 },
            { name: 'cafe', objects: 3 },
        ];
        expect(quickCategory(some)).toBe('cafe');
        expect(quickCategory([{ name: 'cafe', objects: 0 }, some[0]])).toBe('parking');
        expect(quickCategory([{ name: 'fuel', objects: 2 }, some[0]])).toBe('parking');
        expect(quickCategory([])).toBeNull();
    });

    it('says what it asks', () => {
        const about = { metric: 'time' } as About;
        expect(quickRequest(about, 'cafe')).toEqual({
            type: 'knn',
            metric: 'time',
            k: 1,
            categories: ['cafe'],
        });
        expect(quickWords('fast_food')).toBe('Ask for the nearest fast food here');
        expect(quickWords(null)).toBe('Ask for the nearest place here');
    });
});
