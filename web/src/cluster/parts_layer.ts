// Roads in the colours of their parts, each with its number in the middle.
//
// That is every road of the map, too many to draw for each frame: they are drawn once into a picture, which is
// moved and stretched with the map and drawn anew when the map has come to rest.
import type { PartitionPage } from '../api/types';
import { colourOf, strokePath } from '../map/draw';
import type { DrawingContext, Layer } from '../map/layer';
import { pathOf } from '../map/path';
import type { Point, RoadMap } from '../map/road_map';
import { middleOf } from '../map/spot';
import { type MapTheme, mapTheme } from '../map/theme_colours';
import type { Pose, View } from '../map/view';
import { t } from '../text/language';
import { colourParts, PART_COLOURS } from './part_colours';

/** So long must the map be still before the picture is drawn anew. */
const REST_MS = 120;
/** CSS pixels. */
const WIDTH = 2.5;
/** More numbers than these on one map are a mist. */
const NUMBERS_MOST = 200;

interface Picture {
    canvas: HTMLCanvasElement;
    pose: Pose;
    theme: MapTheme;
}

export class PartsLayer implements Layer {
    /** Of each part; empty before there is a partition. */
    colours: Uint8Array = new Uint8Array();
    private paths: Path2D[] = [];
    private middles: (Point | null)[] = [];
    private isShown = false;
    private picture: Picture | null = null;
    /** Where the map was at the last frame, and who wakes us when it has stayed there. */
    private seen: Pose | null = null;
    private resting: ReturnType<typeof setTimeout> | undefined;
    private invalidate: () => void = () => {};

    constructor(private readonly map: RoadMap) {}

    added(invalidate: () => void): void {
        this.invalidate = invalidate;
    }

    /** What is where. Of another map it is refused: colours would lie. */
    use(partition: PartitionPage): void {
        if (partition.segments.length !== this.map.segmentCount)
            throw new Error(t('The parts belong to another map.'));
        this.colours = colourParts(partition.parts, partition.segments, this.map.ends);
        const byColour: number[][] = Array.from({ length: PART_COLOURS }, () => []);
        partition.segments.forEach((part, segment) => {
            byColour[this.colours[part]].push(segment);
        });
        this.paths = byColour.map((segments) => pathOf(this.map, segments));
        this.middles = middlesOf(this.map, partition);
        this.picture = null;
        this.invalidate();
    }

    get hasPartition(): boolean {
        return this.paths.length > 0;
    }

    get isVisible(): boolean {
        return this.isShown;
    }

    set isVisible(isVisible: boolean) {
        this.isShown = isVisible;
        if (!isVisible) this.picture = this.seen = null;
        this.invalidate();
    }

    draw(context: DrawingContext, view: View): boolean {
        if (!this.isShown || !this.hasPartition) return false;
        const hasMoved = this.seen !== null && !isSamePose(this.seen, view);
        this.seen = poseOf(view);
        if (this.picture && hasMoved) this.waitForRest();
        else if (!this.picture || (!this.resting && !isTrue(this.picture, context, view)))
            this.picture = this.paint(context.canvas, view);
        place(context, view, this.picture);
        this.drawNumbers(context, view);
        return false;
    }

    private waitForRest(): void {
        clearTimeout(this.resting);
        this.resting = setTimeout(() => {
            this.resting = undefined;
            this.invalidate();
        }, REST_MS);
    }

    private paint({ width, height }: DrawingContext['canvas'], view: View): Picture {
        const canvas = this.picture?.canvas ?? document.createElement('canvas');
        // Also clears it.
        canvas.width = width;
        canvas.height = height;
        const context = canvas.getContext('2d');
        context?.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
        if (context) {
            this.paths.forEach((path, colour) => {
                strokePath(context, view, path, colourOf(`--part-${colour}`), WIDTH);
            });
        }
        return { canvas, pose: poseOf(view), theme: mapTheme() };
    }

    private drawNumbers(context: DrawingContext, view: View): void {
        if (this.middles.length > NUMBERS_MOST) return;
        context.font = `600 13px ${colourOf('--sans')}`;
        context.textAlign = 'center';
        context.textBaseline = 'middle';
        context.lineJoin = 'round';
        context.lineWidth = 4;
        context.strokeStyle = colourOf('--surface');
        context.fillStyle = colourOf('--ink');
        this.middles.forEach((middle, part) => {
            if (!middle) return;
            const { x, y } = view.toScreen(middle);
            context.strokeText(String(part), x, y);
            context.fillText(String(part), x, y);
        });
    }
}

/** It shows what would be drawn now. */
function isTrue({ canvas, pose, theme }: Picture, context: DrawingContext, view: View): boolean {
    return (
        isSamePose(pose, view) &&
        theme === mapTheme() &&
        canvas.width === context.canvas.width &&
        canvas.height === context.canvas.height
    );
}

/** Where it belongs on a map that may have moved since. */
function place(context: DrawingContext, view: View, { canvas, pose }: Picture): void {
    const stretch = view.scale / pose.scale;
    context.drawImage(
        canvas,
        view.offsetX - pose.offsetX * stretch,
        view.offsetY - pose.offsetY * stretch,
        (canvas.width / devicePixelRatio) * stretch,
        (canvas.height / devicePixelRatio) * stretch,
    );
}

function poseOf({ scale, offsetX, offsetY }: View): Pose {
    return { scale, offsetX, offsetY };
}

function isSamePose(a: Pose, b: Pose): boolean {
    return a.scale === b.scale && a.offsetX === b.offsetX && a.offsetY === b.offsetY;
}

/** A place on each part's own roads, as near to their middle as there is one; null of a part without roads. */
export function middlesOf(map: RoadMap, { parts, segments }: PartitionPage): (Point | null)[] {
    const sums = Array.from({ length: parts }, () => ({ x: 0, y: 0, count: 0 }));
    const places = segments.map((_, segment) => middleOf(map, segment));
    segments.forEach((part, segment) => {
        sums[part].x += places[segment].x;
        sums[part].y += places[segment].y;
        sums[part].count++;
    });
    const found: (Point | null)[] = sums.map(() => null);
    const distances = sums.map(() => Infinity);
    segments.forEach((part, segment) => {
        const { x, y, count } = sums[part];
        const place = places[segment];
        const distance = Math.hypot(place.x - x / count, place.y - y / count);
        if (distance >= distances[part]) return;
        distances[part] = distance;
        found[part] = place;
    });
    return found;
}
