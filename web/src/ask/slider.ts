// A number to choose: roughly with a slider, exactly by typing. Both have the same name for those who
// hear the page, and always show the same value.
import type { Bounds } from '../api/types';
import { clamp, sliderBounds } from '../charts/scale';
import { fill, freshId, make } from '../dom';

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
    private readonly exact: HTMLInputElement;

    constructor(
        words: SliderWords,
        private readonly bounds: Bounds,
        usual: number,
        changed: () => void,
    ) {
        const ends = sliderBounds(bounds, usual);
        const id = freshId(words.name);
        const hintId = freshId('hint');
        const shared = { min: bounds.least, 'aria-describedby': hintId };
        this.exact = make('input', {
            ...shared,
            id,
            type: 'number',
            name: words.name,
            max: bounds.most,
            step: words.isWhole ? 1 : 'any',
            required: true,
        });
        this.range = make('input', {
            ...shared,
            type: 'range',
            max: ends.most,
            step: 1,
            'aria-label': `${words.label}, ${words.unit}`,
        });
        this.value = bounds.standard;

        this.range.addEventListener('input', () => {
            this.exact.value = this.range.value;
            changed();
        });
        this.exact.addEventListener('input', () => {
            if (!this.exact.validity.valid) return;
            this.range.value = this.exact.value;
            changed();
        });
        this.element = make('div', { class: 'slider' });
        fill(
            this.element,
            make('label', { for: id }, words.label),
            make('span', { class: 'exact' }, this.exact, make('span', {}, words.unit)),
            this.range,
            make('p', { id: hintId, class: 'hint' }, words.hint),
        );
    }

    get value(): number {
        return clamp(this.exact.valueAsNumber, this.bounds);
    }

    set value(value: number) {
        this.exact.value = this.range.value = String(clamp(value, this.bounds));
    }
}
