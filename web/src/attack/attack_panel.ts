// Attacks on demand: what would an adversary make of a cloak? As a heat map, for StarCloak and, for the same query, for
// network expansion, the usual way of hiding on roads, side by side.
//
// The attack runs in the demo (POST /v1/attacks) and costs it a second or two, so it starts on demand, one
// side after the other. The adversary knows the cloak, the map, the method and what the members asked for.
import { isAbort } from '../api/fetch';
import type { AskedEvent, Attack } from '../api/types';
import { explainError } from '../ask/explain';
import { ownQueries } from '../ask/own_queries';
import { fill, make, setText } from '../dom';
import { boxAround } from '../map/draw';
import type { View } from '../map/view';
import type { SeenCloak, Session } from '../state/model';
import { counted } from '../text/measures';
import { AttackControls } from './attack_controls';
import { AttackSide } from './attack_side';
import { verdict } from './belief';
import { heatScale } from './heat';
import { HeatLegend } from './heat_legend';
import {
    attackOnCloak,
    attackOnMethod,
    nearestFirst,
    SEGMENTS_MOST,
    type Suspect,
    suspectsOf,
} from './suspects';

const COMPARED = 'expansion';

export class AttackPanel {
    readonly element: HTMLElement;
    private readonly controls: AttackControls;
    private readonly ours: AttackSide;
    private readonly theirs: AttackSide;
    private readonly legend = new HeatLegend();
    private readonly state = make('p', {
        class: 'state',
        role: 'status',
        'aria-live': 'polite',
        'data-testid': 'attack-state',
    });
    private cloak: SeenCloak | null = null;
    private suspects: Suspect[] = [];
    private stop: AbortController | null = null;

    constructor(
        private readonly session: Session,
        private readonly view: View,
    ) {
        this.controls = new AttackControls(session.map, {
            start: () => void this.attack(),
            assumed: () => this.gather(),
            showOnMap: () => this.showOnMap(),
        });
        this.ours = new AttackSide(session, 'starcloak', 'StarCloak', 'as it left');
        this.theirs = new AttackSide(session, 'expansion', 'Network expansion', 'the usual way');
        this.element = make('div', { class: 'attack' });
        fill(
            this.element,
            this.controls.element,
            this.state,
            make(
                'p',
                { class: 'hint' },
                'Entropy says how evenly suspicion is spread over the roads of a cloak: 1 is a blind guess, 0 gives the travellers away.',
            ),
            make('div', { class: 'attack-sides' }, this.ours.element, this.theirs.element),
            this.legend.element,
        );
        // Travellers are told that they were answered a moment after their cloak was seen.
        session.fleet?.ended.on(({ cloak: id }) => {
            if (id !== undefined && id === this.cloak?.id && !this.stop) this.gather();
        });
        this.element.dataset.state = 'empty';
        setText(
            this.state,
            'Select a cloak on the map or in the list to see what an adversary could learn from it.',
        );
    }

    open(cloak: SeenCloak): void {
        this.stop?.abort();
        this.stop = null;
        this.cloak = cloak;
        this.element.dataset.state = 'ready';
        this.controls.open(cloak, this.session.about.profile.k.standard);
        this.gather();

        this.legend.element.hidden = true;
        this.ours.reset(cloak.segments, '');
        this.theirs.reset([], '');
        this.look([cloak.segments]);
        const isTooLarge = cloak.segments.length > SEGMENTS_MOST;
        this.controls.isStartable = !isTooLarge;
        setText(
            this.state,
            isTooLarge
                ? `This cloak has more than ${SEGMENTS_MOST} roads, which is too many for an attack on this page.`
                : `A cloak of ${counted(cloak.segments.length, 'road')}. An adversary would replay how it may have come about.`,
        );
    }

    /** Who may be behind it: known, or assumed. */
    private gather(): void {
        if (!this.cloak) return;
        const { about, fleet } = this.session;
        const { k, l, max_hops } = about.profile;
        this.suspects = suspectsOf(
            {
                segments: this.cloak.segments,
                travellers: fleet?.members(this.cloak.id) ?? [],
                own: ownQueries(this.session).get(this.cloak.id),
                assumed: this.controls.assumed,
                standard: { k: k.standard, l: l.standard, max_hops: max_hops.standard },
            },
            Math.random,
        );
        this.controls.showSuspects(this.suspects);
    }

    /** In the demo: those who waited near the victim when the cloak left. */
    private bystanders(victim: Suspect): AskedEvent[] {
        const { fleet, map } = this.session;
        if (!fleet || !this.cloak) return [];
        const where = (segment: number) => ({
            x: map.xs[map.first[segment]],
            y: map.ys[map.first[segment]],
        });
        const members = fleet.members(this.cloak.id);
        return nearestFirst(fleet.around(this.cloak.seenAt), members, victim.segment, where);
    }

    private async attack(): Promise<void> {
        if (!this.cloak || this.stop || this.suspects.length === 0) return;
        const { segments, engine } = this.cloak;
        const victim = this.suspects[this.controls.victim];
        const stop = new AbortController();
        this.stop = stop;
        this.controls.isWorking = true;
        this.legend.element.hidden = true;
        this.ours.reset(segments, 'Being attacked ...');
        this.theirs.reset([], 'Comes next.');
        try {
            setText(this.state, 'The adversary replays how this cloak may have come about ...');
            const ours = await this.session.attack(
                attackOnCloak(engine, segments, this.suspects),
                stop.signal,
            );
            this.show(ours, null, victim);
            setText(this.state, 'Now the same query with network expansion ...');
            this.theirs.say('Being attacked ...');
            const theirs = await this.session.attack(
                attackOnMethod(COMPARED, this.suspects, victim, this.bystanders(victim)),
                stop.signal,
            );
            this.show(ours, theirs, victim);
            setText(this.state, verdict(ours, theirs));
        } catch (error) {
            if (!isAbort(error)) this.showError(error);
        } finally {
            // Unless another cloak was opened meanwhile, and is at work itself.
            if (this.stop === stop) {
                this.stop = null;
                this.controls.isWorking = false;
            }
        }
    }

    /** Both with one scale of colours, and as large as each other. */
    private show(ours: Attack, theirs: Attack | null, victim: Suspect): void {
        const beliefs = [ours, theirs].flatMap((attack) => (attack?.found ? [attack] : []));
        const most = heatScale(...beliefs.map(({ linkability }) => linkability));
        this.ours.show(ours, most, victim);
        if (theirs) this.theirs.show(theirs, most, victim);
        this.look(beliefs.map(({ segments }) => segments));
        this.legend.show(most, !victim.isAssumed);
    }

    private look(cloaks: readonly (readonly number[])[]): void {
        const box = boxAround(this.session.map, cloaks.flat());
        this.ours.look(box);
        this.theirs.look(box);
    }

    private showError(error: unknown): void {
        const { title, text, tries } = explainError(error);
        setText(this.state, [title, text, ...tries.map((what) => `You may ${what}.`)].join(' '));
        for (const side of [this.ours, this.theirs]) side.say('');
    }

    private showOnMap(): void {
        const box = this.cloak && boxAround(this.session.map, this.cloak.segments);
        if (box) this.view.show(box);
    }
}
