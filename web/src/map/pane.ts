// A pane of the map: roads below, what moves above, and hands on both.
//
// Below is the roads' picture, which is moved and scaled by the browser until there is a sharper one (roads.ts);
// over it two sheets that layers draw on (sheet.ts). A sheet is drawn when one of its layers has changed, and as often
// as the one that moves most says that it would look different: so a city seen from afar, where dots crawl, costs a
// few frames per second. All panes are drawn in the same frames, since the browser puts the whole page together for
// each. A pane out of sight is not drawn. A pane, and what is drawn on it, is there as long as the page.
import './map.css';
import { make } from '../dom';
import { t } from '../text/language';
import { BEAT_MS, pauseUntil } from './beat';
import { Gestures } from './gestures';
import { actOnKey } from './keys';
import type { Layer, Spot } from './layer';
import { nearestRoad } from './pick';
import { isOneWay, type Point, type RoadMap, roadName } from './road_map';
import type { RoadPicture } from './road_painter';
import { placed, Roads } from './roads';
import { Sheet } from './sheet';
import { StillCanvas } from './still_canvas';
import { onThemeChange } from './theme_colours';
import { Tips } from './tips';
import type { MapView } from './view';

/** CSS pixels around a click within which a thing is meant; and around the cross, which is moved in steps. */
const CLICK_REACH = 12;
const CROSS_REACH = 36;
/** ... within which a road is: from near, a click between two streets means the nearer one. */
const ROAD_REACH = 40;
export interface PaneOptions {
    /** What it shows, for those who cannot see it. */
    label: string;
    /** The id of an element that says more. */
    describedBy?: string;
    /**
     * A place was clicked, or picked at the cross; before a road is looked for there. True: it is taken care of.
     *
     * @param reach  metres around it that are meant as well
     */
    onPoint?: (at: Point, reach: number) => boolean;
    onPick?: (spot: Spot) => void;
}

export class MapPane {
    readonly element: HTMLElement;
    /** Resolves when roads can be seen for the first time; for tests and screenshots. */
    readonly drawn: Promise<void>;
    /** CSS pixels; 0 as long as it is not seen. */
    width = 0;
    height = 0;
    private readonly roadsCanvas = new StillCanvas('map-roads');
    private readonly movers = new Sheet('map-movers', false);
    private readonly top = new Sheet('map-top', true);
    private readonly sheets = [this.movers, this.top];
    private readonly roads: Roads;
    private readonly gestures: Gestures;
    private picture: RoadPicture | null = null;
    private isAwake = false;
    private isInSight = true;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private firstDrawn: () => void = () => {};

    constructor(
        host: HTMLElement,
        private readonly map: RoadMap,
        private readonly view: MapView,
        private readonly options: PaneOptions,
    ) {
        this.drawn = new Promise((resolve) => {
            this.firstDrawn = resolve;
        });
        // An application: screen readers then leave the arrows to us.
        this.element = make(
            'div',
            {
                class: 'map-pane',
                role: 'application',
                tabindex: 0,
                'aria-label': options.label,
                'aria-roledescription': t('map'),
                'aria-keyshortcuts': 'ArrowUp ArrowDown ArrowLeft ArrowRight + - 0 Enter',
            },
            this.roadsCanvas.element,
            ...this.sheets.map(({ canvas }) => canvas),
            make('div', { class: 'map-crosshair', 'aria-hidden': 'true' }),
        );
        if (options.describedBy) this.element.setAttribute('aria-describedby', options.describedBy);
        this.gestures = new Gestures(this.element, view);
        this.element.append(this.gestures.hint);
        host.append(this.element);

        this.roads = Roads.of(map, view);
        new ResizeObserver(() => this.measure()).observe(this.element);
        new IntersectionObserver(([entry]) => {
            this.isInSight = entry.isIntersecting;
            if (this.isInSight) this.invalidate();
        }).observe(this.element);
        view.onChange(() => this.follow());
        onThemeChange(() => this.invalidate());
        this.hearKeys();
        this.element.addEventListener('click', (event) => {
            const box = this.element.getBoundingClientRect();
            const at = { x: event.clientX - box.left, y: event.clientY - box.top };
            this.pick(at, CLICK_REACH / this.view.scale, ROAD_REACH / this.view.scale);
        });
        new Tips(host, this.element, view, (at, reach) => this.tipAt(at, reach));
        this.measure();
        this.roads.join(this);
    }

    add(layer: Layer): void {
        this.top.add(layer, () => this.wake());
    }

    /** Below all others, for one that moves all the time. */
    addMovers(layer: Layer): void {
        this.movers.add(layer, () => this.wake());
    }

    /** Everything looks different: draw all of it at the next frame. */
    invalidate(): void {
        for (const sheet of this.sheets) sheet.dueAt = 0;
        this.wake();
    }

    private wake(): void {
        if (this.isAwake || !this.isInSight) return;
        this.isAwake = true;
        clearTimeout(this.timer);
        requestAnimationFrame(() => {
            this.isAwake = false;
            if (this.width > 0 && this.isInSight) this.frame(performance.now());
        });
    }

    /** The roads have a new picture for us. */
    pictureChanged(picture: RoadPicture): void {
        const { canvas, ratio } = picture;
        const isFirst = this.picture === null;
        this.picture = picture;
        this.roadsCanvas.show(canvas.width, canvas.height, ratio, (context) => {
            context.drawImage(canvas, 0, 0);
        });
        this.placePicture();
        if (isFirst) requestAnimationFrame(() => this.tellFirstDraw());
    }

    private frame(now: number): void {
        for (const sheet of this.sheets) {
            // Not one frame for each of them.
            if (sheet.dueAt <= now + BEAT_MS / 2) sheet.draw(this.view, this, now);
        }
        const dueAt = Math.min(...this.sheets.map((sheet) => sheet.dueAt));
        if (dueAt === Infinity) return;
        this.timer = setTimeout(() => this.wake(), pauseUntil(dueAt, now));
    }

    private tellFirstDraw(): void {
        if (performance.getEntriesByName('map:bytes').length > 0) {
            performance.measure('map:first-draw', 'map:bytes');
        }
        this.firstDrawn();
    }

    private placePicture(): void {
        if (!this.picture) return;
        this.roadsCanvas.element.style.transform = placed(this.picture.pose, this.view);
    }

    /** By itself it notices a frame later that it has a place on the page, or another size. */
    measure(): void {
        const { clientWidth: width, clientHeight: height } = this.element;
        this.width = width;
        this.height = height;
        if (width === 0 || height === 0) return;
        if (this.view.isFitted) this.view.resize(width, height);
        else this.view.fit(this.map, width, height);
        this.follow();
        this.roads.wake();
    }

    // --- Hands -------------------------------------------------------------------------------

    private hearKeys(): void {
        this.element.addEventListener('keydown', (event) => {
            const middle = { x: this.width / 2, y: this.height / 2 };
            const pickMiddle = () => this.pick(middle, CROSS_REACH / this.view.scale);
            if (actOnKey(event, this.view, pickMiddle)) event.preventDefault();
        });
    }

    /**
     * @param reach      metres around it that are meant as well
     * @param roadReach  and within which a road must be; anywhere if there is none
     */
    private pick(at: Point, reach: number, roadReach?: number): void {
        const { onPoint, onPick } = this.options;
        const world = this.view.toWorld(at);
        if (onPoint?.(world, reach) || !onPick) return;
        const spot = nearestRoad(this.map, this.roads.grid, world, roadReach);
        if (spot) onPick(spot);
    }

    private tipAt(at: Point, reach: number): string | null {
        const tip = this.top.tipAt(at, reach, this.view.scale);
        if (tip) return tip;
        const spot = nearestRoad(this.map, this.roads.grid, at, reach);
        if (!spot) return null;
        const name = roadName(this.map, spot.segment);
        return isOneWay(this.map, spot.segment) ? t('{road}, one-way', { road: name }) : name;
    }

    /** The view has moved, by our doing or another's: so do the picture, the layers and the gestures. */
    private follow(): void {
        this.gestures.follow();
        this.placePicture();
        this.invalidate();
    }
}
