// What would help a question to find company, as changes of its profile within the operator's bounds.
//
// Where the page knows who waits (the demo), a change is offered only if it helps, with what it would lead to. Elsewhere
// it is offered as the service advises.
import type { About, Profile } from '../api/types';
import { clamp } from '../charts/scale';
import type { Company } from './company';

export type ProfilePart = keyof Profile;

export interface Remedy {
    part: ProfilePart;
    /** The profile with the change. */
    profile: Profile;
    /** Whether enough are there then; null: not known. */
    suffices: boolean | null;
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
        return changed ? { part, profile: changed, suffices: null } : [];
    });
}

/** How the page judges a profile where it knows who waits. */
export interface Outlook {
    company(profile: Profile): Company;
    /** Travellers who fit, will ask while it waits and be there at once, as far as can be told from those who did. */
    gathered(profile: Profile): number;
}

/** What helps, the likeliest first; none if there is enough company. */
export function helpful(profile: Profile, bounds: ProfileBounds, outlook: Outlook): Remedy[] {
    const now = outlook.company(profile);
    if (!now.isFeasible) return feasible(profile, bounds, outlook);
    if (now.missing === 0) return [];
    const remedies: Remedy[] = [];
    const add = (part: ProfilePart, changed: Profile | null) => {
        if (!changed) return;
        const then = outlook.company(changed);
        const lack = then.missing - outlook.gathered(changed);
        const helps = part === 'max_wait_s' || then.missing < now.missing;
        if (helps) remedies.push({ part, profile: changed, suffices: lack <= 0 });
    };
    add('max_wait_s', easier('max_wait_s', profile, bounds));
    add('max_hops', easier('max_hops', profile, bounds));
    // As many as are here, if that is a number of company at all.
    const here = clamp(Math.max(2, now.group.length + 1), bounds.k);
    add('k', here < profile.k ? { ...profile, k: here } : easier('k', profile, bounds));
    return remedies.sort((a, b) => Number(b.suffices) - Number(a.suffices));
}

function feasible(profile: Profile, bounds: ProfileBounds, outlook: Outlook): Remedy[] {
    return (['max_hops', 'l'] as const).flatMap((part) => {
        const changed = easier(part, profile, bounds);
        if (!changed || !outlook.company(changed).isFeasible) return [];
        return { part, profile: changed, suffices: null };
    });
}
