// What is on a canvas, pixel by pixel, and where a place of the map is on the screen.
//
// Colours are those of the page's style sheet, by the names of their custom properties, in the theme that is
// in force.
import type { Page } from 'playwright-core';
import type { Point } from '../src/map/road_map';

export type Side = 'travellers' | 'provider';

/** Canvases of a map: the roads' one, that of travellers' dots, and what is drawn above them. */
export function roads(side: Side): string {
    return `[data-testid="pane-${side}"] canvas.map-roads`;
}

export const movers = '[data-testid="pane-travellers"] canvas.map-movers';

export function top(side: Side): string {
    return `[data-testid="pane-${side}"] canvas.map-top`;
}

/** The colours of cloaks that leave. */
export const CLOAKS = ['', '-2', '-3', '-4', '-5'].map((end) => `--map-cloak${end}`);

export interface Ink {
    /** How many pixels have it. */
    pixels: number;
    /** The opacity of the firmest of them, 0 to 1. */
    firmest: number;
    /** From the first row that has it to the last, in pixels. */
    height: number;
}

export interface Wanted {
    /** Names of custom properties; any colour if there are none. */
    colours?: string[];
    /** Pixels that are less firm do not count, 0 to 1. */
    least?: number;
}

/** What pages get to look at their own canvases. */
interface Eyes {
    ink(canvas: string, wanted: Wanted): Ink;
    isInked(canvas: string, colour: string, places: readonly Point[]): boolean[];
}

type Seeing = typeof globalThis & { eyes: Eyes };

/** Run in each page before its own scripts; knows nothing of this file. */
export function giveEyes(): void {
    /** All pixels, from a copy: a canvas that is read itself is kept in another way from then on. */
    function read(selector: string) {
        const canvas = document.querySelector(selector);
        if (!(canvas instanceof HTMLCanvasElement)) throw new Error(`no canvas: ${selector}`);
        const { width, height } = canvas;
        const copy = new OffscreenCanvas(Math.max(1, width), Math.max(1, height));
        const context = copy.getContext('2d', { willReadFrequently: true });
        if (!context) throw new Error('no context');
        if (width * height > 0) context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        return { data, width: copy.width, ratio: width / canvas.clientWidth };
    }

    function coloursOf(properties: readonly string[]): number[][] {
        const style = getComputedStyle(document.documentElement);
        return properties.map((property) => {
            const hex = style.getPropertyValue(property).trim();
            if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`${property} is "${hex}"`);
            return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
        });
    }

    /** The fainter a pixel, the coarser the colour that is kept for it. */
    function isLike(data: Uint8ClampedArray, at: number, colour: readonly number[]): boolean {
        const slack = 4 + 255 / data[at + 3];
        return colour.every((part, i) => Math.abs(data[at + i] - part) <= slack);
    }

    const eyes: Eyes = {
        ink(canvas, { colours = [], least = 0.1 }) {
            const { data, width } = read(canvas);
            const wanted = coloursOf(colours);
            const ink = { pixels: 0, firmest: 0, height: 0 };
            let first = -1;
            for (let at = 0; at < data.length; at += 4) {
                const firmness = data[at + 3] / 255;
                if (firmness === 0 || firmness < least) continue;
                if (wanted.length > 0 && !wanted.some((colour) => isLike(data, at, colour))) {
                    continue;
                }
                const row = Math.floor(at / 4 / width);
                if (first < 0) first = row;
                ink.pixels += 1;
                ink.firmest = Math.max(ink.firmest, firmness);
                ink.height = row - first + 1;
            }
            return ink;
        },
        isInked(canvas, property, places) {
            const { data, width, ratio } = read(canvas);
            const [colour] = coloursOf([property]);
            return places.map(({ x, y }) => {
                const [column, row] = [Math.floor(x * ratio), Math.floor(y * ratio)];
                if (column < 0 || column >= width || row < 0) return false;
                const at = 4 * (row * width + column);
                return data[at + 3] > 220 && isLike(data, at, colour);
            });
        },
    };
    Object.assign(globalThis, { eyes });
}

/** How much there is of some colours on a canvas. */
export function ink(page: Page, canvas: string, wanted: Wanted = {}): Promise<Ink> {
    return page.evaluate(({ canvas, wanted }) => (globalThis as Seeing).eyes.ink(canvas, wanted), {
        canvas,
        wanted,
    });
}

/** Of some places of a canvas, in CSS pixels, which have that colour, and firmly so? */
export function isInked(
    page: Page,
    canvas: string,
    colour: string,
    places: readonly Point[],
): Promise<boolean[]> {
    return page.evaluate(
        ({ canvas, colour, places }) => (globalThis as Seeing).eyes.isInked(canvas, colour, places),
        { canvas, colour, places },
    );
}

/**
 * Watch something come and go, ten times a second, from now on: until there has been some, and no more is left of
 * it than `share` of the most there was, or for `longest` looks. The page itself keeps the record, so that nothing
 * is missed on the way.
 */
export function follow(
    page: Page,
    canvas: string,
    wanted: Wanted,
    share = 0,
    longest = 400,
): Promise<Ink[]> {
    return page.evaluate(
        async ({ canvas, wanted, share, longest }) => {
            const record: Ink[] = [];
            let most = 0;
            for (let i = 0; i < longest; i++) {
                const ink = (globalThis as Seeing).eyes.ink(canvas, wanted);
                record.push(ink);
                most = Math.max(most, ink.pixels);
                if (most > 0 && ink.pixels <= share * most) break;
                await new Promise((wake) => setTimeout(wake, 100));
            }
            return record;
        },
        { canvas, wanted, share, longest },
    );
}

/** Two pictures with the same one look the same. */
export function fingerprint(page: Page, canvas: string): Promise<string> {
    return page.evaluate((wanted) => {
        const element = document.querySelector(wanted);
        if (!(element instanceof HTMLCanvasElement)) throw new Error(`no canvas: ${wanted}`);
        return element.toDataURL();
    }, canvas);
}

/** How a pane shows the plane of the map (src/map/road_map.ts), and how large it is, in CSS pixels. */
export interface Pose {
    scale: number;
    offsetX: number;
    offsetY: number;
    width: number;
    height: number;
}

/** Read from where d3-zoom keeps it. */
export function poseOf(page: Page, side: Side): Promise<Pose> {
    return page.getByTestId(`pane-${side}`).evaluate((pane) => {
        for (const element of pane.querySelectorAll('[tabindex="0"]')) {
            const { __zoom: kept } = element as Element & {
                __zoom?: { k: number; x: number; y: number };
            };
            if (!kept) continue;
            const { clientWidth: width, clientHeight: height } = element;
            return { scale: kept.k, offsetX: kept.x, offsetY: kept.y, width, height };
        }
        throw new Error('nothing here can be zoomed');
    });
}

export function project({ scale, offsetX, offsetY }: Pose, at: Point): Point {
    return { x: at.x * scale + offsetX, y: at.y * scale + offsetY };
}
