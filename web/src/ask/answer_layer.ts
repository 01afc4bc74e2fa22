// The exact answer: numbered pins, the nearest is 1; of a long answer the others are dots, since hundreds of pins would
// hide the map. For the eyes of whoever asked.
import type { FoundObject } from '../api/types';
import { colourOf } from '../map/draw';
import type { DrawingContext, Layer } from '../map/layer';
import type { Point, RoadMap } from '../map/road_map';
import type { View } from '../map/view';
import { categoryWords } from '../text/words';
import { drawDot, drawPin, RADIUS, spreadPins } from './pins';

export class AnswerLayer implements Layer {
    private places: (Point | null)[] = [];
    private names: string[] = [];
    /** Which way the pins lean at a zoom: moving the map changes nothing. */
    private leans: { scale: number; leans: (Point | null)[] } | null = null;

    constructor(private readonly map: RoadMap) {}

    show(objects: readonly FoundObject[]): void {
        this.leans = null;
        this.names = objects.map(({ name, category }) => name || categoryWords(category));
        this.places = objects.map(({ position }) =>
            position ? this.map.fromPosition(position) : null,
        );
    }

    clear(): void {
        this.show([]);
    }

    draw(context: DrawingContext, view: View): boolean {
        if (this.places.length === 0) return false;
        const colours = { pin: colourOf('--map-answer'), paper: colourOf('--surface') };
        const leans = this.leansAt(view);
        // The farthest first, so that the nearest ends up on top.
        for (let i = this.places.length - 1; i >= 0; i--) {
            const place = this.places[i];
            const lean = leans[i];
            if (!place) continue;
            if (lean) drawPin(context, view.toScreen(place), lean, String(i + 1), colours);
            else drawDot(context, view.toScreen(place), colours);
        }
        return false;
    }

    /** A place is found by its tip, and by the head of its pin. */
    tipAt(at: Point, reach: number, scale: number): string | null {
        const isNear = (x: number, y: number, around: number) =>
            Math.hypot(x - at.x, y - at.y) <= around;
        const found = this.places.findIndex((place, i) => {
            if (!place) return false;
            const lean = this.leans?.scale === scale ? this.leans.leans[i] : null;
            const head = lean && { x: place.x + lean.x / scale, y: place.y + lean.y / scale };
            return (
                isNear(place.x, place.y, reach) ||
                (head !== null && isNear(head.x, head.y, RADIUS / scale))
            );
        });
        return found < 0 ? null : `${found + 1}: ${this.names[found]}`;
    }

    private leansAt(view: View): (Point | null)[] {
        if (this.leans?.scale !== view.scale) {
            const onScreen = this.places.map((place) => place && view.toScreen(place));
            this.leans = { scale: view.scale, leans: spreadPins(onScreen) };
        }
        return this.leans.leans;
    }
}
