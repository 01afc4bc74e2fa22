// How late is worth a word.
import { describe, expect, it } from 'vitest';
import { behindShown } from '../../src/frame/status';

describe('a page over a slow link', () => {
    it('is live up to three seconds, and then so many behind, in steps that can be listened to', () => {
        expect([0, 1.9, 3, 3.2, 9.9, 10, 14.9, 17, 63].map(behindShown)).toEqual([
            0, 0, 0, 3, 9, 10, 10, 15, 60,
        ]);
    });
});
