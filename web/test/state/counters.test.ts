// The log of counters: one line of time, whatever the service does.
import { describe, expect, it } from 'vitest';
import type { Counters } from '../../src/api/types';
import { CounterLog, KEPT_S } from '../../src/state/counters';
import { countersAt } from '../support/counters';

const fields: (keyof Counters)[] = ['t', 'answered', 'cloaks'];

describe('the log of counters', () => {
    it('begins with what the service remembers, each row at its own moment', () => {
        const log = new CounterLog();
        log.setHistory(
            {
                fields,
                rows: [
                    [10, 1, 1],
                    [11, 2, 1],
                    [12, 5, 2],
                ],
            },
            1000,
        );
        expect(log.rows.map((row) => [row.atS, row.t, row.answered])).toEqual([
            [998, 10, 1],
            [999, 11, 2],
            [1000, 12, 5],
        ]);
        expect(log.rows[0].bytes_out).toBe(0);
    });

    it('goes on where the history ends, and takes no second twice', () => {
        const log = new CounterLog();
        log.setHistory(
            {
                fields,
                rows: [
                    [11, 2, 1],
                    [12, 5, 2],
                ],
            },
            1000,
        );
        log.add(countersAt(12, { answered: 5, cloaks: 2 }), 1000.2);
        log.add(countersAt(13, { answered: 6, cloaks: 3 }), 1001);
        expect(log.rows.map((row) => row.t)).toEqual([11, 12, 13]);
        expect(log.last?.answered).toBe(6);
    });

    it('takes no harm from an empty history or one with words it does not know', () => {
        const log = new CounterLog();
        log.setHistory({ fields, rows: [] }, 5);
        expect(log.rows).toEqual([]);
        log.setHistory({ fields: ['t', 'unknown' as keyof Counters], rows: [[1, 7]] }, 5);
        expect(log.last).toMatchObject({ t: 1, answered: 0 });
        expect(log.last).not.toHaveProperty('unknown');
    });

    it('keeps five minutes and a little', () => {
        const log = new CounterLog();
        for (let t = 0; t < 1000; t++) log.add(countersAt(t), 50 + t);
        expect(log.rows.length).toBeGreaterThanOrEqual(KEPT_S);
        expect(log.rows.length).toBeLessThan(KEPT_S + 10);
        expect(log.last?.t).toBe(999);
    });

    it('has a broken connection to the same service in one piece again', () => {
        const log = new CounterLog();
        for (let t = 0; t <= 10; t++) log.add(countersAt(t, { answered: t }), 100 + t);
        log.setHistory(
            {
                fields,
                rows: [
                    [9, 9, 0],
                    [10, 10, 0],
                    [11, 11, 0],
                    [20, 20, 0],
                ],
            },
            120,
        );
        expect(log.rows.map((row) => row.t)).toEqual([9, 10, 11, 20]);
        expect(new Set(log.rows.map((row) => row.run)).size).toBe(1);
    });

    it('keeps the rows of the run before when the service was started anew', () => {
        const log = new CounterLog();
        for (let t = 50; t <= 60; t++) log.add(countersAt(t, { answered: t }), t);
        log.setHistory(
            {
                fields,
                rows: [
                    [0, 0, 0],
                    [1, 3, 1],
                ],
            },
            64,
        );
        expect(log.rows.map((row) => row.t)).toEqual([
            50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 0, 1,
        ]);
        expect(log.rows[10].run).not.toBe(log.rows[11].run);
        expect(log.rows[11].run).toBe(log.rows[12].run);
    });

    it('stays one line of time if the page slept while the service went on', () => {
        const log = new CounterLog();
        for (let t = 0; t <= 60; t++) log.add(countersAt(t, { answered: t }), 100 + t);
        // The page's clock stood still for half a minute: the service is at 91, and remembers the last 50 s.
        const rows = Array.from({ length: 51 }, (_, i) => [41 + i, 41 + i, 0]);
        log.setHistory({ fields, rows }, 161);
        const times = log.rows.map((row) => row.atS);
        expect([...times].sort((a, b) => a - b)).toEqual(times);
        expect(new Set(times).size).toBe(times.length);
        expect(log.last).toMatchObject({ t: 91, atS: 161 });
    });

    it('knows a new run even if that has run for longer than what was seen of the old', () => {
        const log = new CounterLog();
        log.add(countersAt(2, { answered: 500 }), 102);
        log.add(countersAt(3, { answered: 600 }), 103);
        log.add(countersAt(40, { answered: 700 }), 160);
        expect(log.rows[1].run).not.toBe(log.rows[2].run);
    });

    it('knows a new run by what has shrunk', () => {
        const log = new CounterLog();
        log.add(countersAt(3, { answered: 600 }), 103);
        log.add(countersAt(4, { answered: 2 }), 105);
        expect(log.rows[0].run).not.toBe(log.rows[1].run);
    });
});
