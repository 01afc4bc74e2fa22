// What can become of a query, and of an attempt to ask: outcomes are values, the rest is thrown.
//
// An outcome is what the service decided about a query that it had accepted. Errors are for all
// else: the service did not accept it (RefusedError), does not know it any more (ForgottenError),
// or could not be reached (UnreachableError). No text of an error has a position, a token, a
// query's id or key: applications log errors.
import type { Answered, Dropped, Problem } from './types.js';

/** A cloak was found, but no answer came: `reason` says why, `problem` what to do. */
export interface Failed {
    outcome: 'failed';
    reason: string;
    problem: Problem;
}

/**
 * The query has ended without an outcome: by `cancel()` (client), or because the service had not
 * been in contact with this client for the time of a lease (lease).
 */
export interface Withdrawn {
    outcome: 'withdrawn';
    reason: 'client' | 'lease';
}

export type Outcome = Answered | Dropped | Failed | Withdrawn;

/** Where a query is; the last four are outcomes. */
export type State = 'waiting' | 'cloaked' | Outcome['outcome'];

/** What all errors of this package have in common. */
export class StarCloakError extends Error {
    override name = 'StarCloakError';
}

/** The service refused, with problem details (RFC 9457), and to repeat it was of no use. */
export class RefusedError extends StarCloakError {
    override name = 'RefusedError';
    /** @param retryAfterS  seconds after which it may be accepted; undefined if never as it is */
    constructor(
        readonly status: number,
        readonly problem: Problem,
        readonly retryAfterS?: number,
    ) {
        super(
            `the service refused (${status}): ${problem.title}${problem.detail ? `; ${problem.detail}` : ''}`,
        );
    }
}

/** The service does not know this query: its outcome was kept for a while and is gone, or it has restarted. */
export class ForgottenError extends RefusedError {
    override name = 'ForgottenError';
}

/** No reply came in the time there was. The query may still be there: `handle` resumes it. */
export class UnreachableError extends StarCloakError {
    override name = 'UnreachableError';
    /** Of the query, if it had been accepted. */
    handle: string | undefined;
}

type Members = Record<string, unknown>;

/** The problem details of a reply; made up from the status if the reply is of something in between. */
export function problemOf(status: number, body: unknown): Problem {
    const members = body as Members | undefined;
    if (typeof members?.type === 'string' && typeof members.title === 'string') {
        const { type, title, detail, field } = members;
        return {
            type,
            title,
            status,
            ...(typeof detail === 'string' && { detail }),
            ...(typeof field === 'string' && { field }),
        } as Problem;
    }
    return { type: 'about:blank', title: `HTTP status ${status}`, status } as unknown as Problem;
}

/** The outcome that a body tells, of the held form or of a look; undefined if it tells none. */
export function outcomeOf(status: number, body: unknown): Outcome | undefined {
    const { id: _id, state, ...members } = (body ?? {}) as Members;
    switch (members.outcome ?? state) {
        case 'answered':
            return { ...members, outcome: 'answered' } as unknown as Answered;
        case 'dropped':
            return { ...members, outcome: 'dropped' } as unknown as Dropped;
        case 'failed': {
            const problem = problemOf(Number(members.status ?? status), members);
            return { outcome: 'failed', reason: String(members.reason), problem };
        }
        case 'withdrawn':
            return {
                outcome: 'withdrawn',
                reason: members.reason === 'client' ? 'client' : 'lease',
            };
        default:
            return undefined;
    }
}
