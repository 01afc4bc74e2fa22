// The sentence on two attacks, and the rows that stand below it: they must say the same, whatever is believed.
import { afterEach, describe, expect, it } from 'vitest';
import {
    chanceOf,
    compared,
    type Found,
    type Truth,
    truthInWords,
    verdict,
} from '../../src/attack/belief';
import { useLanguage } from '../../src/text/language';
import { percent } from '../../src/text/measures';
import { dice } from '../support/dice';

const names = { ours: 'StarCloak', theirs: 'Network expansion' };

/** An attack whose belief is `shares`, of roads 0, 1, 2, ... */
function believing(shares: readonly number[], error = 0): Found {
    return {
        method: 'basic',
        found: true,
        segments: shares.map((_, i) => i),
        members: 5,
        linkability: [...shares],
        error: shares.map(() => error),
        entropy: 1,
        normalised_entropy: 0.5,
        effective: 2,
        ruled_out: 0,
        replays: 4096,
        unexplained: false,
    };
}

afterEach(() => useLanguage('en'));

describe('the verdict on two cloaks', () => {
    const truth: Truth = { segment: 0, road: 'your road' };

    it('leads with the chance that the adversary picks the true road, and tells the size of both', () => {
        const ours = believing([0.013, 0.5, 0.487]);
        const theirs = believing([0.13, 0.87]);
        expect(verdict(ours, theirs, names, truth)).toBe(
            'Done. StarCloak hides your road better: the adversary picks it with a chance of 1.3\u00a0%, against 13\u00a0% with Network expansion. The provider must answer for 3 roads with StarCloak, for 2 roads with Network expansion.',
        );
    });

    it('does not call better what has the higher entropy alone', () => {
        // Our cloak is spread evenly over four roads; theirs is uneven, and much larger.
        const ours = { ...believing([0.25, 0.25, 0.25, 0.25]), normalised_entropy: 1 };
        const theirs = {
            ...believing([0.01, ...new Array<number>(98).fill(0.005), 0.5]),
            normalised_entropy: 0.7,
        };
        expect(verdict(ours, theirs, names, truth)).toContain(
            'Network expansion hides your road better: the adversary picks it with a chance of 1\u00a0%, against 25\u00a0% with StarCloak.',
        );
    });

    it('calls the likeliest road by its name where the truth is not known', () => {
        const words = verdict(believing([0.2, 0.8]), believing([0.4, 0.6]), names, null);
        expect(words).toContain('Network expansion leaves the adversary less sure');
        expect(words).toContain(
            'its likeliest road has a share of 60\u00a0%, against 80\u00a0% with StarCloak',
        );
        expect(words).not.toContain('your road');
    });

    it('does not make much of a difference that may be chance', () => {
        const words = verdict(believing([0.1, 0.9], 0.02), believing([0.12, 0.88]), names, truth);
        expect(words).toContain(
            'with about the same chance either way: 10\u00a0% with StarCloak, 12\u00a0% with Network expansion',
        );
    });

    it('calls the same what is shown alike', () => {
        const words = verdict(believing([0.1301, 0.87]), believing([0.1299, 0.87]), names, truth);
        expect(words).toContain(
            'Either way the adversary picks your road with a chance of 13\u00a0%.',
        );
        expect(words).toContain('Either way the provider must answer for 2 roads.');
    });

    it('tells if there is no other cloak', () => {
        const none = { method: 'expansion', found: false as const };
        expect(verdict(believing([0.2, 0.8]), none, names, truth)).toBe(
            'Done. StarCloak: the adversary picks your road with a chance of 20\u00a0%. Network expansion finds no cloak for this query: the traveller would have gone without an answer.',
        );
    });
});

/** A belief at random: of few roads or many, even or with one road that has most of it. */
function randomBelief(random: ReturnType<typeof dice>): Found {
    const roads = 1 + random.below(random.below(2) ? 8 : 120);
    const peak = random.below(3) === 0 ? 20 : 1;
    const weights = Array.from({ length: roads }, () =>
        random.below(5) === 0 ? 0 : random.unit() ** 2,
    );
    weights[random.below(roads)] += peak * random.unit() + 1e-6;
    const sum = weights.reduce((a, b) => a + b);
    const belief = believing(
        weights.map((weight) => weight / sum),
        random.below(2) ? 0 : 0.03 * random.unit(),
    );
    return { ...belief, normalised_entropy: random.unit() };
}

/** What the verdict says: the share of each side, and who is said to be better. */
function told(words: string): { ours: string; theirs: string; better: 'ours' | 'theirs' | null } {
    const same = /^Done\. Either way .* (?:chance|share) of ([\d.]+\s%)\./.exec(words);
    if (same) return { ours: same[1], theirs: same[1], better: null };
    const about =
        /either way: ([\d.]+\s%) with StarCloak, ([\d.]+\s%) with Network expansion\./.exec(words);
    if (about) return { ours: about[1], theirs: about[2], better: null };
    const better =
        /^Done\. (.*?) (?:hides|leaves) .*(?:chance|share) of ([\d.]+\s%), against ([\d.]+\s%) with (.*?)\. /.exec(
            words,
        );
    if (!better) throw new Error(`what is that? ${words}`);
    expect([better[1], better[4]].sort()).toEqual(['Network expansion', 'StarCloak']);
    return better[1] === 'StarCloak'
        ? { ours: better[2], theirs: better[3], better: 'ours' }
        : { ours: better[3], theirs: better[2], better: 'theirs' };
}

describe('whatever is believed', () => {
    it('the sentence has the numbers of the rows, and calls better only the smaller one', () => {
        const random = dice(21);
        const seen = new Set<string>();
        for (let i = 0; i < 4000; i++) {
            const [ours, theirs] = [randomBelief(random), randomBelief(random)];
            // A road that both have, one that is in neither, or none that is known.
            const segment = random.below(12) === 0 ? 999 : random.below(ours.segments.length);
            const truth = random.below(3) === 0 ? null : { segment, road: 'your road' };
            const said = told(verdict(ours, theirs, names, truth));
            for (const [side, attack] of [
                ['ours', ours],
                ['theirs', theirs],
            ] as const) {
                const row = truthInWords(attack, truth);
                const share = /suspected with ([\d.]+\s%)/.exec(row)?.[1];
                if (truth && attack.segments.includes(truth.segment)) {
                    expect(said[side], row).toBe(share);
                } else {
                    expect(share).toBeUndefined();
                    expect(said[side]).toBe(
                        truth ? '0\u00a0%' : percent(Math.max(...attack.linkability)),
                    );
                }
            }
            const [our, their] = [said.ours, said.theirs].map(Number.parseFloat);
            if (said.better === 'ours') expect(our).toBeLessThan(their);
            if (said.better === 'theirs') expect(their).toBeLessThan(our);
            seen.add(`${said.better} ${truth ? 'known' : 'not known'}`);
        }
        expect(seen.size).toBe(6);
    });

    it('the comparison turns round with its sides', () => {
        const random = dice(22);
        const turned = { same: 'same', about: 'about', ours: 'theirs', theirs: 'ours' };
        for (let i = 0; i < 1000; i++) {
            const [a, b] = [randomBelief(random), randomBelief(random)].map((attack) =>
                chanceOf(attack, null),
            );
            expect(compared(b, a)).toBe(turned[compared(a, b)]);
        }
    });
});

describe('in German', () => {
    it('the verdict has the same numbers, and no English', () => {
        useLanguage('de');
        const german = { ours: 'StarCloak', theirs: 'Netzexpansion' };
        const truth = { segment: 0, road: 'Ihre Straße' };
        expect(verdict(believing([0.013, 0.987]), believing([0.13, 0.87]), german, truth)).toBe(
            'Fertig. Mit StarCloak ist Ihre Straße besser verborgen: Der Angreifer trifft sie mit einer Wahrscheinlichkeit von 1,3\u00a0%, mit Netzexpansion von 13\u00a0%. So oder so muss der Anbieter für 2 Straßen antworten.',
        );
    });
});
