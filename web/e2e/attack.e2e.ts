// Attack it: what an adversary makes of one's own cloak, and of the one that network expansion makes for the same
// query. The figures on the page are those of the service, each of its own attack.
import type { Page, Request as Sent } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Attack, AttackRequest, Query } from '../src/api/types';
import { decimal, twoDecimals } from '../src/text/words';
import { type Answered, ask, choose, clickMiddle } from './asking';
import { launch, open, PATIENCE, photograph, type Watched, watched } from './browser';
import { Listener, nearest } from './oracle';
import { ink, top } from './pixels';
import { city, demo, screenshots, Workplace } from './programs';

const place = new Workplace();
let file: string;
let url: string;
let listener: Listener;
let seen: Watched;
let page: Page;

beforeAll(async () => {
    file = city(place.folder, 3000);
    // Not the standard engine: the attack must know which one is in force.
    const service = place.owns(
        await demo(file, '--engine', 'hybrid', '--travellers', '1200', '--pause', '8:2'),
    );
    url = service.url;
    listener = place.owns(new Listener(url));
    const browser = place.owns(await launch());
    seen = await watched(browser);
    page = seen.page;
    await open(page, url);
});

afterAll(() => place.close());

const part = (name: string) => page.getByTestId(name);

type ByCloak = Extract<AttackRequest, { segments: number[] }>;
type ByMethod = Extract<AttackRequest, { queries: unknown[] }>;

/** What is asked of the service while something is done, and what it replies. */
async function attacksDuring(
    action: () => Promise<void>,
): Promise<{ asked: AttackRequest; told: Attack }[]> {
    const sent: Sent[] = [];
    const hear = (request: Sent) => {
        if (request.url() === `${url}v1/attacks`) sent.push(request);
    };
    page.on('request', hear);
    await action();
    page.off('request', hear);
    return Promise.all(
        sent.map(async (request) => ({
            asked: request.postDataJSON() as AttackRequest,
            told: (await (await request.response())?.json()) as Attack,
        })),
    );
}

/** Attack the cloak that is chosen, to the end. */
async function attack(): Promise<void> {
    await part('attack-start').click();
    await expect.poll(() => part('attack-state').innerText(), PATIENCE).toMatch(/^Done/);
}

let query: Query;
let outcome: Answered;
let replies: { ours: Attack; theirs: Attack };

test('the attack is on the cloak as it left, then on that of network expansion for the same query', async () => {
    await expect.poll(() => listener.age, PATIENCE).toBeGreaterThan(10);
    await clickMiddle(page, 'pane-travellers');
    await choose(page, { k: 3, l: 4, max_hops: 8, max_wait_s: 30 });
    ({ asked: query, outcome } = await ask(page));
    await part('ask-attack').click();
    const attacks = await attacksDuring(attack);
    expect(attacks.length).toBe(2);
    const own = { k: 3, l: 4, max_hops: 8 };

    const ours = attacks[0].asked as ByCloak;
    expect(ours.method).toBe('hybrid');
    const cloak = listener.cloaks.get(outcome.cloak.id)?.segments ?? [];
    expect([...ours.segments].sort((a, b) => a - b)).toEqual([...cloak].sort((a, b) => a - b));
    expect(ours.members).toContainEqual(own);
    expect(ours.members.length).toBeLessThanOrEqual(outcome.cloak.users);
    expect('queries' in ours).toBe(false);

    const theirs = attacks[1].asked as ByMethod;
    expect(theirs.method).toBe('expansion');
    expect(theirs.queries[0]).toEqual({ segment: nearest(file, query).segment, ...own });
    expect(theirs.queries.length).toBeGreaterThanOrEqual(ours.members.length);
    expect('segments' in theirs).toBe(false);

    expect(attacks.map(({ told }) => told.method)).toEqual(['hybrid', 'expansion']);
    replies = { ours: attacks[0].told, theirs: attacks[1].told };
});

/** Everything that a side says is what was replied for it. @param truth  the victim's road; null: not known */
async function expectShown(side: string, told: Attack, truth: number | null): Promise<void> {
    const chance = part(`attack-${side}-chance`);
    expect(await chance.count(), side).toBe(told.found ? 1 : 0);
    if (!told.found) return;
    const shares = told.linkability;
    const share = truth === null ? Math.max(...shares) : shares[told.segments.indexOf(truth)];
    expect(Number.parseFloat(await chance.innerText()), side).toBeCloseTo(100 * share, -0.3);
    expect(await part(`attack-${side}-roads`).innerText()).toBe(String(told.segments.length));
    const more = part(`attack-${side}-more`);
    expect(await part(`attack-${side}-entropy`).isVisible()).toBe(false);
    await more.locator('summary').click();
    expect(await part(`attack-${side}-entropy`).innerText(), side).toBe(
        twoDecimals(told.normalised_entropy),
    );
    expect(await more.innerText()).toContain(decimal(told.effective));
    await more.locator('summary').click();
    // Road by road, in a table that may be folded.
    const rows = await part(`attack-${side}`)
        .locator('tbody tr')
        .evaluateAll((all) =>
            all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
        );
    expect(rows.map(([road]) => Number(road)).sort((a, b) => a - b)).toEqual(
        [...told.segments].sort((a, b) => a - b),
    );
    for (const [road, suspicion] of rows) {
        const linkability = told.linkability[told.segments.indexOf(Number(road))];
        expect(Number.parseFloat(suspicion)).toBeCloseTo(100 * linkability, -0.3);
    }
}

/** The sentence has the chances of both sides, and calls better only who has the smaller one. */
async function expectAgreement(): Promise<void> {
    const state = await part('attack-state').innerText();
    const ours = await part('attack-starcloak-chance').innerText();
    expect(state).toContain(ours);
    if ((await part('attack-expansion-chance').count()) === 0) {
        expect(state).toContain('finds no cloak');
        return;
    }
    const theirs = await part('attack-expansion-chance').innerText();
    expect(state).toContain(theirs);
    const better = /^Done\. (StarCloak|Network expansion) (?:hides|leaves)/.exec(state)?.[1];
    const [our, their] = [ours, theirs].map((text) => Number.parseFloat(text));
    if (better === 'StarCloak') expect(our).toBeLessThan(their);
    if (better === 'Network expansion') expect(their).toBeLessThan(our);
}

test('each side shows what was found out about it', async () => {
    const { segment } = nearest(file, query);
    await expectShown('starcloak', replies.ours, segment);
    await expectShown('expansion', replies.theirs, segment);
    await expectAgreement();
    expect(await part('attack-starcloak').innerText()).toContain('picks your road');
    const { ours } = replies;
    if (!ours.found) throw new Error('a cloak that has left was not found');
    expect(ours.normalised_entropy).toBeGreaterThan(0.3);
    expect(ours.normalised_entropy).toBeLessThanOrEqual(1);
});

/** How much is coloured by suspicion on a side's picture. */
async function heat(side: string): Promise<number> {
    const colours = [0, 1, 2, 3, 4, 5].map((step) => `--heat-${step}`);
    return (await ink(page, `[data-testid="attack-${side}"] canvas`, { colours })).pixels;
}

/** How much of the chosen cloak is on the provider's map. */
const chosen = async () =>
    (await ink(page, top('provider'), { colours: ['--map-selected'] })).pixels;

test('other cloaks are coloured when they are attacked, and not before', async () => {
    let best = -1;
    for (let i = 0; i < 6; i++) {
        await part('tab-cloaks').click();
        await part('cloak-list').locator('button').nth(i).click();
        // Wherever it is, the map shows it.
        await expect.poll(chosen, PATIENCE).toBeGreaterThan(30);
        await expect.poll(() => heat('starcloak'), PATIENCE).toBeLessThan(40);
        const [ours, theirs] = await attacksDuring(attack);
        expect([ours.told.method, theirs.told.method]).toEqual(['hybrid', 'expansion']);
        const { segment } = (theirs.asked as ByMethod).queries[0];
        const isKnown = !(await part('attack-starcloak').innerText()).includes('not known');
        await expectShown('starcloak', ours.told, isKnown ? segment : null);
        await expectShown('expansion', theirs.told, isKnown ? segment : null);
        await expectAgreement();
        await expect.poll(() => heat('starcloak'), PATIENCE).toBeGreaterThan(100);
        // Network expansion may find nothing for a query.
        if (!ours.told.found || !theirs.told.found) continue;
        await expect.poll(() => heat('expansion'), PATIENCE).toBeGreaterThan(100);
        // For the picture, the one by which most is to be learned.
        const apart = Math.abs(ours.told.normalised_entropy - theirs.told.normalised_entropy);
        if (apart <= best) continue;
        best = apart;
        await part('attack-expansion').locator('canvas').scrollIntoViewIfNeeded();
        await photograph(page, `${screenshots}/ui-attack.png`);
    }
    expect(best, 'network expansion has found none of six cloaks').toBeGreaterThanOrEqual(0);
});

test('the cloak is let go of, and another can be chosen', async () => {
    await part('attack-close').click();
    await expect.poll(() => part('attack-state').innerText(), PATIENCE).toMatch(/^Select a cloak/);
    expect(await part('attack-starcloak').isVisible()).toBe(false);
    await part('tab-cloaks').click();
    await part('cloak-list').locator('button').first().click();
    await expect.poll(() => part('attack-starcloak').isVisible(), PATIENCE).toBe(true);
});

test('the console has stayed free of errors', () => {
    expect(seen.complaints).toEqual([]);
});
