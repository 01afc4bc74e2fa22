// What the story says: only what is so.
import { afterEach, expect, test } from 'vitest';
import type { Answered } from '../../src/ask/ask_phases';
import type { SeenCloak } from '../../src/state/model';
import {
    cloakForms,
    noCompany,
    whatAnAdversaryLearns,
    whatComesBack,
    whatLeaves,
    whoFits,
} from '../../src/story/scenes';
import { useLanguage } from '../../src/text/language';

afterEach(() => useLanguage('en'));

const answered: Answered = {
    outcome: 'answered',
    wait_s: 1.8,
    cloak: { id: '9f86d081884c7d65', users: 6, segments: 12 },
    metric: 'time',
    objects: [{ id: '7', name: 'Café Mitte', category: 'cafe', distance_m: 340, duration_s: 41 }],
};
const cloak: SeenCloak = {
    id: '9f86d081884c7d65',
    segments: [1, 2],
    border_nodes: [],
    requests: [],
    seenAt: 0,
    engine: 'basic',
};

test('it counts who fits, one or many', () => {
    const question = { profile: { k: 5, l: 3, max_hops: 4, max_wait_s: 10 } };
    const says = (count: number) =>
        whoFits({ fitting: new Array(count) }, question as Parameters<typeof whoFits>[1]).text;
    expect(says(1)).toMatch(/^1 other waits nearby and fits\. You want .* 5 travellers.* 3 roads/);
    expect(says(8)).toMatch(/^8 others wait nearby and fit\. .* 10\u00a0s at most/);
});

test('it tells of the cloak and of the answer as they are', () => {
    expect(cloakForms(answered).text).toMatch(/1\.8\u00a0s 6 travellers.* 12 roads/);
    expect(whatComesBack(answered, 'm').text).toContain('Café Mitte, 340\u00a0m, 41\u00a0s away');
    expect(whatComesBack({ ...answered, objects: [] }, 'm').text).toContain('no such place');
});

test('it shows the bytes that were sent, and says nothing of bytes where there are none', () => {
    const sent = {
        encoding: 'compact' as const,
        bytes: Uint8Array.of(0x0a, 4, 8, 3, 0x10, 4, 0xff, 1, 2),
    };
    expect(whatLeaves({ ...cloak, sent }, 2).text).toMatch(
        /^9 bytes go to the provider: 0a 04 08 03 10 04 ff 01 \.\.\./,
    );
    expect(whatLeaves(cloak, 2).text).not.toContain('byte');
    expect(whatLeaves(undefined, 2).text).toMatch(/^The provider is told 2 roads/);
});

test('it does not say that no road is likelier if one is', () => {
    expect(whatAnAdversaryLearns(0.13, 0.13, 12).text).toMatch(
        /chance of 13\u00a0%\. Blindly, one of 12 roads is right with 8\.3\u00a0%\. It takes no other road/,
    );
    expect(whatAnAdversaryLearns(0.05, 0.3, 12).text).toMatch(
        /likeliest, with 30\u00a0%, is not yours/,
    );
});

test('without company it says that nothing was sent', () => {
    expect(noCompany({ wait_s: 10 }, false).text).toMatch(
        /within 10\u00a0s, so nothing was sent.*try/,
    );
    expect(noCompany({ wait_s: 10 }, true).text).toMatch(/Ask again/);
});

test('it speaks German, too', () => {
    useLanguage('de');
    expect(cloakForms(answered).text).toMatch(/1,8\u00a0s .* 6 Reisende.* 12 Straßen/);
});
