import { describe, expect, it } from 'vitest';
import { hexOffset, hexRows } from '../../src/wire/hex';

describe('a hex dump', () => {
    it('has eight bytes in a row, with their letters, and dots for what is none', () => {
        const bytes = new TextEncoder().encode('the nearest cafe\n\u00e9~');
        const rows = hexRows(bytes).map((row) => [
            hexOffset(row.offset),
            row.bytes.map(({ hex }) => hex).join(' '),
            row.bytes.map(({ letter }) => letter).join(''),
        ]);
        expect(rows).toEqual([
            ['0000', '74 68 65 20 6e 65 61 72', 'the near'],
            ['0008', '65 73 74 20 63 61 66 65', 'est cafe'],
            ['0010', '0a c3 a9 7e', '...~'],
        ]);
    });

    it('tells where each byte is', () => {
        const rows = hexRows(new Uint8Array(17));
        expect(rows.map((row) => row.bytes.length)).toEqual([8, 8, 1]);
        expect(rows[2].bytes[0].at).toBe(16);
    });

    it('is empty for nothing', () => {
        expect(hexRows(new Uint8Array(0))).toEqual([]);
    });
});
