// Low, medium, high: profiles for who would not like to think of four numbers. Medium is the operator's standard;
// all are within the operator's bounds.
import type { About, Profile } from '../api/types';
import { clamp } from '../charts/scale';
import { make } from '../dom';
import { t } from '../text/language';

export type Level = 'low' | 'medium' | 'high';

export const LEVELS: readonly Level[] = ['low', 'medium', 'high'];

/** Low asks for half the company and the roads; high for twice as many, with more reach and time to find them. */
export function profileOf(level: Level, bounds: About['profile']): Profile {
    const scaled = (part: keyof Profile, low: number, high: number) => {
        const { standard } = bounds[part];
        const factor = level === 'low' ? low : level === 'high' ? high : 1;
        const value = factor === 1 ? standard : Math.ceil(standard * factor);
        return clamp(value, bounds[part]);
    };
    return {
        k: scaled('k', 0.5, 2),
        l: scaled('l', 0.5, 2),
        max_hops: scaled('max_hops', 1, 1.5),
        max_wait_s: scaled('max_wait_s', 1, 2),
    };
}

/** Which level a profile is; null if it is none. Where bounds make them alike it is medium. */
export function levelOf(profile: Profile, bounds: About['profile']): Level | null {
    const isSame = (level: Level) => {
        const other = profileOf(level, bounds);
        return (Object.keys(other) as (keyof Profile)[]).every(
            (part) => other[part] === profile[part],
        );
    };
    if (isSame('medium')) return 'medium';
    return LEVELS.find(isSame) ?? null;
}

/** Three choices side by side. */
export class PrivacyLevels {
    readonly element: HTMLElement;
    private readonly inputs = new Map<Level, HTMLInputElement>();

    constructor(choose: (level: Level) => void) {
        const words: Record<Level, string> = {
            low: t('Low'),
            medium: t('Medium'),
            high: t('High'),
        };
        const choices = LEVELS.map((level) => {
            const input = make('input', {
                type: 'radio',
                name: 'privacy',
                value: level,
                'data-testid': `ask-privacy-${level}`,
                onchange: () => choose(level),
            });
            this.inputs.set(level, input);
            return make('label', {}, input, make('span', {}, words[level]));
        });
        this.element = make('div', { class: 'levels' }, ...choices);
    }

    /** @param level  null: values of one's own */
    show(level: Level | null): void {
        for (const [name, input] of this.inputs) input.checked = name === level;
    }
}
