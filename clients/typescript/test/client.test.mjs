// What needs no service: times, addresses, replies that no service of ours gives, and what errors say.
// All else is tested against a real service by clients/conformance.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    Client,
    ForgottenError,
    RefusedError,
    StarCloakError,
    UnreachableError,
} from '../dist/index.js';
import { outcomeOf, problemOf } from '../dist/outcomes.js';
import { backoff, checkedUrl, isPassing, retryAfter } from '../dist/transport.js';

const QUERY = { position: { lon: 8.0123, lat: 49.9945 }, request: { type: 'knn', k: 3 } };

/** A client whose requests get these replies in turn: a status, headers, a body; or an error. */
function scripted(replies, options = {}) {
    const requests = [];
    const client = new Client({
        url: 'https://cloak.example/base/',
        token: 'sct1_secret',
        fetch: async (url, init) => {
            requests.push({ url, ...init });
            const reply = replies.length > 1 ? replies.shift() : replies[0];
            if (reply instanceof Error) throw reply;
            const [status, headers, body] = reply;
            return new Response(body === undefined ? null : JSON.stringify(body), {
                status,
                headers,
            });
        },
        ...options,
    });
    return { client, requests };
}

test('pauses double, up to three seconds, and half of each is random', () => {
    for (let attempt = 0; attempt < 40; attempt++) {
        const most = Math.min(3, 0.2 * 2 ** attempt);
        assert.equal(
            backoff(attempt, () => 0),
            most / 2,
        );
        assert.equal(
            backoff(attempt, () => 1),
            most,
        );
    }
});

test('Retry-After is seconds or a date', () => {
    assert.equal(retryAfter('7'), 7);
    assert.equal(retryAfter(null), undefined);
    assert.equal(retryAfter('soon'), undefined);
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    assert.ok(Math.abs(retryAfter(inAMinute) - 60) < 2);
    assert.equal(retryAfter(new Date(0).toUTCString()), 0);
});

test('positions go in plain only to this machine, or where that is wanted', () => {
    assert.equal(checkedUrl('https://cloak.example/base/', false), 'https://cloak.example/base');
    for (const local of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
        assert.equal(checkedUrl(local, false), local);
    }
    for (const far of [
        'http://cloak.example',
        'http://127.0.0.1.example',
        'http://localhost.example',
    ]) {
        assert.throws(() => checkedUrl(far, false), StarCloakError);
        assert.equal(checkedUrl(far, true), far);
    }
    assert.throws(() => checkedUrl('ftp://cloak.example', true), StarCloakError);
});

test('an outcome is not asked for again, whatever its status', () => {
    assert.ok(isPassing(503, {}));
    assert.ok(isPassing(502, undefined));
    assert.ok(!isPassing(503, { outcome: 'failed' }));
    assert.ok(!isPassing(400, {}));
});

test('a reply that tells no outcome is a problem made of its status', () => {
    assert.equal(outcomeOf(200, undefined), undefined);
    assert.equal(outcomeOf(200, { outcome: 'new' }), undefined);
    assert.equal(problemOf(502, '<html>').title, 'HTTP status 502');
    const failed = outcomeOf(502, {
        type: 't',
        title: 'T',
        status: 502,
        outcome: 'failed',
        reason: 'in_doubt',
    });
    assert.equal(failed.reason, 'in_doubt');
    assert.equal(failed.problem.title, 'T');
});

test('a token function is asked again after a 401, once', async () => {
    const given = ['old', 'new', 'newer'];
    const about = [200, {}, { version: '1' }];
    const { client, requests } = scripted(
        [
            [401, {}],
            [204, {}],
        ],
        { token: () => given.shift() },
    );
    await client.resume(JSON.stringify({ id: 'x', until_s: 0 })).cancel();
    assert.deepEqual(
        requests.map((request) => request.headers.Authorization),
        ['Bearer old', 'Bearer new'],
    );
    const refused = scripted([[401, {}]], { token: () => 'bad' });
    await assert.rejects(refused.client.ask(QUERY), (error) => error.status === 401);
    assert.equal(refused.requests.length, 2);
    const open = scripted([about]);
    await open.client.about();
    assert.equal(open.requests[0].headers.Authorization, undefined);
});

test('a request that is repeated has the key that it had', async () => {
    const accepted = [202, {}, { id: 'abc', state: 'waiting', lease_s: 15, max_poll_s: 30 }];
    const { client, requests } = scripted([
        new TypeError('lost'),
        [503, { 'Retry-After': '0' }],
        accepted,
    ]);
    await client.start(QUERY);
    const keys = new Set(requests.map((request) => request.headers['Idempotency-Key']));
    assert.equal(requests.length, 3);
    assert.equal(keys.size, 1);
    assert.match([...keys][0], /^[\w-]{22}$/);
    await client.start(QUERY);
    assert.notEqual(requests[3].headers['Idempotency-Key'], [...keys][0]);
});

test('a refusal is repeated as long as there is patience', async () => {
    const { client, requests } = scripted([[429, { 'Retry-After': '60' }]], { patienceS: 10 });
    await assert.rejects(
        client.ask(QUERY),
        (error) => error instanceof RefusedError && error.retryAfterS === 60,
    );
    assert.equal(requests.length, 1);
    const lost = scripted([new TypeError('lost')], { patienceS: 0.5 });
    await assert.rejects(lost.client.ask(QUERY), UnreachableError);
    assert.ok(lost.requests.length > 1);
});

test('what is forgotten while its wait lasts is asked again, once', async () => {
    const accepted = [202, {}, { id: 'abc', state: 'waiting', lease_s: 15, max_poll_s: 30 }];
    const { client, requests } = scripted([accepted, [404, {}], accepted, [404, {}]]);
    await assert.rejects(client.ask(QUERY), ForgottenError);
    assert.equal(requests.length, 4);
    assert.equal(requests[0].headers['Idempotency-Key'], requests[2].headers['Idempotency-Key']);
});

test('a redirection is refused, and not followed', async () => {
    const { client, requests } = scripted([[307, { Location: 'https://elsewhere.example/' }]]);
    await assert.rejects(client.ask(QUERY), (error) => error.status === 307);
    assert.equal(requests.length, 1);
    assert.equal(requests[0].redirect, 'manual');
});

test('a service that does not wait is not asked without a pause', async () => {
    const waiting = [200, {}, { state: 'waiting' }];
    const { client, requests } = scripted([waiting]);
    const until_s = Date.now() / 1000 + 1;
    const pending = client.resume(
        JSON.stringify({ id: 'x', until_s, lease_s: 15, max_poll_s: 30 }),
    );
    await assert.rejects(pending.wait(), UnreachableError);
    // 0.1 s, 0.2 s and 0.4 s at least; without pauses there would be thousands.
    assert.ok(requests.length < 10);
});

test('a signal ends waiting with its reason', async () => {
    const stop = new AbortController();
    const { client } = scripted([new TypeError('lost')]);
    const asked = client.ask(QUERY, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await assert.rejects(asked, /enough/);
});

test('no error and no address has a position, a token, an id or a key', async () => {
    const lines = [
        [new TypeError('49.9945 sct1_secret')],
        [[400, {}]],
        [[202, {}, { id: 'secretid' }], new Error('x')],
    ];
    for (const replies of lines) {
        const { client, requests } = scripted(replies, {
            patienceS: 0,
            marginS: 0.1,
            providerS: 0,
            maxWaitS: 0,
        });
        const failed = await client.ask(QUERY, { key: 'secretkey' }).catch((error) => error);
        const seen = [failed.message, failed.stack, String(failed.cause)].join();
        assert.doesNotMatch(seen, /49\.9|8\.01|secret/);
        for (const request of requests)
            assert.doesNotMatch(request.url, /49\.9|8\.01|sct1|secretkey/);
    }
});
