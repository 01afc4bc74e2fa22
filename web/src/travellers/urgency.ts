// How much time a query has left, and what that looks like: a ring that runs out, and a sign in its
// middle that can be told apart without seeing colours.
//
//     calm      a dot          more than half of its time is left
//     waiting   a square       less than half
//     urgent    a triangle     less than a fifth

export type Urgency = 'calm' | 'waiting' | 'urgent';

export const URGENCIES: readonly Urgency[] = ['calm', 'waiting', 'urgent'];

/** The share of its time that a query has left, 1 to 0. */
export function timeLeft(askedAt: number, deadlineAt: number, now: number): number {
    if (!(deadlineAt > askedAt)) return 0;
    return Math.min(1, Math.max(0, (deadlineAt - now) / (deadlineAt - askedAt)));
}

export function urgencyOf(left: number): Urgency {
    if (left > 0.5) return 'calm';
    return left > 0.2 ? 'waiting' : 'urgent';
}

/** Add the sign to the path. */
export function traceSign(
    path: Pick<CanvasPath, 'moveTo' | 'lineTo' | 'closePath' | 'arc' | 'rect'>,
    urgency: Urgency,
    x: number,
    y: number,
    size: number,
): void {
    if (urgency === 'calm') {
        path.moveTo(x + size, y);
        path.arc(x, y, size, 0, 2 * Math.PI);
    } else if (urgency === 'waiting') {
        path.rect(x - size, y - size, 2 * size, 2 * size);
    } else {
        path.moveTo(x, y - 1.4 * size);
        path.lineTo(x + 1.3 * size, y + size);
        path.lineTo(x - 1.3 * size, y + size);
        path.closePath();
    }
}
