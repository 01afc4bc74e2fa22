// Who may see what: a service that tells what happens to holders of a token alone, and the report of an
// experiment, which opens for those who may.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, watched } from './browser';
import { city, demo, service, Workplace } from './programs';

const place = new Workplace();
const reports = join(place.folder, 'results');
let map: string;
let browser: Browser;

beforeAll(async () => {
    map = city(place.folder, 500);
    mkdirSync(reports);
    writeFileSync(join(reports, 'report.html'), report);
    writeFileSync(join(reports, 'success-k.csv'), 'method,k,success\nbasic,5,0.97\n');
    browser = place.owns(await launch());
});

afterAll(() => place.close());

/** What an experiment's report is made of: a style of its own, a figure inside, data beside it. */
const report = `<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<title>StarCloak: experiment on a small city</title>
<style>h1{color:#0b5cad}</style>
</head>
<body>
<header><h1>Hiding travellers on roads: the methods compared</h1></header>
<main><figure>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 38" role="img" aria-label="Success by k"><path d="M0 30 70 3" stroke="#0b5cad"/></svg>
<figcaption>Success by k <a href="success-k.csv">data</a></figcaption>
</figure></main>
</body>
</html>
`;

test('the report of an experiment opens, in a page of its own', async () => {
    const serving = place.owns(await demo(map, '--travellers', '5', '--reports', reports));
    const { page, complaints, close } = await watched(browser);
    await open(page, serving.url);
    const link = page.getByTestId('report');
    await expect.poll(() => link.isVisible(), PATIENCE).toBe(true);
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.waitForLoadState();
    expect(await opened.title()).toBe('StarCloak: experiment on a small city');
    const heading = opened.getByRole('heading', { level: 1 });
    expect(await heading.innerText()).toContain('the methods compared');
    // Its own style is allowed by its policy.
    expect(await heading.evaluate((element) => getComputedStyle(element).color)).toBe(
        'rgb(11, 92, 173)',
    );
    expect(await opened.getByRole('img', { name: 'Success by k' }).isVisible()).toBe(true);
    const data = await opened.getByRole('link', { name: 'data' }).getAttribute('href');
    const file = await fetch(new URL(data ?? '', opened.url()));
    expect(await file.text()).toContain('basic,5,0.97');
    expect(complaints).toEqual([]);
    await close();
});

test('without a report there is no link to one', async () => {
    const serving = place.owns(await demo(map, '--travellers', '5'));
    const { page, complaints, close } = await watched(browser);
    await open(page, serving.url);
    await isLinked(page, 'live');
    expect(await page.getByTestId('report').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    await close();
});

test('a link carries no token: where one is wanted, there is none to the report', async () => {
    const serving = place.owns(
        await demo(map, '--travellers', '5', '--events', 'token', '--reports', reports),
    );
    const { page, close } = await watched(browser);
    await open(page, serving.url);
    await isLinked(page, 'forbidden');
    expect((await (await fetch(`${serving.url}v1/about`)).json()).offers).toContain('reports');
    expect(await page.getByTestId('report').isVisible()).toBe(false);
    await close();
});

test('where a token is wanted the page asks for one, and a right one opens', async () => {
    const serving = place.owns(await service(map, '--events', 'token'));
    const { page, complaints, close } = await watched(browser);
    const answers: number[] = [];
    page.on('response', (response) => {
        if (response.url().endsWith('/v1/events')) answers.push(response.status());
    });
    await open(page, serving.url);
    const field = page.getByTestId('banner-token');
    await isLinked(page, 'forbidden');
    await field.waitFor(PATIENCE);
    expect(await page.getByTestId('banner').innerText()).toContain('token');
    expect(await axe(page)).toEqual([]);
    // Known beforehand: nothing was asked for in vain.
    expect(answers).toEqual([]);
    expect(complaints).toEqual([]);

    await field.fill(`${serving.token.slice(0, -6)}AAAAAA`);
    await field.press('Enter');
    await expect.poll(() => answers, PATIENCE).toEqual([401]);
    await isLinked(page, 'forbidden');
    expect(await field.isVisible()).toBe(true);
    expect(await page.getByTestId('banner').innerText()).toContain('does not accept this token');

    await field.fill(serving.token);
    await field.press('Enter');
    await isLinked(page, 'live');
    expect(answers).toEqual([401, 200]);
    await expect.poll(() => page.getByTestId('banner').isVisible(), PATIENCE).toBe(false);
    await expect.poll(() => page.getByTestId('counter-cloaks').innerText(), PATIENCE).toBe('0');
    // The browser itself has a word on the refusal, and nobody has another.
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    await close();
});
