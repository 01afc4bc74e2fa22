// The latest cloaks, to choose one by pointer or keyboard.
//
// They come many a second. The list is renewed once a second, and not at all while somebody points at it or
// is in it with the keyboard: nobody can press what runs away.
import { fill, make, setText } from '../dom';
import type { CloakBook, CounterBook, SeenCloak } from '../state/model';
import { t, tn } from '../text/language';
import { counted } from '../text/measures';
import { ageWords, count, type LengthUnit, requestWords } from '../text/words';

const SHOWN = 40;
const RENEWED_EVERY_MS = 1_000;

export class CloakList {
    readonly element: HTMLElement;
    private readonly list = make('ul', { 'data-testid': 'cloak-list' });
    private readonly empty = make('p', { class: 'hint', 'data-testid': 'cloak-list-empty' });
    private isStale = true;
    private selected: string | null = null;

    constructor(
        private readonly book: CloakBook,
        private readonly counters: CounterBook,
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
                canAttack
                    ? t(
                          'Choose one to find it on the map and to see what an adversary learns from it. The list does not change while you are in it.',
                      )
                    : t(
                          'Choose one to find it on the map. The list does not change while you are in it.',
                      ),
            ),
            this.empty,
            this.list,
        );
        book.changed.on(() => {
            this.isStale = true;
        });
        book.cleared.on(() => {
            this.isStale = true;
        });
        counters.changed.on(() => this.showEmpty());
        this.showEmpty();
        this.renew();
        setInterval(() => this.renew(), RENEWED_EVERY_MS);
        // Its panel was chosen.
        new IntersectionObserver(() => this.renew()).observe(this.element);
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
        this.showEmpty();
        fill(this.list, ...this.book.latest.slice(0, SHOWN).map((cloak) => this.item(cloak, now)));
    }

    /** As long as none is listed: whether there were any at all. */
    private showEmpty(): void {
        const isEmpty = this.book.latest.length === 0;
        this.empty.hidden = !isEmpty;
        if (isEmpty) setText(this.empty, emptyWords(this.counters.rows.at(-1)?.cloaks ?? 0));
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
                make('span', { class: 'size' }, counted(cloak.segments.length, 'road')),
                make('span', { class: 'age' }, ageWords((now - cloak.seenAt) / 1000)),
                make(
                    'span',
                    { class: 'wish' },
                    others > 0
                        ? t('{wish}, and {count} more', { wish, count: count(others) })
                        : wish,
                ),
            ),
        );
    }
}

/** @param left  cloaks since the service started, all of them before this page was opened */
export function emptyWords(left: number): string {
    if (left === 0) return t('No cloak has left yet.');
    return tn(
        left,
        '{count} cloak left before this page was opened. Those that leave from now on are listed here.',
        '{count} cloaks left before this page was opened. Those that leave from now on are listed here.',
        count(left),
    );
}
