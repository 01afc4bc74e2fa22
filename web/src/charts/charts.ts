// How it went in the last five minutes: five charts, and the same as a table. While the service is away they are
// pale and have no values of the moment: what was last heard is not how it is.
import type { About } from '../api/types';
import { fill, make } from '../dom';
import type { Theme } from '../frame/theme';
import { current, type Series, seriesOf, summary } from '../state/series';
import type { LiveSession } from '../state/session';
import { t } from '../text/language';
import { short } from '../text/words';
import { Chart, type ChartWords } from './chart';

/** Bytes go to a provider elsewhere; one in the same process has none, but roads to answer for like any other. */
export function chartsFor(provider: About['provider']): readonly ChartWords[] {
    const load: ChartWords =
        provider === 'http'
            ? {
                  id: 'bytes',
                  title: t('Provider'),
                  unit: t('bytes per second'),
                  lines: [
                      { measure: 'bytesOut', label: t('sent'), colour: '--series-1' },
                      { measure: 'bytesIn', label: t('back'), colour: '--series-2' },
                  ],
              }
            : {
                  id: 'load',
                  title: t('Provider'),
                  unit: t('asked per second'),
                  lines: [
                      { measure: 'cloaks', label: t('cloaks'), colour: '--series-2' },
                      { measure: 'roads', label: t('roads'), colour: '--series-1' },
                  ],
              };
    return [
        {
            id: 'success',
            title: t('Answered'),
            unit: t('% of queries'),
            lines: [{ measure: 'success', label: '%', colour: '--series-1' }],
            most: 100,
        },
        {
            id: 'wait',
            title: t('Wait'),
            unit: t('mean, seconds'),
            lines: [{ measure: 'wait', label: 's', colour: '--series-1' }],
        },
        {
            id: 'cloak',
            title: t('In a cloak'),
            unit: t('mean (k and l)'),
            lines: [
                { measure: 'users', label: t('travellers'), colour: '--series-2' },
                { measure: 'segments', label: t('roads'), colour: '--series-1' },
            ],
        },
        load,
        {
            id: 'drops',
            title: t('Not answered'),
            unit: t('per second'),
            lines: [
                { measure: 'expired', label: t('late'), colour: '--series-3' },
                { measure: 'infeasible', label: t('impossible'), colour: '--series-2' },
                { measure: 'failed', label: t('failed'), colour: '--series-1' },
            ],
        },
    ];
}

export class Charts {
    readonly element: HTMLElement;
    private readonly charts: readonly Chart[];
    private readonly table = make('tbody');
    private readonly details: HTMLDetailsElement;
    private isInSight = false;
    private isBegun = false;

    constructor(
        private readonly session: LiveSession,
        theme: Theme,
    ) {
        const { counters, about, linkChanged } = session;
        this.charts = chartsFor(about.provider).map((words) => new Chart(words));
        this.details = make(
            'details',
            { class: 'chart-table' },
            make('summary', {}, t('The same as a table')),
            make(
                'div',
                // What is too high for the place of the charts is scrolled to, by keyboard too.
                { tabindex: 0, role: 'region', 'aria-label': t('The last five minutes') },
                make(
                    'table',
                    {},
                    make('caption', { class: 'visually-hidden' }, t('The last five minutes')),
                    make('thead', {}, headings()),
                    this.table,
                ),
            ),
        );
        this.element = make(
            'section',
            { class: 'charts' },
            make('h2', { class: 'visually-hidden' }, t('The last five minutes')),
            make('div', { class: 'chart-row' }, ...this.charts.map((chart) => chart.element)),
            this.details,
        );
        new IntersectionObserver(([entry]) => {
            this.isInSight = entry.isIntersecting;
            this.update();
        }).observe(this.element);
        this.details.addEventListener('toggle', () => this.update());
        document.addEventListener('visibilitychange', () => this.update());
        theme.changed.on(() => {
            for (const chart of this.charts) chart.restyle();
        });
        counters.changed.on(() => this.update());
        linkChanged.on(() => this.update());
    }

    /** When they are first seen, which is after the first frame: before, it would keep the roads waiting. */
    private async begin(): Promise<void> {
        this.isBegun = true;
        try {
            const { default: plotter } = await import('uplot');
            for (const chart of this.charts) chart.drawWith(plotter);
        } catch {
            // The service went away just now. Tried again with the next news.
            this.isBegun = false;
        }
    }

    /** Nothing is computed for charts that nobody sees. */
    private update(): void {
        if (!this.isInSight || document.hidden) return;
        if (!this.isBegun) void this.begin();
        const series = seriesOf(this.session.counters.rows, this.session.replay !== null);
        const nowS = this.session.clockS();
        const isLive = this.session.link === 'live';
        this.element.classList.toggle('is-stale', !isLive);
        for (const chart of this.charts) chart.show(series, nowS, isLive);
        if (this.details.open)
            fill(this.table, ...this.charts.flatMap(({ words }) => rows(words, series, isLive)));
    }
}

function headings(): HTMLElement {
    const heading = (text: string) => make('th', { scope: 'col' }, text);
    return make('tr', {}, ...[t('What'), t('now'), t('mean'), t('least'), t('most')].map(heading));
}

function rows(chart: ChartWords, series: Series, isLive: boolean): HTMLElement[] {
    return chart.lines.map(({ measure, label }) => {
        const now = isLive ? current(series[measure]) : null;
        const range = summary(series[measure]);
        const isAlone = chart.lines.length === 1;
        const name = `${chart.title}, ${chart.unit}${isAlone ? '' : `: ${label}`}`;
        const values = [now, range?.mean, range?.least, range?.most];
        return make(
            'tr',
            {},
            make('th', { scope: 'row' }, name),
            ...values.map((value) =>
                make('td', {}, value === null || value === undefined ? '–' : short(value)),
            ),
        );
    });
}
