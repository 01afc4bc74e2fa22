// The form of a question: where, what for, how private. It knows nothing of how questions are asked.
//
// It is slim: three levels of privacy, with the numbers behind them under "More". Once a question is asked, the form
// folds into a line, so that what comes of it is in sight. The buttons stay in sight however long the form is.
import type { Profile, Request } from '../api/types';
import { fill, make, setText } from '../dom';
import { isOneWay, roadName } from '../map/road_map';
import type { Session } from '../state/model';
import { t } from '../text/language';
import { counted, seconds } from '../text/measures';
import { lengthUnit, requestWords } from '../text/words';
import type { Explanation } from './explain';
import { type Level, levelOf, PrivacyLevels, profileOf } from './privacy_levels';
import { type PrivacySliders, privacySliders } from './privacy_sliders';
import { quickCategory, quickRequest, quickWords } from './quick_question';
import { RequestFields } from './request_fields';
import { TokenFields } from './token_fields';

export interface FormListener {
    /** Another privacy was chosen. */
    changed(): void;
    chooseForMe(): void;
    submit(): void;
    /** The quick question is in the form now, and is to be asked. */
    quick(): void;
    cancel(): void;
}

export class AskForm {
    readonly element: HTMLFormElement;
    private readonly place = make('p', { class: 'place', 'data-testid': 'ask-place' });
    private readonly levels: PrivacyLevels;
    private readonly values = make('p', { class: 'hint', 'data-testid': 'ask-values' });
    private readonly sliders: PrivacySliders;
    private readonly what: RequestFields;
    private readonly token: TokenFields | null;
    private readonly fields: HTMLFieldSetElement;
    private readonly actions: HTMLElement;
    private readonly submit: HTMLButtonElement;
    private readonly quick: HTMLButtonElement;
    private readonly cancel: HTMLButtonElement;
    private readonly unfold: HTMLButtonElement;
    private readonly summary = make('p', { class: 'summary', hidden: true });
    private segment: number | null = null;
    private isUnderWay = false;
    private isTouched = false;

    /** @param company  stands between the fields and the buttons */
    constructor(
        private readonly session: Session,
        private readonly company: HTMLElement,
        private readonly listener: FormListener,
    ) {
        this.levels = new PrivacyLevels((level) => this.choose(level));
        this.sliders = privacySliders(session.about, () => this.privacyChanged());
        this.what = new RequestFields(session, () => this.touch());
        this.token = session.demo ? null : new TokenFields(session);
        const button = (words: string, id: string, attributes = {}) =>
            make('button', { type: 'button', 'data-testid': id, ...attributes }, words);
        this.submit = button(t('Ask'), 'ask-submit', { type: 'submit', class: 'primary' });
        this.quick = button(quickWords(this.quickCategory), 'ask-quick', {
            class: 'primary',
            hidden: true,
            onclick: () => this.askQuickly(),
        });
        this.cancel = button(t('Withdraw it'), 'ask-cancel', {
            hidden: true,
            onclick: () => listener.cancel(),
        });
        this.unfold = button(t('Change the question'), 'ask-change', {
            hidden: true,
            onclick: () => {
                this.isFolded = false;
                this.submit.focus();
            },
        });
        this.fields = make(
            'fieldset',
            { class: 'bare' },
            make('legend', { class: 'visually-hidden' }, t('Your question')),
            this.whereGroup(),
            this.what.element,
            this.privacyGroup(),
            this.token?.element,
        );
        this.actions = make(
            'div',
            { class: 'actions' },
            this.quick,
            this.submit,
            this.cancel,
            this.unfold,
        );
        this.element = make(
            'form',
            {
                class: 'ask-form',
                novalidate: true,
                'data-testid': 'ask-form',
                'aria-label': t('Ask a question'),
            },
            this.fields,
            this.summary,
            this.company,
            this.actions,
        );
        this.element.addEventListener('submit', (event) => {
            event.preventDefault();
            listener.submit();
        });
        this.showPlace(null);
        this.showPrivacy();
    }

    get profile(): Profile {
        return {
            k: this.sliders.k.value,
            l: this.sliders.l.value,
            max_hops: this.sliders.max_hops.value,
            max_wait_s: this.sliders.max_wait_s.value,
        };
    }

    set profile({ k, l, max_hops, max_wait_s }: Profile) {
        this.sliders.k.value = k;
        this.sliders.l.value = l;
        this.sliders.max_hops.value = max_hops;
        this.sliders.max_wait_s.value = max_wait_s;
        this.showPrivacy();
    }

    get request(): Request {
        return this.what.request;
    }

    set request(request: Request) {
        this.what.request = request;
    }

    /** What "Ask for the nearest cafe here" asks, with the standard privacy. */
    get quickQuestion(): { profile: Profile; request: Request } {
        const { about } = this.session;
        return {
            profile: profileOf('medium', about.profile),
            request: quickRequest(about, this.quickCategory),
        };
    }

    /** @param segment  null: none was chosen yet */
    showPlace(segment: number | null): void {
        this.segment = segment;
        this.fields.querySelector('.where .missing')?.remove();
        fill(
            this.place,
            segment === null
                ? t('Click a road on the map.')
                : t('You are on {road}.', { road: this.roadWords(segment) }),
        );
        this.showButtons();
    }

    /** False, and the reader is told why, if something is missing. */
    check(): boolean {
        this.fields.querySelector('.where .missing')?.remove();
        if (this.token && !this.token.take()) {
            this.isFolded = false;
            return false;
        }
        if (this.segment !== null) return true;
        const missing = make(
            'p',
            { class: 'missing', role: 'alert' },
            t('First choose where you are.'),
        );
        this.place.after(missing);
        missing.scrollIntoView({ block: 'center' });
        return false;
    }

    set isWaiting(isWaiting: boolean) {
        const hadFocus = this.element.contains(document.activeElement);
        if (isWaiting) this.isFolded = true;
        this.isUnderWay = isWaiting;
        this.showButtons();
        // A hidden button loses the keyboard; the one that took its place gets it.
        if (hadFocus) (isWaiting ? this.cancel : this.submit).focus();
    }

    get isWaiting(): boolean {
        return this.isUnderWay;
    }

    set isFolded(isFolded: boolean) {
        this.fields.hidden = isFolded;
        this.summary.hidden = !isFolded;
        setText(this.submit, isFolded ? t('Ask again') : t('Ask'));
        if (isFolded) setText(this.summary, this.inWords());
        this.showButtons();
    }

    get isFolded(): boolean {
        return this.fields.hidden;
    }

    /** The service did not take the token. False if there is no field for one. */
    askForToken({ title, text }: Explanation): boolean {
        if (!this.token) return false;
        this.isFolded = false;
        this.token.refused(`${title} ${text}`);
        return true;
    }

    /** The visitor has chosen something: the quick question would be in the way. */
    touch(): void {
        this.isTouched = true;
        this.showButtons();
    }

    /** Who fits is not left behind the buttons, where the panel scrolls by itself and is too low for all of the form. */
    revealCompany(): void {
        const panel = this.element.closest('.panels');
        const hidden =
            this.company.getBoundingClientRect().bottom - this.actions.getBoundingClientRect().top;
        if (panel && hidden > 0) panel.scrollTop += hidden;
    }

    private get quickCategory(): string | null {
        return quickCategory(this.session.categories);
    }

    private choose(level: Level): void {
        this.profile = profileOf(level, this.session.about.profile);
        this.privacyChanged();
    }

    private privacyChanged(): void {
        this.showPrivacy();
        this.touch();
        this.listener.changed();
    }

    private askQuickly(): void {
        const { profile, request } = this.quickQuestion;
        this.profile = profile;
        this.request = request;
        this.listener.quick();
    }

    private showPrivacy(): void {
        this.levels.show(levelOf(this.profile, this.session.about.profile));
        setText(this.values, this.privacyWords());
    }

    private showButtons(): void {
        const isOpen = !this.isUnderWay && !this.fields.hidden;
        this.submit.hidden = this.isUnderWay;
        this.cancel.hidden = !this.isUnderWay;
        this.unfold.hidden = this.isUnderWay || !this.fields.hidden;
        this.quick.hidden = !isOpen || this.isTouched || this.segment === null;
        // One button stands out.
        this.submit.classList.toggle('primary', this.quick.hidden);
    }

    private roadWords(segment: number): string {
        const { map } = this.session;
        const road = roadName(map, segment);
        return isOneWay(map, segment) ? t('{road}, which is one-way', { road }) : road;
    }

    /** "5 travellers, 3 roads, within 4 crossings and 10 s". */
    private privacyWords(): string {
        const { k, l, max_hops, max_wait_s } = this.profile;
        return t('{travellers} on {roads}, within {crossings} and {time}', {
            travellers: counted(k, 'traveller'),
            roads: counted(l, 'road'),
            crossings: counted(max_hops, 'crossing'),
            time: seconds(max_wait_s),
        });
    }

    private inWords(): string {
        const { map } = this.session;
        const road = this.segment === null ? '' : roadName(map, this.segment);
        return t('From {road}: {request}. Privacy: {privacy}.', {
            road,
            request: requestWords(this.request, lengthUnit(map)),
            privacy: this.privacyWords(),
        });
    }

    private whereGroup(): HTMLElement {
        return make(
            'div',
            { class: 'where' },
            this.place,
            make(
                'button',
                {
                    type: 'button',
                    'data-testid': 'ask-choose',
                    onclick: () => this.listener.chooseForMe(),
                },
                t('Choose for me'),
            ),
        );
    }

    private privacyGroup(): HTMLElement {
        const { k, l, max_hops, max_wait_s } = this.sliders;
        return make(
            'fieldset',
            { class: 'privacy' },
            make('legend', {}, t('Privacy')),
            this.levels.element,
            this.values,
            make(
                'details',
                { 'data-testid': 'ask-more' },
                make('summary', {}, t('More')),
                k.element,
                l.element,
                max_hops.element,
                max_wait_s.element,
                this.what.metricElement,
            ),
        );
    }
}
