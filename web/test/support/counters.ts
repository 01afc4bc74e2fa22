// Counters of a service, all zero but what a test names.
import type { Counters } from '../../src/api/types';

export function countersAt(t: number, others: Partial<Counters> = {}): Counters {
    return {
        t,
        pending: 0,
        answered: 0,
        dropped: 0,
        expired: 0,
        infeasible: 0,
        failed: 0,
        gone: 0,
        cloaks: 0,
        wait_s: 0,
        users: 0,
        segments: 0,
        bytes_out: 0,
        bytes_in: 0,
        listeners: 1,
        ...others,
    };
}
