// One state of the connection out of those of several streams: the page says a thing once.
import type { StreamState } from '../api/stream';
import type { Link } from './model';

export interface LinkReport {
    link: Link;
    /** When the next try is made, as performance.now(); null unless lost. */
    retryAt: number | null;
    /** 401, 403 or 404: why nothing is told; null unless forbidden. */
    refused: number | null;
}

/** A refusal stands out, since only a person can help; then what is lost; live is only what is live throughout. */
export function joinLinks(states: readonly StreamState[]): LinkReport {
    let retryAt: number | null = null;
    let allLive = states.length > 0;
    for (const state of states) {
        if (state.kind === 'forbidden') {
            return { link: 'forbidden', retryAt: null, refused: state.status };
        }
        if (state.kind === 'lost') retryAt = Math.min(retryAt ?? state.retryAt, state.retryAt);
        if (state.kind !== 'live') allLive = false;
    }
    if (retryAt !== null) return { link: 'lost', retryAt, refused: null };
    return { link: allLive ? 'live' : 'connecting', retryAt: null, refused: null };
}
