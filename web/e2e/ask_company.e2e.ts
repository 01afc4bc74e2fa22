// Who fits, who is missing and what would help: the service is real, but who waits is made up here, one by one.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../src/api/types';
import { choose, clickMiddle } from './asking';
import { axe } from './axe';
import { Between, type Story } from './between';
import { isLinked, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { city, demo, screenshots, Workplace } from './programs';

const place = new Workplace();
let events: Story;
let travellers: Story;
let seen: Watched;
let page: Page;
let segment: number;

beforeAll(async () => {
    const map = city(place.folder, 300);
    const service = place.owns(
        await demo(map, '--travellers', '2', '--pause', '3000', '--engine', 'xstar'),
    );
    const stage = place.owns(await Between.inFrontOf(service.url));
    events = stage.story('/v1/events');
    travellers = stage.story('/demo/events');
    const browser = place.owns(await launch());
    seen = await watched(browser, { colorScheme: 'light' });
    page = seen.page;
    await open(page, stage.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const company = () => part('ask-company').innerText();
const steps = () =>
    page
        .locator('.steps li')
        .evaluateAll((all) => all.map((step) => (step as HTMLElement).dataset.state));

/** A traveller on the chosen road, who would wait for a minute. */
function wait(query: number, others: object = {}): void {
    const wish = { who: query, segment, k: 3, l: 3, max_hops: 4, max_wait_s: 60 };
    travellers.tell('asked', { query, ...wish, ...others });
}

test('it is said how many who fit are here, and how many are missing', async () => {
    await clickMiddle(page, 'pane-travellers');
    segment = Number(/road (\d+)/.exec(await part('ask-place').innerText())?.[1]);
    // So little time that hardly more can be expected.
    await choose(page, { k: 5, l: 3, max_hops: 4, max_wait_s: 1 });
    await expect.poll(company, PATIENCE).toContain('1 of 5 who fit');
    wait(1);
    wait(2);
    await expect
        .poll(company, PATIENCE)
        .toBe('3 of 5 who fit are here, you included; 2 more are needed.');
});

test('who waits nearby but does not fit is not counted', async () => {
    // It would like more company than there is, more roads than both reach, or it has asked already.
    wait(3, { k: 60 });
    wait(4, { l: 5000 });
    wait(5, { who: 2 });
    const around = () => page.locator('.company').innerText();
    await expect.poll(around, PATIENCE).toMatch(/more waits? within your reach/);
    expect(await company()).toContain('3 of 5 who fit');
    await photograph(page, `${screenshots}/ask-company.png`);
    expect(await axe(page)).toEqual([]);
});

test('what would help is a button that changes the form', async () => {
    const help = () => part('ask-remedy-k').innerText();
    await expect
        .poll(help, PATIENCE)
        .toBe('Hide among 3 travellers: likely enough, about 3 at once');
    await part('ask-remedy-k').click();
    await expect.poll(() => part('ask-values').innerText(), PATIENCE).toContain('3 travellers');
    await expect
        .poll(company, PATIENCE)
        .toBe('3 who fit are here, you included: enough for a cloak.');
    expect(await part('ask-remedy-k').isVisible()).toBe(false);
});

test('who ends is not counted any more', async () => {
    travellers.tell('ended', { query: 1, outcome: 'left' });
    await expect.poll(company, PATIENCE).toContain('2 of 3 who fit');
});

test('while it waits, help asks again with the change', async () => {
    wait(6);
    await choose(page, { k: 5, max_wait_s: 30 });
    await part('ask-submit').click();
    await part('ask-cancel').waitFor(PATIENCE);
    expect(await steps()).toEqual(['now', 'todo', 'todo', 'todo']);
    await expect.poll(company, PATIENCE).toContain('3 of 5 who fit');
    const again = page.waitForRequest((request) => request.url().endsWith('/v1/queries'));
    // No others come: no wait and no reach is enough, so neither is offered.
    await part('ask-remedy-k').waitFor(PATIENCE);
    expect(await part('ask-remedy-max_wait_s').isVisible()).toBe(false);
    await part('ask-remedy-k').click();
    const query = (await again).postDataJSON() as Query;
    expect(query.profile).toMatchObject({ k: 3, max_wait_s: 30 });
    await part('ask-cancel').waitFor(PATIENCE);
    await part('ask-cancel').click();
    await expect.poll(() => part('ask-state').innerText(), PATIENCE).toMatch(/^Withdrawn/);
});

test('after a drop the step that failed is marked, and what would help is offered', async () => {
    await choose(page, { k: 5, max_wait_s: 1 });
    await part('ask-submit').click();
    await part('ask-result').waitFor(PATIENCE);
    expect(await steps()).toEqual(['done', 'failed', 'todo', 'todo']);
    const result = part('ask-result');
    expect(await part('ask-state').innerText()).toBe('No company came in time.');
    const said = (await page.locator('#panel-ask').innerText()).split('No company came in time.');
    expect(said.length - 1, 'times').toBe(1);
    expect(await result.getByTestId('ask-remedy-k').innerText()).toBe(
        'Hide among 3 travellers: likely enough, about 3 at once',
    );
    await photograph(page, `${screenshots}/ask-dropped.png`);
    expect(await axe(page)).toEqual([]);
    const again = page.waitForRequest((request) => request.url().endsWith('/v1/queries'));
    await result.getByTestId('ask-remedy-k').click();
    expect(((await again).postDataJSON() as Query).profile.k).toBe(3);
    await part('ask-result').waitFor(PATIENCE);
});

/** The next question gets this answer. */
async function answerWith(status: number, body: object): Promise<void> {
    const contentType = status === 200 ? 'application/json' : 'application/problem+json';
    await page.route(
        '**/v1/queries',
        (route) => route.fulfill({ status, contentType, body: JSON.stringify(body) }),
        { times: 1 },
    );
    await part('ask-submit').click();
    await part('ask-result').waitFor(PATIENCE);
}

test('a cloak is called after the engine that made it', async () => {
    const id = '00000000000000a1';
    const segments = [segment, segment + 1, segment + 2];
    events.tell('cloak', { id, segments, border_nodes: [], requests: [{ type: 'knn', k: 5 }] });
    await answerWith(200, {
        outcome: 'answered',
        wait_s: 0.5,
        cloak: { id, users: 5, segments: 3 },
        metric: 'time',
        objects: [],
    });
    await expect.poll(steps, PATIENCE).toEqual(['done', 'done', 'done', 'done']);
    expect(await part('ask-made-by').innerText()).toBe('Your cloak, made by XStar');
});

test('a question that failed or was refused is marked where it ended', async () => {
    await answerWith(502, {
        type: 'urn:starcloak:problem:provider',
        title: 'The provider does not answer',
        status: 502,
        outcome: 'failed',
        reason: 'provider_unreachable',
    });
    expect(await steps()).toEqual(['done', 'done', 'done', 'failed']);
    await answerWith(429, { type: '', title: 'Too many queries', status: 429 });
    expect(await steps()).toEqual(['failed', 'todo', 'todo', 'todo']);
    expect(await part('ask-state').innerText()).toBe('One question at a time.');
});

test('nothing else was said', () => {
    // Chromium itself tells of answers that are errors.
    const others = seen.complaints.filter((words) => !/status of (502|429)/.test(words));
    expect(others).toEqual([]);
});
