// What layers and roads look like, as far as it can be told without looking.
import { describe, expect, it } from 'vitest';
import { bordersOf, opacityAt } from '../../src/cloaks/cloaks_layer';
import { readRoadMap } from '../../src/map/decode';
import { kindOfClass, ROAD_KINDS, strokeOf } from '../../src/map/road_style';
import { placed } from '../../src/map/roads';
import { paceAt, radiusAt, shownOf } from '../../src/travellers/movers_layer';
import { RING, sizeAt } from '../../src/travellers/query_signs';
import { timeLeft, traceSign, URGENCIES, urgencyOf } from '../../src/travellers/urgency';
import { bytesOf, GLOBE } from '../support/maps';

describe('a road', () => {
    it('of every class has a kind of its own order', () => {
        const kinds = Array.from({ length: 10 }, (_, roadClass) => kindOfClass(roadClass));
        expect(new Set(kinds)).toEqual(new Set(ROAD_KINDS.keys()));
        expect(kindOfClass(1)).toBe(ROAD_KINDS.length - 1);
        expect(kindOfClass(200)).toBe(kindOfClass(6));
    });

    it('never gets thinner or fainter as one comes nearer', () => {
        for (const kind of ROAD_KINDS) {
            let before = { width: 0, alpha: 0 };
            for (let scale = 0.001; scale < 20; scale *= 1.1) {
                const stroke = strokeOf(kind, scale, 1);
                if (!stroke) {
                    expect(before.width).toBe(0);
                    continue;
                }
                expect(stroke.width).toBeGreaterThanOrEqual(before.width);
                expect(stroke.alpha).toBeGreaterThanOrEqual(before.alpha);
                before = stroke;
            }
            expect(before.alpha).toBe(1);
        }
    });

    it('that is small is one pixel of the screen from afar, on any screen', () => {
        for (const ratio of [1, 1.5, 2, 3]) {
            const stroke = strokeOf(ROAD_KINDS[1], 0.02, ratio);
            expect(stroke?.width).toBeCloseTo(1 / ratio, 12);
        }
    });

    it('has its true width from near', () => {
        expect(strokeOf(ROAD_KINDS[1], 2, 1)).toEqual({ width: 16, alpha: 1, isBand: true });
    });
});

describe('the picture of the roads', () => {
    it('lies still over its own view, moves with it, and grows with it', () => {
        const pose = { scale: 2, offsetX: 30, offsetY: 40 };
        expect(placed(pose, pose)).toBe('translate(-160px, -160px) scale(1)');
        expect(placed(pose, { ...pose, offsetX: 35 })).toBe('translate(-155px, -160px) scale(1)');
        // The world's origin was at 30 + 160 in the picture; twice as large it is at 100.
        const [, x] = /translate\((-?\d+)px/.exec(
            placed(pose, { scale: 4, offsetX: 100, offsetY: 0 }),
        ) as RegExpExecArray;
        expect(Number(x) + 2 * (30 + 160)).toBe(100);
    });
});

describe('a cloak', () => {
    it('fades, steadily, and is gone after eight seconds', () => {
        const ages = [0, 1000, 2000, 5000, 7900].map(opacityAt);
        expect(ages).toEqual([...ages].sort((a, b) => b - a));
        expect(ages[4]).toBeGreaterThan(0);
        expect(opacityAt(8000)).toBe(0);
        expect(opacityAt(1e9)).toBe(0);
    });

    it('borders on others where its segments end, once per crossing', () => {
        const map = readRoadMap(bytesOf(GLOBE));
        const borders = bordersOf(map, { segments: [0, 1], border_nodes: [2, 3, 99] });
        expect(borders).toEqual([
            { x: map.xs[2], y: map.ys[2] },
            { x: map.xs[4], y: map.ys[4] },
        ]);
    });
});

describe('what moves', () => {
    const city = { width: 8000, height: 8000 };

    it('is smaller where many are on a small map, and is still seen', () => {
        const wide = sizeAt(0.05, 700, city);
        const small = sizeAt(0.02, 700, city);
        expect(small).toBeLessThan(wide);
        expect(sizeAt(0.02, 20_000, city) * RING).toBeGreaterThan(1.5);
        expect(sizeAt(0.02, 10, city)).toBe(0.42);
        expect(radiusAt(0.02, 6000, city)).toBeLessThan(radiusAt(0.05, 6000, city));
        expect(radiusAt(0.02, 1e6, city)).toBe(0.5);
    });

    it('never shrinks as one comes nearer', () => {
        let before = { ring: 0, dot: 0 };
        for (let scale = 0.005; scale < 20; scale *= 1.1) {
            const now = { ring: sizeAt(scale, 700, city), dot: radiusAt(scale, 6000, city) };
            expect(now.ring).toBeGreaterThanOrEqual(before.ring);
            expect(now.dot).toBeGreaterThanOrEqual(before.dot);
            before = now;
        }
        expect(before).toEqual({ ring: 1.25, dot: 3.5 });
    });
});

describe('travellers seen from afar', () => {
    const city = { width: 8000, height: 8000 };

    it('are fewer, never fewer as one comes nearer, and all from near', () => {
        let before = 0;
        for (let scale = 0.01; scale < 5; scale *= 1.2) {
            const now = shownOf(6000, scale, city);
            expect(now).toBeGreaterThanOrEqual(before);
            before = now;
        }
        expect(shownOf(6000, 0.05, city)).toBe(1000);
        expect(before).toBe(6000);
        expect(shownOf(50, 0.001, city)).toBe(50);
    });

    it('are drawn when they have moved by an eighth of a pixel, four times a second at least', () => {
        expect(paceAt(0.01)).toBe(250);
        expect(paceAt(0.25)).toBeCloseTo(35.7, 1);
        expect(paceAt(5)).toBeLessThan(4);
    });
});

describe('a query that waits', () => {
    it('has all of its time at first and none at its deadline', () => {
        expect(timeLeft(1000, 11_000, 1000)).toBe(1);
        expect(timeLeft(1000, 11_000, 3500)).toBe(0.75);
        expect(timeLeft(1000, 11_000, 11_000)).toBe(0);
        expect(timeLeft(1000, 11_000, 99_000)).toBe(0);
        expect(timeLeft(1000, 1000, 500)).toBe(0);
    });

    it('becomes urgent', () => {
        expect([1, 0.51, 0.5, 0.21, 0.2, 0].map(urgencyOf)).toEqual([
            'calm',
            'calm',
            'waiting',
            'waiting',
            'urgent',
            'urgent',
        ]);
    });

    it('has another shape for each urgency, not only another colour', () => {
        const shapes = URGENCIES.map((urgency) => {
            const strokes: string[] = [];
            const note = (what: string) => () => void strokes.push(what);
            const path = {
                moveTo: note('move'),
                lineTo: note('line'),
                closePath: note('close'),
                arc: note('arc'),
                rect: note('rect'),
            };
            traceSign(path, urgency, 0, 0, 3);
            return strokes.join(' ');
        });
        expect(new Set(shapes).size).toBe(3);
    });
});
