// When what moves by itself is drawn: at beats that all panes share, since the browser puts the whole page together
// for each frame in which a part of it has changed.

/**
 * Milliseconds: every other frame of a usual screen, 30 times a second. Dots look no better at more, and half of the
 * work is left for the rest. Hands on the map get every frame.
 */
export const BEAT_MS = 100 / 3;
/** The browser's own frame comes up to so much later than it is asked for. */
const FRAME_MS = 8;

/** Milliseconds to wait before a frame is asked for, so that it comes at the beat nearest to a moment; the next one at least. */
export function pauseUntil(moment: number, now: number): number {
    const next = Math.floor((now + FRAME_MS) / BEAT_MS) + 1;
    return BEAT_MS * Math.max(next, Math.round(moment / BEAT_MS)) - FRAME_MS - now;
}
