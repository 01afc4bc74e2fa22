// Find a street or a place by its name: a field with a list below it, as ARIA's combobox has it. Arrows move in the
// list, Enter goes there, Escape closes the list and then empties the field.
//
// Streets are the map's own. Places come from the demo, which knows the map's objects; a service does not tell them.
import { fill, freshId, make, setText } from '../dom';
import { t, tn } from '../text/language';
import { capital, categoryWords, count } from '../text/words';
import type { Found, FoundLayer } from './found_layer';
import type { Box } from './grid';
import type { Point, RoadMap } from './road_map';
import { StreetIndex } from './street_index';
import type { MapView } from './view';

/** Streets, and places, in the list. */
const STREETS_MOST = 6;
const PLACES_MOST = 6;
/** Milliseconds without a letter before places are asked for. */
const PAUSE_MS = 200;
/** Metres around a place that are shown with it. */
const AROUND_M = 150;

export interface NamedPlace {
    name: string;
    category: string;
    street: string | null;
    at: Point;
}

/** Places by name, from elsewhere. */
export type PlaceSource = (text: string, stop: AbortSignal) => Promise<NamedPlace[]>;

interface Choice extends Found {
    /** Behind the name: what it is. */
    detail: string;
    box: Box;
}

export class PlaceSearch {
    readonly element: HTMLElement;
    private readonly input: HTMLInputElement;
    private readonly list: HTMLElement;
    private readonly said = make('p', { class: 'visually-hidden', role: 'status' });
    private readonly streets: StreetIndex;
    private choices: Choice[] = [];
    /** The one that Enter takes; -1: none. */
    private active = -1;
    private asking: AbortController | null = null;
    private timer: ReturnType<typeof setTimeout> | undefined;

    /** @param places  null where there are none to be told */
    constructor(
        map: RoadMap,
        private readonly view: MapView,
        private readonly layer: FoundLayer,
        private readonly places: PlaceSource | null,
    ) {
        this.streets = new StreetIndex(map);
        const [listId, inputId] = [freshId('found'), freshId('search')];
        const label = places ? t('Find a street or a place') : t('Find a street');
        this.input = make('input', {
            id: inputId,
            type: 'text',
            role: 'combobox',
            autocomplete: 'off',
            spellcheck: 'false',
            enterkeyhint: 'search',
            placeholder: label,
            'aria-label': label,
            'aria-autocomplete': 'list',
            'aria-expanded': 'false',
            'aria-controls': listId,
            'data-testid': 'search',
        });
        this.list = make('ul', {
            id: listId,
            role: 'listbox',
            'aria-label': label,
            hidden: true,
            'data-testid': 'search-found',
        });
        this.element = make(
            'div',
            { class: 'place-search', hidden: this.streets.isEmpty && !places },
            this.input,
            this.list,
            this.said,
        );
        this.input.addEventListener('input', () => this.typed());
        this.input.addEventListener('keydown', (event) => this.pressed(event));
        this.input.addEventListener('focus', () => this.typed());
        this.input.addEventListener('blur', () => this.close());
    }

    private typed(): void {
        clearTimeout(this.timer);
        this.asking?.abort();
        const text = this.input.value.trim();
        if (text === '') {
            this.layer.show(null);
            this.close();
            return;
        }
        const streets = this.streets.find(text, STREETS_MOST).map(
            ({ name, segments, box }): Choice => ({
                name,
                segments,
                box,
                at: null,
                detail: t('street'),
            }),
        );
        this.offer(streets, this.places === null);
        if (this.places) this.timer = setTimeout(() => void this.ask(text, streets), PAUSE_MS);
    }

    private async ask(text: string, streets: Choice[]): Promise<void> {
        const stop = new AbortController();
        this.asking = stop;
        const places = await this.places?.(text, stop.signal).catch(() => []);
        if (stop.signal.aborted || document.activeElement !== this.input) return;
        const known = (places ?? []).slice(0, PLACES_MOST).map(choiceOf);
        this.offer([...streets, ...known], true);
    }

    /** @param isAll  whether nothing more will come: then it is said how many there are */
    private offer(choices: Choice[], isAll: boolean): void {
        this.choices = choices;
        this.active = -1;
        fill(
            this.list,
            ...choices.map((choice, i) => this.option(choice, i)),
            isAll && choices.length === 0 && nothingFound(),
        );
        this.list.hidden = this.list.childElementCount === 0;
        this.mark();
        if (!isAll) return;
        const found = tn(choices.length, '{count} found', '{count} found', count(choices.length));
        setText(this.said, choices.length > 0 ? found : t('Nothing found'));
    }

    private option({ name, detail }: Choice, i: number): HTMLElement {
        const option = make(
            'li',
            { role: 'option', id: `${this.list.id}-${i}` },
            make('span', { class: 'name' }, name),
            ' ',
            make('span', { class: 'detail' }, detail),
        );
        // Before the field loses the keyboard, and the list with it.
        option.addEventListener('pointerdown', (event) => event.preventDefault());
        option.addEventListener('click', () => this.take(i));
        return option;
    }

    private pressed(event: KeyboardEvent): void {
        const isOpen = !this.list.hidden;
        const { length } = this.choices;
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            if (!isOpen) this.typed();
            else if (length > 0) {
                const step = event.key === 'ArrowDown' ? 1 : -1;
                const from = this.active < 0 && step < 0 ? 0 : this.active;
                this.active = (from + step + length) % length;
                this.mark();
            }
        } else if (event.key === 'Enter') {
            if (length > 0) this.take(Math.max(0, this.active));
        } else if (event.key === 'Escape' && (isOpen || this.input.value !== '')) {
            if (isOpen) this.close();
            else {
                this.input.value = '';
                this.typed();
            }
        } else return;
        event.preventDefault();
    }

    private mark(): void {
        const options = this.list.querySelectorAll('[role="option"]:not([aria-disabled])');
        for (const [i, option] of options.entries()) {
            option.setAttribute('aria-selected', String(i === this.active));
            if (i === this.active) option.scrollIntoView({ block: 'nearest' });
        }
        this.input.setAttribute('aria-expanded', String(!this.list.hidden));
        if (this.active >= 0) {
            this.input.setAttribute('aria-activedescendant', `${this.list.id}-${this.active}`);
        } else this.input.removeAttribute('aria-activedescendant');
    }

    private take(i: number): void {
        const choice = this.choices[i];
        if (!choice) return;
        this.input.value = choice.name;
        this.close();
        this.layer.show(choice);
        this.view.show(choice.box);
        setText(this.said, t('The map shows {name}', { name: choice.name }));
    }

    private close(): void {
        clearTimeout(this.timer);
        this.asking?.abort();
        this.list.hidden = true;
        this.active = -1;
        this.mark();
    }
}

/** A line of the list, since a list may have nothing else in it. */
function nothingFound(): HTMLElement {
    const attributes = { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false' };
    return make('li', attributes, t('Nothing found'));
}

function choiceOf({ name, category, street, at }: NamedPlace): Choice {
    const kind = categoryWords(category);
    return {
        name: name === '' ? capital(kind) : name,
        detail: [name === '' ? null : kind, street].filter((words) => words !== null).join(', '),
        segments: [],
        at,
        box: {
            west: at.x - AROUND_M,
            north: at.y - AROUND_M,
            east: at.x + AROUND_M,
            south: at.y + AROUND_M,
        },
    };
}
