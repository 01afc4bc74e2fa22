// A real cluster of a gateway and two workers over NATS: the page says who is missing, since when, and what that means.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLinked, launch, open, PATIENCE, type Watched, watched } from './browser';
import { city, member, nats, program, type Running, Workplace } from './programs';

const PARTS = 6;
const place = new Workplace();
const file = (name: string) => join(place.folder, name);
let map: string;
let shared: string[];
let seen: Watched;
let page: Page;
const workers: Record<string, Running> = {};

async function startWorker(name: string): Promise<void> {
    const own = ['--name', name, '--cluster-key', file(`${name}.key`), '--threads', '1'];
    workers[name] = place.owns(await member('worker', map, ...shared, ...own));
}

beforeAll(async () => {
    map = city(place.folder, 1000);
    const partition = file('city.partition');
    const key = file('cluster.key');
    const run = (...args: string[]) => execFileSync(program, args);
    run('partition', map, '-n', String(PARTS), '-o', partition, '--quiet');
    run('token', 'key', file('tokens'));
    run('cluster', 'key', key);
    for (const name of ['w1', 'w2'])
        run('cluster', 'key', '--worker', name, '--from', key, file(`${name}.key`));
    const bus = place.owns(await nats());
    shared = ['--partition', partition, '--nats', bus.nats, '--heartbeat', '0.4'];
    const gateway = place.owns(
        await member(
            'gateway',
            map,
            ...shared,
            '--cluster-key',
            key,
            '--token-keys',
            file('tokens'),
        ),
    );
    for (const name of ['w1', 'w2']) await startWorker(name);
    seen = await watched(place.owns(await launch()));
    page = seen.page;
    await open(page, gateway.url);
    await isLinked(page, 'live');
});

afterAll(() => place.close());

const sign = () => page.getByTestId('link-state').innerText();
const level = () => page.getByTestId('link-state').getAttribute('data-health');
const banner = () => page.getByTestId('banner').innerText();

test('with all workers there it is well', async () => {
    await expect.poll(sign, PATIENCE).toBe('Live');
    await expect.poll(level, PATIENCE).toBe('good');
});

test('when one is gone it is amber: the other one serves all', async () => {
    await workers.w2.close();
    await expect
        .poll(banner, PATIENCE)
        .toMatch(/^1 worker missing for \d+\ss: the others serve its parts\.$/);
    expect(await level()).toBe('warn');
    expect(await sign()).toBe('Workers missing');
});

test('when none is left it is red: whoever asks waits in vain', async () => {
    await workers.w1.close();
    await expect
        .poll(banner, PATIENCE)
        .toMatch(
            /^6 parts of the map have had no worker for \d+\ss: questions there wait in vain\.$/,
        );
    expect(await level()).toBe('bad');
});

test('when they are back it is green again', async () => {
    for (const name of ['w1', 'w2']) await startWorker(name);
    await expect.poll(sign, PATIENCE).toBe('Live');
    await expect.poll(level, PATIENCE).toBe('good');
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
