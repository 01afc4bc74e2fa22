// Which step of a question's way is marked, for each way that it can end.
import { describe, expect, it } from 'vitest';
import { Refusal, Unreachable } from '../../src/api/fetch';
import type { Answered, AskPhase, Dropped, Question } from '../../src/ask/ask_phases';
import { STEPS, stepStates } from '../../src/ask/ask_steps';

const question: Question = {
    spot: { segment: 0, x: 0, y: 0 },
    profile: { k: 5, l: 3, max_hops: 4, max_wait_s: 10 },
    request: { type: 'knn', k: 1 },
};
const outcome: Answered = {
    outcome: 'answered',
    wait_s: 1,
    cloak: { id: '1', users: 5, segments: 9 },
    metric: 'time',
    objects: [],
};

/** "waits: done, company: now, ..." without what is still to come. */
function marked(phase: AskPhase): string {
    return stepStates(phase)
        .map((state, i) => `${STEPS[i]} ${state}`)
        .filter((words) => !words.endsWith('todo'))
        .join(', ');
}

function dropped(reason: Dropped['reason']): AskPhase {
    const outcome: Dropped = { outcome: 'dropped', reason, wait_s: 10, advice: '' };
    return { question, name: 'dropped', outcome };
}

function failed(reason: string): AskPhase {
    const error = new Refusal({ type: '', title: '', status: 502, outcome: 'failed', reason });
    return { question, name: 'failed', error };
}

describe('the steps of a question', () => {
    it('go on as it is answered', () => {
        expect(marked({ question, name: 'waiting' })).toBe('waits now');
        expect(marked({ question, name: 'found', outcome })).toBe(
            'waits done, company done, cloak now',
        );
        const cloak = undefined;
        expect(marked({ question, name: 'left', outcome, cloak })).toBe(
            'waits done, company done, cloak done, answer now',
        );
        expect(marked({ question, name: 'answered', outcome, cloak })).toBe(
            'waits done, company done, cloak done, answer done',
        );
    });

    it('end at the company that did not come', () => {
        expect(marked(dropped('expired'))).toBe('waits done, company failed');
        expect(marked(dropped('rare-request'))).toBe('waits done, company failed');
    });

    it('end at once where no cloak is possible', () => {
        expect(marked(dropped('infeasible'))).toBe('waits failed');
        expect(marked(dropped('exposed'))).toBe('waits failed');
    });

    it('end at once where the service does not take it', () => {
        const error = new Refusal({ type: '', title: '', status: 401 });
        expect(marked({ question, name: 'refused', error })).toBe('waits failed');
    });

    it('end where it failed', () => {
        for (const reason of ['provider_unreachable', 'provider_timeout', 'too_costly']) {
            expect(marked(failed(reason)), reason).toBe(
                'waits done, company done, cloak done, answer failed',
            );
        }
        expect(marked(failed('not_sent_in_time'))).toBe('waits done, company done, cloak failed');
        expect(marked(failed('stopped'))).toBe('waits failed');
        const error = new Unreachable('The service does not answer.');
        expect(marked({ question, name: 'failed', error })).toBe('waits failed');
    });

    it('are forgotten when it is withdrawn', () => {
        expect(marked({ question, name: 'withdrawn' })).toBe('');
    });
});
