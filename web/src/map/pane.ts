// A pane of the map: roads below, what moves above, and hands on both.
//
// Two canvases: the roads' picture, which is moved and scaled by the browser until there is a sharper
// one (roads.ts), and on top of it one that all layers draw on, again for every frame that one of them
// wants. When nobody wants any, nothing is done. A pane, and what is drawn on it, is there as long as the page.
import { isMotionUnwelcome } from '../frame/motion';
import './map.css';
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import { make } from '../dom';
import { actOnKey } from './keys';
import type { Layer, Spot } from './layer';
import { nearestRoad } from './pick';
import type { Point, RoadMap } from './road_map';
import type { RoadPicture } from './road_painter';
import { placed, Roads } from './roads';
import { onThemeChange } from './theme_colours';
import type { MapView, Pose } from './view';

/** CSS pixels around a click within which a road is meant. */
const CLICK_REACH = 12;
/**
 * What moves by itself is drawn every other frame of a usual screen, 30 times a second: dots look no
 * better at more, and half of the work is left for the rest. Hands on the map get every frame.
 */
const PACE_MS = 25;

export interface PaneOptions {
    /** What it shows, for those who cannot see it. */
    label: string;
    /** The id of an element that says more. */
    describedBy?: string;
    onPick?: (spot: Spot) => void;
}

export class MapPane {
    readonly element: HTMLElement;
    /** Resolves when roads can be seen for the first time; for tests and screenshots. */
    readonly drawn: Promise<void>;
    /** CSS pixels; 0 as long as it is not seen. */
    width = 0;
    height = 0;
    private readonly roadsCanvas = make('canvas', { class: 'map-roads', 'aria-hidden': 'true' });
    private readonly topCanvas = make('canvas', { class: 'map-top', 'aria-hidden': 'true' });
    private readonly roads: Roads;
    private readonly layers: Layer[] = [];
    private picture: RoadPicture | null = null;
    private isAwake = false;
    private isDirty = false;
    private isMoving = false;
    private drawnAt = 0;
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
                'aria-roledescription': 'map',
                'aria-keyshortcuts': 'ArrowUp ArrowDown ArrowLeft ArrowRight + - 0 Enter',
            },
            this.roadsCanvas,
            this.topCanvas,
            make('div', { class: 'map-crosshair', 'aria-hidden': 'true' }),
        );
        if (options.describedBy) this.element.setAttribute('aria-describedby', options.describedBy);
        host.append(this.element);

        this.roads = Roads.of(map, view);
        new ResizeObserver(() => this.measure()).observe(this.element);
        view.onChange(() => this.follow());
        onThemeChange(() => this.invalidate());
        this.hearKeys();
        this.hearGestures();
        this.measure();
        this.roads.join(this);
    }

    add(layer: Layer): void {
        this.layers.push(layer);
        layer.added?.(() => this.invalidate());
        this.invalidate();
    }

    /** A layer has something else to show: draw all of them at the next frame. */
    invalidate(): void {
        this.isDirty = true;
        this.wake();
    }

    /** The roads have a new picture for us. */
    pictureChanged(picture: RoadPicture): void {
        const { canvas, ratio } = picture;
        const isFirst = this.picture === null;
        this.picture = picture;
        resizeCanvas(this.roadsCanvas, canvas.width, canvas.height, ratio);
        const context = this.roadsCanvas.getContext('2d');
        context?.clearRect(0, 0, canvas.width, canvas.height);
        context?.drawImage(canvas, 0, 0);
        this.placePicture();
        if (isFirst) requestAnimationFrame(() => this.tellFirstDraw());
    }

    private wake(): void {
        if (this.isAwake) return;
        this.isAwake = true;
        requestAnimationFrame(() => {
            this.isAwake = false;
            if (this.width > 0) this.frame(performance.now());
        });
    }

    private frame(now: number): void {
        if (this.isDirty || now - this.drawnAt > PACE_MS) {
            this.isDirty = false;
            this.isMoving = this.drawLayers(now);
            this.drawnAt = now;
        }
        if (this.isMoving) this.wake();
    }

    private tellFirstDraw(): void {
        if (performance.getEntriesByName('map:bytes').length > 0) {
            performance.measure('map:first-draw', 'map:bytes');
        }
        this.firstDrawn();
    }

    private drawLayers(now: number): boolean {
        const ratio = devicePixelRatio;
        resizeCanvas(
            this.topCanvas,
            Math.ceil(this.width * ratio),
            Math.ceil(this.height * ratio),
            ratio,
        );
        const context = this.topCanvas.getContext('2d');
        if (!context) return false;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, this.width, this.height);
        let isMoving = false;
        for (const layer of this.layers) {
            context.save();
            if (layer.draw(context, this.view, now)) isMoving = true;
            context.restore();
        }
        return isMoving;
    }

    private placePicture(): void {
        if (!this.picture) return;
        this.roadsCanvas.style.transform = placed(this.picture.pose, this.view);
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

    private readonly gestures = zoom<HTMLElement, unknown>()
        .clickDistance(5)
        .constrain((transform) => toTransform(this.view.limited(toPose(transform))))
        .on('zoom', ({ transform }: D3ZoomEvent<HTMLElement, unknown>) =>
            this.view.set(toPose(transform)),
        );

    private hearGestures(): void {
        if (isMotionUnwelcome()) this.gestures.duration(0);
        this.gestures(select<HTMLElement, unknown>(this.element));
        this.element.addEventListener('click', (event) => {
            const box = this.element.getBoundingClientRect();
            const at = { x: event.clientX - box.left, y: event.clientY - box.top };
            this.pick(at, CLICK_REACH / this.view.scale);
        });
    }

    private hearKeys(): void {
        this.element.addEventListener('keydown', (event) => {
            const pickMiddle = () => this.pick({ x: this.width / 2, y: this.height / 2 });
            if (actOnKey(event, this.view, pickMiddle)) event.preventDefault();
        });
    }

    /** @param reach  metres; anywhere if there is none */
    private pick(at: Point, reach?: number): void {
        const { onPick } = this.options;
        if (!onPick) return;
        const spot = nearestRoad(this.map, this.roads.grid, this.view.toWorld(at), reach);
        if (spot) onPick(spot);
    }

    /** The view has moved, by our doing or another's: so do the picture, the layers, and what d3 remembers. */
    private follow(): void {
        this.gestures.scaleExtent(this.view.scaleLimits);
        // Where d3-zoom itself keeps it. Its own way to set it would tell us of a gesture.
        select(this.element).property('__zoom', toTransform(this.view));
        this.placePicture();
        this.invalidate();
    }
}

function toPose({ k, x, y }: ZoomTransform): Pose {
    return { scale: k, offsetX: x, offsetY: y };
}

function toTransform({ scale, offsetX, offsetY }: Pose): ZoomTransform {
    return zoomIdentity.translate(offsetX, offsetY).scale(scale);
}

/** Setting a size clears a canvas and takes time, even if it is the same. */
function resizeCanvas(
    canvas: HTMLCanvasElement,
    width: number,
    height: number,
    ratio: number,
): void {
    if (canvas.width === width && canvas.height === height) return;
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${width / ratio}px`;
    canvas.style.height = `${height / ratio}px`;
}
