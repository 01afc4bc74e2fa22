// What keys do on a map: arrows move it, + and - zoom, 0 shows all of it, Enter and space pick what is
// in the middle.
import type { MapView } from './view';

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;
type Movable = Pick<MapView, 'panBy' | 'zoomBy' | 'showAll'>;

/** CSS pixels; several times that with shift. */
const STEP = 80;
const LEAP = 320;
export const ZOOM = 1.6;

/** @returns whether the key was meant for the map */
export function actOnKey(event: Key, view: Movable, pickMiddle: () => void): boolean {
    // With these, keys belong to the browser.
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = event.shiftKey ? LEAP : STEP;
    switch (event.key) {
        case 'ArrowLeft':
            view.panBy(-step, 0);
            return true;
        case 'ArrowRight':
            view.panBy(step, 0);
            return true;
        case 'ArrowUp':
            view.panBy(0, -step);
            return true;
        case 'ArrowDown':
            view.panBy(0, step);
            return true;
        case '+':
        case '=':
            view.zoomBy(ZOOM);
            return true;
        case '-':
        case '_':
            view.zoomBy(1 / ZOOM);
            return true;
        case '0':
        case 'Home':
            view.showAll();
            return true;
        case 'Enter':
        case ' ':
            pickMiddle();
            return true;
        default:
            return false;
    }
}
