// A picture of a part of the map, fitted on a box: it neither moves nor is clicked, and is drawn when something
// has changed. Roads around the box are looked up once per box, by a plain look at all segments.
import { make } from '../dom';
import { colourOf, strokePath } from '../map/draw';
import type { Box } from '../map/grid';
import type { Layer } from '../map/layer';
import { pathOf } from '../map/path';
import type { Point, RoadMap } from '../map/road_map';
import { onThemeChange } from '../map/theme_colours';
import type { View } from '../map/view';

/** Part of the picture that is left free on each side. */
const MARGIN = 0.12;
/** Metres; a smaller box is shown as if it were this large, with some streets around it. */
const LEAST_M = 300;

export class SmallMap {
    readonly element: HTMLElement;
    private readonly canvas: HTMLCanvasElement;
    private box: Box | null = null;
    private roads: Path2D | null = null;
    private isDrawPending = false;

    /** @param name  of the picture, for those who cannot see it */
    constructor(
        private readonly map: RoadMap,
        private readonly layer: Layer,
        name: string,
    ) {
        this.canvas = make('canvas', { role: 'img', 'aria-label': name });
        this.element = make('div', { class: 'small-map' }, this.canvas);
        new ResizeObserver(() => this.invalidate()).observe(this.element);
        onThemeChange(() => this.invalidate());
    }

    /** For those who cannot see it. */
    describe(name: string): void {
        this.canvas.setAttribute('aria-label', name);
    }

    show(box: Box): void {
        this.box = widened(box);
        this.roads = pathOf(this.map, segmentsNear(this.map, this.box));
        this.invalidate();
    }

    invalidate(): void {
        if (this.isDrawPending) return;
        this.isDrawPending = true;
        requestAnimationFrame((now) => {
            this.isDrawPending = false;
            this.draw(now);
        });
    }

    private draw(now: number): void {
        const { clientWidth: width, clientHeight: height } = this.element;
        const context = this.canvas.getContext('2d');
        if (!context || !this.box || !this.roads || width === 0 || height === 0) return;
        const ratio = devicePixelRatio;
        this.canvas.width = Math.round(width * ratio);
        this.canvas.height = Math.round(height * ratio);
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.fillStyle = colourOf('--map-ground');
        context.fillRect(0, 0, width, height);
        const view = fitted(this.box, width, height);
        strokePath(context, view, this.roads, colourOf('--map-road'), 1.5);
        if (this.layer.draw(context, view, now)) this.invalidate();
    }
}

/** The view that has all of `box` in the middle of a picture. */
function fitted(box: Box, width: number, height: number): View {
    const room = 1 - 2 * MARGIN;
    const scale = Math.min(
        (width * room) / (box.east - box.west),
        (height * room) / (box.south - box.north),
    );
    const offsetX = width / 2 - (scale * (box.west + box.east)) / 2;
    const offsetY = height / 2 - (scale * (box.north + box.south)) / 2;
    return {
        scale,
        offsetX,
        offsetY,
        toScreen: (at: Point) => ({ x: at.x * scale + offsetX, y: at.y * scale + offsetY }),
        toWorld: (at: Point) => ({ x: (at.x - offsetX) / scale, y: (at.y - offsetY) / scale }),
        show: () => {},
    };
}

function widened(box: Box): Box {
    const wide = Math.max(0, LEAST_M - (box.east - box.west)) / 2;
    const high = Math.max(0, LEAST_M - (box.south - box.north)) / 2;
    return {
        west: box.west - wide,
        east: box.east + wide,
        north: box.north - high,
        south: box.south + high,
    };
}

/** Those with a point in a generous frame around the box, whose shape may differ from the picture's. */
function segmentsNear(map: RoadMap, box: Box): number[] {
    const frame = Math.max(box.east - box.west, box.south - box.north);
    const near: number[] = [];
    for (let segment = 0; segment < map.segmentCount; segment++) {
        for (let i = map.first[segment]; i < map.first[segment + 1]; i++) {
            const x = map.xs[i];
            const y = map.ys[i];
            if (x < box.west - frame || x > box.east + frame) continue;
            if (y < box.north - frame || y > box.south + frame) continue;
            near.push(segment);
            break;
        }
    }
    return near;
}
