import { expect, test } from 'vitest';
import { middlesOf, PartsLayer } from '../../src/cluster/parts_layer';
import { townAtRandom } from '../support/maps';

const map = townAtRandom(3, 200, 1000, 800);
const partition = {
    partition: '0123456789abcdef',
    parts: 5,
    segments: Array.from({ length: map.segmentCount }, (_, segment) => segment % 4),
};

test('the middle of a part is on one of its own roads', () => {
    const middles = middlesOf(map, partition);
    expect(middles).toHaveLength(5);
    for (const [part, middle] of middles.slice(0, 4).entries()) {
        expect(middle).not.toBeNull();
        if (middle && 'segment' in middle)
            expect(partition.segments[Number(middle.segment)]).toBe(part);
    }
});

test('a part without roads has no middle', () => {
    expect(middlesOf(map, partition)[4]).toBeNull();
});

test('a partition of another map is refused', () => {
    const layer = new PartsLayer(map);
    expect(() => layer.use({ ...partition, segments: [0, 1] })).toThrow('another map');
    expect(layer.hasPartition).toBe(false);
});
