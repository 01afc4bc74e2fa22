// How often the page's forecast is right: questions with all kinds of wishes, judged by the page's own code the moment
// before they are asked. The numbers are left in build/web/forecast.txt; docs/ui.md has them.
import { appendFileSync } from 'node:fs';
import { afterAll, expect, test, vi } from 'vitest';
import type { Profile } from '../src/api/types';
import { CompanyWatch, seekerOf } from '../src/ask/company_watch';
import { Stars } from '../src/map/ball';
import { middleOf } from '../src/map/spot';
import { LiveSession } from '../src/state/session';
import { dice } from '../test/support/dice';
import { PATIENCE } from './browser';
import { city, demo, type Running, screenshots, Workplace } from './programs';

const QUESTIONS = 60;
const WISHES = { k: [3, 5, 8, 12, 16, 25], max_hops: [2, 3, 5], max_wait_s: [2, 4, 8] };

const place = new Workplace();
const { fetch } = globalThis;
let session: LiveSession;
let watch: CompanyWatch;

/** As in a page: addresses are the service's own, and somebody looks. */
async function openSession(engine: string): Promise<Running> {
    const map = city(place.folder, 6000);
    const service = place.owns(await demo(map, '--travellers', '3000', '--engine', engine));
    vi.stubGlobal('fetch', (path: string, init?: RequestInit) =>
        fetch(new URL(path, service.url), init),
    );
    vi.stubGlobal('document', { hidden: false, addEventListener: () => {} });
    session = await LiveSession.open(() => {});
    const { fleet, map: roads } = session;
    if (!fleet) throw new Error('not a demo');
    const stars = new Stars(roads);
    watch = new CompanyWatch(
        fleet,
        () => stars,
        () => false,
    );
    session.start();
    return service;
}

afterAll(() => place.close());

/** Whether it is answered that is asked there. */
async function isAnswered(segment: number, profile: Profile): Promise<boolean> {
    const position = session.map.toPosition(middleOf(session.map, segment));
    const { outcome } = await session.ask(
        { position, profile, request: { type: 'knn', k: 1, metric: 'distance' } },
        new AbortController().signal,
    );
    return outcome === 'answered';
}

// Not bounded, of which the page expects too much: docs/ui.md.
test.each(['patient', 'basic', 'hybrid'])(
    '%s: what is likely enough is answered, what is not is dropped',
    async (engine) => {
        const service = await openSession(engine);
        await expect.poll(() => watch.watchedS, PATIENCE).toBeGreaterThan(35);
        const random = dice(11);
        const pick = <T>(from: readonly T[]) => from[random.below(from.length)];
        const tally = { enough: [0, 0], few: [0, 0] };
        for (let i = 0; i < QUESTIONS; i++) {
            const profile: Profile = {
                k: pick(WISHES.k),
                l: 3,
                max_hops: pick(WISHES.max_hops),
                max_wait_s: pick(WISHES.max_wait_s),
            };
            const { segment } = pick([...(session.fleet?.waiting.values() ?? [])]);
            const seeker = seekerOf(segment, profile);
            const isEnough =
                watch.companyOf(seeker).missing === 0 ||
                watch.forecast(seeker, profile.max_wait_s) >= profile.k;
            const row = isEnough ? tally.enough : tally.few;
            row[0] += 1;
            if (await isAnswered(segment, profile)) row[1] += 1;
        }
        const { enough, few } = tally;
        appendFileSync(
            `${screenshots}/../forecast.txt`,
            `${engine}: likely enough for ${enough[0]}, of which ${enough[1]} were answered; ` +
                `too few for ${few[0]}, of which ${few[0] - few[1]} were dropped\n`,
        );
        expect(enough[1]).toBeGreaterThanOrEqual(0.75 * enough[0]);
        expect(few[1]).toBeLessThan(0.5 * few[0]);
        await service.close();
    },
);
