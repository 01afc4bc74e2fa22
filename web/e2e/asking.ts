// A question, asked on the page as people do.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Outcome, Profile, Query } from '../src/api/types';
import { PATIENCE } from './browser';

export type Answered = Extract<Outcome, { outcome: 'answered' }>;

/** Set the number fields beside the sliders, which are under "More". */
export async function choose(page: Page, profile: Partial<Profile>): Promise<void> {
    await more(page);
    for (const [name, value] of Object.entries(profile)) {
        const field = page.getByTestId('ask-form').locator(`input[name="${name}"]`);
        await field.fill(String(value));
        await field.blur();
    }
}

/** Open "More". */
export async function more(page: Page): Promise<void> {
    const details = page.getByTestId('ask-more');
    const isOpen = await details.evaluate((element) => (element as HTMLDetailsElement).open);
    if (!isOpen) await details.locator('summary').click();
}

/**
 * Whether it can be pressed as the page stands: all of it within the screen, and nothing over its middle. Playwright
 * scrolls before it clicks, so a click says nothing of that.
 */
export async function isInSight(page: Page, testId: string): Promise<boolean> {
    return page.getByTestId(testId).evaluate((element) => {
        const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
        const isWithin =
            width > 0 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
        const there = document.elementFromPoint(left + width / 2, top + height / 2);
        return isWithin && element.contains(there);
    });
}

/** Whether all of its words can be read as the page stands: nothing lies over its corners. */
export async function isUncovered(page: Page, testId: string): Promise<boolean> {
    return page.getByTestId(testId).evaluate((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return [left + 2, right - 2].every((x) =>
            [top + 2, bottom - 2].every((y) => element.contains(document.elementFromPoint(x, y))),
        );
    });
}

/** Click into the middle of a map, and wait until the page knows which road that is. */
export async function clickMiddle(page: Page, pane: string): Promise<void> {
    await page.evaluate(() => scrollTo(0, 0));
    const box = await page.getByTestId(pane).boundingBox();
    if (!box) throw new Error('the pane is nowhere');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await knowsRoad(page);
}

export async function knowsRoad(page: Page): Promise<void> {
    await expect
        .poll(() => page.getByTestId('ask-place').innerText(), PATIENCE)
        .toMatch(/(road|Straße) \d/);
}

/** Press the button; what was asked then, and what came of it once it is on the page. */
export async function ask(page: Page): Promise<{ asked: Query; outcome: Answered }> {
    const sent = page.waitForRequest((request) => request.url().endsWith('/v1/queries'));
    const replied = page.waitForResponse(
        (response) => response.url().endsWith('/v1/queries'),
        PATIENCE,
    );
    await page.getByTestId('ask-submit').click();
    const asked = (await sent).postDataJSON() as Query;
    const outcome = (await (await replied).json()) as Outcome;
    if (outcome.outcome !== 'answered') throw new Error(`not answered: ${JSON.stringify(outcome)}`);
    await page.getByTestId('ask-result').waitFor(PATIENCE);
    return { asked, outcome };
}
