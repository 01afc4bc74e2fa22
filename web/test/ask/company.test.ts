// Who fits, against the definition done the slow way: hops between all stars, every choice of stars, every group.
import { describe, expect, it } from 'vitest';
import { type Company, CompanyFinder, type Other, type Seeker } from '../../src/ask/company';
import { Stars } from '../../src/map/ball';
import { dice } from '../support/dice';

/** A town: stars are nodes where three or more ends meet. */
class SlowTown {
    private readonly hops: number[][];

    constructor(
        readonly nodeCount: number,
        readonly ends: number[],
    ) {
        this.hops = Array.from({ length: nodeCount }, (_, a) =>
            Array.from({ length: nodeCount }, (_, b) => (a === b ? 0 : Infinity)),
        );
        for (let s = 0; s < ends.length / 2; s++) {
            const [a, b] = this.starsOf(s);
            if (b !== undefined) this.hops[a][b] = this.hops[b][a] = 1;
        }
        for (let via = 0; via < nodeCount; via++)
            for (let a = 0; a < nodeCount; a++)
                for (let b = 0; b < nodeCount; b++)
                    this.hops[a][b] = Math.min(
                        this.hops[a][b],
                        this.hops[a][via] + this.hops[via][b],
                    );
    }

    get stars(): Stars {
        const { nodeCount, ends } = this;
        const segmentCount = ends.length / 2;
        return new Stars({ nodeCount, segmentCount, ends: Uint32Array.from(ends) });
    }

    private isStar(node: number): boolean {
        return this.ends.filter((end) => end === node).length >= 3;
    }

    starsOf(segment: number): number[] {
        const both = [this.ends[2 * segment], this.ends[2 * segment + 1]];
        return [...new Set(both)].filter((node) => this.isStar(node));
    }

    ball(star: number, maxHops: number): Set<number> {
        const all = Array.from({ length: this.nodeCount }, (_, node) => node);
        return new Set(all.filter((node) => this.isStar(node) && this.hops[star][node] <= maxHops));
    }

    segmentsAt(stars: Iterable<number>): number {
        const found = new Set<number>();
        const chosen = new Set(stars);
        this.ends.forEach((node, i) => {
            if (chosen.has(node)) found.add(i >> 1);
        });
        return found.size;
    }

    /** The stars that dice may give it to: where one has too few segments it is the other. */
    possible(seeker: Seeker): number[] {
        const stars = this.starsOf(seeker.segment);
        const good = stars.filter(
            (star) => this.segmentsAt(this.ball(star, seeker.max_hops)) >= seeker.l,
        );
        return good.length === 1 ? good : stars;
    }

    /** Promises P2 to P4 for these queries at these stars; `users` counts as many as wanted if it is null. */
    isCloak(queries: readonly Seeker[], stars: readonly number[], isEnough: boolean): boolean {
        const balls = queries.map(({ max_hops }, i) => this.ball(stars[i], max_hops));
        if (!stars.every((star) => balls.every((ball) => ball.has(star)))) return false;
        const shared = [...balls[0]].filter((star) => balls.every((ball) => ball.has(star)));
        const l = Math.max(...queries.map((query) => query.l));
        if (this.segmentsAt(shared) < l) return false;
        return !isEnough || queries.length >= Math.max(...queries.map(({ k }) => k));
    }

    /** ... whatever the dice say. */
    isAlwaysCloak(queries: readonly Seeker[], isEnough: boolean): boolean {
        const choices = queries.map((query) => this.possible(query));
        if (choices.some((stars) => stars.length === 0)) return false;
        return combinations(choices).every((stars) => this.isCloak(queries, stars, isEnough));
    }

    /** ... at some choice of stars. */
    isSometimesCloak(queries: readonly Seeker[], isEnough: boolean): boolean {
        const choices = queries.map((query) => this.starsOf(query.segment));
        return combinations(choices).some((stars) => this.isCloak(queries, stars, isEnough));
    }
}

function combinations(choices: readonly number[][]): number[][] {
    return choices.reduce<number[][]>(
        (before, these) => before.flatMap((chosen) => these.map((one) => [...chosen, one])),
        [[]],
    );
}

function subsets<T>(items: readonly T[]): T[][] {
    const all: T[][] = [[]];
    for (const item of items) all.push(...all.map((set) => [...set, item]));
    return all;
}

/** A grid of streets with some missing, and dead ends. */
function townAtRandom(seed: number): SlowTown {
    const { unit, below } = dice(seed);
    const side = 4;
    const ends: number[] = [];
    for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++) {
            const node = y * side + x;
            if (x + 1 < side && unit() < 0.85) ends.push(node, node + 1);
            if (y + 1 < side && unit() < 0.85) ends.push(node, node + side);
        }
    }
    for (let i = 0; i < 3; i++) ends.push(below(side * side), side * side + i);
    return new SlowTown(side * side + 3, ends);
}

function seekerAtRandom({ below }: ReturnType<typeof dice>, town: SlowTown): Seeker {
    return {
        segment: below(town.ends.length / 2),
        k: 2 + below(4),
        l: 1 + below(8),
        max_hops: 1 + below(3),
    };
}

function scene(seed: number) {
    const town = townAtRandom(seed);
    const random = dice(seed + 1000);
    const asker = seekerAtRandom(random, town);
    const others: Other[] = Array.from({ length: 7 }, (_, i) => ({
        ...seekerAtRandom(random, town),
        query: i,
        who: i,
    }));
    return { town, asker, others };
}

const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1);

/** With as many different travellers as the largest k; of the best group of all. */
function leastMissing(
    asker: Seeker,
    others: readonly Other[],
    isGroup: (queries: readonly Seeker[]) => boolean,
): number {
    const missing = subsets(others)
        .filter((set) => isGroup([asker, ...set]))
        .map((set) => Math.max(asker.k, ...set.map(({ k }) => k)) - 1 - set.length);
    return Math.max(0, Math.min(asker.k - 1, ...missing));
}

function expectSound(company: Company, asker: Seeker): void {
    const ks = [asker.k, ...company.group.map(({ k }) => k)];
    expect(company.needed).toBe(Math.max(...ks));
    expect(company.missing).toBe(Math.max(0, company.needed - 1 - company.group.length));
    expect(new Set(company.group.map(({ who }) => who)).size).toBe(company.group.length);
}

describe('with engines that draw the star of a query', () => {
    it('only those fit who do whatever is drawn, and the group is a cloak whatever is drawn', () => {
        let enough = 0;
        for (const seed of SEEDS) {
            const { town, asker, others } = scene(seed);
            const company = new CompanyFinder(town.stars, asker, 'both').look(others);
            for (const other of company.fitting) {
                expect(town.isAlwaysCloak([asker, other], false), `seed ${seed}`).toBe(true);
            }
            expectSound(company, asker);
            if (company.group.length > 0) {
                const isEnough = company.missing === 0;
                const all = [asker, ...company.group];
                expect(town.isAlwaysCloak(all, isEnough), `seed ${seed}`).toBe(true);
                if (isEnough) enough++;
            }
        }
        expect(enough).toBeGreaterThan(3);
    });

    it('never claims more than there is', () => {
        for (const seed of SEEDS) {
            const { town, asker, others } = scene(seed);
            const { missing } = new CompanyFinder(town.stars, asker, 'both').look(others);
            const least = leastMissing(asker, others, (all) => town.isAlwaysCloak(all, false));
            expect(missing, `seed ${seed}`).toBeGreaterThanOrEqual(least);
        }
    });
});

describe('with engines that try both stars', () => {
    it('those fit who do at one of them, and nobody else', () => {
        for (const seed of SEEDS) {
            const { town, asker, others } = scene(seed);
            const finder = new CompanyFinder(town.stars, asker, 'either');
            for (const other of others) {
                const fits = town.isSometimesCloak([asker, other], false);
                expect(finder.fits(other), `seed ${seed}, ${other.query}`).toBe(fits);
            }
            const company = finder.look(others);
            expectSound(company, asker);
            const isEnough = company.missing === 0;
            const all = [asker, ...company.group];
            if (company.group.length > 0) expect(town.isSometimesCloak(all, isEnough)).toBe(true);
        }
    });
});

describe('company', () => {
    //     |     |     |     |
    //   --0-----1-----2-----3--     roads: 0: 0-1, 1: 1-2, 2: 2-3, then the dead ends
    //     |     |     |     |
    const street = [
        0, 1, 1, 2, 2, 3, 0, 4, 0, 5, 0, 6, 1, 7, 1, 8, 2, 9, 2, 10, 3, 11, 3, 12, 3, 13,
    ];
    const town = new SlowTown(14, street);
    const at = (query: number, others: Partial<Other> = {}): Other => ({
        query,
        who: query,
        segment: 3,
        k: 3,
        l: 3,
        max_hops: 2,
        ...others,
    });
    const asker: Seeker = { segment: 4, k: 3, l: 3, max_hops: 2 };
    const look = (others: Other[], wishes: Partial<Seeker> = {}) =>
        new CompanyFinder(town.stars, { ...asker, ...wishes }, 'both').look(others);

    it('is those whose reach and needs go together with mine', () => {
        const { group, needed, missing } = look([at(1), at(2)]);
        expect([group.length, needed, missing]).toEqual([2, 3, 0]);
    });

    it('does not count who is in my reach but does not reach me', () => {
        // On star 2, two hops away; it allows one.
        expect(look([at(1, { segment: 8, max_hops: 1 })]).fitting).toEqual([]);
        expect(look([at(1, { segment: 8, max_hops: 2 })]).fitting.length).toBe(1);
    });

    it('leaves out who asks for more company than there is', () => {
        const { group, needed, missing } = look([at(1), at(2), at(3, { k: 9 })]);
        expect([group.length, needed, missing]).toEqual([2, 3, 0]);
    });

    it('takes them in if they are enough for that, too', () => {
        const { needed, missing } = look([at(1, { k: 4 }), at(2, { k: 4 }), at(3, { k: 4 })]);
        expect([needed, missing]).toEqual([4, 0]);
    });

    it('counts a traveller once, however often it asks', () => {
        expect(look([at(1), at(2, { who: 1 })]).group.length).toBe(1);
    });

    it('says what is missing', () => {
        const { group, needed, missing } = look([at(1)], { k: 5 });
        expect([group.length, needed, missing]).toEqual([1, 5, 3]);
    });

    it('is in vain where the roads in reach are too few', () => {
        expect(look([at(1)], { l: 12, max_hops: 1 }).isFeasible).toBe(false);
        expect(look([at(1)], { l: 4, max_hops: 1 }).isFeasible).toBe(true);
    });

    it('forgets who waits no more', () => {
        const finder = new CompanyFinder(town.stars, asker, 'both');
        expect(finder.look([at(1), at(2)]).group.length).toBe(2);
        expect(finder.look([at(2)]).group.length).toBe(1);
    });
});
