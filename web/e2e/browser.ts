// Debian's Chromium, and pages in it that must not say a word of complaint.
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { giveEyes } from './pixels';

/** For what comes in a moment, on a machine that may be busy with other things. */
export const PATIENCE = { timeout: 60_000, interval: 100 };

export function launch(): Promise<Browser> {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        timeout: PATIENCE.timeout,
        args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
        ],
    });
}

/** A page, and everything that it or a page opened from it should not have said. */
export interface Watched {
    page: Page;
    complaints: string[];
    close: () => Promise<void>;
}

/** @param options  isNew: the introduction was not read before */
export async function watched(
    browser: Browser,
    options: BrowserContextOptions & { isNew?: boolean } = {},
): Promise<Watched> {
    const { isNew, ...rest } = options;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...rest });
    context.setDefaultTimeout(PATIENCE.timeout);
    await context.addInitScript(giveEyes);
    if (!isNew) {
        await context.addInitScript(() => {
            // The blank page that comes first may keep nothing.
            if (location.protocol !== 'about:') localStorage.setItem('starcloak.welcome', 'read');
        });
    }
    const complaints: string[] = [];
    context.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') {
            complaints.push(`${message.type()}: ${message.text()}`);
        }
    });
    context.on('weberror', (error) => complaints.push(`uncaught: ${error.error().message}`));
    context.on('requestfailed', (request) => {
        // Streams and waiting questions are cut off on purpose when a page closes or a service ends.
        const isOurs = request.failure()?.errorText === 'net::ERR_ABORTED';
        if (!isOurs) complaints.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
    });
    return { page: await context.newPage(), complaints, close: () => context.close() };
}

/** Open the UI and wait until the map is drawn. */
export async function open(page: Page, url: string): Promise<void> {
    await page.goto(url);
    await isReady(page);
}

export async function isReady(page: Page): Promise<void> {
    await page.waitForSelector('html[data-ready="yes"]', { timeout: PATIENCE.timeout });
}

/** Wait until the page says that of its connection: live, lost, forbidden, connecting. */
export async function isLinked(page: Page, state: string): Promise<void> {
    const said = `[data-testid="link-state"][data-state="${state}"]`;
    await page.waitForSelector(said, { timeout: PATIENCE.timeout });
}

/** A picture of what is at the top of the page. */
export async function photograph(page: Page, path: string): Promise<void> {
    await page.evaluate(() => scrollTo(0, 0));
    await page.mouse.move(0, 0);
    await page.screenshot({ path });
}
