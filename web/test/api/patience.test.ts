// How long to wait before trying again.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal, Unreachable } from '../../src/api/fetch';
import { LONGEST_MS, patiently, pauseAfter } from '../../src/api/patience';

describe('pauses', () => {
    it('double with every failure up to the longest', () => {
        const longest = [1, 2, 3, 4, 5, 6, 7, 100].map((n) => pauseAfter(n, 500, () => 1));
        expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 10000, 10000, 10000]);
    });

    it('are never shorter than half of what they could be', () => {
        for (let failures = 1; failures < 20; failures++) {
            const full = pauseAfter(failures, 500, () => 1);
            expect(pauseAfter(failures, 500, () => 0)).toBe(full / 2);
        }
    });

    it('begin where the service wants them to, within reason', () => {
        expect(pauseAfter(1, 3000, () => 1)).toBe(3000);
        expect(pauseAfter(1, 60_000, () => 1)).toBe(LONGEST_MS);
        expect(pauseAfter(1, 0, () => 1)).toBe(100);
    });
});

describe('patience', () => {
    beforeEach(() => {
        vi.useFakeTimers();
    });
    afterEach(() => {
        vi.useRealTimers();
    });

    it('tries until it works, and says each time how long it waits', async () => {
        const failures = [new Unreachable('gone'), refusal(503), refusal(429)];
        const task = vi.fn(async () => {
            const failure = failures.shift();
            if (failure) throw failure;
            return 'here';
        });
        const pauses: number[] = [];
        const result = patiently(task, (_error, pause) => pauses.push(pause));
        await vi.runAllTimersAsync();
        expect(await result).toBe('here');
        expect(task).toHaveBeenCalledTimes(4);
        expect(pauses).toHaveLength(3);
        expect(pauses.every((pause) => pause > 0 && pause <= LONGEST_MS)).toBe(true);
    });

    it('gives up on a plain no, and on a mistake of our own', async () => {
        for (const error of [refusal(403), new TypeError('a mistake')]) {
            const task = vi.fn(async () => {
                throw error;
            });
            await expect(patiently(task, () => {})).rejects.toBe(error);
            expect(task).toHaveBeenCalledTimes(1);
        }
    });
});

function refusal(status: number): Refusal {
    return new Refusal({ type: 'about:blank', title: 'no', status });
}
