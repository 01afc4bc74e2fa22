// Places on a road, and clicks at crossings.
import { describe, expect, it } from 'vitest';
import { awayFromEnds, lengthOf, middleOf } from '../../src/map/spot';

// Segment 0: 100 m east, then 50 m south. Segment 1: 4 m. Segment 2 has no length.
const map = {
    first: Uint32Array.from([0, 3, 5, 7]),
    xs: Float32Array.from([0, 100, 100, 0, 4, 7, 7]),
    ys: Float32Array.from([0, 0, 50, 9, 9, 7, 7]),
};

describe('a spot', () => {
    it('in the middle is half way along the road', () => {
        expect(lengthOf(map, 0)).toBe(150);
        expect(middleOf(map, 0)).toEqual({ segment: 0, x: 75, y: 0 });
    });

    it('far from both ends stays where it was clicked', () => {
        const spot = { segment: 0, x: 100, y: 20 };
        expect(awayFromEnds(map, spot)).toBe(spot);
    });

    it('at an end moves two metres into its road', () => {
        expect(awayFromEnds(map, { segment: 0, x: 0, y: 0 })).toEqual({ segment: 0, x: 2, y: 0 });
        expect(awayFromEnds(map, { segment: 0, x: 100, y: 50 })).toEqual({
            segment: 0,
            x: 100,
            y: 48,
        });
    });

    it('moves less on a short road, and not at all on one without length', () => {
        expect(awayFromEnds(map, { segment: 1, x: 0, y: 9 })).toEqual({ segment: 1, x: 1, y: 9 });
        expect(awayFromEnds(map, { segment: 2, x: 7, y: 7 })).toEqual({ segment: 2, x: 7, y: 7 });
    });
});
