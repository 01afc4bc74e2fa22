// Bytes from base64.
import { describe, expect, it } from 'vitest';
import { bytesFrom } from '../../src/api/base64';

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
});
