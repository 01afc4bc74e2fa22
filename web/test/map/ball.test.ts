// What is in reach, against a search that does it the slow way: distances between all stars.
import { describe, expect, it } from 'vitest';
import { Stars } from '../../src/map/ball';
import { dice } from '../support/dice';

function mapOf(nodeCount: number, ends: number[]) {
    return { nodeCount, segmentCount: ends.length / 2, ends: Uint32Array.from(ends) };
}

/** By definition: hops between all pairs of stars (Floyd and Warshall), then every segment is asked. */
function slowReach(nodeCount: number, ends: number[], segment: number, maxHops: number): number[] {
    const degree = new Array<number>(nodeCount).fill(0);
    for (const node of ends) degree[node]++;
    const isStar = (node: number) => degree[node] >= 3;
    const segmentCount = ends.length / 2;
    const starsOf = (s: number) => [ends[2 * s], ends[2 * s + 1]].filter(isStar);

    const hops = Array.from({ length: nodeCount }, (_, a) =>
        Array.from({ length: nodeCount }, (_, b) => (a === b ? 0 : Infinity)),
    );
    for (let s = 0; s < segmentCount; s++) {
        const [a, b] = starsOf(s);
        if (a !== undefined && b !== undefined && a !== b) hops[a][b] = hops[b][a] = 1;
    }
    for (let via = 0; via < nodeCount; via++)
        for (let a = 0; a < nodeCount; a++)
            for (let b = 0; b < nodeCount; b++)
                hops[a][b] = Math.min(hops[a][b], hops[a][via] + hops[via][b]);

    const own = starsOf(segment);
    const inReach: number[] = [];
    for (let s = 0; s < segmentCount; s++) {
        const near = starsOf(s).some((star) => own.some((from) => hops[from][star] <= maxHops));
        if (near || s === segment) inReach.push(s);
    }
    return inReach;
}

describe('the reach of a segment', () => {
    //       2       5
    //       |       |
    //  0----1---3---4----6      segments: 0: 0-1, 1: 1-2, 2: 1-4, 3: 4-5, 4: 4-6
    //  (3 is a bend of segment 2, and no end of anything)
    const street = [0, 1, 1, 2, 1, 4, 4, 5, 4, 6];

    it('is the segments of its own stars if nothing may be hopped', () => {
        const stars = new Stars(mapOf(7, street));
        expect([...stars.reach(0, 0)]).toEqual([0, 1, 2]);
        expect([...stars.reach(2, 0)]).toEqual([0, 1, 2, 3, 4]);
    });

    it('grows by a star per hop', () => {
        expect([...new Stars(mapOf(7, street)).reach(0, 1)]).toEqual([0, 1, 2, 3, 4]);
    });

    it('does not pass through dead ends and bends, which are no stars', () => {
        const stars = new Stars(mapOf(7, street));
        expect([0, 1, 2, 3, 4, 5, 6].filter((node) => stars.isStar(node))).toEqual([1, 4]);
    });

    it('is a lone road or ring by itself where there is no crossing', () => {
        expect([...new Stars(mapOf(4, [0, 1, 2, 2])).reach(0, 9)]).toEqual([0]);
        expect([...new Stars(mapOf(4, [0, 1, 2, 2])).reach(1, 9)]).toEqual([1]);
    });

    it('is what a search over all pairs of stars finds, on random maps', () => {
        const random = dice(8);
        for (let round = 0; round < 60; round++) {
            const nodeCount = 4 + random.below(20);
            const ends: number[] = [];
            const segmentCount = 3 + random.below(2 * nodeCount);
            for (let i = 0; i < 2 * segmentCount; i++) ends.push(random.below(nodeCount));
            const stars = new Stars(mapOf(nodeCount, ends));
            for (let i = 0; i < 8; i++) {
                const segment = random.below(segmentCount);
                const hops = random.below(5);
                expect([...stars.reach(segment, hops)]).toEqual(
                    slowReach(nodeCount, ends, segment, hops),
                );
            }
        }
    });
});

describe('stars', () => {
    //       2       5
    //       |       |
    //  0----1-------4----6
    const street = [0, 1, 1, 2, 1, 4, 4, 5, 4, 6];

    it('are at the ends of a road, and around a star by hops', () => {
        const stars = new Stars(mapOf(7, street));
        expect(stars.starsOf(2)).toEqual([1, 4]);
        expect(stars.starsOf(0)).toEqual([1]);
        expect([...stars.ball(1, 0)]).toEqual([[1, 0]]);
        expect([...stars.ball(1, 3)]).toEqual([
            [1, 0],
            [4, 1],
        ]);
    });

    it('have each road once', () => {
        const stars = new Stars(mapOf(7, street));
        expect(stars.haveSegments([1], 3)).toBe(true);
        expect(stars.haveSegments([1, 4], 5)).toBe(true);
        expect(stars.haveSegments([1, 4], 6)).toBe(false);
        expect(stars.haveSegments([], 0)).toBe(true);
    });
});
