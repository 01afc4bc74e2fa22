// A number to choose: roughly with a slider, exactly by typing. Both have the same name for those who
// hear the page, and always show the same value.
import type { Bounds } from '../api/types';
import { sliderBounds } from '../charts/scale';
import { fill, freshId, make } from '../dom';
import { NumberField } from './number_field';

export interface SliderWords {
    /** Of the field, for tests and the browser's memory. */
    name: string;
    label: string;
    unit: string;
    hint: string;
    /** What may be typed: whole numbers, or any. The slider goes in whole steps. */
    isWhole: boolean;
}

export class Slider {
    readonly element: HTMLElement;
    private readonly range: HTMLInputElement;
    private readonly exact: NumberField;

    constructor(words: SliderWords, bounds: Bounds, usual: number, changed: () => void) {
        const ends = sliderBounds(bounds, usual);
        const id = freshId(words.name);
        const hintId = freshId('hint');
        const { name, isWhole } = words;
        this.exact = new NumberField({ name, id, describedBy: hintId, isWhole }, () => {
            this.range.value = String(this.exact.value);
            changed();
        });
        this.exact.configure(bounds, isWhole, bounds.standard);
        this.range = make('input', {
            type: 'range',
            min: bounds.least,
            max: ends.most,
            step: 1,
            'aria-label': `${words.label}, ${words.unit}`,
            'aria-describedby': hintId,
        });
        this.value = bounds.standard;
        this.range.addEventListener('input', () => {
            this.exact.value = this.range.valueAsNumber;
            changed();
        });
        this.element = make('div', { class: 'slider' });
        fill(
            this.element,
            make('label', { for: id }, words.label),
            make('span', { class: 'exact' }, this.exact.input, make('span', {}, words.unit)),
            this.range,
            this.exact.note,
            make('p', { id: hintId, class: 'hint' }, words.hint),
        );
    }

    get value(): number {
        return this.exact.value;
    }

    set value(value: number) {
        this.exact.value = value;
        this.range.value = String(this.exact.value);
    }
}
