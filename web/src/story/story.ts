// One question, asked for a visitor who is new, and told as it goes its way: who asks, who fits, the cloak, what
// leaves, what comes back, what an adversary makes of it.
//
// All of it is real: the question is asked through the panel as by hand, the cloak is the one that left, the bytes are
// those that were sent, and the adversary is the demo's. In the demo alone, since it shows who is hidden with whom.
import type { Attack } from '../api/types';
import type { AskPanel } from '../ask/ask_panel';
import type { Answered, Question } from '../ask/ask_phases';
import { CompanyFinder, starRule } from '../ask/company';
import { seekerOf } from '../ask/company_watch';
import { HeatLayer, heatScale } from '../attack/heat';
import { isMotionUnwelcome } from '../frame/motion';
import { Stars } from '../map/ball';
import { boxAround } from '../map/draw';
import type { MapPane } from '../map/pane';
import type { Point } from '../map/road_map';
import { middleOf } from '../map/spot';
import type { MapView } from '../map/view';
import type { Fleet, SeenCloak, Session } from '../state/model';
import type { Signal } from '../state/signal';
import { lengthUnit } from '../text/words';
import { CompanyLines } from '../travellers/company_lines';
import { Player } from './player';
import * as scenes from './scenes';

/** Places that are tried until company comes, and roads that are looked at for each. */
const TRIES = 3;
const ROADS_LOOKED_AT = 16;
/** Milliseconds: how long it is waited until travellers have asked, and for the bytes of a cloak. */
const CROWD_MS = 8000;
const SENT_MS = 3000;
/** So many must wait before a place is chosen. */
const CROWD = 12;
/** What the service allows in one attack. */
const MEMBERS_MOST = 64;

export interface Stage {
    session: Session;
    fleet: Fleet;
    ask: AskPanel;
    view: MapView;
    panes: { travellers: MapPane; provider: MapPane };
    /** On a phone, where one map is seen at a time. */
    showPane(id: 'travellers' | 'provider'): void;
}

export class Story {
    private player: Player | null = null;
    private readonly layer: CompanyLines;
    private readonly heat: HeatLayer;
    private knownStars: Stars | null = null;

    constructor(private readonly stage: Stage) {
        const { fleet, panes, session } = stage;
        this.layer = new CompanyLines(fleet, session.map);
        this.heat = new HeatLayer(session.map);
        panes.travellers.add(this.layer);
        panes.provider.add(this.heat);
    }

    get isRunning(): boolean {
        return this.player !== null;
    }

    /** From the beginning; the player says how it goes. */
    start(): Player {
        this.stop();
        const player = new Player(isMotionUnwelcome());
        this.player = player;
        void this.tell(player).finally(() => player.end());
        return player;
    }

    /** A question that is under way goes on: it is like any other. */
    stop(): void {
        this.player?.stop();
        this.player = null;
        this.clear();
    }

    private async tell(player: Player): Promise<void> {
        player.add({ ...scenes.citySays(), show: () => this.showTravellers(null) });
        await Promise.all([player.over(), this.crowd()]);
        const tried = new Set<number>();
        for (let i = 0; i < TRIES; i++) {
            if (this.player !== player) return;
            const question = this.chooseQuestion(tried, i > 0);
            tried.add(question.spot.segment);
            const answered = await this.askFor(player, question, i + 1 === TRIES);
            if (answered === 'again') continue;
            if (answered) await this.tellAnswer(player, question, answered);
            break;
        }
        if (this.player === player) {
            player.add({ ...scenes.yourTurn(), show: () => this.showTravellers(null) });
        }
    }

    /** @returns the answer; 'again' if no company came; null if the story is over */
    private async askFor(
        player: Player,
        question: Question,
        isLast: boolean,
    ): Promise<{ outcome: Answered; cloak: SeenCloak | undefined } | 'again' | null> {
        const { ask, session } = this.stage;
        let isAsked = false;
        player.add({
            ...scenes.youAsk(session.map, question),
            show: () => {
                this.showTravellers(isAsked ? [question.spot.segment] : null);
                // Later, who comes back to this scene keeps the answer.
                if (!isAsked) ask.pick(question.spot);
            },
        });
        await player.over();
        if (this.player !== player) return null;
        isAsked = true;
        const company = this.companyAt(question);
        player.add({
            ...scenes.whoFits(company, question),
            show: () => {
                this.showTravellers(null);
                this.layer.show(question.spot, () => company.fitting, false);
            },
        });
        const phase = await ask.ask(question, { keepsView: true });
        if (this.player !== player) return null;
        if (phase?.name === 'answered') return phase;
        if (phase?.name === 'dropped') {
            const words = scenes.noCompany(phase.outcome, isLast);
            player.add({ ...words, show: () => this.showTravellers(null) });
            if (!isLast) await player.over();
            return isLast ? null : 'again';
        }
        if (phase && phase.name !== 'withdrawn') player.add(scenes.somethingWrong());
        return null;
    }

    private async tellAnswer(
        player: Player,
        question: Question,
        { outcome, cloak }: { outcome: Answered; cloak: SeenCloak | undefined },
    ): Promise<void> {
        const { session, view } = this.stage;
        const { map } = session;
        const segments = cloak?.segments ?? [question.spot.segment];
        const places = outcome.objects.flatMap(({ position }) =>
            position ? [map.fromPosition(position)] : [],
        );
        // Both are told in the moments after the answer.
        await Promise.all([this.whenMembersKnown(outcome), cloak && this.whenSent(cloak)]);
        const attack = this.attack(cloak);
        player.add({
            ...scenes.cloakForms(outcome),
            // With the lines to its members, which belong to the answer.
            show: () => this.showTravellers(segments),
        });
        player.add({
            ...scenes.whatLeaves(cloak, outcome.cloak.segments),
            show: () => this.showProvider(segments),
        });
        player.add({
            ...scenes.whatComesBack(outcome, lengthUnit(map)),
            show: () => {
                this.showTravellers(null);
                const box = boxAround(map, segments, [question.spot, ...places]);
                if (box) view.show(box);
            },
        });
        const belief = await attack;
        if (!belief?.found) return;
        const index = belief.segments.indexOf(question.spot.segment);
        if (index < 0) return;
        const most = Math.max(...belief.linkability);
        player.add({
            ...scenes.whatAnAdversaryLearns(
                belief.linkability[index],
                most,
                belief.segments.length,
            ),
            show: () => {
                this.showProvider(segments);
                const end = heatScale(belief.linkability);
                this.heat.show({ ...belief, most: end, truth: question.spot.segment });
                this.stage.panes.provider.invalidate();
            },
        });
    }

    // --- What is asked ------------------------------------------------------------------------

    /** Where many fit: in sight at first, and then wherever in the city. */
    private chooseQuestion(tried: ReadonlySet<number>, isAnywhere: boolean): Question {
        const { fleet, session, view, ask } = this.stage;
        const { profile, request } = ask.quickQuestion;
        const { map } = session;
        const { west, north, east, south } = view.seen;
        const isSeen = ({ x, y }: Point) => x > west && x < east && y > north && y < south;
        const all = [...new Set([...fleet.waiting.values()].map(({ segment }) => segment))];
        const seen = all.filter((segment) => isSeen(middleOf(map, segment)));
        const from = (isAnywhere || seen.length === 0 ? all : seen).filter(
            (segment) => !tried.has(segment),
        );
        let best = { segment: from[0] ?? 0, company: -1 };
        for (const segment of evenly(from, ROADS_LOOKED_AT)) {
            const spot = middleOf(map, segment);
            const { group, missing } = this.companyAt({ spot, profile, request });
            const company = missing === 0 ? group.length : -missing;
            if (company > best.company) best = { segment, company };
        }
        return { spot: middleOf(map, best.segment), profile, request };
    }

    private companyAt({ spot, profile }: Question) {
        const { fleet, session } = this.stage;
        this.knownStars ??= new Stars(session.map);
        const seeker = seekerOf(spot.segment, profile);
        const finder = new CompanyFinder(this.knownStars, seeker, starRule(fleet.engine));
        return finder.look(fleet.waiting.values());
    }

    /** Resolves when enough travellers wait for a place to be chosen, or after a while. */
    private crowd(): Promise<void> {
        const { fleet } = this.stage;
        return until(fleet.asked, () => fleet.waiting.size >= CROWD, CROWD_MS);
    }

    /** Where a cloak goes over no wire, it has no bytes. */
    private whenSent(cloak: SeenCloak): Promise<void> {
        const { cloaks, about } = this.stage.session;
        if (about.provider !== 'http') return Promise.resolve();
        return until(cloaks.changed, () => cloak.sent !== undefined, SENT_MS);
    }

    private whenMembersKnown({ cloak: { id, users } }: Answered): Promise<void> {
        const { fleet } = this.stage;
        return until(fleet.ended, () => fleet.members(id).length >= users - 1, SENT_MS);
    }

    /** Null if there is no adversary, or it has no time. */
    private async attack(cloak: SeenCloak | undefined): Promise<Attack | null> {
        const { session, fleet, ask } = this.stage;
        if (!cloak || !session.about.offers.includes('attacks')) return null;
        const { profile } = ask.quickQuestion;
        const members = [profile, ...fleet.members(cloak.id)]
            .slice(0, MEMBERS_MOST)
            .map(({ k, l, max_hops }) => ({ k, l, max_hops }));
        const segments = [...cloak.segments].sort((a, b) => a - b);
        try {
            return await session.attack({ method: cloak.engine, segments, members });
        } catch {
            return null;
        }
    }

    // --- What is shown ------------------------------------------------------------------------

    /** @param segments  to come near to; null: the view stays */
    private showTravellers(segments: readonly number[] | null): void {
        this.clear();
        this.stage.showPane('travellers');
        this.comeNear(segments);
    }

    private showProvider(segments: readonly number[]): void {
        this.clear();
        this.stage.showPane('provider');
        this.comeNear(segments);
    }

    private comeNear(segments: readonly number[] | null): void {
        const box = segments && boxAround(this.stage.session.map, segments);
        if (box) this.stage.view.show(box);
    }

    private clear(): void {
        this.layer.clear();
        this.heat.showCloak([]);
        this.stage.panes.provider.invalidate();
    }
}

/** Resolves when it is so, which is looked at after each signal; or after a while. */
function until<T>(signal: Signal<T>, isSo: () => boolean, most: number): Promise<void> {
    return new Promise((resolve) => {
        const done = () => {
            clearTimeout(timer);
            stop();
            resolve();
        };
        const look = () => {
            if (isSo()) done();
        };
        const timer = setTimeout(done, most);
        const stop = signal.on(look);
        look();
    });
}

/** So many of them at most, evenly from the whole list. */
function evenly<T>(all: readonly T[], most: number): T[] {
    const step = Math.max(1, all.length / most);
    const some: T[] = [];
    for (let i = 0; i < all.length; i += step) some.push(all[Math.floor(i)]);
    return some;
}
