// Random numbers that are the same in every run (mulberry32).

export function dice(seed: number) {
    let state = seed >>> 0;
    const unit = (): number => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
    return { unit, below: (bound: number): number => Math.floor(unit() * bound) };
}
