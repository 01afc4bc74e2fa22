// What the provider would see with each method: maps beside each other, in the place of the two others while the
// comparison is shown. They move together, and begin where the large map is.
import './methods.css';
import { CloaksLayer } from '../cloaks/cloaks_layer';
import { fill, make, setText } from '../dom';
import { methodName } from '../engine/method_names';
import type { Box } from '../map/grid';
import { MapPane } from '../map/pane';
import type { RoadMap } from '../map/road_map';
import { MapView } from '../map/view';
import { t } from '../text/language';
import { chanceWords, roadsWords, successWords } from './method_words';
import { METHODS_MOST, type MethodsFeed } from './methods_feed';

class MethodPane {
    readonly element: HTMLElement;
    private readonly title: HTMLElement;
    private readonly figures: HTMLElement;
    readonly pane: MapPane;

    constructor(
        private readonly feed: MethodsFeed,
        private readonly place: number,
        map: RoadMap,
        view: MapView,
    ) {
        this.title = make('h2', { id: `title-method-${place}` });
        this.figures = make('dl', {
            class: 'method-figures',
            'data-testid': `method-${place}-figures`,
        });
        const host = make('div', { class: 'map', 'data-testid': `pane-method-${place}` });
        this.element = make(
            'section',
            {
                class: 'method',
                hidden: true,
                'aria-labelledby': this.title.id,
                'data-testid': `method-${place}`,
            },
            this.title,
            this.figures,
            host,
        );
        this.pane = new MapPane(host, map, view, {
            label: t('Map of what the provider would see'),
            describedBy: this.title.id,
        });
        this.pane.add(new CloaksLayer(map, feed.cloaks[place]));
    }

    show(): void {
        const method = this.feed.methods[this.place];
        this.element.hidden = method === undefined;
        if (method === undefined) return;
        this.element.dataset.method = method;
        setText(this.title, methodName(method));
        const figures = this.feed.figuresOf(method);
        fill(
            this.figures,
            figure('success', successWords(figures), t('get a cloak')),
            figure('roads', roadsWords(figures), t('roads per cloak')),
            figure('chance', chanceWords(figures), t("adversary's chance")),
        );
    }
}

function figure(id: string, value: string, words: string): HTMLElement {
    return make(
        'div',
        { class: `method-${id}` },
        make('dt', {}, words),
        make('dd', { 'data-testid': `method-${id}` }, value),
    );
}

export class MethodsStage {
    readonly element: HTMLElement;
    private readonly panes: MethodPane[];
    private readonly view: MapView;
    private isInSight = false;

    /** @param large  the view of the page's other maps */
    constructor(
        private readonly feed: MethodsFeed,
        map: RoadMap,
        private readonly large: MapView,
    ) {
        this.view = new MapView(map);
        this.panes = Array.from(
            { length: METHODS_MOST },
            (_, place) => new MethodPane(feed, place, map, this.view),
        );
        this.element = make(
            'div',
            { class: 'methods-stage', 'data-testid': 'methods-stage' },
            ...this.panes.map(({ element }) => element),
        );
        feed.changed.on(() => this.show());
        new IntersectionObserver(([entry]) => {
            this.isInSight = entry.isIntersecting;
            this.listenIfSeen();
        }).observe(this.element);
        document.addEventListener('visibilitychange', () => this.listenIfSeen());
    }

    private listenIfSeen(): void {
        this.feed.isWatched = this.isInSight && !document.hidden;
    }

    private show(): void {
        const wasEmpty = this.panes.every(({ element }) => element.hidden);
        for (const pane of this.panes) pane.show();
        if (!wasEmpty || this.feed.methods.length === 0) return;
        // They have a size from now on.
        for (const { pane } of this.panes) pane.measure();
        if (this.large.isFitted) this.showWhat(this.large.seen);
    }

    /** At once: they may get another size in the next moment, and a movement would end half-way. */
    private showWhat({ west, east, north, south }: Box): void {
        const { width, height } = this.panes[0].pane;
        const scale = Math.min(width / (east - west), height / (south - north));
        this.view.set({
            scale,
            offsetX: (width - scale * (west + east)) / 2,
            offsetY: (height - scale * (north + south)) / 2,
        });
    }
}
