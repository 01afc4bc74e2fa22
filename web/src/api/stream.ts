// A stream of events that does not end: if it breaks it is opened again, after pauses that grow.
//
// Over fetch() and not EventSource, since that one cannot send a token, does not tell why it was refused,
// and tries again in its own time.
//
// 1. `state` is always true: live while bytes may come, lost (with the moment of the next try) in between.
// 2. Silence for 40 s is death: the service says at least a comment every 15.
// 3. A refusal (401, 403, 404) is not argued with: the next try comes after a minute, or when asked to.
import { headersWith } from './fetch';
import { pauseAfter } from './patience';
import { EventParser, type ServerEvent } from './sse';

const SILENCE_MS = 40_000;
const REFUSED_PAUSE_MS = 60_000;

export type StreamState =
    | { kind: 'connecting' }
    | { kind: 'live' }
    /** `retryAt` as performance.now() */
    | { kind: 'lost'; retryAt: number }
    | { kind: 'forbidden'; status: number };

export interface StreamOptions {
    /** Asked before each try; null sends none. */
    token?: () => string | null;
    onEvent(event: ServerEvent): void;
    onState(state: StreamState): void;
    fetch?: typeof fetch;
}

/** How one try ended: the status of a refusal; or 0, with `alive` if anything had been heard. */
interface Ending {
    status: number;
    alive: boolean;
}

export class EventStream {
    state: StreamState = { kind: 'connecting' };
    private readonly stopped = new AbortController();
    private wake: (() => void) | null = null;
    private retryMs: number | undefined;

    constructor(
        private readonly path: string,
        private readonly options: StreamOptions,
    ) {
        void this.run();
    }

    /** Try at once, if it is waiting for the next try. */
    retryNow(): void {
        this.wake?.();
    }

    stop(): void {
        this.stopped.abort();
        this.wake?.();
    }

    private async run(): Promise<void> {
        let failures = 0;
        while (!this.stopped.signal.aborted) {
            const ending = await this.listen();
            if (this.stopped.signal.aborted) return;
            if (isRefusal(ending.status)) {
                failures = 0;
                this.become({ kind: 'forbidden', status: ending.status });
                await this.pause(REFUSED_PAUSE_MS);
            } else {
                failures = ending.alive ? 1 : failures + 1;
                const pause = pauseAfter(failures, this.retryMs);
                this.become({ kind: 'lost', retryAt: performance.now() + pause });
                await this.pause(pause);
            }
        }
    }

    /** One try: returns when it has ended, whatever the reason. */
    private async listen(): Promise<Ending> {
        const attempt = new AbortController();
        const giveUp = () => attempt.abort();
        this.stopped.signal.addEventListener('abort', giveUp);
        let silence = setTimeout(giveUp, SILENCE_MS);
        let alive = false;
        try {
            const response = await (this.options.fetch ?? fetch)(this.path, {
                headers: { Accept: 'text/event-stream', ...headersWith(this.options.token?.()) },
                credentials: 'omit',
                cache: 'no-store',
                signal: attempt.signal,
            });
            if (!response.ok || !response.body) return { status: response.status, alive };
            this.become({ kind: 'live' });
            const parser = new EventParser();
            const decoder = new TextDecoder();
            const reader = response.body.getReader();
            for (;;) {
                const { done, value } = await reader.read();
                if (done) return { status: 0, alive };
                alive = true;
                clearTimeout(silence);
                silence = setTimeout(giveUp, SILENCE_MS);
                for (const event of parser.push(decoder.decode(value, { stream: true }))) {
                    this.deliver(event);
                }
                this.retryMs = parser.retryMs ?? this.retryMs;
            }
        } catch {
            // Refused by the network, broken off, or too long silent: the same to us.
            return { status: 0, alive };
        } finally {
            clearTimeout(silence);
            this.stopped.signal.removeEventListener('abort', giveUp);
            attempt.abort();
        }
    }

    /** A listener's mistake is no fault of the stream: it goes on, and the mistake is still reported. */
    private deliver(event: ServerEvent): void {
        try {
            this.options.onEvent(event);
        } catch (error) {
            setTimeout(() => {
                throw error;
            });
        }
    }

    private pause(ms: number): Promise<void> {
        return new Promise((resolve) => {
            const timer = setTimeout(resolve, ms);
            this.wake = () => {
                clearTimeout(timer);
                resolve();
            };
        });
    }

    private become(state: StreamState): void {
        this.state = state;
        this.options.onState(state);
    }
}

function isRefusal(status: number): boolean {
    return status === 401 || status === 403 || status === 404;
}
