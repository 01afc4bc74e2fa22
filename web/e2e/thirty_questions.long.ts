// How often the page is right when it says that enough who fit are here: thirty questions, each asked by a click on a
// road and one on the button, the moment the page has counted. The numbers are left in build/web/thirty_questions.txt;
// docs/ui.md has them. With the engine of a service, and with basic, of which the page knows less.
import { appendFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../src/api/types';
import { dice } from '../test/support/dice';
import { isLinked, launch, open, PATIENCE, watched } from './browser';
import { Listener } from './oracle';
import { city, demo, screenshots, Workplace } from './programs';

const QUESTIONS = 30;

const place = new Workplace();
let map: string;
let browser: Browser;

beforeAll(async () => {
    // As many travellers for each crossing as `make demo` has.
    map = city(place.folder, 6000);
    browser = place.owns(await launch());
});

afterAll(() => place.close());

interface Tally {
    asked: number;
    answered: number;
}

/** What came of thirty questions, by whether enough were here when they were asked. */
async function askThirty(engine: string): Promise<{ enough: Tally; few: Tally }> {
    const service = await demo(map, '--travellers', '3000', '--engine', engine);
    const listener = new Listener(service.url);
    const tally = { enough: { asked: 0, answered: 0 }, few: { asked: 0, answered: 0 } };
    const random = dice(7);
    const { page, close } = await watched(browser);
    const part = (name: string) => page.getByTestId(name);
    await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(20);
    for (let i = 0; i < QUESTIONS; i++) {
        // Each from the neighbourhood that the page opens with.
        await open(page, service.url);
        await isLinked(page, 'live');
        await expect.poll(() => part('counter-pending').innerText(), PATIENCE).toMatch(/[1-9]/);
        const box = await part('pane-travellers').boundingBox();
        if (!box) throw new Error('there is no map');
        // Beside what lies on the map: the search, the buttons, the city in a corner.
        const [x, y] = [0.1 + 0.6 * random.unit(), 0.25 + 0.5 * random.unit()];
        await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
        await part('ask-company').waitFor(PATIENCE);
        const isEnough = await page.evaluate(() => {
            const company = document.querySelector<HTMLElement>('.company');
            document.querySelector<HTMLElement>('[data-testid="ask-quick"]')?.click();
            return company?.dataset.enough === 'yes';
        });
        const replied = await page.waitForResponse(
            (response) => response.url().endsWith('/v1/queries'),
            PATIENCE,
        );
        const { outcome } = (await replied.json()) as Outcome;
        const row = isEnough ? tally.enough : tally.few;
        row.asked += 1;
        if (outcome === 'answered') row.answered += 1;
    }
    await close();
    await listener.close();
    await service.close();
    return tally;
}

for (const engine of ['patient', 'basic']) {
    test(`${engine}: most find company where the page says that enough are here`, async () => {
        const { enough, few } = await askThirty(engine);
        appendFileSync(
            `${screenshots}/../thirty_questions.txt`,
            `${engine}: enough were here for ${enough.asked}, of which ${enough.answered} were answered; ` +
                `too few for ${few.asked}, of which ${few.answered} were answered\n`,
        );
        expect(enough.asked + few.asked).toBe(QUESTIONS);
        expect(enough.answered).toBeGreaterThanOrEqual(0.8 * enough.asked);
    });
}
