// One question to the service, one JSON answer. What goes wrong comes as an error whose message can be
// shown as it is: ours in the language of the page, the service's own in English.
import { t } from '../text/language';
import { sentence } from '../text/words';
import type { Problem } from './types';

/** The service answered, and the answer is no. */
export class Refusal extends Error {
    override readonly name = 'Refusal';
    constructor(
        readonly problem: Problem,
        /** Seconds after which to come again, if the service said so. */
        readonly retryAfterS: number | null = null,
    ) {
        super(sentence(problem.detail ? `${problem.title}: ${problem.detail}` : problem.title));
    }
}

/** The service did not answer at all, or what came is none of its answers. */
export class Unreachable extends Error {
    override readonly name = 'Unreachable';
}

export interface Call {
    method?: 'GET' | 'POST';
    body?: unknown;
    token?: string | null;
    stop?: AbortSignal;
    cache?: RequestCache;
}

/** The parsed answer. Throws Refusal, Unreachable, or an AbortError once `stop` is aborted. */
export async function callJson<T>(path: string, call: Call = {}): Promise<T> {
    const response = await callRaw(path, call);
    try {
        return (await response.json()) as T;
    } catch (error) {
        if (isAbort(error)) throw error;
        throw new Unreachable(t('The connection closed before the whole answer arrived.'));
    }
}

/** The response itself, once it is known to be a good one. Throws as callJson does. */
export async function callRaw(path: string, call: Call = {}): Promise<Response> {
    let response: Response;
    try {
        response = await fetch(path, requestOf(call));
    } catch (error) {
        if (isAbort(error)) throw error;
        // The browser's own words ("Failed to fetch") help nobody.
        throw new Unreachable(t('The service does not answer.'));
    }
    if (response.ok) return response;
    throw new Refusal(await problemOf(response), retryAfter(response));
}

/** Headers with a token, if there is one. */
export function headersWith(token: string | null | undefined): Record<string, string> {
    return token ? { Authorization: `Bearer ${token}` } : {};
}

export function isAbort(error: unknown): boolean {
    return error instanceof Error && error.name === 'AbortError';
}

function requestOf(call: Call): RequestInit {
    const headers = headersWith(call.token);
    const request: RequestInit = {
        method: call.method ?? (call.body === undefined ? 'GET' : 'POST'),
        headers,
        // As the page's preload of the map has it (index.html), which would else be fetched twice. Nothing here goes
        // by cookies, and no other site is ever asked.
        credentials: 'same-origin',
        signal: call.stop,
        cache: call.cache,
    };
    if (call.body !== undefined) {
        headers['Content-Type'] = 'application/json';
        request.body = JSON.stringify(call.body);
    }
    return request;
}

/** The service's own words if it had some; else ours. */
async function problemOf(response: Response): Promise<Problem> {
    const ours: Problem = {
        type: 'about:blank',
        title: plainWords(response.status),
        status: response.status,
    };
    try {
        const theirs: unknown = await response.json();
        if (theirs === null || typeof theirs !== 'object' || !('title' in theirs)) return ours;
        return { ...ours, ...theirs } as Problem;
    } catch (error) {
        if (isAbort(error)) throw error;
        return ours;
    }
}

function plainWords(status: number): string {
    if (status === 401) return t('A token is needed');
    if (status === 403) return t('Not allowed from here');
    if (status === 404) return t('The service has no such page');
    if (status === 429) return t('Too many queries at once');
    if (status >= 500) return t('The service cannot answer now');
    return t('The service refused the request ({status})', { status });
}

/** Seconds; the form with a date is not used by our service. */
function retryAfter(response: Response): number | null {
    const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
    return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
