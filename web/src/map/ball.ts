// Stars, and how far a cloak may reach.
//
// A star is a crossing (three or more ends of segments meet there) with the segments that end at it;
// a hop leads from one star to another along a segment they share. Which of the two stars of its
// segment a query is given to is for the service's dice, so what is in reach is what either allows:
// the segments of all stars within max_hops of one of them. A segment without a crossing at either
// end is a component of its own, and reaches nothing but itself.
//
// Made once per map, in time linear in its segments; a reach costs what it covers, not what the map
// has: marks carry the number of the search, and need not be wiped.
import type { RoadMap } from './road_map';

/** As many ends of segments at a node make it a crossing. */
const CROSSING = 3;

export class Stars {
    /** Segments at node n: segments[first[n]] to segments[first[n + 1] - 1]; a loop is there twice. */
    private readonly first: Uint32Array;
    private readonly segments: Uint32Array;
    private readonly nodeSeen: Uint32Array;
    private readonly segmentSeen: Uint32Array;
    private search = 0;

    constructor(private readonly map: Pick<RoadMap, 'ends' | 'nodeCount' | 'segmentCount'>) {
        const { ends, nodeCount, segmentCount } = map;
        this.first = new Uint32Array(nodeCount + 1);
        for (const node of ends) this.first[node + 1]++;
        for (let n = 0; n < nodeCount; n++) this.first[n + 1] += this.first[n];

        this.segments = new Uint32Array(ends.length);
        const next = this.first.slice(0, nodeCount);
        for (let i = 0; i < ends.length; i++) this.segments[next[ends[i]]++] = i >> 1;

        this.nodeSeen = new Uint32Array(nodeCount);
        this.segmentSeen = new Uint32Array(segmentCount);
    }

    isStar(node: number): boolean {
        return this.first[node + 1] - this.first[node] >= CROSSING;
    }

    /** The segments that a cloak of someone on `segment` may have, ascending. */
    reach(segment: number, maxHops: number): Uint32Array {
        this.search++;
        const found = [segment];
        this.segmentSeen[segment] = this.search;

        let ring = this.newStarsOf(segment);
        for (let hops = 0; hops <= maxHops && ring.length > 0; hops++) {
            const next: number[] = [];
            for (const star of ring) {
                for (let i = this.first[star]; i < this.first[star + 1]; i++) {
                    const touched = this.segments[i];
                    if (this.segmentSeen[touched] === this.search) continue;
                    this.segmentSeen[touched] = this.search;
                    found.push(touched);
                    next.push(...this.newStarsOf(touched));
                }
            }
            ring = next;
        }
        return Uint32Array.from(found).sort();
    }

    /** The stars at the ends of `segment`: two, one, or none. */
    starsOf(segment: number): number[] {
        this.search++;
        return this.newStarsOf(segment);
    }

    /** The stars within `maxHops` of `star`, each with its hops. */
    ball(star: number, maxHops: number): Map<number, number> {
        this.search++;
        const found = new Map([[star, 0]]);
        this.nodeSeen[star] = this.search;
        let ring = [star];
        for (let hops = 1; hops <= maxHops && ring.length > 0; hops++) {
            const next: number[] = [];
            for (const from of ring) {
                for (let i = this.first[from]; i < this.first[from + 1]; i++) {
                    next.push(...this.newStarsOf(this.segments[i]));
                }
            }
            for (const reached of next) found.set(reached, hops);
            ring = next;
        }
        return found;
    }

    /** Whether at least so many segments end at one of `stars`. */
    haveSegments(stars: Iterable<number>, least: number): boolean {
        if (least <= 0) return true;
        this.search++;
        let count = 0;
        for (const star of stars) {
            for (let i = this.first[star]; i < this.first[star + 1]; i++) {
                const segment = this.segments[i];
                if (this.segmentSeen[segment] === this.search) continue;
                this.segmentSeen[segment] = this.search;
                count++;
                if (count >= least) return true;
            }
        }
        return false;
    }

    private newStarsOf(segment: number): number[] {
        const stars: number[] = [];
        for (const node of [this.map.ends[2 * segment], this.map.ends[2 * segment + 1]]) {
            if (this.nodeSeen[node] === this.search || !this.isStar(node)) continue;
            this.nodeSeen[node] = this.search;
            stars.push(node);
        }
        return stars;
    }
}
