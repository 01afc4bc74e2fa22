// Dots, pixel by pixel.
import { describe, expect, it } from 'vitest';
import { pixelOf, radiusAt } from '../../src/travellers/movers_layer';
import { Stamp } from '../../src/travellers/stamp';

const WIDTH = 20;
const HEIGHT = 10;
const COLOUR = 0x00332211;

function picture(put: (pixels: Uint32Array) => void): Uint32Array {
    const pixels = new Uint32Array(WIDTH * HEIGHT);
    put(pixels);
    return pixels;
}

function opacities(pixels: Uint32Array): number[] {
    return [...pixels].map((pixel) => pixel >>> 24);
}

function sum(numbers: number[]): number {
    return numbers.reduce((total, number) => total + number, 0);
}

describe('a dot', () => {
    it('covers as much as a disc of its size, wherever in a pixel it is', () => {
        for (const radius of [1.5, 2, 3]) {
            const stamp = new Stamp(radius);
            for (const [x, y] of [
                [8, 5],
                [8.3, 4.8],
                [8.99, 5.01],
            ]) {
                const pixels = picture((all) => stamp.put(all, WIDTH, HEIGHT, x, y, COLOUR));
                const area = sum(opacities(pixels)) / 255;
                expect(area / (Math.PI * radius * radius)).toBeGreaterThan(0.93);
                expect(area / (Math.PI * radius * radius)).toBeLessThan(1.07);
            }
        }
    });

    it('has its weight where it is put, to an eighth of a pixel', () => {
        const stamp = new Stamp(2);
        for (const x of [8, 8.25, 8.6, 8.9]) {
            const all = opacities(
                picture((pixels) => stamp.put(pixels, WIDTH, HEIGHT, x, 5, COLOUR)),
            );
            // The middle of pixel i is at i + 0.5.
            const middle = sum(all.map((opacity, i) => opacity * ((i % WIDTH) + 0.5))) / sum(all);
            expect(Math.abs(middle - x)).toBeLessThanOrEqual(0.126);
        }
    });

    it('at the edge leaves out what is beyond, and far away everything', () => {
        const stamp = new Stamp(2);
        const half = picture((all) => stamp.put(all, WIDTH, HEIGHT, 0, 5, COLOUR));
        const whole = picture((all) => stamp.put(all, WIDTH, HEIGHT, 10, 5, COLOUR));
        const part = sum(opacities(half)) / sum(opacities(whole));
        expect(part).toBeGreaterThan(0.35);
        expect(part).toBeLessThan(0.65);
        for (const [x, y] of [
            [-50, 5],
            [5, 1e9],
            [Number.NaN, 5],
            [5, Number.NaN],
            [Number.POSITIVE_INFINITY, 0],
        ]) {
            const pixels = picture((all) => stamp.put(all, WIDTH, HEIGHT, x, y, COLOUR));
            expect(sum(opacities(pixels))).toBe(0);
        }
    });

    it('has one colour, and does not thin out a denser one below', () => {
        const stamp = new Stamp(2);
        const pixels = picture((all) => {
            stamp.put(all, WIDTH, HEIGHT, 8, 5, COLOUR);
            stamp.put(all, WIDTH, HEIGHT, 10, 5, COLOUR);
        });
        const alone = picture((all) => stamp.put(all, WIDTH, HEIGHT, 8, 5, COLOUR));
        for (const [i, pixel] of pixels.entries()) {
            if (pixel !== 0) expect(pixel & 0xffffff).toBe(COLOUR);
            expect(pixel >>> 24).toBeGreaterThanOrEqual(alone[i] >>> 24);
        }
    });
});

describe('a traveller', () => {
    it('has the colour of the page, red first in memory', () => {
        expect(pixelOf('#112233')).toBe(0x332211);
        expect([...new Uint8Array(Uint32Array.of(pixelOf('#112233')).buffer)]).toEqual([
            0x11, 0x22, 0x33, 0,
        ]);
    });

    it('is larger from near, within limits', () => {
        const country = { width: 1e9, height: 1e9 };
        const sizes = [1e-6, 0.012, 0.05, 0.3, 1, 20].map((scale) => radiusAt(scale, 1, country));
        expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
        expect(sizes[0]).toBe(0.9);
        expect(sizes[5]).toBe(3.5);
    });
});
