// The guided story, as a visitor sees it who is new: with the real program, and a question that is really asked.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../src/api/types';
import { isUncovered } from './asking';
import { axe } from './axe';
import { launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { Listener } from './oracle';
import { ink, top } from './pixels';
import { city, demo, provider, type Running, screenshots, Workplace } from './programs';

const place = new Workplace();
let service: Running;
let listener: Listener;
let browser: Browser;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    const map = city(place.folder, 6000);
    const lbs = place.owns(await provider(map));
    service = place.owns(
        await demo(map, '--provider', lbs.url, '--travellers', '1500', '--pause', '8:2'),
    );
    listener = place.owns(new Listener(service.url));
    browser = place.owns(await launch());
    seen = await watched(browser, { isNew: true });
    page = seen.page;
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const title = () => part('story').getByRole('heading').innerText();

test('who is new is told a story, with a question that is really asked', async () => {
    // Some life, before anybody comes to see it.
    await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(12);
    const replied = page.waitForResponse((response) => response.url().endsWith('/v1/queries'));
    await open(page, service.url);
    await part('story').waitFor(PATIENCE);
    expect(await title()).toBe('A city full of travellers');
    expect(await axe(page)).toEqual([]);
    const outcome = (await (await replied).json()) as Outcome;
    if (outcome.outcome !== 'answered') throw new Error(`not answered: ${JSON.stringify(outcome)}`);
    await expect.poll(title, PATIENCE).toBe('A cloak forms');
    await part('story-pause').click();
    expect(await part('story-text').innerText()).toContain(`${outcome.cloak.users} travellers`);
    expect(await part('story-text').innerText()).toContain(`${outcome.cloak.segments} roads`);
    // Lines lead to those who are in it.
    const lines = async () =>
        (await ink(page, top('travellers'), { colours: ['--map-cloak'], least: 0.9 })).pixels;
    await expect.poll(lines, PATIENCE).toBeGreaterThan(100);
    // For the picture, until they have grown to their ends.
    await page.waitForTimeout(1500);
    await photograph(page, `${screenshots}/ui-story.png`);

    await part('story-next').click();
    await expect.poll(title, PATIENCE).toBe('This is what leaves');
    const sent = Buffer.from(listener.sent.get(outcome.cloak.id)?.bytes ?? '', 'base64');
    const words = await part('story-text').innerText();
    expect(words).toContain(`${sent.length} bytes`);
    expect(words).toContain(
        sent
            .subarray(0, 8)
            .toString('hex')
            .replace(/..(?=.)/g, '$& '),
    );

    await part('story-next').click();
    await expect.poll(title, PATIENCE).toBe('This is what comes back');
    const [nearest] = outcome.objects;
    if (nearest) expect(await part('story-text').innerText()).toContain(nearest.name);
    await part('story-next').click();
    await expect.poll(title, PATIENCE).toBe('What an adversary makes of it');
    expect(await part('story-text').innerText()).toMatch(/with a chance of [\d.]+\s%/);
    await part('story-next').click();
    await expect.poll(title, PATIENCE).toBe('Now you');
    expect(await part('story-next').isVisible()).toBe(false);
    await part('story-back').click();
    await expect.poll(title, PATIENCE).toBe('What an adversary makes of it');
    await part('story-skip').click();
    expect(await part('story').isVisible()).toBe(false);
});

test('who has seen it is not told again, unless asked for; and it can be left by keyboard', async () => {
    await page.goto(service.url);
    await open(page, service.url);
    expect(await part('story').isVisible()).toBe(false);
    await part('welcome-open').focus();
    await page.keyboard.press('Enter');
    await expect.poll(title, PATIENCE).toBe('A city full of travellers');
    await page.keyboard.press('Escape');
    expect(await part('story').isVisible()).toBe(false);
    expect(await part('welcome-open').evaluate((button) => button === document.activeElement)).toBe(
        true,
    );
});

test('on a low screen it covers nothing of who fits', async () => {
    const own = await watched(browser, {
        viewport: { width: 1280, height: 720 },
        isNew: true,
        reducedMotion: 'reduce',
    });
    await open(own.page, service.url);
    await own.page.getByTestId('story-next').click();
    await own.page.getByTestId('ask-company').waitFor(PATIENCE);
    expect(await isUncovered(own.page, 'ask-company')).toBe(true);
    await own.close();
});

test('on a phone its buttons stand on one line, in German, too', async () => {
    const phone = await watched(browser, { viewport: { width: 390, height: 844 }, isNew: true });
    await open(phone.page, `${service.url}?lang=de`);
    await phone.page.getByTestId('story-pause').click();
    const lines = await phone.page
        .locator('.story-actions button')
        .evaluateAll(
            (buttons) => new Set(buttons.map((button) => button.getBoundingClientRect().top)).size,
        );
    expect(lines).toBe(1);
    await phone.close();
});

test('where motion is unwelcome it waits to be stepped', async () => {
    const still = await watched(browser, { isNew: true, reducedMotion: 'reduce' });
    await open(still.page, service.url);
    const story = still.page.getByTestId('story');
    await story.waitFor(PATIENCE);
    await expect
        .poll(() => still.page.getByTestId('story-pause').innerText(), PATIENCE)
        .toBe('Go on');
    await still.page.getByTestId('story-next').click();
    await expect.poll(() => story.getByRole('heading').innerText(), PATIENCE).toBe('You ask');
    expect(still.complaints).toEqual([]);
    await still.close();
});

test('who follows a link to a place is not told anything', async () => {
    const other = await watched(browser, { isNew: true });
    await open(other.page, `${service.url}#at=0,0&zoom=15`);
    expect(await other.page.getByTestId('story').isVisible()).toBe(false);
    await other.close();
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
