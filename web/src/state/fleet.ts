// The demo's travellers: where they are, what they ask, who shared a cloak.
//
// Positions come a few times a second and are drawn more often. From frame to frame everybody moves in a straight
// line from where it was last drawn to where it is now, so that a late frame makes nobody jump; only who is
// suddenly far away (a new journey) is simply there.
//
// Memory is bounded: two frames and what is drawn between them, who waits now, the last few thousand queries,
// the members of the last few hundred cloaks, and of a few that are the visitor's own.
import type {
    AskedEvent,
    EndedEvent,
    HelloEvent,
    PendingEvent,
    PositionsEvent,
} from '../api/types';
import type { Point } from '../map/road_map';
import type { Fleet, Member, Waiting } from './model';
import { PositionFrames } from './position_frames';
import { Signal } from './signal';

/** Cloaks whose members are known: the last ones, and the last ones of the visitor's own. */
const KEPT_CLOAKS = 400;
const KEPT_OWN = 20;
/** Queries that were asked of late, whatever became of them: half a minute of some thousand travellers. */
const KEPT_RECENT = 8000;
/** No traveller drives faster, metres per second. */
const FASTEST = 80;
const NEAR_M = 50;
/** As good as standing still. */
const SLOWEST = 1e-6;
/** Who should have ended long ago was lost on the way: its event, not the query. */
const GRACE_MS = 15_000;

export class Travellers implements Fleet {
    engine: string;
    readonly waiting = new Map<number, Waiting>();
    readonly asked = new Signal<Waiting>();
    readonly ended = new Signal<EndedEvent & { asked?: Waiting }>();
    readonly engineChanged = new Signal<string>();
    readonly cleared = new Signal();

    private everyMs = 250;
    private readonly frames = new PositionFrames();
    /** Units of the map page that a step has. */
    private step = 1;
    /** How many seconds of the travellers' time pass in one of ours: 1 but in a replay. */
    private pace = 1;
    private frameAt = 0;
    private drawnAt = Number.NaN;
    private before = new Float32Array(0);
    private after = new Float32Array(0);
    private drawn = new Float32Array(0);
    /** By number, in the order in which they were told: one may be told twice when a stream begins anew. */
    private readonly recent = new Map<number, Waiting>();
    private readonly hidden = new Map<string, Member[]>();
    /** Cloaks of the visitor's own, the latest last. */
    private readonly own = new Set<string>();

    /**
     * @param count      how many there are, as the demo says before any of them is seen
     * @param fromUnits  from units of the map page to metres
     */
    constructor(
        public count: number,
        engine: string,
        private readonly fromUnits: (east: number, north: number) => Point,
    ) {
        this.engine = engine;
    }

    positions(now: number): Float32Array {
        const { before, after, drawn } = this;
        // Several layers ask in the same frame.
        if (now === this.drawnAt) return drawn;
        this.drawnAt = now;
        const part = Math.min(1, Math.max(0, (now - this.frameAt) / this.everyMs));
        for (let i = 0; i < after.length; i++) drawn[i] = before[i] + (after[i] - before[i]) * part;
        return drawn;
    }

    members(cloakId: string): readonly Member[] {
        return this.hidden.get(cloakId) ?? [];
    }

    keep(cloakId: string): void {
        this.own.add(cloakId);
        const [oldest] = this.own;
        if (this.own.size > KEPT_OWN) this.own.delete(oldest);
    }

    around(moment: number): readonly AskedEvent[] {
        return [...this.recent.values()].filter(
            ({ askedAt, deadlineAt }) => askedAt <= moment && moment <= deadlineAt,
        );
    }

    hello(event: HelloEvent): void {
        this.everyMs = Math.max(20, event.every_s * 1000);
        this.count = event.travellers;
        this.frames.setCount(event.travellers);
        this.step = event.step;
        this.useEngine(event.engine);
    }

    useEngine(engine: string): void {
        if (engine === this.engine) return;
        this.engine = engine;
        this.engineChanged.emit(engine);
    }

    moved(event: PositionsEvent, now: number): void {
        if (!this.frames.read(event)) return;
        const { at } = this.frames;
        const last = this.positions(now);
        if (at.length !== this.after.length) {
            this.after = new Float32Array(at.length);
            this.before = new Float32Array(at.length).fill(Number.NaN);
            this.drawn = new Float32Array(at.length);
        } else {
            this.before.set(last);
        }
        const far = Math.max(NEAR_M, (2 * FASTEST * this.everyMs) / 1000);
        const { step } = this;
        for (let i = 0; i < at.length; i += 2) this.place(i, at[i] * step, at[i + 1] * step, far);
        this.frameAt = now;
        this.drawnAt = Number.NaN;
        this.forgetLost(now);
    }

    /** All who wait, said once at the beginning: whoever is not among them waits no more. */
    pending(event: PendingEvent, now: number): void {
        this.waiting.clear();
        for (const { waited_s, ...query } of event.queries)
            this.wait(query, now - (waited_s * 1000) / this.pace);
    }

    /** A record is shown faster or slower, or stands still at 0: deadlines are as far in its time as they were. */
    setPace(pace: number, now: number): void {
        const next = Math.max(SLOWEST, pace);
        if (next === this.pace) return;
        for (const waiting of this.waiting.values()) {
            const stretch = this.pace / next;
            waiting.askedAt = now - (now - waiting.askedAt) * stretch;
            waiting.deadlineAt = now + (waiting.deadlineAt - now) * stretch;
        }
        this.pace = next;
    }

    /** A record is at another moment: what was told before no longer counts. */
    clear(): void {
        this.waiting.clear();
        this.recent.clear();
        this.hidden.clear();
        this.own.clear();
        for (const positions of [this.before, this.after, this.drawn]) positions.fill(Number.NaN);
        this.drawnAt = Number.NaN;
        this.cleared.emit();
    }

    ask(event: AskedEvent, now: number): void {
        this.asked.emit(this.wait(event, now));
    }

    end(event: EndedEvent): void {
        const asked = this.waiting.get(event.query);
        this.waiting.delete(event.query);
        if (event.cloak && asked) this.remember(event.cloak, asked);
        this.ended.emit({ ...event, asked });
    }

    private place(i: number, east: number, north: number, far: number): void {
        const { before, after } = this;
        if (east < 0) {
            after[i] = after[i + 1] = Number.NaN;
            return;
        }
        const { x, y } = this.fromUnits(east, north);
        after[i] = x;
        after[i + 1] = y;
        // Not "more than far": who was off the road is NaN, and nothing is more than that.
        if (!(Math.abs(x - before[i]) + Math.abs(y - before[i + 1]) <= far)) {
            before[i] = x;
            before[i + 1] = y;
        }
    }

    private wait(query: AskedEvent, askedAt: number): Waiting {
        const deadlineAt = askedAt + (query.max_wait_s * 1000) / this.pace;
        const [x, y] = [this.after[2 * query.who], this.after[2 * query.who + 1]];
        const at = Number.isFinite(x) && Number.isFinite(y) ? { at: { x, y } } : {};
        const waiting = { ...query, ...at, askedAt, deadlineAt };
        this.waiting.set(query.query, waiting);
        this.recent.delete(query.query);
        this.recent.set(query.query, waiting);
        for (const oldest of this.recent.keys()) {
            if (this.recent.size <= KEPT_RECENT) break;
            this.recent.delete(oldest);
        }
        return waiting;
    }

    private remember(cloakId: string, asked: Waiting): void {
        const { askedAt: _askedAt, deadlineAt: _deadlineAt, ...query } = asked;
        const members = this.hidden.get(cloakId) ?? [];
        members.push(query);
        // By road, not by the order in which they were told.
        members.sort((a, b) => a.segment - b.segment || a.query - b.query);
        this.hidden.set(cloakId, members);
        for (const oldest of this.hidden.keys()) {
            if (this.hidden.size <= KEPT_CLOAKS) break;
            if (!this.own.has(oldest)) this.hidden.delete(oldest);
        }
    }

    private forgetLost(now: number): void {
        for (const [query, { deadlineAt }] of this.waiting) {
            if (deadlineAt + GRACE_MS < now) this.waiting.delete(query);
        }
    }
}
