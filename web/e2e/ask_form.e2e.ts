// The form of a question as people meet it: at every usual size, with fingers and with what they type.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../src/api/types';
import { Stars } from '../src/map/ball';
import { readRoadMap } from '../src/map/decode';
import type { RoadMap } from '../src/map/road_map';
import { choose, clickMiddle, isInSight, isUncovered, knowsRoad, more } from './asking';
import { axe } from './axe';
import { launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { poseOf, project } from './pixels';
import { city, demo, type Running, screenshots, Workplace } from './programs';

const place = new Workplace();
let service: Running;
let browser: Browser;
let map: RoadMap;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    const file = city(place.folder, 3000);
    service = place.owns(await demo(file, '--travellers', '1000', '--pause', '8:2'));
    map = readRoadMap(
        new Uint8Array(await (await fetch(`${service.url}v1/map.bin`)).arrayBuffer()),
    );
    browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, service.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

const SIZES = [
    { width: 390, height: 844 },
    { width: 1280, height: 720 },
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
];

/** How many boxes around the form scroll, the page included. */
const scrollers = (page: Page) =>
    page.getByTestId('ask-form').evaluate((form) => {
        let count = 0;
        for (let box: Element | null = form; box; box = box.parentElement) {
            const { overflowY } = getComputedStyle(box);
            const isPage = box === document.documentElement;
            const mayScroll = isPage || overflowY === 'auto' || overflowY === 'scroll';
            if (mayScroll && box.scrollHeight > box.clientHeight + 1) count++;
        }
        return count;
    });

for (const { width, height } of SIZES) {
    const size = `${width}x${height}`;
    test(`at ${size} the button is in sight, whatever is open, and one thing scrolls`, async () => {
        const isPhone = width < 900;
        const phone = { hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
        for (const colorScheme of ['light', 'dark'] as const) {
            const own = await watched(browser, {
                viewport: { width, height },
                colorScheme,
                ...(isPhone ? phone : {}),
            });
            await open(own.page, service.url);
            expect(await own.page.evaluate(() => scrollY)).toBe(0);
            expect(await isInSight(own.page, 'ask-submit'), 'at first').toBe(true);
            await clickMiddle(own.page, 'pane-travellers');
            expect(await isInSight(own.page, 'ask-submit'), 'with a road').toBe(true);
            expect(await isInSight(own.page, 'ask-quick'), 'with a road').toBe(true);
            // On a phone it is below the map, which stays in sight.
            if (!isPhone) expect(await isUncovered(own.page, 'ask-company'), 'company').toBe(true);
            expect(await scrollers(own.page)).toBeLessThanOrEqual(1);
            await own.page.screenshot({
                path: `${screenshots}/ask-form-${size}-${colorScheme}.png`,
            });
            await more(own.page);
            await own.page.evaluate(() => scrollTo(0, 0));
            expect(await isInSight(own.page, 'ask-submit'), 'with more').toBe(true);
            expect(await scrollers(own.page)).toBeLessThanOrEqual(1);
            expect(await axe(own.page)).toEqual([]);
            expect(own.complaints).toEqual([]);
            await own.close();
        }
    });
}

test('who is new has the button in sight, too', async () => {
    for (const viewport of SIZES) {
        const own = await watched(browser, { viewport, isNew: true });
        await open(own.page, service.url);
        expect(await isInSight(own.page, 'ask-submit'), `${viewport.width}`).toBe(true);
        await own.close();
    }
});

test('in German it has the same room', async () => {
    for (const { width, height } of SIZES) {
        const own = await watched(browser, { viewport: { width, height }, locale: 'de-DE' });
        await open(own.page, service.url);
        await clickMiddle(own.page, 'pane-travellers');
        expect(await own.page.getByTestId('ask-place').innerText()).toMatch(/^Sie sind hier/);
        await own.page.screenshot({ path: `${screenshots}/ask-form-${width}-de.png` });
        expect(await own.page.getByTestId('ask-submit').innerText()).toBe('Fragen');
        expect(await isInSight(own.page, 'ask-submit'), `${width}`).toBe(true);
        expect(await isInSight(own.page, 'ask-quick'), `${width}`).toBe(true);
        expect(await linesOf(own.page, 'ask-quick'), `${width}`).toBe(1);
        await own.close();
    }
});

/** On how many lines the words of a button stand. */
function linesOf(page: Page, button: string): Promise<number> {
    return page.getByTestId(button).evaluate((element) => {
        const words = document.createRange();
        words.selectNodeContents(element);
        return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
}

test('a road that is picked brings its reach into view', async () => {
    const scale = async () => (await poseOf(page, 'travellers')).scale;
    await page.locator('[data-testid="pane-travellers"] [tabindex="0"]').first().focus();
    await page.keyboard.press('0');
    // As wide as the map.
    const whole = async () =>
        ((await scale()) * map.width) / (await poseOf(page, 'travellers')).width;
    await expect.poll(whole, PATIENCE).toBeLessThan(1);
    const before = await scale();
    await clickMiddle(page, 'pane-travellers');
    const words = await part('ask-place').innerText();
    const segment = Number(/road (\d+)/.exec(words)?.[1]);
    const reach = new Stars(map).reach(segment, 4);
    const fills = async () => {
        const pose = await poseOf(page, 'travellers');
        const at = [...reach].flatMap((road) => {
            const points = [];
            for (let i = map.first[road]; i < map.first[road + 1]; i++) {
                points.push(project(pose, { x: map.xs[i], y: map.ys[i] }));
            }
            return points;
        });
        const isIn = at.every(({ x, y }) => x >= 0 && y >= 0 && x < pose.width && y < pose.height);
        const high = Math.max(...at.map(({ y }) => y)) - Math.min(...at.map(({ y }) => y));
        const wide = Math.max(...at.map(({ x }) => x)) - Math.min(...at.map(({ x }) => x));
        return isIn ? Math.max(high / pose.height, wide / pose.width) : 0;
    };
    await expect.poll(fills, PATIENCE).toBeGreaterThan(0.4);
    expect(await scale()).toBeGreaterThan(before);
});

test('three levels of privacy set the numbers, and numbers of one s own are none of them', async () => {
    const values = () => part('ask-values').innerText();
    const { profile } = await (await fetch(`${service.url}v1/about`)).json();
    expect(await part('ask-privacy-medium').isChecked()).toBe(true);
    const { k } = profile;
    expect(await values()).toContain(`${k.standard} travellers`);
    await part('ask-privacy-high').check();
    expect(await values()).toContain(`${Math.min(k.most, 2 * k.standard)} travellers`);
    await part('ask-privacy-low').check();
    const low = Math.max(k.least, Math.ceil(k.standard / 2));
    expect(await values()).toContain(`${low} travellers`);
    await choose(page, { k: k.standard + 2 });
    expect(await values()).toContain(`${k.standard + 2} travellers`);
    for (const level of ['low', 'medium', 'high']) {
        expect(await part(`ask-privacy-${level}`).isChecked(), level).toBe(false);
    }
    await part('ask-privacy-medium').check();
    expect(await part('ask-form').locator('input[name="k"]').inputValue()).toBe(String(k.standard));
});

test('what is typed stays until the field is left; then a limit is told and kept', async () => {
    await more(page);
    const field = part('ask-form').locator('input[name="k"]');
    const slider = page.locator('.slider').filter({ has: page.locator('input[name="k"]') });
    const note = slider.locator('.limit');
    await field.fill('');
    await field.pressSequentially('1000');
    expect(await field.inputValue()).toBe('1000');
    const isWhole = await field.evaluate(
        (input) => input.scrollWidth <= input.clientWidth && input.clientWidth > 0,
    );
    expect(isWhole).toBe(true);
    expect(await note.innerText()).toBe('At most 100.');
    await field.blur();
    expect(await field.inputValue()).toBe('100');
    expect(await note.innerText()).toBe('1000 is not possible here; it is 100 now.');
    await field.fill('1');
    expect(await note.innerText()).toBe('At least 2.');
    await field.fill('7');
    expect(await note.innerText()).toBe('');
    await field.fill('');
    await field.blur();
    expect(await field.inputValue()).toBe('7');

    const amount = part('ask-form').locator('input[name="amount"]');
    await amount.fill('');
    await amount.pressSequentially('1000');
    expect(await amount.inputValue()).toBe('1000');
    await amount.blur();
    expect(await amount.inputValue()).toBe('100');
    await amount.fill('5');
    await amount.blur();
});

test('one click asks for the nearest cafe, with the standard privacy', async () => {
    const own = await watched(browser);
    await open(own.page, service.url);
    expect(await own.page.getByTestId('ask-quick').isVisible()).toBe(false);
    await own.page.getByTestId('ask-choose').click();
    await knowsRoad(own.page);
    const quick = own.page.getByTestId('ask-quick');
    expect(await quick.innerText()).toBe('Ask for the nearest cafe here');
    const sent = own.page.waitForRequest((request) => request.url().endsWith('/v1/queries'));
    await quick.click();
    const asked = (await sent).postDataJSON() as Query;
    const { profile, metric } = await (await fetch(`${service.url}v1/about`)).json();
    expect(asked.request).toEqual({ type: 'knn', metric, k: 1, categories: ['cafe'] });
    expect(asked.profile).toEqual({
        k: profile.k.standard,
        l: profile.l.standard,
        max_hops: profile.max_hops.standard,
        max_wait_s: profile.max_wait_s.standard,
    });
    await own.page.getByTestId('ask-result').waitFor(PATIENCE);
    await own.close();
});

test('who has begun a question of its own is not offered the quick one', async () => {
    const own = await watched(browser);
    await open(own.page, service.url);
    await clickMiddle(own.page, 'pane-travellers');
    expect(await own.page.getByTestId('ask-quick').isVisible()).toBe(true);
    await own.page.getByTestId('ask-privacy-low').check();
    expect(await own.page.getByTestId('ask-quick').isVisible()).toBe(false);
    expect(await isInSight(own.page, 'ask-submit')).toBe(true);
    await own.close();
});

test('the console has stayed free of errors', async () => {
    await photograph(page, `${screenshots}/ask-form.png`);
    expect(seen.complaints).toEqual([]);
});
