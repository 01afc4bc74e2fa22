// The page's side of the service: what it is, what it tells, what can be asked of it.
//
// Streams come back by themselves (api/stream.ts). Each time they do, the service may be another one: if it is
// the same kind with the same map, the page goes on with a fresh token; else it begins anew, which is simplest
// by loading the page again.
import { callJson, callRaw, isAbort, Refusal, Unreachable } from '../api/fetch';
import { patiently } from '../api/patience';
import type { ServerEvent } from '../api/sse';
import { EventStream, type StreamOptions } from '../api/stream';
import type {
    About,
    Attack,
    AttackRequest,
    CategoriesPage,
    ClusterPage,
    Counters,
    DemoAbout,
    HistoryEvent,
    Outcome,
    PartitionPage,
    PlacesPage,
    PositionsEvent,
    Query,
    ReplayChange,
    ReplayState,
} from '../api/types';
import { loadRoadMap } from '../map/decode';
import { MapError, readHead } from '../map/map_bytes';
import type { RoadMap } from '../map/road_map';
import { Replay } from '../replay/replay';
import { t } from '../text/language';
import { Cloaks } from './cloaks';
import { ClusterWatch } from './cluster';
import { CounterLog } from './counters';
import { Travellers } from './fleet';
import { HealthWatch } from './health';
import { Lag } from './lag';
import { joinLinks, type LinkReport } from './link';
import type { Link, Session } from './model';
import { Signal } from './signal';

/** As index.html has it. */
const MAP = '/v1/map.bin';
/** The stream that every service has. */
const EVENTS = '/v1/events';
const DEMO_EVENTS = '/demo/events';
/** So long must a page be out of sight before it rests. */
const REST_AFTER_MS = 10_000;

export class LiveSession implements Session {
    readonly cloaks = new Cloaks();
    readonly counters = new CounterLog();
    readonly linkChanged = new Signal<Link>();
    readonly fleet: Travellers | null;
    readonly cluster: ClusterWatch | null;
    readonly replay: Replay | null;
    readonly health = new HealthWatch(this.counters);
    report: LinkReport = { link: 'connecting', retryAt: null, refused: null };
    private given: string | null = null;
    private readonly streams = new Map<string, EventStream>();
    /** Of each stream, by its path. */
    private readonly lags = new Map<string, Lag>();
    private wasAway = false;
    private isClusterForTokens = false;
    private resting: ReturnType<typeof setTimeout> | undefined;

    private constructor(
        public about: About,
        readonly map: RoadMap,
        /** The map page's entity tag: two maps with the same one are the same. */
        private readonly mapTag: string | null,
        readonly categories: CategoriesPage['categories'],
        public demo: DemoAbout | null,
    ) {
        this.fleet = demo
            ? new Travellers(demo.travellers, demo.engine, (e, n) => map.fromUnits(e, n))
            : null;
        this.given = demo?.token ?? null;
        this.replay = about.offers.includes('replay')
            ? new Replay((change) => this.controlReplay(change))
            : null;
        this.cluster = about.cluster ? new ClusterWatch((stop) => this.askForCluster(stop)) : null;
    }

    /** Ask the service for all that stays, trying until it answers. Throws a Refusal if it will not tell. */
    static async open(onWait: (error: Error, pauseMs: number) => void): Promise<LiveSession> {
        return patiently(async () => {
            // All at once: the map is on its way since the page has come (index.html), and is what takes longest.
            const [{ map, tag }, { about, demo }, { categories }] = await Promise.all([
                loadMap(),
                loadAbout(),
                callJson<CategoriesPage>('/v1/categories'),
            ]);
            return new LiveSession(about, map, tag, categories, demo);
        }, onWait);
    }

    /** How many seconds ago it was what the page shows; the streams are compared with `nowS`, performance.now() / 1000. */
    behindS(nowS: number): number {
        return Math.max(0, ...[...this.lags.values()].map((lag) => lag.behindS(nowS)));
    }

    get link(): Link {
        return this.report.link;
    }

    clockS(): number {
        return this.replay ? (this.counters.last?.t ?? 0) : performance.now() / 1000;
    }

    private get engine(): string {
        return this.fleet?.engine ?? this.about.engine;
    }

    get token(): string | null {
        return this.given;
    }

    set token(token: string | null) {
        this.given = token;
        if (this.link === 'forbidden') this.retryNow();
    }

    /** Begin to listen. Apart from open(), so that panels are there when the first event comes. */
    start(): void {
        document.addEventListener('visibilitychange', () => this.seen());
        this.listenToAll();
    }

    /** A page that nobody sees leaves its connections to others: a browser has six for one host. */
    private seen(): void {
        clearTimeout(this.resting);
        if (!document.hidden) this.listenToAll();
        else this.resting = setTimeout(() => this.rest(), REST_AFTER_MS);
    }

    private rest(): void {
        for (const stream of this.streams.values()) stream.stop();
        this.streams.clear();
        this.lags.clear();
        this.become({ link: 'connecting', retryAt: null, refused: null });
        // Whoever answers when it is seen again may be another.
        this.wasAway = true;
    }

    private listenToAll(): void {
        if (this.streams.size > 0 || !this.mayListen()) return;
        this.listen(EVENTS, (event) => this.serviceEvent(event));
        if (this.fleet) this.listen(DEMO_EVENTS, (event) => this.demoEvent(event));
    }

    retryNow(): void {
        if (this.streams.size === 0) this.listenToAll();
        else for (const stream of this.streams.values()) stream.retryNow();
    }

    async ask(query: Query, stop: AbortSignal): Promise<Outcome> {
        const ask = () =>
            callJson<Outcome>('/v1/queries', { body: query, token: this.token, stop });
        try {
            return await ask();
        } catch (error) {
            // A demo that was started again has new keys, and the page may not have noticed yet.
            if (!this.demo || !(error instanceof Refusal) || error.problem.status !== 401)
                throw error;
            await this.renewDemo();
            return ask();
        }
    }

    attack(request: AttackRequest, stop?: AbortSignal): Promise<Attack> {
        return callJson<Attack>('/v1/attacks', {
            body: request,
            token: this.listeningToken(),
            stop,
        });
    }

    async switchEngine(engine: string): Promise<void> {
        const now = await callJson<{ engine: string }>('/demo/engine', {
            body: { engine },
            token: this.listeningToken(),
        });
        this.fleet?.useEngine(now.engine);
    }

    private controlReplay(change: ReplayChange): Promise<ReplayState> {
        return callJson<ReplayState>('/demo/replay', {
            body: change,
            token: this.listeningToken(),
        });
    }

    /** Another stream of the demo, of which the page's state does not depend; the caller stops it. */
    openStream(path: string, hears: Pick<StreamOptions, 'onEvent' | 'onState'>): EventStream {
        return new EventStream(path, { token: () => this.listeningToken(), ...hears });
    }

    /** Objects of the map by name; the demo alone has them. */
    places(text: string, stop: AbortSignal): Promise<PlacesPage> {
        const path = `/demo/places?${new URLSearchParams({ text, limit: '20' })}`;
        return callJson<PlacesPage>(path, { token: this.listeningToken(), stop });
    }

    partition(): Promise<PartitionPage> {
        return callJson<PartitionPage>('/v1/partition');
    }

    /** For those who may see the metrics; who they are is said nowhere but in a refusal. */
    private async askForCluster(stop: AbortSignal): Promise<ClusterPage> {
        const ask = (token: string | null) =>
            callJson<ClusterPage>('/v1/cluster', { cache: 'no-store', token, stop });
        if (this.isClusterForTokens) return ask(this.token);
        try {
            return await ask(null);
        } catch (error) {
            const isTokenWanted = error instanceof Refusal && error.problem.status === 401;
            if (!isTokenWanted || !this.token) throw error;
            const page = await ask(this.token);
            this.isClusterForTokens = true;
            return page;
        }
    }

    /** A token is shown where one is asked for, and nowhere else. */
    private listeningToken(): string | null {
        return this.about.events === 'token' ? this.token : null;
    }

    /** Known beforehand: asking in vain would only fill the console. */
    private mayListen(): boolean {
        const { events } = this.about;
        if (events === 'off') this.become({ link: 'forbidden', retryAt: null, refused: 404 });
        else if (events === 'token' && !this.token)
            this.become({ link: 'forbidden', retryAt: null, refused: 401 });
        else return true;
        return false;
    }

    private listen(path: string, onEvent: (event: ServerEvent) => void): void {
        const lag = new Lag();
        this.lags.set(path, lag);
        const stream = new EventStream(path, {
            token: () => this.listeningToken(),
            onEvent,
            onState: (state) => {
                if (state.kind !== 'live') lag.reset();
                this.streamsChanged();
            },
        });
        this.streams.set(path, stream);
    }

    private streamsChanged(): void {
        this.become(joinLinks([...this.streams.values()].map((stream) => stream.state)));
        const state = this.streams.get(EVENTS)?.state.kind;
        if (state === 'lost') this.wasAway = true;
        // Answered, be it with a no: whoever it is that answers now.
        else if (this.wasAway && (state === 'live' || state === 'forbidden')) {
            this.wasAway = false;
            void this.lookAgain();
        }
    }

    private become(report: LinkReport): void {
        this.report = report;
        this.linkChanged.emit(report.link);
    }

    private serviceEvent({ name, data }: ServerEvent): void {
        const now = performance.now();
        if (name === 'counters') {
            const counters: Counters = JSON.parse(data);
            // A record's time stands still, or goes faster than ours: that is no delay.
            if (!this.replay) this.lags.get(EVENTS)?.heard(counters.t, now / 1000);
            this.counters.add(counters, this.replay ? counters.t : now / 1000);
        } else if (name === 'cloak') this.cloaks.add(JSON.parse(data), this.engine, now);
        else if (name === 'sent') this.cloaks.addSent(JSON.parse(data));
        else if (name === 'map') void this.lookAgain();
        else if (name === 'history') {
            const history: HistoryEvent = JSON.parse(data);
            this.counters.setHistory(history, this.replay ? endOf(history) : now / 1000);
        } else if (name === 'reset') {
            this.counters.clear();
            this.cloaks.clear();
        }
    }

    private demoEvent({ name, data }: ServerEvent): void {
        const fleet = this.fleet;
        if (!fleet) return;
        const now = performance.now();
        if (name === 'positions') {
            const positions: PositionsEvent = JSON.parse(data);
            if (!this.replay) this.lags.get(DEMO_EVENTS)?.heard(positions.t, now / 1000);
            fleet.moved(positions, now);
        } else if (name === 'asked') fleet.ask(JSON.parse(data), now);
        else if (name === 'ended') fleet.end(JSON.parse(data));
        else if (name === 'pending') fleet.pending(JSON.parse(data), now);
        else if (name === 'hello') fleet.hello(JSON.parse(data));
        else if (name === 'reset') fleet.clear();
        else if (name === 'replay') {
            const state: ReplayState = JSON.parse(data);
            this.replay?.heard(state, now);
            fleet.setPace(state.is_paused ? 0 : state.speed, now);
        }
    }

    /** After a time away, or when it has another map: is it still the service that this page was made for? */
    private async lookAgain(): Promise<void> {
        try {
            // Until it answers: a service that has just come back may be too busy for the first question, and the
            // stream, which is there already, would not make us ask again.
            const { about, isSame } = await patiently(
                async () => {
                    const about = await callJson<About>('/v1/about', { cache: 'no-store' });
                    const isSame = isSameKind(about, this.about) && (await this.hasSameMap());
                    return { about, isSame };
                },
                () => {},
            );
            if (!isSame) {
                location.reload();
                return;
            }
            this.about = about;
            if (this.demo) await this.renewDemo();
        } catch {
            // It will not tell, or its map is not one that this page can read: the page says so when it begins anew.
            location.reload();
        }
    }

    private async hasSameMap(): Promise<boolean> {
        const page = await callRaw(MAP, { cache: 'no-cache' });
        const tag = page.headers.get('ETag');
        if (tag !== null && tag === this.mapTag) {
            await page.body?.cancel().catch(() => {});
            return true;
        }
        const { checksum } = readHead(new Uint8Array(await page.arrayBuffer().catch(brokenOff)));
        return checksum === this.map.checksum;
    }

    private async renewDemo(): Promise<void> {
        try {
            this.demo = await callJson<DemoAbout>('/demo/about', {
                cache: 'no-store',
                token: this.listeningToken(),
            });
        } catch (error) {
            if (isAbort(error)) throw error;
            return; // the old token may still be good
        }
        this.given = this.demo.token;
        this.fleet?.useEngine(this.demo.engine);
    }
}

async function loadMap(): Promise<{ map: RoadMap; tag: string | null }> {
    const page = await callRaw(MAP).catch(otherVersion);
    return { map: await loadRoadMap(page).catch(brokenOff), tag: page.headers.get('ETag') };
}

async function loadAbout(): Promise<{ about: About; demo: DemoAbout | null }> {
    const about = await callJson<About>('/v1/about', { cache: 'no-store' });
    return { about, demo: about.demo ? await demoIfTold() : null };
}

/** A demo may keep its travellers to itself, as it does its events: then it looks like any service. */
async function demoIfTold(): Promise<DemoAbout | null> {
    try {
        return await callJson<DemoAbout>('/demo/about', { cache: 'no-store' });
    } catch (error) {
        if (error instanceof Refusal) return null;
        throw error;
    }
}

/** Engine and report may change at any time; the rest was read once by panels that do not look again. */
function isSameKind(now: About, before: About): boolean {
    const kind = (about: About) => JSON.stringify({ ...about, engine: '', offers: [] });
    return kind(now) === kind(before);
}

/** The time of the last row, by the clock of those who count. */
function endOf({ fields, rows }: HistoryEvent): number {
    return rows[rows.length - 1]?.[fields.indexOf('t')] ?? 0;
}

/** What a browser says if a body ends too early is a TypeError; what is wrong with a map itself is not. */
/** Behind one address there may be services of two versions, while they are renewed. */
function otherVersion(error: unknown): never {
    const isUnknown = error instanceof Refusal && error.problem.status === 404;
    throw isUnknown
        ? new MapError(
              t(
                  'The service does not offer the map in the format that this page reads; it may be another version. Load the page again.',
              ),
          )
        : error;
}

function brokenOff(error: unknown): never {
    throw error instanceof TypeError
        ? new Unreachable(t('The connection closed before the whole map arrived.'))
        : error;
}
