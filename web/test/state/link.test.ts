// One state out of several streams.
import { describe, expect, it } from 'vitest';
import type { StreamState } from '../../src/api/stream';
import { joinLinks } from '../../src/state/link';

const live: StreamState = { kind: 'live' };
const connecting: StreamState = { kind: 'connecting' };
const lost = (retryAt: number): StreamState => ({ kind: 'lost', retryAt });
const refused: StreamState = { kind: 'forbidden', status: 401 };

describe('the link', () => {
    it('is live only if all streams are', () => {
        expect(joinLinks([live, live]).link).toBe('live');
        expect(joinLinks([live, connecting]).link).toBe('connecting');
        expect(joinLinks([]).link).toBe('connecting');
    });

    it('is lost if one is, until the earliest next try', () => {
        expect(joinLinks([lost(9), live, lost(7)])).toEqual({
            link: 'lost',
            retryAt: 7,
            refused: null,
        });
    });

    it('is forbidden if one is, whatever the others are', () => {
        expect(joinLinks([lost(9), refused, live])).toEqual({
            link: 'forbidden',
            retryAt: null,
            refused: 401,
        });
    });
});
