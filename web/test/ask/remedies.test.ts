// What would help a question to find company.
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/api/types';
import type { Company, Other } from '../../src/ask/company';
import {
    companyWords,
    remedyTitle,
    remedyWords,
    surroundingWords,
} from '../../src/ask/company_view';
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

/** `reach` others are here for each crossing; `more` come to be there at once for each second of waiting. */
function outlook(reach: number, more: number): Outlook {
    const others = (max_hops: number) => Math.floor(reach * max_hops);
    return {
        company: ({ k, max_hops }) => company(others(max_hops), k),
        atOnce: ({ max_hops, max_wait_s }) => 1 + others(max_hops) + Math.floor(more * max_wait_s),
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

    it('is a smaller k where nothing else is enough, and what is not enough is not offered', () => {
        // Two others are here, and six crossings would bring three, eight four; none come.
        const remedies = helpful({ ...profile, k: 25 }, bounds, outlook(0.5, 0));
        expect(remedies).toEqual([{ part: 'k', profile: { ...profile, k: 3 }, atOnce: 3 }]);
    });

    it('is the first step that is enough, with the number of those who are there at once', () => {
        const [first] = helpful(profile, bounds, outlook(0.5, 0.1));
        expect(first).toEqual({
            part: 'max_wait_s',
            profile: { ...profile, max_wait_s: 20 },
            atOnce: 5,
        });
        const parts = helpful(profile, bounds, outlook(0.5, 0)).map(({ part }) => part);
        expect(parts).toEqual(['max_hops', 'k']);
    });

    it('is a k that is enough by itself: those who want more company may be left out', () => {
        const shy: Outlook = {
            company: ({ k }) => company(0, k),
            // Six for who wants ten, but only three for who wants less.
            atOnce: ({ k }) => (k > 6 ? 6 : 3),
        };
        expect(helpful({ ...profile, k: 10 }, bounds, shy)).toEqual([
            { part: 'k', profile: { ...profile, k: 3 }, atOnce: 3 },
        ]);
    });

    it('is nothing where two are never there', () => {
        expect(helpful(profile, bounds, outlook(0, 0))).toEqual([]);
    });

    it('where no cloak is possible, offers roads or reach', () => {
        const few: Outlook = {
            company: ({ k, l, max_hops }) => company(0, k, l <= 2 || max_hops > 5),
            atOnce: () => 1,
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

    it('say how many are likely to be there at once, and who does not fit', () => {
        const around = { profile, near: 6, atOnce: 3, isHopeless: false };
        expect(surroundingWords(company(2, 5), around)).toBe(
            'Within 10\u00a0s only about 3 who fit are here at once: likely too few. ' +
                'Others leave with cloaks of their own. 4 more wait within your reach but do not fit.',
        );
        expect(surroundingWords(company(2, 5), { ...around, near: 0, atOnce: 7 })).toBe(
            'Within 10\u00a0s about 7 who fit are here at once: likely enough.',
        );
        expect(surroundingWords(company(0, 5), { ...around, atOnce: 1, isHopeless: true })).toMatch(
            /^Within 10\u00a0s hardly anybody who fits is here\. .*: choose a busier place\./,
        );
        expect(surroundingWords(company(4, 5), around)).toBe('');
    });

    it('say that a smaller number is what helps, where nothing else does', () => {
        const smaller = { part: 'k', profile, atOnce: 5 } as const;
        const longer = { part: 'max_wait_s', profile, atOnce: 5 } as const;
        expect(remedyTitle([smaller])).toMatch(/smaller number/);
        expect(remedyTitle([longer, smaller])).toBe('What would help:');
    });

    it('say what a button does', () => {
        const longer = { ...profile, max_wait_s: 20 };
        expect(remedyWords({ part: 'max_wait_s', profile: longer, atOnce: 7 })).toBe(
            'Wait up to 20\u00a0s: likely enough, about 7 at once',
        );
        expect(remedyWords({ part: 'k', profile: { ...profile, k: 3 }, atOnce: null })).toBe(
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
