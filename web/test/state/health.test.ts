// How a service is, from made-up counters.
import { describe, expect, it } from 'vitest';
import type { Counters } from '../../src/api/types';
import { CounterLog } from '../../src/state/counters';
import { type Health, HealthWatch, healthOf } from '../../src/state/health';
import { countersAt } from '../support/counters';

/** What is counted in each second of a time, and what is so in it. */
interface Time {
    seconds: number;
    each?: Partial<Counters>;
    are?: Partial<Counters>;
}

/** A log of these times, one after the other; it starts at second 0 of both clocks. */
function logOf(...times: Time[]): CounterLog {
    const log = new CounterLog();
    let row = countersAt(0);
    log.add(row, 0);
    for (const { seconds, each = {}, are = {} } of times) {
        for (let i = 0; i < seconds; i++) {
            row = { ...row, suspended: 0, t: row.t + 1 };
            for (const [name, more] of Object.entries(each)) row[name as keyof Counters] += more;
            row = { ...row, ...are };
            log.add(row, row.t);
        }
    }
    return log;
}

function healthAfter(...times: Time[]): Health {
    const health = healthOf(logOf(...times).rows);
    if (!health) throw new Error('there are rows');
    return health;
}

const fine: Partial<Counters> = { answered: 60, dropped: 4 };
const dead: Partial<Counters> = { failed: 72, provider_suspended: 72, dropped: 4 };

describe('the health of a service', () => {
    it('is not known before the first row, and good while queries are answered or none comes', () => {
        expect(healthOf([])).toBeNull();
        expect(healthAfter({ seconds: 60, each: fine })).toMatchObject({
            level: 'good',
            ailment: null,
        });
        expect(healthAfter({ seconds: 60 }).level).toBe('good');
    });

    it('is bad when the provider is away: with what fails each second, and since when', () => {
        const health = healthAfter({ seconds: 60, each: fine }, { seconds: 130, each: dead });
        expect(health).toMatchObject({ level: 'bad', ailment: 'provider-away' });
        expect(health.perSecond).toBeCloseTo(72);
        // It is noticed when half of the last seconds' answers have not come.
        expect(health.sinceS).toBeGreaterThan(60);
        expect(health.sinceS).toBeLessThan(68);
        expect(health.isLonger).toBe(false);
    });

    it('calls the provider unsteady while most queries are answered', () => {
        const each = { answered: 90, failed: 10, provider_timeout: 10 };
        const health = healthAfter({ seconds: 30, each });
        expect(health).toMatchObject({ level: 'warn', ailment: 'provider-away' });
        expect(health.share).toBeCloseTo(0.1);
        expect(
            healthAfter({ seconds: 30, each: { answered: 99, failed: 1, provider_timeout: 1 } })
                .level,
        ).toBe('good');
    });

    it('knows a provider that refuses from one that is not believed, also once it is left alone', () => {
        for (const [reason, ailment] of [
            ['provider_refused', 'provider-refuses'],
            ['provider_unbelievable', 'provider-untrue'],
            ['provider_unreachable', 'provider-away'],
        ] as const) {
            const health = healthAfter(
                { seconds: 20, each: fine },
                { seconds: 10, each: { failed: 20, [reason]: 20 } },
                {
                    seconds: 30,
                    each: { failed: 20, provider_suspended: 20 },
                    are: { suspended: 1 },
                },
            );
            expect(health.ailment).toBe(ailment);
            expect(health.sinceS).toBeLessThan(30);
        }
    });

    it('does not get better by silence, but by answers', () => {
        const silent = [{ seconds: 20, each: fine }, { seconds: 30, each: dead }, { seconds: 100 }];
        const health = healthAfter(...silent);
        expect(health).toMatchObject({ level: 'bad', ailment: 'provider-away', perSecond: 0 });
        expect(health.sinceS).toBeLessThan(30);
        expect(healthAfter(...silent, { seconds: 3, each: fine }).level).toBe('good');
    });

    it('is good again soon after the provider is back', () => {
        const health = healthAfter(
            { seconds: 20, each: fine },
            { seconds: 60, each: dead },
            { seconds: 10, each: fine },
        );
        expect(health.level).toBe('good');
    });

    it('tells of a provider that is left alone while nobody asks', () => {
        expect(healthAfter({ seconds: 5, are: { suspended: 1 } })).toMatchObject({
            level: 'bad',
            ailment: 'provider-away',
        });
    });

    it('is bad where parts of the map have no worker, and a warning where a worker is missing', () => {
        const three = { workers: 3 };
        expect(
            healthAfter(
                { seconds: 20, each: fine, are: three },
                { seconds: 40, each: fine, are: { workers: 2, unserved_parts: 5 } },
            ),
        ).toMatchObject({ level: 'bad', ailment: 'parts-unserved', missing: 5, sinceS: 21 });
        expect(
            healthAfter(
                { seconds: 20, each: fine, are: three },
                { seconds: 40, each: fine, are: { workers: 1, unserved_parts: 0 } },
            ),
        ).toMatchObject({ level: 'warn', ailment: 'workers-missing', missing: 2, sinceS: 21 });
        expect(healthAfter({ seconds: 20, each: fine, are: { workers: 1 } }).level).toBe('good');
    });

    it('knows a service that cannot keep up from other failures', () => {
        expect(
            healthAfter({
                seconds: 20,
                each: { answered: 5, failed: 10, overloaded: 7, not_sent_in_time: 3 },
            }),
        ).toMatchObject({ level: 'bad', ailment: 'overloaded' });
        expect(healthAfter({ seconds: 20, each: { answered: 90, failed: 10 } })).toMatchObject({
            level: 'warn',
            ailment: 'failing',
        });
    });

    it('warns when few find company, but not of a handful', () => {
        expect(healthAfter({ seconds: 60, each: { answered: 5, dropped: 5 } })).toMatchObject({
            level: 'warn',
            ailment: 'few-answered',
            answered: 0.5,
        });
        expect(healthAfter({ seconds: 60, each: { answered: 2, dropped: 8 } }).level).toBe('bad');
        expect(healthAfter({ seconds: 60, each: { answered: 7, dropped: 3 } }).level).toBe('good');
        expect(healthAfter({ seconds: 10, each: { dropped: 1 } }).level).toBe('good');
    });

    it('is of this run alone: one that has started again is well', () => {
        const log = logOf({ seconds: 60, each: dead });
        log.add(countersAt(1), 70);
        log.add(countersAt(2, { answered: 3 }), 71);
        expect(healthOf(log.rows)).toMatchObject({ level: 'good', sinceS: 70 });
    });
});

describe('since when', () => {
    it('is longer ago than is known, if the first row was so already', () => {
        const log = new CounterLog();
        const watch = new HealthWatch(log);
        const rows = Array.from({ length: 100 }, (_, i) => [i, 0, 30 * i, 30 * i]);
        log.setHistory({ fields: ['t', 'answered', 'failed', 'provider_timeout'], rows }, 500);
        expect(watch.now).toMatchObject({ level: 'bad', ailment: 'provider-away' });
        // It began with the service, after a first row that has nothing to be compared with.
        expect([watch.now?.sinceS, watch.now?.isLonger]).toEqual([402, false]);
        const later = rows.map(([t, ...others]) => [t + 900, ...others]);
        log.setHistory(
            { fields: ['t', 'answered', 'failed', 'provider_timeout'], rows: later },
            600,
        );
        expect([watch.now?.sinceS, watch.now?.isLonger]).toEqual([502, true]);
    });

    it('is as it was as long as nothing is asked, however long that is', () => {
        const log = new CounterLog();
        const watch = new HealthWatch(log);
        for (let t = 0; t < 1500; t++) {
            const failed = 10 * Math.min(t, 100);
            log.add(countersAt(t, { failed, provider_unreachable: failed }), t);
        }
        expect(watch.now).toMatchObject({ level: 'bad', ailment: 'provider-away', sinceS: 1 });
        log.add(countersAt(1500, { failed: 1000, provider_unreachable: 1000, answered: 5 }), 1500);
        expect(watch.now?.level).toBe('good');
    });

    it('is remembered longer than rows are kept', () => {
        const log = new CounterLog();
        const watch = new HealthWatch(log);
        for (let t = 0; t < 1000; t++) {
            const failed = t > 100 ? 10 * (t - 100) : 0;
            const answered = Math.min(t, 100) * 10;
            log.add(countersAt(t, { answered, failed, provider_unreachable: failed }), t);
        }
        expect(watch.now).toMatchObject({
            level: 'bad',
            ailment: 'provider-away',
            isLonger: false,
        });
        expect(watch.now?.sinceS).toBeLessThan(110);
        expect(log.rows[0].t).toBeGreaterThan(600);
    });
});
