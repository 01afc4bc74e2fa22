// What would help a question to find company.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/api/types';
import type { Company, Other } from '../../src/ask/company';
import { companyWords, remedyWords, surroundingWords } from '../../src/ask/company_view';
import { advised, easier, helpful, type Outlook, partsIn } from '../../src/ask/remedies';
import { useLanguage } from '../../src/text/language';

const bounds = {
    k: { least: 2, standard: 5, most: 100 },
    l: { least: 1, standard: 3, most: 50 },
    max_hops: { least: 0, standard: 4, most: 10 },
    max_wait_s: { least: 1, standard: 10, most: 60 },
};
const profile: Profile = { k: 5, l: 3, max_hops: 4, max_wait_s: 10 };
/** As src/service/api/drop_advice.c has it. */
const EXPIRED =
    'too few other users were near in time: allow a longer max_wait_s or more max_hops, or ask for a smaller k';
const INFEASIBLE =
    'no cloak within max_hops has l segments: ask for a smaller l, or allow more max_hops';
const LINKED =
    'enough segments are in reach, but they do not hide this one: too few of them can have been reached since the last cloak; ask again later (in 212 s at the latest), or ask for a smaller l';

function company(others: number, needed: number, isFeasible = true): Company {
    const group = Array.from(
        { length: others },
        (_, i): Other => ({
            query: i,
            who: i,
            segment: i,
            k: 2,
            l: 1,
            max_hops: 4,
        }),
    );
    const missing = Math.max(0, needed - 1 - others);
    return { isFeasible, fitting: group, group, needed, missing };
}

/** `reach` others wait for each crossing, `rate` come in each second. */
function outlook(reach: number, rate: number): Outlook {
    return {
        company: ({ k, max_hops }) => company(Math.floor(reach * max_hops), k),
        gathered: ({ max_wait_s }) => rate * max_wait_s,
    };
}

describe('the advice of a drop', () => {
    it('names parts of the profile, in the order of their use', () => {
        expect(partsIn(EXPIRED)).toEqual(['max_wait_s', 'max_hops', 'k']);
        expect(partsIn(INFEASIBLE)).toEqual(['max_hops', 'l']);
        expect(partsIn('ask in another form, or later')).toEqual([]);
        expect(partsIn(LINKED)).toEqual(['l']);
    });

    it('becomes changes within the bounds of the operator', () => {
        expect(advised(EXPIRED, profile, bounds).map(({ profile }) => profile)).toEqual([
            { ...profile, max_wait_s: 20 },
            { ...profile, max_hops: 6 },
            { ...profile, k: 3 },
        ]);
        const tight = { ...profile, max_wait_s: 60, max_hops: 9, k: 2 };
        expect(advised(EXPIRED, tight, bounds).map(({ profile }) => profile)).toEqual([
            { ...tight, max_hops: 10 },
        ]);
    });
});

describe('a step that is easier to meet', () => {
    it('is none where the bounds end', () => {
        expect(easier('k', { ...profile, k: 2 }, bounds)).toBeNull();
        expect(easier('max_hops', { ...profile, max_hops: 10 }, bounds)).toBeNull();
        expect(easier('l', profile, bounds)?.l).toBe(2);
    });
});

describe('what helps where it is known who waits', () => {
    it('is nothing if there are enough', () => {
        expect(helpful(profile, bounds, outlook(1, 0))).toEqual([]);
    });

    it('is what would bring enough, before what would not', () => {
        // Two others are here; six crossings would bring three, which is one too few; nobody comes.
        const remedies = helpful(profile, bounds, outlook(0.5, 0));
        expect(remedies.map(({ part, suffices }) => [part, suffices])).toEqual([
            ['k', true],
            ['max_wait_s', false],
            ['max_hops', false],
        ]);
        expect(remedies[0].profile.k).toBe(3);
    });

    it('counts those who will come', () => {
        const [first] = helpful(profile, bounds, outlook(0.5, 0.1));
        expect([first.part, first.suffices]).toEqual(['max_wait_s', true]);
    });

    it('does not offer a reach that brings nobody', () => {
        const parts = helpful(profile, bounds, outlook(0, 0.2)).map(({ part }) => part);
        expect(parts).not.toContain('max_hops');
    });

    it('where no cloak is possible, offers roads or reach', () => {
        const few: Outlook = {
            company: ({ k, l, max_hops }) => company(0, k, l <= 2 || max_hops > 5),
            gathered: () => 0,
        };
        const parts = helpful(profile, bounds, few).map(({ part }) => part);
        expect(parts).toEqual(['max_hops', 'l']);
    });
});

describe('the words for it', () => {
    it('say who is here and who is missing', () => {
        expect(companyWords(company(2, 5), profile)).toBe(
            '3 of 5 who fit are here, you included; 2 more are needed.',
        );
        expect(companyWords(company(3, 5), profile)).toMatch(/1 more is needed\.$/);
        expect(companyWords(company(4, 5), profile)).toBe(
            '5 who fit are here, you included: enough for a cloak.',
        );
        expect(companyWords(company(0, 5, false), profile)).toContain('fewer than 3 roads');
    });

    it('say what may be expected, and who does not fit', () => {
        const around = { profile, near: 6, expected: 2.6 };
        expect(surroundingWords(company(2, 5), around)).toBe(
            'About 3 who fit ask here within 10\u00a0s. 4 more wait within your reach but do not fit.',
        );
        expect(surroundingWords(company(4, 5), around)).toBe('');
    });

    it('say what a button does', () => {
        const longer = { ...profile, max_wait_s: 20 };
        expect(remedyWords({ part: 'max_wait_s', profile: longer, suffices: true })).toBe(
            'Wait up to 20\u00a0s: likely enough',
        );
        expect(remedyWords({ part: 'k', profile: { ...profile, k: 3 }, suffices: null })).toBe(
            'Hide among 3 travellers',
        );
    });

    it('are there in German', () => {
        useLanguage('de');
        expect(companyWords(company(2, 5), profile)).toBe(
            '3 von 5, die zusammenpassen, sind da, Sie mitgezählt; 2 fehlen noch.',
        );
        useLanguage('en');
    });
});
