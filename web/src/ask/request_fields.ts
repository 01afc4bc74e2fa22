// What to look for: a kind of place, how many or how far, and what counts as near.
import type { Metric, Request } from '../api/types';
import { fill, freshId, make } from '../dom';
import type { RoadMap } from '../map/road_map';
import type { Session } from '../state/model';
import { t } from '../text/language';
import {
    capital,
    categoryWords,
    count,
    type LengthUnit,
    lengthUnit,
    unitWords,
} from '../text/words';
import { NumberField } from './number_field';

/** Seconds. */
const MINUTE = 60;

export class RequestFields {
    readonly element: HTMLElement;
    /** What counts as near, which few change. */
    readonly metricElement: HTMLElement;
    private readonly category: HTMLSelectElement;
    private readonly way: HTMLSelectElement;
    private readonly metric: HTMLSelectElement;
    private readonly amount: NumberField;
    private readonly amountUnit = make('span', {});
    private readonly unit: LengthUnit;

    /** @param changed  by hand */
    constructor(
        private readonly session: Session,
        changed: () => void,
    ) {
        this.unit = lengthUnit(session.map);
        const [id, metricId] = [freshId('category'), freshId('metric')];
        this.category = make('select', { id, name: 'category' }, ...this.categories());
        this.way = make(
            'select',
            { name: 'way', 'aria-label': t('How many') },
            make('option', { value: 'knn' }, t('the nearest')),
            make('option', { value: 'range' }, t('all within')),
        );
        this.metric = make(
            'select',
            { id: metricId, name: 'metric', 'data-testid': 'ask-metric' },
            make('option', { value: 'time' }, t('by time')),
            make('option', { value: 'distance' }, t('by distance')),
        );
        this.metric.value = session.about.metric;
        // A provider of points knows distances only.
        this.metric.disabled = session.about.max_radius_s === 0;
        this.amount = new NumberField({ name: 'amount', isWhole: true }, changed);
        for (const choice of [this.way, this.metric]) {
            choice.addEventListener('change', () => {
                this.wayChanged();
                changed();
            });
        }
        this.category.addEventListener('change', changed);
        this.wayChanged();
        this.element = make(
            'div',
            { class: 'what' },
            make(
                'div',
                { class: 'kind' },
                make('label', { for: id }, t('Look for')),
                this.category,
            ),
            make('span', { class: 'amount' }, this.way, this.amount.input, this.amountUnit),
            this.amount.note,
        );
        this.metricElement = make(
            'div',
            { class: 'kind' },
            make('label', { for: metricId }, t('What is near')),
            this.metric,
        );
    }

    get request(): Request {
        const amount = this.amount.value;
        const categories = this.category.value ? [this.category.value] : undefined;
        const metric = this.metric.value as Metric;
        if (this.way.value === 'knn') return { type: 'knn', metric, k: amount, categories };
        return metric === 'time'
            ? { type: 'range', metric, radius_s: amount * MINUTE, categories }
            : { type: 'range', metric, radius_m: amount, categories };
    }

    /** Of several categories there is room for the first. */
    set request(request: Request) {
        this.category.value = request.categories?.[0] ?? '';
        this.way.value = request.type;
        this.metric.value = request.metric ?? this.session.about.metric;
        this.wayChanged();
        if (request.type === 'knn') this.amount.value = request.k;
        else if ('radius_s' in request) this.amount.value = request.radius_s / MINUTE;
        else this.amount.value = request.radius_m;
    }

    private categories(): HTMLOptionElement[] {
        const named = this.session.categories.map(({ name, objects }) => {
            const words = capital(categoryWords(name));
            const many = objects === null ? words : `${words} (${count(objects)})`;
            return make('option', { value: name }, many);
        });
        return [make('option', { value: '' }, t('Anything')), ...named];
    }

    private wayChanged(): void {
        const isNearest = this.way.value === 'knn';
        const { about } = this.session;
        if (isNearest) {
            this.amount.configure({ least: 1, most: about.max_nearest }, true, 5);
            this.amount.input.setAttribute('aria-label', t('How many places'));
            fill(this.amountUnit, t('places'));
            return;
        }
        const isByTime = this.metric.value === 'time';
        const most = isByTime ? about.max_radius_s / MINUTE : about.max_radius_m;
        const usual = isByTime ? 5 : this.unit === 'm' ? 500 : usualRadius(this.session.map);
        const label = isByTime
            ? t('Minutes by road')
            : this.unit === 'm'
              ? t('Metres by road')
              : t('Distance by road');
        this.amount.configure({ least: Math.min(1, usual), most }, false, usual);
        this.amount.input.setAttribute('aria-label', label);
        fill(this.amountUnit, isByTime ? 'min' : unitWords(this.unit));
    }
}

/** On a plane of unknown unit: a twentieth of what there is, to one digit. */
function usualRadius({ width, height, stretch }: RoadMap): number {
    return Number((Math.max(width, height) / stretch / 20).toPrecision(1));
}
