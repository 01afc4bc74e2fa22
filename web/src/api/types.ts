// The words that the service and the page exchange, as docs/ui.md and /openapi.json have them.

export interface Bounds {
    least: number;
    standard: number;
    most: number;
}

/** GET /v1/about */
export interface About {
    version: string;
    engine: string;
    provider: 'built in' | 'http' | 'points' | 'areas';
    encoding: 'compact' | 'geojson' | null;
    profile: { k: Bounds; l: Bounds; max_hops: Bounds; max_wait_s: Bounds };
    max_nearest: number;
    max_radius_m: number;
    /** 0: the provider knows distances only. */
    max_radius_s: number;
    /** Of requests that do not name one. */
    metric: Metric;
    events: 'off' | 'local' | 'token' | 'open';
    /** What the demo adds: 'attacks' and, once there is a report, 'reports'. */
    offers: string[];
    /** Whether travellers can have a zone. Services from before leave it out. */
    zones?: boolean;
    /** Whether there are parts to tell of: /v1/cluster and /v1/partition. Services of one part may leave it out. */
    cluster?: boolean;
    demo: boolean;
}

/** GET /v1/categories */
export interface CategoriesPage {
    categories: { name: string; objects: number | null }[];
}

export interface Profile {
    k: number;
    l: number;
    max_hops: number;
    max_wait_s: number;
}

/** What is near: by the quickest way, or by the shortest. */
export type Metric = 'time' | 'distance';

export type Request =
    | { type: 'knn'; metric?: Metric; k: number; categories?: string[] }
    | { type: 'range'; metric?: 'distance'; radius_m: number; categories?: string[] }
    | { type: 'range'; metric?: 'time'; radius_s: number; categories?: string[] };

export type Position = { lon: number; lat: number } | { x: number; y: number };

/** POST /v1/queries */
export interface Query {
    position: Position;
    profile: Profile;
    request: Request;
}

export interface FoundObject {
    id: string;
    name: string;
    category: string;
    /** The road that it is on, if that has a name. */
    street?: string;
    position?: Position;
    distance_m: number;
    /** Of the same way. A provider of points does not know it. */
    duration_s?: number;
}

export type Outcome =
    | {
          outcome: 'answered';
          wait_s: number;
          cloak: { id: string; users: number; segments: number };
          /** The road where the traveller is, if it has a name. */
          street?: string;
          metric: Metric;
          objects: FoundObject[];
      }
    | {
          outcome: 'dropped';
          reason: 'expired' | 'infeasible' | 'exposed' | 'rare-request';
          wait_s: number;
          /** What would help, in the service's words. */
          advice: string;
          /** Of exposed: what was demanded of the roads. A service from before does not tell. */
          demands?: Demand[];
          /** Of exposed, with continuity: seconds until it no longer counts. */
          later_s?: number;
      };

/** What the roads of a cloak must be beyond their number (docs/demands.md). */
export type Demand = 'traffic' | 'classes' | 'zone' | 'continuity';

/** RFC 9457, of all that is refused or has failed. */
export interface Problem {
    type: string;
    title: string;
    status: number;
    detail?: string;
    field?: string;
    outcome?: string;
    reason?: string;
}

// --- /v1/events ---------------------------------------------------------------------------

/**
 * All count since the service started, `t` seconds ago, but `pending`, `suspended`, `workers`, `unserved_parts` and
 * `listeners`.
 */
export interface Counters {
    t: number;
    pending: number;
    answered: number;
    dropped: number;
    expired: number;
    infeasible: number;
    failed: number;
    gone: number;
    cloaks: number;
    wait_s: number;
    users: number;
    segments: number;
    bytes_out: number;
    bytes_in: number;
    /** Of `failed`, by reason; the other reasons are what is left. */
    provider_unreachable: number;
    provider_timeout: number;
    provider_refused: number;
    provider_unbelievable: number;
    provider_suspended: number;
    overloaded: number;
    not_sent_in_time: number;
    /** 1 while the provider is not asked, after repeated failures. */
    suspended: number;
    /** Of a gateway: that it reaches, and the parts of the map that none of them serves. */
    workers: number;
    unserved_parts: number;
    listeners: number;
}

export interface HistoryEvent {
    fields: (keyof Counters)[];
    rows: number[][];
}

/** All that the provider is told. */
export interface CloakEvent {
    id: string;
    segments: number[];
    border_nodes: number[];
    requests: Request[];
}

export interface SentEvent {
    cloak: string;
    encoding: 'compact' | 'geojson';
    bytes: string;
}

// --- /v1/attacks ---------------------------------------------------------------------------

export interface Needs {
    k: number;
    l: number;
    max_hops: number;
}

export type AttackRequest =
    | { method?: string; segments: number[]; members: Needs[] }
    | { method?: string; queries: (Needs & { segment: number })[] };

export type Attack =
    | { method: string; found: false }
    | {
          method: string;
          found: true;
          segments: number[];
          members: number;
          linkability: number[];
          error: number[];
          entropy: number;
          normalised_entropy: number;
          effective: number;
          ruled_out: number;
          replays: number;
          unexplained: boolean;
      };

// --- Of a map in several parts --------------------------------------------------------------

/** A process of the cluster. */
interface PeerFigures {
    /** Drawn when it started; 16 hex digits. */
    peer: string;
    /** For people. */
    name: string;
    leader: boolean;
    leaving: boolean;
    /** The one that answers. */
    self: boolean;
    /** Since it was last heard. */
    age_s: number;
    skew_s: number;
    /** Cores. */
    cpu: number;
    /** Queries without an outcome, or held. */
    open: number;
    memory: number;
    messages_out: number;
    messages_in: number;
    bytes_out: number;
    bytes_in: number;
}

export interface GatewayPeer extends PeerFigures {
    kind: 'gateway';
}

export interface WorkerPeer extends PeerFigures {
    kind: 'worker';
    /** A setting by which it searches differently from most workers. */
    differs?: string;
    threads: number;
    parts: number;
    /** Queries per second. */
    load: number;
    proposals: number;
    proposals_under_way: number;
    proposals_published: number;
    proposals_refused: number;
    proposals_silent: number;
    proposals_unknown: number;
    asked: number;
    lost: number;
    misdirected: number;
}

export interface PartFigures {
    part: number;
    /** Null: nobody's. */
    owner: string | null;
    served: boolean;
    /** Queries per second. */
    load: number;
    queries: number;
    company: number;
    cloaks: number;
    dropped: number;
    pending: number;
    held: number;
    cpu_s: number;
}

/** GET /v1/cluster. Counts are since the start of whoever counts. */
export interface ClusterPage {
    epoch: number;
    partition: string;
    /** The busiest worker's load by the mean, per thread. */
    imbalance: number;
    placements: number;
    moved: number;
    strangers: number;
    /** Between two beats of a process; 0: nobody is ever missed. */
    beat_s: number;
    connected: boolean;
    messages_out: number;
    messages_in: number;
    bytes_out: number;
    bytes_in: number;
    unsent: number;
    unopened: number;
    overrun: number;
    reconnects: number;
    peers: (GatewayPeer | WorkerPeer)[];
    parts: PartFigures[];
}

/** GET /v1/partition */
export interface PartitionPage {
    partition: string;
    parts: number;
    /** The part of each segment of the map. */
    segments: number[];
}

// --- The demo alone -------------------------------------------------------------------------

/** GET /demo/about */
export interface DemoAbout {
    token: string;
    user: string;
    travellers: number;
    engine: string;
    engines: string[];
}

/** GET /demo/places?text=... */
export interface PlacesPage {
    places: {
        kind: 'street' | 'place';
        /** Empty if it has none. */
        name: string;
        category?: string;
        street?: string;
        segment: number;
        position: Position;
    }[];
    /** Not all are listed. */
    more: boolean;
}

export interface HelloEvent {
    t: number;
    travellers: number;
    every_s: number;
    /** Of positions: units of the map. */
    step: number;
    engine: string;
}

/** What has changed since the frame before; of a base, all. */
export interface PositionsEvent {
    t: number;
    frame: number;
    base: boolean;
    /** Base64; position_frames.ts reads it. */
    moves: string;
}

export interface AskedEvent extends Needs {
    query: number;
    who: number;
    segment: number;
    max_wait_s: number;
}

export interface PendingEvent {
    queries: (AskedEvent & { waited_s: number })[];
}

export interface EndedEvent {
    query: number;
    outcome: string;
    reason?: string;
    cloak?: string;
    wait_s?: number;
}

/** GET, POST /demo/replay, and the event of that name: a recorded run, in seconds of its own time. */
export interface ReplayState {
    begin: number;
    end: number;
    now: number;
    /** Its seconds in one of ours. */
    speed: number;
    is_paused: boolean;
}

export interface ReplayChange {
    paused?: boolean;
    speed?: number;
    t?: number;
}

// --- /demo/methods --------------------------------------------------------------------------

export interface MethodsHello {
    t: number;
    /** StarCloak's engine first. */
    methods: string[];
    since_t: number;
    window_s: number;
    cloaks_per_s: number;
}

export interface MethodCloakEvent {
    method: string;
    id: string;
    t: number;
    users: number;
    segments: number[];
    border_nodes: number[];
}

/** Of the last minute; an average of nothing is null. */
export interface MethodFigures {
    method: string;
    asked: number;
    cloaked: number;
    dropped: number;
    success: number | null;
    pending: number;
    cloaks: number;
    users: number | null;
    segments: number | null;
    border_nodes: number | null;
    wait_s: number | null;
    chance: number | null;
    attacked: number;
    violations: number;
}

export interface MethodsEvent {
    t: number;
    since_t: number;
    left_out: number;
    methods: MethodFigures[];
}
