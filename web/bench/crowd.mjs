// A town full of people, for measuring: stands between the browser and a service, passes everything on,
// and plays the demo itself with as many travellers, queries and cloaks as are wanted.
//
// So the page that is measured is the real one, and so is its map; only what moves is made up: people
// go to and fro on roads, ask and are answered, cloaks are some roads side by side. It speaks the words
// of docs/ui.md.

import { createReadStream, existsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { STEP, seededRandom, Town } from './town.mjs';

const EVERY_S = 0.25;
const TYPES = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
};
const EVENT_STREAM = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' };

/**
 * @param {URL} service  where the real one is
 * @param {{travellers: number, waiting: number, cloaks: number, page?: string}} crowd
 *        cloaks that leave within 8 seconds; page: a folder to take the page from, not the service.
 *        With no travellers everything is as the service has it.
 * @returns {Promise<{url: string, close: () => void}>}
 */
export async function openTown(service, crowd) {
    const hasCrowd = crowd.travellers > 0;
    const town = hasCrowd ? new Town(await getJson(service, '/v1/map'), seededRandom(1)) : null;
    const about = town ? await getJson(service, '/v1/about') : null;

    const routes = {
        '/v1/about': (_request, response) => sendJson(response, { ...about, demo: true }),
        '/v1/events': (_request, response) => streamCloaks(response, town, crowd),
        '/demo/about': (_request, response) =>
            sendJson(response, {
                token: 'none',
                user: 'guest',
                travellers: crowd.travellers,
                engine: about.engine,
                engines: ['basic', 'bounded', 'hybrid'],
            }),
        '/demo/events': (_request, response) => streamTravellers(response, town, crowd),
    };
    const server = createServer((incoming, response) => {
        const { pathname } = new URL(incoming.url ?? '/', service);
        if (town && routes[pathname]) routes[pathname](incoming, response);
        else if (crowd.page && !pathname.startsWith('/v1/'))
            sendFile(response, crowd.page, pathname);
        else passOn(service, incoming, response);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    return {
        url: `http://127.0.0.1:${server.address().port}/`,
        close: () => {
            server.close();
            server.closeAllConnections();
        },
    };
}

// --- What the service would say ----------------------------------------------------------------

async function getJson(service, path) {
    const response = await fetch(new URL(path, service));
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
}

function passOn(service, incoming, response) {
    const options = {
        method: incoming.method,
        headers: { ...incoming.headers, host: service.host },
    };
    const outgoing = request(new URL(incoming.url, service), options, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
}

function sendJson(response, value) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

function sendFile(response, folder, pathname) {
    const path = join(folder, normalize(pathname === '/' ? '/index.html' : pathname));
    if (!existsSync(path)) {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' });
    createReadStream(path).pipe(response);
}

// --- What moves ---------------------------------------------------------------------------------

/** Say something each `ms`, as long as somebody listens. */
function stream(response, ms, say) {
    response.writeHead(200, EVENT_STREAM);
    const started = performance.now();
    const tell = (event, data) =>
        response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    say(tell, 0);
    const timer = setInterval(() => say(tell, (performance.now() - started) / 1000), ms);
    response.on('close', () => clearInterval(timer));
}

function streamCloaks(response, town, crowd) {
    const everyMs = 8000 / crowd.cloaks;
    let told = -1;
    const sums = {
        pending: crowd.waiting,
        answered: 0,
        dropped: 0,
        expired: 0,
        infeasible: 0,
        failed: 0,
        gone: 0,
    };
    const more = {
        cloaks: 0,
        wait_s: 0,
        users: 0,
        segments: 0,
        bytes_out: 0,
        bytes_in: 0,
        listeners: 1,
    };
    stream(response, everyMs, (tell, t) => {
        if (t === 0)
            tell('history', {
                fields: ['t', ...Object.keys(sums), ...Object.keys(more)],
                rows: [],
            });
        const cloak = town.cloak(6 + (more.cloaks % 12));
        tell('cloak', cloak);
        tell('sent', { cloak: cloak.id, encoding: 'compact', bytes: 'CgQIAxAE' });
        sums.answered += 6;
        more.cloaks++;
        more.users += 6;
        more.wait_s += 20;
        more.segments += cloak.segments.length;
        if (Math.floor(t) > told) {
            told = Math.floor(t);
            tell('counters', { t, ...sums, ...more });
        }
    });
}

function streamTravellers(response, town, crowd) {
    town.populate(crowd.travellers);
    const waiting = [];
    let asked = 0;
    stream(response, EVERY_S * 1000, (tell, t) => {
        if (t === 0) {
            tell('hello', {
                t,
                travellers: crowd.travellers,
                every_s: EVERY_S,
                step: STEP,
                engine: 'basic',
            });
            tell('pending', { queries: [] });
        }
        town.move(EVERY_S);
        tell('positions', { t, ...town.positions() });
        while (waiting[0]?.endsAt <= t) {
            const { query, isAnswered } = waiting.shift();
            tell('ended', { query, outcome: isAnswered ? 'answered' : 'dropped', wait_s: 10 });
        }
        while (waiting.length < crowd.waiting && waiting.length <= crowd.waiting * (t / 10)) {
            const query = town.query(++asked);
            tell('asked', query);
            waiting.push({ query: asked, endsAt: t + 10, isAnswered: asked % 8 > 0 });
        }
    });
}
