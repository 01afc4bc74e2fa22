import { expect, test } from 'vitest';
import { colourParts, neighboursOf, PART_COLOURS } from '../../src/cluster/part_colours';
import { dice } from '../support/dice';

/** A street of crossings 0, 1, 2, ...; segment i joins i and i + 1. */
const street = (segments: number) => Array.from({ length: segments }, (_, i) => [i, i + 1]).flat();

test('parts that share a crossing are neighbours, and no others', () => {
    const neighbours = neighboursOf(3, [0, 0, 1, 1, 2], street(5));
    expect(neighbours.map((set) => [...set].sort())).toEqual([[1], [0, 2], [1]]);
});

test('three parts at one crossing are all neighbours', () => {
    const neighbours = neighboursOf(3, [0, 1, 2], [9, 0, 9, 1, 9, 2]);
    expect(neighbours.map((set) => [...set].sort())).toEqual([
        [1, 2],
        [0, 2],
        [0, 1],
    ]);
});

/** Crossings in a grid, each with a road to the east and to the south; its part is a cell of `size`. */
function town(width: number, size: number) {
    const perRow = Math.ceil(width / size);
    const partOf: number[] = [];
    const ends: number[] = [];
    for (let y = 0; y < width; y++) {
        for (let x = 0; x < width; x++) {
            const part = Math.floor(y / size) * perRow + Math.floor(x / size);
            const node = y * width + x;
            if (x + 1 < width) {
                partOf.push(part);
                ends.push(node, node + 1);
            }
            if (y + 1 < width) {
                partOf.push(part);
                ends.push(node, node + width);
            }
        }
    }
    return { parts: perRow * perRow, partOf, ends };
}

test('in a town of sixty-four parts no two that touch are alike', () => {
    const { parts, partOf, ends } = town(64, 8);
    const colours = colourParts(parts, partOf, ends);
    neighboursOf(parts, partOf, ends).forEach((others, part) => {
        for (const other of others)
            expect(colours[other], `${part} ${other}`).not.toBe(colours[part]);
    });
    expect(Math.max(...colours)).toBeLessThan(PART_COLOURS);
});

test('also where parts are scattered at random, as long as each touches few', () => {
    const { below } = dice(7);
    const partOf = Array.from({ length: 60 }, () => below(30));
    const colours = colourParts(30, partOf, street(60));
    for (const [part, others] of neighboursOf(30, partOf, street(60)).entries()) {
        if (others.size >= PART_COLOURS) continue;
        for (const other of others) {
            if (neighboursOf(30, partOf, street(60))[other].size >= PART_COLOURS) continue;
            expect(colours[other]).not.toBe(colours[part]);
        }
    }
});

test('where colours run out every part has one all the same', () => {
    // All parts meet at one crossing.
    const parts = PART_COLOURS + 3;
    const partOf = Array.from({ length: parts }, (_, part) => part);
    const colours = colourParts(
        parts,
        partOf,
        partOf.flatMap((part) => [0, part + 1]),
    );
    expect(colours).toHaveLength(parts);
    expect(new Set(colours).size).toBe(PART_COLOURS);
});

test('parts that do not touch do not all get the first colour', () => {
    const colours = colourParts(4, [0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(colours).size).toBe(4);
});

test('a part without roads has a colour too', () => {
    expect(colourParts(3, [0, 2], street(2))).toHaveLength(3);
});
