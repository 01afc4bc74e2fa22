// What can be done with a recorded run, in the place of the form: those who asked did so then, and there would be no
// company for a question of today.
import './replay.css';
import { make } from '../dom';
import { t } from '../text/language';

export interface ReplayActions {
    showCloaks(): void;
    /** Null where nothing can be attacked. */
    attack: (() => void) | null;
}

export function makeReplayPanel({ showCloaks, attack }: ReplayActions): HTMLElement {
    const button = (id: string, words: string, onclick: () => void) =>
        make('button', { type: 'button', 'data-testid': id, onclick }, words);
    return make(
        'div',
        { class: 'replay-panel', 'data-testid': 'replay-panel' },
        make(
            'p',
            {},
            t(
                'This run was recorded, and its travellers asked their questions then. A question of today would find no company, so none can be asked here.',
            ),
        ),
        make('h3', {}, t('What you can do')),
        make(
            'ul',
            {},
            make(
                'li',
                {},
                t(
                    'Pause it, let it run faster or slower, or go to another moment: with the bar above the maps.',
                ),
            ),
            make(
                'li',
                {},
                t(
                    "Choose a cloak on the provider's map, or from the list, to see what is known of it and to save it.",
                ),
                button('replay-cloaks', t('List of the cloaks'), showCloaks),
            ),
            attack &&
                make(
                    'li',
                    {},
                    t('See what an adversary would make of it.'),
                    button('replay-attack', t('Attack a cloak'), attack),
                ),
            make(
                'li',
                {},
                t('See in the charts how many were answered, and how long they waited.'),
            ),
        ),
        make(
            'p',
            { class: 'hint' },
            t('To ask a question yourself, start a demo with travellers: starcloak demo MAP.scm'),
        ),
    );
}
