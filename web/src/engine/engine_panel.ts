// Which engine looks for company, to be changed while everybody watches. In the demo alone.
//
// Not every engine can be exchanged while queries wait: one that cannot is the only one shown, marked as the one that
// runs, with what would have to be started for a choice.
import { Refusal, Unreachable } from '../api/fetch';
import { make, setText } from '../dom';
import type { Session } from '../state/model';
import { t } from '../text/language';
import { engineName, methodName } from './method_names';

/** What will be seen to change, in words as modest as the differences are in a city of the demo's size. */
function wordsOf(engine: string): string {
    switch (engine) {
        case 'basic':
            return t(
                'Takes company wherever it is allowed: the shortest wait, and cloaks that are a little larger.',
            );
        case 'bounded':
            return t(
                'Takes company close by only: cloaks are a little smaller and have fewer ways out; the wait is longer, and a few more travellers get no answer.',
            );
        case 'hybrid':
            return t(
                'Close by first, farther off when time gets short: cloaks about as small, and about as many answered as with basic, after a longer wait.',
            );
        case 'patient':
            return t(
                'Waits at both ends of a road for a crowd to choose from, and looks for the most urgent first: more are answered, after about the same wait.',
            );
        case 'xstar':
            return t(
                'Grows a cloak from star to star around one crossing, with all who wait on its roads.',
            );
        case 'expansion':
            return t(
                'Takes the nearest roads around one traveller until enough others are on them.',
            );
        case 'sampling':
            return t('Draws roads around one traveller at random until enough others are on them.');
        default:
            return '';
    }
}

/** A choice of one is none; and what runs must be among those to choose from. */
export function isChoice(engines: readonly string[], running: string): boolean {
    return engines.length > 1 && engines.includes(running);
}

export class EnginePanel {
    readonly element: HTMLElement;
    private readonly choices = new Map<string, HTMLInputElement>();
    private readonly running = make('p', { class: 'engine-running', 'data-testid': 'engine-name' });
    private readonly said = make('p', { class: 'hint', role: 'status' });

    constructor(private readonly session: Session) {
        const engines = session.demo?.engines ?? [];
        const isOpen = isChoice(engines, this.engine);
        this.element = make(
            'div',
            { class: 'engine-panel', 'data-testid': 'engine' },
            this.running,
            isOpen &&
                make(
                    'p',
                    {},
                    t(
                        'Change the engine and watch the charts for a minute: the differences are small but visible. Queries that wait keep waiting.',
                    ),
                ),
            isOpen
                ? make(
                      'fieldset',
                      { class: 'engines' },
                      make('legend', {}, t('How company is looked for')),
                      ...engines.map((engine) => this.choice(engine)),
                  )
                : alone(this.engine, session.replay !== null),
            this.said,
        );
        session.fleet?.engineChanged.on(() => this.show());
        this.show();
    }

    private get engine(): string {
        return this.session.fleet?.engine ?? this.session.about.engine;
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
            make('label', { for: input.id }, engineName(engine)),
            make('p', { id: `engine-${engine}-words` }, wordsOf(engine)),
        );
    }

    private show(): void {
        const method = methodName(this.engine);
        const engine = engineName(this.engine);
        setText(
            this.running,
            method === engine
                ? t('{method} is running.', { method })
                : t('{method} is running, with the engine {engine}.', { method, engine }),
        );
        const input = this.choices.get(this.engine);
        if (input) input.checked = true;
    }

    private async change(engine: string): Promise<void> {
        setText(this.said, '');
        try {
            await this.session.switchEngine(engine);
            setText(this.said, t('{engine} from now on.', { engine: engineName(engine) }));
        } catch (error) {
            if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
            setText(this.said, error.message);
        }
        this.show();
    }
}

/** The engine that runs and stays. */
function alone(engine: string, isReplay: boolean): HTMLElement {
    return make(
        'div',
        { class: 'engine-alone', 'data-testid': `engine-${engine}` },
        make(
            'div',
            { class: 'engine is-running' },
            make('strong', {}, engineName(engine)),
            make('p', {}, wordsOf(engine)),
        ),
        make(
            'p',
            { class: 'hint' },
            isReplay
                ? t('It has made the record that is shown.')
                : t(
                      'It cannot be exchanged while queries wait. A demo that is started with --engine basic, bounded or hybrid lets you choose among these three here.',
                  ),
        ),
    );
}
