// Counts, times, distances and long lists as people read them; words.ts has plain numbers.
import { type LengthUnit, plural } from './words';

/** "1 road", "12 roads": for words that make their plural that way. */
export function counted(number: number, word: string): string {
    return plural(number, word, `${word}s`);
}

/** "1.3 s", "12 s". */
export function seconds(value: number): string {
    return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} s`;
}

/** "45 s", "12 min", "1 h 5 min": how long one drives. */
export function duration(value: number): string {
    if (value < 99.5) return `${Math.round(value)} s`;
    const minutes = Math.round(value / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "85 m", "1.2 km"; on a plane of unknown unit "85 units", "0.012 units". */
export function distance(value: number, unit: LengthUnit): string {
    if (unit !== 'm') return `${Number(value.toPrecision(3))} ${unit}`;
    return value < 999.5 ? `${Math.round(value)} m` : `${(value / 1000).toFixed(1)} km`;
}

/** "12 %", "0.4 %". */
export function percent(share: number): string {
    const value = 100 * share;
    return `${value >= 10 || value === 0 ? Math.round(value) : Number(value.toFixed(1))} %`;
}

/** More are counted and not named: a line has to stay readable. */
const LISTED_MOST = 24;

export function listed(values: readonly number[]): string {
    if (values.length <= LISTED_MOST) return values.join(', ');
    return `${values.slice(0, LISTED_MOST).join(', ')} and ${values.length - LISTED_MOST} more`;
}
