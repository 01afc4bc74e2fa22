// Were the promises kept? Computed here from what came back, rather than believed.
import type { Profile } from '../api/types';
import { t } from '../text/language';
import { counted, seconds } from '../text/measures';
import { count } from '../text/words';
import type { Answered } from './ask_phases';

export interface Check {
    id: 'own-segment' | 'k' | 'l' | 'reach' | 'time';
    text: string;
    /** Null: cannot be known here. */
    held: boolean | null;
}

export interface Asked {
    segment: number;
    profile: Profile;
    /** The segments that its cloak may have, ascending (map/ball.ts). */
    reach: Uint32Array;
}

/** @param cloak  the segments that were seen to leave; null if they were not */
export function checkPromises(
    asked: Asked,
    outcome: Answered,
    cloak: readonly number[] | null,
): Check[] {
    const { profile } = asked;
    const { users, segments } = outcome.cloak;
    const roads = cloak ? Math.min(segments, new Set(cloak).size) : segments;
    return [
        {
            id: 'own-segment',
            text: t('Your road is in it'),
            held: cloak?.includes(asked.segment) ?? null,
        },
        {
            id: 'k',
            text: t('{shown}, at least {least}', {
                shown: counted(users, 'traveller'),
                least: count(profile.k),
            }),
            held: users >= profile.k,
        },
        {
            id: 'l',
            text: t('{shown}, at least {least}', {
                shown: counted(roads, 'road'),
                least: count(profile.l),
            }),
            held: roads >= profile.l,
        },
        {
            id: 'reach',
            text: t('No road beyond {crossings}', {
                crossings: counted(profile.max_hops, 'crossing'),
            }),
            held: cloak && isWithin(cloak, asked.reach),
        },
        {
            id: 'time',
            text: t('After {waited}, at most {most}', {
                waited: seconds(outcome.wait_s),
                most: seconds(profile.max_wait_s),
            }),
            held: outcome.wait_s <= profile.max_wait_s,
        },
    ];
}

export function isWithin(segments: readonly number[], reach: Uint32Array): boolean {
    const allowed = new Set(reach);
    return segments.every((segment) => allowed.has(segment));
}
