// What lies on a pane besides the map: buttons to zoom, a scale, and the whole city in a corner.
import { make, setText } from '../dom';
import { t } from '../text/language';
import { count } from '../text/words';
import { Inset } from './inset';
import { ZOOM } from './keys';
import type { RoadMap } from './road_map';
import type { MapView } from './view';

/** CSS pixels that the bar of the scale may be long. */
const BAR_MOST = 110;

export function addMapControls(host: HTMLElement, map: RoadMap, view: MapView): void {
    new Inset(host, map, view);
    host.append(zoomButtons(view));
    const bar = make('span', { class: 'map-scale-bar', 'aria-hidden': 'true' });
    const words = make('span');
    host.append(make('p', { class: 'map-scale', 'data-testid': 'map-scale' }, words, bar));
    const follow = () => {
        const { length, pixels } = roundLength(view.scale * map.stretch, BAR_MOST);
        setText(words, lengthWords(length, map.isGeographic));
        bar.style.width = `${pixels}px`;
    };
    view.onChange(follow);
}

function zoomButtons(view: MapView): HTMLElement {
    const button = (name: string, sign: string, label: string, act: () => void, word = '') =>
        make(
            'button',
            {
                type: 'button',
                // What is seen of it is part of its name.
                'aria-label': word ? `${word}: ${label}` : label,
                title: label,
                'data-testid': name,
                onclick: act,
            },
            make('span', { 'aria-hidden': 'true' }, sign),
            word !== '' && make('span', { class: 'map-button-word' }, word),
        );
    return make(
        'div',
        { class: 'map-buttons', role: 'group', 'aria-label': t('Zoom') },
        button('zoom-in', '+', t('Nearer'), () => view.zoomBy(ZOOM)),
        button('zoom-out', '−', t('Farther'), () => view.zoomBy(1 / ZOOM)),
        button('zoom-all', '⌂', t('The whole map'), () => view.showAll(), t('all')),
    );
}

/**
 * The longest of 1, 2, 5, 10, 20, ... that fits.
 *
 * @param scale  CSS pixels per metre, or per unit of a plane
 * @param most   CSS pixels
 */
export function roundLength(scale: number, most: number): { length: number; pixels: number } {
    const longest = most / scale;
    const power = 10 ** Math.floor(Math.log10(longest));
    const first = [5, 2, 1].find((digit) => digit * power <= longest * (1 + 1e-9)) ?? 1;
    const length = first * power;
    return { length, pixels: length * scale };
}

/** "200 m", "5 km"; on a plane of unknown unit "200 units". */
export function lengthWords(length: number, isGeographic: boolean): string {
    if (!isGeographic) return t('{count} units', { count: plain(length) });
    return length < 1000 ? `${plain(length)} m` : `${plain(length / 1000)} km`;
}

function plain(length: number): string {
    return length >= 1 ? count(length) : String(Number(length.toPrecision(1)));
}
