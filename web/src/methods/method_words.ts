// What is told of each method, row by row: plain text from plain numbers.
import type { MethodFigures } from '../api/types';
import { t } from '../text/language';
import { percent, seconds } from '../text/measures';
import { count, decimal } from '../text/words';

export interface FigureRow {
    id: string;
    name: string;
    /** One for each method; a dash where nothing is known. */
    values: string[];
}

const UNKNOWN = '–';

function orUnknown(value: number | null | undefined, words: (value: number) => string): string {
    return value === null || value === undefined ? UNKNOWN : words(value);
}

/** Of fewer questions and cloaks a share says nothing: it would jump from one second to the next. */
const JUDGED_LEAST = 20;
const ATTACKED_LEAST = 10;

/** Whether so many questions are judged that their share can be told. */
export function isJudged(figures: MethodFigures | null): boolean {
    return figures !== null && figures.asked >= JUDGED_LEAST;
}

export function successWords(figures: MethodFigures | null): string {
    return isJudged(figures) ? orUnknown(figures?.success, percent) : UNKNOWN;
}

export function roadsWords(figures: MethodFigures | null): string {
    return orUnknown(figures?.segments, decimal);
}

export function chanceWords(figures: MethodFigures | null): string {
    const isKnown = figures !== null && figures.attacked >= ATTACKED_LEAST;
    return isKnown ? orUnknown(figures.chance, percent) : UNKNOWN;
}

/** @param all  in the order of the columns; null of one that is not known yet */
export function figureRows(all: readonly (MethodFigures | null)[]): FigureRow[] {
    const row = (id: string, name: string, words: (figures: MethodFigures | null) => string) => ({
        id,
        name,
        values: all.map(words),
    });
    return [
        row('success', t('Get a cloak'), successWords),
        row('roads', t('Roads per cloak'), roadsWords),
        row('chance', t("Adversary's chance"), chanceWords),
        row('users', t('Travellers per cloak'), (figures) => orUnknown(figures?.users, decimal)),
        row('borders', t('Ways out of a cloak'), (figures) =>
            orUnknown(figures?.border_nodes, decimal),
        ),
        row('wait', t('Wait for a cloak'), (figures) => orUnknown(figures?.wait_s, seconds)),
        row('pending', t('Waiting now'), (figures) => orUnknown(figures?.pending, count)),
        row('asked', t('Questions judged'), (figures) => orUnknown(figures?.asked, count)),
        row('attacked', t('Cloaks attacked'), (figures) => orUnknown(figures?.attacked, count)),
    ];
}
