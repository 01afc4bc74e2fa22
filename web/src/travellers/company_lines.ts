// Lines on the travellers' map from who asks here to others: to those who fit, as they drive on; and to those who are
// hidden with it, where they asked, which is on the roads of the cloak. In the demo alone: elsewhere no one may know
// who they are.
import { isMotionUnwelcome } from '../frame/motion';
import { colourOf } from '../map/draw';
import type { DrawingContext, Layer } from '../map/layer';
import type { Point, RoadMap } from '../map/road_map';
import { middleOf } from '../map/spot';
import type { View } from '../map/view';
import type { Fleet, Member } from '../state/model';

/** Milliseconds until a line has grown to its end. */
const GROWS_MS = 1200;
/** CSS pixels of the ring around a traveller. */
const RING = 9;

type Traveller = Pick<Member, 'who' | 'segment' | 'at'>;

interface Lines {
    from: Point;
    /** Asked again for each picture: more may become known. */
    to: () => readonly Traveller[];
    /** True company is drawn without dashes, and where it asked. */
    isCertain: boolean;
    since: number;
}

export class CompanyLines implements Layer {
    private lines: Lines | null = null;
    private invalidate: () => void = () => {};

    constructor(
        private readonly fleet: Fleet,
        private readonly map: RoadMap,
    ) {}

    show(from: Point, to: Lines['to'], isCertain: boolean): void {
        this.lines = { from, to, isCertain, since: performance.now() };
        this.invalidate();
    }

    clear(): void {
        this.lines = null;
        this.invalidate();
    }

    added(invalidate: () => void): void {
        this.invalidate = invalidate;
    }

    draw(context: DrawingContext, view: View, now: number): boolean {
        if (!this.lines) return false;
        const { from, to, isCertain, since } = this.lines;
        const grown = isMotionUnwelcome() ? 1 : Math.min(1, (now - since) / GROWS_MS);
        const positions = this.fleet.positions(now);
        const start = view.toScreen(from);
        context.strokeStyle = colourOf(isCertain ? '--map-cloak' : '--map-waiting');
        context.lineWidth = isCertain ? 2 : 1.5;
        context.lineCap = 'round';
        context.beginPath();
        const ends = to().map((traveller) => {
            const at = isCertain ? traveller.at : undefined;
            return view.toScreen(at ?? this.whereIs(traveller, positions));
        });
        context.setLineDash(isCertain ? [] : [4, 5]);
        for (const { x, y } of ends) {
            context.moveTo(start.x, start.y);
            context.lineTo(start.x + (x - start.x) * grown, start.y + (y - start.y) * grown);
        }
        context.stroke();
        context.setLineDash([]);
        context.beginPath();
        for (const { x, y } of grown === 1 ? ends : []) {
            context.moveTo(x + RING, y);
            context.arc(x, y, RING, 0, 2 * Math.PI);
        }
        context.stroke();
        return true;
    }

    private whereIs({ who, segment }: Traveller, positions: Float32Array): Point {
        const [x, y] = [positions[2 * who], positions[2 * who + 1]];
        return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : middleOf(this.map, segment);
    }
}
