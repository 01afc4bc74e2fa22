// Numbers, requests and categories as people read them.
import { afterEach, describe, expect, it } from 'vitest';
import { useLanguage } from '../../src/text/language';
import { capital, categoryWords, lengthUnit, requestWords, sentence } from '../../src/text/words';

afterEach(() => useLanguage('en'));

describe('a request', () => {
    it('is told with its categories as people write them', () => {
        const request = { type: 'knn' as const, k: 5, categories: ['car_repair', 'cafe'] };
        expect(requestWords(request, 'm')).toBe('5 nearest: car repair, cafe');
        expect(requestWords({ type: 'knn', k: 1 }, 'm')).toBe('1 nearest: anything');
    });

    it('counts its radius in what the map is counted in', () => {
        expect(requestWords({ type: 'range', radius_s: 300 }, 'm')).toBe('within 300 s: anything');
        expect(requestWords({ type: 'knn', metric: 'time', k: 2 }, 'm')).toBe(
            '2 nearest by time: anything',
        );
        const request = { type: 'range' as const, radius_m: 1500 };
        expect(requestWords(request, lengthUnit({ isGeographic: true }))).toBe(
            'within 1,500 m: anything',
        );
        expect(
            requestWords({ ...request, radius_m: 0.05 }, lengthUnit({ isGeographic: false })),
        ).toBe('within 0.05 units: anything');
    });
});

describe('a category', () => {
    it('becomes a title where a place has no name', () => {
        expect(capital(categoryWords('place_of_worship'))).toBe('Place of worship');
        expect(capital('')).toBe('');
    });

    it('has a German name if it is a common one, else that of the map', () => {
        useLanguage('de');
        expect([categoryWords('car_repair'), categoryWords('ice_rink')]).toEqual([
            'Autowerkstatt',
            'ice rink',
        ]);
    });
});

describe('a sentence', () => {
    it('begins with a capital letter and ends once', () => {
        expect(['ask at night', 'Done.', 'Why?'].map(sentence)).toEqual([
            'Ask at night.',
            'Done.',
            'Why?',
        ]);
    });
});
