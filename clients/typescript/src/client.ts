// A client of the service: ask and wait, over lines that may break at any time.
//
// A query lives in the service under an id. The client shows up there every few seconds with a
// request that waits for the outcome; as long as it does so within each lease, the query stays.
// If the line breaks, attempts go on until the query cannot have an outcome any more.
//
// Times: an outcome comes within max_wait_s and what the provider may take (providerS), and a
// client that was away may need a lease more to find it. One attempt may take as long as it asked
// the service to wait, and marginS.
import {
    ForgottenError,
    type Outcome,
    outcomeOf,
    type State,
    UnreachableError,
} from './outcomes.js';
import {
    backoff,
    checkedUrl,
    now,
    pause,
    type Reply,
    refusal,
    type Token,
    Transport,
} from './transport.js';
import type { About, Categories, Home, Query, Zone } from './types.js';

export interface ClientOptions {
    /** Of the service, as https://cloak.example. */
    url: string;
    token: Token;
    /** Seconds for which a query that is refused for the moment, or finds no line, is tried again (30). */
    patienceS?: number;
    /** Seconds that a reply may take beyond what the service was asked to wait (5). */
    marginS?: number;
    /** Seconds that an outcome may take after max_wait_s: the provider's time (15). */
    providerS?: number;
    /** max_wait_s of queries that leave it to the operator: the longest that the operator allows (60). */
    maxWaitS?: number;
    /** Allow http:// to another machine, where the network itself protects what it carries. */
    plain?: boolean;
    /** In place of the global one, for tests and proxies. */
    fetch?: typeof fetch;
}

export interface AskOptions {
    /** Ends waiting, with its reason; the query is withdrawn when its lease ends, or by cancel(). */
    signal?: AbortSignal;
    /** Ask by a single request that stays open until the outcome. */
    held?: boolean;
    /** The same key means the same query, also after a restart of the application; random if missing. */
    key?: string;
}

interface Handle {
    id: string;
    key: string;
    /** When waiting is of no use any more, in seconds since 1970. */
    until_s: number;
    lease_s: number;
    max_poll_s: number;
}

const QUERIES = '/v1/queries';

export class Client {
    private readonly transport: Transport;
    private readonly patienceS: number;
    private readonly marginS: number;
    private readonly providerS: number;
    private readonly maxWaitS: number;

    constructor(options: ClientOptions) {
        const url = checkedUrl(options.url, options.plain ?? false);
        // fetch must be called as a function of the page, whatever object holds it.
        const fetching = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
        this.transport = new Transport(url, options.token, fetching);
        this.patienceS = options.patienceS ?? 30;
        this.marginS = options.marginS ?? 5;
        this.providerS = options.providerS ?? 15;
        this.maxWaitS = options.maxWaitS ?? 60;
    }

    /**
     * Ask, and wait for the outcome. A query that the service has lost in a restart is asked once
     * more, under the same key, as long as its max_wait_s has not passed.
     */
    async ask(query: Query, options: AskOptions = {}): Promise<Outcome> {
        const key = options.key ?? (await randomKey());
        if (options.held) return this.askHeld(query, key, options.signal);
        const ends = now() + this.waitOf(query);
        const pending = await this.start(query, { ...options, key });
        try {
            return await pending.wait(options);
        } catch (error) {
            if (!(error instanceof ForgottenError) || now() >= ends) throw error;
        }
        return (await this.start(query, { ...options, key })).wait(options);
    }

    /** Ask, and return as soon as the service has accepted the query. */
    async start(query: Query, options: Omit<AskOptions, 'held'> = {}): Promise<Pending> {
        const key = options.key ?? (await randomKey());
        const reply = await this.transport.request({
            method: 'POST',
            path: QUERIES,
            headers: { Prefer: 'respond-async', 'Idempotency-Key': key },
            body: JSON.stringify(query),
            attemptS: this.marginS,
            until: now() + this.patienceS,
            signal: options.signal,
        });
        const outcome = outcomeOf(reply.status, reply.body);
        if (!outcome && reply.status !== 202) throw refusal(reply);
        const body = (reply.body ?? {}) as Record<string, unknown>;
        const leaseS = Number(body.lease_s ?? 15);
        const handle: Handle = {
            id: String(body.id ?? reply.location?.split('/').pop() ?? ''),
            key,
            until_s: Date.now() / 1000 + this.waitOf(query) + this.providerS + leaseS,
            lease_s: leaseS,
            max_poll_s: Number(body.max_poll_s ?? leaseS),
        };
        return new Pending(this.transport, handle, this.marginS, this.patienceS, outcome);
    }

    /** Go on with a query that was started before, from what its `handle` was. */
    resume(handle: string): Pending {
        const read = JSON.parse(handle) as Handle;
        return new Pending(this.transport, read, this.marginS, this.patienceS);
    }

    /** The bounds of profiles and requests. */
    async about(): Promise<About> {
        return (await this.page('GET', '/v1/about', undefined, true)) as About;
    }

    /** The categories that a request may name. */
    async categories(): Promise<Categories['categories']> {
        return ((await this.page('GET', '/v1/categories', undefined, true)) as Categories)
            .categories;
    }

    /** The zone of a position, sealed for the user of the token. */
    async zone(position: Home['position']): Promise<Zone> {
        return (await this.page('POST', '/v1/zone', JSON.stringify({ position }), false)) as Zone;
    }

    private async page(
        method: 'GET' | 'POST',
        path: string,
        body: string | undefined,
        isPublic: boolean,
    ) {
        const reply = await this.transport.request({
            method,
            path,
            ...(body !== undefined && { body }),
            isPublic,
            attemptS: this.marginS,
            until: now() + this.patienceS,
        });
        if (reply.status !== 200) throw refusal(reply);
        return reply.body;
    }

    private async askHeld(query: Query, key: string, signal?: AbortSignal): Promise<Outcome> {
        const wholeS = this.waitOf(query) + this.providerS + this.marginS;
        const reply = await this.transport.request({
            method: 'POST',
            path: QUERIES,
            headers: { 'Idempotency-Key': key },
            body: JSON.stringify(query),
            attemptS: wholeS,
            until: now() + Math.max(wholeS, this.patienceS),
            signal,
        });
        const outcome = outcomeOf(reply.status, reply.body);
        if (!outcome) throw refusal(reply);
        return outcome;
    }

    private waitOf(query: Query): number {
        return query.profile?.max_wait_s ?? this.maxWaitS;
    }
}

/** A query that the service has accepted. */
export class Pending {
    private isCancelled = false;
    private lastState: State = 'waiting';

    /** Use Client.start() or Client.resume(). */
    constructor(
        private readonly transport: Transport,
        private readonly parts: Handle,
        private readonly marginS: number,
        private readonly patienceS: number,
        private known?: Outcome,
    ) {
        if (known) this.lastState = known.outcome;
    }

    /**
     * A text that resumes this query, in another process too, until it is forgotten. Together with
     * a token of the same user it reads the outcome: keep it as you keep the token.
     */
    get handle(): string {
        return JSON.stringify(this.parts);
    }

    /** As of the last contact. */
    get state(): State {
        return this.lastState;
    }

    /** Undefined until there is one. */
    get outcome(): Outcome | undefined {
        return this.known;
    }

    /**
     * Ask once how things are, and renew the lease.
     * @param waitS  seconds that the service may wait for the outcome
     */
    async look(waitS = 0, options: { signal?: AbortSignal } = {}): Promise<State> {
        return this.lookUntil(waitS, now() + Math.max(this.patienceS, waitS), options.signal);
    }

    /** Wait for the outcome, over lines that break. Throws UnreachableError when none can come any more. */
    async wait(options: { signal?: AbortSignal } = {}): Promise<Outcome> {
        const until = now() + this.parts.until_s - Date.now() / 1000;
        // Twice in a lease, so that one request may be lost; whole seconds are the service's.
        const pollS = Math.max(
            1,
            Math.floor(Math.min(this.parts.max_poll_s, this.parts.lease_s / 2)),
        );
        for (let early = 0; !this.known; ) {
            const began = now();
            // A last look, even if the time passed while the application slept.
            await this.lookUntil(pollS, Math.max(until, began + this.marginS), options.signal);
            if (!this.known && now() >= until) throw this.unreachable();
            // A service about to stop, or a proxy, does not wait as it was asked to.
            if (!this.known && now() - began < pollS / 2)
                await pause(backoff(early++), options.signal);
        }
        return this.known;
    }

    /** Withdraw the query: it no longer counts for others, and its outcome is forgotten. */
    async cancel(): Promise<void> {
        this.isCancelled = true;
        const reply = await this.request('DELETE', '', this.marginS, now() + this.patienceS);
        if (reply.status !== 204 && reply.status !== 404) throw refusal(reply);
        this.settle({ outcome: 'withdrawn', reason: 'client' });
    }

    private async lookUntil(waitS: number, until: number, signal?: AbortSignal): Promise<State> {
        if (this.known) return this.lastState;
        const reply = await this.request(
            'GET',
            waitS > 0 ? `?wait=${waitS}` : '',
            waitS + this.marginS,
            until,
            signal,
        );
        if (this.known) return this.lastState;
        if (reply.status === 404 && this.isCancelled) {
            this.settle({ outcome: 'withdrawn', reason: 'client' });
            return this.lastState;
        }
        if (reply.status !== 200) throw refusal(reply);
        const outcome = outcomeOf(reply.status, reply.body);
        if (outcome) this.settle(outcome);
        else
            this.lastState =
                (reply.body as { state?: string } | undefined)?.state === 'cloaked'
                    ? 'cloaked'
                    : 'waiting';
        return this.lastState;
    }

    private settle(outcome: Outcome): void {
        this.known = outcome;
        this.lastState = outcome.outcome;
    }

    private async request(
        method: 'GET' | 'DELETE',
        query: string,
        attemptS: number,
        until: number,
        signal?: AbortSignal,
    ): Promise<Reply> {
        const path = `${QUERIES}/${encodeURIComponent(this.parts.id)}${query}`;
        try {
            return await this.transport.request({ method, path, attemptS, until, signal });
        } catch (error) {
            if (error instanceof UnreachableError) error.handle = this.handle;
            throw error;
        }
    }

    private unreachable(): UnreachableError {
        const error = new UnreachableError('no outcome came in the time in which one can');
        error.handle = this.handle;
        return error;
    }
}

/** 128 random bits, 22 characters of base64url. */
async function randomKey(): Promise<string> {
    let source = globalThis.crypto;
    if (!source) {
        // Node.js 18 has it in a module only; the name is hidden from bundlers, which would look for it.
        const name = 'node:crypto';
        source = (await import(/* @vite-ignore */ name)).webcrypto;
    }
    const bytes = source.getRandomValues(new Uint8Array(16));
    return btoa(String.fromCharCode(...bytes))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/=+$/, '');
}
