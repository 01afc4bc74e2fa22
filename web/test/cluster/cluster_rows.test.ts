import { expect, test } from 'vitest';
import {
    conditionOf,
    gatewaysOf,
    memoryWords,
    partRows,
    proposalsWords,
    verdictOn,
    workersOf,
} from '../../src/cluster/cluster_rows';
import { cluster, gateway, part, worker } from '../support/cluster';

test('workers and gateways are told apart', () => {
    const page = cluster({ peers: [gateway('gw1'), worker('w1'), worker('w2')] });
    expect(workersOf(page).map(({ name }) => name)).toEqual(['w1', 'w2']);
    expect(gatewaysOf(page).map(({ name }) => name)).toEqual(['gw1']);
});

test('who leaves or is silent stands out, and who works does not', () => {
    expect(conditionOf(worker('w1'), 0.5)).toEqual({ words: 'working', isOdd: false });
    expect(conditionOf(worker('w1', { parts: 0 }), 0.5).words).toBe('no parts yet');
    expect(conditionOf(worker('w1', { leaving: true }), 0.5)).toEqual({
        words: 'leaving',
        isOdd: true,
    });
    expect(conditionOf(worker('w1', { age_s: 2.5 }), 0.5)).toEqual({
        words: 'silent for 2.5\u00a0s',
        isOdd: true,
    });
    expect(conditionOf(gateway('gw1', { leader: true }), 0.5).words).toBe('leads');
    expect(conditionOf(gateway('gw2'), 0.5).words).toBe('ready');
});

test('how long somebody may be silent goes by the beats of the cluster', () => {
    const words = (age_s: number, beat_s: number) =>
        conditionOf(worker('w1', { age_s }), beat_s).words;
    expect(words(1.1, 0.5)).toBe('working');
    expect(words(1.3, 0.5)).toBe('silent for 1.3\u00a0s');
    expect(words(100, 60)).toBe('working');
    expect(words(150, 60)).toContain('silent');
    expect(words(1000, 0)).toBe('working');
});

test('parts stand in the order of their load, those without a worker first', () => {
    const page = cluster({
        peers: [gateway('gw1'), worker('w1'), worker('w2')],
        parts: [
            part(0, { load: 1 }),
            part(1, { load: 4, owner: 'peer of w2' }),
            part(2, { load: 2 }),
            part(3, { served: false, owner: null }),
            part(4, { load: 2, owner: 'somebody who has gone' }),
        ],
    });
    const rows = partRows(page);
    expect(rows.map((row) => row.part)).toEqual([3, 1, 2, 4, 0]);
    expect(rows.map((row) => row.worker)).toEqual([null, 'w2', 'w1', 'unknown', 'w1']);
    expect(rows.map((row) => row.share)).toEqual([0, 1, 0.5, 0.5, 0.25]);
});

test('without any load no part has a share of it', () => {
    expect(partRows(cluster()).map(({ share }) => share)).toEqual([0, 0]);
});

test('of proposals it is said how many of those that ended came to something', () => {
    const proposals = { proposals: 110, proposals_under_way: 10, proposals_published: 98 };
    expect(proposalsWords(worker('w1', proposals))).toBe('110 (98\u00a0%)');
    expect(proposalsWords(worker('w1', { proposals: 1, proposals_under_way: 1 }))).toBe('1');
    expect(proposalsWords(worker('w1'))).toBe('0');
});

test('memory is in megabytes, and in gigabytes where there are many', () => {
    expect(memoryWords(52_345_678)).toBe('52 MB');
    expect(memoryWords(2_340_000_000)).toBe('2.3 GB');
});

test('one sentence says whether all is well', () => {
    expect(verdictOn(cluster())).toBe('2 parts served by 1 worker.');
    expect(verdictOn(cluster({ parts: [part(0), part(1, { served: false })] }))).toBe(
        '1 part of 2 waits for a worker.',
    );
    expect(verdictOn(cluster({ connected: false }))).toContain('lost its connection');
});
