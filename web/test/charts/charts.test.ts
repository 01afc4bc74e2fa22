// Which charts there are.
import { describe, expect, it } from 'vitest';
import { chartsFor } from '../../src/charts/charts';

describe('the charts', () => {
    it('have bytes where bytes are sent, and else what the provider is asked', () => {
        const ids = (provider: 'http' | 'built in' | 'points') =>
            chartsFor(provider).map(({ id }) => id);
        expect(ids('http')).toEqual(['success', 'wait', 'cloak', 'bytes', 'drops']);
        expect(ids('built in')).toEqual(['success', 'wait', 'cloak', 'load', 'drops']);
        expect(ids('points')).toEqual(ids('built in'));
    });
});
