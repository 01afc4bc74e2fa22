// Bytes and numbers from base64.
import { describe, expect, it } from 'vitest';
import { bytesFrom, int32From } from '../../src/api/base64';

describe('base64', () => {
    it('gives back all bytes, whatever the length', () => {
        for (let length = 0; length <= 70; length++) {
            const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length * 31) & 255);
            const text = Buffer.from(bytes).toString('base64');
            expect(bytesFrom(text), `${length} bytes`).toEqual(bytes);
        }
    });

    it('needs no padding', () => {
        expect(bytesFrom('AQI')).toEqual(Uint8Array.of(1, 2));
        expect(bytesFrom('AQI=')).toEqual(Uint8Array.of(1, 2));
    });

    it('reads whole numbers of both signs, least significant byte first', () => {
        const numbers = Int32Array.of(0, 1, -1, 2147483647, -2147483648, 66051);
        const text = Buffer.from(numbers.buffer).toString('base64');
        expect(int32From(text)).toEqual(numbers);
        expect(int32From('AwIBAA==')).toEqual(Int32Array.of(66051));
    });
});
