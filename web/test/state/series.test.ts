// From counters to what charts show.
import { describe, expect, it } from 'vitest';
import { CounterLog } from '../../src/state/counters';
import { current, seriesOf, summary, type Value } from '../../src/state/series';
import { countersAt } from '../support/counters';

/** A service at an even pace: each second 8 answered after 2 s each, 2 dropped, 4 cloaks of 6 travellers on 9 roads. */
function evenly(log: CounterLog, from: number, to: number, atS: number): void {
    for (let t = from; t <= to; t++) {
        const row = countersAt(t, {
            answered: 8 * t,
            wait_s: 16 * t,
            dropped: 2 * t,
            expired: 2 * t,
            cloaks: 4 * t,
            users: 24 * t,
            segments: 36 * t,
            bytes_out: 1000 * t,
            bytes_in: 5000 * t,
        });
        log.add(row, atS + t - from);
    }
}

function known(values: readonly Value[]): number[] {
    return values.filter((value) => value !== null);
}

describe('series', () => {
    it('of an even pace are level lines at that pace', () => {
        const log = new CounterLog();
        evenly(log, 0, 30, 100);
        const series = seriesOf(log.rows);
        expect(series.at).toEqual(Array.from({ length: 30 }, (_, i) => 101 + i));
        for (const [measure, value] of [
            ['success', 80],
            ['wait', 2],
            ['users', 6],
            ['segments', 9],
            ['bytesOut', 1000],
            ['bytesIn', 5000],
            ['cloaks', 4],
            ['roads', 36],
            ['expired', 2],
            ['infeasible', 0],
            ['failed', 0],
        ] as const) {
            expect(new Set(series[measure]), measure).toEqual(new Set([value]));
        }
    });

    it('of a record have no holes, however fast it is played', () => {
        const log = new CounterLog();
        for (let t = 0; t <= 100; t += 10) log.add(countersAt(t, { cloaks: 4 * t }), t);
        expect(known(seriesOf(log.rows, true).cloaks)).toEqual(new Array(10).fill(4));
        expect(known(seriesOf(log.rows).cloaks)).toEqual([]);
    });

    it('are smooth over five seconds', () => {
        const log = new CounterLog();
        for (let t = 0; t <= 20; t++) log.add(countersAt(t, { bytes_out: t >= 10 ? 500 : 0 }), t);
        // One burst of 500 bytes in second 10 is 100 a second for five seconds.
        const burst = seriesOf(log.rows).bytesOut.slice(8, 16);
        expect(burst).toEqual([0, 100, 100, 100, 100, 100, 0, 0]);
    });

    it('have no value where nothing ended', () => {
        const log = new CounterLog();
        for (let t = 0; t <= 10; t++) log.add(countersAt(t), t);
        const series = seriesOf(log.rows);
        expect(current(series.success)).toBeNull();
        expect(current(series.wait)).toBeNull();
        expect(current(series.users)).toBeNull();
        expect(current(series.bytesOut)).toBe(0);
    });

    it('have a hole and no spike where the service was started anew', () => {
        const log = new CounterLog();
        evenly(log, 100, 130, 500);
        evenly(log, 0, 20, 540);
        const series = seriesOf(log.rows);
        for (const measure of ['bytesOut', 'bytesIn', 'success', 'wait', 'users'] as const) {
            const pace = new Set(known(series[measure]));
            expect(pace.size, measure).toBe(1);
            expect(series[measure]).toContain(null);
        }
        // One point in the hole, none for the first row of each run.
        expect(series.at).toHaveLength(30 + 1 + 20);
        expect([...series.at].sort((a, b) => a - b)).toEqual(series.at);
    });

    it('have a hole where seconds are missing', () => {
        const log = new CounterLog();
        evenly(log, 0, 10, 100);
        evenly(log, 20, 25, 120);
        const series = seriesOf(log.rows);
        const hole = series.at.indexOf(115);
        expect(series.bytesOut[hole]).toBeNull();
        expect(new Set(known(series.bytesOut))).toEqual(new Set([1000]));
    });

    it('of nothing are nothing', () => {
        expect(seriesOf([]).at).toEqual([]);
        expect(current([])).toBeNull();
        expect(summary([])).toBeNull();
        expect(summary([null])).toBeNull();
    });

    it('are summed up without what is not known', () => {
        expect(summary([null, 2, 4, null, 9])).toEqual({ least: 2, mean: 5, most: 9 });
    });
});
