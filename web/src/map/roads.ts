// The roads under everything else, for all panes that share a view.
//
// 1. What is shown is always a whole picture, perhaps of a moment ago: it is moved and scaled with the
//    view while the next one is painted, a few milliseconds per frame.
// 2. When the view rests, what is shown is soon of this very view.
// 3. Panes with the same view share the picture, and with it the work.
import { Grid } from './grid';
import type { RoadMap } from './road_map';
import { MARGIN, RoadPainter, type RoadPicture } from './road_painter';
import { mapTheme, onThemeChange } from './theme_colours';
import type { MapView, Pose } from './view';

/** Milliseconds of painting per frame: half of one at 60 per second. */
const PAINTING_MS = 7;

/** A pane, as the roads see it. */
export interface Onlooker {
    /** CSS pixels; 0 as long as it is not seen. */
    readonly width: number;
    readonly height: number;
    pictureChanged(picture: RoadPicture): void;
}

const shared = new WeakMap<MapView, Roads>();

export class Roads {
    private readonly painter: RoadPainter;
    private readonly onlookers = new Set<Onlooker>();
    private picture: RoadPicture | null = null;
    private index: Grid | null = null;
    private isAwake = false;

    /** The roads of this view. */
    static of(map: RoadMap, view: MapView): Roads {
        const known = shared.get(view);
        if (known) return known;
        const roads = new Roads(map, view);
        shared.set(view, roads);
        return roads;
    }

    private constructor(
        private readonly map: RoadMap,
        private readonly view: MapView,
    ) {
        this.painter = new RoadPainter(map, () => this.grid);
        view.onChange(() => this.wake());
        onThemeChange(() => this.wake());
    }

    /** Made when it is first asked for: the whole map is drawn without. */
    get grid(): Grid {
        this.index ??= new Grid(this.map);
        return this.index;
    }

    /** Show `onlooker` each new picture; it calls wake() when its size changes. */
    join(onlooker: Onlooker): void {
        this.onlookers.add(onlooker);
        if (this.picture) onlooker.pictureChanged(this.picture);
        this.wake();
    }

    wake(): void {
        if (this.isAwake) return;
        this.isAwake = true;
        requestAnimationFrame((now) => {
            this.isAwake = false;
            this.frame(now);
        });
    }

    private frame(now: number): void {
        const { width, height } = this.size();
        if (!this.view.isFitted || width === 0) return;
        if (!this.painter.isBusy && this.isStale(width, height)) {
            const { scale, offsetX, offsetY } = this.view;
            this.painter.begin({ scale, offsetX, offsetY }, width, height, devicePixelRatio);
        }
        // The first picture at once: there is nothing else to look at.
        const isFirst = this.picture === null;
        const done = this.painter.work(
            isFirst ? Infinity : Math.max(now, performance.now()) + PAINTING_MS,
        );
        if (done) this.showNext(done);
        if (isFirst) this.lookAhead();
        if (this.painter.isBusy || this.isStale(width, height)) this.wake();
    }

    private showNext(picture: RoadPicture): void {
        if (this.picture) this.painter.giveBack(this.picture);
        this.picture = picture;
        for (const onlooker of this.onlookers) onlooker.pictureChanged(picture);
    }

    /** The grid will be wanted at the first zoom or click; better now than then. */
    private lookAhead(): void {
        setTimeout(() => this.grid, 200);
    }

    private size(): { width: number; height: number } {
        let width = 0;
        let height = 0;
        for (const onlooker of this.onlookers) {
            width = Math.max(width, onlooker.width);
            height = Math.max(height, onlooker.height);
        }
        return { width, height };
    }

    private isStale(width: number, height: number): boolean {
        const { picture, view } = this;
        if (!picture || picture.theme !== mapTheme() || picture.ratio !== devicePixelRatio)
            return true;
        if (picture.width < width || picture.height < height) return true;
        if (picture.pose.scale !== view.scale) return true;
        const dx = view.offsetX - picture.pose.offsetX;
        const dy = view.offsetY - picture.pose.offsetY;
        const isFar = Math.max(Math.abs(dx), Math.abs(dy)) > MARGIN / 2;
        // Moved by whole pixels it is as sharp as ever.
        return isFar || !isWhole(dx * picture.ratio) || !isWhole(dy * picture.ratio);
    }
}

/** How a picture, margin and all, is moved and scaled to fit the view, as a CSS transform. */
export function placed(picture: Pose, view: Pose): string {
    const grown = view.scale / picture.scale;
    const x = view.offsetX - (picture.offsetX + MARGIN) * grown;
    const y = view.offsetY - (picture.offsetY + MARGIN) * grown;
    return `translate(${x}px, ${y}px) scale(${grown})`;
}

function isWhole(pixels: number): boolean {
    return Math.abs(pixels - Math.round(pixels)) < 0.01;
}
