// Places on a segment: its middle, and a picked one that belongs to no other road.
//
// The service is told a position and finds the road nearest to it. At a crossing several are equally
// near, and whoever clicked the end of one road could be taken to be on another; so a spot is moved
// inwards by a step.
import type { Spot } from './layer';
import type { RoadMap } from './road_map';

type Lines = Pick<RoadMap, 'first' | 'xs' | 'ys'>;

/** Metres from an end that tell a road from its neighbours. */
const STEP_M = 2;

export function middleOf(map: Lines, segment: number): Spot {
    return along(map, segment, lengthOf(map, segment) / 2);
}

/** The spot, or a place near it on the same road, not quite as near to its ends. */
export function awayFromEnds(map: Lines, spot: Spot): Spot {
    const length = lengthOf(map, spot.segment);
    const step = Math.min(STEP_M, length / 4);
    const at = distanceAlong(map, spot);
    if (at >= step && at <= length - step) return spot;
    return along(map, spot.segment, Math.min(length - step, Math.max(step, at)));
}

export function lengthOf(map: Lines, segment: number): number {
    let length = 0;
    for (let i = map.first[segment]; i + 1 < map.first[segment + 1]; i++) length += step(map, i);
    return length;
}

function step(map: Lines, i: number): number {
    return Math.hypot(map.xs[i + 1] - map.xs[i], map.ys[i + 1] - map.ys[i]);
}

function along(map: Lines, segment: number, distance: number): Spot {
    let left = distance;
    const last = map.first[segment + 1] - 1;
    for (let i = map.first[segment]; i < last; i++) {
        const length = step(map, i);
        if (left <= length || i + 1 === last) {
            const share = length > 0 ? Math.min(1, left / length) : 0;
            return {
                segment,
                x: map.xs[i] + share * (map.xs[i + 1] - map.xs[i]),
                y: map.ys[i] + share * (map.ys[i + 1] - map.ys[i]),
            };
        }
        left -= length;
    }
    return { segment, x: map.xs[last], y: map.ys[last] };
}

/** From the segment's beginning to the point of it that is nearest to the spot. */
function distanceAlong(map: Lines, spot: Spot): number {
    let nearest = Infinity;
    let found = 0;
    let behind = 0;
    for (let i = map.first[spot.segment]; i + 1 < map.first[spot.segment + 1]; i++) {
        const length = step(map, i);
        const dx = map.xs[i + 1] - map.xs[i];
        const dy = map.ys[i + 1] - map.ys[i];
        const towards = (spot.x - map.xs[i]) * dx + (spot.y - map.ys[i]) * dy;
        const share = length > 0 ? Math.min(1, Math.max(0, towards / (length * length))) : 0;
        const away = Math.hypot(map.xs[i] + share * dx - spot.x, map.ys[i] + share * dy - spot.y);
        if (away < nearest) {
            nearest = away;
            found = behind + share * length;
        }
        behind += length;
    }
    return found;
}
