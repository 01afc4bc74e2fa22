// Counters of a service, all zero but what a test names.
import type { Counters } from '../../src/api/types';
import { NO_COUNTERS } from '../../src/state/counters';

export function countersAt(t: number, others: Partial<Counters> = {}): Counters {
    return { ...NO_COUNTERS, t, listeners: 1, ...others };
}
