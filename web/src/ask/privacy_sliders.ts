// The four parts of a profile in plain words, within the operator's bounds.
import type { About, Profile } from '../api/types';
import { t } from '../text/language';
import { Slider, type SliderWords } from './slider';

export type PrivacySliders = { [part in keyof Profile]: Slider };

export function privacySliders(about: About, changed: () => void): PrivacySliders {
    const { k, l, max_hops, max_wait_s } = about.profile;
    const travellers: SliderWords = {
        name: 'k',
        label: t('Hidden among at least'),
        unit: t('travellers'),
        hint: t('It cannot be told which of them you are (k).'),
        isWhole: true,
    };
    const roads: SliderWords = {
        name: 'l',
        label: t('Spread over at least'),
        unit: t('roads'),
        hint: t('Even if all of them were on one road, it could not be told which (l).'),
        isWhole: true,
    };
    const crossings: SliderWords = {
        name: 'max_hops',
        label: t('Not farther away than'),
        unit: t('crossings'),
        hint: t('The shaded roads: how far the cloak may reach (sigma_s).'),
        isWhole: true,
    };
    const time: SliderWords = {
        name: 'max_wait_s',
        label: t('I can wait for'),
        unit: t('seconds'),
        hint: t('If there is not enough company by then, nothing is sent (sigma_t).'),
        isWhole: false,
    };
    return {
        k: new Slider(travellers, k, 20, changed),
        l: new Slider(roads, l, 30, changed),
        max_hops: new Slider(crossings, max_hops, 10, changed),
        max_wait_s: new Slider(time, max_wait_s, 30, changed),
    };
}
