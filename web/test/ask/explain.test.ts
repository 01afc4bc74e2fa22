// Whatever ends without an answer is explained, with something to try.
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../src/api/fetch';
import type { Dropped } from '../../src/ask/ask_phases';
import { explainDrop, explainError, explainProblem } from '../../src/ask/explain';

const profile = { k: 50, l: 30, max_hops: 1, max_wait_s: 10 };

describe('a question without an answer', () => {
    it('that expired is told what was missing', () => {
        const { text, tries } = explainDrop(
            { outcome: 'dropped', reason: 'expired', wait_s: 10, advice: '' },
            profile,
            12,
        );
        expect(text).toContain('50 travellers');
        expect(text).toContain('whose needs fit yours');
        expect(text).toContain('10\u00a0s');
        expect(tries).toEqual(['choose a busier road']);
    });

    it('that is infeasible is told how many roads there are', () => {
        const { text, tries } = explainDrop(
            { outcome: 'dropped', reason: 'infeasible', wait_s: 0, advice: '' },
            profile,
            12,
        );
        expect(text).toContain('30 roads');
        expect(text).toContain('there are 12');
        expect(tries).toEqual(['choose a road in a denser part']);
    });

    it('that is exposed is told what would help', () => {
        const explained = (more: Partial<Dropped>) =>
            explainDrop(
                { outcome: 'dropped', reason: 'exposed', wait_s: 0, advice: '', ...more },
                profile,
                12,
            );
        const busy = explained({ demands: ['traffic'] });
        expect(busy.title).toBe('The roads here do not hide you.');
        expect(busy.text).toContain('much busier');
        expect(busy.tries).toEqual(['choose a road where more roads are busy']);
        // Nothing is said of what is not demanded.
        const linked = explained({ demands: ['continuity'], later_s: 212 });
        expect(linked.text).toContain('Since your last question');
        expect(linked.text).not.toContain('busier');
        expect(linked.tries).toEqual(['ask again later, in 212\u00a0s at the latest']);
        const all = explained({ demands: ['traffic', 'classes', 'zone', 'continuity'] });
        expect(all.text).toContain('One of these is so, or all:');
        expect(all.tries).toHaveLength(3);
        expect(explained({ demands: ['zone'] }).tries).toEqual(['choose another road']);
        expect(explained({}).tries).toEqual(['choose another road']);
    });

    it('that was made before, and by few, is told why it was not sent', () => {
        const { text, tries } = explainDrop(
            { outcome: 'dropped', reason: 'rare-request', wait_s: 1, advice: '' },
            profile,
            12,
        );
        expect(text).toContain('both are yours');
        expect(tries).toContain('ask again later');
    });

    it('for a reason that this page does not know has the advice of the service', () => {
        const outcome = { outcome: 'dropped', reason: 'newer', wait_s: 1, advice: 'ask at night' };
        expect(explainDrop(outcome as unknown as Dropped, profile, 12).text).toBe('Ask at night.');
    });

    it('for want of a good token is told what is wrong with it, and where to get one', () => {
        const problem = { type: '', title: 'A valid token is needed', status: 401 };
        const titles = [
            'no token; send Authorization: Bearer TOKEN',
            'this is not a token of this service',
            'the token was not signed by this service',
            'the token has expired; get a new one',
            'the token was revoked',
        ].map((detail) => explainError(new Refusal({ ...problem, detail })).title);
        expect(titles).toEqual([
            'The service needs a token.',
            'The service does not accept this token.',
            'The service does not accept this token.',
            'Your token has expired.',
            'Your token was revoked.',
        ]);
        expect(explainError(new Refusal(problem)).text).toContain('starcloak token issue');
    });

    it('says when to come again, if the service did', () => {
        const busy = { type: '', title: 'The service has too much to do', status: 503 };
        expect(explainProblem(busy, 3).tries).toEqual(['try again in 3\u00a0s']);
        expect(explainProblem(busy, null).tries).toEqual(['try again in a moment']);
    });

    it('goes by the reason before the status: a provider that is away is not a busy service', () => {
        const away = { type: '', title: '', status: 503, reason: 'provider_suspended' };
        expect(explainProblem(away, null).title).toBe('The provider does not answer.');
    });

    it('falls back on the words of the service', () => {
        const { title, text } = explainProblem(
            {
                type: 'urn:starcloak:problem:profile',
                title: 'A value of the profile is out of range',
                status: 400,
                detail: 'k is 1; this service accepts 2 to 1000',
            },
            null,
        );
        expect(title).toBe('A value of the profile is out of range.');
        expect(text).toBe('K is 1; this service accepts 2 to 1000.');
    });

    it('is not silent about a broken connection', () => {
        expect(
            explainError(new Error('The connection closed before the whole map arrived.')).text,
        ).toBe('The connection closed before the whole map arrived.');
    });

    it('does not say twice that the service does not answer', () => {
        const { title, text } = explainError(new Error('The service does not answer.'));
        expect(title).toBe('The service does not answer.');
        expect(text).toBe('Perhaps it is being restarted.');
    });
});
