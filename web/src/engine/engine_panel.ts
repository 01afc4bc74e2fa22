// Which engine looks for company, to be changed while everybody watches. In the demo alone.
import { Refusal, Unreachable } from '../api/fetch';
import { make, setText } from '../dom';
import type { Session } from '../state/model';
import { capital } from '../text/words';

/** What will be seen to change, in words as modest as the differences are in a city of the demo's size. */
const WORDS: Record<string, string> = {
    basic: 'Takes company wherever it is allowed: the shortest wait, and cloaks that are a little larger.',
    bounded:
        'Takes company close by only: cloaks are a little smaller and have fewer ways out; the wait is longer, and a few more travellers get no answer.',
    hybrid: 'Close by first, farther off when time gets short: cloaks about as small, and about as many answered as with basic, after a longer wait.',
    patient:
        'Waits at both ends of a road for a crowd to choose from, and looks for the most urgent first: more are answered, after about the same wait. It cannot be exchanged while queries wait.',
};

export class EnginePanel {
    readonly element: HTMLElement;
    private readonly choices = new Map<string, HTMLInputElement>();
    private readonly said = make('p', { class: 'hint', role: 'status' });

    constructor(private readonly session: Session) {
        const engines = session.demo?.engines ?? [];
        const group = make(
            'fieldset',
            { class: 'engines', 'data-testid': 'engine' },
            make('legend', {}, 'How company is looked for'),
            ...engines.map((engine) => this.choice(engine)),
        );
        this.element = make(
            'div',
            { class: 'engine-panel' },
            make(
                'p',
                {},
                'Change the engine and watch the charts for a minute: the differences are small but visible. Queries that wait keep waiting.',
            ),
            group,
            this.said,
        );
        session.fleet?.engineChanged.on(() => this.show());
        this.show();
    }

    private choice(engine: string): HTMLElement {
        const input = make('input', {
            type: 'radio',
            name: 'engine',
            value: engine,
            id: `engine-${engine}`,
            'aria-describedby': `engine-${engine}-words`,
            'data-testid': `engine-${engine}`,
            onchange: () => this.change(engine),
        });
        this.choices.set(engine, input);
        return make(
            'div',
            { class: 'engine' },
            input,
            make('label', { for: input.id }, capital(engine)),
            make('p', { id: `engine-${engine}-words` }, WORDS[engine] ?? ''),
        );
    }

    private show(): void {
        const input = this.choices.get(this.session.fleet?.engine ?? '');
        if (input) input.checked = true;
    }

    private async change(engine: string): Promise<void> {
        setText(this.said, '');
        try {
            await this.session.switchEngine(engine);
            setText(this.said, `${capital(engine)} from now on.`);
        } catch (error) {
            if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
            setText(this.said, error.message);
        }
        this.show();
    }
}
