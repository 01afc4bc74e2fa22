// Engines that can be exchanged are; a method that cannot is named and marked, and no cloak is called another's.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { launch, open, PATIENCE, type Watched, watched } from './browser';
import { city, demo, Workplace } from './programs';

const place = new Workplace();
let map: string;
let seen: Watched;
let browser: Browser;
let page: Page;

beforeAll(async () => {
    map = city(place.folder, 1500);
    const service = place.owns(
        await demo(
            map,
            ...['--engine', 'xstar', '--travellers', '800', '--pause', '5:1'],
            ...['--k', '3:0', '--l', '3:0'],
        ),
    );
    browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, service.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

test('the engine that runs is named and marked, and no other is offered', async () => {
    await part('tab-engine').click();
    expect(await part('engine-name').innerText()).toBe('XStar is running.');
    expect(await part('engine-xstar').innerText()).toContain('XStar');
    expect(await part('engine').locator('input').count()).toBe(0);
    expect(await axe(page)).toEqual([]);
});

test('its cloak is called its own under attack', async () => {
    await part('tab-cloaks').click();
    const items = part('cloak-list').locator('button');
    await expect.poll(() => items.count(), PATIENCE).toBeGreaterThan(0);
    await items.first().click();
    expect(await part('attack-starcloak').locator('h3').innerText()).toBe('XStar');
    expect(await part('attack-expansion').locator('h3').innerText()).toBe('Network expansion');
    await part('attack-start').click();
    await expect.poll(() => part('attack-state').innerText(), PATIENCE).toMatch(/^Done\./);
    expect(await part('attack-state').innerText()).not.toContain('StarCloak');
});

test('a provider in the same process has a chart of what it is asked, not of bytes', async () => {
    expect(await part('chart-bytes').count()).toBe(0);
    await part('chart-load').scrollIntoViewIfNeeded();
    const roads = part('chart-load').locator('b').nth(1);
    await expect
        .poll(async () => Number.parseFloat(await roads.innerText()), PATIENCE)
        .toBeGreaterThan(0);
});

test('of basic, bounded and hybrid another one is taken while travellers wait', async () => {
    const travellers = ['--travellers', '300', '--pause', '5:1'];
    const service = place.owns(await demo(map, '--engine', 'basic', ...travellers));
    const own = await watched(browser);
    await open(own.page, service.url);
    await own.page.getByTestId('tab-engine').click();
    const inForce = async () => (await (await fetch(`${service.url}v1/about`)).json()).engine;
    for (const engine of ['bounded', 'hybrid', 'basic']) {
        await own.page.getByTestId(`engine-${engine}`).check();
        await expect.poll(inForce, PATIENCE).toBe(engine);
    }
    expect(own.complaints).toEqual([]);
    await own.close();
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
