// What part of the map is seen: one view may be shared by several panes, which then move together.
//
//     screen = world * scale + offset       in CSS pixels
//
// The view is the one place that knows; panes and their gestures follow it. It keeps its limits
// itself: the whole map with a margin is as far out as one gets, a street corner as far in (or, on a map
// so small that it is not much more than that, some times nearer), and the map cannot be pushed out of sight.
import { isMotionUnwelcome } from '../frame/motion';
import { type Box, contains } from './grid';
import type { Point, RoadMap } from './road_map';

export interface View {
    /** CSS pixels per metre. */
    readonly scale: number;
    readonly offsetX: number;
    readonly offsetY: number;
    toScreen(at: Point): Point;
    toWorld(at: Point): Point;
    /** Show this box, with some room around it; animated unless motion is unwelcome. */
    show(box: Box): void;
}

/** Scale and offset at one moment. */
export interface Pose {
    scale: number;
    offsetX: number;
    offsetY: number;
}

/** What is in the middle, in metres, and how near it is seen: the same in a pane of any size. */
export interface Place extends Point {
    /** CSS pixels per metre. */
    scale: number;
}

/** CSS pixels of the pane's edges under which nothing is seen, since something lies over them. */
export interface Edges {
    top: number;
    right: number;
    bottom: number;
    left: number;
}

const NO_EDGES: Edges = { top: 0, right: 0, bottom: 0, left: 0 };

/** Metres. */
type Extent = Pick<RoadMap, 'width' | 'height'>;

/** Part of the pane that the whole map may fill. */
const FILLED = 0.94;
/** Part of the pane that a box may fill that is to be shown. */
const SHOWN = 0.7;
/** CSS pixels per metre: a lane is as wide as a thumb. */
const CLOSEST = 20;
/** And any map can be enlarged that much, whatever its extent. */
const ENLARGED = 50;
/** Nor is a box shown from nearer than this: a single road needs its surroundings to be recognised. */
const SHOWN_CLOSEST = 2;
/** Part of the pane that may lie beyond the map's edge. */
const BEYOND = 0.3;
/** CSS pixels between the edge and what is moved into sight. */
const EDGE_PX = 16;
const GLIDE_MS = 350;
const STEP_MS = 120;

/** How the view gets its frames and learns what is welcome; tests have their own. */
export interface Stage {
    now(): number;
    /** Call back at the next frame. */
    frame(callback: () => void): void;
    isMotionWelcome(): boolean;
}

const browserStage: Stage = {
    now: () => performance.now(),
    frame: (callback) => {
        requestAnimationFrame(callback);
    },
    isMotionWelcome: () => !isMotionUnwelcome(),
};

export class MapView implements View {
    private pose: Pose = { scale: 1, offsetX: 0, offsetY: 0 };
    /** The pane, in CSS pixels; 0 until it is fitted. */
    private width = 0;
    private height = 0;
    private glide: { from: Pose; to: Pose; start: number; takes: number } | null = null;
    private opening: Box | Place | null = null;
    /** What lies over the pane now. What is shown is shown beside it. */
    covered: () => Edges = () => NO_EDGES;
    private hasMoved = false;
    private readonly listeners = new Set<() => void>();

    constructor(
        private map: Extent,
        private readonly stage: Stage = browserStage,
    ) {}

    get scale(): number {
        return this.pose.scale;
    }

    get offsetX(): number {
        return this.pose.offsetX;
    }

    get offsetY(): number {
        return this.pose.offsetY;
    }

    get isFitted(): boolean {
        return this.width > 0;
    }

    /** Whether it was moved since the map was opened, by hand or by the page. */
    get isMoved(): boolean {
        return this.hasMoved;
    }

    /** What is in the middle of the pane, or will be when it has come to rest. */
    get place(): Place {
        const { scale, offsetX, offsetY } = this.destination;
        return {
            x: (this.width / 2 - offsetX) / scale,
            y: (this.height / 2 - offsetY) / scale,
            scale,
        };
    }

    /** What is seen now, in metres. */
    get seen(): Box {
        const { x: west, y: north } = this.toWorld({ x: 0, y: 0 });
        const { x: east, y: south } = this.toWorld({ x: this.width, y: this.height });
        return { west, north, east, south };
    }

    /** What is seen now and not covered, or will be when it has come to rest; in metres. */
    get uncovered(): Box {
        const { scale, offsetX, offsetY } = this.destination;
        const { top, right, bottom, left } = this.covered();
        return {
            west: (left - offsetX) / scale,
            north: (top - offsetY) / scale,
            east: (this.width - right - offsetX) / scale,
            south: (this.height - bottom - offsetY) / scale,
        };
    }

    get isWhole(): boolean {
        return this.pose.scale <= this.scaleLimits[0] * 1.001;
    }

    /** Within these, gestures may zoom. */
    get scaleLimits(): [farthest: number, closest: number] {
        const farthest = this.fittingScale(FILLED);
        return [farthest, Math.max(CLOSEST, ENLARGED * farthest)];
    }

    toScreen(at: Point): Point {
        const { scale, offsetX, offsetY } = this.pose;
        return { x: at.x * scale + offsetX, y: at.y * scale + offsetY };
    }

    toWorld(at: Point): Point {
        const { scale, offsetX, offsetY } = this.pose;
        return { x: (at.x - offsetX) / scale, y: (at.y - offsetY) / scale };
    }

    /** Called after each change; returns how to be told no more. */
    onChange(listener: () => void): () => void {
        this.listeners.add(listener);
        return () => {
            this.listeners.delete(listener);
        };
    }

    /** What fit() shows, in place of the whole map. */
    openAt(opening: Box | Place): void {
        this.opening = opening;
    }

    /** Show the whole map, or what openAt() says, in a pane of this size. */
    fit(map: Extent, width: number, height: number): void {
        this.map = map;
        this.width = width;
        this.height = height;
        this.glide = null;
        const { opening } = this;
        if (!opening) this.take(this.wholeMap());
        else if ('scale' in opening) {
            this.take(this.centredOn(opening.x, opening.y, opening.scale));
        } else this.take(this.around(opening, 1));
    }

    /** The pane has another size: what was in its middle stays there, and a map seen whole is seen whole. */
    resize(width: number, height: number): void {
        if (width === this.width && height === this.height) return;
        const isWhole = this.isWhole && !this.glide;
        const shifted = ({ scale, offsetX, offsetY }: Pose): Pose => ({
            scale,
            offsetX: offsetX + (width - this.width) / 2,
            offsetY: offsetY + (height - this.height) / 2,
        });
        const pose = shifted(this.pose);
        const glide = this.glide && { from: shifted(this.glide.from), to: shifted(this.glide.to) };
        this.width = width;
        this.height = height;
        // On its way somewhere it still gets there.
        if (this.glide && glide) {
            this.glide = { ...this.glide, from: glide.from, to: this.limited(glide.to) };
        }
        this.take(isWhole ? this.wholeMap() : pose);
    }

    /** Be there at once, as near as the limits allow. */
    set(pose: Pose): void {
        this.hasMoved = true;
        this.glide = null;
        this.take(pose);
    }

    show(box: Box): void {
        this.glideTo(this.around(box, SHOWN, this.covered()), GLIDE_MS);
    }

    /** Have all of the box in sight: as it is seen now if that can be, moved no more than is needed; else by show(). */
    reveal(box: Box): void {
        const free = this.uncovered;
        if (contains(free, box)) return;
        const [wide, high] = [free.east - free.west, free.south - free.north];
        if (box.east - box.west > wide || box.south - box.north > high) {
            this.show(box);
            return;
        }
        // A little more, so that it does not touch the edge.
        const { scale } = this.destination;
        const spare = EDGE_PX / scale;
        const dx = beyond([free.west, free.east], [box.west, box.east], spare);
        const dy = beyond([free.north, free.south], [box.north, box.south], spare);
        this.panBy(dx * scale, dy * scale);
    }

    /** Have that in the pane as if the map had been opened there. */
    openElsewhere(box: Box): void {
        const { hasMoved } = this;
        this.glideTo(this.around(box, 1), GLIDE_MS);
        this.hasMoved = hasMoved;
    }

    /** Have that in the middle; at once, since it is for a hand that drags or a link that is followed. */
    goTo({ x, y, scale }: Place): void {
        this.set(this.centredOn(x, y, scale));
    }

    showAll(): void {
        this.glideTo(this.wholeMap(), GLIDE_MS);
    }

    /** Move what is seen by so many CSS pixels: positive to the east and to the south. */
    panBy(dx: number, dy: number): void {
        const { scale, offsetX, offsetY } = this.destination;
        this.glideTo({ scale, offsetX: offsetX - dx, offsetY: offsetY - dy }, STEP_MS);
    }

    /** Zoom about a place of the pane, by default its middle. */
    zoomBy(factor: number, about: Point = { x: this.width / 2, y: this.height / 2 }): void {
        const { scale, offsetX, offsetY } = this.destination;
        const [farthest, closest] = this.scaleLimits;
        const wanted = Math.min(closest, Math.max(farthest, scale * factor));
        const grown = wanted / scale;
        this.glideTo(
            {
                scale: wanted,
                offsetX: about.x - (about.x - offsetX) * grown,
                offsetY: about.y - (about.y - offsetY) * grown,
            },
            STEP_MS,
        );
    }

    /** The nearest pose that the limits allow. */
    limited(pose: Pose): Pose {
        const [farthest, closest] = this.scaleLimits;
        const scale = Math.min(closest, Math.max(farthest, pose.scale));
        return {
            scale,
            offsetX: within(pose.offsetX, this.width, this.map.width * scale),
            offsetY: within(pose.offsetY, this.height, this.map.height * scale),
        };
    }

    private get destination(): Pose {
        return this.glide?.to ?? this.pose;
    }

    private fittingScale(part: number): number {
        if (!this.isFitted) return Number.MIN_VALUE;
        const { width, height } = this.map;
        const scale = Math.min((this.width * part) / width, (this.height * part) / height);
        // A map that is a single point has no extent.
        return Number.isFinite(scale) ? scale : CLOSEST;
    }

    private wholeMap(): Pose {
        return this.centredOn(this.map.width / 2, this.map.height / 2, this.fittingScale(FILLED));
    }

    /** @param part  of the pane, without its covered edges, that the box may fill */
    private around(box: Box, part: number, { top, right, bottom, left } = NO_EDGES): Pose {
        const scale = Math.min(
            ((this.width - left - right) * part) / (box.east - box.west),
            ((this.height - top - bottom) * part) / (box.south - box.north),
            Math.max(SHOWN_CLOSEST, this.fittingScale(FILLED)),
        );
        const pose = this.centredOn((box.west + box.east) / 2, (box.north + box.south) / 2, scale);
        return {
            scale,
            offsetX: pose.offsetX + (left - right) / 2,
            offsetY: pose.offsetY + (top - bottom) / 2,
        };
    }

    private centredOn(x: number, y: number, scale: number): Pose {
        return { scale, offsetX: this.width / 2 - x * scale, offsetY: this.height / 2 - y * scale };
    }

    private take(pose: Pose): void {
        const { scale, offsetX, offsetY } = this.limited(pose);
        const before = this.pose;
        if (scale === before.scale && offsetX === before.offsetX && offsetY === before.offsetY) {
            return;
        }
        this.pose = { scale, offsetX, offsetY };
        for (const listener of [...this.listeners]) listener();
    }

    private glideTo(pose: Pose, takes: number): void {
        if (!this.isFitted) return;
        this.hasMoved = true;
        const to = this.limited(pose);
        if (!this.stage.isMotionWelcome()) {
            this.set(to);
            return;
        }
        const isGliding = this.glide !== null;
        this.glide = { from: this.pose, to, start: this.stage.now(), takes };
        if (!isGliding) this.stage.frame(() => this.step());
    }

    private step(): void {
        if (!this.glide) return;
        const { from, to, start, takes } = this.glide;
        const share = Math.min(1, (this.stage.now() - start) / takes);
        if (share === 1) {
            this.glide = null;
            this.take(to);
            return;
        }
        this.take(between(from, to, share * (2 - share)));
        this.stage.frame(() => this.step());
    }
}

/** A view that stays as it is, for pictures. */
export function stillView({ scale, offsetX, offsetY }: Pose): View {
    return {
        scale,
        offsetX,
        offsetY,
        toScreen: (at) => ({ x: at.x * scale + offsetX, y: at.y * scale + offsetY }),
        toWorld: (at) => ({ x: (at.x - offsetX) / scale, y: (at.y - offsetY) / scale }),
        show: () => {},
    };
}

/**
 * Part of the way from one pose to another, as it looks natural: scales grow by factors, and the one
 * place of the world that does not move on the screen is the same all the way. For that place
 * world * scale + offset is constant, so offsets change in proportion to scales.
 */
export function between(from: Pose, to: Pose, share: number): Pose {
    const ratio = to.scale / from.scale;
    const isZoom = Math.abs(ratio - 1) > 1e-6;
    const scale = from.scale * ratio ** share;
    const part = isZoom ? (scale - from.scale) / (to.scale - from.scale) : share;
    return {
        scale,
        offsetX: from.offsetX + (to.offsetX - from.offsetX) * part,
        offsetY: from.offsetY + (to.offsetY - from.offsetY) * part,
    };
}

/** The offset of a map of `size` pixels in a pane, so that little of the pane is beyond its edges. */
function within(offset: number, pane: number, size: number): number {
    const beyond = pane * BEYOND;
    const least = pane - beyond - size;
    if (least > beyond) return (pane - size) / 2;
    return Math.min(beyond, Math.max(least, offset));
}

/** How far a stretch must be moved to hold another one, which is shorter, with `spare` beside it if that can be. */
function beyond(
    [from, to]: readonly [number, number],
    [least, most]: readonly [number, number],
    spare: number,
): number {
    const room = Math.min(spare, to - from - (most - least));
    if (least < from) return least - room - from;
    return most > to ? most + room - to : 0;
}
