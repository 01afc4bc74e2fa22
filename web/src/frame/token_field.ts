// Where a token is typed in: hidden unless it is asked to be shown, and kept nowhere but in the page's memory.
import { freshId, make } from '../dom';
import { t } from '../text/language';

export class TokenField {
    readonly element: HTMLFormElement;

    constructor(button: string, use: (token: string) => void) {
        const id = freshId('token');
        const input = make('input', {
            id,
            type: 'password',
            autocomplete: 'off',
            spellcheck: 'false',
            required: true,
            'data-testid': 'banner-token',
        });
        const reveal = make(
            'button',
            {
                type: 'button',
                class: 'quiet',
                'aria-pressed': 'false',
                onclick: () => {
                    const isShown = input.type === 'text';
                    input.type = isShown ? 'password' : 'text';
                    reveal.setAttribute('aria-pressed', String(!isShown));
                },
            },
            t('Show'),
        );
        this.element = make(
            'form',
            { class: 'token-field' },
            make('label', { for: id }, t('Token')),
            input,
            reveal,
            make('button', { type: 'submit', class: 'primary' }, button),
        );
        this.element.addEventListener('submit', (event) => {
            event.preventDefault();
            const token = input.value.trim();
            if (token) use(token);
        });
    }
}
