// People, queries and cloaks on a map, made up with a fixed seed. Nothing here cloaks anybody: it only
// has to keep a page as busy as a true demo would.

/** Metres per second. */
const SPEED = 12;
/** Of positions: units of the map. */
export const STEP = 16;
const FRAMES_PER_BASE = 20;

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
        this.frame = 0;
        this.shown = [];
        this.roadsAt = new Map();
        for (let i = 0; i < page.ends.length; i++) {
            const roads = this.roadsAt.get(page.ends[i]);
            if (roads) roads.push(i >> 1);
            else this.roadsAt.set(page.ends[i], [i >> 1]);
        }
    }

    populate(count) {
        this.frame = 0;
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

    /** The next frame, as /demo/events has them (docs/ui.md). */
    positions() {
        const base = this.frame++ % FRAMES_PER_BASE === 0;
        if (base) this.shown = this.people.map(() => [-1, -1]);
        const bytes = [];
        let staying = 0;
        for (const [i, { at, isOff }] of this.people.entries()) {
            const from = this.shown[i];
            const to = isOff ? [-1, -1] : at.map((units) => Math.round(units / STEP));
            if (to[0] === from[0] && to[1] === from[1]) {
                staying++;
                continue;
            }
            if (staying > 0) put(bytes, 0, staying);
            staying = 0;
            if (isOff) put(bytes, 1);
            else if (from[0] < 0) put(bytes, 2 + fold(to[0]), fold(to[1]));
            else put(bytes, 2 + fold(to[0] - from[0]), fold(to[1] - from[1]));
            this.shown[i] = to;
        }
        return { frame: this.frame, base, moves: Buffer.from(bytes).toString('base64') };
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

/** Varints. */
function put(bytes, ...numbers) {
    for (let number of numbers) {
        for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
        bytes.push(number);
    }
}

function fold(number) {
    return number < 0 ? -2 * number - 1 : 2 * number;
}
