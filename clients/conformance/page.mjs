#!/usr/bin/env node
// From `npm install` of the packed client to a first answer in a page on another origin, in Chromium.
//
// usage: page.mjs PACKED.tgz SERVICE_URL PORT QUERY_JSON < TOKEN
//   PORT   of the page, which is at http://localhost:PORT; the service must list that origin
//
// Prints JSON: the outcome as the page shows it, what the browser complained of, and seconds.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, normalize, sep } from 'node:path';

const [packed, service, port, query] = process.argv.slice(2);
const token = readFileSync(0, 'utf8').trim();
const { chromium } = createRequire(new URL('../../web/package.json', import.meta.url))(
    'playwright-core',
);

const PAGE = `<!doctype html>
<html lang="en">
<title>Near me</title>
<script type="importmap">
    { "imports": { "@starcloak/client": "/node_modules/@starcloak/client/dist/index.js" } }
</script>
<p id="answer"></p>
<script type="module">
    import { Client } from '@starcloak/client';

    window.ask = async (url, token, query) => {
        const client = new Client({ url, token, patienceS: 5 });
        const outcome = await client.ask(query).catch((error) => ({ outcome: String(error) }));
        document.querySelector('#answer').textContent = JSON.stringify(outcome);
    };
    document.documentElement.dataset.ready = 'yes';
</script>
</html>
`;
const TYPES = { '.js': 'text/javascript', '.html': 'text/html' };

const folder = mkdtempSync(join(tmpdir(), 'starcloak-page-'));
const began = performance.now();
const seconds = () => Number(((performance.now() - began) / 1000).toFixed(2));
const times = {};

writeFileSync(join(folder, 'package.json'), '{"private": true}');
execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], {
    cwd: folder,
    stdio: 'pipe',
});
times.installed_s = seconds();

const files = createServer((request, response) => {
    const path = normalize(join(folder, new URL(request.url, 'http://localhost').pathname));
    const type = TYPES[path.slice(path.lastIndexOf('.'))];
    try {
        const body =
            request.url === '/' ? PAGE : readFileSync(path.startsWith(folder + sep) ? path : '');
        response.setHeader(
            'Content-Type',
            request.url === '/' ? TYPES['.html'] : (type ?? 'text/plain'),
        );
        response.end(body);
    } catch {
        response.statusCode = request.url === '/favicon.ico' ? 204 : 404;
        response.end();
    }
}).listen(Number(port), 'localhost');

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
});
const complaints = [];
try {
    const page = await browser.newPage();
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`http://localhost:${port}/`);
    await page.waitForSelector('html[data-ready="yes"]');
    times.page_s = seconds();
    await page.evaluate(
        ([url, token, query]) => window.ask(url, token, query),
        [service, token, JSON.parse(query)],
    );
    times.answered_s = seconds();
    const shown = JSON.parse(await page.textContent('#answer'));
    const origin = await page.evaluate(() => location.origin);
    console.log(JSON.stringify({ ...shown, origin, complaints, ...times }));
} finally {
    await browser.close();
    files.close();
    rmSync(folder, { recursive: true, force: true });
}
