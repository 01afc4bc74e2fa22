// A demo with a method that cannot be exchanged: it is named and marked, and no cloak is called another's.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { launch, open, PATIENCE, type Watched, watched } from './browser';
import { city, demo, Workplace } from './programs';

const place = new Workplace();
let seen: Watched;
let page: Page;

beforeAll(async () => {
    const map = city(place.folder, 1500);
    const service = place.owns(
        await demo(
            map,
            ...['--engine', 'xstar', '--travellers', '800', '--pause', '5:1'],
            ...['--k', '3:0', '--l', '3:0'],
        ),
    );
    seen = await watched(place.owns(await launch()));
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

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
