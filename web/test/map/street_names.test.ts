// Names along streets, and streets by their names.
import { describe, expect, it } from 'vitest';
import type { RoadMap } from '../../src/map/road_map';
import { fold, rankOf, StreetIndex } from '../../src/map/street_index';
import { joined, StreetNames } from '../../src/map/street_names';

/** A straight street of five segments of 100 m, the third of which is drawn backwards; a side street; a stub. */
//
//      0---1---2---3---4---5     High Street
//              |
//              6                 Side Street, and from 6 to 7 a road without a name
//              7
function town(): RoadMap {
    const nodes: [number, number][] = [
        [0, 0],
        [100, 0],
        [200, 0],
        [300, 0],
        [400, 0],
        [500, 0],
        [200, 120],
        [200, 140],
    ];
    const ends = [0, 1, 1, 2, 3, 2, 3, 4, 4, 5, 2, 6, 6, 7];
    const points = ends.map((node) => nodes[node]);
    return {
        segmentCount: 7,
        nodeCount: 8,
        first: Uint32Array.from({ length: 8 }, (_, i) => 2 * i),
        xs: Float32Array.from(points.map(([x]) => x)),
        ys: Float32Array.from(points.map(([, y]) => y)),
        ends: Uint32Array.from(ends),
        names: ['High Street', 'Side Street'],
        nameOf: Uint32Array.from([1, 1, 1, 1, 1, 2, 0]),
    } as unknown as RoadMap;
}

const ALL = Uint32Array.from({ length: 7 }, (_, i) => i);
const EVERYWHERE = { west: -1e6, north: -1e6, east: 1e6, south: 1e6 };
const kinds = new Uint8Array(7).fill(1);

describe('streets', () => {
    it('are joined from end to end, whichever way their segments are drawn', () => {
        const [line, ...others] = joined(town(), Uint32Array.of(2, 0, 4, 1, 3));
        expect(others).toEqual([]);
        expect([...line.xs].sort((a, b) => a - b)).toEqual([0, 100, 200, 300, 400, 500]);
        expect(line.at[line.at.length - 1]).toBe(500);
    });

    it('that are rings or have gaps are told whole, each segment once', () => {
        const map = town();
        const gap = joined(map, Uint32Array.of(0, 1, 3, 4));
        expect(gap.map(({ at }) => at[at.length - 1])).toEqual([200, 200]);
        const ring = { ...map, ends: Uint32Array.from([0, 1, 1, 2, 2, 0]) };
        expect(joined(ring as RoadMap, Uint32Array.of(0, 1, 2)).length).toBe(1);
    });

    it('have their name in the middle, along the way, from left to right', () => {
        const names = new StreetNames(town(), kinds);
        const labels = names.place(ALL, EVERYWHERE, 1, (text) => 7 * text.length);
        expect(labels.map(({ text }) => text)).toEqual(['High Street', 'Side Street']);
        expect(labels[0]).toMatchObject({ x: 250, y: 0, angle: 0 });
        // Upwards: it can be read with the head to the left.
        expect(labels[1].angle).toBeCloseTo(-Math.PI / 2, 9);
    });

    it('have none from afar, where it does not fit, and where it is out of sight', () => {
        const names = new StreetNames(town(), kinds);
        const widthOf = (text: string) => 7 * text.length;
        expect(names.place(ALL, EVERYWHERE, 0.1, widthOf)).toEqual([]);
        expect(names.place(ALL, EVERYWHERE, 0.3, widthOf)).toEqual([]);
        expect(names.place(ALL, EVERYWHERE, 1, () => 600)).toEqual([]);
        const elsewhere = { west: 1000, north: 0, east: 2000, south: 100 };
        expect(names.place(ALL, elsewhere, 1, widthOf)).toEqual([]);
        // Larger roads have theirs earlier.
        const major = new StreetNames(town(), new Uint8Array(7).fill(5));
        expect(major.place(ALL, EVERYWHERE, 0.3, widthOf).length).toBe(1);
    });

    it('keep their names where they are when another part of them is seen', () => {
        const names = new StreetNames(town(), kinds);
        const widthOf = () => 80;
        const whole = names.place(ALL, EVERYWHERE, 1, widthOf);
        const part = names.place(Uint32Array.of(2), EVERYWHERE, 1, widthOf);
        expect(part).toEqual([whole[0]]);
    });

    it('that would cover the name of another go without', () => {
        const names = new StreetNames(town(), kinds);
        expect(names.place(ALL, EVERYWHERE, 1, () => 80).length).toBe(2);
        const crowded = names.place(ALL, EVERYWHERE, 1, () => 119);
        expect(crowded.map(({ text }) => text)).toEqual(['High Street']);
    });
});

describe('a street that is looked for', () => {
    it('is found without capital letters and accents', () => {
        expect(fold('Straße der Müller')).toBe('strasse der muller');
        const map = { ...town(), names: ['Ringstraße (B 37)', 'Am Ring', 'Herringbone Lane'] };
        const index = new StreetIndex({ ...map, nameOf: Uint32Array.from([1, 2, 3, 0, 0, 0, 0]) });
        expect(index.find('RING', 9).map(({ name }) => name)).toEqual([
            'Ringstraße (B 37)',
            'Am Ring',
            'Herringbone Lane',
        ]);
        expect(index.find('ringstrasse', 9).length).toBe(1);
        expect(index.find('ring', 2).length).toBe(2);
        expect(index.find('  ', 9)).toEqual([]);
    });

    it('is found first if it begins so, then if one of its words does', () => {
        expect(rankOf('ring road', 'ring')).toBe(0);
        expect(rankOf('old ring', 'ring')).toBe(1);
        expect(rankOf('karl-ring', 'ring')).toBe(1);
        expect(rankOf('spring lane', 'ring')).toBe(2);
        expect(rankOf('high street', 'ring')).toBeNull();
    });

    it('has all of its roads', () => {
        const [street] = new StreetIndex(town()).find('high', 1);
        expect([...street.segments]).toEqual([0, 1, 2, 3, 4]);
        expect(street.box).toEqual({ west: 0, north: 0, east: 500, south: 0 });
    });
});
