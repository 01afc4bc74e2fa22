// Ask it yourself: from a click on a road to the exact answer, and to the bytes that the provider got for it.
// With the real program, a provider as a process of its own, and travellers for company.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CloakEvent, Query } from '../src/api/types';
import { readRoadMap } from '../src/map/decode';
import type { Point, RoadMap } from '../src/map/road_map';
import { middleOf } from '../src/map/spot';
import { type Answered, ask, choose, clickMiddle, knowsRoad } from './asking';
import { Between } from './between';
import { isReady, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { Listener, nearest, type Plain } from './oracle';
import { ink, isInked, poseOf, project, roads, top } from './pixels';
import { city, demo, provider, screenshots, Workplace } from './programs';

const place = new Workplace();
let file: string;
let map: RoadMap;
let toProvider: Between;
let listener: Listener;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    file = city(place.folder, 4000);
    const lbs = place.owns(await provider(file));
    toProvider = place.owns(await Between.inFrontOf(lbs.url));
    const service = place.owns(
        await demo(
            file,
            '--provider',
            toProvider.url,
            '--travellers',
            '1200',
            '--pause',
            '8:2',
            '--max-k',
            '1000',
            '--user-waiting',
            '0',
        ),
    );
    listener = place.owns(new Listener(service.url));
    map = readRoadMap(
        new Uint8Array(await (await fetch(`${service.url}v1/map.bin`)).arrayBuffer()),
    );
    const browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, service.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

const shaded = async () =>
    (await ink(page, top('travellers'), { colours: ['--map-you'], least: 0.1 })).pixels;

test('who asks from nowhere is told what is missing, where it can be seen', async () => {
    await part('ask-submit').click();
    const missing = part('ask-form').getByRole('alert');
    await missing.waitFor(PATIENCE);
    const isOnTop = () =>
        missing.evaluate((words) => {
            const { x, y, width, height } = words.getBoundingClientRect();
            return words.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        });
    await expect.poll(isOnTop, PATIENCE).toBe(true);
});

test('a road that is clicked is marked, and the roads are shaded that a cloak may reach', async () => {
    expect(await shaded()).toBe(0);
    await clickMiddle(page, 'pane-travellers');
    await choose(page, { max_hops: 1 });
    await expect.poll(shaded, PATIENCE).toBeGreaterThan(20);
    // The mark breathes as little as the travellers below it are in its way.
    const near = await shaded();
    await choose(page, { max_hops: 8 });
    await expect.poll(shaded, PATIENCE).toBeGreaterThan(2 * near);
    await choose(page, { max_hops: 1 });
    await expect.poll(shaded, PATIENCE).toBeLessThan(1.5 * near);
});

let asked: Query;
let outcome: Answered;
let plain: Plain;
let before: { scale: number; own: number };

test('it is asked from, and the answer is exact', async () => {
    // A city with some life in it, also for the picture.
    await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(12);
    before = {
        scale: (await poseOf(page, 'travellers')).scale,
        own: (await ink(page, top('provider'), { colours: ['--map-you'] })).pixels,
    };
    await choose(page, { k: 3, l: 4, max_hops: 8, max_wait_s: 30 });
    ({ asked, outcome } = await ask(page));
    plain = nearest(file, asked);
    expect(asked.profile).toEqual({ k: 3, l: 4, max_hops: 8, max_wait_s: 30 });
    expect(outcome.objects.map(({ id }) => Number(id))).toEqual(
        plain.results.map(({ poi }) => poi),
    );
    const told = await part('ask-objects').locator('li').allInnerTexts();
    expect(told.length).toBe(plain.results.length);
    outcome.objects.forEach((object, i) => {
        expect(object.distance_m).toBeCloseTo(plain.results[i].distance_m, 3);
        expect(object.duration_s).toBeCloseTo(plain.results[i].duration_s, 3);
        expect(told[i]).toContain(object.name);
    });
});

function cloak(): CloakEvent {
    const found = listener.cloaks.get(outcome.cloak.id);
    if (!found) throw new Error('the provider was not told of it');
    return found;
}

test('the cloak has the asked road, and k and l are met', async () => {
    const { segments } = cloak();
    expect(segments).toContain(plain.segment);
    expect(new Set(segments).size).toBeGreaterThanOrEqual(asked.profile.l);
    expect(segments.length).toBe(outcome.cloak.segments);
    expect(outcome.cloak.users).toBeGreaterThanOrEqual(asked.profile.k);
    for (const check of ['own-segment', 'k', 'l', 'reach', 'time']) {
        expect(await part(`ask-check-${check}`).getAttribute('data-held'), check).toBe('yes');
    }
});

test('those who are hidden with the asker are ringed where they asked, which is in the cloak', async () => {
    const others = outcome.cloak.users - 1;
    expect(await part('ask-others').innerText()).toMatch(new RegExp(`${others} others|other one`));
    const rings = async () =>
        (await ink(page, top('travellers'), { colours: ['--map-cloak'], least: 0.9 })).pixels;
    await expect.poll(rings, PATIENCE).toBeGreaterThan(50);
});

/** Where the answer's places are on the plane. */
function found(): Point[] {
    return outcome.objects.flatMap(({ position }) =>
        position ? [map.fromPosition(position)] : [],
    );
}

test('cloak and answer come into view', async () => {
    const wanted = found();
    for (const segment of cloak().segments) {
        for (let i = map.first[segment]; i < map.first[segment + 1]; i++) {
            wanted.push({ x: map.xs[i], y: map.ys[i] });
        }
    }
    const fills = async () => {
        const pose = await poseOf(page, 'travellers');
        const at = wanted.map((point) => project(pose, point));
        const isIn = at.every(({ x, y }) => x >= 0 && y >= 0 && x < pose.width && y < pose.height);
        const span = (values: number[]) => Math.max(...values) - Math.min(...values);
        const wide = span(at.map(({ x }) => x)) / pose.width;
        const high = span(at.map(({ y }) => y)) / pose.height;
        return isIn ? Math.max(wide, high) : 0;
    };
    await expect.poll(fills, PATIENCE).toBeGreaterThan(0.4);
    expect((await poseOf(page, 'travellers')).scale).toBeGreaterThan(before.scale);
});

/** Where a pin may be that points at 0, 0: it leans aside if another is in its way. Every other pixel. */
const around: Point[] = [];
for (let x = -30; x <= 30; x += 2) {
    for (let y = -30; y <= 30; y += 2) if (Math.hypot(x, y) <= 30) around.push({ x, y });
}
/** As much of it as a disc with a number on it covers, and a traveller's ring does not. */
const DISC = 40;

/** How many places of the answer have a pin. */
async function pinned(): Promise<number> {
    const pose = await poseOf(page, 'travellers');
    let count = 0;
    for (const { x, y } of found().map((point) => project(pose, point))) {
        const near = around.map((off) => ({ x: x + off.x, y: y + off.y }));
        const colours = await isInked(page, top('travellers'), '--map-answer', near);
        if (colours.filter((isPin) => isPin).length >= DISC) count += 1;
    }
    return count;
}

test("each place of the answer has its pin, on the asker's map alone", async () => {
    await expect.poll(pinned, PATIENCE).toBe(outcome.objects.length);
    // Colours of cloaks that overlap may add up to that of a pin, in a pixel or two.
    const { pixels } = await ink(page, top('provider'), { colours: ['--map-answer'] });
    expect(pixels).toBeLessThan(DISC);
});

test("one's own cloak has an edge on the provider's map", async () => {
    expect(before.own).toBe(0);
    const edge = async () => (await ink(page, top('provider'), { colours: ['--map-you'] })).pixels;
    await expect.poll(edge, PATIENCE).toBeGreaterThan(100);
    const pose = await poseOf(page, 'provider');
    const middles = cloak().segments.map((segment) => project(pose, middleOf(map, segment)));
    const isCovered = await isInked(page, top('provider'), '--map-cloak', middles);
    expect(isCovered).toEqual(middles.map(() => true));
});

/** What the page shows byte by byte, read back, with the letters beside it. */
async function dump(): Promise<{ bytes: Buffer; letters: string }> {
    const rows = part('ask-bytes').getByRole('region', { name: 'Byte by byte' });
    const text = (await rows.evaluate((element) => element.textContent)) ?? '';
    let hex = '';
    let letters = '';
    for (const line of text.split('\n').filter((row) => row !== '')) {
        const row = /^([0-9a-f]+) +((?:[0-9a-f]{2} +)+)\|(.*)\|$/.exec(line);
        if (!row) throw new Error(`not a row of bytes: ${line}`);
        expect(Number.parseInt(row[1], 16)).toBe(hex.length / 2);
        hex += row[2].replace(/ /g, '');
        letters += row[3];
    }
    return { bytes: Buffer.from(hex, 'hex'), letters };
}

test('the bytes beside it are those that the provider got, every one of them', async () => {
    await part('ask-bytes').getByRole('region', { name: 'Byte by byte' }).waitFor(PATIENCE);
    await expect.poll(() => listener.sent.has(outcome.cloak.id), PATIENCE).toBe(true);
    const { bytes, letters } = await dump();
    const sent = Buffer.from(listener.sent.get(outcome.cloak.id)?.bytes ?? '', 'base64');
    expect(bytes.toString('hex')).toBe(sent.toString('hex'));
    expect(letters).toBe(sent.toString('latin1').replace(/[^ -~]/g, '.'));
    expect(toProvider.posted.some((body) => body.equals(bytes))).toBe(true);
    const words = await part('ask-bytes').innerText();
    expect(words).toContain(`${bytes.length} bytes`);
    // The page asked by time, as the service does by itself.
    expect(words).toContain('5 nearest by time: anything');
    expect(words).toContain('version 2 of the protocol');
    expect(words).not.toContain('does not know');
    await photograph(page, `${screenshots}/ui-ask.png`);
});

const focusMap = () =>
    page.locator('[data-testid="pane-travellers"] [tabindex="0"]').first().focus();

test('another road takes the answer away', async () => {
    const own = async () => (await ink(page, top('provider'), { colours: ['--map-you'] })).pixels;
    // By keyboard, which finds a road however far it is: from near, the middle may be a field.
    await focusMap();
    await page.keyboard.press('Enter');
    await expect.poll(own, PATIENCE).toBe(0);
    await expect.poll(pinned, PATIENCE).toBe(0);
    expect(await part('ask-result').isVisible()).toBe(false);
});

test('a question can be asked with the keyboard alone', async () => {
    await page.reload();
    await isReady(page);
    await focusMap();
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await knowsRoad(page);
    await choose(page, { k: 900 }); // no place has so much company: it waits until it is taken back
    const sent = page.waitForRequest((request) => request.url().endsWith('/v1/queries'));
    await part('ask-submit').focus();
    await page.keyboard.press('Enter');
    await sent;
    await part('ask-cancel').waitFor(PATIENCE);
    await part('ask-cancel').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => part('ask-submit').isVisible(), PATIENCE).toBe(true);
    expect(await part('ask-state').innerText()).toMatch(/withdrawn/i);
});

test('one-way roads have arrows, seen from near', async () => {
    const arrows = async () =>
        (await ink(page, roads('provider'), { colours: ['--map-one-way'], least: 0.6 })).pixels;
    const scale = async () => (await poseOf(page, 'provider')).scale;
    await focusMap();
    await page.keyboard.press('0');
    await expect.poll(scale, PATIENCE).toBeLessThan(0.3);
    await expect.poll(arrows, PATIENCE).toBe(0);
    for (let i = 0; i < 20 && (await scale()) < 0.7; i++) await page.keyboard.press('+');
    await expect.poll(scale, PATIENCE).toBeGreaterThan(0.6);
    await expect.poll(arrows, PATIENCE).toBeGreaterThan(50);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
