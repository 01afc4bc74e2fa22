// Travellers: a dot each, thousands of them.
//
// Seen from afar, thousands of dots are a stain, so only some travellers have one, always the same; from near, all
// have. A dot is drawn at eighths of a pixel (stamp.ts), and a frame is worth its while once dots have moved by one.
import type { DrawingContext, Layer } from '../map/layer';
import { mapTheme } from '../map/theme_colours';
import type { View } from '../map/view';
import { radiusFor } from './query_signs';
import { PLACES, Stamp } from './stamp';

/** CSS pixels of a dot's radius, from afar and from near, and the scales for these. */
const SMALLEST = 0.9;
const LARGEST = 3.5;
const FAR = 0.012;
const NEAR = 1;
/** The part of a small map that dots may take up together, and the smallest that is still seen. */
const CROWDED = 0.12;
const SEEN = 0.5;
/** CSS pixels of the whole map for each dot, at least; but so many dots are always there. */
const AREA = 160;
const SHOWN_LEAST = 300;
/** Metres per second: as fast as most drive in a town. */
const USUAL_SPEED = 14;
/** Screen pixels that a dot moves from one place to the next (stamp.ts). */
const STEP = 1 / PLACES;
/** Milliseconds: the longest pause between two frames. */
const SLOWEST = 250;

export class MoversLayer implements Layer {
    /** Dots are put together here and shown in one go. */
    private image: ImageData | null = null;
    private stamp: { radius: number; stamp: Stamp } | null = null;

    /** @param positions  metres, x and y in turn, NaN for who is not to be seen; at that time */
    constructor(
        private readonly positions: (now: number) => Float32Array,
        private readonly map: { width: number; height: number },
    ) {}

    draw(context: DrawingContext, view: View, now: number): number {
        const all = this.positions(now);
        const at = all.subarray(0, 2 * shownOf(all.length / 2, view.scale, this.map));
        const { width, height } = context.canvas;
        const ratio = context.getTransform().a;
        const image = this.clearImage(width, height);
        if (!image) return SLOWEST;

        const stamp = this.stampOf(radiusAt(view.scale, at.length / 2, this.map) * ratio);
        const pixels = new Uint32Array(image.data.buffer);
        const colour = pixelOf(mapTheme().mover);
        const scale = view.scale * ratio;
        const dx = view.offsetX * ratio;
        const dy = view.offsetY * ratio;
        for (let i = 0; i < at.length; i += 2) {
            stamp.put(pixels, width, height, at[i] * scale + dx, at[i + 1] * scale + dy, colour);
        }
        // In place of all that is there: nothing else is drawn on their sheet.
        context.putImageData(image, 0, 0);
        // Before they have come, it is looked for them now and then.
        return at.length > 0 ? paceAt(scale) : SLOWEST;
    }

    private clearImage(width: number, height: number): ImageData | null {
        if (width === 0 || height === 0) return null;
        if (this.image?.width === width && this.image.height === height) this.image.data.fill(0);
        else this.image = new ImageData(width, height);
        return this.image;
    }

    private stampOf(radius: number): Stamp {
        // Steps of a quarter pixel: nobody sees more, and zooming makes few of them.
        const rounded = Math.round(radius * 4) / 4;
        if (this.stamp?.radius !== rounded) {
            this.stamp = { radius: rounded, stamp: new Stamp(rounded) };
        }
        return this.stamp.stamp;
    }
}

/** How many of so many travellers have a dot. */
export function shownOf(
    count: number,
    scale: number,
    map: { width: number; height: number },
): number {
    const room = Math.floor((map.width * map.height * scale * scale) / AREA);
    return Math.min(count, Math.max(SHOWN_LEAST, room));
}

/** Milliseconds until a dot has moved so far that it is drawn elsewhere. @param scale  screen pixels per metre */
export function paceAt(scale: number): number {
    return Math.min(SLOWEST, msToMove(STEP, scale));
}

/** Milliseconds that a traveller takes for so many pixels. @param scale  of these pixels per metre */
export function msToMove(pixels: number, scale: number): number {
    return (1000 * pixels) / (USUAL_SPEED * scale);
}

/** Dots grow as one comes nearer, slowly: they are signs, not cars. Many on a small map are smaller. */
export function radiusAt(
    scale: number,
    count: number,
    map: { width: number; height: number },
): number {
    const way = Math.log(scale / FAR) / Math.log(NEAR / FAR);
    const usual = SMALLEST + (LARGEST - SMALLEST) * Math.min(1, Math.max(0, way));
    const room = radiusFor(CROWDED, count, map.width * map.height * scale * scale);
    return Math.min(usual, Math.max(SEEN, room));
}

/** The three lower bytes of a pixel, from #rrggbb; in memory red comes first. */
export function pixelOf(colour: string): number {
    const value = Number.parseInt(colour.slice(1, 7), 16) || 0;
    return ((value & 0xff) << 16) | (value & 0xff00) | (value >>> 16);
}
