// Which roads are where: a grid of square cells, each with the segments that pass through it.
//
//     +----+----+----+
//     |    |  .-|-'  |       A segment is in every cell that one of its pieces touches. These are found
//     +----+-'--+----+       row by row, so that a long diagonal costs what it crosses and not its box.
//     | .-'|    |    |
//     +----+----+----+
//
// 1. A segment that has a point in a box is in a cell that overlaps the box.
// 2. Cells are about as many as segments, so that a cell has a few, on any map.
import type { RoadMap } from './road_map';

/** Metres of the plane; y grows south. */
export interface Box {
    west: number;
    north: number;
    east: number;
    south: number;
}

/** Whether all of `inner` is within `outer`. South is the larger y. */
export function contains(outer: Box, inner: Box): boolean {
    return (
        outer.west <= inner.west &&
        outer.north <= inner.north &&
        outer.east >= inner.east &&
        outer.south >= inner.south
    );
}

export class Grid {
    readonly columns: number;
    readonly rows: number;
    /** Metres. */
    readonly side: number;
    /** Segments of cell c: segments[first[c]] to segments[first[c + 1] - 1]. */
    readonly first: Uint32Array;
    readonly segments: Uint32Array;
    /** When each segment was last found, so that one in several cells is told once. */
    private readonly foundIn: Uint32Array;
    private search = 0;

    /** Time O(points + cells touched). */
    constructor(map: RoadMap) {
        const cells = Math.max(1, map.segmentCount);
        const area = Math.max(map.width, 1) * Math.max(map.height, 1);
        // A map may be a single straight road: no side is so small that a row has more cells than that.
        this.side = Math.max(Math.sqrt(area / cells), Math.max(map.width, map.height) / cells, 1);
        this.columns = Math.floor(map.width / this.side) + 1;
        this.rows = Math.floor(map.height / this.side) + 1;
        this.foundIn = new Uint32Array(map.segmentCount);

        // Twice the same way: first to count, then to fill in.
        const first = new Uint32Array(this.columns * this.rows + 1);
        this.eachCell(map, (cell) => {
            first[cell + 1]++;
        });
        for (let cell = 0; cell + 1 < first.length; cell++) first[cell + 1] += first[cell];
        const next = first.slice();
        this.segments = new Uint32Array(first[first.length - 1]);
        this.eachCell(map, (cell, segment) => {
            this.segments[next[cell]++] = segment;
        });
        this.first = first;
    }

    columnOf(x: number): number {
        return Math.min(this.columns - 1, Math.max(0, Math.floor(x / this.side)));
    }

    rowOf(y: number): number {
        return Math.min(this.rows - 1, Math.max(0, Math.floor(y / this.side)));
    }

    /**
     * Segments that may have a point in the box, each once, in no order.
     *
     * @param out  filled from its beginning; as long as there are segments
     * @returns how many
     */
    find(box: Box, out: Uint32Array): number {
        const search = this.nextSearch();
        const west = this.columnOf(box.west);
        const east = this.columnOf(box.east);
        const south = this.rowOf(box.south);
        let count = 0;
        for (let row = this.rowOf(box.north); row <= south; row++) {
            // Cells of a row lie side by side, and so do their segments.
            const from = this.first[row * this.columns + west];
            const to = this.first[row * this.columns + east + 1];
            for (let i = from; i < to; i++) {
                const segment = this.segments[i];
                if (this.foundIn[segment] === search) continue;
                this.foundIn[segment] = search;
                out[count++] = segment;
            }
        }
        return count;
    }

    private nextSearch(): number {
        if (this.search === 0xffffffff) {
            this.foundIn.fill(0);
            this.search = 0;
        }
        return ++this.search;
    }

    /** Each cell that a segment touches, once per segment. */
    private eachCell(map: RoadMap, found: (cell: number, segment: number) => void): void {
        const { xs, ys } = map;
        // The last segment told of each cell, plus one.
        const told = new Uint32Array(this.columns * this.rows);
        for (let segment = 0; segment < map.segmentCount; segment++) {
            const last = map.first[segment + 1] - 1;
            let i = map.first[segment];
            do {
                const next = Math.min(i + 1, last);
                this.eachCellOfPiece(xs[i], ys[i], xs[next], ys[next], (cell) => {
                    if (told[cell] === segment + 1) return;
                    told[cell] = segment + 1;
                    found(cell, segment);
                });
            } while (++i < last);
        }
    }

    private eachCellOfPiece(
        x0: number,
        y0: number,
        x1: number,
        y1: number,
        found: (cell: number) => void,
    ): void {
        const high = Math.min(y0, y1);
        const low = Math.max(y0, y1);
        const top = this.rowOf(high);
        const bottom = this.rowOf(low);
        const slope = top === bottom ? 0 : (x1 - x0) / (y1 - y0);
        // Rounding must not let a piece slip past the corner of a cell.
        const slack = this.side / 1024;
        for (let row = top; row <= bottom; row++) {
            let a = x0;
            let b = x1;
            if (top !== bottom) {
                a += (Math.max(high, row * this.side) - y0) * slope;
                b = x0 + (Math.min(low, (row + 1) * this.side) - y0) * slope;
            }
            const right = this.columnOf(Math.max(a, b) + slack);
            for (let column = this.columnOf(Math.min(a, b) - slack); column <= right; column++) {
                found(row * this.columns + column);
            }
        }
    }
}
