import { afterEach, describe, expect, it } from 'vitest';
import { useLanguage } from '../../src/text/language';
import { counted, distance, listed, percent, seconds } from '../../src/text/measures';

afterEach(() => useLanguage('en'));

describe('measures', () => {
    it('have as many digits as one reads', () => {
        expect([0.04, 1.284, 9.96, 12.4].map(seconds)).toEqual([
            '0\u00a0s',
            '1.3\u00a0s',
            '10\u00a0s',
            '12\u00a0s',
        ]);
        expect([84.6, 999.4, 999.6, 1234].map((value) => distance(value, 'm'))).toEqual([
            '85\u00a0m',
            '999\u00a0m',
            '1.0\u00a0km',
            '1.2\u00a0km',
        ]);
        expect([0, 0.004, 0.123, 1].map(percent)).toEqual([
            '0\u00a0%',
            '0.4\u00a0%',
            '12\u00a0%',
            '100\u00a0%',
        ]);
        expect([counted(1, 'road'), counted(1200, 'road')]).toEqual(['1 road', '1,200 roads']);
    });

    it('do not call metres what may be anything', () => {
        expect([84.62, 1234, 0.012345].map((value) => distance(value, 'units'))).toEqual([
            '84.6\u00a0units',
            '1230\u00a0units',
            '0.0123\u00a0units',
        ]);
    });

    it('are written as the language of the page has it', () => {
        useLanguage('de');
        expect([percent(0.013), seconds(1.284), distance(1234, 'm')]).toEqual([
            '1,3\u00a0%',
            '1,3\u00a0s',
            '1,2\u00a0km',
        ]);
        expect([counted(1, 'road'), counted(1200, 'road')]).toEqual(['1 Straße', '1.200 Straßen']);
    });

    it('name a few numbers and count the others', () => {
        expect(listed([1, 2, 3])).toBe('1, 2, 3');
        expect(listed(Array.from({ length: 30 }, (_, i) => i))).toMatch(
            /^0, 1, .*, 23 and 6 more$/,
        );
    });
});
