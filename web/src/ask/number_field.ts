// A number to be typed, within limits. What is typed stays until the field is left: then a number beyond the limits is
// replaced by the nearest that is allowed, and a line below says so.
import type { Bounds } from '../api/types';
import { clamp } from '../charts/scale';
import { freshId, make, setText } from '../dom';
import { t } from '../text/language';
import { upToTwoDecimals } from '../text/words';

export interface NumberFieldOptions {
    name: string;
    id?: string;
    /** For those who hear the page, where no label has it. */
    label?: string;
    /** The id of what describes it. */
    describedBy?: string;
    /** Whole numbers, or any. */
    isWhole: boolean;
}

type Limits = Pick<Bounds, 'least' | 'most'>;

export class NumberField {
    readonly input: HTMLInputElement;
    /** What the limit is, and what was changed; empty while all is well. */
    readonly note: HTMLElement;
    private limits: Limits = { least: 0, most: Number.MAX_VALUE };
    private isWhole: boolean;
    private lastGood = 0;

    constructor(options: NumberFieldOptions, changed: () => void) {
        this.isWhole = options.isWhole;
        const noteId = freshId('limit');
        this.note = make('p', { id: noteId, class: 'limit', role: 'status' });
        this.input = make('input', {
            id: options.id,
            type: 'number',
            name: options.name,
            required: true,
            'aria-label': options.label,
            'aria-describedby': [options.describedBy, noteId].filter(Boolean).join(' '),
        });
        this.input.addEventListener('input', () => {
            const fault = this.fault();
            this.say(fault ?? '');
            if (fault) return;
            this.lastGood = this.input.valueAsNumber;
            changed();
        });
        this.input.addEventListener('change', () => {
            if (this.correct()) changed();
        });
    }

    /** Where a number's limits, or what it counts, change. */
    configure(limits: Limits, isWhole: boolean, value: number): void {
        this.limits = limits;
        this.isWhole = isWhole;
        this.input.min = String(limits.least);
        this.input.max = String(limits.most);
        this.input.step = isWhole ? '1' : 'any';
        this.value = value;
    }

    /** Always within the limits, whatever stands in the field. */
    get value(): number {
        return this.allowed(this.input.valueAsNumber);
    }

    set value(value: number) {
        this.lastGood = this.allowed(value);
        this.input.value = String(this.lastGood);
        this.say('');
    }

    private allowed(value: number): number {
        if (!Number.isFinite(value)) return this.lastGood;
        const near = clamp(value, { ...this.limits, standard: this.lastGood });
        return this.isWhole ? Math.round(near) : near;
    }

    /** What is wrong with what is typed; null: nothing. */
    private fault(): string | null {
        const typed = this.input.valueAsNumber;
        const { least, most } = this.limits;
        if (!Number.isFinite(typed)) return t('A number from {least} to {most}.', this.inWords());
        if (typed > most) return t('At most {most}.', this.inWords());
        if (typed < least) return t('At least {least}.', this.inWords());
        if (this.isWhole && !Number.isInteger(typed)) return t('A whole number.');
        return null;
    }

    private correct(): boolean {
        if (this.fault() === null) return false;
        const typed = this.input.value;
        this.value = this.allowed(this.input.valueAsNumber);
        const now = upToTwoDecimals(this.lastGood);
        this.say(
            typed === ''
                ? t('Nothing was typed; it is {now} again.', { now })
                : t('{typed} is not possible here; it is {now} now.', { typed, now }),
        );
        return true;
    }

    private inWords(): { least: string; most: string } {
        const { least, most } = this.limits;
        return { least: upToTwoDecimals(least), most: upToTwoDecimals(most) };
    }

    private say(words: string): void {
        setText(this.note, words);
        this.input.toggleAttribute('data-off', words !== '');
    }
}
