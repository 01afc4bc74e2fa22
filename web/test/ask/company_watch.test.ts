// Company that comes and goes: told soon, and not more often than one can read.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Company } from '../../src/ask/company';
import { CompanyWatch } from '../../src/ask/company_watch';
import { Stars } from '../../src/map/ball';
import { Travellers } from '../../src/state/fleet';

// A crossing with four roads.
const map = { nodeCount: 5, segmentCount: 4, ends: Uint32Array.from([0, 1, 0, 2, 0, 3, 0, 4]) };
const wish = { k: 3, l: 3, max_hops: 1, max_wait_s: 10 };
const asker = { segment: 0, k: 3, l: 3, max_hops: 1 };

beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
    vi.useRealTimers();
});

function scene(isWanted = () => true) {
    const fleet = new Travellers(9, 'basic', (x, y) => ({ x, y }));
    const watch = new CompanyWatch(fleet, () => new Stars(map), isWanted);
    const told: Company[] = [];
    watch.changed.on((company) => told.push(company));
    const ask = (query: number) =>
        fleet.ask({ query, who: query, segment: 1, ...wish }, performance.now());
    return { fleet, watch, told, ask };
}

describe('a watch of company', () => {
    it('tells at once, and again when travellers have asked or ended', () => {
        const { fleet, watch, told, ask } = scene();
        watch.look(asker);
        expect(told.map(({ missing }) => missing)).toEqual([2]);
        ask(1);
        ask(2);
        expect(told.length).toBe(1);
        vi.advanceTimersByTime(500);
        expect(told.map(({ missing }) => missing)).toEqual([2, 0]);
        fleet.end({ query: 2, outcome: 'left' });
        vi.advanceTimersByTime(500);
        expect(told.map(({ missing }) => missing)).toEqual([2, 0, 1]);
    });

    it('tells at most twice a second, and nothing while it is not wanted', () => {
        let isWanted = true;
        const { watch, told, ask } = scene(() => isWanted);
        watch.look(asker);
        for (let i = 0; i < 100; i++) {
            ask(i);
            vi.advanceTimersByTime(20);
        }
        expect(told.length).toBeLessThanOrEqual(6);
        vi.advanceTimersByTime(1000);
        const before = told.length;
        isWanted = false;
        ask(200);
        vi.advanceTimersByTime(1000);
        expect(told.length).toBe(before);
    });

    it('expects as many as were there at once, however many come and go', () => {
        const { fleet, watch, ask } = scene();
        for (let i = 0; i < 60; i++) {
            ask(i);
            vi.advanceTimersByTime(500);
            // Each is there for a second, so two are there at any time.
            if (i > 0) fleet.end({ query: i - 1, outcome: 'left' });
        }
        expect(watch.forecast(asker, 4)).toBe(3);
        for (const waitS of [1, 10, 60]) {
            expect(watch.forecast({ ...asker, k: 30 }, waitS)).toBe(3);
        }
        // There are four roads.
        expect(watch.forecast({ ...asker, l: 5 }, 4)).toBe(1);
    });

    it('expects nothing of a time with another engine', () => {
        const { fleet, watch, ask } = scene();
        for (let i = 0; i < 20; i++) ask(i);
        vi.advanceTimersByTime(10_000);
        expect(watch.watchedS).toBe(10);
        fleet.useEngine('patient');
        expect(watch.watchedS).toBe(0);
    });

    it('goes by the engine in force', () => {
        const { fleet, watch, told } = scene();
        watch.look(asker);
        fleet.useEngine('patient');
        expect(told.length).toBe(2);
    });
});
