// The book of cloaks.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CloakEvent } from '../../src/api/types';
import { Cloaks } from '../../src/state/cloaks';

function cloak(id: string): CloakEvent {
    return { id, segments: [3, 4], border_nodes: [2], requests: [{ type: 'knn', k: 5 }] };
}

describe('the book of cloaks', () => {
    beforeEach(() => {
        vi.useFakeTimers();
    });
    afterEach(() => {
        vi.useRealTimers();
    });

    it('has the newest first, and each once', () => {
        const book = new Cloaks();
        book.add(cloak('a'), 'basic', 1);
        book.add(cloak('b'), 'basic', 2);
        book.add(cloak('a'), 'basic', 3);
        expect(book.latest.map(({ id, seenAt }) => [id, seenAt])).toEqual([
            ['b', 2],
            ['a', 1],
        ]);
    });

    it('adds what was sent to the cloak it was sent for', () => {
        const book = new Cloaks();
        book.add(cloak('a'), 'basic', 1);
        const changed = vi.fn();
        book.changed.on(changed);
        book.addSent({ cloak: 'a', encoding: 'compact', bytes: 'AQI=' });
        book.addSent({ cloak: 'unknown', encoding: 'compact', bytes: 'AQI=' });
        expect(book.get('a')?.sent).toEqual({ encoding: 'compact', bytes: Uint8Array.of(1, 2) });
        expect(changed).toHaveBeenCalledTimes(1);
    });

    it('remembers the engine that was in force', () => {
        const book = new Cloaks();
        book.add(cloak('a'), 'hybrid', 1);
        expect(book.get('a')?.engine).toBe('hybrid');
    });

    it('forgets the oldest', () => {
        const book = new Cloaks();
        for (let i = 0; i < 1000; i++) book.add(cloak(`c${i}`), 'basic', i);
        expect(book.latest).toHaveLength(400);
        expect(book.get('c599')).toBeUndefined();
        expect(book.get('c600')).toBe(book.latest[399]);
    });

    it('finds a cloak that is there, one that comes, and gives up on one that does not', async () => {
        const book = new Cloaks();
        book.add(cloak('a'), 'basic', 1);
        expect(await book.find('a')).toBe(book.get('a'));

        const soon = book.find('b');
        const never = book.find('c');
        book.add(cloak('b'), 'basic', 2);
        expect(await soon).toBe(book.get('b'));
        await vi.advanceTimersByTimeAsync(60_000);
        expect(await never).toBeUndefined();
    });
});
