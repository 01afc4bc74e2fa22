import { afterEach, expect, test } from 'vitest';
import { isForMap } from '../../src/map/gestures';
import { frameOf } from '../../src/map/inset';
import { lengthWords, roundLength } from '../../src/map/map_controls';
import { useLanguage } from '../../src/text/language';

afterEach(() => useLanguage('en'));

test('the scale has the longest round length that fits', () => {
    for (let scale = 0.0003; scale < 50; scale *= 1.37) {
        const { length, pixels } = roundLength(scale, 110);
        expect(pixels).toBeLessThanOrEqual(110 * (1 + 1e-9));
        expect(pixels).toBeGreaterThan(110 / 2.6);
        expect(pixels).toBeCloseTo(length * scale, 9);
        const first = length / 10 ** Math.floor(Math.log10(length * (1 + 1e-9)));
        expect([1, 2, 5]).toContain(Number(first.toPrecision(6)));
    }
    expect(roundLength(1, 100)).toEqual({ length: 100, pixels: 100 });
});

test('lengths are in metres and kilometres, and on a plane in its units', () => {
    expect(lengthWords(200, true)).toBe('200 m');
    expect(lengthWords(1000, true)).toBe('1 km');
    expect(lengthWords(50_000, true)).toBe('50 km');
    expect(lengthWords(0.5, true)).toBe('0.5 m');
    expect(lengthWords(200, false)).toBe('200 units');
    useLanguage('de');
    expect(lengthWords(0.02, false)).toBe('0.02 Einheiten');
});

test('the frame of the inset is where the view is, and is found however small', () => {
    const seen = { west: 1000, north: 2000, east: 3000, south: 3000 };
    expect(frameOf(seen, 0.01)).toEqual({ left: 10, top: 20, width: 20, height: 10 });
    const tiny = frameOf({ west: 1000, north: 2000, east: 1010, south: 2010 }, 0.01);
    expect(tiny.width).toBe(7);
    expect(tiny.left + tiny.width / 2).toBeCloseTo(10.05, 9);
});

test('one finger is for the page, two are for the map', () => {
    const touch = (count: number) => isForMap({ touches: { length: count } } as unknown as Event);
    expect([touch(1), touch(2), touch(3)]).toEqual([false, true, true]);
    const mouse = (event: object) => isForMap(event as Event);
    expect(mouse({ type: 'mousedown', ctrlKey: false, button: 0 })).toBe(true);
    expect(mouse({ type: 'mousedown', ctrlKey: false, button: 2 })).toBe(false);
    expect(mouse({ type: 'wheel', ctrlKey: true, button: 0 })).toBe(true);
});
