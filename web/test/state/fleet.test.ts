// Travellers between two frames, those who wait, those who shared a cloak.
import { describe, expect, it } from 'vitest';
import type { AskedEvent, PositionsEvent } from '../../src/api/types';
import { Travellers } from '../../src/state/fleet';

/** A unit is 0.1 m here, and the map 1 km high: y grows south. */
function fleetOf(): Travellers {
    const fleet = new Travellers(2, 'basic', (east, north) => ({
        x: east / 10,
        y: 1000 - north / 10,
    }));
    hello(fleet, 1);
    return fleet;
}

/** A step is 10 units, a metre, here. */
function hello(fleet: Travellers, travellers: number, engine = 'basic'): void {
    fleet.hello({ t: 0, travellers, every_s: 1, step: 10, engine });
}

/** A base, with x and y of each in units. */
function frame(...units: number[]): PositionsEvent {
    const numbers = [];
    for (let i = 0; i < units.length; i += 2) {
        if (units[i] < 0) numbers.push(0, 1);
        else numbers.push(2 + units[i] / 5, units[i + 1] / 5);
    }
    return { t: 0, frame: 1, base: true, moves: varints(numbers) };
}

function varints(numbers: number[]): string {
    const bytes: number[] = [];
    for (let number of numbers) {
        for (; number > 127; number >>= 7) bytes.push((number & 127) | 128);
        bytes.push(number);
    }
    return Buffer.from(bytes).toString('base64');
}

function query(number: number, segment = number): AskedEvent {
    return { query: number, who: number, segment, k: 5, l: 3, max_hops: 4, max_wait_s: 10 };
}

describe('travellers on the road', () => {
    it('are as many as the demo says, before the first of them is seen', () => {
        const fleet = new Travellers(3000, 'basic', (x, y) => ({ x, y }));
        expect([fleet.count, fleet.positions(0).length]).toEqual([3000, 0]);
        hello(fleet, 2000);
        expect(fleet.count).toBe(2000);
    });

    it('are where the frame says, in metres', () => {
        const fleet = fleetOf();
        hello(fleet, 2);
        fleet.moved(frame(1000, 2000, 50, 0), 0);
        expect(fleet.count).toBe(2);
        expect([...fleet.positions(0)]).toEqual([100, 800, 5, 1000]);
    });

    it('go in a straight line to the next frame, and wait there', () => {
        const fleet = fleetOf();
        fleet.moved(frame(1000, 2000), 0);
        fleet.moved(frame(1200, 1900), 1000);
        expect([...fleet.positions(1000)]).toEqual([100, 800]);
        expect([...fleet.positions(1250)]).toEqual([105, 802.5]);
        expect([...fleet.positions(2000)]).toEqual([120, 810]);
        expect([...fleet.positions(9000)]).toEqual([120, 810]);
    });

    it('do not jump if a frame comes early', () => {
        const fleet = fleetOf();
        fleet.moved(frame(1000, 2000), 0);
        fleet.moved(frame(1200, 2000), 1000);
        fleet.moved(frame(1400, 2000), 1500);
        expect(fleet.positions(1500)[0]).toBe(110);
        expect(fleet.positions(2000)[0]).toBe(125);
        expect(fleet.positions(2500)[0]).toBe(140);
    });

    it('do not race across the town when they begin anew elsewhere', () => {
        const fleet = fleetOf();
        hello(fleet, 2);
        fleet.moved(frame(1000, 2000, 0, 0), 0);
        fleet.moved(frame(9000, 2000, 100, 0), 1000);
        expect([...fleet.positions(1000)]).toEqual([900, 800, 0, 1000]);
        expect([...fleet.positions(1500)]).toEqual([900, 800, 5, 1000]);
    });

    it('are nowhere while off the road, and come back where they come back', () => {
        const fleet = fleetOf();
        fleet.moved(frame(1000, 2000), 0);
        fleet.moved(frame(-1, -1), 1000);
        expect([...fleet.positions(1500)]).toEqual([Number.NaN, Number.NaN]);
        fleet.moved(frame(1000, 1000), 2000);
        expect([...fleet.positions(2000)]).toEqual([100, 900]);
    });

    it('stay where they are while frames cannot be used', () => {
        const fleet = fleetOf();
        fleet.moved(frame(1000, 2000), 0);
        const moves = varints([2 + 2 * 10, 0]);
        fleet.moved({ t: 0, frame: 3, base: false, moves }, 1000);
        expect([...fleet.positions(2000)]).toEqual([100, 800]);
        fleet.moved({ t: 0, frame: 2, base: false, moves }, 2000);
        expect([...fleet.positions(3000)]).toEqual([110, 800]);
    });

    it('may become more or fewer', () => {
        const fleet = fleetOf();
        fleet.moved(frame(1000, 2000), 0);
        hello(fleet, 3);
        fleet.moved(frame(10, 10, 20, 20, 30, 30), 1000);
        expect(fleet.count).toBe(3);
        expect([...fleet.positions(1000)]).toEqual([1, 999, 2, 998, 3, 997]);
        hello(fleet, 0);
        fleet.moved(frame(), 2000);
        expect(fleet.count).toBe(0);
        expect(fleet.positions(2500)).toHaveLength(0);
    });
});

describe('travellers who ask', () => {
    it('wait until their query ends', () => {
        const fleet = fleetOf();
        const told: string[] = [];
        fleet.asked.on(({ query }) => told.push(`asked ${query}`));
        fleet.ended.on(({ query, asked }) => told.push(`ended ${query} of ${asked?.segment}`));
        fleet.ask(query(7, 55), 1000);
        expect(fleet.waiting.get(7)).toMatchObject({ askedAt: 1000, deadlineAt: 11_000 });
        fleet.end({ query: 7, outcome: 'dropped', reason: 'expired' });
        fleet.end({ query: 8, outcome: 'left' });
        expect(fleet.waiting.size).toBe(0);
        expect(told).toEqual(['asked 7', 'ended 7 of 55', 'ended 8 of undefined']);
    });

    it('are replaced by those who wait when the stream begins again', () => {
        const fleet = fleetOf();
        fleet.ask(query(1), 0);
        fleet.pending({ queries: [{ ...query(2), waited_s: 3 }] }, 10_000);
        expect([...fleet.waiting.keys()]).toEqual([2]);
        expect(fleet.waiting.get(2)).toMatchObject({ askedAt: 7000, deadlineAt: 17_000 });
        expect(fleet.waiting.get(2)).not.toHaveProperty('waited_s');
    });

    it('are forgotten if their end was never told', () => {
        const fleet = fleetOf();
        fleet.ask(query(1), 0);
        fleet.moved(frame(0, 0), 20_000);
        expect(fleet.waiting.size).toBe(1);
        fleet.moved(frame(0, 0), 26_000);
        expect(fleet.waiting.size).toBe(0);
    });

    it('are known as members of the cloak that hid them, by road', () => {
        const fleet = fleetOf();
        for (const number of [3, 1, 2]) fleet.ask(query(number, 60 - number), 0);
        for (const number of [1, 2, 3]) {
            fleet.end({ query: number, outcome: 'answered', cloak: 'c', wait_s: 1 });
        }
        fleet.end({ query: 99, outcome: 'answered', cloak: 'c', wait_s: 1 });
        expect(fleet.members('c')).toEqual([query(3, 57), query(2, 58), query(1, 59)]);
        expect(fleet.members('other')).toEqual([]);
    });

    it('are remembered for the last few hundred cloaks only', () => {
        const fleet = fleetOf();
        for (let number = 0; number < 1000; number++) {
            fleet.ask(query(number), 0);
            fleet.end({ query: number, outcome: 'answered', cloak: `c${number}`, wait_s: 1 });
        }
        expect(fleet.members('c0')).toEqual([]);
        expect(fleet.members('c599')).toEqual([]);
        expect(fleet.members('c600')).toHaveLength(1);
        expect(fleet.members('c999')).toHaveLength(1);
    });

    it("are remembered for longer if the cloak is the visitor's own", () => {
        const fleet = fleetOf();
        fleet.keep('c7');
        for (let number = 0; number < 1000; number++) {
            fleet.ask(query(number), 0);
            fleet.end({ query: number, outcome: 'answered', cloak: `c${number}`, wait_s: 1 });
        }
        expect(fleet.members('c7')).toHaveLength(1);
        expect(fleet.members('c8')).toEqual([]);
        // Not for ever: a page stays open for weeks.
        for (let number = 0; number < 20; number++) fleet.keep(`own${number}`);
        fleet.ask(query(1001), 0);
        fleet.end({ query: 1001, outcome: 'answered', cloak: 'c1001', wait_s: 1 });
        expect(fleet.members('c7')).toEqual([]);
    });

    it('are known with the place from which they asked', () => {
        const fleet = fleetOf();
        fleet.moved(frame(1000, 2000), 0);
        fleet.ask({ ...query(1), who: 0 }, 10_000);
        fleet.moved(frame(1200, 1900), 10_250);
        fleet.end({ query: 1, outcome: 'answered', cloak: 'c', wait_s: 1 });
        expect(fleet.members('c')[0].at).toEqual({ x: 100, y: 800 });
    });

    it('are remembered for a while as having waited, each once', () => {
        const fleet = fleetOf();
        fleet.ask(query(1), 0);
        fleet.ask(query(2), 6000);
        fleet.end({ query: 1, outcome: 'dropped', reason: 'expired' });
        // The stream broke off and begins anew: 2 is told of again, and so is 3, twice.
        fleet.pending({ queries: [{ ...query(2), waited_s: 2 }] }, 8000);
        fleet.ask(query(3), 8500);
        fleet.ask(query(3), 8600);
        const who = (moment: number) => fleet.around(moment).map((asked) => asked.query);
        expect(who(5000)).toEqual([1]);
        expect(who(9000)).toEqual([1, 2, 3]);
        expect(who(17_000)).toEqual([3]);
        expect(who(30_000)).toEqual([]);
    });

    it('have their time in that of a record, which may stand still', () => {
        const fleet = fleetOf();
        fleet.ask(query(1), 0);
        fleet.setPace(2, 4000); // 4 of 10 seconds have passed
        expect(fleet.waiting.get(1)).toMatchObject({ askedAt: 2000, deadlineAt: 7000 });
        fleet.ask(query(2), 4000);
        expect(fleet.waiting.get(2)).toMatchObject({ askedAt: 4000, deadlineAt: 9000 });
        fleet.setPace(0, 5000);
        fleet.setPace(1, 65_000); // 6 and 2 of 10 seconds have passed, and a minute of ours
        expect(fleet.waiting.get(1)?.deadlineAt).toBeCloseTo(69_000, 0);
        expect(fleet.waiting.get(2)?.deadlineAt).toBeCloseTo(73_000, 0);
        fleet.pending({ queries: [{ ...query(3), waited_s: 3 }] }, 70_000);
        expect(fleet.waiting.get(3)).toMatchObject({ askedAt: 67_000, deadlineAt: 77_000 });
    });

    it('hear of another engine once', () => {
        const fleet = fleetOf();
        const told: string[] = [];
        fleet.engineChanged.on((engine) => told.push(engine));
        hello(fleet, 1, 'hybrid');
        fleet.useEngine('hybrid');
        expect(told).toEqual(['hybrid']);
        expect(fleet.engine).toBe('hybrid');
    });
});
