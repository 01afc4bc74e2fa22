// Where one is, in the address: what is seen of the map, the tab, the chosen cloak. So a link shows somebody else the
// same, and loading the page again brings one back.
//
//     #at=49.4121,8.7104&zoom=15.3&tab=attack&cloak=9f86d081884c7d65.85052627.2s-1-5
//
// It is kept behind the #, which no browser sends to a service, and replaces the address without adding to the
// history. No token, no question and no place of whoever asked is in it; the middle of the view is rounded to a tenth
// of what is seen, so that it names a neighbourhood even after the page has zoomed to where somebody asked.
//
// A service tells of cloaks as they leave and forgets them, so a link has the roads of its cloak in it: the differences
// of their numbers, to the base of 36, behind the id and the beginning of the map's checksum.
import type { Position } from '../api/types';
import { roundLength } from '../map/map_controls';
import type { RoadMap } from '../map/road_map';
import type { MapView, Place } from '../map/view';
import type { SeenCloak } from '../state/model';
import type { Selection } from './selection';
import type { Tabs } from './tabs';

/** The zoom that is one CSS pixel per metre: about as other maps count. */
const ZOOM_OF_ONE = 17;
/** Milliseconds of rest before it is written: browsers allow some hundred changes a minute. */
const REST_MS = 400;
/** More roads would be an address that programs cut. */
const ROADS_MOST = 600;
const CHECK_DIGITS = 8;

export interface Linked {
    place: Place | null;
    tab: string | null;
    cloak: { id: string; segments: number[] } | null;
}

type Lines = Pick<
    RoadMap,
    'isGeographic' | 'checksum' | 'segmentCount' | 'toPosition' | 'fromPosition'
>;

/** @param across  metres from side to side of what is seen */
export function formatAddress({ place, tab, cloak }: Linked, map: Lines, across: number): string {
    const parts: string[] = [];
    if (place) {
        const [a, b] = numbersOf(map.toPosition(place));
        const [c, d] = numbersOf(map.toPosition({ ...place, x: place.x + across }));
        const { length: step } = roundLength(1, (Math.abs(c - a) + Math.abs(d - b)) / 10);
        parts.push(`at=${multipleOf(step, a)},${multipleOf(step, b)}`);
        parts.push(`zoom=${Number((ZOOM_OF_ONE + Math.log2(place.scale)).toFixed(2))}`);
    }
    if (tab) parts.push(`tab=${tab}`);
    if (cloak && cloak.segments.length <= ROADS_MOST) parts.push(`cloak=${cloakText(cloak, map)}`);
    return parts.length > 0 ? `#${parts.join('&')}` : '';
}

/** What cannot be read is left out: an address is typed by anybody. */
export function parseAddress(hash: string, map: Lines): Linked {
    const values = new URLSearchParams(hash.replace(/^#/, ''));
    return {
        place: placeFrom(values.get('at'), values.get('zoom'), map),
        tab: values.get('tab'),
        cloak: cloakFrom(values.get('cloak'), map),
    };
}

/** The nearest multiple, without more digits than it needs. */
function multipleOf(step: number, value: number): number {
    const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step))));
    return Number((Math.round(value / step) * step).toFixed(decimals));
}

/** Latitude first, as people say it; on a plane x first. */
function numbersOf(position: Position): [number, number] {
    return 'lat' in position ? [position.lat, position.lon] : [position.x, position.y];
}

function placeFrom(at: string | null, zoom: string | null, map: Lines): Place | null {
    const [a, b, ...others] = (at ?? '').split(',').map(Number);
    const scale = 2 ** (Number(zoom || Number.NaN) - ZOOM_OF_ONE);
    if (!Number.isFinite(a) || !Number.isFinite(b) || others.length > 0) return null;
    if (!Number.isFinite(scale) || scale <= 0) return null;
    return { ...map.fromPosition(map.isGeographic ? { lat: a, lon: b } : { x: a, y: b }), scale };
}

function cloakText({ id, segments }: { id: string; segments: number[] }, map: Lines): string {
    const sorted = [...segments].sort((a, b) => a - b);
    const steps = sorted.map((segment, i) => segment - (sorted[i - 1] ?? 0));
    const roads = steps.map((step) => step.toString(36)).join('-');
    return `${id}.${map.checksum.slice(0, CHECK_DIGITS)}.${roads}`;
}

function cloakFrom(text: string | null, map: Lines): Linked['cloak'] {
    const found = /^([0-9a-f]{16})\.([0-9a-f]{8})\.([0-9a-z]+(?:-[0-9a-z]+)*)$/.exec(text ?? '');
    // Of another map they would be other roads.
    if (!found || found[2] !== map.checksum.slice(0, CHECK_DIGITS)) return null;
    const steps = found[3].split('-').map((step) => Number.parseInt(step, 36));
    let last = 0;
    const segments = steps.map((step) => {
        last += step;
        return last;
    });
    const isRoad = (segment: number, i: number) =>
        segment < map.segmentCount && (i === 0 || segment > segments[i - 1]);
    return segments.length <= ROADS_MOST && segments.every(isRoad)
        ? { id: found[1], segments }
        : null;
}

/** A cloak of which a link has told. @param engine  that is taken for its method */
export function cloakOfLink(
    { id, segments }: { id: string; segments: number[] },
    map: Pick<RoadMap, 'ends'>,
    engine: string,
): SeenCloak {
    const border_nodes = bordersAmong(map, segments);
    return { id, segments, border_nodes, requests: [], seenAt: performance.now(), engine };
}

/** Nodes of these roads at which others end as well. */
export function bordersAmong(map: Pick<RoadMap, 'ends'>, segments: readonly number[]): number[] {
    const inside = new Set(segments);
    const nodes = new Set(segments.flatMap((s) => [map.ends[2 * s], map.ends[2 * s + 1]]));
    const borders = new Set<number>();
    for (let i = 0; i < map.ends.length; i++) {
        if (nodes.has(map.ends[i]) && !inside.has(i >> 1)) borders.add(map.ends[i]);
    }
    return [...borders].sort((a, b) => a - b);
}

/** Keeps the address up to date, and follows it. */
export class AddressBar {
    /** While it is true nothing is written: what the page shows is not where somebody went. */
    isHeld = false;
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(
        private readonly map: RoadMap,
        private readonly view: MapView,
        private readonly tabs: Tabs,
        private readonly selection: Selection,
    ) {}

    /** @param follow  what to do when another address was typed, or gone back to */
    start(follow: (linked: Linked) => void): void {
        const changed = () => this.changed();
        this.view.onChange(changed);
        this.tabs.chosen.on(changed);
        this.selection.changed.on(changed);
        addEventListener('hashchange', () => follow(parseAddress(location.hash, this.map)));
    }

    changed(): void {
        clearTimeout(this.timer);
        if (!this.isHeld) this.timer = setTimeout(() => this.write(), REST_MS);
    }

    /** Of this page as it is now, for somebody else: with the place, moved or not. */
    get link(): string {
        return new URL(this.hashWith(this.view.place), location.href).href;
    }

    private hashWith(place: Linked['place']): string {
        const { west, east } = this.view.seen;
        const [first] = this.tabs.all;
        const tab = this.tabs.id === first.id ? null : this.tabs.id;
        const { cloak } = this.selection;
        return formatAddress({ place, tab, cloak }, this.map, east - west);
    }

    private write(): void {
        if (!this.view.isFitted || this.isHeld) return;
        // Nothing was moved: the address stays short.
        const hash = this.hashWith(this.view.isMoved ? this.view.place : null);
        if (hash === location.hash) return;
        history.replaceState(null, '', hash || location.pathname + location.search);
    }
}
