// Keys on the map.
import { describe, expect, it } from 'vitest';
import { actOnKey } from '../../src/map/keys';

function press(key: string, held: Partial<Record<'shiftKey' | 'ctrlKey', boolean>> = {}) {
    const done: string[] = [];
    const view = {
        panBy: (dx: number, dy: number) => done.push(`pan ${dx} ${dy}`),
        zoomBy: (factor: number) => done.push(factor > 1 ? 'nearer' : 'farther'),
        showAll: () => done.push('all'),
    };
    const event = { key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held };
    const wasMeant = actOnKey(event, view, () => done.push('pick'));
    return { wasMeant, done };
}

describe('a key', () => {
    it('moves, zooms and picks', () => {
        const meanings: [string, string][] = [
            ['ArrowLeft', 'pan -80 0'],
            ['ArrowRight', 'pan 80 0'],
            ['ArrowUp', 'pan 0 -80'],
            ['ArrowDown', 'pan 0 80'],
            ['+', 'nearer'],
            ['=', 'nearer'],
            ['-', 'farther'],
            ['0', 'all'],
            ['Enter', 'pick'],
            [' ', 'pick'],
        ];
        for (const [key, meaning] of meanings) {
            expect(press(key)).toEqual({ wasMeant: true, done: [meaning] });
        }
    });

    it('with shift moves farther', () => {
        expect(press('ArrowUp', { shiftKey: true }).done).toEqual(['pan 0 -320']);
    });

    it('that is not ours is left to the browser', () => {
        expect(press('Tab')).toEqual({ wasMeant: false, done: [] });
        expect(press('+', { ctrlKey: true })).toEqual({ wasMeant: false, done: [] });
    });
});
