// English or German: as the browser prefers, or as chosen here. Texts are made once, so the page is loaded again in
// the other language; where one is on it stands in the address (address.ts) and is found again.
import { freshId, make } from '../dom';
import { type Language, language, t } from '../text/language';
import { remember } from './memory';

/** Each in its own words: who cannot read this page finds the other. */
const LANGUAGES: Record<Language, { name: string; short: string }> = {
    en: { name: 'English', short: 'EN' },
    de: { name: 'Deutsch', short: 'DE' },
};
/** As in layout.css: every letter counts there. */
const SMALL = '(max-width: 599px)';

export function makeLanguageSwitch(): HTMLElement {
    const id = freshId('language');
    const select = make(
        'select',
        { id, 'data-testid': 'language' },
        ...Object.entries(LANGUAGES).map(([value, { name, short }]) =>
            make('option', { value, lang: value }, matchMedia(SMALL).matches ? short : name),
        ),
    );
    select.value = language();
    select.addEventListener('change', () => {
        remember('language', select.value);
        // What the address says would go before what is remembered.
        const address = new URL(location.href);
        address.searchParams.delete('lang');
        history.replaceState(null, '', address);
        location.reload();
    });
    return make(
        'span',
        { class: 'language' },
        make('label', { for: id, class: 'visually-hidden' }, t('Language')),
        select,
    );
}
