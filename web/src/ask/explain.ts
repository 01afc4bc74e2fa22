// Why there was no answer, and what may help: in words for travellers. The service's own words are
// for programs, and stand behind ours.
import { Refusal } from '../api/fetch';
import type { Problem, Profile } from '../api/types';
import { counted, seconds } from '../text/measures';
import type { Dropped } from './ask_phases';

export interface Explanation {
    title: string;
    text: string;
    /** What to try, the best first. */
    tries: string[];
}

export function explainDrop(outcome: Dropped, profile: Profile, reachSize: number): Explanation {
    if (outcome.reason === 'infeasible') {
        return {
            title: 'There are too few roads here.',
            text: `You asked for ${counted(profile.l, 'road')}; within ${counted(profile.max_hops, 'crossing')} there are ${reachSize}. Your question was not sent to the provider.`,
            tries: [
                'ask for fewer roads',
                'allow more crossings',
                'choose a road in a denser part',
            ],
        };
    }
    if (outcome.reason === 'exposed') {
        return {
            title: 'The roads here do not hide you.',
            text: `There are ${counted(profile.l, 'road')} within ${counted(profile.max_hops, 'crossing')}, but one of them is much busier than the others, or places that need protection are on them. Your question was not sent to the provider.`,
            tries: [
                'allow more crossings',
                'ask for fewer roads',
                'choose a road where more roads are busy',
            ],
        };
    }
    if (outcome.reason === 'rare-request') {
        return {
            title: 'You asked for this before, and few others do.',
            text: 'Sent again, your question would show that both are yours, and from where you came. So it was not sent.',
            tries: ['ask for something more common', 'ask again later'],
        };
    }
    return {
        title: 'No company came in time.',
        text: `You asked for ${counted(profile.k, 'traveller')}; not enough whose needs fit yours asked around you within ${seconds(profile.max_wait_s)}. So nothing was sent: no answer is better than one that gives you away.`,
        tries: [
            'ask for fewer travellers',
            'allow more time',
            'allow more crossings',
            'choose a busier road',
        ],
    };
}

/** What a failed question came to, by its error. */
export function explainError(error: unknown): Explanation {
    if (error instanceof Refusal) return explainProblem(error.problem, error.retryAfterS);
    const title = 'The service does not answer.';
    const isKnown = error instanceof Error && error.message !== title;
    return {
        title,
        text: isKnown ? error.message : 'Perhaps it is being restarted.',
        tries: ['try again in a moment'],
    };
}

export function explainProblem(problem: Problem, retryAfterS: number | null): Explanation {
    const again = retryAfterS ? `try again in ${seconds(retryAfterS)}` : 'try again in a moment';
    const known = byReason(problem, again) ?? byStatus(problem, again);
    if (known) return known;
    return {
        title: `${problem.title}.`,
        text: problem.detail ? sentence(problem.detail) : 'The service gave no reason.',
        tries: [again],
    };
}

function byReason(problem: Problem, again: string): Explanation | null {
    switch (problem.reason) {
        case 'provider_unreachable':
        case 'provider_timeout':
        case 'provider_suspended':
            return {
                title: 'The provider does not answer.',
                text: 'You had found company, but the provider cannot be reached at the moment.',
                tries: [again],
            };
        case 'provider_refused':
        case 'provider_unbelievable':
            return {
                title: 'The provider gave no valid answer.',
                text: 'Its answer contradicts itself or the roads, so StarCloak does not show it.',
                tries: [again, 'look for something else'],
            };
        case 'not_sent_in_time':
            return {
                title: 'Time was up before the cloak could leave.',
                text: 'You had found company, but the way to the provider was busy until your deadline.',
                tries: ['allow more time', again],
            };
        case 'result_lost':
            return {
                title: 'The answer was lost on the way.',
                text: 'You had found company and the provider was asked, but the part of the service that asked no longer responds.',
                tries: [again],
            };
        case 'too_costly':
            return {
                title: 'The question would cost too much.',
                text: 'You had found company, but the provider would have to look through too many roads and objects.',
                tries: ['choose a smaller range', 'look for one category'],
            };
        default:
            return null;
    }
}

function byStatus(problem: Problem, again: string): Explanation | null {
    switch (problem.status) {
        case 401:
            return {
                title: 'The service needs a valid token.',
                text: 'The operator issues tokens (starcloak token issue). It is kept in this page only, until you close it.',
                tries: ['enter a token', 'ask the operator for a new one if yours has expired'],
            };
        case 403:
            return {
                title: 'Access is restricted.',
                text: 'The operator restricts who may see this (the setting "events").',
                tries: [],
            };
        case 422:
            return {
                title: 'There is no road near.',
                text: 'The service finds no road near that place.',
                tries: ['click on a road'],
            };
        case 429:
            return {
                title: 'One question at a time.',
                text: 'The service limits the questions of one traveller, so that no one can fill a cloak alone.',
                tries: [again],
            };
        case 503:
            return {
                title: 'The service is overloaded.',
                text: 'Earlier questions are answered first.',
                tries: [again],
            };
        default:
            return null;
    }
}

function sentence(text: string): string {
    return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
