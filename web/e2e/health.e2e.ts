// The state of health, with a real provider that dies and comes back while travellers ask.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { city, demo, provider, providerAt, type Running, screenshots, Workplace } from './programs';

const place = new Workplace();
let map: string;
let lbs: Running;
let service: Running;
let browser: Browser;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    map = city(place.folder, 2000);
    lbs = place.owns(await provider(map));
    // Company is found at once, so that nothing but the provider decides how it is.
    service = place.owns(
        await demo(
            map,
            ...['--provider', lbs.url, '--travellers', '600', '--pause', '4:1'],
            ...['--k', '2:0', '--l', '2:0', '--sigma-s', '8:0'],
            ...['--provider-timeout', '1', '--provider-deadline', '2'],
        ),
    );
    browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, service.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const sign = () => part('link-state').innerText();
const level = () => part('link-state').getAttribute('data-health');
const banner = () => part('banner').innerText();

async function number(name: string): Promise<number> {
    return Number((await part(name).innerText()).replace(/[^0-9]/g, ''));
}

test('while the provider answers it is well', async () => {
    await expect.poll(() => number('counter-answered'), PATIENCE).toBeGreaterThan(50);
    await expect.poll(sign, PATIENCE).toBe('Live');
    expect(await level()).toBe('good');
    expect(await part('banner').isVisible()).toBe(false);
});

test('when it dies the page says so in red: who is away, since when, and what fails', async () => {
    await lbs.close();
    await expect.poll(sign, PATIENCE).toBe('Provider away');
    expect(await level()).toBe('bad');
    await expect
        .poll(banner, PATIENCE)
        .toMatch(/^Provider away for \d+\s(s|min): [\d.,]+ questions a second fail\.$/);
    expect(await number('counter-failed')).toBeGreaterThan(0);
    // Still connected: it is not the service that is away.
    expect(await part('link-state').getAttribute('data-state')).toBe('live');
    expect(await axe(page)).toEqual([]);
    await photograph(page, `${screenshots}/ui-provider-away.png`);
});

test('a page that is opened meanwhile knows it from the history, and says it in German', async () => {
    const german = await watched(browser, { locale: 'de-DE' });
    await open(german.page, `${service.url}?lang=de`);
    await expect
        .poll(() => german.page.getByTestId('banner').innerText(), PATIENCE)
        .toMatch(
            /^Anbieter seit \d+\s(s|min) nicht erreichbar: [\d.,]+ Anfragen je Sekunde scheitern\.$/,
        );
    expect(german.complaints).toEqual([]);
    await german.close();
});

test('when it is back the page is green again', async () => {
    lbs = place.owns(await providerAt(lbs.address, map));
    await expect.poll(sign, PATIENCE).toBe('Live');
    expect(await level()).toBe('good');
    await expect.poll(() => part('banner').isVisible(), PATIENCE).toBe(false);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
