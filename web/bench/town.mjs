// People, queries and cloaks on a map, made up with a fixed seed. Nothing here cloaks anybody: it only
// has to keep a page as busy as a true demo would.

/** Metres per second. */
const SPEED = 12;

/** Numbers from 0 to 1; the same for the same seed. */
export function seededRandom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
}

export class Town {
    /** @param page  of /v1/map */
    constructor(page, random) {
        this.page = page;
        this.random = random;
        const [west, south] = page.bounds;
        this.originX = Math.round(west / page.unit);
        this.originY = Math.round(south / page.unit);
        this.metresPerUnit = page.unit * (page.is_geographic ? 111_195 : 1);
        this.people = [];
        this.roadsAt = new Map();
        for (let i = 0; i < page.ends.length; i++) {
            const roads = this.roadsAt.get(page.ends[i]);
            if (roads) roads.push(i >> 1);
            else this.roadsAt.set(page.ends[i], [i >> 1]);
        }
    }

    populate(count) {
        this.people = Array.from({ length: count }, () => this.enter(this.anyRoad()));
    }

    /** On a road, at its beginning: its corners as they are and the way between them. */
    enter(segment) {
        const steps = this.page.segments[segment];
        const corners = [[steps[0] - this.originX, steps[1] - this.originY]];
        for (let i = 2; i < steps.length; i += 2) {
            const [x, y] = corners[corners.length - 1];
            corners.push([x + steps[i], y + steps[i + 1]]);
        }
        return { segment, corners, next: 1, at: corners[0], isOff: this.random() < 0.02 };
    }

    /** Everybody goes on for so many seconds; at a road's end, on one that begins or ends there. */
    move(seconds) {
        const step = (SPEED * seconds) / this.metresPerUnit;
        for (const [i, person] of this.people.entries()) {
            if (person.next >= person.corners.length) {
                this.people[i] = this.enter(this.roadAfter(person.segment));
                continue;
            }
            const [x, y] = person.at;
            const [toX, toY] = person.corners[person.next];
            const left = Math.hypot(toX - x, toY - y);
            if (left <= step) {
                person.at = [toX, toY];
                person.next++;
            } else {
                person.at = [x + ((toX - x) * step) / left, y + ((toY - y) * step) / left];
            }
        }
    }

    /** As /demo/events has them. */
    positions() {
        const numbers = new Int32Array(2 * this.people.length);
        for (const [i, { at, isOff }] of this.people.entries()) {
            numbers[2 * i] = isOff ? -1 : Math.round(at[0]);
            numbers[2 * i + 1] = isOff ? -1 : Math.round(at[1]);
        }
        return Buffer.from(numbers.buffer).toString('base64');
    }

    query(number) {
        const who = Math.floor(this.random() * this.people.length);
        const { segment } = this.people[who];
        const max_wait_s = 10 + 3 * this.random();
        return { query: number, who, segment, k: 5, l: 3, max_hops: 4, max_wait_s };
    }

    /** Roads side by side, about as many as wanted. */
    cloak(wanted) {
        const segments = new Set([this.anyRoad()]);
        for (let tries = 0; segments.size < wanted && tries < 10 * wanted; tries++) {
            const all = [...segments];
            segments.add(this.neighbour(all[Math.floor(this.random() * all.length)]));
        }
        const nodes = new Set([...segments].flatMap((segment) => this.endsOf(segment)));
        const isBorder = (node) => this.roadsAt.get(node).some((road) => !segments.has(road));
        return {
            id: Math.floor(this.random() * 2 ** 48)
                .toString(16)
                .padStart(16, '0'),
            segments: [...segments].sort((a, b) => a - b),
            border_nodes: [...nodes].filter(isBorder),
            requests: [{ type: 'knn', k: 5 }],
        };
    }

    anyRoad() {
        return Math.floor(this.random() * this.page.segments.length);
    }

    endsOf(segment) {
        return this.page.ends.slice(2 * segment, 2 * segment + 2);
    }

    neighbour(segment) {
        const roads = this.roadsAt.get(this.endsOf(segment)[this.random() < 0.5 ? 0 : 1]);
        return roads[Math.floor(this.random() * roads.length)];
    }

    /** One that begins where this one ends, if there is one. */
    roadAfter(segment) {
        const end = this.endsOf(segment)[1];
        const roads = this.roadsAt.get(end).filter((road) => this.endsOf(road)[0] === end);
        return roads.length > 0 ? roads[Math.floor(this.random() * roads.length)] : this.anyRoad();
    }
}
