// A cloak as a file: GeoJSON for programs, a picture for people.

import type { CloaksLayer } from '../cloaks/cloaks_layer';
import { boxAround } from '../map/draw';
import type { Grid } from '../map/grid';
import type { DrawingContext } from '../map/layer';
import { lengthWords, roundLength } from '../map/map_controls';
import type { RoadMap } from '../map/road_map';
import { MARGIN, RoadPainter } from '../map/road_painter';
import { mapTheme } from '../map/theme_colours';
import type { Pose } from '../map/view';
import type { SeenCloak } from '../state/model';

/** What is known of a cloak besides its roads. */
export interface CloakFacts {
    /** Null if this page may not know. */
    users: number | null;
    /** When it left; null if that was before this page was opened. */
    time: Date | null;
}

/**
 * A FeatureCollection with a LineString per road, in the map's own coordinates. Each feature says of which cloak it is:
 * some programs know features alone.
 */
export function cloakGeoJson(
    map: Pick<RoadMap, 'first' | 'xs' | 'ys' | 'names' | 'nameOf' | 'toPosition'>,
    { id, segments }: Pick<SeenCloak, 'id' | 'segments'>,
    { users, time }: CloakFacts,
): object {
    const properties = {
        cloak: id,
        users,
        segments: segments.length,
        time: time?.toISOString() ?? null,
    };
    const features = segments.map((segment) => {
        const coordinates: [number, number][] = [];
        for (let i = map.first[segment]; i < map.first[segment + 1]; i++) {
            const position = map.toPosition({ x: map.xs[i], y: map.ys[i] });
            const [x, y] =
                'lon' in position ? [position.lon, position.lat] : [position.x, position.y];
            coordinates.push([rounded(x), rounded(y)]);
        }
        const name = map.names[map.nameOf[segment] - 1] ?? null;
        return {
            type: 'Feature',
            properties: { ...properties, segment, name },
            geometry: { type: 'LineString', coordinates },
        };
    });
    return { type: 'FeatureCollection', features };
}

/** A centimetre on the globe, as the map has it. */
function rounded(value: number): number {
    return Number(value.toFixed(7));
}

/** CSS pixels, and screen pixels for each of them. */
const WIDTH = 1200;
const HEIGHT = 900;
const RATIO = 2;
/** Of the picture, at the bottom. */
const STRIP = 44;
/** Part of the picture that the cloak may fill, and the nearest that it is seen. */
const FILLED = 0.72;
const CLOSEST = 2;

/** Roads around it as the map has them, the cloak, a scale, and below it what it is. Null if it cannot be drawn. */
export function cloakPicture(
    map: RoadMap,
    grid: () => Grid,
    layer: CloaksLayer,
    cloak: SeenCloak,
    caption: { title: string; source: string },
): HTMLCanvasElement | null {
    const pose = poseAround(map, cloak.segments);
    const canvas = document.createElement('canvas');
    canvas.width = WIDTH * RATIO;
    canvas.height = (HEIGHT + STRIP) * RATIO;
    const context = canvas.getContext('2d');
    const painter = new RoadPainter(map, grid);
    painter.begin(pose, WIDTH, HEIGHT, RATIO);
    const roads = painter.work(Infinity);
    if (!context || !roads) return null;
    context.fillStyle = mapTheme().ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(roads.canvas, -MARGIN * RATIO, -MARGIN * RATIO);
    const { scale, offsetX, offsetY } = pose;
    context.translate(RATIO * offsetX, RATIO * offsetY);
    context.scale(RATIO * scale, RATIO * scale);
    layer.drawChosen(context, scale, cloak);
    context.setTransform(RATIO, 0, 0, RATIO, 0, 0);
    drawStrip(context, map, scale, caption);
    return canvas;
}

function poseAround(map: RoadMap, segments: readonly number[]): Pose {
    const box = boxAround(map, segments) ?? { west: 0, north: 0, east: 1, south: 1 };
    const scale = Math.min(
        (WIDTH * FILLED) / (box.east - box.west),
        (HEIGHT * FILLED) / (box.south - box.north),
        CLOSEST,
    );
    return {
        scale,
        offsetX: WIDTH / 2 - (scale * (box.west + box.east)) / 2,
        offsetY: HEIGHT / 2 - (scale * (box.north + box.south)) / 2,
    };
}

function drawStrip(
    context: DrawingContext,
    map: RoadMap,
    scale: number,
    { title, source }: { title: string; source: string },
): void {
    const { ground, name } = mapTheme();
    context.fillStyle = ground;
    context.fillRect(0, HEIGHT, WIDTH, STRIP);
    context.fillStyle = context.strokeStyle = name;
    context.textBaseline = 'middle';
    context.font = '600 16px system-ui, sans-serif';
    context.fillText(title, 16, HEIGHT + STRIP / 2);
    const { length, pixels } = roundLength(scale * map.stretch, 140);
    const words = lengthWords(length, map.isGeographic);
    context.font = '14px system-ui, sans-serif';
    context.textAlign = 'right';
    context.fillText(words, WIDTH - 24 - pixels, HEIGHT + STRIP / 2);
    const left = WIDTH - 32 - pixels - context.measureText(words).width;
    context.fillText(source, left - 16, HEIGHT + STRIP / 2);
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(WIDTH - 16 - pixels, HEIGHT + STRIP / 2 - 4);
    context.lineTo(WIDTH - 16 - pixels, HEIGHT + STRIP / 2 + 4);
    context.lineTo(WIDTH - 16, HEIGHT + STRIP / 2 + 4);
    context.lineTo(WIDTH - 16, HEIGHT + STRIP / 2 - 4);
    context.stroke();
}

/** Hand a file to whoever reads the page. */
export function saveFile(name: string, content: Blob): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    // The browser has taken hold of it by then.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
