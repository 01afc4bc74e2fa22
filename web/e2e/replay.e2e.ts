// A recorded run in the real demo: it plays, pauses, jumps, and everything on the page goes with it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReplayState } from '../src/api/types';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { ink, top } from './pixels';
import { city, demo, program, type Running, screenshots, Workplace } from './programs';

const place = new Workplace();
let service: Running;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    const map = city(place.folder, 1500);
    const record = join(place.folder, 'run.jsonl');
    execFileSync(program, [
        ...['simulate', map, '--users', '800', '--seconds', '120', '--k', '3:0', '--l', '3:0'],
        ...['--record', record],
    ]);
    service = place.owns(await demo(map, '--replay', record));
    seen = await watched(place.owns(await launch()));
    page = seen.page;
    await open(page, service.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const state = async () => (await (await fetch(`${service.url}demo/replay`)).json()) as ReplayState;
const time = async () => {
    const [, minutes, seconds] =
        /^(\d+):(\d\d) \//.exec(await part('replay-time').innerText()) ?? [];
    return 60 * Number(minutes) + Number(seconds);
};
const counted = async () => Number((await part('counter-cloaks').innerText()).replace(/\D/g, ''));

test('it plays, and says that it is a record', async () => {
    await expect.poll(() => part('link-state').innerText(), PATIENCE).toBe('Record');
    await expect.poll(() => part('replay-play').innerText(), PATIENCE).toBe('Pause');
    const before = await time();
    await expect.poll(time, PATIENCE).toBeGreaterThan(before);
});

test('instead of a form it says that nothing can be asked, and what can be done', async () => {
    expect(await part('ask-form').count()).toBe(0);
    expect(await part('tab-ask').count()).toBe(0);
    const words = await part('replay-panel').innerText();
    expect(words).toContain('none can be asked here');
    await part('pane-travellers').click();
    expect(await part('replay-panel').isVisible()).toBe(true);
    await part('replay-cloaks').click();
    expect(await part('tab-cloaks').getAttribute('aria-selected')).toBe('true');
    await part('tab-record').click();
    await part('replay-attack').click();
    expect(await part('tab-attack').getAttribute('aria-selected')).toBe('true');
    await part('tab-record').click();
    await part('signs-travellers').locator('summary').click();
    expect(await part('signs-travellers').innerText()).not.toMatch(/your/);
    await part('signs-travellers').locator('summary').click();
});

test('in a pause nothing goes on', async () => {
    await part('replay-play').press('Enter');
    await expect.poll(() => part('replay-play').innerText(), PATIENCE).toBe('Play');
    expect((await state()).is_paused).toBe(true);
    const paused = await time();
    await page.waitForTimeout(1500);
    expect(await time()).toBe(paused);
    expect(await part('link-state').innerText()).toBe('Record');
});

test('by the slider it jumps, and counters and cloaks are those of that moment', async () => {
    const slider = part('replay-slider');
    await slider.focus();
    await slider.press('End');
    const { end } = await state();
    await expect.poll(async () => (await state()).now, PATIENCE).toBeCloseTo(end, 0);
    await expect.poll(counted, PATIENCE).toBeGreaterThan(20);
    const all = await counted();
    await slider.press('Home');
    await expect.poll(async () => (await state()).now, PATIENCE).toBeLessThan(2);
    await expect.poll(counted, PATIENCE).toBeLessThan(all / 4);
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^0:0\d of \d+:\d\d$/);
    const drawn = async () => (await ink(page, top('provider'), { least: 0.3 })).pixels;
    await expect.poll(drawn, PATIENCE).toBeLessThan(50);
});

test('it can be played faster, and cloaks are drawn as they left', async () => {
    await part('replay-speed').selectOption('10');
    await expect.poll(async () => (await state()).speed, PATIENCE).toBe(10);
    await part('replay-play').press('Space');
    await expect.poll(() => part('replay-play').innerText(), PATIENCE).toBe('Pause');
    await expect.poll(time, PATIENCE).toBeGreaterThan(15);
    const drawn = async () => (await ink(page, top('provider'), { least: 0.3 })).pixels;
    await expect.poll(drawn, PATIENCE).toBeGreaterThan(50);
    // Rows are ten seconds of the record apart, and the charts go on.
    const cloaks = part('chart-load').locator('b').first();
    await expect.poll(() => cloaks.innerText(), PATIENCE).toMatch(/^[\d.]+$/);
    // Faster than our clock is no delay.
    expect(await part('link-state').getAttribute('data-behind')).toBeNull();
    await photograph(page, `${screenshots}/ui-replay.png`);
});

test('nothing is wrong with its accessibility, also on a phone', async () => {
    expect(await axe(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(wide, PATIENCE).toBeLessThanOrEqual(390);
    expect(await axe(page)).toEqual([]);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
