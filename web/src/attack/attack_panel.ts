// Attacks on demand: what would an adversary make of a cloak? As a heat map, for the cloak as it left and, for the same
// query, for the one that network expansion makes, the usual way of hiding on roads, side by side.
//
// The attack runs in the demo (POST /v1/attacks) and costs it a second or two, so it starts on demand, one
// side after the other. The adversary knows the cloak, the map, the method and what the members asked for.
import { isAbort } from '../api/fetch';
import type { AskedEvent, Attack } from '../api/types';
import { explainError } from '../ask/explain';
import { ownQueries } from '../ask/own_queries';
import { fill, make, setText } from '../dom';
import { comparedWith, methodName } from '../engine/method_names';
import { boxAround } from '../map/draw';
import type { View } from '../map/view';
import type { SeenCloak, Session } from '../state/model';
import { Signal } from '../state/signal';
import { t } from '../text/language';
import { counted } from '../text/measures';
import { count } from '../text/words';
import { AttackControls } from './attack_controls';
import { AttackSide } from './attack_side';
import { type Names, type Truth, verdict } from './belief';
import { heatScale } from './heat';
import { HeatLegend } from './heat_legend';
import {
    attackOnCloak,
    attackOnMethod,
    nearestFirst,
    roadOf,
    SEGMENTS_MOST,
    type Suspect,
    suspectsOf,
} from './suspects';

export class AttackPanel {
    readonly element: HTMLElement;
    /** The cloak that was open is let go of. */
    readonly closed = new Signal();
    private readonly controls: AttackControls;
    private readonly ours: AttackSide;
    private readonly theirs: AttackSide;
    private readonly legend = new HeatLegend();
    private readonly state = make('p', {
        class: 'state',
        role: 'status',
        tabindex: -1,
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
            close: () => this.close(),
        });
        this.ours = new AttackSide(session, 'starcloak');
        this.theirs = new AttackSide(session, 'expansion');
        this.element = make('div', { class: 'attack' });
        fill(
            this.element,
            this.controls.element,
            this.state,
            make(
                'p',
                { class: 'hint' },
                t(
                    'The adversary knows the map, the method and what the travellers asked for, and replays how a cloak may have come about.',
                ),
            ),
            make('div', { class: 'attack-sides' }, this.ours.element, this.theirs.element),
            this.legend.element,
        );
        // Travellers are told that they were answered a moment after their cloak was seen.
        session.fleet?.ended.on(({ cloak: id }) => {
            if (id !== undefined && id === this.cloak?.id && !this.stop) this.gather();
        });
        this.empty();
    }

    /** Let go of the cloak; what is at work for it ends. */
    close(): void {
        if (!this.cloak) return;
        this.stop?.abort();
        this.stop = null;
        this.cloak = null;
        // What was pressed is out of sight now: who goes by keyboard goes on here.
        const wasInside = this.element.contains(document.activeElement);
        this.empty();
        if (wasInside) this.state.focus({ preventScroll: true });
        this.closed.emit();
    }

    private empty(): void {
        this.element.dataset.state = 'empty';
        setText(
            this.state,
            t(
                "Select a cloak on the provider's map or in the list to see what an adversary could learn from it.",
            ),
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
        const { ours, theirs } = this.names(cloak);
        this.ours.call(ours, t('as it left'));
        this.theirs.call(theirs, t('for the same query'));
        this.ours.reset(cloak.segments, '');
        this.theirs.reset([], '');
        this.look([cloak.segments]);
        const isTooLarge = cloak.segments.length > SEGMENTS_MOST;
        this.controls.isStartable = !isTooLarge;
        setText(
            this.state,
            isTooLarge
                ? t(
                      'This cloak has more than {count} roads, which is too many for an attack on this page.',
                      { count: count(SEGMENTS_MOST) },
                  )
                : t('A cloak of {roads}, made by {method}.', {
                      roads: counted(cloak.segments.length, 'road'),
                      method: ours,
                  }),
        );
    }

    private names({ engine }: SeenCloak): Names {
        return { ours: methodName(engine), theirs: methodName(comparedWith(engine)) };
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
        const names = this.names(this.cloak);
        const victim = this.suspects[this.controls.victim];
        const truth = victim.isAssumed ? null : { segment: victim.segment, road: roadOf(victim) };
        const stop = new AbortController();
        this.stop = stop;
        this.controls.isWorking = true;
        this.legend.element.hidden = true;
        this.ours.reset(segments, t('Being attacked ...'));
        this.theirs.reset([], t('Comes next.'));
        try {
            setText(this.state, t('The adversary replays how this cloak may have come about ...'));
            const ours = await this.session.attack(
                attackOnCloak(engine, segments, this.suspects),
                stop.signal,
            );
            this.show(ours, null, truth);
            setText(
                this.state,
                t('Now the same query with {method} ...', { method: names.theirs }),
            );
            this.theirs.say(t('Being attacked ...'));
            const theirs = await this.session.attack(
                attackOnMethod(
                    comparedWith(engine),
                    this.suspects,
                    victim,
                    this.bystanders(victim),
                ),
                stop.signal,
            );
            this.show(ours, theirs, truth);
            setText(this.state, verdict(ours, theirs, names, truth));
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
    private show(ours: Attack, theirs: Attack | null, truth: Truth | null): void {
        const beliefs = [ours, theirs].flatMap((attack) => (attack?.found ? [attack] : []));
        const most = heatScale(...beliefs.map(({ linkability }) => linkability));
        this.ours.show(ours, most, truth);
        if (theirs) this.theirs.show(theirs, most, truth);
        this.look(beliefs.map(({ segments }) => segments));
        this.legend.show(most, truth !== null);
    }

    private look(cloaks: readonly (readonly number[])[]): void {
        const box = boxAround(this.session.map, cloaks.flat());
        this.ours.look(box);
        this.theirs.look(box);
    }

    private showError(error: unknown): void {
        const { title, text, tries } = explainError(error);
        setText(
            this.state,
            [title, text, ...tries.map((what) => t('You may {what}.', { what }))].join(' '),
        );
        for (const side of [this.ours, this.theirs]) side.say('');
    }

    private showOnMap(): void {
        const box = this.cloak && boxAround(this.session.map, this.cloak.segments);
        if (box) this.view.show(box);
    }
}
