// The parts of the map and who serves them: how busy workers, gateways and parts are, and the roads in the
// colours of their parts. Asked for only while it is in sight.
import type { ClusterPage } from '../api/types';
import { type Child, fill, make, setText } from '../dom';
import type { Session } from '../state/model';
import { t } from '../text/language';
import { count, short, twoDecimals } from '../text/words';
import {
    conditionOf,
    coresWords,
    gatewaysOf,
    memoryWords,
    type PartRow,
    partRows,
    proposalsWords,
    verdictOn,
    workersOf,
} from './cluster_rows';
import type { PartsLayer } from './parts_layer';

export class ClusterPanel {
    readonly element: HTMLElement;
    private readonly state = make('p', { class: 'state', role: 'status' });
    private readonly figures = make('dl', { class: 'cluster-figures' });
    private readonly workers: Table;
    private readonly gateways: Table;
    private readonly parts: Table;
    private readonly painted: HTMLInputElement;
    private isInSight = false;

    constructor(
        private readonly session: Session,
        private readonly layer: PartsLayer,
    ) {
        this.workers = new Table(t('Workers'), 'workers', [
            t('Worker'),
            t('State'),
            t('Parts'),
            t('Queries/s'),
            t('CPU'),
            t('Memory'),
            t('Proposals (left)'),
        ]);
        this.gateways = new Table(t('Gateways'), 'gateways', [
            t('Gateway'),
            t('State'),
            t('Waiting'),
            t('CPU'),
            t('Memory'),
        ]);
        this.parts = new Table(t('Parts, the busiest first'), 'parts', [
            t('Part'),
            t('Worker'),
            t('Waiting'),
            t('Queries/s'),
        ]);
        this.painted = make('input', {
            type: 'checkbox',
            id: 'paint-parts',
            'data-testid': 'paint-parts',
            onchange: () => void this.paint(),
        });
        this.element = make(
            'div',
            { class: 'cluster', 'data-testid': 'cluster' },
            this.state,
            this.figures,
            make(
                'p',
                { class: 'paint-parts' },
                this.painted,
                make('label', { for: this.painted.id }, t('Colour the roads by part')),
            ),
            make(
                'p',
                { class: 'hint' },
                t(
                    "The map shows a part's number in its middle; neighbouring parts differ in colour.",
                ),
            ),
            this.workers.element,
            this.gateways.element,
            this.parts.element,
        );
        new IntersectionObserver(([entry]) => {
            this.isInSight = entry.isIntersecting;
            this.watchIfSeen();
        }).observe(this.element);
        document.addEventListener('visibilitychange', () => this.watchIfSeen());
        session.cluster?.changed.on(() => this.show());
    }

    private watchIfSeen(): void {
        const { cluster } = this.session;
        if (cluster) cluster.isWatched = this.isInSight && !document.hidden;
    }

    private show(): void {
        const { page = null, trouble = null } = this.session.cluster ?? {};
        this.element.classList.toggle('is-stale', trouble !== null);
        if (trouble) setText(this.state, trouble.message);
        else if (page) setText(this.state, verdictOn(page));
        if (page && !trouble) this.showPage(page);
    }

    private showPage(page: ClusterPage): void {
        fill(
            this.figures,
            ...figure(t('Imbalance'), twoDecimals(page.imbalance)),
            ...figure(t('Epoch'), count(page.epoch)),
            ...figure(
                t('Messages'),
                t('{sent} out, {received} in', {
                    sent: short(page.messages_out),
                    received: short(page.messages_in),
                }),
            ),
        );
        this.workers.show(
            workersOf(page).map((worker) => [
                worker.name,
                condition(worker, page.beat_s),
                count(worker.parts),
                short(worker.load),
                coresWords(worker.cpu),
                memoryWords(worker.memory),
                proposalsWords(worker),
            ]),
        );
        this.gateways.show(
            gatewaysOf(page).map((gateway) => [
                gateway.self ? t('{name} (this one)', { name: gateway.name }) : gateway.name,
                condition(gateway, page.beat_s),
                count(gateway.open),
                coresWords(gateway.cpu),
                memoryWords(gateway.memory),
            ]),
        );
        this.parts.show(partRows(page).map((row) => this.partCells(row)));
    }

    private partCells(row: PartRow): Child[] {
        const colour = this.layer.colours[row.part];
        const swatch =
            this.painted.checked &&
            colour !== undefined &&
            make('span', { class: `part-swatch part-${colour}`, 'aria-hidden': 'true' });
        const bar = make('span', { class: 'bar-fill' });
        bar.style.width = `${100 * row.share}%`;
        return [
            make('span', { class: 'part-name' }, swatch, String(row.part)),
            row.served
                ? row.worker
                : make(
                      'strong',
                      { class: 'odd' },
                      row.worker ? t('{name}, not yet', { name: row.worker }) : t('no worker'),
                  ),
            count(row.pending),
            make(
                'span',
                { class: 'part-load' },
                make('span', { class: 'bar', 'aria-hidden': 'true' }, bar),
                short(row.load),
            ),
        ];
    }

    private async paint(): Promise<void> {
        const { layer, painted } = this;
        try {
            if (painted.checked && !layer.hasPartition) layer.use(await this.session.partition());
        } catch (error) {
            painted.checked = false;
            if (!(error instanceof Error)) throw error;
            setText(this.state, error.message);
            return;
        }
        layer.isVisible = painted.checked;
        if (this.session.cluster?.page) this.show();
    }
}

function figure(name: string, value: string): HTMLElement[] {
    return [make('dt', {}, name), make('dd', {}, value)];
}

function condition(...[peer, beat_s]: Parameters<typeof conditionOf>): Child {
    const { words, isOdd } = conditionOf(peer, beat_s);
    return isOdd ? make('strong', { class: 'odd' }, words) : words;
}

/** A table with a title, whose first cell of each row names it. */
class Table {
    readonly element: HTMLElement;
    private readonly body = make('tbody');

    constructor(title: string, testId: string, headings: readonly string[]) {
        this.element = make(
            'div',
            // What is too wide is scrolled to, by keyboard too.
            {
                class: 'cluster-table',
                tabindex: 0,
                role: 'region',
                'aria-label': title,
                'data-testid': testId,
            },
            make(
                'table',
                {},
                make('caption', {}, title),
                make(
                    'thead',
                    {},
                    make('tr', {}, ...headings.map((text) => make('th', { scope: 'col' }, text))),
                ),
                this.body,
            ),
        );
    }

    show(rows: readonly (readonly Child[])[]): void {
        fill(
            this.body,
            ...rows.map(([name, ...cells]) =>
                make(
                    'tr',
                    {},
                    make('th', { scope: 'row' }, name),
                    ...cells.map((cell) => make('td', {}, cell)),
                ),
            ),
        );
    }
}
