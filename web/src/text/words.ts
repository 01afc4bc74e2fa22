// Numbers and requests as people read them.
import type { Request } from '../api/types';
import { germanCategories } from './german_categories';
import { type Language, language, t } from './language';

const whole = format({ maximumFractionDigits: 0 });
const upToOne = format({ maximumFractionDigits: 1 });
const upToTwo = format({ maximumFractionDigits: 2 });
const fine = format({ maximumFractionDigits: 1, minimumFractionDigits: 1 });
const finer = format({ maximumFractionDigits: 2, minimumFractionDigits: 2 });
const amount = format({ maximumSignificantDigits: 6 });

/** Made when it is first used: a browser's first one takes a dozen milliseconds, and roads come before numbers. */
function format(options: Intl.NumberFormatOptions): (value: number) => string {
    const made = new Map<Language, Intl.NumberFormat>();
    return (value) => {
        const own = made.get(language()) ?? new Intl.NumberFormat(language(), options);
        made.set(language(), own);
        return own.format(value);
    };
}

export function count(value: number): string {
    return whole(value);
}

/** About three digits, and for a value that moves always as many: 0.42, 6.0, 128, 14.2 k. */
export function short(value: number): string {
    const size = Math.abs(value);
    if (size >= 999_500) return `${short(value / 1_000_000)} M`;
    if (size >= 9_995) return `${short(value / 1000)} k`;
    if (size >= 99.5 || size === 0) return whole(value);
    return size >= 1 ? fine(value) : finer(value);
}

/** As short as can be, for the numbers at an axis: 0.5, 20, 1k. */
export function compact(value: number): string {
    return value >= 1000 ? `${upToOne(value / 1000)}k` : upToTwo(value);
}

/** With one decimal: "4.0". */
export function decimal(value: number): string {
    return fine(value);
}

/** With two: "0.97". */
export function twoDecimals(value: number): string {
    return finer(value);
}

/** With one decimal where there is one: "4", "4.2". */
export function upToOneDecimal(value: number): string {
    return upToOne(value);
}

/** With two decimals where there are: "4", "4.25". */
export function upToTwoDecimals(value: number): string {
    return upToTwo(value);
}

export function plural(number: number, one: string, many: string): string {
    return `${count(number)} ${number === 1 ? one : many}`;
}

/** What lengths are counted in. A plane may have any unit, and the service does not know which. */
export type LengthUnit = 'm' | 'units';

export function lengthUnit(map: { isGeographic: boolean }): LengthUnit {
    return map.isGeographic ? 'm' : 'units';
}

/** "m", "units" as they are shown. */
export function unitWords(unit: LengthUnit): string {
    return unit === 'm' ? 'm' : t('units');
}

export function requestWords(request: Request, unit: LengthUnit): string {
    const names = request.categories?.map(categoryWords);
    const what = names?.length ? names.join(', ') : t('anything');
    if (request.type === 'knn') {
        const near = { count: count(request.k), what };
        if (request.metric === 'time') return t('{count} nearest by time: {what}', near);
        if (request.metric === 'distance') return t('{count} nearest by distance: {what}', near);
        return t('{count} nearest: {what}', near);
    }
    const reach =
        'radius_s' in request
            ? `${amount(request.radius_s)} s`
            : `${amount(request.radius_m)} ${unitWords(unit)}`;
    return t('within {reach}: {what}', { reach, what });
}

/** "car_repair" is for programs. */
export function categoryWords(category: string): string {
    const german = language() === 'de' ? germanCategories[category] : undefined;
    return german ?? category.replaceAll('_', ' ');
}

/** With a capital letter, as a title has it. */
export function capital(words: string): string {
    return words.charAt(0).toUpperCase() + words.slice(1);
}

/** As a sentence begins and ends: what programs say may have neither a capital letter nor a full stop. */
export function sentence(words: string): string {
    return `${capital(words)}${/[.!?]$/.test(words) ? '' : '.'}`;
}

export function ageWords(seconds: number): string {
    if (seconds < 2) return t('just now');
    const age = seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
    return t('{age} ago', { age });
}
