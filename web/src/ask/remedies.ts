// What would help a question to find company, as changes of its profile within the operator's bounds.
//
// Where the page knows who waits (the demo), a change is offered only if it is likely to be enough, with the number of
// travellers that it would lead to. Elsewhere it is offered as the service advises.
import type { About, Profile } from '../api/types';
import { clamp } from '../charts/scale';
import type { Company } from './company';

export type ProfilePart = keyof Profile;

export interface Remedy {
    part: ProfilePart;
    /** The profile with the change. */
    profile: Profile;
    /** Travellers who fit and are likely to be there at once then, which is enough; null: not known. */
    atOnce: number | null;
}

type ProfileBounds = About['profile'];

const ALL: readonly ProfilePart[] = ['max_wait_s', 'max_hops', 'k', 'l'];

/** The parts of a profile that the service names in the advice of a drop, in its order. */
export function partsIn(advice: string): ProfilePart[] {
    const at = (part: ProfilePart) => advice.search(new RegExp(`\\b${part}\\b`));
    return ALL.filter((part) => at(part) >= 0).sort((a, b) => at(a) - at(b));
}

/** One step that is easier to meet; null if the bounds allow none. */
export function easier(part: ProfilePart, profile: Profile, bounds: ProfileBounds): Profile | null {
    const now = profile[part];
    const steps: Record<ProfilePart, number> = {
        max_wait_s: Math.ceil(2 * now),
        max_hops: now + 2,
        k: Math.ceil(now / 2),
        l: Math.ceil(now / 2),
    };
    const to = clamp(steps[part], bounds[part]);
    const isEasier = part === 'k' || part === 'l' ? to < now : to > now;
    return isEasier ? { ...profile, [part]: to } : null;
}

/** For whom nothing is known of others: what was advised. */
export function advised(advice: string, profile: Profile, bounds: ProfileBounds): Remedy[] {
    return partsIn(advice).flatMap((part) => {
        const changed = easier(part, profile, bounds);
        return changed ? { part, profile: changed, atOnce: null } : [];
    });
}

/** How the page judges a profile where it knows who waits. */
export interface Outlook {
    company(profile: Profile): Company;
    /** Travellers who fit and are likely to be there at once while it waits, the asker included (forecast.ts). */
    atOnce(profile: Profile): number;
}

/** Steps that are tried until one is enough. */
const STEPS = 2;
/** A smaller k is that part of the one that was too large. */
const SMALLER = 0.75;

/** What is likely to be enough, a change of wait and reach before one of k; none if there is enough company. */
export function helpful(profile: Profile, bounds: ProfileBounds, outlook: Outlook): Remedy[] {
    const now = outlook.company(profile);
    if (!now.isFeasible) return feasible(profile, bounds, outlook);
    if (now.missing === 0) return [];
    return [
        stepsOf('max_wait_s', profile, bounds, outlook),
        stepsOf('max_hops', profile, bounds, outlook),
        smallerK(profile, bounds, outlook),
    ].flatMap((remedy) => remedy ?? []);
}

/** The profile as an offer, if it is enough: by what is likely, or by who is here now. */
function ifEnough(part: ProfilePart, profile: Profile, outlook: Outlook): Remedy | null {
    const { missing, group } = outlook.company(profile);
    const here = missing === 0 ? group.length + 1 : 0;
    const atOnce = Math.max(here, outlook.atOnce(profile));
    return atOnce >= profile.k ? { part, profile, atOnce } : null;
}

function stepsOf(
    part: ProfilePart,
    profile: Profile,
    bounds: ProfileBounds,
    outlook: Outlook,
): Remedy | null {
    let changed = easier(part, profile, bounds);
    for (let i = 0; changed && i < STEPS; i++) {
        const remedy = ifEnough(part, changed, outlook);
        if (remedy) return remedy;
        changed = easier(part, changed, bounds);
    }
    return null;
}

/** The largest that is tried and is enough. Who asks for more company than it is left out of it, so it may be less. */
function smallerK(profile: Profile, bounds: ProfileBounds, outlook: Outlook): Remedy | null {
    const here = outlook.company(profile).group.length + 1;
    const most = Math.min(profile.k - 1, Math.max(here, outlook.atOnce(profile)));
    const least = Math.max(2, bounds.k.least);
    for (
        let k = Math.max(least, most);
        k < profile.k;
        k = Math.max(least, Math.floor(SMALLER * k))
    ) {
        const remedy = ifEnough('k', { ...profile, k }, outlook);
        if (remedy || k === least) return remedy;
    }
    return null;
}

function feasible(profile: Profile, bounds: ProfileBounds, outlook: Outlook): Remedy[] {
    return (['max_hops', 'l'] as const).flatMap((part) => {
        const changed = easier(part, profile, bounds);
        if (!changed || !outlook.company(changed).isFeasible) return [];
        return { part, profile: changed, atOnce: null };
    });
}
