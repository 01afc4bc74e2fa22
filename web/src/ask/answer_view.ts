// How a question ended: the promises, checked one by one; the very bytes; the exact answer. Or, kindly, why there is
// none. The bytes stand beside the answer where there is room, and else before the list, which may be long.
import type { FoundObject, Metric } from '../api/types';
import { fill, make } from '../dom';
import { methodAndEngine } from '../engine/method_names';
import { t, tn } from '../text/language';
import { distance, duration } from '../text/measures';
import { capital, categoryWords, count, type LengthUnit } from '../text/words';
import type { Answered } from './ask_phases';
import type { Check } from './checks';
import type { Explanation } from './explain';

export class AnswerView {
    readonly element = make('div', {
        class: 'ask-result',
        'data-testid': 'ask-result',
        hidden: true,
    });

    /** @param bytes  shown with an answer */
    constructor(
        private readonly bytes: HTMLElement,
        private readonly unit: LengthUnit,
    ) {}

    /**
     * @param engine  what made the cloak
     * @param attack  what to do if somebody would like to attack the cloak; null if that cannot be done
     */
    answered(
        outcome: Answered,
        checks: Check[],
        engine: string,
        isSharedMap: boolean,
        attack: (() => void) | null,
    ): void {
        this.element.hidden = false;
        fill(
            this.element,
            make(
                'section',
                { class: 'promises' },
                make(
                    'div',
                    { class: 'heading' },
                    make(
                        'h3',
                        { 'data-testid': 'ask-made-by' },
                        t('Your cloak, made by {engine}', { engine: methodAndEngine(engine) }),
                    ),
                    attack &&
                        make(
                            'button',
                            { type: 'button', 'data-testid': 'ask-attack', onclick: attack },
                            t('Attack it'),
                        ),
                ),
                checkList(checks),
                !isSharedMap &&
                    make('p', { class: 'hint', 'data-testid': 'ask-others' }, othersWords(outcome)),
            ),
            this.bytes,
            make(
                'section',
                { class: 'places' },
                make('h3', {}, t('The exact answer')),
                objectList(outcome.objects, outcome.metric, this.unit),
                make(
                    'p',
                    { class: 'hint' },
                    isSharedMap
                        ? t(
                              'Only you see the pins on the map: the provider sees neither them nor which road is yours.',
                          )
                        : t(
                              'The service chose them from everything that the provider sent for the whole cloak.',
                          ),
                ),
            ),
        );
    }

    /**
     * Its title is not shown here: the state of the question has said it (ask_progress.ts).
     *
     * @param remedies  buttons for what would help, if there are
     */
    explain({ text, tries }: Explanation, remedies: HTMLElement | null = null): void {
        this.element.hidden = false;
        fill(
            this.element,
            make(
                'div',
                { class: 'no-answer' },
                make('p', {}, text),
                remedies,
                tries.length > 0 &&
                    make('p', {}, remedies ? t('This may help, too:') : t('What may help:')),
                tries.length > 0 && make('ul', {}, ...tries.map((what) => make('li', {}, what))),
            ),
        );
    }

    clear(): void {
        this.element.hidden = true;
        fill(this.element);
    }
}

/** Where those are to be seen who are hidden with the asker. */
function othersWords({ cloak }: Answered): string {
    return tn(
        cloak.users - 1,
        'The other one is ringed on the map of what travellers do, where it asked; the provider does not see it.',
        'The {count} others are ringed on the map of what travellers do, where they asked; the provider does not see them.',
        count(cloak.users - 1),
    );
}

function checkList(checks: Check[]): HTMLElement {
    const rows = checks.map(({ id, text, held }) => {
        const verdict = held === null ? 'unknown' : held ? 'yes' : 'no';
        return make(
            'li',
            { 'data-testid': `ask-check-${id}`, 'data-held': verdict },
            make('span', { class: 'verdict' }, verdictWords(held)),
            make('span', {}, text),
            id === 'own-segment' &&
                held === false &&
                make(
                    'span',
                    { class: 'hint' },
                    t('Another road runs through the same place; the service took that.'),
                ),
        );
    });
    return make('ul', { class: 'checks' }, ...rows);
}

function verdictWords(held: boolean | null): string {
    if (held === null) return t('not seen');
    return held ? t('yes') : t('no');
}

function objectList(objects: FoundObject[], metric: Metric, unit: LengthUnit): HTMLElement {
    if (objects.length === 0) return make('p', {}, t('No such place was found.'));
    const rows = objects.map(({ name, category, street, distance_m, duration_s }) =>
        make(
            'li',
            {},
            make('span', { class: 'name' }, name || capital(categoryWords(category))),
            name !== '' && make('span', { class: 'category' }, categoryWords(category)),
            street !== undefined && make('span', { class: 'category' }, street),
            make('span', { class: 'distance' }, farWords(distance_m, duration_s, metric, unit)),
        ),
    );
    return make('ol', { class: 'objects', 'data-testid': 'ask-objects' }, ...rows);
}

/** "1.2 km, 3 min": what the order goes by comes first. */
function farWords(
    metres: number,
    seconds: number | undefined,
    metric: Metric,
    unit: LengthUnit,
): string {
    const far = distance(metres, unit);
    if (seconds === undefined) return far;
    const long = duration(seconds);
    return metric === 'time' ? `${long}, ${far}` : `${far}, ${long}`;
}
