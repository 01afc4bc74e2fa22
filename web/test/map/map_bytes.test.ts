// The map's bytes: whole maps are read, and nothing else is.
import { describe, expect, it } from 'vitest';
import { readRoadMap } from '../../src/map/decode';
import { MapError, readHead } from '../../src/map/map_bytes';
import { isOneWay, roadLabel, roadName } from '../../src/map/road_map';
import { dice } from '../support/dice';
import { bytesOf, GLOBE, type MapPage, PLANE, sealed } from '../support/maps';

function failureOf(bytes: Uint8Array): Error {
    try {
        readRoadMap(bytes);
    } catch (error) {
        return error as Error;
    }
    throw new Error('it was read');
}

/** A copy in which something was done to the bytes; with a check that says they are right. */
function forged(page: MapPage, change: (bytes: Uint8Array, data: DataView) => void): Uint8Array {
    const bytes = bytesOf(page);
    change(bytes, new DataView(bytes.buffer));
    return sealed(bytes);
}

describe('the bytes of a map', () => {
    it('have a head that says which map it is', () => {
        const head = readHead(bytesOf(GLOBE));
        expect(head).toMatchObject({ checksum: GLOBE.checksum, nodeCount: 4, perUnit: 1e7 });
        expect(head.sides).toEqual([-20000, 450000000, 10000, 450020000]);
        expect([head.junctionCount, head.segmentCount, head.innerCount]).toEqual([3, 2, 1]);
    });

    it('have the names of roads, and the directions in which they are open', () => {
        const map = readRoadMap(bytesOf(GLOBE));
        expect([...map.directions]).toEqual([3, 1]);
        expect([roadName(map, 0), roadName(map, 1)]).toEqual(['road 0', 'Ringstraße (B 37)']);
        expect([roadLabel(map, 0), roadLabel(map, 1)]).toEqual(['0', '1 Ringstraße (B 37)']);
        expect([isOneWay(map, 0), isOneWay(map, 1)]).toEqual([false, true]);
        const beyond = { ...GLOBE, name_of: [0, 2] };
        expect(failureOf(bytesOf(beyond)).message).toContain('the names of its roads');
        expect(readRoadMap(bytesOf(PLANE)).names).toEqual([]);
    });

    it('are read the same from the middle of a buffer', () => {
        const bytes = bytesOf(GLOBE);
        const room = new Uint8Array(bytes.length + 11).fill(0xff);
        room.set(bytes, 5);
        const map = readRoadMap(room.subarray(5, 5 + bytes.length));
        expect(map.xs).toEqual(readRoadMap(bytes).xs);
    });

    it('may have roads that are rings, parallel, apart from each other, or points', () => {
        const page: MapPage = {
            ...PLANE,
            nodes: 900,
            unit: 1,
            bounds: [-10, -10, 1000, 1000],
            segments: [
                [0, 0, 10, 0, 0, 10, -10, -10],
                [900, 900, 100, 100],
                [900, 900, 50, 20, 50, 80],
                [-10, -10, 0, 0],
            ],
            ends: [5, 5, 8, 899, 8, 899, 0, 7],
            classes: [0, 9, 3, 6],
        };
        const map = readRoadMap(bytesOf(page));
        expect([...map.first]).toEqual([0, 4, 6, 9, 11]);
        expect([...map.ends]).toEqual(page.ends);
        expect([...map.classes]).toEqual(page.classes);
        expect([...map.xs]).toEqual([10, 20, 20, 10, 910, 1010, 910, 960, 1010, 0, 0]);
        expect([...map.ys]).toEqual([1000, 1000, 990, 1000, 100, 0, 100, 80, 0, 1010, 1010]);
    });

    it('have numbers of any size that a map may have', () => {
        for (const size of [63, 64, 8191, 8192, 2 ** 27 - 1, 2 ** 27, 2 ** 31, 2 ** 40]) {
            const page: MapPage = {
                ...PLANE,
                nodes: 2 ** 32 - 1,
                unit: 1,
                bounds: [-size, -size, size, size],
                segments: [[size, -size, -2 * size, size, size, size]],
                ends: [2 ** 32 - 3, 0],
            };
            const map = readRoadMap(bytesOf(page));
            expect([...map.ends]).toEqual([2 ** 32 - 3, 0]);
            const close = (metres: number) => expect.closeTo(metres / map.width, 6);
            expect([...map.xs].map((x) => x / map.width)).toEqual(
                [1, 0, 0.5].map((x) => close(x * map.width)),
            );
            expect([...map.ys].map((y) => y / map.width)).toEqual(
                [1, 0.5, 0].map((y) => close(y * map.width)),
            );
        }
    });
});

describe('bytes that are damaged', () => {
    it('are refused wherever they break off, with how many came', () => {
        const bytes = bytesOf(GLOBE);
        for (let length = 0; length < bytes.length; length++) {
            expect(failureOf(bytes.subarray(0, length))).toBeInstanceOf(MapError);
        }
        const failure = failureOf(bytes.subarray(0, bytes.length - 4));
        expect(failure.message).toContain(
            `${bytes.length - 4} of ${bytes.length} bytes of the map arrived`,
        );
        const longer = new Uint8Array(bytes.length + 4);
        longer.set(bytes);
        expect(failureOf(longer)).toBeInstanceOf(MapError);
    });

    it('are refused whichever bit of them is another', () => {
        const bytes = bytesOf(GLOBE);
        for (let bit = 0; bit < 8 * bytes.length; bit++) {
            const other = bytes.slice();
            other[bit >> 3] ^= 1 << (bit & 7);
            expect(failureOf(other)).toBeInstanceOf(MapError);
        }
    });

    it('are refused in words that say what to do', () => {
        const version = forged(GLOBE, (_, data) => data.setUint16(8, 1, true));
        expect(failureOf(version).message).toBe(
            'The map has version 1, but this page reads 2. Load the page again.',
        );
        const altered = bytesOf(GLOBE);
        altered[84] ^= 1;
        expect(failureOf(altered).message).toBe(
            'The map is damaged (its checksum). Load the page again.',
        );
        for (const text of ['', '{}', '<html>'.repeat(50)]) {
            expect(failureOf(new TextEncoder().encode(text)).message).toContain('not a map');
        }
    });

    it('are refused even if the check is right', () => {
        const refused: [string, (bytes: Uint8Array, data: DataView) => void][] = [
            ['its header', (bytes) => bytes.set([3], 10)],
            ['its header', (bytes) => bytes.set([10], 11)],
            // More than there can be, before memory is taken for them.
            ['its counts', (_, data) => data.setUint32(64, 2 ** 32 - 1, true)],
            ['its counts', (_, data) => data.setUint32(68, 2 ** 32 - 1, true)],
            ['its counts', (_, data) => data.setUint32(72, 2 ** 32 - 1, true)],
            ['its counts', (_, data) => data.setUint32(76, 2 ** 32 - 1, true)],
            // Junction 3 is beyond the nodes; two of them are the same.
            ['its junctions', (_, data) => data.setUint32(12, 3, true)],
            ['its junctions', (bytes) => bytes.set([0], 81)],
            ['the positions of its junctions', (_, data) => data.setBigInt64(48, 9999n, true)],
            ['the positions of its junctions', (_, data) => data.setBigInt64(56, 450019999n, true)],
        ];
        for (const [where, change] of refused) {
            const { message } = failureOf(forged(GLOBE, change));
            expect(message).toBe(`The map is damaged (${where}). Load the page again.`);
        }
    });

    it('are refused if a road leads to no junction, or has points that are not there', () => {
        // On this small plane every number is one byte: nodes at 80, positions at 82, ends at 86,
        // points at 88, the point at 89, the class at 91.
        const page: MapPage = {
            ...PLANE,
            unit: 1,
            bounds: [0, 0, 20, 20],
            segments: [[0, 0, 10, 10, 10, 10]],
            directions: [0],
        };
        expect([...bytesOf(page).subarray(80, 92)]).toEqual([
            0, 1, 0, 0, 40, 40, 0, 2, 1, 20, 20, 0,
        ]);
        const wrong: [string, number, number][] = [
            ['the ends of its roads', 86, 4],
            ['the ends of its roads', 86, 1],
            ['the ends of its roads', 87, 1],
            ['the lengths of its roads', 88, 0],
            ['the lengths of its roads', 88, 2],
            ['the positions of its roads', 89, 42],
            ['the positions of its roads', 90, 1],
            // A number that does not end, and takes those after it along.
            ['its end', 90, 128],
        ];
        for (const [where, at, byte] of wrong) {
            const { message } = failureOf(forged(page, (bytes) => bytes.set([byte], at)));
            expect(message).toBe(`The map is damaged (${where}). Load the page again.`);
        }
        const endless = forged(page, (bytes) => bytes.fill(255, 80));
        expect(failureOf(endless).message).toContain('(a number)');
    });

    it('are a map or refused, whatever they are; never anything else', () => {
        const { below } = dice(7);
        let read = 0;
        for (let round = 0; round < 3000; round++) {
            const bytes = forged(GLOBE, (bytes) => {
                for (let i = 1 + below(3); i > 0; i--)
                    bytes[20 + below(bytes.length - 20)] = below(256);
            });
            try {
                const map = readRoadMap(bytes);
                read++;
                expect(map.ends.every((node) => node < map.nodeCount)).toBe(true);
                expect(map.xs.every((x) => x >= 0 && x <= map.width * 1.001)).toBe(true);
                expect(map.first[map.segmentCount]).toBe(map.xs.length);
            } catch (error) {
                expect(error).toBeInstanceOf(MapError);
            }
        }
        expect(read).toBeGreaterThan(100);
        expect(read).toBeLessThan(2900);
    });
});
