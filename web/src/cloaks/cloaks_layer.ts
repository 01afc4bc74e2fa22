// Cloaks as they leave, fading; the selected one stays.
//
// This is all that the provider is told: some roads together, and at which crossings they border on
// others. Nothing here knows more.
//
// Fading is slow, so fifteen frames a second do; hundreds of cloaks at once then leave half of the
// time to others even without a graphics card.

import type { Layer } from '../map/layer';
import { pathOf } from '../map/path';
import type { RoadMap } from '../map/road_map';
import { mapTheme } from '../map/theme_colours';
import type { View } from '../map/view';
import type { CloakBook, SeenCloak } from '../state/model';

const FADE_MS = 8_000;
/** A fresh one has a halo, which shrinks away within this time. */
const HALO_MS = 2_000;
const FRAME_MS = 66;
/** CSS pixels of lines, from afar and from near. */
const THINNEST = 3;
const THICKEST = 7;

export class CloaksLayer implements Layer {
    private chosen: { id: string; cloak?: SeenCloak } | null = null;
    /** In metres, made once; the canvas moves and scales them. */
    private readonly paths = new WeakMap<SeenCloak, Path2D>();
    private invalidate: () => void = () => {};
    private isFrameComing = false;

    constructor(
        private readonly map: RoadMap,
        private readonly book: CloakBook,
    ) {
        book.changed.on(() => this.askForFrame());
        book.cleared.on(() => this.invalidate());
    }

    /** The id of the cloak that stays, and stands out; null for none. */
    get selected(): string | null {
        return this.chosen?.id ?? null;
    }

    set selected(id: string | null) {
        this.chosen = id === null ? null : { id };
        this.invalidate();
    }

    added(invalidate: () => void): void {
        const others = this.invalidate;
        this.invalidate = () => {
            others();
            invalidate();
        };
    }

    draw(context: CanvasRenderingContext2D, view: View, now: number): boolean {
        const { cloak, selected } = mapTheme();
        context.lineCap = context.lineJoin = 'round';
        context.translate(view.offsetX, view.offsetY);
        context.scale(view.scale, view.scale);
        context.strokeStyle = cloak;
        const isFading = this.drawFading(context, view.scale, now);
        // In one that is forgotten by the book we keep what we have.
        if (this.chosen) this.chosen.cloak = this.book.get(this.chosen.id) ?? this.chosen.cloak;
        if (this.chosen?.cloak) this.drawSelected(context, view.scale, this.chosen.cloak, selected);
        if (isFading) this.askForFrame();
        return false;
    }

    private drawFading(context: CanvasRenderingContext2D, scale: number, now: number): boolean {
        const { latest } = this.book;
        const width = lineWidth(scale);
        let fresh = latest.findIndex(({ seenAt }) => now - seenAt >= FADE_MS);
        if (fresh < 0) fresh = latest.length;
        // The oldest first, so that the newest is on top.
        for (let i = fresh - 1; i >= 0; i--) {
            const age = Math.max(0, now - latest[i].seenAt);
            const path = this.pathOf(latest[i]);
            if (age < HALO_MS) {
                const left = 1 - age / HALO_MS;
                context.globalAlpha = 0.28 * left;
                context.lineWidth = (width * (1 + 2.5 * left)) / scale;
                context.stroke(path);
            }
            context.globalAlpha = opacityAt(age);
            context.lineWidth = width / scale;
            context.stroke(path);
        }
        return fresh > 0;
    }

    private drawSelected(
        context: CanvasRenderingContext2D,
        scale: number,
        cloak: SeenCloak,
        colour: string,
    ): void {
        const path = this.pathOf(cloak);
        const width = lineWidth(scale);
        const { ground } = mapTheme();
        context.globalAlpha = 1;
        context.strokeStyle = ground;
        context.lineWidth = (width + 5) / scale;
        context.stroke(path);
        context.strokeStyle = colour;
        context.lineWidth = (width + 1) / scale;
        context.stroke(path);
        // Where it borders on other roads.
        context.fillStyle = ground;
        context.lineWidth = 1.8 / scale;
        context.beginPath();
        for (const { x, y } of bordersOf(this.map, cloak)) {
            const radius = (width / 2 + 1.5) / scale;
            context.moveTo(x + radius, y);
            context.arc(x, y, radius, 0, 2 * Math.PI);
        }
        context.fill();
        context.stroke();
    }

    private pathOf(cloak: SeenCloak): Path2D {
        const known = this.paths.get(cloak);
        if (known) return known;
        const path = pathOf(this.map, cloak.segments);
        this.paths.set(cloak, path);
        return path;
    }

    private askForFrame(): void {
        if (this.isFrameComing) return;
        this.isFrameComing = true;
        setTimeout(() => {
            this.isFrameComing = false;
            this.invalidate();
        }, FRAME_MS);
    }
}

/** How firm a cloak is that left `age` milliseconds ago: seen well at first, gone at the end. */
export function opacityAt(age: number): number {
    const left = Math.min(1, Math.max(0, 1 - age / FADE_MS));
    return 0.9 * left ** 1.5;
}

/** CSS pixels. */
function lineWidth(scale: number): number {
    return Math.min(THICKEST, Math.max(THINNEST, THINNEST + Math.log2(scale / 0.03)));
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
