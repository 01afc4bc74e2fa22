// Keeps an eye on the company of one place and profile while travellers come and go, in the demo alone.
//
// A look costs what has changed: who was looked at before is known (company.ts). It is made when travellers have
// asked or ended, and at most twice a second.
import type { Profile } from '../api/types';
import type { Stars } from '../map/ball';
import type { Fleet } from '../state/model';
import { Signal } from '../state/signal';
import { type Company, CompanyFinder, drawsStars, type Seeker, starRule } from './company';
import { atOnceByPiece, expectedAtOnce, type Stay } from './forecast';
import { DRAWS, StarDraws } from './star_draws';

const EVERY_MS = 500;
/** How far back it is remembered who waited, and how many of them. */
const REMEMBERED_MS = 30_000;
const REMEMBERED_MOST = 20_000;
/** Milliseconds: so long a judgement of the past holds. */
const JUDGED_MS = 1500;
/** Profiles of which something is kept. */
const KEPT_MOST = 16;

/** What is known of a seeker's company. */
interface Known {
    finder: CompanyFinder;
    /** Where stars are drawn, for each draw: who fits the asker there, by the asker's star. */
    drawn: Map<number, CompanyFinder>[];
    /** Of forecast.ts, for each draw or once; null: to be found. */
    judged: { at: number; draws: number[][] } | null;
}

export class CompanyWatch {
    readonly changed = new Signal<Company>();
    private seeker: Seeker | null = null;
    /** Of the place that is looked at, by profile. */
    private readonly known = new Map<string, Known>();
    /** Who waited of late, in the order in which they asked; and those of them who still do, by query. */
    private stays: Stay[] = [];
    private readonly open = new Map<number, Stay>();
    /** From the first forecast on, if the engine draws stars. */
    private draws: StarDraws | null = null;
    private since = performance.now();
    private timer: ReturnType<typeof setTimeout> | undefined;

    /**
     * @param stars     asked for when a place is chosen: on a large map they take a while
     * @param isWanted  whether what changes is to be told at all
     */
    constructor(
        private readonly fleet: Fleet,
        private readonly stars: () => Stars,
        private readonly isWanted: () => boolean,
    ) {
        fleet.asked.on((query) => {
            const stay = { query, from: query.askedAt, to: Infinity };
            this.stays.push(stay);
            this.open.set(query.query, stay);
            this.draws?.asked(query);
            if (this.stays.length > 2 * REMEMBERED_MOST) {
                const forgotten = this.stays.splice(0, this.stays.length - REMEMBERED_MOST);
                for (const { query: old } of forgotten) this.draws?.forget(old.query);
                this.since = Math.max(this.since, this.stays[0].from);
            }
            this.soon();
        });
        fleet.ended.on(({ query }) => {
            const stay = this.open.get(query);
            if (stay) {
                stay.to = performance.now();
                this.draws?.ended(stay.query);
            }
            this.open.delete(query);
            this.soon();
        });
        fleet.engineChanged.on(() => {
            this.known.clear();
            this.draws = null;
            this.since = performance.now();
            if (this.seeker) this.look(this.seeker);
        });
    }

    /** Look from there, now and whenever something has changed. */
    look(seeker: Seeker): void {
        if (seeker.segment !== this.seeker?.segment) this.known.clear();
        this.seeker = seeker;
        this.tell();
    }

    /** What there would be with other wishes, or elsewhere. */
    companyOf(seeker: Seeker): Company {
        return this.knownOf(seeker).finder.look(this.fleet.waiting.values());
    }

    /** For how many seconds it is known who waited, with the engine in force. */
    get watchedS(): number {
        return (performance.now() - this.since) / 1000;
    }

    /** How many who fit are likely to be there at once, the asker included, for who asks now and waits for so long. */
    forecast(seeker: Seeker, waitS: number, now = performance.now()): number {
        const known = this.knownOf(seeker);
        if (!known.judged || now - known.judged.at > JUDGED_MS) {
            const from = Math.max(this.since, now - REMEMBERED_MS);
            const draws = this.findersOf(seeker, known).map((finder) =>
                atOnceByPiece(finder, this.stays, from, now),
            );
            known.judged = { at: now, draws };
        }
        return expectedAtOnce(known.judged.draws, waitS);
    }

    /** One, or where stars are drawn one for each draw. */
    private findersOf(seeker: Seeker, known: Known): CompanyFinder[] {
        if (!drawsStars(this.fleet.engine)) return [known.finder];
        const draws = this.starDraws();
        const own = draws.starsFor(seeker);
        if (own.length === 0) return [known.finder];
        return own.map((star, draw) => {
            const kept = known.drawn[draw].get(star);
            if (kept) return kept;
            const finder = new CompanyFinder(this.stars(), seeker, (other) =>
                'query' in other ? draws.starOf(other.query, draw) : star,
            );
            known.drawn[draw].set(star, finder);
            return finder;
        });
    }

    private starDraws(): StarDraws {
        if (this.draws) return this.draws;
        const draws = new StarDraws(this.stars());
        const ends = this.stays.filter(({ to }) => to < Infinity).sort((a, b) => a.to - b.to);
        let next = 0;
        for (const { query, from } of this.stays) {
            while (next < ends.length && ends[next].to <= from) draws.ended(ends[next++].query);
            draws.asked(query);
        }
        while (next < ends.length) draws.ended(ends[next++].query);
        this.draws = draws;
        return draws;
    }

    private knownOf(seeker: Seeker): Known {
        // Of other places nothing is kept: many are looked at, once each.
        const isElsewhere = seeker.segment !== this.seeker?.segment;
        const { segment, k, l, max_hops } = seeker;
        const key = [segment, k, l, max_hops].join();
        const kept = this.known.get(key);
        if (kept) return kept;
        const finder = new CompanyFinder(this.stars(), seeker, starRule(this.fleet.engine));
        const drawn = Array.from({ length: DRAWS }, () => new Map<number, CompanyFinder>());
        const known: Known = { finder, drawn, judged: null };
        if (isElsewhere) return known;
        if (this.known.size >= KEPT_MOST) this.known.clear();
        this.known.set(key, known);
        return known;
    }

    private soon(): void {
        if (!this.seeker || this.timer !== undefined || !this.isWanted()) return;
        this.timer = setTimeout(() => {
            this.timer = undefined;
            this.tell();
        }, EVERY_MS);
    }

    private tell(): void {
        if (this.seeker) this.changed.emit(this.companyOf(this.seeker));
    }
}

export function seekerOf(segment: number, { k, l, max_hops }: Profile): Seeker {
    return { segment, k, l, max_hops };
}
