// Where the heads of pins go, so that none covers another: upright if there is room, else leaning to one side, else on
// a longer stem. The tips stay where the places are.
//
// Pins are placed in their order, so that the first has the best place; and the same places at the same zoom lead to
// the same picture. Where all is full a pin stands upright behind the others.
import type { DrawingContext } from '../map/layer';
import type { Point } from '../map/road_map';

/** The nearest so many have pins. */
export const PINS_MOST = 50;

/** CSS pixels: of a head, and from a place to the middle of it. */
export const RADIUS = 10;
const STEM = 17;

/** Heads nearer than this would cover each other's numbers. */
const APART = 2 * RADIUS - 1;

/** From upright to the sides, and then farther off. */
const LEANS = candidates();

function candidates(): Point[] {
    const found: Point[] = [];
    for (const stem of [STEM, STEM + 20, STEM + 40]) {
        for (let step = 0; step <= 6; step++) {
            const angle = (step * Math.PI) / 9;
            const [x, y] = [stem * Math.sin(angle), -stem * Math.cos(angle)];
            found.push({ x, y });
            if (step > 0) found.push({ x: -x, y });
        }
    }
    return found;
}

/**
 * @param places  in CSS pixels; null for one that is nowhere
 * @returns       for each place where its head is, seen from the place; null: it has no pin
 */
export function spreadPins(places: readonly (Point | null)[]): (Point | null)[] {
    const heads: Point[] = [];
    return places.map((place, i) => {
        if (!place || i >= PINS_MOST) return null;
        const isFree = ({ x, y }: Point) =>
            heads.every((head) => Math.hypot(place.x + x - head.x, place.y + y - head.y) >= APART);
        const lean = LEANS.find(isFree) ?? LEANS[0];
        heads.push({ x: place.x + lean.x, y: place.y + lean.y });
        return lean;
    });
}

/** A place without a pin. */
export function drawDot(
    context: DrawingContext,
    at: Point,
    colours: { pin: string; paper: string },
): void {
    context.fillStyle = colours.pin;
    context.strokeStyle = colours.paper;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(at.x, at.y, 3, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
}

/** @param lean  from the tip to the head */
export function drawPin(
    context: DrawingContext,
    tip: Point,
    lean: Point,
    text: string,
    colours: { pin: string; paper: string },
): void {
    const head = { x: tip.x + lean.x, y: tip.y + lean.y };
    const down = Math.atan2(-lean.y, -lean.x);
    context.fillStyle = colours.pin;
    context.strokeStyle = colours.paper;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(head.x, head.y, RADIUS, down + Math.PI / 4, down - Math.PI / 4);
    context.lineTo(tip.x, tip.y);
    context.closePath();
    context.fill();
    context.stroke();
    context.fillStyle = colours.paper;
    context.font = '600 11px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(text, head.x, head.y + 0.5);
}
