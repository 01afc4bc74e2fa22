// The road nearest to a point, and the place on it.
//
// Cells of the grid are searched in rings around the point, until no farther ring can have anything
// nearer. The answer is exact; of roads that are equally near, the one with the lowest number.
import type { Grid } from './grid';
import type { Spot } from './layer';
import type { Point, RoadMap } from './road_map';

/** @returns null if nothing is within `reach` metres */
export function nearestRoad(
    map: RoadMap,
    grid: Grid,
    at: Point,
    reach = Number.POSITIVE_INFINITY,
): Spot | null {
    const best = new Nearest(at, reach);
    const column = grid.columnOf(at.x);
    const row = grid.rowOf(at.y);
    const rings = Math.max(grid.columns, grid.rows);
    for (let ring = 0; ring < rings; ring++) {
        // What lies in this ring is at least as far as the inner ring's rim. A point outside the map
        // is farther still, so this holds for it as well.
        if ((ring - 1) * grid.side > best.away) break;
        eachCellOfRing(grid, column, row, ring, (cell) => {
            for (let i = grid.first[cell]; i < grid.first[cell + 1]; i++) {
                best.try(map, grid.segments[i]);
            }
        });
    }
    return best.spot;
}

function eachCellOfRing(
    grid: Grid,
    column: number,
    row: number,
    ring: number,
    found: (cell: number) => void,
): void {
    for (let y = row - ring; y <= row + ring; y++) {
        if (y < 0 || y >= grid.rows) continue;
        // Whole rows at the top and at the bottom, two cells in between.
        const isRim = Math.abs(y - row) === ring;
        const step = isRim || ring === 0 ? 1 : 2 * ring;
        for (let x = column - ring; x <= column + ring; x += step) {
            if (x >= 0 && x < grid.columns) found(y * grid.columns + x);
        }
    }
}

/** The nearest place so far. */
export class Nearest {
    spot: Spot | null = null;

    /** @param away  metres within which a place must be */
    constructor(
        private readonly at: Point,
        public away: number,
    ) {}

    /** Is it nearer on this segment? */
    try(map: RoadMap, segment: number): void {
        const { at } = this;
        const last = map.first[segment + 1] - 1;
        let i = map.first[segment];
        do {
            const next = Math.min(i + 1, last);
            const x = map.xs[i];
            const y = map.ys[i];
            const dx = map.xs[next] - x;
            const dy = map.ys[next] - y;
            const square = dx * dx + dy * dy;
            const along = square > 0 ? ((at.x - x) * dx + (at.y - y) * dy) / square : 0;
            const share = Math.min(1, Math.max(0, along));
            const footX = x + share * dx;
            const footY = y + share * dy;
            const away = Math.hypot(footX - at.x, footY - at.y);
            const isNearer =
                away < this.away ||
                (away === this.away && (this.spot === null || segment < this.spot.segment));
            if (isNearer) {
                this.away = away;
                this.spot = { segment, x: footX, y: footY };
            }
        } while (++i < last);
    }
}
