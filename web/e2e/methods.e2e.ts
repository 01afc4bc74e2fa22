// Methods side by side in the real demo: three maps with cloaks as they come, and what is found out of each.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { ink } from './pixels';
import { city, demo, screenshots, Workplace } from './programs';

const place = new Workplace();
let seen: Watched;
let page: Page;
const asked: string[] = [];

beforeAll(async () => {
    const map = city(place.folder, 1500);
    const service = place.owns(
        await demo(
            map,
            ...['--travellers', '600', '--pause', '5:1', '--k', '3:0', '--l', '3:0'],
            ...['--sigma-t', '6:1'],
        ),
    );
    seen = await watched(place.owns(await launch()));
    page = seen.page;
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open(page, service.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const listens = () => asked.filter((path) => path === '/demo/methods').length;

test('nobody listens before somebody looks', async () => {
    expect(listens()).toBe(0);
    expect(await part('methods-stage').isVisible()).toBe(false);
    await part('tab-methods').click();
    await expect.poll(listens, PATIENCE).toBe(1);
});

test('each method has its own map, in the place of the two others', async () => {
    const names = ['StarCloak', 'XStar', 'Network expansion'];
    for (const [i, name] of names.entries()) {
        const title = part(`method-${i}`).locator('h2');
        await expect.poll(() => title.innerText(), PATIENCE).toBe(name);
        const top = `[data-testid="pane-method-${i}"] canvas.map-top`;
        const cloaks = async () => (await ink(page, top, { least: 0.3 })).pixels;
        await expect.poll(cloaks, { ...PATIENCE, message: name }).toBeGreaterThan(30);
    }
    expect(await part('pane-provider').isVisible()).toBe(false);
    const boxes = await Promise.all([0, 1, 2].map((i) => part(`pane-method-${i}`).boundingBox()));
    // Side by side, and of one size.
    expect(new Set(boxes.map((box) => Math.round(box?.y ?? -1))).size).toBe(1);
    expect(new Set(boxes.map((box) => Math.round(box?.width ?? -1))).size).toBe(1);
});

test('success, roads and the chance of the adversary are told of each', async () => {
    const row = async (name: string) => part(`methods-${name}`).locator('td').allInnerTexts();
    const isKnown = async () =>
        (await Promise.all(['success', 'roads', 'chance'].map(row)))
            .flat()
            .every((text) => text !== '–');
    await expect.poll(isKnown, { ...PATIENCE, timeout: 100_000 }).toBe(true);
    expect((await row('success')).length).toBe(3);
    for (const text of [...(await row('success')), ...(await row('chance'))]) {
        expect(text).toMatch(/^[\d.]+\s%$/);
        expect(Number.parseFloat(text)).toBeGreaterThan(0);
        expect(Number.parseFloat(text)).toBeLessThanOrEqual(100);
    }
    for (const text of await row('roads'))
        expect(Number.parseFloat(text)).toBeGreaterThanOrEqual(3);
    expect(await page.locator('.methods-notes').innerText()).toContain('its engine Patient here');
    // The same stands over each map.
    const shown = await part('methods-stage').getByTestId('method-roads').allInnerTexts();
    expect(shown.length).toBe(3);
    await photograph(page, `${screenshots}/ui-methods.png`);
});

for (const theme of ['light', 'dark']) {
    test(`nothing is wrong with its accessibility, ${theme}`, async () => {
        await part('theme').selectOption(theme);
        await page.waitForSelector(`html[data-theme="${theme}"]`);
        expect(await axe(page)).toEqual([]);
    });
}

test('whoever leaves the tab listens no more, and begins anew when back', async () => {
    await part('tab-ask').click();
    await expect.poll(() => part('pane-provider').isVisible(), PATIENCE).toBe(true);
    expect(await part('methods-stage').isVisible()).toBe(false);
    const before = listens();
    await part('tab-methods').click();
    await expect.poll(listens, PATIENCE).toBe(before + 1);
});

test('on a phone the maps stand below each other, and nothing is too wide', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(wide, PATIENCE).toBeLessThanOrEqual(390);
    expect(await part('pane-method-0').isVisible()).toBe(true);
    expect(await axe(page)).toEqual([]);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
