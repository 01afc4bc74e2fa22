// The cluster as it is now: asked for again and again while somebody looks, and never otherwise.
//
// A service that says no (it shows this to others only) is not asked again until somebody looks anew: each
// refusal is a line in the browser's console. One that does not answer is.
import { isAbort, Refusal } from '../api/fetch';
import type { ClusterPage } from '../api/types';
import { Signal } from './signal';

/** Beats come twice a second; nobody reads a table faster than this. */
export const EVERY_MS = 2_000;

export class ClusterWatch {
    /** The last that was heard; null before the first. */
    page: ClusterPage | null = null;
    /** Why there is nothing newer; null if all is well. */
    trouble: Error | null = null;
    readonly changed = new Signal();
    private looking: AbortController | null = null;
    private next: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly ask: (stop: AbortSignal) => Promise<ClusterPage>) {}

    get isWatched(): boolean {
        return this.looking !== null;
    }

    set isWatched(isWatched: boolean) {
        if (isWatched === this.isWatched) return;
        clearTimeout(this.next);
        this.looking?.abort();
        this.looking = isWatched ? new AbortController() : null;
        if (this.looking) void this.look(this.looking.signal);
    }

    private async look(stop: AbortSignal): Promise<void> {
        try {
            this.page = await this.ask(stop);
            this.trouble = null;
        } catch (error) {
            if (isAbort(error)) return;
            this.trouble = error instanceof Error ? error : new Error(String(error));
        }
        if (stop.aborted) return;
        this.changed.emit();
        const isRefused = this.trouble instanceof Refusal && this.trouble.problem.status < 500;
        if (!isRefused) this.next = setTimeout(() => void this.look(stop), EVERY_MS);
    }
}
