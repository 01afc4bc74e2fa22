// Counters that only grow, turned into what charts show: how it went in the last seconds, second by second.
//
// Each value is the difference to the row about five seconds before, of the same run: short enough to see
// a change of engine, long enough that a second without a cloak is no gap. Where there is nothing to say (no query
// ended, the service was away) a value is null, and the chart has a hole.
import type { CounterRow } from './counters';

const SMOOTH_S = 5;
/** Rows come every second; where more is missing than this, the line is broken. */
const HOLE_S = 3;

export type Value = number | null;

export interface Series {
    /** performance.now() / 1000, ascending. */
    at: number[];
    /** Percent of the queries that ended. */
    success: Value[];
    /** Seconds, mean of the answered. */
    wait: Value[];
    /** Means per cloak. */
    users: Value[];
    segments: Value[];
    /** Per second. */
    bytesOut: Value[];
    bytesIn: Value[];
    cloaks: Value[];
    roads: Value[];
    expired: Value[];
    infeasible: Value[];
    failed: Value[];
}

export type Measure = Exclude<keyof Series, 'at'>;

/** @param isRecord  played at any speed: rows may be any time apart, and nothing is missing between them */
export function seriesOf(rows: readonly CounterRow[], isRecord = false): Series {
    const series: Series = {
        at: [],
        success: [],
        wait: [],
        users: [],
        segments: [],
        bytesOut: [],
        bytesIn: [],
        cloaks: [],
        roads: [],
        expired: [],
        infeasible: [],
        failed: [],
    };
    let from = 0;
    for (let i = 1; i < rows.length; i++) {
        const row = rows[i];
        while (from < i && !reaches(rows[from], row)) from++;
        const isOneRun = rows[i - 1].run === row.run;
        if (isRecord && isOneRun) {
            addPoint(series, row.atS, rows[Math.min(from, i - 1)], row);
            continue;
        }
        if (isHole(rows[i - 1], row)) {
            // One point with nothing in it, in the middle of the hole.
            addPoint(series, (rows[i - 1].atS + row.atS) / 2, null, row);
        }
        if (from < i) addPoint(series, row.atS, rows[from], row);
    }
    return series;
}

/** The newest value there is, and none if the newest is null. */
export function current(values: readonly Value[]): Value {
    return values.length > 0 ? values[values.length - 1] : null;
}

/** Least, mean and most of what is known. */
export function summary(
    values: readonly Value[],
): { least: number; mean: number; most: number } | null {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    let sum = 0;
    let count = 0;
    for (const value of values) {
        if (value === null) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
        sum += value;
        count += 1;
    }
    return count > 0 ? { least, mean: sum / count, most } : null;
}

function reaches(from: CounterRow, to: CounterRow): boolean {
    return from.run === to.run && to.t - from.t <= SMOOTH_S + 0.5;
}

function isHole(before: CounterRow, after: CounterRow): boolean {
    return before.run !== after.run || after.t - before.t > HOLE_S;
}

function addPoint(series: Series, at: number, from: CounterRow | null, to: CounterRow): void {
    const over = (part: keyof CounterRow, whole: keyof CounterRow, least: number): Value => {
        if (!from) return null;
        const count = to[whole] - from[whole];
        return count >= least ? Math.max(0, to[part] - from[part]) / count : null;
    };
    const perSecond = (part: keyof CounterRow): Value => over(part, 't', 0.1);

    series.at.push(at);
    series.success.push(from ? successPercent(from, to) : null);
    series.wait.push(over('wait_s', 'answered', 1));
    series.users.push(over('users', 'cloaks', 1));
    series.segments.push(over('segments', 'cloaks', 1));
    series.bytesOut.push(perSecond('bytes_out'));
    series.bytesIn.push(perSecond('bytes_in'));
    series.cloaks.push(perSecond('cloaks'));
    series.roads.push(perSecond('segments'));
    series.expired.push(perSecond('expired'));
    series.infeasible.push(perSecond('infeasible'));
    series.failed.push(perSecond('failed'));
}

function successPercent(from: CounterRow, to: CounterRow): Value {
    const answered = to.answered - from.answered;
    const lost = to.dropped - from.dropped + (to.failed - from.failed);
    return answered + lost > 0 ? (100 * answered) / (answered + lost) : null;
}
