// Who of those who wait can be hidden with somebody: the rules of docs/engine.md, applied to what the demo tells.
//
// Two travellers fit if the star of each is within the max_hops of both, and the stars that both can reach have as
// many segments as the larger l. A cloak needs a group in which all fit together, with as many travellers as the
// largest k among them. So a traveller who waits nearby may not fit: it allows fewer hops, or asks for more company
// than there is.
//
// basic, bounded, hybrid and xstar give a query to one of the two stars of its road by dice, which the page does not
// see. For them a traveller who waits fits only if it does whatever the dice say: so the count of those who are here is
// never too high. A forecast, which is about what is likely, supposes stars instead (star_draws.ts). Other engines try
// both stars, and one of them is enough.
//
// The group is built as the engine builds it, nearest first, but never takes a choice back; there may be a larger one.
import type { Needs } from '../api/types';
import type { Stars } from '../map/ball';

export interface Seeker extends Needs {
    segment: number;
}

export interface Other extends Seeker {
    query: number;
    who: number;
}

export interface Group {
    /** All of them fit together; without the asker. */
    group: readonly Other[];
    /** Travellers that it must have, the asker included. */
    needed: number;
    /** Travellers that it lacks. */
    missing: number;
}

export interface Company extends Group {
    /** Whether the asker's own reach has the segments that it asks for. */
    isFeasible: boolean;
    /** Who fits the asker, each by itself. */
    fitting: readonly Other[];
}

/** Queries of which a finder knows whether they fit: more than ask within the time that is looked back at. */
const KNOWN_MOST = 50_000;

const DRAWN_BY_DICE: readonly string[] = ['basic', 'bounded', 'hybrid', 'xstar'];

/** Whether `engine` gives a query to one star of its road by dice. */
export function drawsStars(engine: string): boolean {
    return DRAWN_BY_DICE.includes(engine);
}

/**
 * How a query has its star: `either` will do; `both` must do, since dice decide; or it is supposed that it has this
 * one (undefined: not known, so both must do).
 */
export type StarRule = 'either' | 'both' | ((seeker: Seeker | Other) => number | undefined);

/** What holds for those who wait now, whatever the dice say. */
export function starRule(engine: string): StarRule {
    return drawsStars(engine) ? 'both' : 'either';
}

/** One way in which a seeker can take part. */
export interface Place {
    /** All of these may be its star. */
    stars: readonly number[];
    /** Stars within its max_hops of all of them, with the hops to the farthest. */
    covered: ReadonlyMap<number, number>;
}

type Ground = Pick<Stars, 'starsOf' | 'ball' | 'haveSegments'>;

/** The places of a seeker: one where its star is decided for it, else one for each star of its road. */
export function placesOf(ground: Ground, seeker: Seeker, rule: StarRule): Place[] {
    const stars = ground.starsOf(seeker.segment);
    const balls = stars.map((star) => ground.ball(star, seeker.max_hops));
    if (rule === 'either' || stars.length < 2) {
        return stars.map((star, i) => ({ stars: [star], covered: balls[i] }));
    }
    // An end with too few segments is not taken if the other one has enough.
    const good = stars.filter((_, i) => ground.haveSegments(balls[i].keys(), seeker.l));
    if (good.length === 1) {
        return [{ stars: good, covered: balls[stars.indexOf(good[0])] }];
    }
    const supposed = rule === 'both' ? -1 : stars.indexOf(rule(seeker) ?? -1);
    if (supposed >= 0) return [{ stars: [stars[supposed]], covered: balls[supposed] }];
    const covered = new Map<number, number>();
    for (const [star, hops] of balls[0]) {
        const other = balls[1].get(star);
        if (other !== undefined) covered.set(star, Math.max(hops, other));
    }
    return [{ stars, covered }];
}

/** Somebody who fits the asker at one of the asker's places. */
interface Candidate {
    other: Other;
    place: Place;
    hops: number;
}

/** Finds company for one asker; what it learns of others is kept, so that looking again is cheap. */
export class CompanyFinder {
    private readonly own: Place[];
    private readonly isFeasible: boolean;
    /** Of each query, for each of the asker's places; null: it does not fit at any. */
    private readonly known = new Map<number, (Candidate | null)[] | null>();

    constructor(
        private readonly ground: Ground,
        private readonly asker: Seeker,
        private readonly rule: StarRule,
    ) {
        this.own = placesOf(ground, asker, rule);
        // Either star may do. A road without a crossing at its ends has itself and no other.
        const stars = ground.starsOf(asker.segment);
        const reaches = stars.map((star) => ground.ball(star, asker.max_hops));
        this.isFeasible =
            stars.length === 0
                ? asker.l <= 1
                : reaches.some((ball) => ground.haveSegments(ball.keys(), asker.l));
    }

    fits(other: Other): boolean {
        return this.candidates(other) !== null;
    }

    /** @param waiting  others who wait now; of one traveller's queries one counts */
    look(waiting: Iterable<Other>): Company {
        const found = this.candidatesOf(waiting);
        const fitting = found.map((each) => (each.find((one) => one !== null) as Candidate).other);
        return { isFeasible: this.isFeasible, fitting, ...this.bestOf(found, Infinity) };
    }

    /** How many of them fit together, the asker included: its k or more if that is enough for a cloak, else fewer. */
    sizeAmong(waiting: Iterable<Other>): number {
        const { k } = this.asker;
        const { group, missing } = this.bestOf(this.candidatesOf(waiting), k);
        return missing > 0 ? k - missing : group.length + 1;
    }

    private candidatesOf(waiting: Iterable<Other>): (Candidate | null)[][] {
        const users = new Set<number>();
        const found: (Candidate | null)[][] = [];
        for (const other of waiting) {
            const candidates = this.candidates(other);
            if (!candidates || users.has(other.who)) continue;
            users.add(other.who);
            found.push(candidates);
        }
        return found;
    }

    /** @param spare  members that it may have beyond those that it must have */
    private bestOf(found: readonly (Candidate | null)[][], spare: number): Group {
        let best: Group = {
            group: [],
            needed: this.asker.k,
            missing: Math.max(0, this.asker.k - 1),
        };
        this.own.forEach((place, i) => {
            const here = found.flatMap((each) => each[i] ?? []);
            const group = this.bestGroup(place, here, spare);
            if (group.missing < best.missing) best = group;
        });
        return best;
    }

    private candidates(other: Other): (Candidate | null)[] | null {
        let known = this.known.get(other.query);
        if (known === undefined) {
            known = this.findCandidates(other);
            if (this.known.size >= KNOWN_MOST) this.known.clear();
            this.known.set(other.query, known);
        }
        return known;
    }

    private findCandidates(other: Other): (Candidate | null)[] | null {
        // Most are far away: nothing is computed for them but where they are.
        const stars = this.ground.starsOf(other.segment);
        const isNear = this.own.some(({ covered }) => stars.some((star) => covered.has(star)));
        if (!isNear) return null;
        const places = placesOf(this.ground, other, this.rule);
        const l = Math.max(other.l, this.asker.l);
        const found = this.own.map((own) => {
            const place = places.find(
                (theirs) =>
                    areMutual(own, theirs) &&
                    this.ground.haveSegments(common(own.covered, theirs.covered), l),
            );
            return place ? { other, place, hops: hopsTo(own, place) } : null;
        });
        return found.some((one) => one !== null) ? found : null;
    }

    /** The group that lacks the fewest: one that is enough, else the largest that can be found. */
    private bestGroup(own: Place, candidates: Candidate[], spare: number): Group {
        const sorted = [...candidates].sort(
            (a, b) => a.hops - b.hops || a.other.query - b.other.query,
        );
        const { k } = this.asker;
        let best = this.grow(own, sorted, k, spare);
        let [least, most] = [best.group.length + 1, Math.min(k - 1, sorted.length + 1)];
        while (best.missing > 0 && least < most) {
            const wanted = Math.ceil((least + most) / 2);
            const group = this.grow(own, sorted, wanted, 0);
            if (group.missing < best.missing) best = group;
            if (group.group.length + 1 >= wanted) least = group.group.length + 1;
            else most = wanted - 1;
        }
        return best;
    }

    /**
     * As the engine does: the nearest first, without those who would exclude so many others that fewer than `wanted`
     * could be together, or who ask for more company than there can be then.
     */
    private grow(own: Place, candidates: Candidate[], wanted: number, spare: number): Group {
        const { k } = this.asker;
        const members: Candidate[] = [];
        let shared = own.covered;
        let { l } = this.asker;
        let needed = k;
        let left = candidates;
        while (left.length > 0 && members.length + 1 < needed + spare) {
            const [candidate, ...others] = left;
            const { other, place } = candidate;
            const rest = others.filter((one) => areMutual(one.place, place));
            const size = Math.max(wanted, needed > k ? needed : 0, other.k > k ? other.k : 0);
            left = others;
            if (members.length + 2 + rest.length < size) continue;
            const both = new Map<number, number>();
            for (const star of common(shared, place.covered)) both.set(star, 0);
            const roads = Math.max(l, other.l);
            if (!this.ground.haveSegments(both.keys(), roads)) continue;
            members.push(candidate);
            shared = both;
            l = roads;
            needed = Math.max(needed, other.k);
            left = rest;
        }
        const missing = Math.max(0, needed - 1 - members.length);
        return { group: members.map(({ other }) => other), needed, missing };
    }
}

/** Each one's stars are within the other's hops. */
function areMutual(a: Place, b: Place): boolean {
    return (
        a.stars.every((star) => b.covered.has(star)) && b.stars.every((star) => a.covered.has(star))
    );
}

function* common(
    a: ReadonlyMap<number, number>,
    b: ReadonlyMap<number, number>,
): Generator<number> {
    const [few, many] = a.size < b.size ? [a, b] : [b, a];
    for (const star of few.keys()) if (many.has(star)) yield star;
}

function hopsTo(own: Place, place: Place): number {
    return Math.max(...place.stars.map((star) => own.covered.get(star) ?? Infinity));
}
