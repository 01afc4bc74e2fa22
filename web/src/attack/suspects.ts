// Whom an adversary suspects behind a cloak, and how it is asked what it makes of them.
//
// In the demo the travellers of a cloak are known, and so is the truth. Elsewhere only a question of one's own
// is; the others are assumed: so many with the standard profile, anywhere in the cloak. What is assumed is
// marked as such.
import type { AskedEvent, AttackRequest, Needs } from '../api/types';
import type { OwnQuery } from '../ask/own_queries';
import type { Point } from '../map/road_map';
import { t } from '../text/language';

export interface Suspect {
    name: string;
    segment: number;
    needs: Needs;
    /** Whoever looks at this page. */
    isYou: boolean;
    isAssumed: boolean;
}

/** "your road", "the road of traveller 17". */
export function roadOf({ name, isYou }: Suspect): string {
    return isYou ? t('your road') : t('the road of {name}', { name });
}

export const MEMBERS_MOST = 64;
export const SEGMENTS_MOST = 1000;

export interface Clues {
    segments: readonly number[];
    /** The demo's travellers in the cloak; empty if they are not known. */
    travellers: readonly AskedEvent[];
    own: OwnQuery | undefined;
    /** Of those who are assumed, together with one's own. */
    assumed: number;
    standard: Needs;
}

/** One's own question first, since it is the most interesting victim. @param random  in [0, 1) */
export function suspectsOf(clues: Clues, random: () => number): Suspect[] {
    const suspects: Suspect[] = [];
    if (clues.own) {
        suspects.push({
            name: t('you'),
            segment: clues.own.segment,
            needs: needsOf(clues.own),
            isYou: true,
            isAssumed: false,
        });
    }
    for (const traveller of clues.travellers) {
        suspects.push({
            name: t('traveller {number}', { number: traveller.who }),
            segment: traveller.segment,
            needs: needsOf(traveller),
            isYou: false,
            isAssumed: false,
        });
    }
    if (clues.travellers.length === 0) {
        while (suspects.length < clues.assumed) {
            suspects.push({
                name: t('assumed traveller {number}', { number: suspects.length + 1 }),
                segment: clues.segments[Math.floor(random() * clues.segments.length)],
                needs: needsOf(clues.standard),
                isYou: false,
                isAssumed: true,
            });
        }
    }
    return suspects.slice(0, MEMBERS_MOST);
}

/** What does an adversary believe who saw this very cloak? */
export function attackOnCloak(
    method: string,
    segments: readonly number[],
    suspects: readonly Suspect[],
): AttackRequest {
    return {
        method,
        segments: [...segments].sort((a, b) => a - b),
        members: suspects.map(({ needs }) => needs),
    };
}

/** Those who waited near the victim, besides the suspects: another method may choose other company. */
export const NEIGHBOURS_MOST = 20;

/**
 * ... and of the cloak that another method makes for the same query, in the same company? The victim's is
 * looked at.
 *
 * @param bystanders  who else waited, nearest first
 */
export function attackOnMethod(
    method: string,
    suspects: readonly Suspect[],
    victim: Suspect,
    bystanders: readonly AskedEvent[] = [],
): AttackRequest {
    const others = suspects.filter((suspect) => suspect !== victim);
    const queries = [victim, ...others].map(({ segment, needs }) => ({ segment, ...needs }));
    const more = bystanders
        .slice(0, NEIGHBOURS_MOST)
        .map((asked) => ({ segment: asked.segment, ...needsOf(asked) }));
    return { method, queries: [...queries, ...more].slice(0, MEMBERS_MOST) };
}

/** Others who waited then, nearest to that road first. */
export function nearestFirst(
    waiting: readonly AskedEvent[],
    members: readonly AskedEvent[],
    segment: number,
    where: (segment: number) => Point,
): AskedEvent[] {
    const hidden = new Set(members.map(({ query }) => query));
    const here = where(segment);
    const distance = (asked: AskedEvent) => {
        const { x, y } = where(asked.segment);
        return Math.hypot(x - here.x, y - here.y);
    };
    return waiting
        .filter(({ query }) => !hidden.has(query))
        .map((asked) => ({ asked, far: distance(asked) }))
        .sort((a, b) => a.far - b.far)
        .map(({ asked }) => asked);
}

function needsOf({ k, l, max_hops }: Needs): Needs {
    return { k, l, max_hops };
}
