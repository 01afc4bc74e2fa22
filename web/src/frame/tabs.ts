// Panels of which one is shown, chosen by tabs: arrow keys move between them, as screen readers announce it.
import { make } from '../dom';
import { Signal } from '../state/signal';

export interface Tab {
    id: string;
    label: string;
    panel: HTMLElement;
}

export class Tabs {
    readonly list: HTMLElement;
    /** Whoever chose it; and only if it was chosen here, by hand. */
    readonly chosen = new Signal<string>();
    readonly pressed = new Signal<string>();
    private readonly buttons = new Map<string, HTMLButtonElement>();
    private current = '';

    /** Panels get their role here; where they stand on the page is the caller's business. */
    constructor(
        label: string,
        readonly all: readonly Tab[],
    ) {
        this.list = make('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
        for (const tab of all) this.list.append(this.buttonFor(tab));
        this.list.addEventListener('keydown', (event) => this.moveBy(event));
        this.choose(all[0].id);
    }

    get id(): string {
        return this.current;
    }

    choose(id: string): void {
        if (!this.buttons.has(id)) return;
        this.current = id;
        for (const tab of this.all) {
            const isChosen = tab.id === id;
            const button = this.buttons.get(tab.id);
            button?.setAttribute('aria-selected', String(isChosen));
            if (button) button.tabIndex = isChosen ? 0 : -1;
            tab.panel.classList.toggle('is-chosen', isChosen);
        }
        this.chosen.emit(id);
    }

    private press(id: string): void {
        this.choose(id);
        this.pressed.emit(id);
    }

    private buttonFor(tab: Tab): HTMLButtonElement {
        const button = make(
            'button',
            {
                type: 'button',
                role: 'tab',
                id: `tab-${tab.id}`,
                'aria-controls': `panel-${tab.id}`,
                'data-testid': `tab-${tab.id}`,
                onclick: () => this.press(tab.id),
            },
            tab.label,
        );
        tab.panel.id = `panel-${tab.id}`;
        tab.panel.setAttribute('role', 'tabpanel');
        tab.panel.tabIndex = -1;
        tab.panel.setAttribute('aria-labelledby', button.id);
        tab.panel.classList.add('tab-panel');
        this.buttons.set(tab.id, button);
        return button;
    }

    private moveBy(event: KeyboardEvent): void {
        // A tab may be hidden by the style sheet where its panel is always in sight.
        const shown = this.all.filter((tab) => this.buttons.get(tab.id)?.offsetParent !== null);
        const at = shown.findIndex((tab) => tab.id === this.current);
        const next = nextIndex(event.key, at, shown.length);
        if (next === null) return;
        event.preventDefault();
        this.press(shown[next].id);
        this.buttons.get(shown[next].id)?.focus();
    }
}

function nextIndex(key: string, at: number, count: number): number | null {
    if (key === 'ArrowRight') return (at + 1) % count;
    if (key === 'ArrowLeft') return (at + count - 1) % count;
    if (key === 'Home') return 0;
    if (key === 'End') return count - 1;
    return null;
}
