// A map in several parts: the page tells of them and colours their roads, and says nothing of parts where there
// is one.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterPage, PartitionPage } from '../src/api/types';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { fingerprint, ink, top } from './pixels';
import { city, program, type Running, screenshots, service, Workplace } from './programs';

const PARTS = 6;
const place = new Workplace();
let map: string;
let serving: Running;
let seen: Watched;
let page: Page;
const asked: string[] = [];

beforeAll(async () => {
    map = city(place.folder, 2000);
    const partition = join(place.folder, 'city.partition');
    execFileSync(program, ['partition', map, '-n', String(PARTS), '-o', partition, '--quiet']);
    serving = place.owns(await service(map, '--partition', partition));
    seen = await watched(place.owns(await launch()));
    page = seen.page;
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await open(page, serving.url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);
const get = async <T>(path: string) => (await (await fetch(serving.url + path)).json()) as T;
const looks = () => asked.filter((path) => path === '/v1/cluster').length;

test('nothing of the cluster is asked for before somebody looks', async () => {
    await isLinked(page, 'live');
    expect(asked).not.toContain('/v1/cluster');
    expect(asked).not.toContain('/v1/partition');
});

test('the tab shows who serves, and every part', async () => {
    await part('tab-cluster').click();
    const { peers } = await get<ClusterPage>('v1/cluster');
    await expect.poll(() => part('parts').locator('tbody tr').count(), PATIENCE).toBe(PARTS);
    const workers = peers.filter(({ kind }) => kind === 'worker');
    expect(await part('workers').locator('tbody tr').count()).toBe(workers.length);
    expect(await part('workers').innerText()).toContain(workers[0].name);
    expect(await part('cluster').innerText()).toContain(`${PARTS} parts served by 1 worker`);
});

test('while it is in sight it is kept up to date, and rests when it is not', async () => {
    const before = looks();
    await expect.poll(looks, PATIENCE).toBeGreaterThan(before + 1);
    await part('tab-ask').click();
    // On a busy machine the last look may be on its way for a while.
    let after = -1;
    for (let tries = 0; tries < 6 && after !== looks(); tries++) {
        after = looks();
        await page.waitForTimeout(5000);
    }
    expect(looks()).toBe(after);
    await part('tab-cluster').click();
    await expect.poll(looks, PATIENCE).toBeGreaterThan(after);
});

test('roads are coloured by part when that is wished, and plain again when it is not', async () => {
    const { segments } = await get<PartitionPage>('v1/partition');
    expect(new Set(segments).size).toBe(PARTS);
    const plain = await fingerprint(page, top('provider'));
    await part('paint-parts').check();
    const colours = ['--part-0', '--part-1', '--part-2'];
    await expect
        .poll(async () => (await ink(page, top('provider'), { colours })).pixels, PATIENCE)
        .toBeGreaterThan(500);
    await photograph(page, join(screenshots, 'cluster.png'));
    await part('paint-parts').uncheck();
    await expect.poll(() => fingerprint(page, top('provider')), PATIENCE).toBe(plain);
});

for (const theme of ['light', 'dark']) {
    test(`nothing is wrong with its accessibility, ${theme}`, async () => {
        await part('theme').selectOption(theme);
        await part('paint-parts').check();
        expect(await axe(page)).toEqual([]);
    });
}

test('on a phone the panel fits', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await part('tab-cluster').click();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    expect(await axe(page)).toEqual([]);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});

test('where the map is in one part there is no such tab, and nothing is asked', async () => {
    const whole = place.owns(await service(map));
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await open(page, whole.url);
    await isLinked(page, 'live');
    expect(await part('tab-cluster').count()).toBe(0);
    expect(paths).not.toContain('/v1/cluster');
    expect((await fetch(`${whole.url}v1/cluster`)).status).toBe(404);
    expect((await fetch(`${whole.url}v1/partition`)).status).toBe(404);
});
