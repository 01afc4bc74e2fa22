// Cloaks as they leave, fading; the chosen one stays.
//
// This is all that the provider is told: some roads together, and at which crossings they border on
// others. Nothing here knows more.
//
// Each has a colour of its own among those that are seen with it, a thin line and a soft band around it, so that
// one can be told from another where they overlap. At most some dozen are drawn, the latest of those in sight: a
// hundred at once would be a stain. Fading is slow, so six frames a second do, and none where no cloak is in sight.
import { boxAround } from '../map/draw';
import type { Box } from '../map/grid';
import type { DrawingContext, Layer } from '../map/layer';
import { pathOf } from '../map/path';
import { Nearest } from '../map/pick';
import type { Point, RoadMap } from '../map/road_map';
import { type MapTheme, mapTheme } from '../map/theme_colours';
import type { View } from '../map/view';
import type { CloakBook, SeenCloak } from '../state/model';
import { t } from '../text/language';
import { counted } from '../text/measures';
import { ageWords } from '../text/words';

const FADE_MS = 8_000;
/** A fresh one has a halo, which shrinks away within this time. */
const HALO_MS = 1_500;
const FRAME_MS = 165;
/** Cloaks that are drawn at once; the last few of them are fainter, so that none disappears suddenly. */
const SHOWN_MOST = 24;
const LAST = 6;
/** CSS pixels of lines, from afar and from near, and how much wider their bands are. */
const THINNEST = 1.4;
const THICKEST = 3.5;
const BAND = 3.4;

/** In turn, so that cloaks that leave one after the other differ. */
export const CLOAK_COLOURS = ['cloak', 'cloak2', 'cloak3', 'cloak4', 'cloak5'] as const;

/** What is drawn of a cloak: made once. */
interface Shape {
    /** In metres; the canvas moves and scales it. */
    path: Path2D;
    box: Box;
    colour: keyof MapTheme;
}

export class CloaksLayer implements Layer {
    private chosen: SeenCloak | null = null;
    private readonly shapes = new WeakMap<SeenCloak, Shape>();
    private made = 0;
    /** What was in sight when it was last drawn. */
    private seen: Box | null = null;
    private isFading = false;
    private invalidate: () => void = () => {};

    constructor(
        private readonly map: RoadMap,
        private readonly book: CloakBook,
    ) {
        book.changed.on((cloak) => {
            if (this.shapes.has(cloak)) return; // only more is known of it now
            const { box } = this.shapeOf(cloak);
            // Where others fade, a frame comes soon anyway.
            if (!this.isFading && (!this.seen || meets(box, this.seen))) this.invalidate();
        });
        book.cleared.on(() => this.invalidate());
    }

    /** The cloak that stays, and stands out; null for none. */
    get selected(): SeenCloak | null {
        return this.chosen;
    }

    set selected(cloak: SeenCloak | null) {
        this.chosen = cloak;
        this.invalidate();
    }

    added(invalidate: () => void): void {
        const others = this.invalidate;
        this.invalidate = () => {
            others();
            invalidate();
        };
    }

    draw(context: DrawingContext, view: View, now: number): number | false {
        const ratio = context.getTransform().a;
        const { x: west, y: north } = view.toWorld({ x: 0, y: 0 });
        const { x: east, y: south } = view.toWorld({
            x: context.canvas.width / ratio,
            y: context.canvas.height / ratio,
        });
        this.seen = { west, north, east, south };
        context.lineCap = context.lineJoin = 'round';
        context.translate(view.offsetX, view.offsetY);
        context.scale(view.scale, view.scale);
        const shown = this.shownAt(now, this.seen);
        // The oldest first, so that the newest is on top.
        for (let i = shown.length - 1; i >= 0; i--) {
            this.drawFading(context, view.scale, shown[i], now, i);
        }
        if (this.chosen) this.drawChosen(context, view.scale, this.chosen);
        this.isFading = shown.length > 0;
        return this.isFading && FRAME_MS;
    }

    /**
     * The cloaks that have a road there, of those that are seen: the chosen one, then the newest first.
     *
     * @param reach  metres around it
     */
    cloaksAt(at: Point, reach: number, now: number): SeenCloak[] {
        const shown = this.seen ? this.shownAt(now, this.seen) : [];
        const others = shown.filter(({ id }) => id !== this.chosen?.id);
        const all = this.chosen ? [this.chosen, ...others] : others;
        return all.filter(({ segments }) => {
            const nearest = new Nearest(at, reach);
            for (const segment of segments) nearest.try(this.map, segment);
            return nearest.spot !== null;
        });
    }

    tipAt(at: Point, reach: number): string | null {
        const now = performance.now();
        const [cloak] = this.cloaksAt(at, reach, now);
        if (!cloak) return null;
        return t('Cloak of {roads}, {age}', {
            roads: counted(cloak.segments.length, 'road'),
            age: ageWords((now - cloak.seenAt) / 1000),
        });
    }

    /** Newest first. */
    private shownAt(now: number, seen: Box): SeenCloak[] {
        const shown: SeenCloak[] = [];
        for (const cloak of this.book.latest) {
            if (now - cloak.seenAt >= FADE_MS || shown.length === SHOWN_MOST) break;
            if (meets(this.shapeOf(cloak).box, seen)) shown.push(cloak);
        }
        return shown;
    }

    /** @param rank  0 is the newest of those that are shown */
    private drawFading(
        context: DrawingContext,
        scale: number,
        cloak: SeenCloak,
        now: number,
        rank: number,
    ): void {
        const { path, colour } = this.shapeOf(cloak);
        const age = Math.max(0, now - cloak.seenAt);
        const width = lineWidth(scale);
        const left = Math.max(0, 1 - age / HALO_MS);
        const firm = opacityAt(age) * Math.min(1, (SHOWN_MOST - rank) / LAST);
        context.strokeStyle = mapTheme()[colour];
        context.globalAlpha = 0.2 * firm;
        context.lineWidth = (width * BAND * (1 + left)) / scale;
        context.stroke(path);
        context.globalAlpha = firm;
        context.lineWidth = width / scale;
        context.stroke(path);
    }

    /** As it is drawn while it is chosen; the context is in metres. */
    drawChosen(context: DrawingContext, scale: number, cloak: SeenCloak): void {
        const { path } = this.shapeOf(cloak);
        const width = lineWidth(scale) + 1;
        const { ground, selected } = mapTheme();
        context.lineCap = context.lineJoin = 'round';
        context.globalAlpha = 1;
        context.strokeStyle = ground;
        context.lineWidth = (width + 4) / scale;
        context.stroke(path);
        context.strokeStyle = selected;
        context.globalAlpha = 0.22;
        context.lineWidth = (width * BAND) / scale;
        context.stroke(path);
        context.globalAlpha = 1;
        context.lineWidth = width / scale;
        context.stroke(path);
        // Where it borders on other roads.
        context.fillStyle = ground;
        context.lineWidth = 1.6 / scale;
        context.beginPath();
        for (const { x, y } of bordersOf(this.map, cloak)) {
            const radius = (width / 2 + 1.5) / scale;
            context.moveTo(x + radius, y);
            context.arc(x, y, radius, 0, 2 * Math.PI);
        }
        context.fill();
        context.stroke();
    }

    private shapeOf(cloak: SeenCloak): Shape {
        const known = this.shapes.get(cloak);
        if (known) return known;
        const nowhere = { west: 0, north: 0, east: 0, south: 0 };
        const shape: Shape = {
            path: pathOf(this.map, cloak.segments),
            box: boxAround(this.map, cloak.segments) ?? nowhere,
            colour: CLOAK_COLOURS[this.made++ % CLOAK_COLOURS.length],
        };
        this.shapes.set(cloak, shape);
        return shape;
    }
}

/** How firm a cloak is that left `age` milliseconds ago: seen well at first, gone at the end. */
export function opacityAt(age: number): number {
    const left = Math.min(1, Math.max(0, 1 - age / FADE_MS));
    return 0.95 * left ** 1.5;
}

/** CSS pixels. */
function lineWidth(scale: number): number {
    return Math.min(THICKEST, Math.max(THINNEST, THINNEST + 0.5 * Math.log2(scale / 0.05)));
}

function meets(a: Box, b: Box): boolean {
    return a.west <= b.east && a.east >= b.west && a.north <= b.south && a.south >= b.north;
}

/** The crossings at which a cloak borders on other roads: ends of its segments, each once. */
export function bordersOf(
    map: Pick<RoadMap, 'first' | 'xs' | 'ys' | 'ends'>,
    cloak: Pick<SeenCloak, 'segments' | 'border_nodes'>,
): { x: number; y: number }[] {
    const wanted = new Set(cloak.border_nodes);
    const found: { x: number; y: number }[] = [];
    for (const segment of cloak.segments) {
        const points = [map.first[segment], map.first[segment + 1] - 1];
        for (const [end, point] of points.entries()) {
            if (!wanted.delete(map.ends[2 * segment + end])) continue;
            found.push({ x: map.xs[point], y: map.ys[point] });
        }
    }
    return found;
}
