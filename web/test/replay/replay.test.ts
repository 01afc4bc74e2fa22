// Where a recorded run is, as the page counts on between two words of the service.
import { describe, expect, it } from 'vitest';
import type { ReplayChange, ReplayState } from '../../src/api/types';
import { clockWords, Replay, speedsWith } from '../../src/replay/replay';

const state: ReplayState = { begin: 10, end: 130, now: 22.5, speed: 4, is_paused: false };

function replayAt(told: ReplayState): Replay {
    const replay = new Replay(() => Promise.resolve(told));
    replay.heard(told, 1000);
    return replay;
}

describe('a recorded run', () => {
    it('goes on by its own speed until the service says more', () => {
        const replay = replayAt(state);
        expect([1000, 2000, 3500].map((now) => replay.timeAt(now))).toEqual([22.5, 26.5, 32.5]);
    });

    it('stands still in a pause, and stays between its beginning and its end', () => {
        expect(replayAt({ ...state, is_paused: true }).timeAt(9000)).toBe(22.5);
        expect(replayAt(state).timeAt(1e6)).toBe(130);
        expect(replayAt({ ...state, now: 5 }).timeAt(1000)).toBe(10);
    });

    it('is nowhere before it was told of', () => {
        expect(new Replay(() => Promise.resolve(state)).timeAt(1000)).toBe(0);
    });

    it('is as the service says after it was told to change', async () => {
        const asked: ReplayChange[] = [];
        const replay = new Replay((change) => {
            asked.push(change);
            return Promise.resolve({ ...state, now: 60, is_paused: true });
        });
        let heard = 0;
        replay.changed.on(() => {
            heard += 1;
        });
        await replay.control({ t: 60, paused: true });
        expect(asked).toEqual([{ t: 60, paused: true }]);
        expect([replay.state?.now, replay.state?.is_paused, heard]).toEqual([60, true, 1]);
    });
});

describe('its time', () => {
    it('is read as on a clock', () => {
        expect([0, 5.9, 65, 3599, 3723.4, -1].map(clockWords)).toEqual([
            '0:00',
            '0:05',
            '1:05',
            '59:59',
            '1:02:03',
            '0:00',
        ]);
    });

    it('goes at speeds to choose from, the one in force among them', () => {
        expect(speedsWith(1)).toEqual([0.25, 0.5, 1, 2, 4, 10, 30, 100]);
        expect(speedsWith(3)).toContain(3);
    });
});
