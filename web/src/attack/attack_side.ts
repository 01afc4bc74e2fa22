// One of the two cloaks that are attacked: the chance that the adversary finds the victim, what the cloak costs the
// provider, its heat map, and the truth where it is known.
import type { Attack } from '../api/types';
import { fill, make, setText } from '../dom';
import type { Box } from '../map/grid';
import type { Session } from '../state/model';
import { t, tn } from '../text/language';
import { counted, percent } from '../text/measures';
import { count, decimal, twoDecimals } from '../text/words';
import { chanceOf, entropyInWords, type Found, rowsOf, type Truth, truthInWords } from './belief';
import { BeliefTable } from './belief_table';
import { HeatLayer } from './heat';
import { SmallMap } from './small_map';

export class AttackSide {
    readonly element: HTMLElement;
    private readonly heat: HeatLayer;
    private readonly picture: SmallMap;
    private readonly table: BeliefTable;
    private readonly title = make('h3');
    private readonly subtitle = make('p', { class: 'hint' });
    private readonly headline = make('div', { class: 'headline' });
    private readonly figures = make('div', { class: 'figures' });
    private readonly more: HTMLElement;
    private readonly moreFigures = make('div', { class: 'figures' });
    private method = '';

    /** @param id  for tests: 'starcloak' or 'expansion' */
    constructor(
        session: Session,
        private readonly id: string,
    ) {
        this.heat = new HeatLayer(session.map);
        this.picture = new SmallMap(session.map, this.heat, t('Suspicion per road'));
        this.table = new BeliefTable(session.map);
        this.more = make(
            'details',
            { class: 'more', hidden: true, 'data-testid': `attack-${id}-more` },
            make('summary', {}, t('More')),
            this.moreFigures,
        );
        this.element = make(
            'section',
            { class: 'attack-side', 'data-testid': `attack-${id}` },
            this.title,
            this.subtitle,
            this.headline,
            this.picture.element,
            this.figures,
            this.more,
            this.table.element,
        );
    }

    /** Which method made the cloak of this side. */
    call(method: string, subtitle: string): void {
        this.method = method;
        setText(this.title, method);
        setText(this.subtitle, subtitle);
        const words = t('{method}: suspicion per road', { method });
        this.picture.describe(words);
        this.table.describe(words);
    }

    /** Nothing is known yet but, perhaps, the cloak. */
    reset(segments: readonly number[], text: string): void {
        this.heat.showCloak(segments);
        this.table.show([]);
        this.say(text);
        this.picture.invalidate();
    }

    say(text: string): void {
        fill(this.headline, make('p', {}, text));
        fill(this.figures);
        this.more.hidden = true;
    }

    look(box: Box | null): void {
        if (box) this.picture.show(box);
    }

    /**
     * @param most   the end of the colour scale, which both sides share
     * @param truth  null if it is not known
     */
    show(attack: Attack, most: number, truth: Truth | null): void {
        if (!attack.found) {
            this.reset([], '');
            fill(
                this.figures,
                make(
                    'p',
                    {},
                    t(
                        '{method} found no cloak for this query: too few of the others are near enough to hide with. The traveller would have gone without an answer.',
                        { method: this.method },
                    ),
                ),
            );
            return;
        }
        this.heat.show({ ...attack, most, truth: truth?.segment ?? null });
        this.table.show(rowsOf(attack));
        fill(this.headline, ...this.chance(attack, truth));
        fill(this.figures, details(attack, truth));
        fill(this.moreFigures, this.entropy(attack));
        this.more.hidden = false;
        this.picture.invalidate();
    }

    private chance(attack: Found, truth: Truth | null): HTMLElement[] {
        const { share } = chanceOf(attack, truth);
        const roads = attack.segments.length;
        return [
            figure(
                percent(share),
                truth
                    ? t('chance that the adversary picks {road}', { road: truth.road })
                    : t("share of the adversary's likeliest road"),
                `attack-${this.id}-chance`,
            ),
            figure(
                count(roads),
                tn(
                    roads,
                    'road that the provider must answer for',
                    'roads that the provider must answer for',
                    count(roads),
                ),
                `attack-${this.id}-roads`,
            ),
        ];
    }

    private entropy(attack: Found): HTMLElement {
        const entropy = attack.normalised_entropy;
        const bar = make('span', { class: 'bar-fill' });
        bar.style.width = `${100 * Math.min(1, Math.max(0, entropy))}%`;
        return make(
            'div',
            { class: 'entropy' },
            make(
                'p',
                {},
                t('Entropy'),
                ': ',
                make(
                    'strong',
                    { 'data-testid': `attack-${this.id}-entropy` },
                    twoDecimals(entropy),
                ),
            ),
            make('span', { class: 'bar', 'aria-hidden': 'true' }, bar),
            make(
                'p',
                { class: 'hint' },
                t(
                    'How evenly suspicion is spread over the roads of the cloak: 1 is a blind guess among them, 0 gives the travellers away.',
                ),
                ' ',
                entropyInWords(entropy),
            ),
            make(
                'p',
                {},
                t('Worth {effective} equally likely roads; it has {roads}.', {
                    effective: decimal(attack.effective),
                    roads: count(attack.segments.length),
                }),
            ),
        );
    }
}

function figure(value: string, words: string, testId: string): HTMLElement {
    return make(
        'p',
        { class: 'figure' },
        make('strong', { 'data-testid': testId }, value),
        ' ',
        make('span', {}, words),
    );
}

function details(attack: Found, truth: Truth | null): HTMLElement {
    const most = Math.max(...attack.linkability);
    const row = (name: string, value: string) =>
        make('div', {}, make('dt', {}, name), make('dd', {}, value));
    return make(
        'dl',
        {},
        row(t('The truth'), truthInWords(attack, truth)),
        row(
            t('Most suspicious road'),
            t('{most}; a blind guess is right with {guess}', {
                most: percent(most),
                guess: percent(1 / attack.segments.length),
            }),
        ),
        row(t('Ruled out'), counted(attack.ruled_out, 'road')),
        attack.unexplained
            ? row(
                  t('But'),
                  t(
                      'no replay gave anything like this cloak, so the adversary learns nothing from it',
                  ),
              )
            : null,
    );
}
