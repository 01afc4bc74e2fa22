// The map itself: where it opens, what lies on it, how one finds and chooses things, links and files. The town has
// names and is the same each time; what happens in it is made up here, so that a cloak is where a test wants it.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRoadMap } from '../src/map/decode';
import type { Point, RoadMap } from '../src/map/road_map';
import { middleOf } from '../src/map/spot';
import { axe } from './axe';
import { Between, type Story } from './between';
import { isLinked, isReady, launch, open, PATIENCE, type Watched, watched } from './browser';
import { namedTown } from './named_town';
import { ink, poseOf, project, roads, type Side, top } from './pixels';
import { demo, Workplace } from './programs';

const place = new Workplace();
let map: RoadMap;
let stage: Between;
let events: Story;
let browser: Browser;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    const file = namedTown(place.folder);
    const service = place.owns(await demo(file, '--travellers', '2', '--pause', '3000'));
    map = readRoadMap(
        new Uint8Array(await (await fetch(`${service.url}v1/map.bin`)).arrayBuffer()),
    );
    stage = place.owns(await Between.inFrontOf(service.url));
    events = stage.story('/v1/events');
    browser = place.owns(await launch());
    seen = await watched(browser, { colorScheme: 'light', acceptDownloads: true });
    page = seen.page;
    await open(page, stage.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const named = (name: string) => {
    const wanted = map.names.indexOf(name) + 1;
    return [...map.nameOf.keys()].filter((segment) => map.nameOf[segment] === wanted);
};
const scale = async (side: Side = 'provider') => (await poseOf(page, side)).scale;

/** Until the view has come to rest. */
async function atRest(): Promise<void> {
    let before = '';
    const isStill = async () => {
        const now = JSON.stringify(await poseOf(page, 'provider'));
        const isSame = now === before;
        before = now;
        return isSame;
    };
    await expect.poll(isStill, { ...PATIENCE, interval: 200 }).toBe(true);
}

/** Where a place of the plane is on the page. */
async function onPage(side: Side, at: Point): Promise<Point> {
    const pose = await poseOf(page, side);
    const box = await part(`pane-${side}`).locator('.map-pane').boundingBox();
    if (!box) throw new Error('the pane is nowhere');
    const { x, y } = project(pose, at);
    return { x: box.x + x, y: box.y + y };
}

test('it opens in a neighbourhood, with the town in a corner, and there one moves about', async () => {
    const pose = await poseOf(page, 'travellers');
    expect(pose.scale * map.width).toBeGreaterThan(2.5 * pose.width);
    const inset = part('pane-travellers').getByTestId('map-inset');
    expect(await inset.isVisible()).toBe(true);
    // One is enough where two maps move together.
    expect(await part('pane-provider').getByTestId('map-inset').isVisible()).toBe(false);
    const box = await inset.boundingBox();
    if (!box) throw new Error('no inset');
    await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.25 * box.height);
    const middle = async () => {
        const { scale, offsetX, offsetY, width, height } = await poseOf(page, 'travellers');
        return [
            (width / 2 - offsetX) / scale / map.width,
            (height / 2 - offsetY) / scale / map.height,
        ];
    };
    await expect.poll(async () => (await middle())[0], PATIENCE).toBeCloseTo(0.22, 1);
    expect((await middle())[1]).toBeCloseTo(0.22, 1);
    expect(await scale()).toBeCloseTo(pose.scale, 6);
});

test('buttons zoom, and the scale says how far it is', async () => {
    const words = () => part('pane-provider').getByTestId('map-scale').innerText();
    expect(await words()).toMatch(/^\d+ k?m$/);
    const before = await scale();
    await part('pane-provider').getByTestId('zoom-in').click();
    await expect.poll(scale, PATIENCE).toBeGreaterThan(1.5 * before);
    await part('pane-provider').getByTestId('zoom-all').click();
    await expect.poll(scale, PATIENCE).toBeLessThan(0.5 * before);
    await atRest();
    expect(await words()).toMatch(/^(500 m|1 km|2 km)$/);
    // The whole town is there: nothing is left for the inset to tell.
    expect(await part('pane-travellers').getByTestId('map-inset').isVisible()).toBe(false);
    await part('pane-provider').getByTestId('zoom-out').click();
    await atRest();
});

test('a street is found by its name, with the keyboard, and its name is written along it', async () => {
    const field = part('search');
    await field.fill('querstrasse 7');
    const found = part('search-found').getByRole('option');
    await expect.poll(() => found.count(), PATIENCE).toBeGreaterThan(0);
    expect(await found.first().innerText()).toContain('Querstraße 7');
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    await field.press('ArrowDown');
    expect(await field.getAttribute('aria-activedescendant')).toBe(
        await found.first().getAttribute('id'),
    );
    expect(await axe(page)).toEqual([]);
    await field.press('Enter');
    expect(await part('search-found').isVisible()).toBe(false);
    const pixels = async () =>
        (await ink(page, top('provider'), { colours: ['--accent'], least: 0.3 })).pixels;
    await expect.poll(pixels, PATIENCE).toBeGreaterThan(200);
    await atRest();
    // Nearer, until there is room for its name.
    const letters = async () =>
        (await ink(page, roads('provider'), { colours: ['--map-name'], least: 0.9 })).pixels;
    await part('pane-provider').locator('.map-pane').focus();
    for (let i = 0; i < 12 && (await scale()) < 0.8; i++) await page.keyboard.press('+');
    await expect.poll(letters, PATIENCE).toBeGreaterThan(100);
});

test('a place is found, too, and Escape gives the field back empty', async () => {
    const field = part('search');
    await field.fill('bücherei');
    const option = part('search-found').getByRole('option').filter({ hasText: 'am Rand' });
    await option.click(PATIENCE);
    await atRest();
    expect(await scale()).toBeGreaterThan(0.8);
    await field.press('ArrowDown');
    await expect.poll(() => part('search-found').isVisible(), PATIENCE).toBe(true);
    await field.press('Escape');
    expect(await part('search-found').isVisible()).toBe(false);
    await field.press('Escape');
    expect(await field.inputValue()).toBe('');
    const marked = async () => (await ink(page, top('provider'), { colours: ['--accent'] })).pixels;
    await expect.poll(marked, PATIENCE).toBe(0);
    await field.fill('nowhere at all');
    await expect.poll(() => part('search-found').innerText(), PATIENCE).toContain('Nothing found');
    await field.fill('');
});

test('roads tell their names to a pointer, and to the keyboard', async () => {
    const segment = named('Langstraße 35')[20];
    const tip = part('pane-travellers').locator('.map-tip');
    await part('search').fill('langstraße 35');
    await part('search-found').getByRole('option').first().waitFor(PATIENCE);
    await part('search').press('Enter');
    await atRest();
    const at = await onPage('travellers', middleOf(map, segment));
    await page.mouse.move(at.x, at.y);
    await expect.poll(() => tip.innerText(), PATIENCE).toBe('Langstraße 35');
    await page.mouse.move(0, 0);
    await expect.poll(() => tip.isVisible(), PATIENCE).toBe(false);
    await page.keyboard.press('Tab');
    await part('pane-travellers').locator('.map-pane').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    const said = part('pane-travellers').getByRole('status').first();
    await expect.poll(() => said.innerText(), PATIENCE).toContain('straße');
    await part('search').fill('');
});

/** Ten roads of one street. */
function cloak(id: string, street: string) {
    const segments = named(street).slice(5, 15);
    return { id, segments, border_nodes: [], requests: [{ type: 'knn', k: 5 }] };
}

const chosen = async () =>
    (await ink(page, top('provider'), { colours: ['--map-selected'], least: 0.5 })).pixels;

/** Let a cloak leave and click it before it has faded. */
async function choose(id: string, street: string): Promise<void> {
    const made = cloak(id, street);
    await part('search').fill(street);
    await part('search-found').getByRole('option').first().waitFor(PATIENCE);
    await part('search').press('Enter');
    await atRest();
    const at = await onPage('provider', middleOf(map, made.segments[5]));
    events.tell('cloak', made);
    const tip = part('pane-provider').locator('.map-tip');
    const hover = async () => {
        await page.mouse.move(at.x + 1, at.y);
        await page.mouse.move(at.x, at.y);
        return (await tip.isVisible()) ? tip.innerText() : '';
    };
    await expect.poll(hover, PATIENCE).toContain('Cloak of 10 roads');
    await page.mouse.click(at.x, at.y);
    await part('chosen-cloak').waitFor(PATIENCE);
    await expect.poll(chosen, PATIENCE).toBeGreaterThan(50);
    // It comes out from below its card.
    await atRest();
}

test("a cloak is chosen on the provider's map, also while one is asking, and is let go", async () => {
    await part('tab-ask').click();
    const before = await part('ask-place').innerText();
    await choose('00000000000000b1', 'Querstraße 20');
    expect(await part('tab-ask').getAttribute('aria-selected')).toBe('true');
    expect(await part('ask-place').innerText()).toBe(before);
    expect(await part('chosen-cloak').innerText()).toContain('10 roads');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(chosen, PATIENCE).toBe(0);
    expect(await part('chosen-cloak').isVisible()).toBe(false);

    await choose('00000000000000b2', 'Querstraße 22');
    await part('chosen-close').click();
    await expect.poll(chosen, PATIENCE).toBe(0);

    await choose('00000000000000b3', 'Querstraße 24');
    const beside = middleOf(map, cloak('', 'Querstraße 24').segments[5]);
    const at = await onPage('provider', { x: beside.x, y: beside.y + 250 });
    await page.mouse.click(at.x, at.y);
    await expect.poll(chosen, PATIENCE).toBe(0);
    expect(await part('ask-place').innerText()).toBe(before);
});

test('a cloak is saved as GeoJSON and as a picture', async () => {
    await choose('00000000000000b4', 'Querstraße 26');
    const save = async (button: string) => {
        const [file] = await Promise.all([page.waitForEvent('download'), part(button).click()]);
        return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
    };
    const { name, content } = await save('chosen-geojson');
    expect(name).toBe('cloak-00000000000000b4.geojson');
    const json = JSON.parse(content.toString());
    expect(json.features.length).toBe(10);
    expect(json.features[0].properties).toMatchObject({
        cloak: '00000000000000b4',
        segments: 10,
        name: 'Querstraße 26',
    });
    expect(json.features[0].geometry.coordinates[0][0]).toBeCloseTo(8.66, 1);
    const picture = await save('chosen-png');
    expect(picture.name).toBe('cloak-00000000000000b4.png');
    expect(picture.content.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.content.length).toBeGreaterThan(20_000);
});

test('a link to it is copied', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await part('chosen-link').click();
    await expect.poll(() => part('chosen-link').innerText(), PATIENCE).toBe('Copied');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^http:.*#.*at=.*&zoom=.*cloak=00000000000000b4/);
    await expect.poll(() => part('chosen-link').innerText(), PATIENCE).toBe('Copy link');
});

test('the card does not lie over the cloak that it is for', async () => {
    const { segments } = cloak('', 'Querstraße 26');
    const card = () =>
        part('chosen-cloak').evaluate((element) => {
            const { left, top, right, bottom } = element.getBoundingClientRect();
            return { left, top, right, bottom };
        });
    const covered = async () => {
        const { left, top, right, bottom } = await card();
        const places = await Promise.all(
            segments.map((segment) => onPage('provider', middleOf(map, segment))),
        );
        return places.filter(({ x, y }) => x > left && x < right && y > top && y < bottom).length;
    };
    await expect.poll(covered, PATIENCE).toBe(0);
});

test('the address has what is seen, the tab and the cloak, and brings them back', async () => {
    await part('tab-cloaks').click();
    const address = () => page.evaluate(() => location.hash);
    await expect.poll(address, PATIENCE).toMatch(/at=.*&zoom=.*&tab=cloaks&cloak=00000000000000b4/);
    expect(await address()).not.toContain('sct1');
    const before = await poseOf(page, 'provider');
    await page.reload();
    await isReady(page);
    expect(await part('tab-cloaks').getAttribute('aria-selected')).toBe('true');
    await expect.poll(chosen, PATIENCE).toBeGreaterThan(50);
    const after = await poseOf(page, 'provider');
    expect(after.scale / before.scale).toBeCloseTo(1, 1);
    expect(Math.abs(after.offsetX - before.offsetX)).toBeLessThan(0.12 * before.width);
    expect(Math.abs(after.offsetY - before.offsetY)).toBeLessThan(0.12 * before.width);
    // A link that somebody pastes is followed.
    await page.evaluate(() => {
        location.hash = '#at=49.42,8.66&zoom=16&tab=engine';
    });
    await expect.poll(scale, PATIENCE).toBeCloseTo(0.5, 1);
    expect(await part('tab-engine').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
    await expect.poll(address, PATIENCE).not.toContain('cloak=');
});

test('a table of the charts takes nothing from the maps', async () => {
    await page.evaluate(() => scrollTo(0, 0));
    const height = async () => (await part('pane-provider').boundingBox())?.height;
    const before = await height();
    const table = page.locator('.chart-table summary');
    await table.click();
    await expect.poll(() => page.locator('.chart-table table').isVisible(), PATIENCE).toBe(true);
    expect(await height()).toBeGreaterThanOrEqual((before ?? 0) - 1);
    await table.click();
});

test('in German the page is in German, and the choice is kept', async () => {
    await part('language').selectOption('de');
    await isReady(page);
    await expect.poll(() => page.locator('html').getAttribute('lang'), PATIENCE).toBe('de');
    expect(await part('tab-cloaks').innerText()).toBe('Tarnungen');
    expect(await part('search').getAttribute('placeholder')).toBe('Straße oder Ort suchen');
    await page.reload();
    await isReady(page);
    expect(await part('tab-cloaks').innerText()).toBe('Tarnungen');
    expect(await axe(page)).toEqual([]);
    await part('language').selectOption('en');
    await isReady(page);
    await expect.poll(() => page.locator('html').getAttribute('lang'), PATIENCE).toBe('en');
});

test('on a phone one finger scrolls the page, and two move the map', async () => {
    const phone = await watched(browser, {
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        deviceScaleFactor: 2,
    });
    // By a link: else it may open elsewhere when the first travellers have come.
    await open(phone.page, `${stage.url}#at=49.41,8.67&zoom=15.7`);
    const box = await phone.page.getByTestId('pane-travellers').boundingBox();
    if (!box) throw new Error('the pane is nowhere');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const fingers = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: Point[]) =>
        fingers.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: points.map((point, id) => ({ ...point, id })),
        });
    const scrolled = () => phone.page.evaluate(() => scrollY);
    const before = await poseOf(phone.page, 'travellers');
    await touch('touchStart', [{ x, y }]);
    for (let i = 1; i <= 10; i++) await touch('touchMove', [{ x, y: y - 15 * i }]);
    await touch('touchEnd', []);
    await expect.poll(scrolled, PATIENCE).toBeGreaterThan(40);
    expect(await poseOf(phone.page, 'travellers')).toEqual(before);
    await phone.page.evaluate(() => scrollTo(0, 0));
    await expect.poll(scrolled, PATIENCE).toBe(0);

    const pair = (apart: number): Point[] => [
        { x: x - apart, y },
        { x: x + apart, y },
    ];
    await touch('touchStart', pair(30));
    for (let i = 1; i <= 10; i++) await touch('touchMove', pair(30 + 5 * i));
    await touch('touchEnd', []);
    const zoomed = async () => (await poseOf(phone.page, 'travellers')).scale;
    await expect.poll(zoomed, PATIENCE).toBeGreaterThan(1.5 * before.scale);
    expect(await scrolled()).toBe(0);
    expect(phone.complaints).toEqual([]);
    await phone.close();
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
