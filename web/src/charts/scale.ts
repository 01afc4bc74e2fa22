// Where a slider ends. The operator's bounds may reach to a thousand travellers or an hour; a slider
// that does would have its whole use in the first millimetre. Exact numbers go up to the bounds.
import type { Bounds } from '../api/types';

/** The bounds of a slider: within the operator's, with room beyond the usual. */
export function sliderBounds(bounds: Bounds, usual: number): Bounds {
    const most = Math.min(bounds.most, Math.max(usual, 2 * bounds.standard, bounds.least));
    return { least: bounds.least, standard: bounds.standard, most };
}

/** What was typed, as a number that the service will take. */
export function clamp(value: number, bounds: Bounds): number {
    if (!Number.isFinite(value)) return bounds.standard;
    return Math.min(bounds.most, Math.max(bounds.least, value));
}
