import { expect, test } from 'vitest';
import { cloakGeoJson } from '../../src/frame/cloak_export';
import { readRoadMap } from '../../src/map/decode';
import { bytesOf, GLOBE, PLANE } from '../support/maps';

const cloak = { id: '9f86d081884c7d65', segments: [0, 1] };

test('a cloak is a feature per road, in the coordinates of the map', () => {
    const time = new Date('2026-11-18T01:02:03Z');
    const json = cloakGeoJson(readRoadMap(bytesOf(GLOBE)), cloak, { users: 5, time });
    const facts = {
        cloak: cloak.id,
        users: 5,
        segments: 2,
        time: '2026-11-18T01:02:03.000Z',
    };
    expect(json).toMatchObject({
        type: 'FeatureCollection',
        features: [
            {
                type: 'Feature',
                properties: { ...facts, segment: 0, name: null },
                geometry: { type: 'LineString' },
            },
            {
                type: 'Feature',
                properties: { ...facts, segment: 1, name: 'Ringstraße (B 37)' },
                geometry: { type: 'LineString' },
            },
        ],
    });
    const { features } = json as { features: { geometry: { coordinates: number[][] } }[] };
    const expected = [
        [-0.002, 45],
        [-0.001, 45.001],
        [0, 45.001],
    ];
    for (const [i, [lon, lat]] of features[0].geometry.coordinates.entries()) {
        expect(lon).toBeCloseTo(expected[i][0], 6);
        expect(lat).toBeCloseTo(expected[i][1], 6);
    }
});

test('what is not known is null, and a plane has its own coordinates', () => {
    const map = readRoadMap(bytesOf(PLANE));
    const json = cloakGeoJson(map, { ...cloak, segments: [0] }, { users: null, time: null });
    const { features } = json as {
        features: { properties: object; geometry: { coordinates: number[][] } }[];
    };
    expect(features[0].properties).toMatchObject({ users: null, time: null, name: null });
    const [[x, y]] = features[0].geometry.coordinates;
    expect(x).toBeCloseTo(731235.2, 3);
    expect(y).toBeCloseTo(3737245, 3);
});
