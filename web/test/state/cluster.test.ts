import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal, Unreachable } from '../../src/api/fetch';
import type { ClusterPage } from '../../src/api/types';
import { ClusterWatch, EVERY_MS } from '../../src/state/cluster';
import { cluster } from '../support/cluster';

beforeEach(() => {
    vi.useFakeTimers();
});
afterEach(() => {
    vi.useRealTimers();
});

const refusal = (status: number) => new Refusal({ type: 'about:blank', title: 'No', status });

/** A watch, and how often it has asked so far. */
function watching(answer: () => ClusterPage) {
    const asked = vi.fn(async (_stop: AbortSignal) => answer());
    return { asked, watch: new ClusterWatch(asked) };
}

test('nothing is asked for until somebody looks, and nothing after', async () => {
    const { asked, watch } = watching(() => cluster());
    await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(asked).toHaveBeenCalledTimes(0);
    watch.isWatched = true;
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
    expect(asked).toHaveBeenCalledTimes(3);
    watch.isWatched = false;
    await vi.advanceTimersByTimeAsync(5 * EVERY_MS);
    expect(asked).toHaveBeenCalledTimes(3);
});

test('whoever listens is told of each page', async () => {
    let epoch = 0;
    const { watch } = watching(() => cluster({ epoch: ++epoch }));
    const seen: (number | undefined)[] = [];
    watch.changed.on(() => seen.push(watch.page?.epoch));
    watch.isWatched = true;
    await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
    expect(seen).toEqual([1, 2, 3]);
});

test('a service that says no is left alone until somebody looks anew', async () => {
    let may = false;
    const { asked, watch } = watching(() => {
        if (!may) throw refusal(403);
        return cluster();
    });
    watch.isWatched = true;
    await vi.advanceTimersByTimeAsync(5 * EVERY_MS);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(watch.trouble?.message).toBe('No.');
    may = true;
    watch.isWatched = false;
    watch.isWatched = true;
    await vi.advanceTimersByTimeAsync(0);
    expect(watch.trouble).toBeNull();
    expect(watch.page).not.toBeNull();
});

test('one that does not answer, or is overloaded, is asked again, and what was known is kept', async () => {
    const answers: (() => ClusterPage)[] = [
        () => cluster({ epoch: 7 }),
        () => {
            throw new Unreachable('The service does not answer.');
        },
        () => {
            throw refusal(503);
        },
        () => cluster({ epoch: 8 }),
    ];
    const { watch } = watching(() => (answers.shift() ?? (() => cluster()))());
    watch.isWatched = true;
    await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
    expect(watch.trouble).not.toBeNull();
    expect(watch.page?.epoch).toBe(7);
    await vi.advanceTimersByTimeAsync(EVERY_MS);
    expect(watch.trouble).toBeNull();
    expect(watch.page?.epoch).toBe(8);
});

test('an answer that comes when nobody looks any more is not told', async () => {
    let answer: (page: ClusterPage) => void = () => {};
    const watch = new ClusterWatch(
        () =>
            new Promise((resolve) => {
                answer = resolve;
            }),
    );
    const told = vi.fn();
    watch.changed.on(told);
    watch.isWatched = true;
    watch.isWatched = false;
    answer(cluster());
    await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(told).not.toHaveBeenCalled();
});
