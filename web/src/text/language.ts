// The language of the page: English, or German where the browser prefers it.
//
// English is the key: t('Ask') is "Ask" in English and what a dictionary has for it in German. Values stand in
// braces: t('{count} roads', { count }). Each folder has the German of its own texts in german.ts; a text without
// a translation is shown in English, and test/text/language.test.ts fails for it.
import { german } from './german';

export type Language = 'en' | 'de';

/** `?lang=de` in the address, else what was chosen last, else the first of the browser's languages that there is. */
export function chooseLanguage(
    search: string,
    remembered: string | null,
    preferred: readonly string[],
): Language {
    const asked = new URLSearchParams(search).get('lang') ?? remembered;
    for (const name of [...(asked ? [asked] : []), ...preferred]) {
        const language = name.slice(0, 2).toLowerCase();
        if (language === 'en' || language === 'de') return language;
    }
    return 'en';
}

let current: Language = 'en';

/** Once, before anything is shown. */
export function useLanguage(language: Language): void {
    current = language;
}

export function language(): Language {
    return current;
}

export type Values = Readonly<Record<string, string | number>>;

/** `text` in the language of the page, with `values` in the place of their names in braces. */
export function t(text: string, values: Values = {}): string {
    const words = current === 'de' ? (german.get(text) ?? text) : text;
    return words.replace(/\{(\w+)\}/g, (whole, name: string) =>
        name in values ? String(values[name]) : whole,
    );
}

/** "1 road", "12 roads": `one` and `many` are texts with {count}, which is shown as `shown`. */
export function tn(
    count: number,
    one: string,
    many: string,
    shown: string,
    values: Values = {},
): string {
    return t(count === 1 ? one : many, { ...values, count: shown });
}
