// The four parts of a profile in plain words, within the operator's bounds.
import type { About, Profile } from '../api/types';
import { Slider, type SliderWords } from './slider';

export type PrivacySliders = { [part in keyof Profile]: Slider };

export function privacySliders(about: About, changed: () => void): PrivacySliders {
    const { k, l, max_hops, max_wait_s } = about.profile;
    const travellers: SliderWords = {
        name: 'k',
        label: 'Hidden among at least',
        unit: 'travellers',
        hint: 'It cannot be told which of them you are (k).',
        isWhole: true,
    };
    const roads: SliderWords = {
        name: 'l',
        label: 'Spread over at least',
        unit: 'roads',
        hint: 'Even if all of them were on one road, it could not be told which (l).',
        isWhole: true,
    };
    const crossings: SliderWords = {
        name: 'max_hops',
        label: 'Not farther away than',
        unit: 'crossings',
        hint: 'The shaded roads: how far the cloak may reach (sigma_s).',
        isWhole: true,
    };
    const time: SliderWords = {
        name: 'max_wait_s',
        label: 'I can wait for',
        unit: 'seconds',
        hint: 'If there is not enough company by then, nothing is sent (sigma_t).',
        isWhole: false,
    };
    return {
        k: new Slider(travellers, k, 20, changed),
        l: new Slider(roads, l, 30, changed),
        max_hops: new Slider(crossings, max_hops, 10, changed),
        max_wait_s: new Slider(time, max_wait_s, 30, changed),
    };
}
