// What am I looking at? Three steps, for who is here for the first time; the demo has a story instead (story/). Once closed it stays closed, on this
// machine, until it is asked for again. On a small screen it is at first a line, so that the map is in sight.
import { make } from '../dom';
import { t } from '../text/language';
import { recall, remember } from './memory';

/** As in layout.css. */
const SMALL = '(max-width: 899px), (max-height: 500px)';

interface Step {
    title: string;
    text: string;
}

export class Welcome {
    readonly element: HTMLDetailsElement;
    /** Opens and closes it. */
    readonly opener: HTMLButtonElement;

    /** @param hasTravellers  they are shown as well: a wall, or a recorded run */
    constructor(hasTravellers: boolean) {
        this.element = make(
            'details',
            { class: 'welcome', id: 'welcome' },
            make('summary', {}, make('h2', {}, t('What am I looking at?'))),
            make(
                'div',
                { class: 'welcome-steps' },
                make('ol', {}, ...steps(hasTravellers).map(({ title, text }) => item(title, text))),
                make(
                    'button',
                    { type: 'button', class: 'primary', onclick: () => this.show(false) },
                    t('Got it'),
                ),
            ),
        );
        this.element.open = !matchMedia(SMALL).matches;
        this.opener = make(
            'button',
            {
                type: 'button',
                class: 'quiet',
                'aria-controls': 'welcome',
                'data-testid': 'welcome-open',
                'aria-label': t('What is this?'),
                onclick: () => this.toggle(),
            },
            make('span', {}, t('What is this')),
            '?',
        );
        this.show(recall('welcome') !== 'read');
    }

    private toggle(): void {
        const isOpening = this.element.hidden;
        if (isOpening) this.element.open = true;
        this.show(isOpening);
    }

    private show(isOpen: boolean): void {
        // The button that closed it is gone then: the focus goes where it can be opened again.
        const hadFocus = this.element.contains(document.activeElement);
        this.element.hidden = !isOpen;
        this.opener.setAttribute('aria-expanded', String(isOpen));
        remember('welcome', isOpen ? 'open' : 'read');
        if (hadFocus && !isOpen) this.opener.focus();
    }
}

function item(title: string, text: string): HTMLElement {
    return make('li', {}, make('strong', {}, title), ' ', text);
}

function steps(hasTravellers: boolean): Step[] {
    return [
        {
            title: t('A traveller asks.'),
            text: hasTravellers
                ? t('For the nearest café, say. The provider does not learn on which road.')
                : t(
                      'For the nearest café, say. Neither this page nor the provider learns on which road.',
                  ),
        },
        {
            title: t('It finds company.'),
            text: t(
                'With enough others nearby it is hidden in a cloak: a set of roads, and each of them may be on any.',
            ),
        },
        {
            title: t('The provider sees only the cloak.'),
            text: t(
                'Its map is below. It answers for all roads of the cloak, and StarCloak picks the exact answer for each traveller.',
            ),
        },
    ];
}
