// The cloak that was chosen, wherever it was: on the map, from the list, by a link. One at a time, or none.
import type { SeenCloak } from '../state/model';
import { Signal } from '../state/signal';

export class Selection {
    /** After another one was chosen, or let go. */
    readonly changed = new Signal<SeenCloak | null>();
    private chosen: SeenCloak | null = null;

    get cloak(): SeenCloak | null {
        return this.chosen;
    }

    choose(cloak: SeenCloak): void {
        if (cloak.id === this.chosen?.id) return;
        this.chosen = cloak;
        this.changed.emit(cloak);
    }

    letGo(): void {
        if (!this.chosen) return;
        this.chosen = null;
        this.changed.emit(null);
    }
}
