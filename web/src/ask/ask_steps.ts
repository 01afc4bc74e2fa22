// The steps of a question's way, and which of them is done, under way or failed in each phase.
import { Refusal } from '../api/fetch';
import { t } from '../text/language';
import type { AskPhase } from './ask_phases';

export const STEPS = ['waits', 'company', 'cloak', 'answer'] as const;
export type Step = (typeof STEPS)[number];

export type StepState = 'todo' | 'now' | 'done' | 'failed';

export function stepWords(step: Step): string {
    switch (step) {
        case 'waits':
            return t('waits');
        case 'company':
            return t('finds company');
        case 'cloak':
            return t('becomes a cloak');
        case 'answer':
            return t('is answered');
    }
}

/** In the order of STEPS. */
export function stepStates(phase: AskPhase): StepState[] {
    switch (phase.name) {
        case 'waiting':
            return states('waits', 'now');
        case 'found':
            return states('cloak', 'now');
        case 'left':
            return states('answer', 'now');
        case 'answered':
            return states('answer', 'done');
        case 'dropped': {
            // Where the roads are too few it does not wait at all.
            const { reason } = phase.outcome;
            const isAtOnce = reason === 'infeasible' || reason === 'exposed';
            return states(isAtOnce ? 'waits' : 'company', 'failed');
        }
        case 'refused':
            return states('waits', 'failed');
        case 'failed':
            return states(failedAt(phase.error), 'failed');
        case 'withdrawn':
            return STEPS.map(() => 'todo');
    }
}

/** Those before it are done, those after it are still to come. */
function states(step: Step, state: StepState): StepState[] {
    const at = STEPS.indexOf(step);
    return STEPS.map((_, i) => (i < at ? 'done' : i === at ? state : 'todo'));
}

/** How far a question came that was taken and has failed. */
function failedAt(error: unknown): Step {
    switch (error instanceof Refusal ? error.problem.reason : undefined) {
        case 'provider_unreachable':
        case 'provider_timeout':
        case 'provider_refused':
        case 'provider_unbelievable':
        case 'provider_suspended':
        case 'result_lost':
        case 'too_costly':
            return 'answer';
        case 'not_sent_in_time':
        case 'in_doubt':
            return 'cloak';
        default:
            return 'waits';
    }
}
