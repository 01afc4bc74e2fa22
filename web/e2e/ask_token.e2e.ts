// The token of a service: what a wrong one is told, and how long a right one is kept.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, knowsRoad } from './asking';
import { axe } from './axe';
import { isReady, launch, open, PATIENCE, type Watched, watched } from './browser';
import { city, type Running, service, Workplace } from './programs';

const place = new Workplace();
let serving: Running;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    serving = place.owns(await service(city(place.folder, 500)));
    const browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, serving.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const storages = () =>
    page.evaluate(() => ({
        local: JSON.stringify({ ...localStorage }),
        session: JSON.stringify({ ...sessionStorage }),
    }));

/** Ask, and wait until the question is dropped, since nobody else is there. */
async function askAlone(): Promise<void> {
    await part('ask-choose').click();
    await knowsRoad(page);
    await choose(page, { max_wait_s: 1 });
    await part('ask-submit').click();
    await expect.poll(() => part('ask-state').innerText(), PATIENCE).toMatch(/^No company/);
}

test('without a token it is said what is missing', async () => {
    await part('ask-choose').click();
    await knowsRoad(page);
    await part('ask-submit').click();
    expect(await part('ask-token-fault').innerText()).toContain('starcloak token issue');
    expect(await axe(page)).toEqual([]);
});

test('a wrong token is told what is wrong with it, beside the field', async () => {
    await part('ask-token').fill('sct1_wrong');
    await part('ask-submit').click();
    const fault = () => part('ask-token-fault').innerText();
    await expect.poll(fault, PATIENCE).toContain('does not accept this token');
    expect(await fault()).toContain('starcloak token issue');
    expect(await part('ask-token').isVisible()).toBe(true);
    expect(await part('ask-token').getAttribute('aria-invalid')).toBe('true');
    expect(await axe(page)).toEqual([]);
});

test('a token is forgotten with the page unless it is to be kept', async () => {
    await part('ask-token').fill(serving.token);
    await askAlone();
    const { local, session } = await storages();
    expect(local + session).not.toContain('sct1_');
    await page.reload();
    await isReady(page);
    expect(await part('ask-token').inputValue()).toBe('');
});

test('kept, it outlives a reload in this tab, and is nowhere else', async () => {
    await part('ask-token').fill(serving.token);
    await part('ask-token-keep').check();
    await askAlone();
    await page.reload();
    await isReady(page);
    expect(await part('ask-token-keep').isChecked()).toBe(true);
    await askAlone();
    const { local, session } = await storages();
    expect(local).not.toContain('sct1_');
    expect(session).toContain(serving.token);
    // Another tab knows nothing of it.
    const other = await page.context().newPage();
    await open(other, serving.url);
    expect(await other.getByTestId('ask-token').inputValue()).toBe('');
    await other.close();
});

test('not kept any more, it is gone', async () => {
    await part('ask-change').click();
    await part('ask-token-keep').uncheck();
    expect((await storages()).session).not.toContain('sct1_');
});

test('nothing else was said', () => {
    expect(seen.complaints.filter((words) => !/status of 401/.test(words))).toEqual([]);
});
