// Whether the reader would rather not see things move.

export function isMotionUnwelcome(): boolean {
    return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
