// The service's counters, a row per second, for the last five minutes.
//
// Rows carry the moment they belong to on this page's own clock, since the service's starts anew when it
// does: rows of an earlier run stay beside those of the present one, and `run` tells them apart. Whoever takes
// differences does so within one run only.
import type { Counters, HistoryEvent } from '../api/types';
import type { CounterBook } from './model';
import { Signal } from './signal';

/** A service that has just started. */
export const NO_COUNTERS: Counters = {
    t: 0,
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
    provider_unreachable: 0,
    provider_timeout: 0,
    provider_refused: 0,
    provider_unbelievable: 0,
    provider_suspended: 0,
    overloaded: 0,
    not_sent_in_time: 0,
    suspended: 0,
    workers: 0,
    unserved_parts: 0,
    listeners: 0,
};

export const KEPT_S = 300;
/** Messages come late now and then; clocks drift. More than this is another run. */
const SLACK_S = 5;

export interface CounterRow extends Counters {
    /** performance.now() / 1000 when it was so. */
    atS: number;
    run: number;
}

export class CounterLog implements CounterBook {
    readonly changed = new Signal();
    private kept: CounterRow[] = [];
    private run = 0;

    get rows(): readonly CounterRow[] {
        return this.kept;
    }

    get last(): CounterRow | undefined {
        return this.kept[this.kept.length - 1];
    }

    /** What the service remembers: takes the place of what we have of the same run. */
    setHistory(event: HistoryEvent, nowS: number): void {
        const rows = event.rows.map((values) => rowOf(event.fields, values));
        const newest = rows[rows.length - 1];
        if (!newest) return;
        if (this.isAnotherRun(newest, nowS)) this.run += 1;
        const firstS = nowS - (newest.t - rows[0].t);
        // Of earlier runs what was before; the history knows better about the time it covers.
        this.kept = this.kept.filter((row) => row.run !== this.run && row.atS < firstS);
        for (const row of rows) {
            this.kept.push({ ...row, atS: nowS - (newest.t - row.t), run: this.run });
        }
        this.forget(nowS);
        this.changed.emit();
    }

    add(counters: Counters, nowS: number): void {
        if (this.isAnotherRun(counters, nowS)) this.run += 1;
        const last = this.last;
        // The last row of the history and the first of the stream may be one and the same.
        if (last && last.run === this.run && counters.t <= last.t) return;
        // What a service of another version does not count is 0.
        this.kept.push({ ...NO_COUNTERS, ...counters, atS: nowS, run: this.run });
        this.forget(nowS);
        this.changed.emit();
    }

    /** What was counted no longer counts: a record is at another moment. */
    clear(): void {
        this.kept = [];
        this.run += 1;
        this.changed.emit();
    }

    /** Time since the start went another way than our own clock, or something that only grows has shrunk. */
    private isAnotherRun(counters: Counters, nowS: number): boolean {
        const last = this.last;
        if (!last) return false;
        const drift = counters.t - last.t - (nowS - last.atS);
        if (Math.abs(drift) > SLACK_S) return true;
        return (
            counters.t >= last.t &&
            (counters.answered < last.answered ||
                counters.cloaks < last.cloaks ||
                counters.bytes_out < last.bytes_out)
        );
    }

    private forget(nowS: number): void {
        const first = this.kept.findIndex((row) => row.atS >= nowS - KEPT_S - SLACK_S);
        if (first > 0) this.kept.splice(0, first);
        else if (first < 0) this.kept = [];
    }
}

function rowOf(fields: readonly (keyof Counters)[], values: readonly number[]): Counters {
    const row: Counters = { ...NO_COUNTERS };
    fields.forEach((field, i) => {
        if (field in row && Number.isFinite(values[i])) row[field] = values[i];
    });
    return row;
}
