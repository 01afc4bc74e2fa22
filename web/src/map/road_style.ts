// How wide and how firm a road is drawn at each zoom.
//
// Seen from near a road has its true width. From afar it is a hairline, and the small ones fade, so
// that a city of 200,000 roads is not a grey stain but shows its bones. Hairlines are also what makes
// that picture quick: without a graphics card a line of one pixel costs a fifth of a wider one.
import type { MapTheme } from './theme_colours';

export interface RoadKind {
    /** As in the map page (sc_road_class). */
    readonly classes: readonly number[];
    readonly colour: keyof MapTheme;
    readonly inside: 'inside' | 'insideMajor';
    /** True width, metres. */
    readonly width: number;
    /** Never thinner than this, CSS pixels; 0 is a hairline. */
    readonly least: number;
    /** CSS pixels per metre at which it is fully there; farther out it fades. */
    readonly full: number;
    /** And at which it is not drawn at all. */
    readonly gone: number;
}

/** In the order in which they are drawn: what matters most is on top. */
export const ROAD_KINDS: readonly RoadKind[] = [
    kind([7, 9], 'service', 5, { full: 0.25, gone: 0.03 }),
    kind([6, 0], 'local', 8, { full: 0.07 }),
    kind([5], 'tertiary', 10, { full: 0.03 }),
    kind([4], 'secondary', 13, { full: 0.01 }),
    kind([8], 'primary', 8, { full: 0.05 }),
    kind([3], 'primary', 16, { least: 1.2, major: true }),
    kind([1, 2], 'motorway', 24, { least: 1.8, major: true }),
];

function kind(
    classes: number[],
    colour: keyof MapTheme,
    width: number,
    { least = 0, full = 0, gone = 0, major = false },
): RoadKind {
    return { classes, colour, width, least, full, gone, inside: major ? 'insideMajor' : 'inside' };
}

export interface Stroke {
    /** CSS pixels. */
    width: number;
    alpha: number;
    /** Whether its two sides are seen. */
    isBand: boolean;
}

/** From here on a road is a band between two lines. */
const BAND = 5;
/** The faintest that is still worth drawing. */
const FAINTEST = 0.3;

/**
 * @param scale  CSS pixels per metre
 * @param ratio  of the screen: its pixels per CSS pixel
 * @returns null if such roads are not drawn
 */
export function strokeOf(kind: RoadKind, scale: number, ratio: number): Stroke | null {
    if (scale < kind.gone) return null;
    const hairline = 1 / ratio;
    const width = Math.max(kind.width * scale, kind.least);
    const faded = kind.full > 0 ? Math.sqrt(scale / kind.full) : 1;
    return {
        // Up to half a pixel more is not seen, but costs.
        width: width < 1.5 * hairline ? hairline : width,
        alpha: Math.min(1, Math.max(FAINTEST, faded)),
        isBand: width >= BAND,
    };
}

/** The kind of a class; an unknown class is a local road. */
export function kindOfClass(roadClass: number): number {
    const found = ROAD_KINDS.findIndex(({ classes }) => classes.includes(roadClass));
    return found >= 0 ? found : 1;
}
