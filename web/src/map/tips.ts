// A small label beside what the pointer is over, or, for the keyboard, beside the cross in the middle: the name of a
// road, a place, a cloak. Those who listen are told what is at the cross once the map has come to rest.
import { make, setText } from '../dom';
import type { Point } from './road_map';
import type { MapView } from './view';

/** What is there, in words; null if it has nothing to say. @param reach  metres around the place */
type TipSource = (at: Point, reach: number) => string | null;

/** CSS pixels around the pointer within which a thing is meant. */
const REACH = 9;
/** CSS pixels from the pointer to its label. */
const BESIDE = 14;
/** Milliseconds of rest before it is said. */
const SAID_AFTER_MS = 500;

export class Tips {
    private readonly label = make('p', { class: 'map-tip', 'aria-hidden': 'true', hidden: true });
    private readonly said = make('p', { class: 'visually-hidden', role: 'status' });
    /** CSS pixels in the pane; null if no pointer is over it. */
    private pointer: Point | null = null;
    private isFocused = false;
    private isLooking = false;
    private saying: ReturnType<typeof setTimeout> | undefined;

    constructor(
        host: HTMLElement,
        private readonly pane: HTMLElement,
        private readonly view: MapView,
        private readonly source: TipSource,
    ) {
        host.append(this.label, this.said);
        pane.addEventListener('pointermove', (event) => {
            // A finger hides what it is over, and a pressed button moves the map.
            const isHovering = event.pointerType === 'mouse' && event.buttons === 0;
            const box = pane.getBoundingClientRect();
            this.pointer = isHovering
                ? { x: event.clientX - box.left, y: event.clientY - box.top }
                : null;
            this.look();
        });
        pane.addEventListener('pointerleave', () => {
            this.pointer = null;
            this.look();
        });
        pane.addEventListener('focus', () => {
            this.isFocused = pane.matches(':focus-visible');
            this.look();
        });
        pane.addEventListener('blur', () => {
            this.isFocused = false;
            this.look();
        });
        view.onChange(() => {
            if (this.pointer || this.isFocused) this.look();
        });
    }

    /** Once per frame, however often the pointer moves. */
    private look(): void {
        if (this.isLooking) return;
        this.isLooking = true;
        requestAnimationFrame(() => {
            this.isLooking = false;
            this.show();
        });
    }

    private show(): void {
        const middle = { x: this.pane.clientWidth / 2, y: this.pane.clientHeight / 2 };
        const at = this.pointer ?? (this.isFocused ? middle : null);
        const tip = at && this.source(this.view.toWorld(at), REACH / this.view.scale);
        this.label.hidden = !tip;
        if (at && tip) this.place(at, tip);
        clearTimeout(this.saying);
        if (!this.isFocused || this.pointer) return;
        this.saying = setTimeout(() => setText(this.said, tip ?? ''), SAID_AFTER_MS);
    }

    /** Beside the pointer, on the side where there is room. */
    private place(at: Point, tip: string): void {
        setText(this.label, tip);
        const { clientWidth, clientHeight } = this.pane;
        const { offsetWidth, offsetHeight } = this.label;
        const right = at.x + BESIDE;
        const x = right + offsetWidth > clientWidth ? at.x - BESIDE - offsetWidth : right;
        const below = at.y + BESIDE;
        const y = below + offsetHeight > clientHeight ? at.y - BESIDE - offsetHeight : below;
        this.label.style.transform = `translate(${Math.max(0, x)}px, ${Math.max(0, y)}px)`;
    }
}
