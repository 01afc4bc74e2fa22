// What /demo/methods tells, kept and put into words.
import { describe, expect, it } from 'vitest';
import type { MethodFigures } from '../../src/api/types';
import { figureRows } from '../../src/methods/method_words';
import { MethodsFeed } from '../../src/methods/methods_feed';
import { stateWords } from '../../src/methods/methods_panel';

function figures(method: string, others: Partial<MethodFigures> = {}): MethodFigures {
    return {
        method,
        asked: 7012,
        cloaked: 6590,
        dropped: 422,
        success: 0.9398,
        pending: 611,
        cloaks: 1242,
        users: 5.31,
        segments: 12.4,
        border_nodes: 9.8,
        wait_s: 2.104,
        chance: 0.0871,
        attacked: 61,
        violations: 0,
        ...others,
    };
}

function feedWith(opened: { stopped: number } = { stopped: 0 }): MethodsFeed {
    return new MethodsFeed(() => ({
        stop: () => {
            opened.stopped += 1;
        },
    }));
}

const tell = (feed: MethodsFeed, name: string, data: unknown) =>
    feed.hear({ name, data: JSON.stringify(data) }, 1000);

const hello = {
    t: 61.5,
    methods: ['basic', 'xstar', 'expansion'],
    since_t: 61.5,
    window_s: 60,
    cloaks_per_s: 20,
};

const cloak = (method: string, id: string) => ({
    ...{ method, id, t: 64.02, users: 5 },
    ...{ segments: [3, 4, 9], border_nodes: [2, 7] },
});

describe('the comparison of methods', () => {
    it('keeps the cloaks of each method apart', () => {
        const feed = feedWith();
        tell(feed, 'hello', hello);
        tell(feed, 'method-cloak', cloak('xstar', 'xstar-1'));
        tell(feed, 'method-cloak', cloak('expansion', 'expansion-1'));
        tell(feed, 'method-cloak', cloak('xstar', 'xstar-2'));
        expect(feed.cloaks.map(({ latest }) => latest.map(({ id }) => id))).toEqual([
            [],
            ['xstar-2', 'xstar-1'],
            ['expansion-1'],
        ]);
        expect(feed.cloaks[1].latest[0]).toMatchObject({ engine: 'xstar', seenAt: 1000 });
    });

    it('tells no share of a handful of questions or cloaks', () => {
        const [success, roads, chance] = figureRows([
            figures('basic', { asked: 19, attacked: 10 }),
            figures('xstar', { asked: 20, attacked: 9 }),
        ]);
        expect(success.values).toEqual(['–', '94\u00a0%']);
        expect(roads.values).toEqual(['12.4', '12.4']);
        expect(chance.values).toEqual(['8.7\u00a0%', '–']);
    });

    it('begins anew with each hello, and takes nothing of methods that it does not know', () => {
        const feed = feedWith();
        tell(feed, 'hello', hello);
        tell(feed, 'method-cloak', cloak('basic', 'basic-1'));
        tell(feed, 'methods', { t: 1, since_t: 0, left_out: 3, methods: [figures('basic')] });
        expect([feed.leftOut, feed.figuresOf('basic')?.cloaks]).toEqual([3, 1242]);
        tell(feed, 'hello', { ...hello, methods: ['hybrid', 'expansion'] });
        expect([feed.leftOut, feed.figures, feed.cloaks[0].latest.length]).toEqual([0, null, 0]);
        tell(feed, 'method-cloak', cloak('basic', 'basic-2'));
        expect(feed.cloaks.every(({ latest }) => latest.length === 0)).toBe(true);
        tell(feed, 'method-cloak', cloak('expansion', 'expansion-9'));
        expect(feed.cloaks[1].latest).toHaveLength(1);
    });

    it('is listened to while it is shown, and once', () => {
        const opened = { stopped: 0 };
        const feed = feedWith(opened);
        expect(feed.isWatched).toBe(false);
        feed.isWatched = true;
        feed.isWatched = true;
        feed.isWatched = false;
        expect([opened.stopped, feed.isWatched]).toEqual([1, false]);
    });
});

describe('its rows', () => {
    it('lead with success, roads and the chance of the adversary', () => {
        const rows = figureRows([
            figures('basic'),
            figures('xstar', { success: 0.5, chance: 0.2 }),
        ]);
        expect(rows.slice(0, 3).map(({ id, values }) => [id, ...values])).toEqual([
            ['success', '94\u00a0%', '50\u00a0%'],
            ['roads', '12.4', '12.4'],
            ['chance', '8.7\u00a0%', '20\u00a0%'],
        ]);
    });

    it('have a dash for an average of nothing, and for what was not told yet', () => {
        const nothing = { asked: 0, success: null, users: null, segments: null, chance: null };
        const rows = figureRows([figures('basic', { ...nothing, wait_s: null }), null]);
        const of = (id: string) => rows.find((row) => row.id === id)?.values;
        expect([of('success'), of('chance'), of('wait')]).toEqual([
            ['–', '–'],
            ['–', '–'],
            ['–', '–'],
        ]);
        expect(of('asked')).toEqual(['0', '–']);
    });

    it('are empty where the reason is said instead', () => {
        expect(stateWords({ kind: 'forbidden', status: 404 }, false, false)).toContain('does not');
        expect(stateWords({ kind: 'live' }, false, false)).toContain('starting');
        expect(stateWords({ kind: 'live' }, true, false)).toContain('ten seconds');
        expect(stateWords({ kind: 'live' }, true, true)).toBe('');
    });
});
