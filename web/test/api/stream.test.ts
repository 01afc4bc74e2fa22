// The stream that does not end: the network is made up here, and so is time.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStream, type StreamState } from '../../src/api/stream';

const bytes = new TextEncoder();

/** A service whose responses are at hand: each try appears in `tries`. */
class FakeService {
    readonly tries: { headers: Record<string, string>; signal: AbortSignal }[] = [];
    status = 200;
    isDown = false;
    private writer: ReadableStreamDefaultController<Uint8Array> | null = null;

    readonly fetch: typeof fetch = async (_path, request) => {
        const signal = request?.signal as AbortSignal;
        this.tries.push({ headers: request?.headers as Record<string, string>, signal });
        if (this.isDown) throw new TypeError('Failed to fetch');
        if (this.status !== 200) return new Response('{}', { status: this.status });
        const body = new ReadableStream<Uint8Array>({
            start: (writer) => {
                this.writer = writer;
                signal.addEventListener('abort', () => {
                    try {
                        writer.error(new DOMException('aborted', 'AbortError'));
                    } catch {
                        // It had ended already.
                    }
                });
            },
        });
        return new Response(body);
    };

    say(text: string): void {
        this.sayBytes(bytes.encode(text));
    }

    sayBytes(part: Uint8Array): void {
        this.writer?.enqueue(part);
    }

    hangUp(): void {
        this.writer?.close();
    }
}

describe('the event stream', () => {
    let service: FakeService;
    let stream: EventStream;
    let states: StreamState[];
    let events: string[];
    let token: string | null;

    beforeEach(async () => {
        vi.useFakeTimers();
        service = new FakeService();
        states = [];
        events = [];
        token = null;
    });

    afterEach(() => {
        stream.stop();
        vi.useRealTimers();
    });

    async function open(): Promise<void> {
        stream = new EventStream('/v1/events', {
            token: () => token,
            fetch: service.fetch,
            onEvent: ({ name, data }) => events.push(`${name} ${data}`),
            onState: (state) => states.push(state),
        });
        await vi.advanceTimersByTimeAsync(0);
    }

    const kinds = () => states.map(({ kind }) => kind);

    it('is live once it is answered, and tells what comes', async () => {
        await open();
        expect(stream.state.kind).toBe('live');
        service.say('event: a\ndata: 1\n\neve');
        service.say('nt: b\ndata: 2\n\n');
        await vi.advanceTimersByTimeAsync(0);
        expect(events).toEqual(['a 1', 'b 2']);
    });

    it('puts letters together that are cut between their bytes', async () => {
        await open();
        for (const byte of bytes.encode('data: é≠😀\n\n')) service.sayBytes(Uint8Array.of(byte));
        await vi.advanceTimersByTimeAsync(0);
        expect(events).toEqual(['message é≠😀']);
    });

    it('comes back after it was hung up on', async () => {
        await open();
        service.say(': hello\n');
        await vi.advanceTimersByTimeAsync(0);
        service.hangUp();
        await vi.advanceTimersByTimeAsync(0);
        expect(stream.state.kind).toBe('lost');
        await vi.advanceTimersByTimeAsync(500);
        expect(service.tries).toHaveLength(2);
        expect(kinds()).toEqual(['live', 'lost', 'live']);
    });

    it('tries ever more seldom while nobody answers, and tells when', async () => {
        service.isDown = true;
        await open();
        await vi.advanceTimersByTimeAsync(60_000);
        // Doubling from half a second to ten: between 8 and 16 tries in a minute, whatever the dice say.
        expect(service.tries.length).toBeGreaterThanOrEqual(8);
        expect(service.tries.length).toBeLessThanOrEqual(17);
        const last = states[states.length - 1];
        expect(last.kind === 'lost' && last.retryAt > performance.now()).toBe(true);
        service.isDown = false;
        await vi.advanceTimersByTimeAsync(10_000);
        expect(stream.state.kind).toBe('live');
    });

    it('takes silence for death, but not if a comment comes now and then', async () => {
        await open();
        for (let i = 0; i < 10; i++) {
            await vi.advanceTimersByTimeAsync(15_000);
            service.say(':\n');
            await vi.advanceTimersByTimeAsync(0);
        }
        expect(service.tries).toHaveLength(1);
        await vi.advanceTimersByTimeAsync(41_000);
        expect(service.tries).toHaveLength(2);
        expect(service.tries[0].signal.aborted).toBe(true);
    });

    it('does not argue with a refusal, but tries when asked to', async () => {
        for (const status of [401, 403, 404]) {
            service.status = status;
            service.tries.length = 0;
            await open();
            expect(stream.state).toEqual({ kind: 'forbidden', status });
            await vi.advanceTimersByTimeAsync(30_000);
            expect(service.tries).toHaveLength(1);
            service.status = 200;
            token = 'sct1_x';
            stream.retryNow();
            await vi.advanceTimersByTimeAsync(0);
            expect(stream.state.kind).toBe('live');
            expect(service.tries[1].headers).toMatchObject({ Authorization: 'Bearer sct1_x' });
            stream.stop();
        }
    });

    it('takes an overloaded service for lost and not for a refusal', async () => {
        service.status = 503;
        await open();
        expect(stream.state.kind).toBe('lost');
    });

    it('goes on when a listener makes a mistake', async () => {
        stream = new EventStream('/v1/events', {
            fetch: service.fetch,
            onEvent: ({ data }) => {
                if (data === 'bad') throw new Error('a mistake');
                events.push(data);
            },
            onState: (state) => states.push(state),
        });
        await vi.advanceTimersByTimeAsync(0);
        service.say('data: bad\n\ndata: good\n\n');
        await expect(vi.advanceTimersByTimeAsync(0)).rejects.toThrow('a mistake');
        expect(events).toEqual(['good']);
        expect(stream.state.kind).toBe('live');
    });

    it('tries no more once it is stopped', async () => {
        service.isDown = true;
        await open();
        stream.stop();
        const tries = service.tries.length;
        await vi.advanceTimersByTimeAsync(120_000);
        expect(service.tries).toHaveLength(tries);
    });
});
