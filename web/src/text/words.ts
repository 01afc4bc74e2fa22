// Numbers and requests as people read them.
import type { Request } from '../api/types';
import { language } from './language';

const whole = format({ maximumFractionDigits: 0 });
const fine = format({ maximumFractionDigits: 1, minimumFractionDigits: 1 });
const finer = format({ maximumFractionDigits: 2, minimumFractionDigits: 2 });
const amount = format({ maximumSignificantDigits: 6 });

/** Made when it is first used: a browser's first one takes a dozen milliseconds, and roads come before numbers. */
function format(options: Intl.NumberFormatOptions): (value: number) => string {
    let made: Intl.NumberFormat | null = null;
    return (value) => {
        made ??= new Intl.NumberFormat(language(), options);
        return made.format(value);
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
    return value >= 1000
        ? `${Number((value / 1000).toFixed(1))}k`
        : String(Number(value.toFixed(2)));
}

export function plural(number: number, one: string, many: string): string {
    return `${count(number)} ${number === 1 ? one : many}`;
}

/** What lengths are counted in. A plane may have any unit, and the service does not know which. */
export type LengthUnit = 'm' | 'units';

export function lengthUnit(map: { isGeographic: boolean }): LengthUnit {
    return map.isGeographic ? 'm' : 'units';
}

export function requestWords(request: Request, unit: LengthUnit): string {
    const names = request.categories?.map(categoryWords);
    const what = names?.length ? names.join(', ') : 'anything';
    if (request.type === 'knn') {
        const by = request.metric ? ` by ${request.metric}` : '';
        return `${count(request.k)} nearest${by}: ${what}`;
    }
    const reach =
        'radius_s' in request
            ? `${amount(request.radius_s)} s`
            : `${amount(request.radius_m)} ${unit}`;
    return `within ${reach}: ${what}`;
}

/** "car_repair" is for programs. */
export function categoryWords(category: string): string {
    return category.replaceAll('_', ' ');
}

/** With a capital letter, as a title has it. */
export function capital(words: string): string {
    return words.charAt(0).toUpperCase() + words.slice(1);
}

export function ageWords(seconds: number): string {
    if (seconds < 2) return 'just now';
    if (seconds < 100) return `${Math.round(seconds)} s ago`;
    return `${Math.round(seconds / 60)} min ago`;
}
