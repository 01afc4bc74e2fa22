// One chart: a title, its value of the moment as text, and the lines of the last five minutes.
//
// What is drawn is for the eyes; the same is told in words by the label of the picture, which is changed
// seldom, so that a screen reader is not interrupted all the time.
import type uPlot from 'uplot';
import { make, setText } from '../dom';
import { KEPT_S } from '../state/counters';
import { current, type Measure, type Series, summary } from '../state/series';
import { t } from '../text/language';
import { compact, short } from '../text/words';

/** What draws them, a quarter of the page's script. */
export type Plotter = typeof uPlot;

const RELABELLED_EVERY_MS = 15_000;

export interface Line {
    measure: Measure;
    /** After the value; empty if the chart's title says it all. */
    label: string;
    /** A custom property of the style sheet. */
    colour: string;
}

export interface ChartWords {
    id: string;
    title: string;
    /** Beside the title. */
    unit: string;
    lines: readonly Line[];
    /** The top of the scale, if it is always the same. */
    most?: number;
}

export class Chart {
    readonly element: HTMLElement;
    private readonly values: HTMLElement[] = [];
    private readonly host: HTMLElement;
    private plotter: Plotter | null = null;
    private plot: uPlot | null = null;
    private data: uPlot.AlignedData;
    private labelledAt = Number.NEGATIVE_INFINITY;
    private wasLive = false;

    constructor(readonly words: ChartWords) {
        this.data = [[], ...words.lines.map(() => [])];
        this.host = make('div', { class: 'plot', role: 'img', 'aria-label': words.title });
        this.element = make(
            'figure',
            { class: 'chart', 'data-testid': `chart-${words.id}` },
            make(
                'figcaption',
                {},
                make('h3', {}, words.title, make('small', {}, ` ${words.unit}`)),
                make('p', { class: 'now' }, ...words.lines.map((line) => this.valueOf(line))),
            ),
            this.host,
        );
        new ResizeObserver(() => this.resize()).observe(this.host);
    }

    /** Until then there are its words alone. */
    drawWith(plotter: Plotter): void {
        this.plotter = plotter;
        this.resize();
    }

    /**
     * @param nowS    performance.now() / 1000, the right edge
     * @param isLive  else the newest value is an old one, and is not told as that of the moment
     */
    show(series: Series, nowS: number, isLive: boolean): void {
        const lines = this.words.lines.map((line) => series[line.measure]);
        this.data = [series.at.map((at) => at - nowS), ...lines];
        lines.forEach((values, i) => {
            const value = isLive ? current(values) : null;
            setText(this.values[i], value === null ? '–' : short(value));
        });
        this.plot?.setData(this.data);
        this.relabel(series, isLive);
    }

    /** In the colours and the type of the moment. */
    restyle(): void {
        this.plot?.destroy();
        this.plot = null;
        this.resize();
    }

    private resize(): void {
        const { clientWidth: width, clientHeight: height } = this.host;
        if (width === 0 || height === 0) return;
        if (this.plot) this.plot.setSize({ width, height });
        else if (this.plotter)
            this.plot = new this.plotter(this.options(width, height), this.data, this.host);
    }

    private valueOf(line: Line): HTMLElement {
        const value = make('b', {}, '–');
        this.values.push(value);
        const swatch = make('i', { class: 'swatch', 'aria-hidden': 'true' });
        swatch.style.background = `var(${line.colour})`;
        const isAlone = this.words.lines.length === 1;
        return make('span', {}, !isAlone && swatch, value, ` ${line.label}`);
    }

    private relabel(series: Series, isLive: boolean): void {
        const now = performance.now();
        if (isLive === this.wasLive && now - this.labelledAt < RELABELLED_EVERY_MS) return;
        this.wasLive = isLive;
        let isAnythingKnown = false;
        const told = this.words.lines.map(({ measure, label }) => {
            const value = isLive ? current(series[measure]) : null;
            const range = summary(series[measure]);
            if (value === null || !range) return t('{label} not known', { label });
            isAnythingKnown = true;
            return t('{label} {value} {unit}, between {least} and {most} in the last minutes', {
                label,
                value: short(value),
                unit: this.words.unit,
                least: short(range.least),
                most: short(range.most),
            });
        });
        // As long as there is nothing to tell, the next second may bring it.
        if (isAnythingKnown) this.labelledAt = now;
        this.host.setAttribute('aria-label', `${this.words.title}: ${told.join('; ')}`);
    }

    private options(width: number, height: number): uPlot.Options {
        const style = getComputedStyle(this.host);
        const colour = (name: string) => style.getPropertyValue(name).trim();
        // A whole number: uPlot enlarges fonts for dense screens, and finds the size by its digits before "px".
        const size = Math.round(Number.parseFloat(style.fontSize));
        const axis: uPlot.Axis = {
            stroke: colour('--muted'),
            font: `${size}px ${style.fontFamily}`,
            grid: { stroke: colour('--chart-grid'), width: 1 },
            ticks: { show: false },
            gap: size * 0.35,
        };
        return {
            width,
            height,
            padding: [size * 0.6, size * 1.2, 0, 0],
            legend: { show: false },
            cursor: { show: false },
            scales: {
                x: { time: false, range: [-KEPT_S, 0] },
                y: { range: (_plot, _least, most) => [0, this.words.most ?? roundUp(most)] },
            },
            axes: [
                {
                    ...axis,
                    size: size * 1.8,
                    grid: { show: false },
                    // On a narrow chart three of them would touch.
                    splits: ({ width }) => (width < 18 * size ? [-240, 0] : [-240, -120, 0]),
                    values: (_plot, splits) => splits.map(minutesAgo),
                },
                {
                    ...axis,
                    size: size * 2.9,
                    space: size * 2.2,
                    values: (_plot, splits) => splits.map(compact),
                },
            ],
            series: [
                {},
                ...this.words.lines.map((line) => ({
                    stroke: colour(line.colour),
                    width: Math.max(1.5, size / 8),
                    points: { show: false },
                })),
            ],
        };
    }
}

function minutesAgo(seconds: number): string {
    return seconds === 0 ? t('now') : `${-seconds / 60} min`;
}

/** A little room above the highest value; something to look at if there is none yet. */
function roundUp(most: number | null): number {
    return most && most > 0 ? most * 1.1 : 1;
}
