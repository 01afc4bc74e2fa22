// Which signs are explained beside a map.
import { expect, test } from 'vitest';
import { signsOf } from '../../src/frame/signs';

const words = (pane: 'travellers' | 'provider', hasTravellers: boolean, isAsking: boolean) =>
    signsOf(pane, { hasTravellers, isAsking, hasOneWay: false })
        .map(({ text }) => text())
        .join('; ');

test("one's own place and answer are explained on the map where they are drawn", () => {
    expect(words('travellers', true, true)).toMatch(/you, on your road.*your answer/);
    expect(words('provider', true, true)).not.toMatch(/your (road|answer)/);
    expect(words('provider', true, true)).toContain('your own cloak');
    expect(words('provider', false, true)).toMatch(
        /your own cloak.*you, on your road.*your answer/,
    );
});

test('where no question can be asked nothing is said of one of your own', () => {
    expect(words('travellers', true, false)).not.toMatch(/you/);
    expect(words('provider', true, false)).not.toMatch(/you/);
});
