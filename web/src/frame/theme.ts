// Light or dark: as the system has it, or as chosen here. The root element's data-theme says which one is in force,
// so that style sheets and canvases need not ask twice.
import { freshId, make } from '../dom';
import { Signal } from '../state/signal';
import { t } from '../text/language';
import { recall, remember } from './memory';

type Choice = 'system' | 'light' | 'dark';

function choices(): Record<Choice, string> {
    return { system: t('Auto'), light: t('Light'), dark: t('Dark') };
}

export class Theme {
    /** Where to choose. */
    readonly element: HTMLElement;
    /** After the other theme is in force. */
    readonly changed = new Signal();
    private choice: Choice;
    private readonly darkSystem = matchMedia('(prefers-color-scheme: dark)');

    constructor() {
        const known = recall('theme');
        this.choice = known && known in choices() ? (known as Choice) : 'system';
        this.apply();
        this.darkSystem.addEventListener('change', () => this.apply());

        const id = freshId('theme');
        const select = make(
            'select',
            { id, 'data-testid': 'theme' },
            ...Object.entries(choices()).map(([value, label]) => make('option', { value }, label)),
        );
        select.value = this.choice;
        select.addEventListener('change', () => {
            this.choice = select.value as Choice;
            remember('theme', this.choice);
            this.apply();
        });
        this.element = make(
            'span',
            { class: 'theme' },
            make('label', { for: id, class: 'visually-hidden' }, t('Theme')),
            select,
        );
    }

    private apply(): void {
        const isDark =
            this.choice === 'dark' || (this.choice === 'system' && this.darkSystem.matches);
        const theme = isDark ? 'dark' : 'light';
        const root = document.documentElement;
        if (root.dataset.theme === theme) return;
        root.dataset.theme = theme;
        this.changed.emit();
    }
}
