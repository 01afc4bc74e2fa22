// A heat map for those who would rather read, or have it read: one row per road, sorted as they like.
import { fill, make, setText } from '../dom';
import { type RoadMap, roadLabel } from '../map/road_map';
import { t } from '../text/language';
import { percent } from '../text/measures';
import { type BeliefRow, type Column, sorted } from './belief';

const COLUMNS: readonly { column: Column; show: (row: BeliefRow, map: RoadMap) => string }[] = [
    { column: 'segment', show: ({ segment }, map) => roadLabel(map, segment) },
    { column: 'linkability', show: (row) => percent(row.linkability) },
    { column: 'error', show: (row) => percent(row.error) },
];

function titleOf(column: Column): string {
    if (column === 'segment') return t('Road');
    return column === 'linkability' ? t('Suspicion') : t('Error');
}

export class BeliefTable {
    readonly element: HTMLElement;
    private readonly caption = make('caption', { class: 'visually-hidden' });
    private readonly head = make('tr', {});
    private readonly body = make('tbody', {});
    private rows: BeliefRow[] = [];
    private by: Column = 'linkability';
    private isDescending = true;

    constructor(private readonly map: RoadMap) {
        this.element = make(
            'details',
            { class: 'beliefs', hidden: true },
            make('summary', {}, t('Road by road')),
            make('table', {}, this.caption, make('thead', {}, this.head), this.body),
        );
    }

    /** What is in it. */
    describe(caption: string): void {
        setText(this.caption, caption);
    }

    show(rows: BeliefRow[]): void {
        this.rows = rows;
        this.element.hidden = rows.length === 0;
        this.render();
    }

    private sortBy(column: Column): void {
        // The largest suspicion is of interest first, but the smallest number of a road.
        this.isDescending = column === this.by ? !this.isDescending : column !== 'segment';
        this.by = column;
        this.render();
        this.head.querySelector<HTMLElement>(`[data-column=${column}]`)?.focus();
    }

    private render(): void {
        fill(this.head, ...COLUMNS.map(({ column }) => this.heading(column)));
        fill(
            this.body,
            ...sorted(this.rows, this.by, this.isDescending).map((row) =>
                make('tr', {}, ...COLUMNS.map(({ show }) => make('td', {}, show(row, this.map)))),
            ),
        );
    }

    private heading(column: Column): HTMLElement {
        const order = this.isDescending ? 'descending' : 'ascending';
        return make(
            'th',
            { scope: 'col', 'aria-sort': column === this.by ? order : undefined },
            make(
                'button',
                { type: 'button', 'data-column': column, onclick: () => this.sortBy(column) },
                titleOf(column),
            ),
        );
    }
}
