// Frames of positions, as docs/ui.md describes them.
import { describe, expect, it } from 'vitest';
import type { PositionsEvent } from '../../src/api/types';
import { PositionFrames } from '../../src/state/position_frames';

function event(frame: number, base: boolean, ...bytes: number[]): PositionsEvent {
    return { t: 0, frame, base, moves: Buffer.from(bytes).toString('base64') };
}

/** The example of docs/ui.md. */
const BASE = event(1, true, 0x16, 0x28, 0x00, 0x02, 0xda, 0x04, 0x0a);
const DELTA = event(2, false, 0x03, 0x06, 0x00, 0x02, 0x01);

function framesOf(count: number): PositionFrames {
    const frames = new PositionFrames();
    frames.setCount(count);
    return frames;
}

describe('frames of positions', () => {
    it('are read as the document shows', () => {
        const frames = framesOf(4);
        expect(frames.read(BASE)).toBe(true);
        expect([...frames.at]).toEqual([10, 20, -1, -1, -1, -1, 300, 5]);
        expect(frames.read(DELTA)).toBe(true);
        expect([...frames.at]).toEqual([9, 23, -1, -1, -1, -1, -1, -1]);
        expect(frames.read(event(3, false))).toBe(true);
        expect([...frames.at]).toEqual([9, 23, -1, -1, -1, -1, -1, -1]);
    });

    it('let those who were off the road come back, counted from the corner', () => {
        const frames = framesOf(2);
        frames.read(event(1, true, 0x06, 0x08));
        frames.read(event(2, false, 0x01));
        frames.read(event(3, false, 0x08, 0x0a, 0x02, 0x00));
        expect([...frames.at]).toEqual([3, 5, 0, 0]);
    });

    it('cannot be used before a base, nor after one that is missing', () => {
        const frames = framesOf(4);
        expect(frames.read(DELTA)).toBe(false);
        frames.read(BASE);
        expect(frames.read(event(3, false, 0x01))).toBe(false);
        expect(frames.read(event(1, false, 0x01))).toBe(false);
        expect([...frames.at]).toEqual([10, 20, -1, -1, -1, -1, 300, 5]);
        expect(frames.read(DELTA)).toBe(true);
        expect(frames.read(event(9, true))).toBe(true);
        expect([...frames.at]).toEqual([-1, -1, -1, -1, -1, -1, -1, -1]);
        expect(frames.read(event(10, false, 0x02, 0x02))).toBe(true);
        expect(frames.at[1]).toBe(1);
    });

    it('need a base again when there are more travellers or fewer', () => {
        const frames = framesOf(4);
        frames.read(BASE);
        frames.setCount(4);
        expect(frames.read(DELTA)).toBe(true);
        frames.setCount(5);
        expect(frames.at).toHaveLength(10);
        expect(frames.read(event(3, false))).toBe(false);
    });

    it('take far places and long steps', () => {
        const frames = framesOf(1);
        // 2 + folded 1,000,000 and folded 16,777,215.
        frames.read(event(1, true, 0x82, 0x89, 0x7a, 0xfe, 0xff, 0xff, 0x0f));
        expect([...frames.at]).toEqual([1_000_000, 16_777_215]);
        frames.read(event(2, false, 0x81, 0x89, 0x7a, 0xfd, 0xff, 0xff, 0x0f));
        expect([...frames.at]).toEqual([0, 0]);
    });

    it('that are broken are no harm, and the next base is read', () => {
        const broken = [
            [0x16],
            [0x16, 0x80],
            [0x00, 0x09, 0x16, 0x28],
            [0x00, 0x05],
            [0x16, 0x28, 0x16, 0x28, 0x16, 0x28, 0x16, 0x28, 0x16, 0x28],
            [0x03, 0x06],
        ];
        for (const bytes of broken) {
            const frames = framesOf(4);
            expect(frames.read(event(1, true, ...bytes)), `${bytes}`).toBe(false);
            expect(frames.read(DELTA)).toBe(false);
            expect(frames.read(BASE)).toBe(true);
            expect(frames.at[6]).toBe(300);
        }
    });
});
