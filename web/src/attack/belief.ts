// What an adversary believes, in numbers that can be compared and in words.
//
// What counts is the chance that it picks the true road: the share of its belief that this road has. Where the truth
// is not known, its likeliest road stands for it, and is called so. Entropies of cloaks of different sizes say little
// about that: a large cloak may have the lower one and hide better.
//
// The verdict and the rows of both sides come from the same shares, rounded alike, so that they cannot disagree.
import type { Attack } from '../api/types';
import { t, tn } from '../text/language';
import { counted, percent } from '../text/measures';
import { count } from '../text/words';

export type Found = Extract<Attack, { found: true }>;

export interface BeliefRow {
    segment: number;
    linkability: number;
    error: number;
}

export type Column = keyof BeliefRow;

export function rowsOf(attack: Found): BeliefRow[] {
    return attack.segments.map((segment, i) => ({
        segment,
        linkability: attack.linkability[i],
        error: attack.error[i],
    }));
}

/** A new array; those that are equal keep the order of their segments. */
export function sorted(
    rows: readonly BeliefRow[],
    column: Column,
    isDescending: boolean,
): BeliefRow[] {
    const sign = isDescending ? -1 : 1;
    return [...rows].sort((a, b) => sign * (a[column] - b[column]) || a.segment - b.segment);
}

/** What the victim's road is believed with, and how many are believed more; null if it is not among them. */
export function truthOf(
    attack: Found,
    segment: number,
): { linkability: number; rank: number } | null {
    const index = attack.segments.indexOf(segment);
    if (index < 0) return null;
    const linkability = attack.linkability[index];
    return {
        linkability,
        rank: 1 + attack.linkability.filter((other) => other > linkability).length,
    };
}

/** The victim's road, where it is known. */
export interface Truth {
    segment: number;
    /** "your road" */
    road: string;
}

/** A share of the belief, and its standard error. */
export interface Chance {
    share: number;
    error: number;
}

/** Of the true road; of the likeliest one where the truth is not known. */
export function chanceOf(attack: Found, truth: Truth | null): Chance {
    const rows = rowsOf(attack);
    const row = truth
        ? rows.find(({ segment }) => segment === truth.segment)
        : sorted(rows, 'linkability', true)[0];
    return { share: row?.linkability ?? 0, error: row?.error ?? 0 };
}

/** A difference within so many standard errors may be chance: the attack draws lots. */
const CERTAIN = 2;

/** Which of two chances is smaller; 'same' if they are shown alike, 'about' if the difference may be chance. */
export function compared(ours: Chance, theirs: Chance): 'same' | 'about' | 'ours' | 'theirs' {
    if (percent(ours.share) === percent(theirs.share)) return 'same';
    const difference = ours.share - theirs.share;
    if (Math.abs(difference) <= CERTAIN * Math.hypot(ours.error, theirs.error)) return 'about';
    return difference < 0 ? 'ours' : 'theirs';
}

/** The methods of both sides, as they are called. */
export interface Names {
    ours: string;
    theirs: string;
}

/** Both attacks in plain words: who is easier to find, and what the cloaks cost the provider. */
export function verdict(ours: Attack, theirs: Attack, names: Names, truth: Truth | null): string {
    if (!ours.found) return t('Done. There is nothing to compare.');
    const done = t('Done.');
    if (!theirs.found) {
        const without = t(
            '{method} finds no cloak for this query: the traveller would have gone without an answer.',
            { method: names.theirs },
        );
        return `${done} ${chanceWords(ours, names.ours, truth)} ${without}`;
    }
    return `${done} ${comparedChances(ours, theirs, names, truth)} ${comparedSizes(ours, theirs, names)}`;
}

function chanceWords(attack: Found, method: string, truth: Truth | null): string {
    const chance = percent(chanceOf(attack, truth).share);
    return truth
        ? t('{method}: the adversary picks {road} with a chance of {chance}.', {
              method,
              road: truth.road,
              chance,
          })
        : t("{method}: the adversary's likeliest road has a share of {chance}.", {
              method,
              chance,
          });
}

function comparedChances(ours: Found, theirs: Found, names: Names, truth: Truth | null): string {
    const [our, their] = [ours, theirs].map((attack) => chanceOf(attack, truth));
    const order = compared(our, their);
    const road = truth?.road ?? '';
    const shares = { ours: percent(our.share), theirs: percent(their.share) };
    if (order === 'same') {
        const values = { road, chance: shares.ours };
        return truth
            ? t('Either way the adversary picks {road} with a chance of {chance}.', values)
            : t("Either way the adversary's likeliest road has a share of {chance}.", values);
    }
    if (order === 'about') {
        const values = { ...shares, road, first: names.ours, second: names.theirs };
        return truth
            ? t(
                  'The adversary picks {road} with about the same chance either way: {ours} with {first}, {theirs} with {second}.',
                  values,
              )
            : t(
                  "The adversary's likeliest road has about the same share either way: {ours} with {first}, {theirs} with {second}.",
                  values,
              );
    }
    const other = order === 'ours' ? 'theirs' : 'ours';
    const values = {
        road,
        better: names[order],
        worse: names[other],
        least: shares[order],
        most: shares[other],
    };
    return truth
        ? t(
              '{better} hides {road} better: the adversary picks it with a chance of {least}, against {most} with {worse}.',
              values,
          )
        : t(
              '{better} leaves the adversary less sure: its likeliest road has a share of {least}, against {most} with {worse}.',
              values,
          );
}

function comparedSizes(ours: Found, theirs: Found, names: Names): string {
    const [our, their] = [ours, theirs].map(({ segments }) => counted(segments.length, 'road'));
    return our === their
        ? t('Either way the provider must answer for {roads}.', { roads: our })
        : t('The provider must answer for {ours} with {first}, for {theirs} with {second}.', {
              ours: our,
              theirs: their,
              first: names.ours,
              second: names.theirs,
          });
}

/** The row of the truth; its share is that of the headline and the verdict. */
export function truthInWords(attack: Found, truth: Truth | null): string {
    if (!truth) return t('not known to this page, nor to the provider');
    const { road } = truth;
    const found = truthOf(attack, truth.segment);
    if (!found) return t('{road} is not in it', { road });
    const more = found.rank - 1;
    const share = percent(found.linkability);
    return more === 0
        ? t('{road} is suspected with {share}; no road is suspected more', { road, share })
        : tn(
              more,
              '{road} is suspected with {share}; {count} road is suspected more',
              '{road} is suspected with {share}; {count} roads are suspected more',
              count(more),
              { road, share },
          );
}

/** @param entropy  normalised: 1 tells nothing, 0 gives them away */
export function entropyInWords(entropy: number): string {
    if (entropy >= 0.97) return t('It tells next to nothing.');
    if (entropy >= 0.9) return t('It tells a little.');
    if (entropy >= 0.7) return t('It tells a good deal.');
    if (entropy >= 0.3) return t('It tells a lot.');
    return t('It all but gives them away.');
}
