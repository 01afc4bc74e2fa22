// What an adversary believes, in numbers that can be compared and in words.
import type { Attack } from '../api/types';
import { counted } from '../text/measures';

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

/** @param entropy  normalised: 1 tells nothing, 0 gives them away */
export function entropyInWords(entropy: number): string {
    if (entropy >= 0.97) return 'tells next to nothing';
    if (entropy >= 0.9) return 'tells a little';
    if (entropy >= 0.7) return 'tells a good deal';
    if (entropy >= 0.3) return 'tells a lot';
    return 'all but gives them away';
}

/** A smaller difference of entropies is chance: the attack draws lots. */
const NOTEWORTHY = 0.02;

/** Both attacks in plain words: who is told less by its cloak, and what that costs the provider. */
export function verdict(ours: Attack, theirs: Attack): string {
    if (!ours.found) return 'Done. There is nothing to compare.';
    if (!theirs.found) {
        return `Done. StarCloak: entropy ${shownEntropy(ours)}. Network expansion finds no cloak for this query: the traveller would have gone without an answer.`;
    }
    return `Done. ${comparedEntropy(ours, theirs)} ${comparedSize(ours, theirs)}`;
}

function comparedEntropy(ours: Found, theirs: Found): string {
    const [our, their] = [shownEntropy(ours), shownEntropy(theirs)];
    if (our === their) return `Both leave the adversary equally unsure: entropy ${our}.`;
    const difference = ours.normalised_entropy - theirs.normalised_entropy;
    if (Math.abs(difference) < NOTEWORTHY) {
        return `Both leave the adversary about equally unsure: entropy ${our} and ${their}.`;
    }
    return difference > 0
        ? `StarCloak tells the adversary less: entropy ${our}, against ${their}.`
        : `Here network expansion tells the adversary less: entropy ${their}, against ${our}.`;
}

function comparedSize(ours: Found, theirs: Found): string {
    const [our, their] = [ours.segments.length, theirs.segments.length];
    if (our === their) return `Both cloaks have ${counted(our, 'road')}.`;
    const sizes = `Network expansion's cloak has ${counted(their, 'road')} instead of ${our}`;
    return their > our
        ? `${sizes}: the provider answers for ${timesAsMany(their / our)}.`
        : `${sizes}: the provider answers for fewer, and there are fewer to hide on.`;
}

/** What differs by less than is shown does not differ. */
function shownEntropy(attack: Found): string {
    return attack.normalised_entropy.toFixed(2);
}

function timesAsMany(ratio: number): string {
    if (ratio < 1.25) return 'a few more';
    if (ratio > 1.9 && ratio < 2.1) return 'twice as many';
    return `${ratio.toFixed(1)} times as many`;
}
