// The UI of `starcloak serve`: without what only travellers may know, and through restarts.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, isInSight } from './asking';
import { axe } from './axe';
import { isLinked, isReady, launch, open, PATIENCE, type Watched, watched } from './browser';
import { SIZES } from './fitting';
import { fingerprint, ink, roads } from './pixels';
import { city, type Running, service, serviceAt, Workplace } from './programs';

const place = new Workplace();
let map: string;
let serving: Running;
let seen: Watched;
let page: Page;
const asked: string[] = [];

beforeAll(async () => {
    map = city(place.folder, 2000);
    serving = place.owns(await service(map));
    const browser = place.owns(await launch());
    seen = await watched(browser, { isNew: true });
    page = seen.page;
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open(page, serving.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

test('there is one view, of what the provider sees', async () => {
    expect(await part('pane-provider').count()).toBe(1);
    expect(await part('pane-travellers').count()).toBe(0);
    expect(await part('engine').count()).toBe(0);
    const drawn = await ink(page, roads('provider'), { colours: ['--map-road-local'] });
    expect(drawn.pixels).toBeGreaterThan(500);
});

test('the page does not even ask for what travellers do, and would not get it', async () => {
    expect(asked).toContain('/v1/events');
    expect(asked.filter((path) => path.startsWith('/demo'))).toEqual([]);
    for (const path of ['demo/about', 'demo/events', 'demo/engine']) {
        expect((await fetch(serving.url + path)).status, path).toBe(404);
    }
});

test('what only the demo offers is not on the page, and not in the service', async () => {
    expect((await (await fetch(`${serving.url}v1/about`)).json()).offers).toEqual([]);
    expect(await part('tab-ask').count()).toBe(1);
    expect(await part('tab-cloaks').count()).toBe(1);
    expect(await part('tab-attack').count()).toBe(0);
    expect(await part('attack-start').count()).toBe(0);
    expect(await part('report').isVisible()).toBe(false);
    for (const path of ['v1/attacks', 'reports', 'reports/', 'reports/report.html']) {
        for (const method of ['GET', 'POST']) {
            const headers = { 'Content-Type': 'application/json' };
            const body = method === 'POST' ? '{}' : undefined;
            const reply = await fetch(serving.url + path, { method, headers, body });
            expect(reply.status, `${method} ${path}`).toBe(404);
        }
    }
});

test('who is new has the button in sight at every usual size', async () => {
    const before = page.viewportSize();
    for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        expect(await part('welcome-open').getAttribute('aria-expanded')).toBe('true');
        await expect.poll(() => isInSight(page, 'ask-submit'), PATIENCE).toBe(true);
    }
    if (before) await page.setViewportSize(before);
});

test('all that it loads is from the service', async () => {
    const hosts = await page.evaluate(() =>
        performance.getEntriesByType('resource').map((entry) => new URL(entry.name).host),
    );
    expect(new Set(hosts)).toEqual(new Set([serving.address]));
});

test('a query with a token waits, and is dropped in time where nobody else is', async () => {
    await part('ask-choose').click();
    await part('ask-token').fill(serving.token);
    await choose(page, { max_wait_s: 2 });
    await part('ask-submit').click();
    await expect
        .poll(() => part('ask-state').innerText(), PATIENCE)
        .toMatch(/nobody|no company|in vain|not found|found no/i);
});

test('nothing is wrong with its accessibility', async () => {
    expect(await axe(page)).toEqual([]);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});

/** Something that a page forgets when it is loaded again. */
const leaveMark = () => page.evaluate(() => document.body.classList.add('marked'));
const isMarked = () => page.evaluate(() => document.body.classList.contains('marked'));

test('when the service goes away the page says so, and comes back with it', async () => {
    await isLinked(page, 'live');
    await leaveMark();
    await serving.close();
    await isLinked(page, 'lost');
    await expect.poll(() => part('banner').innerText(), PATIENCE).toContain('does not answer');
    serving = place.owns(await serviceAt(serving.address, map));
    await isLinked(page, 'live');
    // The same map, so there is nothing to read anew: a question that was begun is still there.
    await expect.poll(() => part('banner').isVisible(), PATIENCE).toBe(false);
    expect(await isMarked()).toBe(true);
});

async function checksum(): Promise<string> {
    const page = (await (await fetch(`${serving.url}v1/map`)).json()) as { checksum: string };
    return page.checksum;
}

test('if the service comes back with another map, that one is drawn', async () => {
    const before = { picture: await fingerprint(page, roads('provider')), map: await checksum() };
    await leaveMark();
    await serving.close();
    // When it is back it has no time for the page's first question.
    const busy = { status: 503, contentType: 'application/problem+json', body: '{"title":"Busy"}' };
    await page.route('**/v1/about', (route) => route.fulfill(busy), { times: 1 });
    serving = place.owns(await serviceAt(serving.address, city(place.folder, 1500, 2)));
    expect(await checksum()).not.toBe(before.map);
    // While it is loading there is no page to look at.
    await expect.poll(() => isMarked().catch(() => true), PATIENCE).toBe(false);
    await isReady(page);
    await isLinked(page, 'live');
    const drawn = await ink(page, roads('provider'), { colours: ['--map-road-local'] });
    expect(drawn.pixels).toBeGreaterThan(500);
    expect(await fingerprint(page, roads('provider'))).not.toBe(before.picture);
    const tag = page.evaluate(async () => (await (await fetch('/v1/map')).json()).checksum);
    expect(await tag).toBe(await checksum());
});

/** How many bytes of map a page has drawn. */
const drawnBytes = (page: Page) =>
    page.evaluate(() => {
        const [read] = performance.getEntriesByName('map:decoded') as PerformanceMeasure[];
        return read.detail.bytes as number;
    });

test('who opens the page right after that sees the map of now, not one that was kept', async () => {
    const bytes = async () =>
        (await (await fetch(`${serving.url}v1/map.bin`)).arrayBuffer()).byteLength;
    const before = await bytes();
    expect(await drawnBytes(page)).toBe(before);
    await serving.close();
    serving = place.owns(await serviceAt(serving.address, city(place.folder, 1800, 3)));
    const other = await page.context().newPage();
    await open(other, serving.url);
    expect(await drawnBytes(other)).toBe(await bytes());
    expect(await bytes()).not.toBe(before);
    await other.close();
});
