// The whole city in a corner of a pane, with a frame around what is seen of it. A click or a drag there moves the view.
//
// Its roads are drawn once, and again when the theme changes: the main ones, or all of them where there are few.
// For the pointer alone: with the keyboard the map itself is moved, and 0 shows all of it.
import { make } from '../dom';
import type { Box } from './grid';
import { pathOf } from './path';
import type { Point, RoadMap } from './road_map';
import { kindOfClass, ROAD_KINDS } from './road_style';
import { mapTheme, onThemeChange } from './theme_colours';
import type { MapView } from './view';

/** CSS pixels of its longer side, at most; map.css may make it smaller. */
const LONGEST = 124;
/** CSS pixels around the roads. */
const MARGIN = 5;
/** With fewer roads all are drawn. */
const FEW = 4000;
/** Kinds from this one on are drawn where there are many: tertiary roads and larger ones. */
const MAIN = 2;
/** So much of the city in sight needs no inset. */
const WHOLE = 1.6;
/** CSS pixels; a smaller frame would not be found. */
const FRAME_LEAST = 7;

export class Inset {
    private readonly element: HTMLElement;
    private readonly canvas = make('canvas');
    private readonly frame = make('div', { class: 'map-inset-frame' });
    private readonly width: number;
    private readonly height: number;
    /** CSS pixels per metre. */
    private readonly scale: number;
    private isDrawn = false;

    constructor(
        host: HTMLElement,
        private readonly map: RoadMap,
        private readonly view: MapView,
    ) {
        this.scale = (LONGEST - 2 * MARGIN) / Math.max(map.width, map.height, 1);
        this.width = Math.ceil(map.width * this.scale) + 2 * MARGIN;
        this.height = Math.ceil(map.height * this.scale) + 2 * MARGIN;
        this.element = make(
            'div',
            { class: 'map-inset', 'aria-hidden': 'true', 'data-testid': 'map-inset', hidden: true },
            this.canvas,
            this.frame,
        );
        this.element.style.width = `${this.width}px`;
        this.element.style.height = `${this.height}px`;
        host.append(this.element);
        view.onChange(() => this.follow());
        onThemeChange(() => {
            this.isDrawn = false;
            this.follow();
        });
        this.hearPointer();
    }

    private follow(): void {
        const [farthest] = this.view.scaleLimits;
        this.element.hidden = this.view.scale <= farthest * WHOLE;
        if (this.element.hidden) return;
        if (!this.isDrawn) this.draw();
        const { left, top, width, height } = frameOf(this.view.seen, this.scale);
        const { style } = this.frame;
        style.width = `${width}px`;
        style.height = `${height}px`;
        style.transform = `translate(${MARGIN + left}px, ${MARGIN + top}px)`;
    }

    /** After the map's own first picture, which is more urgent. */
    private draw(): void {
        this.isDrawn = true;
        setTimeout(() => {
            const { map, canvas, scale } = this;
            const ratio = devicePixelRatio;
            canvas.width = this.width * ratio;
            canvas.height = this.height * ratio;
            const context = canvas.getContext('2d');
            if (!context) return;
            context.setTransform(
                ratio * scale,
                0,
                0,
                ratio * scale,
                ratio * MARGIN,
                ratio * MARGIN,
            );
            context.lineWidth = 1 / (ratio * scale);
            const theme = mapTheme();
            const isFew = map.segmentCount <= FEW;
            for (let kind = isFew ? 0 : MAIN; kind < ROAD_KINDS.length; kind++) {
                const { colour } = ROAD_KINDS[kind];
                context.strokeStyle = theme[colour === 'local' ? 'tertiary' : colour];
                context.stroke(pathOf(map, segmentsOf(map, kind)));
            }
        });
    }

    private hearPointer(): void {
        const go = (event: PointerEvent) => {
            const box = this.element.getBoundingClientRect();
            // The style sheet may show it smaller.
            const shrunk = box.width / this.width;
            const at = {
                x: ((event.clientX - box.left) / shrunk - MARGIN) / this.scale,
                y: ((event.clientY - box.top) / shrunk - MARGIN) / this.scale,
            };
            this.view.goTo({ ...at, scale: this.view.scale });
        };
        this.element.addEventListener('pointerdown', (event) => {
            if (event.button !== 0) return;
            event.preventDefault();
            this.element.setPointerCapture(event.pointerId);
            go(event);
        });
        this.element.addEventListener('pointermove', (event) => {
            if (this.element.hasPointerCapture(event.pointerId)) go(event);
        });
    }
}

/** Where the frame of what is seen is, in CSS pixels of the inset. */
export function frameOf(
    seen: Box,
    scale: number,
): { left: number; top: number; width: number; height: number } {
    const middle: Point = { x: (seen.west + seen.east) / 2, y: (seen.north + seen.south) / 2 };
    const width = Math.max(FRAME_LEAST, (seen.east - seen.west) * scale);
    const height = Math.max(FRAME_LEAST, (seen.south - seen.north) * scale);
    return {
        left: middle.x * scale - width / 2,
        top: middle.y * scale - height / 2,
        width,
        height,
    };
}

function* segmentsOf(map: RoadMap, kind: number): Generator<number> {
    for (let segment = 0; segment < map.segmentCount; segment++) {
        if (kindOfClass(map.classes[segment]) === kind) yield segment;
    }
}
