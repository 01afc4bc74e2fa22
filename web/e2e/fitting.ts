// Whether a page fits its screen: the usual sizes, words that are cut off, things that lie on each other.
import type { Page } from 'playwright-core';

export const SIZES = [
    [390, 844],
    [1280, 720],
    [1440, 900],
    [1920, 1080],
] as const;

/** Words that do not fit where they stand. */
export const cutOff = (page: Page) =>
    page.evaluate(() =>
        [...document.querySelectorAll('[role="tab"], button, .top *, h2, h3, .live-line *')]
            .filter((element) => element instanceof HTMLElement && element.offsetParent !== null)
            .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth)
            // It says what does not fit in three dots.
            .filter((element) => !element.matches('.motto'))
            .map(({ outerHTML }) => outerHTML.slice(0, 100)),
    );

/** Pairs of things beside each other that lie on each other. */
export const overlapping = (page: Page) =>
    page.evaluate(() => {
        const found: string[] = [];
        for (const group of ['.top > *', '.tools > *', '[role="tab"]', '.live-line > div']) {
            const boxes = [...document.querySelectorAll(group)]
                .filter((element) => element instanceof HTMLElement && element.offsetParent)
                .map((element) => ({ element, box: element.getBoundingClientRect() }))
                .filter(({ box }) => box.width > 1);
            for (const [i, a] of boxes.entries()) {
                for (const b of boxes.slice(i + 1)) {
                    const isApart =
                        a.box.right <= b.box.left + 1 ||
                        b.box.right <= a.box.left + 1 ||
                        a.box.bottom <= b.box.top + 1 ||
                        b.box.bottom <= a.box.top + 1;
                    const html = (element: Element) => element.outerHTML.slice(0, 60);
                    if (!isApart) found.push(`${html(a.element)} and ${html(b.element)}`);
                }
            }
        }
        return found;
    });
