// A picture of every state of the page, at each usual size, light and dark, in both languages: to be looked at. That
// takes a quarter of an hour, so it is not among the tests: scripts/ui_tests long gallery. The pictures are in
// build/web/screenshots/gallery, by their size, language, colours and state.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../src/api/types';
import { choose, more } from './asking';
import { isLinked, launch, open, PATIENCE, watched } from './browser';
import { cutOff, overlapping, SIZES } from './fitting';
import { namedTown } from './named_town';
import { Listener } from './oracle';
import {
    city,
    demo,
    program,
    provider,
    type Running,
    screenshots,
    service,
    Workplace,
} from './programs';

const folder = `${screenshots}/gallery`;
const place = new Workplace();
let living: Running;
let town: Running;
let replay: Running;
let alone: Running;
let ill: Running;
let listener: Listener;
let browser: Browser;

beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const map = city(place.folder, 6000);
    const small = city(place.folder, 1500);
    const record = join(place.folder, 'run.jsonl');
    execFileSync(program, [
        ...['simulate', small, '--users', '800', '--seconds', '120', '--k', '3:0', '--l', '3:0'],
        ...['--record', record],
    ]);
    const lbs = place.owns(await provider(map));
    const few = ['--travellers', '300', '--pause', '4:1', '--k', '2:0', '--l', '2:0'];
    living = place.owns(
        await demo(map, '--provider', lbs.url, '--travellers', '1500', '--pause', '8:2'),
    );
    replay = place.owns(await demo(small, '--replay', record));
    alone = place.owns(await service(small));
    town = place.owns(await demo(namedTown(place.folder), ...few));
    // It is there when they start, and gone when they are looked at.
    const dying = await provider(small);
    const impatient = ['--provider-timeout', '1', '--provider-deadline', '2'];
    ill = place.owns(await demo(small, '--provider', dying.url, ...few, ...impatient));
    await dying.close();
    listener = place.owns(new Listener(living.url));
    browser = place.owns(await launch());
});

afterAll(() => place.close());

/** One page in one size, language and theme, and how it is photographed. */
class Album {
    readonly faults: string[] = [];

    constructor(
        readonly page: Page,
        private readonly name: string,
        private readonly width: number,
    ) {}

    part(name: string) {
        return this.page.getByTestId(name);
    }

    get isNarrow(): boolean {
        return this.width < 900;
    }

    /** @param isTop  the page is scrolled to its top before */
    async take(state: string, isTop = true): Promise<void> {
        const { page } = this;
        if (isTop) await page.evaluate(() => scrollTo(0, 0));
        await page.mouse.move(0, 0);
        // What moves into its place is there then.
        await page.waitForTimeout(700);
        await page.screenshot({ path: `${folder}/${this.name}-${state}.png` });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > this.width) this.faults.push(`${state}: ${wide} pixels wide`);
        for (const words of await cutOff(page)) this.faults.push(`${state}: cut off: ${words}`);
        for (const words of await overlapping(page))
            this.faults.push(`${state}: covered: ${words}`);
    }

    async tab(name: string): Promise<void> {
        await this.part(`tab-${name}`).click();
    }
}

async function story(album: Album): Promise<void> {
    const { page } = album;
    await album.part('story').waitFor(PATIENCE);
    await album.take('story-1');
    await album.part('story-pause').click();
    const title = () => album.part('story').getByRole('heading').innerText();
    for (let i = 2; i < 9 && (await album.part('story-next').isVisible()); i++) {
        const before = await title();
        await album.part('story-next').click();
        await expect.poll(title, PATIENCE).not.toBe(before);
        await page.waitForTimeout(1200);
        await album.take(`story-${i}`);
    }
    await album.part('welcome-open').click();
}

async function asking(album: Album): Promise<void> {
    const { page } = album;
    await album.tab('ask');
    await album.take('ask-first');
    await album.part('ask-choose').click();
    await album.part('ask-company').waitFor(PATIENCE);
    await album.take('ask-form');
    await more(page);
    await album.take('ask-more');
    await album.part('ask-privacy-medium').scrollIntoViewIfNeeded();
    await choose(page, { k: 90, max_wait_s: 30 });
    await album.part('ask-submit').click();
    await album.part('ask-cancel').waitFor(PATIENCE);
    await page.waitForTimeout(2500);
    await album.take('ask-waiting');
    await album.part('ask-cancel').click();
    await album.part('ask-submit').waitFor(PATIENCE);
    await choose(page, { k: 90, max_wait_s: 1 });
    await ask(album);
    await album.take('ask-dropped');
    await album.part('ask-change').click();
    await album.part('ask-privacy-low').check();
    await page.reload();
    for (let i = 0; i < 5; i++) {
        await album.part('ask-choose').click();
        await album.part('ask-quick').waitFor(PATIENCE);
        if ((await ask(album, 'ask-quick')) === 'answered') break;
        await album.part('ask-change').click();
    }
    await album.take('ask-answered');
    await album.part('ask-bytes').scrollIntoViewIfNeeded();
    await album.take('ask-bytes', false);
}

async function ask(album: Album, button = 'ask-submit'): Promise<string> {
    const replied = album.page.waitForResponse((response) =>
        response.url().endsWith('/v1/queries'),
    );
    await album.part(button).click();
    const { outcome } = (await (await replied).json()) as Outcome;
    await album.part('ask-result').waitFor(PATIENCE);
    return outcome;
}

async function attacking(album: Album): Promise<void> {
    await album.tab('attack');
    await album.take('attack-empty');
    await album.tab('cloaks');
    await album.take('cloaks');
    await album.part('cloak-list').locator('button').first().click();
    await album.take('cloak-chosen');
    await album.part('attack-start').click();
    await expect
        .poll(() => album.part('attack-state').innerText(), PATIENCE)
        .toMatch(/^(Done|Fertig)/);
    await album.take('attack');
    await album.part('attack-state').scrollIntoViewIfNeeded();
    await album.take('attack-result', false);
    await album.page.keyboard.press('Escape');
    if (album.isNarrow) await album.part('show-travellers').click();
}

async function others(album: Album): Promise<void> {
    await album.tab('methods');
    const success = () => album.part('methods-success').innerText();
    await expect.poll(success, PATIENCE).not.toContain('–');
    await album.take('methods');
    await album.part('methods-table').scrollIntoViewIfNeeded();
    await album.take('methods-table', false);
    await album.tab('engine');
    await album.take('engine');
    if (album.isNarrow) await album.tab('charts');
    await album.take('charts', !album.isNarrow);
    await album.page.locator('.charts details summary').first().click();
    await album.take('table', !album.isNarrow);
    await album.page.locator('.charts details summary').first().click();
    await album.tab('ask');
    await album.page.evaluate(() => scrollTo(0, 0));
    await album.part('signs-travellers').locator('summary').click();
    await album.take('signs');
}

for (const [width, height] of SIZES) {
    for (const lang of ['en', 'de']) {
        for (const colorScheme of ['light', 'dark'] as const) {
            const name = `${width}x${height}-${lang}-${colorScheme}`;
            const isPhone = width < 900;
            const screen = {
                viewport: { width, height },
                colorScheme,
                ...(isPhone ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {}),
            };
            const visit = async (
                url: string,
                isNew: boolean,
                show: (album: Album) => Promise<void>,
            ) => {
                const { page, close } = await watched(browser, { ...screen, isNew });
                const album = new Album(page, name, width);
                await open(page, `${url}?lang=${lang}`);
                await isLinked(page, 'live');
                await show(album);
                await close();
                return album.faults;
            };

            test(`${name}: the story`, async () => {
                await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(12);
                expect(await visit(living.url, true, story)).toEqual([]);
            });

            test(`${name}: asking`, async () => {
                expect(await visit(living.url, false, asking)).toEqual([]);
            });

            test(`${name}: a cloak is attacked`, async () => {
                expect(await visit(living.url, false, attacking)).toEqual([]);
            });

            test(`${name}: methods, engine, charts, signs`, async () => {
                expect(await visit(living.url, false, others)).toEqual([]);
            });

            test(`${name}: other services`, async () => {
                const faults = [
                    await visit(town.url, false, async (album) => {
                        await album.part('search').click();
                        await album.part('search').pressSequentially('quer');
                        await album.part('search-found').locator('li').first().waitFor(PATIENCE);
                        await album.take('search');
                    }),
                    await visit(replay.url, true, async (album) => {
                        await album.take('replay-first');
                        await album.part('welcome-open').click();
                        await album.take('replay');
                    }),
                    await visit(alone.url, true, async (album) => {
                        await album.take('serve-first');
                        await album.part('welcome-open').click();
                        await album.take('serve');
                    }),
                    await visit(ill.url, false, async (album) => {
                        const level = () => album.part('link-state').getAttribute('data-health');
                        await expect.poll(level, PATIENCE).toBe('bad');
                        await album.take('provider-dead');
                    }),
                    await visit(`${living.url}`, false, async (album) => {
                        await album.page.goto(`${living.url}?wall&lang=${lang}`);
                        await isLinked(album.page, 'live');
                        await album.take('wall');
                    }),
                ];
                expect(faults.flat()).toEqual([]);
            });
        }
    }
}
