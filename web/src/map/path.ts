// Roads as paths: in metres, and made once; the canvas moves and scales them, so that a frame costs a stroke
// however many roads there are.
import type { RoadMap } from './road_map';

export function pathOf(map: RoadMap, segments: Iterable<number>): Path2D {
    const path = new Path2D();
    for (const segment of segments) {
        const first = map.first[segment];
        path.moveTo(map.xs[first], map.ys[first]);
        for (let i = first + 1; i < map.first[segment + 1]; i++) path.lineTo(map.xs[i], map.ys[i]);
    }
    return path;
}
