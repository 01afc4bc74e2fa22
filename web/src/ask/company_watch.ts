// Keeps an eye on the company of one place and profile while travellers come and go, in the demo alone.
//
// A look costs what has changed: who was looked at before is known (company.ts). It is made when travellers have
// asked or ended, and at most twice a second.
import type { Profile } from '../api/types';
import type { Stars } from '../map/ball';
import type { Fleet, Waiting } from '../state/model';
import { Signal } from '../state/signal';
import { type Company, CompanyFinder, drawsStars, type Seeker } from './company';

const EVERY_MS = 500;
/** How far back arrivals are remembered, and how many. */
const REMEMBERED_MS = 30_000;
const REMEMBERED_MOST = 8000;
/** Of the latest stay in the average of all. */
const STAY_WEIGHT = 0.02;

export class CompanyWatch {
    readonly changed = new Signal<Company>();
    private finder: CompanyFinder | null = null;
    private seeker: Seeker | null = null;
    /** Who asked of late, in order. */
    private arrivals: Waiting[] = [];
    private readonly since = performance.now();
    /** Milliseconds for which travellers have waited of late, on average; null until one has ended. */
    private stayMs: number | null = null;
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
        fleet.asked.on((waiting) => {
            this.arrivals.push(waiting);
            if (this.arrivals.length > 2 * REMEMBERED_MOST) {
                this.arrivals = this.arrivals.slice(-REMEMBERED_MOST);
            }
            this.soon();
        });
        fleet.ended.on(({ asked }) => {
            if (asked) this.left(performance.now() - asked.askedAt);
            this.soon();
        });
        fleet.engineChanged.on(() => {
            if (this.seeker) this.look(this.seeker);
        });
    }

    /** Look from there, now and whenever something has changed. */
    look(seeker: Seeker): void {
        this.seeker = seeker;
        this.finder = this.finderFor(seeker);
        this.tell();
    }

    /** What there would be with other wishes, or elsewhere. */
    companyOf(seeker: Seeker): Company {
        return this.finderFor(seeker).look(this.fleet.waiting.values());
    }

    /** For how many seconds arrivals are known. */
    get watchedS(): number {
        return (performance.now() - this.since) / 1000;
    }

    /** How many travellers who fit have asked per second of late; 0 if none is known. */
    arrivalsPerSecond(seeker: Seeker, now = performance.now()): number {
        return this.sumPerSecond(seeker, now, () => 1);
    }

    /**
     * How many of those who will fit and ask within `waitS` seconds are there at once. Who asks for less company than
     * the seeker finds it sooner, and is gone then.
     */
    gatheredWithin(waitS: number, seeker: Seeker, now = performance.now()): number {
        const part = Math.min(1, (this.stayMs ?? Infinity) / 1000 / waitS);
        return waitS * this.sumPerSecond(seeker, now, ({ k }) => (k < seeker.k ? part : 1));
    }

    private sumPerSecond(seeker: Seeker, now: number, weight: (other: Waiting) => number): number {
        const { arrivals } = this;
        const oldest = arrivals.length > REMEMBERED_MOST ? arrivals[0].askedAt : this.since;
        const from = Math.max(oldest, now - REMEMBERED_MS);
        const finder = this.finderFor(seeker);
        const users = new Map<number, number>();
        for (const other of arrivals) {
            if (other.askedAt >= from && finder.fits(other)) users.set(other.who, weight(other));
        }
        const spanS = (now - from) / 1000;
        const sum = [...users.values()].reduce((a, b) => a + b, 0);
        return spanS > 1 ? sum / spanS : 0;
    }

    private finderFor(seeker: Seeker): CompanyFinder {
        return new CompanyFinder(this.stars(), seeker, drawsStars(this.fleet.engine));
    }

    private left(stayMs: number): void {
        this.stayMs ??= stayMs;
        this.stayMs += STAY_WEIGHT * (stayMs - this.stayMs);
    }

    private soon(): void {
        if (!this.finder || this.timer !== undefined || !this.isWanted()) return;
        this.timer = setTimeout(() => {
            this.timer = undefined;
            this.tell();
        }, EVERY_MS);
    }

    private tell(): void {
        if (this.finder) this.changed.emit(this.finder.look(this.fleet.waiting.values()));
    }
}

export function seekerOf(segment: number, { k, l, max_hops }: Profile): Seeker {
    return { segment, k, l, max_hops };
}
