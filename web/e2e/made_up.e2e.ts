// What is drawn of what happens, seen one by one: the service is real, but what it tells is made up here, one cloak,
// one query, one number at a time. So each can be found on the canvas and followed until it is gone.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Counters } from '../src/api/types';
import { NO_COUNTERS } from '../src/state/counters';
import { Between, type Story } from './between';
import { isLinked, isReady, launch, open, PATIENCE, type Watched, watched } from './browser';
import { CHARTS_BUILT_IN, chartCanvas, isClose, shownValues } from './charts';
import { chartValues } from './oracle';
import { CLOAKS, follow, ink, roads, top } from './pixels';
import { city, demo, Workplace } from './programs';

const place = new Workplace();
let stage: Between;
let events: Story;
let travellers: Story;
let browser: Browser;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    const map = city(place.folder, 300);
    const service = place.owns(await demo(map, '--travellers', '2', '--pause', '3000'));
    stage = place.owns(await Between.inFrontOf(service.url));
    events = stage.story('/v1/events');
    travellers = stage.story('/demo/events');
    browser = place.owns(await launch());
    seen = await watched(browser, { colorScheme: 'light' });
    page = seen.page;
    await open(page, stage.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

/** Every so many-th road, from that one on. */
function cloak(id: string, first: number) {
    const segments = Array.from({ length: 12 }, (_, i) => first + 20 * i);
    return { id, segments, border_nodes: [], requests: [{ type: 'knn', k: 5 }] };
}

test('cloaks that left before the page was opened are counted, and not denied', async () => {
    await part('tab-cloaks').click();
    events.tell('counters', { ...NO_COUNTERS, t: 900, cloaks: 30_650 });
    await expect
        .poll(() => part('cloak-list-empty').innerText(), PATIENCE)
        .toContain('30,650 cloaks left before this page was opened');
    await part('tab-ask').click();
});

test('a cloak is there when it leaves, fades, and is gone', async () => {
    expect((await ink(page, top('provider'), { least: 0 })).pixels).toBe(0);
    const record = follow(page, top('provider'), { least: 0 });
    const colour = follow(page, top('provider'), { colours: CLOAKS, least: 0.5 });
    events.tell('cloak', cloak('00000000000000a1', 0));
    expect(Math.max(...(await colour).map(({ pixels }) => pixels))).toBeGreaterThan(50);

    const firm = (await record).map(({ firmest }) => firmest);
    const most = Math.max(...firm);
    expect(most).toBeGreaterThan(0.7);
    // Not all at once: it has been fainter and fainter, and never became firmer.
    const faded = firm.slice(firm.indexOf(most));
    expect(faded[faded.length - 1]).toBe(0);
    expect(faded.some((now) => now > 0.3 && now < 0.6)).toBe(true);
    expect(faded.some((now) => now > 0.05 && now < 0.3)).toBe(true);
    expect(faded).toEqual([...faded].sort((a, b) => b - a));
});

const chosen = async () =>
    (await ink(page, top('provider'), { colours: ['--map-selected'], least: 0.5 })).pixels;
let chosenAt: number;

test('a cloak that is chosen stands out', async () => {
    events.tell('cloak', cloak('00000000000000a2', 5));
    await part('tab-cloaks').click();
    const item = part('cloak-list').locator('[data-cloak="00000000000000a2"]');
    await item.waitFor(PATIENCE);
    expect(await chosen()).toBe(0);
    await item.click();
    await expect.poll(chosen, PATIENCE).toBeGreaterThan(50);
    chosenAt = Date.now();
});

const wish = { who: 0, segment: 40, k: 5, l: 3, max_hops: 4 };
/** The ring of a query and the sign in it, but not the faint circle that it leaves. */
const RING = { colours: ['--map-calm', '--map-waiting', '--map-urgent'], least: 0.6 };

test('the ring of a query runs out as its deadline comes, and changes its colour', async () => {
    travellers.tell('positions', { t: 1, frame: 1, base: true, moves: '' }); // nobody is on the road
    const [all, calm] = [RING, { ...RING, colours: ['--map-calm'] }].map((wanted) =>
        follow(page, top('travellers'), wanted, 0.35),
    );
    travellers.tell('asked', { query: 1, ...wish, max_wait_s: 8 });
    const left = (await all).map(({ pixels }) => pixels);
    const full = Math.max(...left);
    expect(full).toBeGreaterThan(60);
    // It did not go away, it ran out: what is left is the sign, in the colour of urgency.
    expect(left.some((now) => now > 0.45 * full && now < 0.75 * full)).toBe(true);
    expect(left[left.length - 1]).toBeLessThan(0.35 * full);
    expect(left[left.length - 1]).toBeGreaterThan(0);
    expect(Math.max(...(await calm).map(({ pixels }) => pixels))).toBeGreaterThan(60);
    const urgent = { ...RING, colours: ['--map-urgent'] };
    const later = async () => (await ink(page, top('travellers'), urgent)).pixels;
    await expect.poll(later, PATIENCE).toBeGreaterThan(5);
});

test('what became of a query is shown for a moment', async () => {
    const endings = [
        { outcome: 'answered', colour: '--map-answer', cloak: '00000000000000a1', wait_s: 1 },
        { outcome: 'dropped', colour: '--map-urgent', reason: 'expired' },
    ];
    travellers.tell('ended', { query: 1, outcome: 'dropped', reason: 'expired' });
    const rings = async () => (await ink(page, top('travellers'), RING)).pixels;
    await expect.poll(rings, PATIENCE).toBe(0);
    let query = 2;
    for (const { colour, ...ending } of endings) {
        let sign: number[] = [];
        // On a busy machine the moment may be over before it is drawn.
        for (let tries = 0; tries < 5 && Math.max(0, ...sign) === 0; tries++) {
            const record = follow(page, top('travellers'), { colours: [colour] }, 0, 60);
            travellers.tell('asked', { query, ...wish, max_wait_s: 60 });
            travellers.tell('ended', { query, ...ending });
            query += 1;
            sign = (await record).map(({ pixels }) => pixels);
        }
        expect(Math.max(...sign), ending.outcome).toBeGreaterThan(10);
        expect(sign[sign.length - 1], ending.outcome).toBe(0);
    }
});

test('the cloak that was chosen is still there when it would have faded', async () => {
    await expect.poll(() => Date.now() - chosenAt, PATIENCE).toBeGreaterThan(10_000);
    expect(await chosen()).toBeGreaterThan(50);
});

/** A second's worth of each counter, for so many seconds. */
function rowsAfter(last: Counters, seconds: number, more: Partial<Counters>): Counters[] {
    const rows: Counters[] = [];
    for (let i = 1; i <= seconds; i++) {
        const row = { ...(rows[rows.length - 1] ?? last) };
        row.t += 1;
        for (const [name, value] of Object.entries(more)) row[name as keyof Counters] += value;
        rows.push(row);
    }
    return rows;
}

const start: Counters = { ...NO_COUNTERS, t: 10, pending: 7, listeners: 1 };
const fair = {
    ...{ answered: 8, dropped: 2, expired: 1, infeasible: 1, cloaks: 2, wait_s: 26 },
    ...{ users: 11, segments: 24, bytes_out: 400, bytes_in: 12_600 },
};
const foul = {
    ...{ answered: 2, dropped: 18, expired: 15, infeasible: 3, failed: 20, cloaks: 1, wait_s: 19 },
    ...{ users: 3, segments: 40, bytes_out: 2_000, bytes_in: 700 },
};

test('charts tell what was counted, in numbers and in lines', async () => {
    await part('chart-success').scrollIntoViewIfNeeded();
    const lines = async () => {
        const heights: number[] = [];
        for (const chart of CHARTS_BUILT_IN) {
            const line = { colours: ['--series-1'], least: 0.5 };
            heights.push((await ink(page, chartCanvas(chart), line)).height);
        }
        return heights;
    };
    const past = rowsAfter(start, 90, fair);
    const toldAt = Date.now();
    const fields = Object.keys(start) as (keyof Counters)[];
    events.tell('history', { fields, rows: past.map((row) => fields.map((name) => row[name])) });
    const says = async (rows: Counters[]) =>
        isClose(await shownValues(page, CHARTS_BUILT_IN), chartValues(rows));
    await expect.poll(() => says(past), PATIENCE).toBe(true);
    expect(chartValues(past).success[0]).toBe(80);
    expect(Math.max(...(await lines()))).toBeLessThan(8); // all the same for minutes: level lines
    expect(Math.min(...(await lines()))).toBeGreaterThan(0);

    // The service's clock goes on meanwhile; another one would be another service.
    const last = past[past.length - 1];
    const late = Math.floor((Date.now() - toldAt) / 1000);
    const now = rowsAfter({ ...last, t: last.t + late }, 4, foul);
    for (const row of now) events.tell('counters', row);
    await expect.poll(() => says([...past, ...now]), PATIENCE).toBe(true);
    expect(chartValues([...past, ...now]).success[0]).toBeLessThan(15);
    expect(await part('counter-answered').innerText()).toBe('728');
    // A few seconds more, and it can be seen in every line.
    const goesOn = async () => {
        const t = last.t + Math.floor((Date.now() - toldAt) / 1000);
        now.push(...rowsAfter({ ...now[now.length - 1], t: t + 4 }, 1, foul));
        events.tell('counters', now[now.length - 1]);
        return Math.min(...(await lines()));
    };
    await expect.poll(goesOn, { ...PATIENCE, interval: 1000 }).toBeGreaterThan(12);
});

/** Tell the past, then a row each second until the page shows what is wanted: a silent stream would be called late. */
async function tellUntil(
    past: Counters[],
    each: Partial<Counters>,
    look: () => Promise<unknown>,
    wanted: unknown,
): Promise<void> {
    const fields = Object.keys(NO_COUNTERS) as (keyof Counters)[];
    events.tell('history', { fields, rows: past.map((row) => fields.map((name) => row[name])) });
    const toldAt = Date.now();
    let last = past[past.length - 1];
    const goOn = () => {
        const t = past[past.length - 1].t + 1 + Math.floor((Date.now() - toldAt) / 1000);
        if (t === last.t) return look();
        last = rowsAfter({ ...last, t: t - 1 }, 1, each)[0];
        events.tell('counters', last);
        return look();
    };
    await expect.poll(goOn, PATIENCE).toEqual(wanted);
}

test('a dead provider is told in red, with the failures and the time since, until it answers', async () => {
    // A page that was told nothing of travellers, and does not find them late.
    const fresh = await watched(browser);
    await open(fresh.page, stage.url);
    await isLinked(fresh.page, 'live');
    const own = (name: string) => fresh.page.getByTestId(name);
    const banner = async () =>
        (await own('banner').isVisible()) ? own('banner').innerText() : null;
    const sign = async () => [
        await own('link-state').innerText(),
        await own('link-state').getAttribute('data-health'),
        await banner(),
    ];
    const begin: Counters = { ...NO_COUNTERS, t: 5000, answered: 1000, cloaks: 200, listeners: 1 };
    const well = rowsAfter(begin, 60, { answered: 80 });
    await tellUntil(well, { answered: 80 }, sign, ['Live', 'good', null]);

    const away = { failed: 72, provider_suspended: 72 };
    const ill = rowsAfter({ ...well[59], suspended: 1 }, 125, away);
    const words = 'Provider away for 2\u00a0min: 72 questions a second fail.';
    await tellUntil([...well, ...ill], away, sign, ['Provider away', 'bad', words]);
    expect(await own('link-state').getAttribute('data-state')).toBe('live');
    expect(await own('counter-failed').innerText()).toMatch(/^9,\d\d\d$/);

    const back = rowsAfter({ ...ill[124], suspended: 0 }, 12, { answered: 80 });
    await tellUntil([...well, ...ill, ...back], { answered: 80 }, sign, ['Live', 'good', null]);
    expect(fresh.complaints).toEqual([]);
    await fresh.close();
});

test('on a fine screen the numbers at the charts are as large as on a coarse one', async () => {
    const fine = await watched(browser, { deviceScaleFactor: 2 });
    await fine.page.addInitScript(() => {
        const sizes: { canvas: HTMLCanvasElement; size: number }[] = [];
        const { fillText } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fillText = function (...args) {
            const own = Number.parseFloat(/([0-9.]+)px/.exec(this.font)?.[1] ?? '0');
            const { a, b } = this.getTransform();
            sizes.push({ canvas: this.canvas, size: (own * Math.hypot(a, b)) / devicePixelRatio });
            fillText.apply(this, args);
        };
        Object.assign(window, { textSizes: sizes });
    });
    await open(fine.page, stage.url);
    await fine.page.getByTestId('chart-drops').scrollIntoViewIfNeeded();
    const sizes = () =>
        fine.page.evaluate(() => {
            const { textSizes } = window as unknown as {
                textSizes: { canvas: HTMLCanvasElement; size: number }[];
            };
            return textSizes
                .filter(({ canvas }) => canvas.closest('[data-testid^="chart-"]'))
                .map(({ size }) => size);
        });
    await expect.poll(async () => (await sizes()).length, PATIENCE).toBeGreaterThan(10);
    expect(Math.min(...(await sizes()))).toBeGreaterThanOrEqual(9);
    expect(Math.max(...(await sizes()))).toBeLessThan(30);
    expect(fine.complaints).toEqual([]);
    await fine.close();
});

test('the other theme has other roads, charts and cloaks, and is remembered', async () => {
    await page.evaluate(() => scrollTo(0, 0));
    const colourOf = (name: string) =>
        page.evaluate(
            (property) =>
                getComputedStyle(document.documentElement).getPropertyValue(property).trim(),
            name,
        );
    const drawn = async () =>
        (await ink(page, roads('provider'), { colours: ['--map-road-local'], least: 0.9 })).pixels;
    const light = await colourOf('--map-road-local');
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(300);

    await part('theme').selectOption('dark');
    await page.waitForSelector('html[data-theme="dark"]');
    expect(await colourOf('--map-road-local')).not.toBe(light);
    // The property has another value now, so these are other pixels than before.
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(300);
    const line = async () =>
        (await ink(page, chartCanvas('success'), { colours: ['--series-1'], least: 0.5 })).pixels;
    await part('chart-success').scrollIntoViewIfNeeded();
    await expect.poll(line, PATIENCE).toBeGreaterThan(20);
    const record = follow(page, top('provider'), { colours: CLOAKS, least: 0.5 });
    events.tell('cloak', cloak('00000000000000a3', 9));
    expect(Math.max(...(await record).map(({ pixels }) => pixels))).toBeGreaterThan(50);

    await page.reload();
    await isReady(page);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await part('theme').inputValue()).toBe('dark');
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(300);
    await part('theme').selectOption('light');
    await expect.poll(() => colourOf('--map-road-local'), PATIENCE).toBe(light);
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(300);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
