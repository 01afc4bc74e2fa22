// The demo in a browser, with the real program, a provider as a process of its own, and travellers
// who ask over HTTP: what a newcomer sees within the first minute.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { CHARTS, chartCanvas, isClose, shownValues } from './charts';
import { chartValues, Listener } from './oracle';
import { CLOAKS, fingerprint, ink, movers, roads, top } from './pixels';
import { city, demo, provider, type Running, screenshots, Workplace } from './programs';

const place = new Workplace();
let service: Running;
let browser: Browser;
let seen: Watched;
let page: Page;
let listener: Listener;

beforeAll(async () => {
    const map = city(place.folder, 6000);
    const lbs = place.owns(await provider(map));
    service = place.owns(
        await demo(map, '--provider', lbs.url, '--travellers', '1500', '--pause', '8:2'),
    );
    listener = place.owns(new Listener(service.url));
    browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, service.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

async function number(name: string): Promise<number> {
    return Number((await part(name).innerText()).replace(/[^0-9.]/g, ''));
}

test('the roads are drawn on both sides', async () => {
    for (const side of ['travellers', 'provider'] as const) {
        const drawn = await ink(page, roads(side), { colours: ['--map-road-local'] });
        expect(drawn.pixels, side).toBeGreaterThan(500);
        expect(drawn.height, side).toBeGreaterThan(200);
    }
});

test('travellers move', async () => {
    const dots = async () => (await ink(page, movers, { colours: ['--map-mover'] })).pixels;
    await expect.poll(dots, PATIENCE).toBeGreaterThan(200);
    const before = await fingerprint(page, top('travellers'));
    await expect.poll(() => fingerprint(page, top('travellers')), PATIENCE).not.toBe(before);
    await expect.poll(() => number('counter-travellers'), PATIENCE).toBe(1500);
});

test('cloaks leave, and are listed as they do', async () => {
    await part('tab-cloaks').click();
    const items = part('cloak-list').locator('button');
    await expect.poll(() => items.count(), PATIENCE).toBeGreaterThan(3);
    const drawn = async () => (await ink(page, top('provider'), { colours: CLOAKS })).pixels;
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(20);
    const listed = await items.evaluateAll((all) => all.map((item) => item.dataset.cloak ?? ''));
    // The page may have heard of one before we have.
    const unheard = () => listed.filter((id) => !listener.cloaks.has(id));
    await expect.poll(unheard, PATIENCE).toEqual([]);
});

test('counters and charts say what the service has counted', async () => {
    await expect.poll(() => number('counter-answered'), PATIENCE).toBeGreaterThan(20);
    await part('chart-success').scrollIntoViewIfNeeded();
    // The page may be a row ahead, or behind.
    const isTold = async () => {
        const shown = await shownValues(page);
        const rows = listener.counters;
        return [0, 1, 2].some(
            (late) =>
                rows.length > 8 && isClose(shown, chartValues(rows.slice(0, rows.length - late))),
        );
    };
    await expect.poll(isTold, PATIENCE).toBe(true);
    const before = await number('counter-answered');
    await expect.poll(() => number('counter-answered'), PATIENCE).toBeGreaterThan(before);
    await expect.poll(isTold, PATIENCE).toBe(true);
    // The first of its lines; where nothing has failed, the one of those who were late.
    for (const chart of CHARTS) {
        const colour = chart === 'drops' ? '--series-3' : '--series-1';
        const line = async () =>
            (await ink(page, chartCanvas(chart), { colours: [colour], least: 0.5 })).pixels;
        await expect.poll(line, { ...PATIENCE, message: chart }).toBeGreaterThan(5);
    }
});

test('it searches as a service does, and says how', async () => {
    await page.evaluate(() => scrollTo(0, 0));
    await part('tab-engine').click();
    const words = 'StarCloak is running, with the engine Patient.';
    expect(await part('engine-name').innerText()).toBe(words);
});

test('nothing is wrong with its accessibility, light and dark, whatever is open', async () => {
    await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(15);
    for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.waitForSelector(`html[data-theme="${colorScheme}"]`);
        for (const tab of ['attack', 'cloaks', 'engine', 'ask']) {
            await part(`tab-${tab}`).click();
            expect(await axe(page), `${tab}, ${colorScheme}`).toEqual([]);
        }
        await photograph(page, `${screenshots}/ui-${colorScheme}.png`);
    }
    await page.emulateMedia({ colorScheme: null });
});

test('it is readable on a phone', async () => {
    const phone = await watched(browser, {
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
        deviceScaleFactor: 2,
        isNew: true,
    });
    await open(phone.page, service.url);
    const sideways = () =>
        phone.page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
    expect(await sideways()).toBeLessThanOrEqual(0);
    expect(await axe(phone.page)).toEqual([]);
    // Who is new is told a story; then the map is what one looks at.
    await phone.page.getByTestId('story').waitFor(PATIENCE);
    await phone.page.getByTestId('welcome-open').tap();
    const dots = async () => (await ink(phone.page, movers, { colours: ['--map-mover'] })).pixels;
    await expect.poll(dots, PATIENCE).toBeGreaterThan(200);
    await photograph(phone.page, `${screenshots}/ui-phone.png`);
    for (const tab of ['charts', 'attack', 'cloaks', 'engine']) {
        await phone.page.getByTestId(`tab-${tab}`).tap();
        expect(await sideways(), tab).toBeLessThanOrEqual(0);
    }
    expect(phone.complaints).toEqual([]);
    await phone.close();
});

test('on a phone a cloak of the list is shown on the map of the provider, and the table is whole', async () => {
    const phone = await watched(browser, { viewport: { width: 390, height: 844 } });
    const has = (name: string) => phone.page.getByTestId(name);
    await open(phone.page, service.url);
    await has('tab-cloaks').click();
    expect(await has('pane-provider').isVisible()).toBe(false);
    await has('cloak-list').locator('button').first().click();
    await has('pane-provider').waitFor(PATIENCE);
    await has('tab-charts').click();
    await phone.page.locator('.chart-table summary').click();
    expect(await has('chart-success').isVisible()).toBe(true);
    const hidden = await phone.page
        .locator('.chart-table > div')
        .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect(hidden).toBe(0);
    expect(phone.complaints).toEqual([]);
    await phone.close();
});

test('a narrow wall has both maps and the charts, too', async () => {
    const wall = await watched(browser, { viewport: { width: 390, height: 844 } });
    await open(wall.page, `${service.url}?wall`);
    for (const name of ['pane-travellers', 'pane-provider', ...CHARTS.map((id) => `chart-${id}`)]) {
        expect(await wall.page.getByTestId(name).isVisible(), name).toBe(true);
    }
    expect(wall.complaints).toEqual([]);
    await wall.close();
});

test('nothing reaches beyond the edge of a small screen', async () => {
    for (const [width, height] of [
        [900, 700],
        [1024, 768],
        [1180, 820],
    ]) {
        const tablet = await watched(browser, { viewport: { width, height } });
        await open(tablet.page, service.url);
        const wide = await tablet.page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
        expect(tablet.complaints).toEqual([]);
        await tablet.close();
    }
});

test('it is readable on a wall', async () => {
    const wall = await watched(browser, {
        viewport: { width: 3840, height: 2160 },
        colorScheme: 'dark',
    });
    await open(wall.page, `${service.url}?wall`);
    const text = await wall.page.evaluate(() =>
        Number.parseFloat(getComputedStyle(document.body).fontSize),
    );
    expect(text).toBeGreaterThanOrEqual(20);
    expect(await wall.page.getByTestId('ask-form').isVisible()).toBe(false);
    expect(wall.complaints).toEqual([]);
    await wall.close();
});

test('on a usual screen, too, a wall has maps and charts alone', async () => {
    const wall = await watched(browser, {
        viewport: { width: 1920, height: 1080 },
        colorScheme: 'dark',
    });
    await open(wall.page, `${service.url}?wall`);
    const cloaks = async () => (await ink(wall.page, top('provider'), { colours: CLOAKS })).pixels;
    await expect.poll(cloaks, PATIENCE).toBeGreaterThan(300);
    const rings = async () =>
        (await ink(wall.page, top('travellers'), { colours: ['--map-waiting'] })).pixels;
    await expect.poll(rings, PATIENCE).toBeGreaterThan(100);
    expect(await wall.page.getByTestId('tab-ask').isVisible()).toBe(false);
    for (const chart of CHARTS) {
        expect(await wall.page.getByTestId(`chart-${chart}`).isVisible(), chart).toBe(true);
    }
    await photograph(wall.page, `${screenshots}/ui-wall.png`);
    expect(wall.complaints).toEqual([]);
    await wall.close();
});

test('a page out of sight leaves its connections to others, and comes back', async () => {
    const hide = (isHidden: boolean) =>
        page.evaluate((value) => {
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
            document.dispatchEvent(new Event('visibilitychange'));
        }, isHidden);
    await hide(true);
    await isLinked(page, 'connecting');
    await hide(false);
    await isLinked(page, 'live');
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
