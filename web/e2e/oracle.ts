// What must be so, found out without the page: the exact answer by `starcloak nearest`, and what happened by the
// service's own events.
import { execFileSync } from 'node:child_process';
import type { CloakEvent, Counters, Query, SentEvent } from '../src/api/types';
import { program } from './programs';

export interface Plain {
    segment: number;
    results: { poi: number; distance_m: number; duration_s: number; name: string }[];
}

/** The plain answer to a question that the page has asked, without any cloak. */
export function nearest(map: string, query: Query): Plain {
    const { position, request } = query;
    if (!('lon' in position) || request.type !== 'knn') throw new Error('not what is asked here');
    const categories = (request.categories ?? []).flatMap((name) => ['--category', name]);
    const text = execFileSync(program, [
        ...['nearest', map, '--json', '--count', String(request.k)],
        ...['--metric', request.metric ?? 'time'],
        ...[`--lon=${position.lon}`, `--lat=${position.lat}`, ...categories],
    ]).toString();
    return JSON.parse(text) as Plain;
}

/** Listens beside the page, as anybody on this machine may. */
export class Listener {
    readonly cloaks = new Map<string, CloakEvent>();
    readonly sent = new Map<string, SentEvent>();
    /** A row per second. */
    readonly counters: Counters[] = [];
    private readonly abort = new AbortController();

    /** @param service  its address, as one opens it */
    constructor(service: string) {
        void this.listen(`${service}v1/events`);
    }

    /** How long the service has been there, in seconds. */
    get age(): number {
        return this.counters[this.counters.length - 1]?.t ?? 0;
    }

    close(): void {
        this.abort.abort();
    }

    private async listen(url: string): Promise<void> {
        try {
            const response = await fetch(url, { signal: this.abort.signal });
            if (!response.body) return;
            const decoder = new TextDecoder();
            let text = '';
            for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
                text += decoder.decode(chunk, { stream: true });
                const events = text.split('\n\n');
                text = events.pop() ?? '';
                for (const event of events) this.take(event);
            }
        } catch {
            // The service has ended, or nobody wants to hear more.
        }
    }

    private take(event: string): void {
        const found = /^event: (\w+)\ndata: (.*)$/.exec(event);
        if (!found) return;
        const data: unknown = JSON.parse(found[2]);
        if (found[1] === 'cloak') this.cloaks.set((data as CloakEvent).id, data as CloakEvent);
        if (found[1] === 'sent') this.sent.set((data as SentEvent).cloak, data as SentEvent);
        if (found[1] === 'counters') this.counters.push(data as Counters);
    }
}

/** Charts tell how it went in so many seconds before each row. */
const SMOOTH_S = 5;

/** What the charts must say of the moment of the last row, chart by chart and line by line. */
export function chartValues(rows: readonly Counters[]): Record<string, number[]> {
    const to = rows[rows.length - 1];
    const from = rows.find(({ t }) => to.t - t <= SMOOTH_S + 0.5);
    if (!from || from === to) throw new Error('one row alone tells nothing');
    const more = (name: keyof Counters) => to[name] - from[name];
    const ended = more('answered') + more('dropped') + more('failed');
    return {
        success: [(100 * more('answered')) / ended],
        wait: [more('wait_s') / more('answered')],
        cloak: [more('users') / more('cloaks'), more('segments') / more('cloaks')],
        bytes: [more('bytes_out') / more('t'), more('bytes_in') / more('t')],
        load: [more('cloaks') / more('t'), more('segments') / more('t')],
        drops: ['expired', 'infeasible', 'failed'].map(
            (reason) => more(reason as keyof Counters) / more('t'),
        ),
    };
}
