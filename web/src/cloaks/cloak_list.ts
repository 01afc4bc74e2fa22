// The latest cloaks, to choose one by pointer or keyboard.
//
// They come many a second. The list is renewed once a second, and not at all while somebody points at it or
// is in it with the keyboard: nobody can press what runs away.
import { fill, make } from '../dom';
import type { CloakBook, SeenCloak } from '../state/model';
import { ageWords, type LengthUnit, plural, requestWords } from '../text/words';

const SHOWN = 40;
const RENEWED_EVERY_MS = 1_000;

export class CloakList {
    readonly element: HTMLElement;
    private readonly list = make('ul', { 'data-testid': 'cloak-list' });
    private readonly empty = make('p', { class: 'hint' }, 'No cloak has left yet.');
    private isStale = true;
    private selected: string | null = null;

    constructor(
        private readonly book: CloakBook,
        private readonly unit: LengthUnit,
        private readonly choose: (cloak: SeenCloak) => void,
        canAttack: boolean,
    ) {
        this.element = make(
            'div',
            { class: 'cloak-list' },
            make(
                'p',
                { class: 'hint' },
                `Choose one to find it on the map${canAttack ? ' and to see what an adversary learns from it' : ''}. The list does not change while you are in it.`,
            ),
            this.empty,
            this.list,
        );
        book.changed.on(() => {
            this.isStale = true;
        });
        this.renew();
        setInterval(() => this.renew(), RENEWED_EVERY_MS);
    }

    select(id: string | null): void {
        this.selected = id;
        for (const button of this.list.querySelectorAll('button')) {
            button.setAttribute('aria-pressed', String(button.dataset.cloak === id));
        }
    }

    private renew(): void {
        if (!this.isStale || !this.isSeen || this.isHeld) return;
        this.isStale = this.book.latest.length > 0; // ages go on
        const now = performance.now();
        this.empty.hidden = this.book.latest.length > 0;
        fill(this.list, ...this.book.latest.slice(0, SHOWN).map((cloak) => this.item(cloak, now)));
    }

    /** No if it is in a panel that is not chosen, which has no place on the page. */
    private get isSeen(): boolean {
        return !document.hidden && this.element.offsetParent !== null;
    }

    private get isHeld(): boolean {
        return this.list.matches(':hover') || this.list.contains(document.activeElement);
    }

    private item(cloak: SeenCloak, now: number): HTMLElement {
        const others = cloak.requests.length - 1;
        const first = cloak.requests[0];
        const wish = first ? requestWords(first, this.unit) : '';
        return make(
            'li',
            {},
            make(
                'button',
                {
                    type: 'button',
                    'data-cloak': cloak.id,
                    'aria-pressed': String(cloak.id === this.selected),
                    onclick: () => this.choose(cloak),
                },
                make('span', { class: 'size' }, plural(cloak.segments.length, 'road', 'roads')),
                make('span', { class: 'age' }, ageWords((now - cloak.seenAt) / 1000)),
                make('span', { class: 'wish' }, others > 0 ? `${wish}, and ${others} more` : wish),
            ),
        );
    }
}
