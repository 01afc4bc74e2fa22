// The cloaks that were seen to leave, newest first, and what was sent for them. The last few hundred:
// a page on a wall runs for weeks.
import { bytesFrom } from '../api/base64';
import type { CloakEvent, SentEvent } from '../api/types';
import type { CloakBook, SeenCloak } from './model';
import { Signal } from './signal';

const KEPT = 400;
/** An outcome may overtake its cloak, which takes another way; not by long. */
const PATIENCE_MS = 5_000;

export class Cloaks implements CloakBook {
    readonly latest: SeenCloak[] = [];
    readonly changed = new Signal<SeenCloak>();
    readonly cleared = new Signal();
    private readonly byId = new Map<string, SeenCloak>();

    get(id: string): SeenCloak | undefined {
        return this.byId.get(id);
    }

    find(id: string): Promise<SeenCloak | undefined> {
        const known = this.byId.get(id);
        if (known) return Promise.resolve(known);
        return new Promise((resolve) => {
            const done = (cloak: SeenCloak | undefined) => {
                clearTimeout(timer);
                stop();
                resolve(cloak);
            };
            const stop = this.changed.on((cloak) => {
                if (cloak.id === id) done(cloak);
            });
            const timer = setTimeout(() => done(undefined), PATIENCE_MS);
        });
    }

    add(event: CloakEvent, engine: string, now: number): void {
        if (this.byId.has(event.id)) return;
        const cloak: SeenCloak = { ...event, seenAt: now, engine };
        this.byId.set(cloak.id, cloak);
        this.latest.unshift(cloak);
        const oldest = this.latest.length > KEPT ? this.latest.pop() : undefined;
        if (oldest) this.byId.delete(oldest.id);
        this.changed.emit(cloak);
    }

    /** Forget them all: a record is at another moment, or another method is shown. */
    clear(): void {
        this.latest.length = 0;
        this.byId.clear();
        this.cleared.emit();
    }

    addSent(event: SentEvent): void {
        const cloak = this.byId.get(event.cloak);
        if (!cloak) return;
        cloak.sent = { encoding: event.encoding, bytes: bytesFrom(event.bytes) };
        this.changed.emit(cloak);
    }
}
