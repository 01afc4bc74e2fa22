// What the page knows, as the panels and layers see it. The files beside this one keep it up to date
// from the service's events; nothing else does.
import type {
    About,
    AskedEvent,
    Attack,
    AttackRequest,
    CloakEvent,
    DemoAbout,
    EndedEvent,
    Outcome,
    PartitionPage,
    Query,
} from '../api/types';
import type { Point, RoadMap } from '../map/road_map';
import type { Replay } from '../replay/replay';
import type { ClusterWatch } from './cluster';
import type { CounterRow } from './counters';
import type { HealthWatch } from './health';
import type { Signal } from './signal';

/** A cloak that was seen to leave. */
export interface SeenCloak extends CloakEvent {
    /** performance.now() */
    seenAt: number;
    /** The engine in force when it left. */
    engine: string;
    /** The body that went to the provider, once it is known (over HTTP only). */
    sent?: { encoding: 'compact' | 'geojson'; bytes: Uint8Array };
}

/** cloaks.ts: the last few hundred, newest first. */
export interface CloakBook {
    readonly latest: readonly SeenCloak[];
    get(id: string): SeenCloak | undefined;
    /** Resolves when that cloak is there (it may come a little after its outcome), or after a while with undefined. */
    find(id: string): Promise<SeenCloak | undefined>;
    readonly changed: Signal<SeenCloak>;
    /** All are forgotten: a record is at another moment. */
    readonly cleared: Signal;
}

/** counters.ts: a row per second, the last minutes. */
export interface CounterBook {
    readonly rows: readonly CounterRow[];
    readonly changed: Signal;
}

/** A query of a demo's traveller, and where it was when it asked, if that is known. */
export interface Member extends AskedEvent {
    at?: Point;
}

/** ... that waits. */
export interface Waiting extends Member {
    /** performance.now() when it was asked, and when its time is up. */
    askedAt: number;
    deadlineAt: number;
}

/** fleet.ts: the demo's travellers. */
export interface Fleet {
    readonly count: number;
    /** Where everybody is at `now` (performance.now()): metres, x and y in turn, NaN if off the road. Lent until the next call. */
    positions(now: number): Float32Array;
    readonly waiting: ReadonlyMap<number, Waiting>;
    /** The queries of a cloak's members that were travellers, in no telling order; empty if not known. */
    members(cloakId: string): readonly Member[];
    /** The members of this cloak, which is the visitor's own, are not forgotten like those of others. */
    keep(cloakId: string): void;
    /** Whoever may have waited at `moment` (performance.now()), of the last half minute or so. */
    around(moment: number): readonly AskedEvent[];
    readonly engine: string;
    readonly asked: Signal<Waiting>;
    readonly ended: Signal<EndedEvent & { asked?: Waiting }>;
    readonly engineChanged: Signal<string>;
    /** All that was known is void: a record is at another moment. */
    readonly cleared: Signal;
}

export type Link = 'connecting' | 'live' | 'lost' | 'forbidden';

/** session.ts: all of it, and what can be asked of the service. */
export interface Session {
    readonly about: About;
    readonly map: RoadMap;
    readonly categories: readonly { name: string; objects: number | null }[];
    readonly cloaks: CloakBook;
    readonly counters: CounterBook;
    /** Null outside of a demo. */
    readonly fleet: Fleet | null;
    /** Null where the map is in one part. */
    readonly cluster: ClusterWatch | null;
    readonly demo: DemoAbout | null;
    /** How the service is. */
    readonly health: HealthWatch;
    /** Null unless a recorded run is shown. */
    readonly replay: Replay | null;
    /** Seconds, by the clock that counters go by: our own, or the record's time. */
    clockS(): number;
    /** For asking; null as long as none was given. A demo hands one out. */
    token: string | null;
    readonly link: Link;
    readonly linkChanged: Signal<Link>;
    /** Throws a Refusal (api/fetch.ts) with the service's problem, or an AbortError. */
    ask(query: Query, stop: AbortSignal): Promise<Outcome>;
    attack(request: AttackRequest, stop?: AbortSignal): Promise<Attack>;
    switchEngine(engine: string): Promise<void>;
    /** Which road is whose part's. */
    partition(): Promise<PartitionPage>;
}
