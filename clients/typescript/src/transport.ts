// One request after another until there is a reply that counts, or no time left.
//
// What is safe to repeat is repeated: every POST has an Idempotency-Key, so that the service takes
// a repeated one for the same query; GET and DELETE are so by nature. Between attempts it waits as
// long as the service says (Retry-After), or longer each time, with a random share so that clients
// that lost the same server do not return at the same moment.
import {
    ForgottenError,
    problemOf,
    RefusedError,
    StarCloakError,
    UnreachableError,
} from './outcomes.js';

/** A token, or a function that gives a current one; it is called again after a 401. */
export type Token = string | (() => string | Promise<string>);

export interface Reply {
    status: number;
    body: unknown;
    location: string | null;
}

export interface Wanted {
    method: 'GET' | 'POST' | 'DELETE';
    path: string;
    headers?: Record<string, string>;
    body?: string;
    /** Whether it needs a token. */
    isPublic?: boolean;
    /** Seconds that one attempt may take. */
    attemptS: number;
    /** When to stop trying, on the clock of now(). */
    until: number;
    signal?: AbortSignal | undefined;
}

const FIRST_DELAY_S = 0.2;
// Below the shortest lease that is of use, so that a line that is back is found in time.
const LONGEST_DELAY_S = 3;

/** Seconds on a clock that nobody sets. */
export function now(): number {
    return performance.now() / 1000;
}

/** Seconds before attempt number `attempt` + 1: doubled each time, and between half of that and all. */
export function backoff(attempt: number, random = Math.random): number {
    const most = Math.min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** attempt);
    return most * (0.5 + random() / 2);
}

/** Seconds of a Retry-After header; undefined without one. The service sends numbers, proxies may send dates. */
export function retryAfter(header: string | null): number | undefined {
    if (header === null || header.trim() === '') return undefined;
    const seconds = Number(header);
    if (Number.isFinite(seconds)) return Math.max(0, seconds);
    const date = Date.parse(header);
    return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

/** Whether a reply with this status is worth another attempt: an outcome is not, whatever its status. */
export function isPassing(status: number, body: unknown): boolean {
    if ((body as Record<string, unknown> | undefined)?.outcome !== undefined) return false;
    return [408, 429, 500, 502, 503, 504].includes(status);
}

export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', stop);
            resolve();
        }, seconds * 1000);
        signal?.addEventListener('abort', stop, { once: true });
    });
}

function isLocal(host: string): boolean {
    return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** The service's address without a slash at its end; throws where positions would be readable on the way. */
export function checkedUrl(url: string, plain: boolean): string {
    const parsed = new URL(url);
    if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
        throw new StarCloakError('the address of the service must begin with https://');
    }
    if (parsed.protocol === 'http:' && !plain && !isLocal(parsed.hostname)) {
        throw new StarCloakError(
            'http:// would send positions readable for all in between: use https://, or set plain if the network itself protects them',
        );
    }
    return (parsed.origin + parsed.pathname).replace(/\/+$/, '');
}

export class Transport {
    private known: string | undefined;

    constructor(
        private readonly base: string,
        private readonly token: Token,
        private readonly fetching: typeof fetch,
    ) {}

    /** The first reply that is not worth another attempt. Throws what outcomes.ts has, or the signal's reason. */
    async request(wanted: Wanted): Promise<Reply> {
        let isRefreshed = false;
        for (let attempt = 0; ; attempt++) {
            wanted.signal?.throwIfAborted();
            let reply: (Reply & { retryAfterS: number | undefined }) | undefined;
            try {
                reply = await this.attempt(wanted);
            } catch (error) {
                wanted.signal?.throwIfAborted();
                if (error instanceof StarCloakError) throw error;
                // What fetch says names addresses at most; it is dropped all the same.
            }
            if (reply?.status === 401 && typeof this.token !== 'string' && !isRefreshed) {
                isRefreshed = true;
                this.known = undefined;
                continue;
            }
            if (reply && !isPassing(reply.status, reply.body)) return reply;
            const delay = Math.max(reply?.retryAfterS ?? 0, 0) + backoff(attempt);
            if (now() + delay >= wanted.until) {
                if (!reply) throw new UnreachableError('the service could not be reached in time');
                throw refusal(reply);
            }
            await pause(delay, wanted.signal);
        }
    }

    private async attempt(wanted: Wanted): Promise<Reply & { retryAfterS: number | undefined }> {
        const headers: Record<string, string> = { Accept: 'application/json', ...wanted.headers };
        if (!wanted.isPublic) headers.Authorization = `Bearer ${await this.currentToken()}`;
        if (wanted.body !== undefined) headers['Content-Type'] = 'application/json';
        const stop = new AbortController();
        const left = Math.min(wanted.attemptS, Math.max(wanted.until - now(), 1));
        const timer = setTimeout(() => stop.abort(), left * 1000);
        const passOn = () => stop.abort();
        wanted.signal?.addEventListener('abort', passOn, { once: true });
        try {
            const response = await this.fetching(this.base + wanted.path, {
                method: wanted.method,
                headers,
                ...(wanted.body !== undefined && { body: wanted.body }),
                signal: stop.signal,
                // A redirection could lead a position and a token elsewhere.
                redirect: 'manual',
                cache: 'no-store',
                credentials: 'omit',
                referrerPolicy: 'no-referrer',
            });
            // Browsers hide the status of a redirection.
            const status = response.type === 'opaqueredirect' ? 307 : response.status;
            const text = await response.text();
            let body: unknown;
            try {
                body = text === '' ? undefined : JSON.parse(text);
            } catch {
                body = undefined;
            }
            return {
                status,
                body,
                location: response.headers.get('Location'),
                retryAfterS: retryAfter(response.headers.get('Retry-After')),
            };
        } finally {
            clearTimeout(timer);
            wanted.signal?.removeEventListener('abort', passOn);
        }
    }

    private async currentToken(): Promise<string> {
        if (typeof this.token === 'string') return this.token;
        if (this.known === undefined) {
            try {
                this.known = await this.token();
            } catch {
                throw new StarCloakError('the function that gives the token has failed');
            }
        }
        return this.known;
    }
}

/** The error for a reply that is no success. */
export function refusal(reply: Reply & { retryAfterS?: number | undefined }): RefusedError {
    const problem = problemOf(reply.status, reply.body);
    if (reply.status === 404) return new ForgottenError(reply.status, problem);
    return new RefusedError(reply.status, problem, reply.retryAfterS);
}
