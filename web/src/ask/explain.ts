// Why there was no answer, and what may help: in words for travellers. The service's own words are
// for programs, and stand behind ours.
import { Refusal } from '../api/fetch';
import type { Demand, Problem, Profile } from '../api/types';
import { t } from '../text/language';
import { counted, seconds } from '../text/measures';
import { count, sentence } from '../text/words';
import type { Dropped } from './ask_phases';

export interface Explanation {
    title: string;
    text: string;
    /** What to try, the best first. Changes of the profile are offered as buttons beside it (remedies.ts). */
    tries: string[];
}

export function explainDrop(outcome: Dropped, profile: Profile, reachSize: number): Explanation {
    const roads = counted(profile.l, 'road');
    const crossings = counted(profile.max_hops, 'crossing');
    switch (outcome.reason) {
        case 'infeasible':
            return {
                title: t('There are too few roads here.'),
                text: t(
                    'You asked for {roads}; within {crossings} there are {count}. Your question was not sent to the provider.',
                    { roads, crossings, count: count(reachSize) },
                ),
                tries: [t('choose a road in a denser part')],
            };
        case 'exposed':
            return explainExposed(outcome, roads, crossings);
        case 'rare-request':
            return {
                title: t('You asked for this before, and few others do.'),
                text: t(
                    'Sent again, your question would show that both are yours, and from where you came. So it was not sent.',
                ),
                tries: [t('ask for something more common'), t('ask again later')],
            };
        case 'expired':
            return {
                title: t('No company came in time.'),
                text: t(
                    'You asked for {travellers}; not enough whose needs fit yours asked around you within {time}. So nothing was sent: no answer is better than one that gives you away.',
                    {
                        travellers: counted(profile.k, 'traveller'),
                        time: seconds(profile.max_wait_s),
                    },
                ),
                tries: [t('choose a busier road')],
            };
        default:
            // A newer service may have other reasons; it says what helps.
            return {
                title: t('Your question was dropped.'),
                text: sentence((outcome as Dropped).advice || t('The service gave no reason')),
                tries: [],
            };
    }
}

/** By what was demanded of the roads: all that may have been in the way. */
function explainExposed(outcome: Dropped, roads: string, crossings: string): Explanation {
    const demands = outcome.demands ?? [];
    const because: Record<Demand, string> = {
        traffic: t('One of them is much busier than the others.'),
        classes: t('Places that need protection are on them.'),
        zone: t('They do not hold the whole zone around your home.'),
        continuity: t('Since your last question you can have reached too few of them.'),
    };
    const reasons = demands.map((demand) => because[demand]).filter(Boolean);
    const tries: string[] = [];
    if (demands.includes('continuity')) {
        tries.push(
            outcome.later_s
                ? t('ask again later, in {time} at the latest', { time: seconds(outcome.later_s) })
                : t('ask again later'),
        );
    }
    if (demands.includes('traffic')) tries.push(t('choose a road where more roads are busy'));
    if (demands.includes('classes')) tries.push(t('choose a road with fewer such places'));
    if (tries.length === 0) tries.push(t('choose another road'));
    const start = t('There are {roads} within {crossings}, but they do not hide you.', {
        roads,
        crossings,
    });
    const both = reasons.length > 1 ? [t('One of these is so, or all:'), ...reasons] : reasons;
    return {
        title: t('The roads here do not hide you.'),
        text: [start, ...both, t('Your question was not sent to the provider.')].join(' '),
        tries,
    };
}

/** What a failed question came to, by its error. */
export function explainError(error: unknown): Explanation {
    if (error instanceof Refusal) return explainProblem(error.problem, error.retryAfterS);
    const title = t('The service does not answer.');
    const isOther = error instanceof Error && error.message !== title;
    return {
        title,
        text: isOther ? error.message : t('Perhaps it is being restarted.'),
        tries: [t('try again in a moment')],
    };
}

export function explainProblem(problem: Problem, retryAfterS: number | null): Explanation {
    const again = retryAfterS
        ? t('try again in {time}', { time: seconds(retryAfterS) })
        : t('try again in a moment');
    const known = byReason(problem, again) ?? byStatus(problem, again);
    if (known) return known;
    return {
        title: sentence(problem.title),
        text: sentence(problem.detail ?? t('The service gave no reason')),
        tries: [again],
    };
}

/** Of a refusal with status 401: what is wrong with the token. */
export function explainToken(problem: Problem): Explanation {
    const detail = problem.detail ?? '';
    const title = detail.includes('expired')
        ? t('Your token has expired.')
        : detail.includes('revoked')
          ? t('Your token was revoked.')
          : detail.includes('no token')
            ? t('The service needs a token.')
            : t('The service does not accept this token.');
    return {
        title,
        text: t(
            'Tokens are issued by the operator of this service: starcloak token issue. Check that it was copied whole; it begins with sct1_.',
        ),
        tries: [t('enter another token'), t('ask the operator for a new one')],
    };
}

function byReason(problem: Problem, again: string): Explanation | null {
    switch (problem.reason) {
        case 'provider_unreachable':
        case 'provider_timeout':
        case 'provider_suspended':
            return {
                title: t('The provider does not answer.'),
                text: t('You had found company, but the provider cannot be reached at the moment.'),
                tries: [again],
            };
        case 'provider_refused':
        case 'provider_unbelievable':
            return {
                title: t('The provider gave no valid answer.'),
                text: t(
                    'Its answer contradicts itself or the roads, so the service does not pass it on.',
                ),
                tries: [again, t('look for something else')],
            };
        case 'not_sent_in_time':
        case 'in_doubt':
            return {
                title: t('Time was up before the cloak could leave.'),
                text: t(
                    'You had found company, but the way to the provider was busy until your deadline.',
                ),
                tries: [t('allow more time'), again],
            };
        case 'result_lost':
            return {
                title: t('The answer was lost on the way.'),
                text: t(
                    'You had found company and the provider was asked, but the part of the service that asked no longer responds.',
                ),
                tries: [again],
            };
        case 'too_costly':
            return {
                title: t('The question would cost too much.'),
                text: t(
                    'You had found company, but the provider would have to look through too many roads and objects.',
                ),
                tries: [t('choose a smaller range'), t('look for one category')],
            };
        default:
            return null;
    }
}

function byStatus(problem: Problem, again: string): Explanation | null {
    switch (problem.status) {
        case 401:
            return explainToken(problem);
        case 403:
            return {
                title: t('Access is restricted.'),
                text: t('The operator restricts who may see this (the setting "events").'),
                tries: [],
            };
        case 422:
            return {
                title: t('There is no road near.'),
                text: t('The service finds no road near that place.'),
                tries: [t('click on a road')],
            };
        case 429:
            return {
                title: t('One question at a time.'),
                text: t(
                    'The service limits the questions of one traveller, so that no one can fill a cloak alone.',
                ),
                tries: [again],
            };
        case 503:
            return {
                title: t('The service is overloaded.'),
                text: t('Earlier questions are answered first.'),
                tries: [again],
            };
        default:
            return null;
    }
}
