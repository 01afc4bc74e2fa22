// The form of a question: where, how private, what for. It knows nothing of how questions are asked.
//
// Once a question is asked, the form folds into a line, so that what comes of it is in sight.
import type { Metric, Profile, Request } from '../api/types';
import { fill, freshId, make, setText } from '../dom';
import { isOneWay, type RoadMap, roadName } from '../map/road_map';
import type { Session } from '../state/model';
import { counted, seconds } from '../text/measures';
import { categoryWords, type LengthUnit, lengthUnit, requestWords } from '../text/words';
import { type PrivacySliders, privacySliders } from './privacy_sliders';

/** Seconds. */
const MINUTE = 60;

export interface FormListener {
    /** Privacy was chosen anew. */
    changed(): void;
    chooseForMe(): void;
    submit(): void;
    cancel(): void;
}

export class AskForm {
    readonly element: HTMLFormElement;
    private readonly place = make('p', { class: 'place', 'data-testid': 'ask-place' });
    private readonly sliders: PrivacySliders;
    private readonly category: HTMLSelectElement;
    private readonly way: HTMLSelectElement;
    private readonly metric: HTMLSelectElement;
    private readonly amount: HTMLInputElement;
    private readonly amountUnit = make('span', {});
    private readonly token: HTMLInputElement | null;
    private readonly fields: HTMLFieldSetElement;
    private readonly submit: HTMLButtonElement;
    private readonly cancel: HTMLButtonElement;
    private readonly unfold: HTMLButtonElement;
    private readonly summary = make('p', { class: 'summary', hidden: true });
    private readonly unit: LengthUnit;
    private segment: number | null = null;

    constructor(
        private readonly session: Session,
        listener: FormListener,
    ) {
        this.unit = lengthUnit(session.map);
        this.sliders = privacySliders(session.about, () => listener.changed());
        this.category = make('select', { name: 'category' }, ...this.categories());
        this.way = make(
            'select',
            { name: 'way', 'aria-label': 'How many' },
            make('option', { value: 'knn' }, 'the nearest'),
            make('option', { value: 'range' }, 'all within'),
        );
        this.metric = make(
            'select',
            { name: 'metric', 'aria-label': 'What is near', 'data-testid': 'ask-metric' },
            make('option', { value: 'time' }, 'by time'),
            make('option', { value: 'distance' }, 'by distance'),
        );
        this.metric.value = session.about.metric;
        // A provider of points knows distances only.
        this.metric.disabled = session.about.max_radius_s === 0;
        this.amount = make('input', { type: 'number', name: 'amount', required: true });
        this.token = session.demo ? null : tokenInput();
        this.submit = make(
            'button',
            { type: 'submit', class: 'primary', 'data-testid': 'ask-submit' },
            'Ask',
        );
        this.cancel = make(
            'button',
            { type: 'button', hidden: true, 'data-testid': 'ask-cancel' },
            'Withdraw it',
        );
        this.unfold = make(
            'button',
            { type: 'button', hidden: true, 'data-testid': 'ask-change' },
            'Change the question',
        );
        this.fields = make(
            'fieldset',
            { class: 'bare' },
            make('legend', { class: 'visually-hidden' }, 'Your question'),
            this.whereGroup(listener),
            this.privacyGroup(),
            this.whatGroup(),
            this.tokenGroup(),
        );
        this.element = make(
            'form',
            { class: 'ask-form', 'data-testid': 'ask-form', 'aria-label': 'Ask a question' },
            this.fields,
            this.summary,
            make('div', { class: 'actions' }, this.submit, this.cancel, this.unfold),
        );

        this.way.addEventListener('change', () => this.wayChanged());
        this.metric.addEventListener('change', () => this.wayChanged());
        this.cancel.addEventListener('click', () => listener.cancel());
        this.unfold.addEventListener('click', () => {
            this.isFolded = false;
            this.submit.focus();
        });
        this.element.addEventListener('submit', (event) => {
            event.preventDefault();
            listener.submit();
        });
        this.wayChanged();
        this.showPlace(null);
    }

    get profile(): Profile {
        return {
            k: this.sliders.k.value,
            l: this.sliders.l.value,
            max_hops: this.sliders.max_hops.value,
            max_wait_s: this.sliders.max_wait_s.value,
        };
    }

    set profile({ k, l, max_hops, max_wait_s }: Profile) {
        this.sliders.k.value = k;
        this.sliders.l.value = l;
        this.sliders.max_hops.value = max_hops;
        this.sliders.max_wait_s.value = max_wait_s;
    }

    get request(): Request {
        const amount = this.amount.valueAsNumber;
        const categories = this.category.value ? [this.category.value] : undefined;
        const metric = this.metric.value as Metric;
        if (this.way.value === 'knn') return { type: 'knn', metric, k: amount, categories };
        return metric === 'time'
            ? { type: 'range', metric, radius_s: amount * MINUTE, categories }
            : { type: 'range', metric, radius_m: amount, categories };
    }

    /** Of several categories the form has room for the first. */
    set request(request: Request) {
        this.category.value = request.categories?.[0] ?? '';
        this.way.value = request.type;
        this.metric.value = request.metric ?? this.session.about.metric;
        this.wayChanged();
        if (request.type === 'knn') this.amount.valueAsNumber = request.k;
        else if ('radius_s' in request) this.amount.valueAsNumber = request.radius_s / MINUTE;
        else this.amount.valueAsNumber = request.radius_m;
    }

    /** @param segment  null: none was chosen yet */
    showPlace(segment: number | null): void {
        this.segment = segment;
        fill(
            this.place,
            segment === null
                ? 'Click a road on the map.'
                : `You are on ${this.roadWords(segment)}. Click another road to move.`,
        );
    }

    private roadWords(segment: number): string {
        const { map } = this.session;
        return `${roadName(map, segment)}${isOneWay(map, segment) ? ', which is one-way' : ''}`;
    }

    /** False, and the reader is told why, if something is missing. */
    check(): boolean {
        this.fields.querySelector('.missing')?.remove();
        this.takeToken();
        if (this.segment !== null) return this.element.reportValidity();
        const missing = make(
            'p',
            { class: 'missing', role: 'alert' },
            'First choose where you are.',
        );
        this.place.after(missing);
        // Who pressed the button below may have scrolled it out of sight, or under the steps.
        missing.scrollIntoView({ block: 'center' });
        return false;
    }

    set isWaiting(isWaiting: boolean) {
        const hadFocus = this.element.contains(document.activeElement);
        if (isWaiting) this.isFolded = true;
        this.submit.hidden = isWaiting;
        this.cancel.hidden = !isWaiting;
        this.unfold.hidden = isWaiting || this.fields.hidden === false;
        // A hidden button loses the keyboard; the one that took its place gets it.
        if (hadFocus) (isWaiting ? this.cancel : this.submit).focus();
    }

    set isFolded(isFolded: boolean) {
        this.fields.hidden = isFolded;
        this.summary.hidden = this.unfold.hidden = !isFolded;
        setText(this.submit, isFolded ? 'Ask again' : 'Ask');
        if (isFolded) setText(this.summary, this.inWords());
    }

    askForToken(): void {
        this.isFolded = false;
        this.token?.focus();
    }

    private inWords(): string {
        const { k, l, max_hops, max_wait_s } = this.profile;
        const privacy = `${counted(k, 'traveller')}, ${counted(l, 'road')}, ${counted(max_hops, 'crossing')}, ${seconds(max_wait_s)}`;
        const from = this.segment === null ? '' : roadName(this.session.map, this.segment);
        return `From ${from}: ${requestWords(this.request, this.unit)}. Privacy: ${privacy}.`;
    }

    /** The page's memory is the only place where it is kept. */
    private takeToken(): void {
        if (!this.token) return;
        const typed = this.token.value.trim();
        if (typed) this.session.token = typed;
        this.token.required = this.session.token === null;
    }

    private categories(): HTMLOptionElement[] {
        const named = this.session.categories.map(({ name, objects }) => {
            const words = categoryWords(name);
            return make(
                'option',
                { value: name },
                objects === null ? words : `${words} (${objects})`,
            );
        });
        return [make('option', { value: '' }, 'anything'), ...named];
    }

    private whereGroup(listener: FormListener): HTMLElement {
        return make(
            'div',
            { class: 'where' },
            this.place,
            make(
                'button',
                {
                    type: 'button',
                    'data-testid': 'ask-choose',
                    onclick: () => listener.chooseForMe(),
                },
                'Choose for me',
            ),
        );
    }

    private privacyGroup(): HTMLElement {
        const { k, l, max_hops, max_wait_s } = this.sliders;
        return make(
            'fieldset',
            {},
            make('legend', {}, 'How private'),
            k.element,
            l.element,
            max_hops.element,
            max_wait_s.element,
        );
    }

    private whatGroup(): HTMLElement {
        const categoryId = freshId('category');
        this.category.id = categoryId;
        return make(
            'fieldset',
            { class: 'what' },
            make('legend', {}, 'Look for'),
            make('label', { for: categoryId, class: 'visually-hidden' }, 'Kind of place'),
            this.category,
            make('span', { class: 'amount' }, this.way, this.amount, this.amountUnit, this.metric),
        );
    }

    private tokenGroup(): HTMLElement | null {
        if (!this.token) return null;
        this.token.id = freshId('token');
        return make(
            'div',
            { class: 'token' },
            make('label', { for: this.token.id }, 'Your token'),
            this.token,
            make('p', { class: 'hint' }, 'Kept in this page until you close it, and nowhere else.'),
        );
    }

    private wayChanged(): void {
        const isNearest = this.way.value === 'knn';
        const { about, map } = this.session;
        const isByTime = this.metric.value === 'time';
        const range = isByTime
            ? { most: about.max_radius_s / MINUTE, usual: 5, unit: 'min', label: 'Minutes by road' }
            : {
                  most: about.max_radius_m,
                  usual: this.unit === 'm' ? 500 : usualRadius(map),
                  unit: this.unit,
                  label: this.unit === 'm' ? 'Metres by road' : 'Distance by road',
              };
        const most = isNearest ? about.max_nearest : range.most;
        const usual = isNearest ? 5 : range.usual;
        this.amount.min = String(isNearest ? 1 : Math.min(1, usual));
        this.amount.step = isNearest ? '1' : 'any';
        this.amount.max = String(most);
        this.amount.value = String(Math.min(usual, most));
        this.amount.setAttribute('aria-label', isNearest ? 'How many places' : range.label);
        fill(this.amountUnit, isNearest ? 'places' : range.unit);
    }
}

function tokenInput(): HTMLInputElement {
    return make('input', {
        type: 'password',
        name: 'token',
        autocomplete: 'off',
        spellcheck: 'false',
        placeholder: 'sct1_...',
        'data-testid': 'ask-token',
    });
}

/** On a plane of unknown unit: a twentieth of what there is, to one digit. */
function usualRadius({ width, height, stretch }: RoadMap): number {
    return Number((Math.max(width, height) / stretch / 20).toPrecision(1));
}
