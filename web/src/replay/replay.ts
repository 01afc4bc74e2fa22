// A recorded run that is shown in its own time: where it is, and how it is told to pause, to go on and to jump.
//
// The service says once a second where it is; in between the page counts on by itself. All who look at the same demo
// see the same, so what is said last is what is so, whoever has asked for it.
import type { ReplayChange, ReplayState } from '../api/types';
import { Signal } from '../state/signal';

export class Replay {
    /** Null until the service has told of it. */
    state: ReplayState | null = null;
    readonly changed = new Signal();
    private heardAt = 0;

    constructor(private readonly send: (change: ReplayChange) => Promise<ReplayState>) {}

    /** @param now  milliseconds, as performance.now() */
    heard(state: ReplayState, now: number): void {
        this.state = state;
        this.heardAt = now;
        this.changed.emit();
    }

    /** Seconds of the record's time, at `now`. */
    timeAt(now: number): number {
        if (!this.state) return 0;
        const { begin, end, speed, is_paused } = this.state;
        const passed = is_paused ? 0 : ((now - this.heardAt) / 1000) * speed;
        return Math.min(end, Math.max(begin, this.state.now + passed));
    }

    /** Throws a Refusal or Unreachable (api/fetch.ts). */
    async control(change: ReplayChange): Promise<void> {
        this.heard(await this.send(change), performance.now());
    }
}

/** "0:05", "12:34", "1:02:03". */
export function clockWords(seconds: number): string {
    const whole = Math.max(0, Math.floor(seconds));
    const [hours, minutes, rest] = [whole / 3600, (whole / 60) % 60, whole % 60].map(Math.floor);
    const two = (value: number) => String(value).padStart(2, '0');
    return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** The speeds to choose from, with the one in force among them. */
export function speedsWith(speed: number): number[] {
    return [...new Set([0.25, 0.5, 1, 2, 4, 10, 30, 100, speed])].sort((a, b) => a - b);
}
