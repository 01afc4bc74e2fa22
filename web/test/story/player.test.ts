// Scenes one after the other: by themselves, by hand, and when they come late.
import { describe, expect, it } from 'vitest';
import { type Clock, Player, type Scene } from '../../src/story/player';

/** Time that passes when it is told to. */
class HandClock implements Clock {
    private now = 0;
    private timers: { at: number; wake: () => void }[] = [];

    after(ms: number, wake: () => void): () => void {
        const timer = { at: this.now + ms, wake };
        this.timers.push(timer);
        return () => {
            this.timers = this.timers.filter((other) => other !== timer);
        };
    }

    pass(ms: number): void {
        this.now += ms;
        const due = this.timers.filter(({ at }) => at <= this.now);
        this.timers = this.timers.filter(({ at }) => at > this.now);
        for (const { wake } of due) wake();
    }
}

function started(isPaused = false) {
    const clock = new HandClock();
    const player = new Player(isPaused, clock);
    const shown: string[] = [];
    const scene = (title: string): Scene => ({
        title,
        text: '',
        holds: 1000,
        show: () => shown.push(title),
    });
    return { clock, player, shown, scene };
}

describe('a story', () => {
    it('goes on by itself when a scene has had its time', () => {
        const { clock, player, shown, scene } = started();
        for (const title of ['a', 'b', 'c']) player.add(scene(title));
        expect(shown).toEqual(['a']);
        clock.pass(999);
        expect(shown).toEqual(['a']);
        clock.pass(1);
        expect(shown).toEqual(['a', 'b']);
        clock.pass(1000);
        expect(shown).toEqual(['a', 'b', 'c']);
    });

    it('waits for a scene that is not there yet, and shows it at once', () => {
        const { clock, player, shown, scene } = started();
        player.add(scene('a'));
        clock.pass(5000);
        expect(shown).toEqual(['a']);
        player.add(scene('b'));
        expect(shown).toEqual(['a', 'b']);
        player.add(scene('c'));
        expect(player.scene?.title).toBe('b');
    });

    it('stands still while it is paused, and goes on from there', () => {
        const { clock, player, scene } = started();
        player.add(scene('a'));
        player.add(scene('b'));
        player.pause();
        clock.pass(10_000);
        expect(player.scene?.title).toBe('a');
        player.play();
        clock.pass(1000);
        expect(player.scene?.title).toBe('b');
    });

    it('that is paused while it waits for a scene does not go on when that comes', () => {
        const { clock, player, scene } = started();
        player.add(scene('a'));
        clock.pass(5000);
        player.pause();
        player.add(scene('b'));
        expect(player.scene?.title).toBe('a');
        player.play();
        clock.pass(1000);
        expect(player.scene?.title).toBe('b');
    });

    it('that is stepped by hand does not move by itself any more', () => {
        const { clock, player, scene } = started();
        for (const title of ['a', 'b', 'c']) player.add(scene(title));
        player.next();
        expect(player.scene?.title).toBe('b');
        expect(player.isPaused).toBe(true);
        clock.pass(10_000);
        player.back();
        expect(player.scene?.title).toBe('a');
        player.back();
        expect(player.scene?.title).toBe('a');
    });

    it('remembers that the next scene is wanted, also while it is paused', () => {
        const { player, scene } = started(true);
        player.add(scene('a'));
        player.next();
        expect(player.scene?.title).toBe('a');
        player.add(scene('b'));
        expect(player.scene?.title).toBe('b');
    });

    it('begins paused for who would rather not see things move', () => {
        const { clock, player, shown, scene } = started(true);
        player.add(scene('a'));
        player.add(scene('b'));
        clock.pass(10_000);
        expect(shown).toEqual(['a']);
    });

    it('says when the latest scene is over, by time or by hand', async () => {
        const { clock, player, scene } = started();
        let told = '';
        player.add(scene('a'));
        void player.over().then(() => {
            told = 'a';
        });
        clock.pass(500);
        await Promise.resolve();
        expect(told).toBe('');
        clock.pass(500);
        await player.over();
        expect(told).toBe('a');
        player.add(scene('b'));
        const over = player.over();
        player.next();
        await over;
    });

    it('knows its last scene, and frees whoever waits when it is stopped', async () => {
        const { player, scene } = started();
        player.add(scene('a'));
        expect(player.isLast).toBe(false);
        const over = player.over();
        player.end();
        expect(player.isLast).toBe(true);
        player.stop();
        await over;
    });
});
