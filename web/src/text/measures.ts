// Counts, times, distances and long lists as people read them; words.ts has plain numbers.
import { t, tn } from './language';
import { count, decimal, type LengthUnit, unitWords, upToOneDecimal } from './words';

/** Between a number and its unit, so that no line ends there. */
const NO_BREAK = '\u00a0';

export type Noun =
    | 'byte'
    | 'cloak'
    | 'crossing'
    | 'more byte'
    | 'more letter'
    | 'other'
    | 'part'
    | 'place'
    | 'road'
    | 'traveller'
    | 'worker';

/** "1 road", "12 roads". */
export function counted(number: number, noun: Noun): string {
    const shown = count(number);
    switch (noun) {
        case 'byte':
            return tn(number, '{count} byte', '{count} bytes', shown);
        case 'cloak':
            return tn(number, '{count} cloak', '{count} cloaks', shown);
        case 'crossing':
            return tn(number, '{count} crossing', '{count} crossings', shown);
        case 'more byte':
            return tn(number, '{count} more byte', '{count} more bytes', shown);
        case 'more letter':
            return tn(number, '{count} more letter', '{count} more letters', shown);
        case 'other':
            return tn(number, '{count} other', '{count} others', shown);
        case 'part':
            return tn(number, '{count} part', '{count} parts', shown);
        case 'place':
            return tn(number, '{count} place', '{count} places', shown);
        case 'road':
            return tn(number, '{count} road', '{count} roads', shown);
        case 'traveller':
            return tn(number, '{count} traveller', '{count} travellers', shown);
        case 'worker':
            return tn(number, '{count} worker', '{count} workers', shown);
    }
}

function withUnit(value: number | string, unit: string): string {
    return `${value}${NO_BREAK}${unit}`;
}

/** "1.3 s", "12 s". */
export function seconds(value: number): string {
    return withUnit(value < 9.95 ? upToOneDecimal(value) : count(value), 's');
}

/** "45 s", "12 min", "1 h 5 min": how long one drives. */
export function duration(value: number): string {
    if (value < 99.5) return withUnit(Math.round(value), 's');
    const minutes = Math.round(value / 60);
    if (minutes < 60) return withUnit(minutes, 'min');
    return `${withUnit(Math.floor(minutes / 60), 'h')} ${withUnit(minutes % 60, 'min')}`;
}

/** "85 m", "1.2 km"; on a plane of unknown unit "85 units", "0.012 units". */
export function distance(value: number, unit: LengthUnit): string {
    if (unit !== 'm') return withUnit(Number(value.toPrecision(3)), unitWords(unit));
    return value < 999.5 ? withUnit(Math.round(value), 'm') : withUnit(decimal(value / 1000), 'km');
}

/** "12 %", "0.4 %". */
export function percent(share: number): string {
    const value = 100 * share;
    return withUnit(value >= 10 ? count(value) : upToOneDecimal(value), '%');
}

/** More are counted and not named: a line has to stay readable. */
const LISTED_MOST = 24;

export function listed(values: readonly number[]): string {
    if (values.length <= LISTED_MOST) return values.join(', ');
    return t('{listed} and {count} more', {
        listed: values.slice(0, LISTED_MOST).join(', '),
        count: count(values.length - LISTED_MOST),
    });
}
