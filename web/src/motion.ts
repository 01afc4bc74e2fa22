// Whether the reader would rather not see things move.
//
// Used by: whatever moves by itself.

export function isMotionUnwelcome(): boolean {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
