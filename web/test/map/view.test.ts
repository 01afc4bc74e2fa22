// What part of the map is seen, and how it moves.
import { describe, expect, it } from 'vitest';
import { between, MapView, type Pose, type Stage } from '../../src/map/view';

const MAP = { width: 10_000, height: 5_000 };

/** Time that passes when it is told to. */
class Theatre implements Stage {
    time = 0;
    motion = true;
    private waiting: (() => void)[] = [];

    now = () => this.time;
    frame = (callback: () => void) => {
        this.waiting.push(callback);
    };
    isMotionWelcome = () => this.motion;

    pass(ms: number): void {
        this.time += ms;
        for (const callback of this.waiting.splice(0)) callback();
    }

    get isStill(): boolean {
        return this.waiting.length === 0;
    }
}

function opened(motion = false): { view: MapView; theatre: Theatre } {
    const theatre = new Theatre();
    theatre.motion = motion;
    const view = new MapView(MAP, theatre);
    view.fit(MAP, 1000, 800);
    return { view, theatre };
}

function poseOf({ scale, offsetX, offsetY }: Pose): Pose {
    return { scale, offsetX, offsetY };
}

describe('a view of which a part is covered', () => {
    const covered = { top: 200, right: 0, bottom: 0, left: 100 };
    /** The place is seen, beside what lies over the pane. */
    const isFree = (view: MapView, x: number, y: number) => {
        const at = view.toScreen({ x, y });
        return at.x >= 100 && at.x <= 1000 && at.y >= 200 && at.y <= 800;
    };

    it('shows a box in the middle of what is left', () => {
        const { view } = opened();
        view.covered = () => covered;
        view.show({ west: 4000, north: 2000, east: 5000, south: 3000 });
        expect(view.toScreen({ x: 4500, y: 2500 })).toEqual({ x: 550, y: 500 });
        expect(isFree(view, 4000, 2000) && isFree(view, 5000, 3000)).toBe(true);
    });

    it('moves no more than is needed to have a box in sight', () => {
        const { view } = opened();
        view.goTo({ x: 5000, y: 2500, scale: 1 });
        const before = poseOf(view);
        // In sight already.
        view.reveal({ west: 4900, north: 2400, east: 5100, south: 2600 });
        expect(poseOf(view)).toEqual(before);
        // Below the card, at the top.
        view.covered = () => covered;
        view.reveal({ west: 4900, north: 2200, east: 5100, south: 2400 });
        expect(poseOf(view)).toEqual({ ...before, offsetY: before.offsetY + 116 });
        // Beyond the right edge.
        view.reveal({ west: 6000, north: 2200, east: 6200, south: 2400 });
        expect(view.scale).toBe(1);
        expect(isFree(view, 6000, 2200) && isFree(view, 6200, 2400)).toBe(true);
    });

    it('shows what is too large to be seen from as near from farther away', () => {
        const { view } = opened();
        view.covered = () => covered;
        view.goTo({ x: 5000, y: 2500, scale: 2 });
        view.reveal({ west: 4000, north: 2000, east: 6000, south: 3000 });
        expect(view.scale).toBeLessThan(1);
        expect(isFree(view, 4000, 2000) && isFree(view, 6000, 3000)).toBe(true);
    });
});

describe('a view', () => {
    it('that was fitted shows the whole map in its middle, with a margin', () => {
        const { view } = opened();
        const topLeft = view.toScreen({ x: 0, y: 0 });
        const bottomRight = view.toScreen({ x: MAP.width, y: MAP.height });
        expect(topLeft.x).toBeGreaterThan(10);
        expect(bottomRight.x).toBeCloseTo(1000 - topLeft.x, 9);
        expect(bottomRight.y).toBeCloseTo(800 - topLeft.y, 9);
    });

    it('leads from the world to the screen and back', () => {
        const { view } = opened();
        view.zoomBy(7, { x: 300, y: 300 });
        const there = view.toScreen({ x: 1234, y: 987 });
        const back = view.toWorld(there);
        expect(back.x).toBeCloseTo(1234, 9);
        expect(back.y).toBeCloseTo(987, 9);
    });

    it('zooms about a place that stays where it is', () => {
        const { view } = opened();
        view.zoomBy(10);
        const about = { x: 420, y: 330 };
        const before = view.toWorld(about);
        view.zoomBy(2.5, about);
        expect(view.toWorld(about).x).toBeCloseTo(before.x, 6);
        expect(view.toWorld(about).y).toBeCloseTo(before.y, 6);
    });

    it('goes no farther out than the whole map, and no nearer than 20 pixels per metre', () => {
        const { view } = opened();
        const whole = poseOf(view);
        view.zoomBy(0.01);
        expect(poseOf(view)).toEqual(whole);
        view.zoomBy(1e9);
        expect(view.scale).toBe(20);
    });

    it('can be enlarged fifty times, however small the map is', () => {
        const view = new MapView({ width: 0.5, height: 0.2 }, new Theatre());
        view.fit({ width: 0.5, height: 0.2 }, 1000, 800);
        const [farthest, closest] = view.scaleLimits;
        expect(farthest).toBeCloseTo(1880, 6);
        expect(closest / farthest).toBeCloseTo(50, 6);
    });

    it('cannot push the map out of sight', () => {
        const { view } = opened();
        view.zoomBy(5);
        for (const [dx, dy] of [
            [1e7, 1e7],
            [-1e7, -1e7],
        ]) {
            view.panBy(dx, dy);
            const middle = view.toWorld({ x: 500, y: 400 });
            expect(middle.x).toBeGreaterThan(0);
            expect(middle.x).toBeLessThan(MAP.width);
            expect(middle.y).toBeGreaterThan(0);
            expect(middle.y).toBeLessThan(MAP.height);
        }
    });

    it('keeps its middle when the pane has another size', () => {
        const { view } = opened();
        view.zoomBy(4);
        const middle = view.toWorld({ x: 500, y: 400 });
        view.resize(600, 500);
        expect(view.toWorld({ x: 300, y: 250 }).x).toBeCloseTo(middle.x, 6);
        expect(view.toWorld({ x: 300, y: 250 }).y).toBeCloseTo(middle.y, 6);
    });

    it('that shows the whole map shows it whole in a pane of another size', () => {
        const { view } = opened();
        view.resize(400, 300);
        const small = poseOf(view);
        view.fit(MAP, 400, 300);
        expect(poseOf(view)).toEqual(small);
    });

    it('shows a box in its middle, with room around it', () => {
        const { view } = opened();
        view.show({ west: 2000, east: 3000, north: 1000, south: 1500 });
        const middle = view.toWorld({ x: 500, y: 400 });
        expect(middle.x).toBeCloseTo(2500, 6);
        expect(middle.y).toBeCloseTo(1250, 6);
        expect(view.toScreen({ x: 2000, y: 1000 }).x).toBeGreaterThan(50);
        expect(view.toScreen({ x: 3000, y: 1500 }).x).toBeLessThan(950);
    });

    it('shows a single place from some way off', () => {
        const { view } = opened();
        view.show({ west: 2000, east: 2000, north: 1000, south: 1000 });
        expect(view.scale).toBe(2);
    });

    it('tells of each change once, and of none when nothing changed', () => {
        const { view } = opened();
        let told = 0;
        const stop = view.onChange(() => told++);
        view.zoomBy(2);
        expect(told).toBe(1);
        view.set(poseOf(view));
        expect(told).toBe(1);
        stop();
        view.zoomBy(2);
        expect(told).toBe(1);
    });

    it('does nothing before it has a pane', () => {
        const view = new MapView(MAP, new Theatre());
        view.show({ west: 0, east: 10, north: 0, south: 10 });
        view.panBy(10, 10);
        expect(view.isFitted).toBe(false);
        expect(view.scale).toBe(1);
    });
});

describe('a view that is opened somewhere', () => {
    const box = { west: 2000, east: 3000, north: 1000, south: 2000 };

    it('shows that box to the edges of the pane', () => {
        const view = new MapView(MAP, new Theatre());
        view.openAt(box);
        view.fit(MAP, 1000, 800);
        expect(view.place).toEqual({ x: 2500, y: 1500, scale: 0.8 });
        const { west, east, north, south } = view.seen;
        expect([west, east]).toEqual([1875, 3125]);
        expect([north, south]).toEqual([1000, 2000]);
        expect(view.isMoved).toBe(false);
        expect(view.isWhole).toBe(false);
    });

    it('shows that place at that zoom in a pane of any size', () => {
        for (const [width, height] of [
            [1000, 800],
            [300, 400],
        ]) {
            const view = new MapView(MAP, new Theatre());
            view.openAt({ x: 4000, y: 2000, scale: 1.5 });
            view.fit(MAP, width, height);
            expect(view.place.x).toBeCloseTo(4000, 6);
            expect(view.place.y).toBeCloseTo(2000, 6);
            expect(view.scale).toBe(1.5);
        }
    });

    it('may open elsewhere, and counts as moved only when somebody moves it', () => {
        const { view } = opened();
        view.openElsewhere(box);
        expect(view.place.x).toBeCloseTo(2500, 6);
        expect(view.isMoved).toBe(false);
        view.resize(700, 500);
        expect(view.isMoved).toBe(false);
        view.zoomBy(1.1);
        expect(view.isMoved).toBe(true);
    });

    it('does not count as moved when it has arrived there', () => {
        const { view, theatre } = opened(true);
        view.openElsewhere(box);
        for (let i = 0; i < 100 && !theatre.isStill; i++) theatre.pass(16);
        expect(view.isMoved).toBe(false);
    });

    it('goes to a place at once', () => {
        const { view } = opened(true);
        view.goTo({ x: 3000, y: 1500, scale: 2 });
        expect(view.place).toEqual({ x: 3000, y: 1500, scale: 2 });
    });
});

describe('a view in motion', () => {
    it('arrives exactly where it would be without', () => {
        const { view: still } = opened(false);
        const { view, theatre } = opened(true);
        const box = { west: 2000, east: 2500, north: 1000, south: 1500 };
        still.show(box);
        view.show(box);
        expect(view.scale).not.toBe(still.scale);
        for (let i = 0; i < 100 && !theatre.isStill; i++) theatre.pass(16);
        expect(theatre.isStill).toBe(true);
        expect(poseOf(view)).toEqual(poseOf(still));
    });

    it('adds up steps that come before the last one is over', () => {
        const { view: still } = opened(false);
        const { view, theatre } = opened(true);
        for (const each of [still, view]) each.zoomBy(8);
        for (let i = 0; i < 3; i++) {
            still.panBy(80, 0);
            view.panBy(80, 0);
            theatre.pass(16);
        }
        for (let i = 0; i < 100 && !theatre.isStill; i++) theatre.pass(16);
        expect(view.offsetX).toBeCloseTo(still.offsetX, 9);
    });

    it('arrives also if the pane gets another size on the way', () => {
        const { view, theatre } = opened(true);
        view.show({ west: 2000, east: 2500, north: 1000, south: 1500 });
        theatre.pass(16);
        view.resize(900, 700);
        for (let i = 0; i < 100 && !theatre.isStill; i++) theatre.pass(16);
        expect(view.place.x).toBeCloseTo(2250, 6);
        expect(view.place.y).toBeCloseTo(1250, 6);
        expect(view.scale).toBeGreaterThan(1);
    });

    it('yields to a hand at once', () => {
        const { view, theatre } = opened(true);
        view.show({ west: 2000, east: 2500, north: 1000, south: 1500 });
        theatre.pass(16);
        const held = view.limited({ scale: 1, offsetX: -3000, offsetY: -1000 });
        view.set(held);
        theatre.pass(1000);
        expect(poseOf(view)).toEqual(held);
    });

    it('keeps one place of the world still while it zooms', () => {
        const from = { scale: 1, offsetX: 10, offsetY: 20 };
        const to = { scale: 4, offsetX: -500, offsetY: 80 };
        const fixedX = (from.offsetX - to.offsetX) / (to.scale - from.scale);
        for (const share of [0, 0.2, 0.5, 0.9, 1]) {
            const pose = between(from, to, share);
            expect(fixedX * pose.scale + pose.offsetX).toBeCloseTo(fixedX + from.offsetX, 9);
        }
        expect(between(from, to, 0.5).scale).toBeCloseTo(2, 9);
        expect(between(from, { ...from, offsetX: 30 }, 0.5).offsetX).toBe(20);
    });
});
