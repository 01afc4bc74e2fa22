// What is attacked, and with what assumptions: the cloak, its members, the victim, and the button that starts it.

import { clamp } from '../charts/scale';
import { fill, freshId, make, setText } from '../dom';
import { type RoadMap, roadName } from '../map/road_map';
import type { SeenCloak } from '../state/model';
import { t, tn } from '../text/language';
import { count } from '../text/words';
import { MEMBERS_MOST, type Suspect } from './suspects';

export interface ControlsListener {
    start(): void;
    /** Another number of travellers is assumed. */
    assumed(): void;
    showOnMap(): void;
    close(): void;
}

export class AttackControls {
    readonly element: HTMLElement;
    private readonly about = make('p', { class: 'members' });
    private readonly start: HTMLButtonElement;
    private readonly locate: HTMLButtonElement;
    private readonly victims: HTMLSelectElement;
    private readonly victimField: HTMLElement;
    private readonly number: HTMLInputElement;
    private readonly numberField: HTMLElement;

    constructor(
        private readonly map: RoadMap,
        listener: ControlsListener,
    ) {
        this.start = make(
            'button',
            {
                type: 'button',
                class: 'primary',
                'data-testid': 'attack-start',
                disabled: true,
                onclick: () => listener.start(),
            },
            t('Attack this cloak'),
        );
        this.locate = make(
            'button',
            { type: 'button', disabled: true, onclick: () => listener.showOnMap() },
            t('Show on map'),
        );
        this.victims = make('select', { id: freshId('victim') });
        this.victimField = make(
            'div',
            { class: 'field', hidden: true },
            make('label', { for: this.victims.id }, t('Whom to find')),
            this.victims,
        );
        this.number = make('input', {
            id: freshId('assumed'),
            type: 'number',
            min: 1,
            max: MEMBERS_MOST,
            step: 1,
            oninput: () => {
                if (this.number.validity.valid) listener.assumed();
            },
        });
        this.numberField = make(
            'div',
            { class: 'field', hidden: true },
            make('label', { for: this.number.id }, t('Travellers to assume')),
            this.number,
        );
        const close = make(
            'button',
            {
                type: 'button',
                class: 'quiet',
                'data-testid': 'attack-close',
                title: t('Let go of the cloak (Escape): none is chosen then'),
                onclick: () => listener.close(),
            },
            t('Let go'),
            make('span', { 'aria-hidden': 'true' }, ' ×'),
        );
        this.element = make('div', { class: 'attack-controls' });
        fill(
            this.element,
            make('div', { class: 'attack-head' }, close, this.about),
            this.numberField,
            this.victimField,
            make('div', { class: 'actions' }, this.start, this.locate),
        );
    }

    get assumed(): number {
        const bounds = { least: 1, standard: 5, most: MEMBERS_MOST };
        return Math.round(clamp(this.number.valueAsNumber, bounds));
    }

    /** Which suspect is the victim. */
    get victim(): number {
        return Math.max(0, this.victims.selectedIndex);
    }

    open(cloak: SeenCloak, standardK: number): void {
        this.element.dataset.cloak = cloak.id;
        this.number.value = String(Math.min(MEMBERS_MOST, standardK));
        this.isWorking = false;
        this.locate.disabled = false;
    }

    showSuspects(suspects: readonly Suspect[]): void {
        const known = suspects.filter(({ isAssumed }) => !isAssumed);
        const isAssuming = known.length < suspects.length;
        this.numberField.hidden = !isAssuming;
        this.victimField.hidden = known.length < 2;
        const chosen = this.victims.value;
        fill(
            this.victims,
            ...suspects.map(({ name, segment }) =>
                make(
                    'option',
                    { value: name },
                    t('{name}, on {road}', { name, road: roadName(this.map, segment) }),
                ),
            ),
        );
        if (suspects.some(({ name }) => name === chosen)) this.victims.value = chosen;
        setText(this.about, knownWords(known.length, suspects.length));
    }

    set isStartable(isStartable: boolean) {
        this.start.disabled = !isStartable;
    }

    set isWorking(isWorking: boolean) {
        this.start.disabled = isWorking;
        this.victims.disabled = isWorking;
        this.number.disabled = isWorking;
        setText(this.start, isWorking ? t('Attacking ...') : t('Attack this cloak'));
    }
}

/** What the adversary, and this page, know of those in the cloak. */
function knownWords(known: number, all: number): string {
    if (known === all)
        return tn(
            all,
            'Of the traveller in it the adversary knows what was asked for, though not from where.',
            'Of the {count} travellers in it the adversary knows what they asked for, though not who asked for what, nor where they are.',
            count(all),
        );
    return known > 0
        ? t(
              'Who else is in this cloak is not known here, so travellers with the standard profile are assumed, somewhere on its roads.',
          )
        : t(
              'Who is in this cloak is not known here, so travellers with the standard profile are assumed, somewhere on its roads.',
          );
}
