// The page on usual screens, light and dark, in both languages: nothing is cut off, nothing lies on something else,
// and what one came for is within the first screen. Leaves a picture of each, to be looked at.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axe } from './axe';
import { isLinked, launch, open, PATIENCE, photograph, watched } from './browser';
import { cutOff, overlapping, SIZES } from './fitting';
import { Listener } from './oracle';
import { city, demo, provider, type Running, screenshots, Workplace } from './programs';

const place = new Workplace();
let service: Running;
let listener: Listener;
let browser: Browser;

beforeAll(async () => {
    const map = city(place.folder, 6000);
    const lbs = place.owns(await provider(map));
    service = place.owns(
        await demo(map, '--provider', lbs.url, '--travellers', '1500', '--pause', '8:2'),
    );
    listener = place.owns(new Listener(service.url));
    browser = place.owns(await launch());
});

afterAll(() => place.close());

/** Where the lines begin on which these stand, from the top. */
const lines = (page: Page, selector: string) =>
    page.evaluate((buttons) => {
        const shown = [...document.querySelectorAll(buttons)].filter(
            (element) => element instanceof HTMLElement && element.offsetParent,
        );
        return [...new Set(shown.map((element) => element.getBoundingClientRect().bottom))];
    }, selector);

for (const [width, height] of SIZES) {
    for (const lang of ['en', 'de']) {
        test(`${width} by ${height}, ${lang}: nothing is cut off or covered`, async () => {
            await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(12);
            const isPhone = width < 900;
            const { page, complaints, close } = await watched(browser, {
                viewport: { width, height },
                hasTouch: isPhone,
                isMobile: isPhone,
            });
            await open(page, `${service.url}?lang=${lang}`);
            await isLinked(page, 'live');
            for (const colorScheme of ['light', 'dark'] as const) {
                await page.emulateMedia({ colorScheme });
                await page.waitForSelector(`html[data-theme="${colorScheme}"]`);
                await expect
                    .poll(() => page.getByTestId('counter-cloaks').innerText(), PATIENCE)
                    .toMatch(/[1-9]/);
                const name = `screen-${width}x${height}-${lang}-${colorScheme}`;
                await photograph(page, `${screenshots}/${name}.png`);
                expect(await axe(page), colorScheme).toEqual([]);
            }
            expect(await cutOff(page)).toEqual([]);
            expect(await overlapping(page)).toEqual([]);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            expect(wide).toBeLessThanOrEqual(width);
            const map = await page.getByTestId('pane-travellers').boundingBox();
            expect((map?.y ?? height) + (map?.height ?? 0)).toBeLessThanOrEqual(height);
            expect(map?.height).toBeGreaterThan(150);
            // What can be done with a chosen cloak stands on one line: the card covers the map.
            await page.getByTestId('tab-cloaks').click();
            await page.getByTestId('cloak-list').locator('button').first().click();
            await page.getByTestId('chosen-cloak').waitFor(PATIENCE);
            expect(await lines(page, '.chosen-actions button')).toHaveLength(1);
            expect(await cutOff(page)).toEqual([]);
            expect(complaints).toEqual([]);
            await close();
        });
    }
}
