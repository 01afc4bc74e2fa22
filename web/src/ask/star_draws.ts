// Which star travellers' queries may have been given to, where the engine draws it by dice.
//
// basic, bounded, hybrid and xstar give a query to one of the two stars of its road (docs/engine.md, Selecting a star):
// to the one that the road is assigned to, to the one where somebody waits if nobody does at the other, else by
// chance. The page sees who waits but not the dice. So it throws its own, several times over: each draw is one way in
// which all of them may have been given to their stars, and a forecast looks at all draws. The engine's dice prefer the
// star that is cheaper to ask about; these do not.
import type { Stars } from '../map/ball';
import type { Other, Seeker } from './company';

/** Even, so that each end of a road can have half of them. */
export const DRAWS = 4;

/** As the service has it: a star counts as active only for a k that is at most so many times another, or the reverse. */
const K_SPREAD = 2;

/** A star at which somebody waits. */
interface Active {
    /** The k of each who waits there. */
    ks: number[];
    /** Segments that are assigned to it. */
    segments: Set<number>;
}

export class StarDraws {
    private readonly active: Map<number, Active>[] = Array.from(
        { length: DRAWS },
        () => new Map<number, Active>(),
    );
    /** Of each query, its star in each draw. */
    private readonly drawn = new Map<number, number[]>();

    constructor(
        private readonly ground: Pick<Stars, 'starsOf'>,
        private readonly random: () => number = Math.random,
    ) {}

    /** They must come in the order in which they asked. */
    asked({ query, segment, k }: Other): void {
        const stars = this.starsFor({ segment, k });
        if (stars.length === 0) return;
        this.drawn.set(query, stars);
        stars.forEach((star, draw) => {
            const active = this.active[draw];
            // A road is assigned to one star.
            for (const end of this.ground.starsOf(segment))
                active.get(end)?.segments.delete(segment);
            const here = active.get(star) ?? { ks: [], segments: new Set() };
            here.ks.push(k);
            here.segments.add(segment);
            active.set(star, here);
        });
    }

    ended({ query, k }: Other): void {
        this.drawn.get(query)?.forEach((star, draw) => {
            const here = this.active[draw].get(star);
            const at = here?.ks.indexOf(k) ?? -1;
            if (here && at >= 0) here.ks.splice(at, 1);
            if (here?.ks.length === 0) this.active[draw].delete(star);
        });
    }

    /** Nothing will be asked of a query that ended long ago. */
    forget(query: number): void {
        this.drawn.delete(query);
    }

    /** The star of a query in a draw; undefined if it is not known. */
    starOf(query: number, draw: number): number | undefined {
        return this.drawn.get(query)?.[draw];
    }

    /** For each draw, the star that who asks now is given to; empty if the road has none. */
    starsFor({ segment, k }: Pick<Seeker, 'segment' | 'k'>): number[] {
        const ends = this.ground.starsOf(segment);
        if (ends.length === 0) return [];
        const chances = this.halves();
        return this.active.map((active, draw) => {
            if (ends.length === 1) return ends[0];
            const live = ends.filter((star) => goesWith(active.get(star), k));
            const assigned = live.find((star) => active.get(star)?.segments.has(segment));
            if (assigned !== undefined) return assigned;
            return live.length === 1 ? live[0] : ends[chances[draw]];
        });
    }

    /** 0 and 1, each for half of the draws, in an order that differs from query to query: no two draws stay alike. */
    private halves(): number[] {
        const chances = Array.from({ length: DRAWS }, (_, draw) => draw % 2);
        for (let last = DRAWS - 1; last > 0; last--) {
            const other = Math.floor(this.random() * (last + 1));
            [chances[last], chances[other]] = [chances[other], chances[last]];
        }
        return chances;
    }
}

function goesWith(here: Active | undefined, k: number): boolean {
    return here?.ks.some((other) => other <= K_SPREAD * k && k <= K_SPREAD * other) ?? false;
}
