// The worked example of docs/provider-protocol.md, and bytes that are no such message.
import { describe, expect, it } from 'vitest';
import { readRelay } from '../../src/wire/compact';
import { NotAMessage } from '../../src/wire/protobuf';

function bytesOf(hex: string): Uint8Array {
    return Uint8Array.from(hex.trim().split(/\s+/), (byte) => Number.parseInt(byte, 16));
}

const worked = bytesOf(`
    09 d8 1e 66 3b e1 80 68 bd
    12 03 03 01 05
    1a 02 02 05
    22 0a 08 05 1a 04 63 61 66 65 28 01
    28 02`);

describe('a compact message', () => {
    it('is read as the protocol page says', () => {
        expect(readRelay(worked).relay).toEqual({
            map: 'bd6880e13b661ed8',
            segments: [3, 4, 9],
            borderNodes: [2, 7],
            requests: [{ type: 'knn', metric: 'time', k: 5, categories: ['cafe'] }],
            version: 2,
        });
    });

    it('that a demo sent says what its members asked for, by distance and by time', () => {
        const sent = bytesOf(`
            09 5f 8b 51 0a 55 44 7c ab
            12 0a 4f 0d 04 03 01 02 31 dc 02 03
            1a 0e b5 01 a0 01 03 9a 03 50 92 0d b8 02 b8 02
            22 09 08 04 1a 05 62 65 6e 63 68
            22 0e 08 03 1a 0a 72 65 73 74 61 75 72 61 6e 74
            22 0b 21 00 00 00 00 00 80 56 40 28 01
            22 04 08 05 28 01
            28 02`);
        expect(readRelay(sent).relay).toEqual({
            map: 'ab7c44550a518b5f',
            segments: [79, 92, 96, 99, 100, 102, 151, 499, 502],
            borderNodes: [181, 341, 344, 754, 834, 2516, 2828, 3140],
            requests: [
                { type: 'knn', metric: 'distance', k: 4, categories: ['bench'] },
                { type: 'knn', metric: 'distance', k: 3, categories: ['restaurant'] },
                { type: 'range', metric: 'time', radius_s: 90 },
                { type: 'knn', metric: 'time', k: 5 },
            ],
            version: 2,
        });
    });

    it('of the first version has none, and asks by distance', () => {
        const sent = bytesOf(`
            09 31 fb 80 b0 27 26 05 85
            12 0c fd 19 05 fd 01 01 02 01 02 03 01 01
            1a 09 f3 5a 02 02 01 01 02 02 04
            22 14 11 00 00 00 00 00 40 7f 40 1a 04 63 61 66 65 1a 03 62 61 72`);
        expect(readRelay(sent).relay).toEqual({
            map: '85052627b080fb31',
            segments: [3325, 3330, 3583, 3584, 3586, 3587, 3589, 3592, 3593, 3594],
            borderNodes: [11635, 11637, 11639, 11640, 11641, 11643, 11645, 11649],
            requests: [
                { type: 'range', metric: 'distance', radius_m: 500, categories: ['cafe', 'bar'] },
            ],
            version: 1,
        });
    });

    it('is explained without a gap: every byte belongs to one piece', () => {
        const { pieces } = readRelay(worked);
        expect(pieces.map(({ from, to, said }) => [from, to, said.field])).toEqual([
            [0, 9, 'map'],
            [9, 14, 'segments'],
            [14, 18, 'border nodes'],
            [18, 30, 'request'],
            [30, 32, 'version'],
        ]);
    });

    it('may ask for all within a distance, of several categories or of all', () => {
        const { relay } = readRelay(
            bytesOf(`22 09 11 00 00 00 00 00 40 7f 40
                     22 0f 11 00 00 00 00 00 00 29 40 1a 01 61 1a 01 62`),
        );
        expect(relay.requests).toEqual([
            { type: 'range', metric: 'distance', radius_m: 500 },
            { type: 'range', metric: 'distance', radius_m: 12.5, categories: ['a', 'b'] },
        ]);
    });

    it('may ask by time, for the nearest or for all within some seconds', () => {
        const { relay } = readRelay(
            bytesOf(`22 04 08 05 28 01
                     22 0b 21 00 00 00 00 00 c0 72 40 28 01
                     28 02`),
        );
        expect(relay.requests).toEqual([
            { type: 'knn', metric: 'time', k: 5 },
            { type: 'range', metric: 'time', radius_s: 300 },
        ]);
    });

    it('has numbers of several bytes', () => {
        expect(readRelay(bytesOf('12 05 ac 02 ff ff 03')).relay.segments).toEqual([300, 65835]);
    });

    it('may have fields of a later version, which are passed over and shown as such', () => {
        const { relay, pieces } = readRelay(bytesOf('28 07 32 02 00 00 3d 00 00 00 00 12 01 06'));
        expect(relay.segments).toEqual([6]);
        expect(pieces.map((piece) => piece.said)).toEqual([
            { field: 'version', version: 7 },
            { field: 'unknown', number: 6 },
            { field: 'unknown', number: 7 },
            { field: 'segments', values: [6] },
        ]);
    });

    it('is refused wherever it is cut within a field', () => {
        const ends = readRelay(worked).pieces.map((piece) => piece.to);
        for (let size = 1; size < worked.length; size++) {
            if (ends.includes(size)) continue;
            expect(() => readRelay(worked.subarray(0, size)), `${size} bytes`).toThrow(NotAMessage);
        }
    });

    it('is refused if a number never ends, or a request asks for nothing', () => {
        expect(() => readRelay(new Uint8Array(20).fill(0xff))).toThrow(NotAMessage);
        expect(() => readRelay(bytesOf('22 03 1a 01 61'))).toThrow(NotAMessage);
        expect(() => readRelay(bytesOf('0b'))).toThrow(NotAMessage);
    });
});
