// "Choose for me": a road where company is likely. In the demo, one near which others wait; elsewhere
// nobody may know, and any road is as good.
/** So many roads are looked at; the one with the most company is taken. */
const TRIES = 12;

/**
 * @param waiting  the segments of those who wait, one for each
 * @param random   in [0, 1)
 * @param company  how much company a road would have
 */
export function chooseSegment(
    segmentCount: number,
    waiting: readonly number[],
    random: () => number,
    company: (segment: number) => number,
): number {
    if (waiting.length === 0) return Math.floor(random() * segmentCount);
    let best = waiting[0];
    let most = -1;
    for (let i = 0; i < TRIES; i++) {
        const candidate = waiting[Math.floor(random() * waiting.length)];
        const found = company(candidate);
        if (found <= most) continue;
        best = candidate;
        most = found;
    }
    return best;
}

/** How many of `waiting` are on segments in reach. */
export function countWithin(waiting: Iterable<number>, reach: Uint32Array): number {
    const inReach = new Set(reach);
    let count = 0;
    for (const segment of waiting) if (inReach.has(segment)) count++;
    return count;
}
