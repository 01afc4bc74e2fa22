// Scenes one after the other, each for a while: by itself, or by hand.
//
// Scenes are added as what they tell of happens. One that has been shown for its time makes way for the next as soon
// as there is one. Whoever steps by hand has taken over, and nothing moves by itself until it is told to go on.
import { Signal } from '../state/signal';

export interface Scene {
    title: string;
    text: string;
    /** Milliseconds that it takes to read. */
    holds: number;
    /** Show on the page what it tells of; called again if one comes back to it. */
    show?: () => void;
}

/** Wakes up later; tests have their own. */
export interface Clock {
    after(ms: number, wake: () => void): () => void;
}

const browserClock: Clock = {
    after(ms, wake) {
        const timer = setTimeout(wake, ms);
        return () => clearTimeout(timer);
    },
};

export class Player {
    /** Another scene, or another state. */
    readonly changed = new Signal();
    private readonly scenes: Scene[] = [];
    private at = -1;
    /** Its time is over: the next scene may come at once. */
    private isDue = false;
    private isOver = false;
    private stopTimer: () => void = () => {};
    private passed: { scene: number; resolve: () => void }[] = [];

    /** @param isPaused  so it begins: for who would rather not see things move by themselves */
    constructor(
        private paused = false,
        private readonly clock: Clock = browserClock,
    ) {}

    get isPaused(): boolean {
        return this.paused;
    }

    get index(): number {
        return this.at;
    }

    get scene(): Scene | null {
        return this.scenes[this.at] ?? null;
    }

    get hasNext(): boolean {
        return this.at + 1 < this.scenes.length;
    }

    /** Whether more will come, now or later. */
    get isLast(): boolean {
        return this.isOver && !this.hasNext;
    }

    add(scene: Scene): void {
        this.scenes.push(scene);
        if (this.at < 0 || (this.isDue && this.at === this.scenes.length - 2)) this.go(this.at + 1);
        else this.changed.emit();
    }

    /** There will be no other scene. */
    end(): void {
        this.isOver = true;
        this.changed.emit();
    }

    /** Resolves when the scene that is the last one now has had its time, or was stepped over. */
    over(): Promise<void> {
        const scene = this.scenes.length - 1;
        if (this.at > scene || (this.at === scene && this.isDue)) return Promise.resolve();
        return new Promise((resolve) => {
            this.passed.push({ scene, resolve });
        });
    }

    next(): void {
        this.paused = true;
        this.advance();
    }

    back(): void {
        if (this.at <= 0) return;
        this.paused = true;
        this.go(this.at - 1);
    }

    pause(): void {
        this.paused = true;
        this.isDue = false;
        this.stopTimer();
        this.changed.emit();
    }

    play(): void {
        this.paused = false;
        if (this.isDue) this.advance();
        else this.hold();
        this.changed.emit();
    }

    /** Nothing is shown any more, and nobody waits. */
    stop(): void {
        this.stopTimer();
        this.isOver = true;
        this.paused = true;
        for (const { resolve } of this.passed.splice(0)) resolve();
    }

    private advance(): void {
        this.isDue = true;
        this.tellPassed();
        if (this.hasNext) this.go(this.at + 1);
        else this.changed.emit();
    }

    private go(index: number): void {
        this.at = index;
        this.isDue = false;
        this.hold();
        this.scene?.show?.();
        this.tellPassed();
        this.changed.emit();
    }

    private hold(): void {
        this.stopTimer();
        if (this.paused || !this.scene) return;
        this.stopTimer = this.clock.after(this.scene.holds, () => this.advance());
    }

    private tellPassed(): void {
        const isPassed = ({ scene }: { scene: number }) =>
            this.at > scene || (this.at === scene && this.isDue);
        const told = this.passed.filter(isPassed);
        this.passed = this.passed.filter((waiting) => !isPassed(waiting));
        for (const { resolve } of told) resolve();
    }
}
