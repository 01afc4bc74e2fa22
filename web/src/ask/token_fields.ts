// The token of a service that is no demo: typed in, used while the page is open. If the visitor says so it is kept in
// the tab's own storage, so that it outlives a reload; the browser wipes that when the tab is closed. It is never
// written anywhere else.
import { freshId, make, setText } from '../dom';
import type { Session } from '../state/model';
import { t } from '../text/language';

/** In sessionStorage. */
const KEPT = 'starcloak.token';

export class TokenFields {
    readonly element: HTMLElement;
    private readonly input: HTMLInputElement;
    private readonly keeps: HTMLInputElement;
    private readonly fault = make('p', {
        class: 'missing',
        role: 'alert',
        'data-testid': 'ask-token-fault',
    });

    constructor(private readonly session: Session) {
        const kept = keptToken();
        if (kept) session.token = kept;
        const [id, hintId] = [freshId('token'), freshId('hint')];
        this.input = make('input', {
            id,
            type: 'password',
            name: 'token',
            autocomplete: 'off',
            spellcheck: 'false',
            placeholder: 'sct1_...',
            'aria-describedby': hintId,
            'data-testid': 'ask-token',
        });
        if (kept) this.input.value = kept;
        this.input.addEventListener('input', () => this.say(''));
        this.keeps = make('input', { type: 'checkbox', 'data-testid': 'ask-token-keep' });
        this.keeps.checked = kept !== null;
        this.keeps.addEventListener('change', () => this.keep());
        this.element = make(
            'div',
            { class: 'token' },
            make('label', { for: id }, t('Your token')),
            this.input,
            this.fault,
            make(
                'label',
                { class: 'keep' },
                this.keeps,
                make('span', {}, t('Keep it until this tab is closed')),
            ),
            make(
                'p',
                { id: hintId, class: 'hint' },
                t(
                    'Without this it is forgotten when the page is loaded again. It stays in this tab and is never saved for later visits. The operator issues tokens: starcloak token issue.',
                ),
            ),
        );
    }

    /** Use what is typed. False, and the visitor is told, if there is no token. */
    take(): boolean {
        const typed = this.input.value.trim();
        if (typed) this.session.token = typed;
        this.keep();
        if (this.session.token !== null) return true;
        this.refused(t('Enter the token that the operator gave you (starcloak token issue).'));
        return false;
    }

    /** The service does not take it. */
    refused(why: string): void {
        forget();
        this.say(why);
        this.input.focus();
    }

    private keep(): void {
        const { token } = this.session;
        if (!this.keeps.checked || token === null) forget();
        else remember(token);
    }

    private say(words: string): void {
        setText(this.fault, words);
        if (words) this.input.setAttribute('aria-invalid', 'true');
        else this.input.removeAttribute('aria-invalid');
    }
}

/** A browser may forbid storage; then it is as if nothing were kept. */
function keptToken(): string | null {
    try {
        return sessionStorage.getItem(KEPT);
    } catch {
        return null;
    }
}

function remember(token: string): void {
    try {
        sessionStorage.setItem(KEPT, token);
    } catch {
        // Forgotten on reload, then.
    }
}

function forget(): void {
    try {
        sessionStorage.removeItem(KEPT);
    } catch {
        // There was none.
    }
}
