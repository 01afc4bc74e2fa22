// How much company there is for a question, how much is missing, and buttons for what would help.
import type { Profile } from '../api/types';
import { make, setText } from '../dom';
import { t, tn } from '../text/language';
import { counted, seconds } from '../text/measures';
import { count } from '../text/words';
import type { Company } from './company';
import type { Remedy } from './remedies';

/** Beside the company itself. */
export interface Surroundings {
    profile: Profile;
    /** Travellers who wait within reach, whether they fit or not. */
    near: number;
    /** Who fit and are likely to be here at once in time, the asker included; null: not to be told. */
    atOnce: number | null;
    /** No change of the profile that is tried is likely to be enough. */
    isHopeless: boolean;
}

/** "3 of 5 who fit are here, you included; 2 more are needed." */
export function companyWords(company: Company, profile: Profile): string {
    if (!company.isFeasible) {
        return t('No cloak fits here: within {crossings} there are fewer than {roads}.', {
            crossings: counted(profile.max_hops, 'crossing'),
            roads: counted(profile.l, 'road'),
        });
    }
    const here = count(company.group.length + 1);
    const needed = count(company.needed);
    if (company.missing === 0) {
        return t('{here} who fit are here, you included: enough for a cloak.', { here });
    }
    return tn(
        company.missing,
        '{here} of {needed} who fit are here, you included; {count} more is needed.',
        '{here} of {needed} who fit are here, you included; {count} more are needed.',
        count(company.missing),
        { here, needed },
    );
}

/** What else there is to know; empty if nothing. */
export function surroundingWords(company: Company, around: Surroundings): string {
    const words: string[] = [];
    if (company.isFeasible && company.missing > 0 && around.atOnce !== null) {
        words.push(forecastWords(around.atOnce, around.profile));
        if (around.isHopeless) {
            words.push(t('Nor is another number likely to be enough here: choose a busier place.'));
        }
    }
    const others = around.near - company.group.length;
    if (company.missing > 0 && others > 0) {
        words.push(
            tn(
                others,
                '{count} more waits within your reach but does not fit.',
                '{count} more wait within your reach but do not fit.',
                count(others),
            ),
        );
    }
    return words.join(' ');
}

/** "Within 4 s only about 11 who fit are here at once: likely too few ..." */
function forecastWords(atOnce: number, { k, max_wait_s }: Profile): string {
    const values = { count: count(atOnce), time: seconds(max_wait_s) };
    if (atOnce >= k) {
        return t('Within {time} about {count} who fit are here at once: likely enough.', values);
    }
    return atOnce > 1
        ? t(
              'Within {time} only about {count} who fit are here at once: likely too few. Others leave with cloaks of their own.',
              values,
          )
        : t('Within {time} hardly anybody who fits is here.', values);
}

/** Above the offers that are likely to be enough. */
export function remedyTitle(remedies: readonly Remedy[]): string {
    const isOnlyK = remedies.every(({ part }) => part === 'k');
    return isOnlyK
        ? t('Waiting or reach do not help here, a smaller number does:')
        : t('What would help:');
}

/** "Wait up to 20 s", and whether that would be enough. */
export function remedyWords({ part, profile, atOnce }: Remedy): string {
    const words: Record<keyof Profile, () => string> = {
        max_wait_s: () => t('Wait up to {time}', { time: seconds(profile.max_wait_s) }),
        max_hops: () =>
            t('Reach up to {crossings}', { crossings: counted(profile.max_hops, 'crossing') }),
        k: () => t('Hide among {travellers}', { travellers: counted(profile.k, 'traveller') }),
        l: () => t('Ask for {roads}', { roads: counted(profile.l, 'road') }),
    };
    const what = words[part]();
    if (atOnce === null) return what;
    return t('{remedy}: likely enough, about {count} at once', {
        remedy: what,
        count: count(atOnce),
    });
}

/** Buttons; they stay the same elements while the offers do, so that none is lost under a finger. */
export class RemedyButtons {
    readonly element = make('div', { class: 'remedies', hidden: true });
    private readonly buttons = make('div', { class: 'remedy-buttons' });
    private readonly title = make('p');
    private shown = '';
    private remedies: readonly Remedy[] = [];

    constructor(private readonly apply: (profile: Profile) => void) {
        this.element.append(this.title, this.buttons);
    }

    show(title: string, remedies: readonly Remedy[]): void {
        this.remedies = remedies;
        this.element.hidden = remedies.length === 0;
        setText(this.title, title);
        const kinds = remedies.map(({ part }) => part).join();
        if (kinds !== this.shown) {
            this.shown = kinds;
            this.buttons.replaceChildren(
                ...remedies.map(({ part }, i) =>
                    make('button', {
                        type: 'button',
                        'data-testid': `ask-remedy-${part}`,
                        onclick: () => this.apply(this.remedies[i].profile),
                    }),
                ),
            );
        }
        remedies.forEach((remedy, i) => {
            setText(this.buttons.children[i], remedyWords(remedy));
        });
    }
}

export class CompanyView {
    readonly element: HTMLElement;
    private readonly words = make('p', { class: 'company-words', 'data-testid': 'ask-company' });
    private readonly around = make('p', { class: 'hint' });
    private readonly remedies: RemedyButtons;

    constructor(apply: (profile: Profile) => void) {
        this.remedies = new RemedyButtons(apply);
        this.element = make(
            'section',
            { class: 'company', hidden: true, 'aria-label': t('Company') },
            this.words,
            this.around,
            this.remedies.element,
        );
    }

    show(company: Company, around: Surroundings, title: string, remedies: readonly Remedy[]): void {
        this.element.hidden = false;
        this.element.dataset.enough = company.isFeasible && company.missing === 0 ? 'yes' : 'no';
        setText(this.words, companyWords(company, around.profile));
        setText(this.around, surroundingWords(company, around));
        this.remedies.show(title, remedies);
    }

    hide(): void {
        this.element.hidden = true;
    }
}
