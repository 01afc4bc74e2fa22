// What comes of a call that does not go well.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callJson, Refusal, Unreachable } from '../../src/api/fetch';
import { useLanguage } from '../../src/text/language';

function answer(body: string, status: number, headers: Record<string, string> = {}) {
    const fake = vi.fn<typeof fetch>(async () => new Response(body, { status, headers }));
    vi.stubGlobal('fetch', fake);
    return fake;
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
    return call.then(
        () => null,
        (error) => error,
    );
}

describe('a call', () => {
    afterEach(() => {
        vi.unstubAllGlobals();
        useLanguage('en');
    });

    it('gives the answer, and sends body and token as the service wants them', async () => {
        const fake = answer('{"outcome":"answered"}', 200);
        expect(await callJson('/v1/queries', { body: { k: 5 }, token: 'sct1_x' })).toEqual({
            outcome: 'answered',
        });
        const [path, request] = fake.mock.calls[0];
        expect(path).toBe('/v1/queries');
        expect(request).toMatchObject({
            method: 'POST',
            body: '{"k":5}',
            credentials: 'same-origin',
            headers: { Authorization: 'Bearer sct1_x', 'Content-Type': 'application/json' },
        });
    });

    it('sends no token where none is given', async () => {
        const fake = answer('{}', 200);
        await callJson('/v1/about', { token: null });
        expect(fake.mock.calls[0][1]).toMatchObject({ method: 'GET', headers: {} });
    });

    it('that is refused carries the problem in the words of the service', async () => {
        answer(
            '{"type":"about:blank","title":"Too many","status":429,"detail":"one at a time"}',
            429,
            {
                'Retry-After': '3',
            },
        );
        const error = await errorOf(callJson('/v1/queries', { body: {} }));
        expect(error).toBeInstanceOf(Refusal);
        expect(error).toMatchObject({
            message: 'Too many: one at a time.',
            problem: { status: 429, detail: 'one at a time' },
            retryAfterS: 3,
        });
    });

    it('that is refused without words gets ours', async () => {
        for (const body of ['<html>', '', '[]', 'null', '"title"']) {
            answer(body, 502);
            expect(await errorOf(callJson('/v1/about'))).toMatchObject({
                message: 'The service cannot answer now.',
                problem: { status: 502 },
                retryAfterS: null,
            });
        }
    });

    it('that reaches nobody says so plainly', async () => {
        vi.stubGlobal('fetch', async () => {
            throw new TypeError('Failed to fetch');
        });
        const error = await errorOf(callJson('/v1/about'));
        expect(error).toBeInstanceOf(Unreachable);
        expect(error).toMatchObject({ message: 'The service does not answer.' });
    });

    it('that fails speaks the language of the page', async () => {
        useLanguage('de');
        const messages = [];
        for (const status of [401, 403, 404, 418, 429, 502]) {
            answer('', status);
            messages.push(await errorOf(callJson('/v1/about')));
        }
        answer('{"vers', 200);
        messages.push(await errorOf(callJson('/v1/about')));
        vi.stubGlobal('fetch', async () => {
            throw new TypeError('Failed to fetch');
        });
        messages.push(await errorOf(callJson('/v1/about')));
        expect(messages.map((error) => (error as Error).message)).toEqual([
            'Ein Token ist nötig.',
            'Von hier aus nicht erlaubt.',
            'Der Dienst hat keine solche Seite.',
            'Der Dienst lehnte die Anfrage ab (418).',
            'Zu viele Fragen auf einmal.',
            'Der Dienst kann jetzt nicht antworten.',
            'Die Verbindung brach ab, bevor die ganze Antwort da war.',
            'Der Dienst antwortet nicht.',
        ]);
    });

    it('whose answer is no JSON is a service that broke off', async () => {
        answer('{"vers', 200);
        expect(await errorOf(callJson('/v1/about'))).toBeInstanceOf(Unreachable);
    });

    it('that was taken back ends as such and not as a failure of the network', async () => {
        const aborted = new DOMException('taken back', 'AbortError');
        vi.stubGlobal('fetch', async () => {
            throw aborted;
        });
        expect(await errorOf(callJson('/v1/about'))).toBe(aborted);
    });
});
