// Hands on a map: dragging, the wheel, fingers.
//
// On a touch screen one finger scrolls the page, also where a map is under it, and two move and zoom the map: a map
// that took every finger would hold a reader who only wants to get past it. Whoever tries with one is told.
import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomTransform, zoom, zoomIdentity } from 'd3-zoom';
import { make, setText } from '../dom';
import { isMotionUnwelcome } from '../frame/motion';
import { t } from '../text/language';
import type { MapView, Pose } from './view';

/** How long it stays on the map that two fingers are needed. */
const HINT_MS = 1500;

export class Gestures {
    /** For people who try with one finger; seen while they do. */
    readonly hint = make('p', { class: 'map-fingers', 'aria-hidden': 'true' });
    private hiding: ReturnType<typeof setTimeout> | undefined;
    private readonly zoom = zoom<HTMLElement, unknown>()
        .clickDistance(5)
        .filter(isForMap)
        .constrain((transform) => toTransform(this.view.limited(toPose(transform))))
        .on('zoom', ({ transform }: D3ZoomEvent<HTMLElement, unknown>) =>
            this.view.set(toPose(transform)),
        );

    constructor(
        private readonly element: HTMLElement,
        private readonly view: MapView,
    ) {
        if (isMotionUnwelcome()) this.zoom.duration(0);
        this.zoom(select<HTMLElement, unknown>(element));
        element.addEventListener('touchmove', (event) => this.fingersMoved(event), {
            passive: true,
        });
    }

    /** The view has moved, by our doing or another's: so does what d3 remembers. */
    follow(): void {
        this.zoom.scaleExtent(this.view.scaleLimits);
        // Where d3-zoom itself keeps it. Its own way to set it would tell us of a gesture.
        select(this.element).property('__zoom', toTransform(this.view));
    }

    private fingersMoved(event: TouchEvent): void {
        clearTimeout(this.hiding);
        const isOne = event.touches.length === 1;
        if (isOne) setText(this.hint, t('Two fingers move the map'));
        this.hint.classList.toggle('is-shown', isOne);
        if (isOne) {
            this.hiding = setTimeout(() => this.hint.classList.remove('is-shown'), HINT_MS);
        }
    }
}

/** Whether a gesture that begins with `event` moves the map; else it is the page's. */
export function isForMap(event: Event): boolean {
    if ('touches' in event) return (event as TouchEvent).touches.length > 1;
    const { ctrlKey, button, type } = event as MouseEvent;
    return (!ctrlKey || type === 'wheel') && !button;
}

function toPose({ k, x, y }: ZoomTransform): Pose {
    return { scale: k, offsetX: x, offsetY: y };
}

function toTransform({ scale, offsetX, offsetY }: Pose): ZoomTransform {
    return zoomIdentity.translate(offsetX, offsetY).scale(scale);
}
