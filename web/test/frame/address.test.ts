// Links: what is in them comes back, and what anybody may have typed does no harm.
import { describe, expect, it } from 'vitest';
import {
    bordersAmong,
    cloakOfLink,
    formatAddress,
    type Linked,
    parseAddress,
} from '../../src/frame/address';
import { readRoadMap } from '../../src/map/decode';
import { bytesOf, GLOBE, PLANE } from '../support/maps';

const globe = readRoadMap(bytesOf(GLOBE));
const plane = readRoadMap(bytesOf(PLANE));
const NOTHING: Linked = { place: null, tab: null, cloak: null };

describe('an address', () => {
    it('brings back what was seen, nearly: to a tenth of it', () => {
        for (const map of [globe, plane]) {
            const place = { x: map.width / 3, y: map.height / 2, scale: 1.25 };
            const across = map.width / 2;
            const hash = formatAddress({ ...NOTHING, place }, map, across);
            const back = parseAddress(hash, map).place;
            expect(Math.abs((back?.x ?? 0) - place.x)).toBeLessThan(across / 10);
            expect(Math.abs((back?.y ?? 0) - place.y)).toBeLessThan(across / 10);
            expect(back?.scale).toBeCloseTo(1.25, 1);
        }
    });

    it('does not say exactly what is in the middle', () => {
        const place = globe.fromPosition({ lat: 45.0012345, lon: -0.0012345 });
        const hash = formatAddress({ ...NOTHING, place: { ...place, scale: 1 } }, globe, 600);
        expect(hash).toBe('#at=45.001,-0.001&zoom=17');
    });

    it('brings back tab and cloak', () => {
        const cloak = { id: '9f86d081884c7d65', segments: [1, 0] };
        const hash = formatAddress({ ...NOTHING, tab: 'attack', cloak }, globe, 100);
        expect(hash).toBe('#tab=attack&cloak=9f86d081884c7d65.85052627.0-1');
        expect(parseAddress(hash, globe)).toEqual({
            place: null,
            tab: 'attack',
            cloak: { id: '9f86d081884c7d65', segments: [0, 1] },
        });
    });

    it('without anything in it is empty', () => {
        expect(formatAddress(NOTHING, globe, 100)).toBe('');
        expect(parseAddress('', globe)).toEqual(NOTHING);
        expect(parseAddress('#main', globe)).toEqual(NOTHING);
    });

    it('that makes no sense is passed over', () => {
        for (const hash of [
            '#at=49,8',
            '#at=49,8&zoom=',
            '#at=49&zoom=15',
            '#at=x,y&zoom=15',
            '#at=1,2,3&zoom=15',
            '#at=1,2&zoom=1e9',
            '#cloak=9f86d081884c7d65',
            '#cloak=9f86d081884c7d65.85052627.',
            '#cloak=9f86d081884c7d65.00000000.0-1', // of another map
            '#cloak=9f86d081884c7d65.85052627.0-2', // no such road
            '#cloak=9f86d081884c7d65.85052627.1-0', // twice the same
            '#cloak=<b>.85052627.0',
        ]) {
            expect(parseAddress(hash, globe), hash).toEqual(NOTHING);
        }
    });

    it('is not made of a cloak with too many roads', () => {
        const segments = Array.from({ length: 601 }, (_, i) => i);
        const cloak = { id: '9f86d081884c7d65', segments };
        expect(formatAddress({ ...NOTHING, cloak }, globe, 100)).toBe('');
    });
});

describe('a cloak of a link', () => {
    it('has its borders where other roads end', () => {
        expect(bordersAmong(globe, [0])).toEqual([2]);
        expect(bordersAmong(globe, [0, 1])).toEqual([]);
        const cloak = cloakOfLink({ id: '9f86d081884c7d65', segments: [1] }, globe, 'basic');
        expect(cloak).toMatchObject({ segments: [1], border_nodes: [2], engine: 'basic' });
    });
});
