// A heat map for those who would rather read, or have it read: one row per road, sorted as they like.
import { fill, make } from '../dom';
import { type RoadMap, roadLabel } from '../map/road_map';
import { percent } from '../text/measures';
import { type BeliefRow, type Column, sorted } from './belief';

const COLUMNS: { column: Column; title: string; show: (row: BeliefRow, map: RoadMap) => string }[] =
    [
        { column: 'segment', title: 'Road', show: ({ segment }, map) => roadLabel(map, segment) },
        { column: 'linkability', title: 'Suspicion', show: (row) => percent(row.linkability) },
        { column: 'error', title: 'Error', show: (row) => percent(row.error) },
    ];

export class BeliefTable {
    readonly element: HTMLElement;
    private readonly head = make('tr', {});
    private readonly body = make('tbody', {});
    private rows: BeliefRow[] = [];
    private by: Column = 'linkability';
    private isDescending = true;

    constructor(
        caption: string,
        private readonly map: RoadMap,
    ) {
        this.element = make(
            'details',
            { class: 'beliefs', hidden: true },
            make('summary', {}, 'Road by road'),
            make(
                'table',
                {},
                make('caption', { class: 'visually-hidden' }, caption),
                make('thead', {}, this.head),
                this.body,
            ),
        );
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
        fill(this.head, ...COLUMNS.map(({ column, title }) => this.heading(column, title)));
        fill(
            this.body,
            ...sorted(this.rows, this.by, this.isDescending).map((row) =>
                make('tr', {}, ...COLUMNS.map(({ show }) => make('td', {}, show(row, this.map)))),
            ),
        );
    }

    private heading(column: Column, title: string): HTMLElement {
        const order = this.isDescending ? 'descending' : 'ascending';
        return make(
            'th',
            { scope: 'col', 'aria-sort': column === this.by ? order : undefined },
            make(
                'button',
                { type: 'button', 'data-column': column, onclick: () => this.sortBy(column) },
                title,
            ),
        );
    }
}
