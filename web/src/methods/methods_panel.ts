// Methods side by side, in numbers: the same questions, so that every difference is the method's.
import type { StreamState } from '../api/stream';
import { fill, make, setText } from '../dom';
import { engineName, isStarCloak, methodName } from '../engine/method_names';
import type { Session } from '../state/model';
import { t, tn } from '../text/language';
import { count } from '../text/words';
import { figureRows, isJudged } from './method_words';
import type { MethodsFeed } from './methods_feed';

export class MethodsPanel {
    readonly element: HTMLElement;
    private readonly state = make('p', {
        class: 'state',
        role: 'status',
        'data-testid': 'methods-state',
    });
    private readonly head = make('tr');
    private readonly body = make('tbody');
    private readonly notes = make('div', { class: 'methods-notes hint' });

    constructor(
        private readonly session: Session,
        private readonly feed: MethodsFeed,
    ) {
        this.element = make(
            'div',
            { class: 'methods' },
            make(
                'p',
                {},
                t(
                    'The same questions at the same moments, cloaked by three methods beside the service. Nothing of it leaves: the maps show what a provider would see.',
                ),
            ),
            this.state,
            make(
                'div',
                {
                    class: 'methods-table',
                    tabindex: 0,
                    role: 'region',
                    'aria-label': t('Methods compared'),
                    'data-testid': 'methods-table',
                },
                make(
                    'table',
                    {},
                    make('caption', { class: 'visually-hidden' }, t('Methods compared')),
                    make('thead', {}, this.head),
                    this.body,
                ),
            ),
            this.notes,
        );
        feed.changed.on(() => this.show());
        this.show();
    }

    private show(): void {
        const { methods, figures, state } = this.feed;
        const isKnown = isJudged(figures?.[0] ?? null);
        setText(this.state, stateWords(state, methods.length > 0, isKnown));
        const all = methods.map((method) => this.feed.figuresOf(method));
        fill(
            this.head,
            make('td'),
            ...methods.map((method) => make('th', { scope: 'col' }, methodName(method))),
        );
        fill(
            this.body,
            ...(methods.length > 0 ? figureRows(all) : []).map(({ id, name, values }) =>
                make(
                    'tr',
                    { 'data-testid': `methods-${id}` },
                    make('th', { scope: 'row' }, name),
                    ...values.map((value) => make('td', {}, value)),
                ),
            ),
        );
        fill(this.notes, ...this.noteWords().map((words) => make('p', {}, words)));
    }

    private noteWords(): string[] {
        const { methods, figures, leftOut, windowS } = this.feed;
        if (methods.length === 0) return [];
        const notes = [
            t(
                'Of the last {seconds} s. A question is judged when its deadline has passed. The chance is what an adversary who knows the method gives to the true road of a traveller, on average over a sample of cloaks, once there are ten.',
                { seconds: windowS },
            ),
        ];
        const own = methods.find(isStarCloak);
        if (own)
            notes.push(
                t('StarCloak searches with its engine {engine} here.', { engine: engineName(own) }),
            );
        const { engine } = this.session.about;
        if (!isStarCloak(engine))
            notes.push(t('The service itself runs {method}.', { method: methodName(engine) }));
        if (leftOut > 0)
            notes.push(
                tn(
                    leftOut,
                    '{count} question was given to no method, since this machine could not keep up.',
                    '{count} questions were given to no method, since this machine could not keep up.',
                    count(leftOut),
                ),
            );
        for (const { method, violations } of figures ?? []) {
            if (violations === 0) continue;
            notes.push(
                tn(
                    violations,
                    '{method}: {count} cloak broke a promise. This is a bug; please report it.',
                    '{method}: {count} cloaks broke a promise. This is a bug; please report it.',
                    count(violations),
                    { method: methodName(method) },
                ),
            );
        }
        return notes;
    }
}

/** What is missing, if something is. */
export function stateWords(state: StreamState, isBegun: boolean, isKnown: boolean): string {
    if (state.kind === 'forbidden') return t('This demo does not compare methods.');
    if (state.kind === 'lost') return t('The service does not answer. Trying again.');
    if (!isBegun) return t('The three engines are starting ...');
    return isKnown
        ? ''
        : t('Cloaks come at once; how many succeed is known after some ten seconds.');
}
