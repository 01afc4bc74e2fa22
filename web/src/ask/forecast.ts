// Whether a question would find company in its time, judged by what there was of late.
//
// Not all who ask and fit count: most leave with cloaks of their own before enough are together for a large k. What
// counts is how many who fit waited at the same moment. So the last half minute is looked at as if the question had been
// asked in it: for each stretch of time as long as its wait, the moment at which the most were there. Where stars are
// drawn by dice, that is done for several draws (star_draws.ts), and all of them count.
import type { CompanyFinder, Other } from './company';

/** A traveller's query, as long as it waited. */
export interface Stay {
    readonly query: Other;
    /** performance.now() */
    readonly from: number;
    /** Infinity while it waits. */
    to: number;
}

/** Milliseconds. Time is looked at in such pieces; of each piece a few moments. */
const PIECE_MS = 500;
const MOMENTS = 3;
/** Of the stretches of time, as many must have had what is promised. */
const LIKELY = 0.8;

/**
 * How many who fit together were there at once in each piece of time, the asker included.
 *
 * @param stays  all who waited then, in the order in which they asked
 */
export function atOnceByPiece(
    finder: CompanyFinder,
    stays: readonly Stay[],
    from: number,
    to: number,
): number[] {
    const fitting = stays.filter((stay) => stay.to > from && finder.fits(stay.query));
    const pieces = Math.max(1, Math.floor((to - from) / PIECE_MS));
    return Array.from({ length: pieces }, (_, i) => {
        const start = to - (pieces - i) * PIECE_MS;
        const here = fitting.filter((stay) => stay.from < start + PIECE_MS && stay.to > start);
        return mostAtOnce(finder, here, start);
    });
}

/** There are never more than when somebody has come: these moments are looked at, and the first one. */
function mostAtOnce(finder: CompanyFinder, here: readonly Stay[], start: number): number {
    const moments = [start, ...here.map(({ from }) => from).filter((from) => from > start)];
    const crowds = moments
        .map((at) => here.filter(({ from, to }) => from <= at && to > at))
        .sort((a, b) => b.length - a.length);
    let most = 1;
    for (const crowd of crowds.slice(0, MOMENTS)) {
        // Not all of a crowd fit together; a smaller one has no more who do.
        if (crowd.length + 1 <= most) break;
        most = Math.max(most, finder.sizeAmong(crowd.map(({ query }) => query)));
    }
    return most;
}

/**
 * How many may be expected to be there at once, the asker included, while it waits for so long: if that is its k,
 * it is likely enough.
 *
 * @param draws  for each draw of stars, or the only one, what atOnceByPiece() gave, the oldest first
 */
export function expectedAtOnce(draws: readonly (readonly number[])[], waitS: number): number {
    const stretches = draws.flatMap((pieces) => mostByStretch(pieces, waitS)).sort((a, b) => b - a);
    return stretches[Math.ceil(LIKELY * stretches.length) - 1] ?? 1;
}

function mostByStretch(pieces: readonly number[], waitS: number): number[] {
    // What was not seen is not promised: a long wait is judged by a shorter one, of which there were several.
    const longest = Math.max(1, Math.ceil(pieces.length / 2));
    const length = Math.min(longest, Math.max(1, Math.round((waitS * 1000) / PIECE_MS)));
    return pieces
        .slice(0, pieces.length - length + 1)
        .map((_, i) => Math.max(...pieces.slice(i, i + length)));
}
