// How far behind a stream is.
import { describe, expect, it } from 'vitest';
import { Lag } from '../../src/state/lag';

describe('a stream', () => {
    it('of which nothing was heard is not behind', () => {
        expect(new Lag().behindS(1000)).toBe(0);
    });

    it('that comes as fast as time goes is not behind, whenever the page was opened', () => {
        const lag = new Lag();
        for (let s = 0; s < 20; s++) lag.heard(500 + s, 7 + s);
        expect(lag.behindS(26)).toBeCloseTo(0, 1);
    });

    it('that comes ever later is as far behind as it has lost', () => {
        const lag = new Lag();
        for (let s = 0; s < 20; s++) lag.heard(500 + s, 7 + 1.5 * s);
        expect(lag.behindS(7 + 1.5 * 19)).toBeCloseTo(9.5, 1);
    });

    it('that has gone quiet is behind as well, and catches up', () => {
        const lag = new Lag();
        lag.heard(500, 7);
        expect(lag.behindS(19)).toBeCloseTo(12, 1);
        lag.heard(512, 19);
        expect(lag.behindS(19)).toBeLessThan(0.1);
    });

    it('of a service that was started again begins anew', () => {
        const lag = new Lag();
        lag.heard(500, 7);
        lag.heard(2, 60);
        expect(lag.behindS(60)).toBe(0);
    });

    it('is not thought late because clocks differ a little, for days on end', () => {
        const lag = new Lag();
        const day = 86_400;
        for (let s = 0; s < 7 * day; s += 60) lag.heard(s * 0.9999, s);
        expect(lag.behindS(7 * day)).toBeLessThan(61);
        lag.heard(7 * day * 0.9999, 7 * day);
        expect(lag.behindS(7 * day)).toBeLessThan(0.1);
    });
});
