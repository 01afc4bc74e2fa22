// How long to wait before trying again, and trying until it works.
//
// Pauses double up to ten seconds: a service that restarts is found quickly, one that is away for long is
// not bothered. Each pause is drawn at random from its upper half, so that many pages that lost the same
// service do not all come back in the same moment.
import { Refusal, Unreachable } from './fetch';

const FIRST_MS = 500;
const SHORTEST_MS = 100;
export const LONGEST_MS = 10_000;

/** @param failures  how many there were in a row, at least 1;  @param first  what the service wishes, if it said so */
export function pauseAfter(
    failures: number,
    first = FIRST_MS,
    random: () => number = Math.random,
): number {
    const full = Math.min(
        LONGEST_MS,
        Math.max(SHORTEST_MS, first) * 2 ** Math.min(failures - 1, 16),
    );
    return full * (0.5 + 0.5 * random());
}

/** Do `task` until it succeeds; give up only if the service says no in so many words. */
export async function patiently<T>(
    task: () => Promise<T>,
    onWait: (error: Error, pauseMs: number) => void,
): Promise<T> {
    for (let failures = 1; ; failures++) {
        try {
            return await task();
        } catch (error) {
            if (!mayPass(error)) throw error;
            const pause = pauseAfter(failures);
            onWait(error, pause);
            await new Promise((wake) => setTimeout(wake, pause));
        }
    }
}

function mayPass(error: unknown): error is Error {
    if (error instanceof Unreachable) return true;
    return (
        error instanceof Refusal && (error.problem.status === 429 || error.problem.status >= 500)
    );
}
