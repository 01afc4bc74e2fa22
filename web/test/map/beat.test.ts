import { describe, expect, it } from 'vitest';
import { BEAT_MS, pauseUntil } from '../../src/map/beat';
import { dice } from '../support/dice';

describe('frames of what moves by itself', () => {
    it('are asked for at the same moments by all, 30 in a second at most', () => {
        const random = dice(3);
        for (let i = 0; i < 1000; i++) {
            const now = 1e5 * random.unit();
            const pause = pauseUntil(now + 400 * random.unit(), now);
            expect(pause).toBeGreaterThanOrEqual(0);
            // Some milliseconds before a beat, always as many.
            const beats = (now + pause + 8) / BEAT_MS;
            expect(Math.abs(beats - Math.round(beats))).toBeLessThan(1e-6);
        }
    });

    it('come as near to the moment as that allows', () => {
        const now = 30 * BEAT_MS;
        expect(now + pauseUntil(now + 5, now)).toBeCloseTo(31 * BEAT_MS - 8);
        expect(now + pauseUntil(now + 110, now)).toBeCloseTo(33 * BEAT_MS - 8);
        expect(now + pauseUntil(0, now)).toBeCloseTo(31 * BEAT_MS - 8);
    });
});
