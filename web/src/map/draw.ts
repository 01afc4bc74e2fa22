// What the layers here have in common: strokes, marks, boxes, the page's colours.

import type { Box } from './grid';
import type { DrawingContext } from './layer';
import type { Point, RoadMap } from './road_map';
import { type MapTheme, mapTheme } from './theme_colours';
import type { View } from './view';

/** A box around segments and points; null around nothing. */
export function boxAround(
    map: RoadMap,
    segments: Iterable<number>,
    points: Iterable<Point> = [],
): Box | null {
    const box = { west: Infinity, north: Infinity, east: -Infinity, south: -Infinity };
    const add = (x: number, y: number) => {
        box.west = Math.min(box.west, x);
        box.east = Math.max(box.east, x);
        box.north = Math.min(box.north, y);
        box.south = Math.max(box.south, y);
    };
    for (const segment of segments) {
        for (let i = map.first[segment]; i < map.first[segment + 1]; i++) add(map.xs[i], map.ys[i]);
    }
    for (const point of points) add(point.x, point.y);
    return box.west <= box.east ? box : null;
}

/** @param width  CSS pixels, at any zoom */
export function strokePath(
    context: DrawingContext,
    view: View,
    path: Path2D,
    colour: string,
    width: number,
    alpha = 1,
): void {
    context.save();
    context.translate(view.offsetX, view.offsetY);
    context.scale(view.scale, view.scale);
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width / view.scale;
    context.lineCap = 'round';
    context.lineJoin = 'round';
    context.stroke(path);
    context.restore();
}

/** A ring with a dot: somebody is here. */
export function drawMark(context: DrawingContext, at: Point, colour: string, radius = 7): void {
    context.save();
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
    context.stroke();
    context.beginPath();
    context.arc(at.x, at.y, radius / 2.5, 0, 2 * Math.PI);
    context.fill();
    context.restore();
}

let theme: MapTheme | null = null;
const colours = new Map<string, string>();

/** A colour of the page (frame/tokens.css) by the name of its property, in the theme of the moment. */
export function colourOf(name: string): string {
    if (theme !== mapTheme()) {
        theme = mapTheme();
        colours.clear();
    }
    let colour = colours.get(name);
    if (colour === undefined) {
        const style = getComputedStyle(document.documentElement);
        colour = style.getPropertyValue(name).trim() || '#888888';
        colours.set(name, colour);
    }
    return colour;
}
