// One of the two cloaks that are attacked: what the numbers say, its heat map, and the truth where it is known.
import type { Attack } from '../api/types';
import { fill, make } from '../dom';
import type { Box } from '../map/grid';
import type { Session } from '../state/model';
import { counted, percent } from '../text/measures';
import { entropyInWords, type Found, rowsOf, truthOf } from './belief';
import { BeliefTable } from './belief_table';
import { HeatLayer } from './heat';
import { SmallMap } from './small_map';
import type { Suspect } from './suspects';

export class AttackSide {
    readonly element: HTMLElement;
    private readonly heat: HeatLayer;
    private readonly picture: SmallMap;
    private readonly table: BeliefTable;
    private readonly entropyPlace = make('div', { class: 'entropy-place' });
    private readonly figures = make('div', { class: 'figures' });

    /** @param id  for tests: 'starcloak' or 'expansion' */
    constructor(
        session: Session,
        private readonly id: string,
        title: string,
        subtitle: string,
    ) {
        this.heat = new HeatLayer(session.map);
        this.picture = new SmallMap(session.map, this.heat, `${title}: suspicion per road`);
        this.table = new BeliefTable(`${title}: suspicion per road`, session.map);
        this.element = make(
            'section',
            { class: 'attack-side', 'data-testid': `attack-${id}` },
            make('h3', {}, title),
            make('p', { class: 'hint' }, subtitle),
            this.entropyPlace,
            this.picture.element,
            this.figures,
            this.table.element,
        );
    }

    /** Nothing is known yet but, perhaps, the cloak. */
    reset(segments: readonly number[], text: string): void {
        this.heat.showCloak(segments);
        this.table.show([]);
        this.say(text);
        this.picture.invalidate();
    }

    say(text: string): void {
        fill(this.entropyPlace, make('p', {}, text));
        fill(this.figures);
    }

    look(box: Box | null): void {
        if (box) this.picture.show(box);
    }

    /** @param most  the end of the colour scale, which both sides share */
    show(attack: Attack, most: number, victim: Suspect): void {
        if (!attack.found) {
            this.reset([], '');
            fill(
                this.figures,
                make(
                    'p',
                    {},
                    'Network expansion found no cloak for this query: too few of the others are near enough to hide with. The traveller would have gone without an answer.',
                ),
            );
            return;
        }
        const truth = victim.isAssumed ? null : victim.segment;
        this.heat.show({ ...attack, most, truth });
        this.table.show(rowsOf(attack));
        fill(this.entropyPlace, this.entropy(attack));
        fill(this.figures, this.details(attack, victim));
        this.picture.invalidate();
    }

    private entropy(attack: Found): HTMLElement {
        const entropy = attack.normalised_entropy;
        const bar = make('span', { class: 'bar-fill' });
        bar.style.width = `${100 * Math.min(1, Math.max(0, entropy))}%`;
        return make(
            'div',
            { class: 'entropy' },
            make('strong', { 'data-testid': `attack-${this.id}-entropy` }, entropy.toFixed(2)),
            make('span', { class: 'bar', 'aria-hidden': 'true' }, bar),
            make('span', {}, `It ${entropyInWords(entropy)}.`),
        );
    }

    private details(attack: Found, victim: Suspect): HTMLElement {
        const roads = attack.segments.length;
        const most = Math.max(...attack.linkability);
        const row = (name: string, value: string) =>
            make('div', {}, make('dt', {}, name), make('dd', {}, value));
        return make(
            'dl',
            {},
            row(
                'Worth',
                `${attack.effective.toFixed(1)} equally likely roads; it has ${counted(roads, 'road')}`,
            ),
            row('Ruled out', counted(attack.ruled_out, 'road')),
            row(
                'Most suspicious road',
                `${percent(most)}; a blind guess is right with ${percent(1 / roads)}`,
            ),
            row('The truth', truthInWords(attack, victim)),
            attack.unexplained
                ? row(
                      'But',
                      'no replay gave anything like this cloak, so the adversary learns nothing from it',
                  )
                : null,
        );
    }
}

function truthInWords(attack: Found, victim: Suspect): string {
    if (victim.isAssumed) return 'not known to this page, nor to the provider';
    const who = victim.name === 'you' ? 'your road' : `the road of ${victim.name}`;
    const truth = truthOf(attack, victim.segment);
    if (!truth) return `${who} is not in it`;
    const rank = truth.rank === 1 ? 'none is suspected more' : `${truth.rank - 1} suspected more`;
    return `${who} is suspected with ${percent(truth.linkability)}; ${rank}`;
}
