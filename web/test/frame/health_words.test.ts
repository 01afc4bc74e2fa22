// The state of health in words.
import { afterEach, describe, expect, it } from 'vitest';
import { healthSentence, healthSign } from '../../src/frame/health_words';
import type { Ailment, Health } from '../../src/state/health';
import { useLanguage } from '../../src/text/language';

const away: Health = {
    level: 'bad',
    ailment: 'provider-away',
    perSecond: 72.3,
    share: 1,
    answered: 0,
    missing: 0,
    sinceS: 1000,
    isLonger: false,
};

afterEach(() => useLanguage('en'));

describe('the state of health in words', () => {
    it('says who is away, since when, and what that costs', () => {
        expect(healthSign(away)).toBe('Provider away');
        expect(healthSentence(away, 1120)).toBe(
            'Provider away for 2\u00a0min: 72 questions a second fail.',
        );
        expect(healthSentence({ ...away, perSecond: 0.42 }, 1030)).toBe(
            'Provider away for 30\u00a0s: 0.4 questions a second fail.',
        );
        expect(healthSentence({ ...away, perSecond: 0, isLonger: true }, 1300)).toBe(
            'Provider away for more than 5\u00a0min: questions that find company fail.',
        );
    });

    it('says how large a part fails where most are answered', () => {
        const unsteady: Health = { ...away, level: 'warn', share: 0.12 };
        expect(healthSign(unsteady)).toBe('Provider unsteady');
        expect(healthSentence(unsteady, 1045)).toBe(
            'Provider unsteady for 45\u00a0s: 12\u00a0% of the questions fail.',
        );
    });

    it('counts workers and parts', () => {
        const one: Health = { ...away, ailment: 'parts-unserved', missing: 1 };
        expect(healthSentence(one, 1020)).toBe(
            '1 part of the map has had no worker for 20\u00a0s: questions there wait in vain.',
        );
        const two: Health = { ...away, level: 'warn', ailment: 'workers-missing', missing: 2 };
        expect(healthSentence(two, 1020)).toBe(
            '2 workers missing for 20\u00a0s: the others serve their parts.',
        );
    });

    it('has a sign and a sentence for everything, in both languages', () => {
        const ailments: Ailment[] = [
            ...(['provider-away', 'provider-refuses', 'provider-untrue'] as const),
            ...(['parts-unserved', 'overloaded', 'failing'] as const),
            ...(['workers-missing', 'few-answered'] as const),
        ];
        const sentences = ailments.map((ailment) => {
            const health = { ...away, ailment };
            useLanguage('en');
            const english = [healthSign(health), healthSentence(health, 1060)];
            useLanguage('de');
            const german = [healthSign(health), healthSentence(health, 1060)];
            for (const [i, text] of german.entries()) expect(text).not.toBe(english[i]);
            return german[1];
        });
        expect(new Set(sentences).size).toBe(ailments.length);
        expect(sentences[0]).toBe(
            'Anbieter seit 60\u00a0s nicht erreichbar: 72 Anfragen je Sekunde scheitern.',
        );
    });

    it('is Live where nothing is wrong', () => {
        expect(healthSign({ ...away, level: 'good', ailment: null })).toBe('Live');
    });
});
