// What is seen first: a busy neighbourhood, where single cloaks can be told apart, and the city in a corner.
//
// The map is there before the travellers are, so at first it is the neighbourhood with the most roads. When they have
// come and are elsewhere, and nobody has moved the map meanwhile, the view goes there.
import { busiest, countIn, neighbourhoodSide } from '../map/busiest';
import type { RoadMap } from '../map/road_map';
import type { MapView } from '../map/view';
import type { Fleet } from '../state/model';

/** Milliseconds between two looks for travellers, and until they are given up. */
const LOOK_MS = 100;
const PATIENCE_MS = 10_000;
/** So much busier must another neighbourhood be. */
const BUSIER = 1.5;

export function openWhereTravellersAre(view: MapView, map: RoadMap, fleet: Fleet): void {
    const side = neighbourhoodSide(map);
    if (side === null) return;
    const since = performance.now();
    const timer = setInterval(() => {
        const now = performance.now();
        const positions = fleet.positions(now);
        if (view.isMoved || now - since > PATIENCE_MS) clearInterval(timer);
        else if (view.isFitted && positions.length > 0) {
            clearInterval(timer);
            const found = busiest(positions, map, side);
            const isBusier = found && found.count > BUSIER * countIn(positions, view.seen);
            if (isBusier) view.openElsewhere(found.box);
        }
    }, LOOK_MS);
}
