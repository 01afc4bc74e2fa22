// How quick is the UI? Prints figures of the real page in a real browser without a graphics card.
//
//     node web/bench/run.mjs http://127.0.0.1:8080                        the page that the service has
//     node web/bench/run.mjs http://127.0.0.1:8080 --page build/web/dist  a page that was just built
//
// Options: --travellers N (10000), --waiting N (200), --cloaks N (100), --size 1440x900, --ratio N (1),
// --shots FOLDER (pictures of what was measured), --browser PATH, --json
//
// Measured from the page's own performance entries (map:decoded, map:first-draw) and by counting its
// frames from outside, so that nothing in the page knows of this.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { openTown } from './crowd.mjs';
import { countFrames, dragging, wheeling } from './frames.mjs';

const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        page: { type: 'string' },
        travellers: { type: 'string', default: '10000' },
        waiting: { type: 'string', default: '200' },
        cloaks: { type: 'string', default: '100' },
        size: { type: 'string', default: '1440x900' },
        ratio: { type: 'string', default: '1' },
        shots: { type: 'string' },
        browser: { type: 'string', default: '/usr/bin/chromium' },
        json: { type: 'boolean', default: false },
    },
});
if (positionals.length !== 1) {
    console.error('usage: node run.mjs SERVICE [--page FOLDER] [--travellers N] ...');
    process.exit(2);
}
const VISITS = 9;
/** A browser's new window has much to do for itself at first, on all processors; a person's is open already. */
const REST_MS = 1500;
const service = new URL(positionals[0]);
const [width, height] = options.size.split('x').map(Number);

const browser = await chromium.launch({
    executablePath: options.browser,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
const figures = [];
try {
    await measureOpening();
    await measureCrowd();
} finally {
    await browser.close();
}
if (options.json) console.log(JSON.stringify(Object.fromEntries(figures), null, 2));

/** Without a crowd: how soon is the map there? The best and the median of several visits. */
async function measureOpening() {
    // Nobody stands between the browser and the service, unless the page is to come from elsewhere.
    const town = options.page
        ? await openTown(service, { travellers: 0, page: options.page })
        : { url: service.href, close: () => {} };
    const visits = [];
    for (let i = 0; i < VISITS; i++) {
        const { page, close } = await visit(town.url);
        visits.push(await page.evaluate(readEntries));
        if (i === 0) await shoot(page, 'opening');
        await close();
    }
    town.close();
    report('map', visits[0].bytes / 1e6, 'MB');
    for (const [name, what] of [
        ['arrived', 'map there, from opening the page'],
        ['decoded', 'map read'],
        ['firstDraw', 'first draw, from the bytes'],
        ['opened', 'first draw, from opening the page'],
    ]) {
        const sorted = visits.map((visit) => visit[name]).sort((a, b) => a - b);
        report(what, sorted[sorted.length >> 1], 'ms', ` best ${sorted[0].toFixed(0)}`);
    }
}

/** With it: do hands on the map feel it? */
async function measureCrowd() {
    const crowd = {
        travellers: Number(options.travellers),
        waiting: Number(options.waiting),
        cloaks: Number(options.cloaks),
    };
    const town = await openTown(service, { ...crowd, page: options.page });
    const { page, close } = await visit(town.url);
    // Until the first cloaks fade.
    await page.waitForTimeout(8000);
    await shoot(page, 'crowd');
    const what = `${crowd.travellers} travellers, ${crowd.cloaks} cloaks`;
    // Without the counter of frames, which asks for each of them.
    const cpu = await withCpu(page, () => page.waitForTimeout(5000));
    const still = await countFrames(page, () => page.waitForTimeout(5000));
    report(`travellers drawn (${what})`, still.drawn, 'per second');
    reportFrames('frames meanwhile', still);
    reportCpu('as it opens', cpu);
    await page.keyboard.press('Tab');
    await page.locator('.map-pane').first().focus();
    await page.keyboard.press('0');
    await page.waitForTimeout(1500);
    const whole = await withCpu(page, () => page.waitForTimeout(5000));
    reportCpu('with the whole city in sight', whole);
    await shoot(page, 'whole');
    reportFrames('frames while zooming in', await countFrames(page, () => wheeling(page, -1)));
    await shoot(page, 'near');
    const near = await countFrames(page, () => page.waitForTimeout(3000));
    report('travellers drawn, from near', near.drawn, 'per second');
    reportFrames('frames while moving the map', await countFrames(page, () => dragging(page)));
    reportFrames('frames while zooming out', await countFrames(page, () => wheeling(page, 1)));
    reportFrames(
        'frames while moving it, seen whole',
        await countFrames(page, () => dragging(page)),
    );
    await close();
    town.close();
}

/** Processor time, in cores, of the page's main thread and of all processes of the browser, while `act` runs. */
async function withCpu(page, act) {
    const inPage = await page.context().newCDPSession(page);
    const inBrowser = await browser.newBrowserCDPSession();
    await inPage.send('Performance.enable', { timeDomain: 'threadTicks' });
    const read = async () => {
        const { metrics } = await inPage.send('Performance.getMetrics');
        const { processInfo } = await inBrowser.send('SystemInfo.getProcessInfo');
        return {
            at: performance.now() / 1000,
            thread: metrics.find(({ name }) => name === 'TaskDuration').value,
            all: processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
        };
    };
    const before = await read();
    await act();
    const after = await read();
    await inPage.detach();
    await inBrowser.detach();
    const seconds = after.at - before.at;
    return {
        thread: (after.thread - before.thread) / seconds,
        all: (after.all - before.all) / seconds,
    };
}

function reportCpu(when, { thread, all }) {
    report(`processor time ${when}, main thread`, 100 * thread, '% of a core');
    report(`processor time ${when}, whole browser`, 100 * all, '% of a core');
}

async function visit(url) {
    const context = await browser.newContext({
        viewport: { width, height },
        deviceScaleFactor: Number(options.ratio),
    });
    // Who comes again: the introduction would move the map.
    await context.addInitScript(() => {
        if (location.protocol !== 'about:') localStorage.setItem('starcloak.welcome', 'read');
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    await page.waitForTimeout(REST_MS);
    await page.goto(url);
    await page.waitForFunction(() => performance.getEntriesByName('map:first-draw').length > 0);
    return { page, close: () => context.close() };
}

function readEntries() {
    const [decoded] = performance.getEntriesByName('map:decoded');
    const [firstDraw] = performance.getEntriesByName('map:first-draw');
    return {
        bytes: decoded.detail.bytes,
        arrived: decoded.startTime,
        decoded: decoded.duration,
        firstDraw: firstDraw.duration,
        opened: firstDraw.startTime + firstDraw.duration,
    };
}

function report(what, value, unit, more = '') {
    figures.push([what, value]);
    if (options.json) return;
    console.log(`${what.padEnd(52)} ${value.toFixed(1).padStart(8)} ${unit}${more}`);
}

function reportFrames(what, { median, late, perSecond }) {
    report(
        what,
        median,
        'ms',
        `  95 % within ${late.toFixed(1)}, ${perSecond.toFixed(0)} per second`,
    );
}

async function shoot(page, name) {
    if (!options.shots) return;
    mkdirSync(options.shots, { recursive: true });
    await page.screenshot({ path: join(options.shots, `${name}.png`) });
}
