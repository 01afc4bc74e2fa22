// Written by generate_types.mjs from src/service/api/openapi.json; do not edit.
// biome-ignore-all format: as the script writes it

export interface About {
    /** Version of the program. */
    version: string;
    engine: Method;
    provider: 'built in' | 'http' | 'points' | 'areas';
    /** How messages to a provider over HTTP are encoded; null for others. */
    encoding: 'compact' | 'geojson' | null;
    /**
     * The map that is served now; it may change while the service runs. Edges and segments
     * are numbers of this map.
     */
    map: {
        /** As in `/v1/map`: equal maps have equal checksums. */
        checksum: string;
        segments: number;
    };
    /** The operator's bounds and defaults of profiles. */
    profile: {
        k: Bounds;
        l: Bounds;
        max_hops: Bounds;
        max_wait_s: Bounds;
    };
    /** The largest k of a request. */
    max_nearest: number;
    /** The largest radius of a request. */
    max_radius_m: number;
    /**
     * The same for ranges by travel time, in seconds; 0 if the provider knows distances
     * only.
     */
    max_radius_s: number;
    /** Of requests that do not name one. */
    metric: Metric;
    /** Who may listen to /v1/events; off where it is not. */
    events: 'off' | 'local' | 'token' | 'open';
    /**
     * What routes that are not described here offer now: `starcloak demo` has `attacks`
     * (POST /v1/attacks) and, once there is a report, `reports` (/reports/).
     */
    offers: string[];
    /** Whether travellers can have a zone (POST /v1/zone). */
    zones: boolean;
    /** Whether the map is in several parts: then there are /v1/partition and /v1/cluster. */
    cluster: boolean;
    /** Whether this is `starcloak demo`, with travellers of its own. */
    demo: boolean;
    /**
     * For a temporary audit the operator records users and true positions, readable for the
     * auditor alone, until then; null: nothing of the kind is recorded.
     */
    records_true_positions_until: string | null;
}

export interface Answered {
    outcome: 'answered';
    wait_s: Wait;
    /** The cloak that hides the traveller and the other members, without their identities. */
    cloak: {
        id: CloakId;
        /** Different users. */
        users: number;
        segments: number;
    };
    /** The road where the traveller is. Missing where the map has no name for it. */
    street?: string;
    /** By which the objects are the nearest, and in order. */
    metric: Metric;
    /** The exact answer for the traveller's own position, nearest first. */
    objects: Found[];
}

export interface Bounds {
    least: number;
    standard: number;
    most: number;
}

export interface Categories {
    categories: ({
        name: string;
        /**
         * How many objects of it the map has; null if the objects are the provider's own
         * and their number is unknown.
         */
        objects: number | null;
    })[];
}

/**
 * A random id of each cloak. Members find it in their outcomes, listeners in events; it is
 * not sent to the provider.
 */
export type CloakId = string;

export interface Degrees {
    lon: number;
    lat: number;
}

export interface Dropped {
    outcome: 'dropped';
    /**
     * expired: too few other users were near in time. infeasible: no cloak within max_hops
     * has l segments. exposed: there are l segments within max_hops, but not as the service
     * asks: see demands. rare-request: you made this request before and few others make it
     * nearby, so that it would show that both cloaks are yours; the operator chose not to
     * send such requests (rare-requests).
     */
    reason: 'expired' | 'infeasible' | 'exposed' | 'rare-request';
    wait_s: Wait;
    /** What would help, in words for people. */
    advice: string;
    /**
     * Of exposed: what was in force for this query, and together could not be met. traffic:
     * no road may be much busier than the others. classes: roads at places to protect do
     * not count. zone: the whole zone of the traveller must be in the cloak. continuity:
     * roads count by the part of them that can have been reached since the traveller's last
     * cloak.
     */
    demands?: ('traffic' | 'classes' | 'zone' | 'continuity')[];
    /**
     * Of exposed, if continuity was in force: seconds after which the last cloak no longer
     * counts. It may be earlier that a query is served.
     */
    later_s?: number;
}

export interface Found {
    /** The provider's key of the object. */
    id: string;
    /** Empty if it has none. */
    name: string;
    category: string;
    /** The road that it is on. Missing where the map has no name for it. */
    street?: string;
    /** Missing on maps without coordinates. */
    position?: Degrees | Point;
    /** By road, as one may drive. */
    distance_m: number;
    /**
     * How long that takes: both numbers are of one way, the nearest by the metric. Missing
     * if the provider knows points only.
     */
    duration_s?: number;
}

/** Degrees (WGS 84), on maps with geographic coordinates. */
export interface Geographic {
    lon: number;
    lat: number;
    heading_deg?: Heading;
}

/**
 * Which way the traveller goes, in degrees clockwise from north, or from the y axis of a
 * plane. Of a road that is open both ways the direction that is nearer to it counts;
 * without it either does. It stays with this service, like the position. Maps without
 * coordinates do not use it.
 */
export type Heading = number;

/** Where a zone is wanted. */
export interface Home {
    /** A position, as that of a query. It stays in this service, and nothing of it is kept. */
    position: Geographic | Planar | OnEdge;
}

/** A way to find cloaks. */
export type Method = 'basic' | 'bounded' | 'hybrid' | 'xstar' | 'sampling' | 'expansion' | 'patient';

/** What is near: by the quickest way as one may drive it, or by the shortest. */
export type Metric = 'time' | 'distance';

/**
 * An edge of the map and the distance from its first node; works on maps without
 * coordinates too.
 */
export interface OnEdge {
    edge: number;
    offset_m: number;
    heading_deg?: Heading;
}

/** On planar maps, in the map's own units. */
export interface Planar {
    x: number;
    y: number;
    heading_deg?: Heading;
}

export interface Point {
    x: number;
    y: number;
}

/** Problem details (RFC 9457). No text repeats a position, a user or a token. */
export interface Problem {
    type: 'urn:starcloak:problem:body' | 'urn:starcloak:problem:position' | 'urn:starcloak:problem:profile' | 'urn:starcloak:problem:request' | 'urn:starcloak:problem:too-costly' | 'urn:starcloak:problem:zone' | 'urn:starcloak:problem:token' | 'urn:starcloak:problem:forbidden' | 'urn:starcloak:problem:not-found' | 'urn:starcloak:problem:no-such-query' | 'urn:starcloak:problem:method' | 'urn:starcloak:problem:slow' | 'urn:starcloak:problem:too-large' | 'urn:starcloak:problem:media-type' | 'urn:starcloak:problem:expectation' | 'urn:starcloak:problem:off-road' | 'urn:starcloak:problem:no-zone' | 'urn:starcloak:problem:idempotency-mismatch' | 'urn:starcloak:problem:headers' | 'urn:starcloak:problem:rate' | 'urn:starcloak:problem:pending' | 'urn:starcloak:problem:cost' | 'urn:starcloak:problem:waiting' | 'urn:starcloak:problem:internal' | 'urn:starcloak:problem:not-implemented' | 'urn:starcloak:problem:provider' | 'urn:starcloak:problem:overloaded' | 'urn:starcloak:problem:draining' | 'urn:starcloak:problem:gateway-unreachable' | 'urn:starcloak:problem:provider-timeout';
    /** A title that is the same for all problems of a type. */
    title: string;
    /** The HTTP status of the reply. */
    status: number;
    /** What is wrong in this case, and what to do. */
    detail?: string;
    /**
     * Where the problem is: a JSON pointer into the body, or the name of a header or of a
     * parameter.
     */
    field?: string;
    /** The outcome of a query that had been accepted. */
    outcome?: 'failed';
    /** The reason of that outcome. */
    reason?: 'provider_unreachable' | 'provider_timeout' | 'provider_refused' | 'provider_unbelievable' | 'provider_suspended' | 'overloaded' | 'in_doubt' | 'stopped' | 'not_sent_in_time' | 'result_lost' | 'too_costly';
}

/**
 * The privacy that the traveller asks for. A missing value is the operator's default; a
 * value outside the operator's bounds is refused.
 */
export interface Profile {
    /** How many different users the cloak must hold. */
    k?: number;
    /** How many segments it must have. */
    l?: number;
    /** How far it may reach, in hops between crossings. */
    max_hops?: number;
    /** How long the query may wait for its cloak, in seconds. */
    max_wait_s?: number;
}

export interface Query {
    /** The traveller's position. It stays in this service, and is wiped after the outcome. */
    position: Geographic | Planar | OnEdge;
    profile?: Profile;
    request: Request;
    zone?: SealedZone;
    /**
     * Give the query a life of its own, and wait so many seconds for its outcome before the
     * reply is 202. At most `max-poll` of the service (30).
     */
    wait?: number;
}

/** What is asked for. */
export type Request = {
    type: 'knn';
    /** Missing: the operator's default, which /v1/about tells. */
    metric?: Metric;
    k: number;
    categories?: WantedCategories;
} | {
    type: 'range';
    metric?: 'distance';
    radius_m: number;
    categories?: WantedCategories;
} | {
    type: 'range';
    metric?: 'time';
    radius_s: number;
    categories?: WantedCategories;
};

/**
 * The user's zone, as POST /v1/zone gave it: if the position is in it, the cloak has all of
 * its roads. A zone of another user, of another map or of another service is refused.
 */
export type SealedZone = string;

/** Seconds from asking until the cloak left or the query was dropped. */
export type Wait = number;

/** Names from /v1/categories. Missing, null or empty: objects of all categories. */
export type WantedCategories = string[] | null;

export interface Zone {
    zone: SealedZone;
    /** How many roads it has. */
    roads: number;
    /** The least max_hops of a query in it. */
    max_hops: number;
}
