// Ask it yourself: choose a road and a profile, watch the question wait, find company and become a cloak,
// see the exact answer, and beside it all that the provider was told.
//
//     choosing --ask--> waiting --outcome--> shown --ask--> waiting ...
//                          \--taken back, refused, failed--> shown
//
// One question at a time. What is told of its way comes from the outcome and from the cloaks that were seen
// to leave; nothing is made up. Where the asker is, and the answer, are drawn on the travellers' map; without
// one, on the provider's, with a word that no one else sees that.
import { isAbort, Refusal } from '../api/fetch';
import type { Outcome, Profile, Query } from '../api/types';
import { fill, make } from '../dom';
import { isMotionUnwelcome } from '../frame/motion';
import { Stars } from '../map/ball';
import { boxAround } from '../map/draw';
import type { Spot } from '../map/layer';
import type { MapPane } from '../map/pane';
import { awayFromEnds, middleOf } from '../map/spot';
import type { View } from '../map/view';
import type { SeenCloak, Session } from '../state/model';
import { Signal } from '../state/signal';
import { t } from '../text/language';
import { counted, seconds } from '../text/measures';
import { lengthUnit } from '../text/words';
import { CompanyLines } from '../travellers/company_lines';
import { AnswerLayer } from './answer_layer';
import { AnswerView } from './answer_view';
import { AskForm } from './ask_form';
import type { Answered, AskOptions, AskPhase, Dropped, Question } from './ask_phases';
import { AskProgress } from './ask_progress';
import { BytesView } from './bytes';
import { type Asked, checkPromises } from './checks';
import { chooseSegment, countWithin } from './choose';
import { CompanyGuide } from './company_guide';
import { RemedyButtons } from './company_view';
import { explainDrop, explainError } from './explain';
import { MineLayer } from './own_cloak_layer';
import { ownQueries } from './own_queries';
import { ReachLayer } from './reach_layer';

/** Milliseconds from step to step when an outcome has come: all is known at once, but cannot be read at once. */
const STEP_MS = 450;

/** How often, and after how many milliseconds, a question is sent again that takes the place of another. */
const REPLACED_TRIES = 8;
const REPLACED_MS = 250;

/** Tells a phase to the page, with a sentence for the visitor. */
type Tell = (phase: AskPhase, text: string) => void;

export class AskPanel {
    readonly element: HTMLElement;
    /** What to do when somebody attacks the cloak that was made for them. */
    onAttack: ((cloak: SeenCloak) => void) | null = null;
    /** What becomes of each question, step by step. */
    readonly phases = new Signal<AskPhase>();
    /** A question is on its way: whoever asked would like to see the map. */
    onAsked: () => void = () => {};
    private readonly form: AskForm;
    private readonly progress = new AskProgress();
    private readonly answer: AnswerView;
    private readonly bytes: BytesView;
    private readonly company: CompanyGuide;
    private knownStars: Stars | null = null;
    /** The asker's own map, which is the provider's where there is no other. */
    private readonly ownPane: MapPane;
    private readonly reachLayer: ReachLayer;
    private readonly answerLayer: AnswerLayer;
    /** On each map. */
    private readonly mineLayers: MineLayer[];
    /** To those who are hidden with the asker; null where no one may know. */
    private readonly lines: CompanyLines | null;
    private spot: Spot | null = null;
    private reach: Uint32Array = new Uint32Array();
    /** Of the question under way; null if there is none. */
    private stop: AbortController | null = null;
    private running: Promise<AskPhase> | null = null;

    constructor(
        private readonly session: Session,
        private readonly panes: { travellers: MapPane | null; provider: MapPane },
        private readonly view: View,
    ) {
        const { map } = session;
        this.bytes = new BytesView(session);
        this.answer = new AnswerView(this.bytes.element, lengthUnit(map));
        this.ownPane = panes.travellers ?? panes.provider;
        this.reachLayer = new ReachLayer(map);
        this.answerLayer = new AnswerLayer(map);
        const [vivid, faint] = [new MineLayer(map), new MineLayer(map, true)];
        this.mineLayers = [vivid, faint];
        panes.provider.add(vivid);
        panes.travellers?.add(faint);
        this.ownPane.add(this.reachLayer);
        this.lines = session.fleet && new CompanyLines(session.fleet, map);
        if (this.lines) panes.travellers?.add(this.lines);
        this.ownPane.add(this.answerLayer);

        this.company = new CompanyGuide(session, () => this.stars, {
            isWanted: () => this.isCompanyWanted(),
            near: () => this.othersNear(),
            apply: (profile) => void this.help(profile, this.form.isWaiting),
        });
        this.form = new AskForm(session, this.company.element, {
            changed: () => this.profileChanged(),
            chooseForMe: () => this.chooseForMe(),
            submit: () => void this.submit(),
            quick: () => {
                this.profileChanged();
                void this.submit();
            },
            cancel: () => this.stop?.abort(),
        });
        this.element = make('div', { class: 'ask' });
        fill(
            this.element,
            this.progress.element,
            this.form.element,
            this.ownMapNote(),
            make('div', { class: 'ask-outcome' }, this.answer.element),
        );
    }

    /** Made when it is first asked for: on a large map that takes as long as reading it. */
    private get stars(): Stars {
        this.knownStars ??= new Stars(this.session.map);
        return this.knownStars;
    }

    /** A road was clicked: the view shows how far a cloak may reach. While a question is under way nothing happens. */
    pick(spot: Spot): void {
        if (this.stop) return;
        this.place(spot);
        const box = boxAround(this.session.map, this.reach);
        if (box) this.view.show(box);
    }

    /** The question is shown in the form and asked. Null, and nothing happens, if another one is under way. */
    async ask(question: Question, options: AskOptions = {}): Promise<AskPhase | null> {
        if (this.stop) return null;
        this.form.profile = question.profile;
        this.form.request = question.request;
        this.place(question.spot);
        return this.run({ ...question, spot: this.spot ?? question.spot }, options);
    }

    /** What "Ask for the nearest cafe here" asks. */
    get quickQuestion(): Pick<Question, 'profile' | 'request'> {
        return this.form.quickQuestion;
    }

    private place(spot: Spot): void {
        this.spot = awayFromEnds(this.session.map, spot);
        this.clearResult();
        this.form.isFolded = false;
        this.form.showPlace(this.spot.segment);
        this.profileChanged();
        this.form.revealCompany();
    }

    private chooseForMe(): void {
        const { map, fleet } = this.session;
        const waiting = fleet ? [...fleet.waiting.values()].map(({ segment }) => segment) : [];
        const { profile } = this.form;
        const segment = chooseSegment(map.segmentCount, waiting, Math.random, (candidate) =>
            this.company.sizeAt(candidate, profile),
        );
        this.pick(middleOf(map, segment));
    }

    private profileChanged(): void {
        if (!this.spot) return;
        const { profile } = this.form;
        this.reach = this.stars.reach(this.spot.segment, profile.max_hops);
        this.reachLayer.show(this.spot, this.reach);
        this.ownPane.invalidate();
        this.company.look(this.spot.segment, profile);
    }

    private async submit(): Promise<void> {
        if (this.stop || !this.form.check() || !this.spot) return;
        const { profile, request } = this.form;
        await this.run({ spot: this.spot, profile, request }, {});
    }

    /**
     * Another profile may help: it is put into the form.
     *
     * @param isAsked  the question is asked with it; one that waits is withdrawn before
     */
    private async help(profile: Profile, isAsked: boolean): Promise<void> {
        const { spot } = this;
        const { request } = this.form;
        const replacesAnother = this.stop !== null;
        this.stop?.abort();
        await this.running;
        this.form.profile = profile;
        this.form.touch();
        this.profileChanged();
        if (isAsked && spot) await this.ask({ spot, profile, request }, { replacesAnother });
    }

    private run(question: Question, options: AskOptions): Promise<AskPhase> {
        const running = this.follow(question, options).finally(() => {
            if (this.running === running) this.running = null;
        });
        this.running = running;
        return running;
    }

    private async follow(question: Question, options: AskOptions): Promise<AskPhase> {
        const stop = new AbortController();
        const { spot, profile, request } = question;
        const asked: Asked = { segment: spot.segment, profile, reach: this.reach };
        const position = this.session.map.toPosition(spot);
        let last: AskPhase = { question, name: 'waiting' };
        const tell: Tell = (phase, text) => {
            last = phase;
            this.progress.show(phase, text);
            this.phases.emit(phase);
        };

        this.clearResult();
        this.stop = stop;
        this.isWaiting = true;
        this.onAsked();
        tell(last, t('Your question waits for company.'));
        try {
            const query = { position, profile, request };
            const outcome = await this.send(query, stop.signal, options.replacesAnother ?? false);
            // It cannot be taken back any more; the next one may come when this one has been shown.
            this.isWaiting = false;
            if (outcome.outcome === 'answered') {
                await this.showAnswer(question, asked, outcome, options, tell);
            } else {
                this.showDrop(question, asked, outcome, tell);
            }
        } catch (error) {
            this.isWaiting = false;
            this.showError(question, error, tell);
        } finally {
            this.stop = null;
        }
        return last;
    }

    /** The service may take a moment to notice that the question before was withdrawn, and takes one at a time. */
    private async send(
        query: Query,
        stop: AbortSignal,
        replacesAnother: boolean,
    ): Promise<Outcome> {
        for (let tries = replacesAnother ? REPLACED_TRIES : 0; ; tries--) {
            try {
                return await this.session.ask(query, stop);
            } catch (error) {
                const isEarly = error instanceof Refusal && error.problem.status === 429;
                if (!isEarly || tries === 0) throw error;
                await new Promise((resolve) => setTimeout(resolve, REPLACED_MS));
            }
        }
    }

    private set isWaiting(isWaiting: boolean) {
        this.form.isWaiting = isWaiting;
        this.reachLayer.isWaiting = isWaiting;
        this.company.refresh(isWaiting);
        this.ownPane.invalidate();
    }

    private async showAnswer(
        question: Question,
        asked: Asked,
        outcome: Answered,
        options: AskOptions,
        tell: Tell,
    ): Promise<void> {
        const { id, users, segments } = outcome.cloak;
        const { k, l, max_hops } = asked.profile;
        ownQueries(this.session).set(id, { segment: asked.segment, k, l, max_hops });
        this.session.fleet?.keep(id);

        const company = t('{travellers} on {roads}', {
            travellers: counted(users, 'traveller'),
            roads: counted(segments, 'road'),
        });
        const time = seconds(outcome.wait_s);
        tell(
            { question, name: 'found', outcome },
            t('Found company: {company}, after {time}.', { company, time }),
        );
        const [cloak] = await Promise.all([this.seenCloak(id), pause()]);
        if (cloak) for (const layer of this.mineLayers) layer.show(cloak.segments);
        this.lines?.show(question.spot, () => this.session.fleet?.members(id) ?? [], true);
        this.ownPane.invalidate();
        this.panes.provider.invalidate();
        this.bytes.show(cloak);
        tell(
            { question, name: 'left', outcome, cloak },
            t('All of you became one cloak, and it went to the provider.'),
        );
        await pause();

        const checks = checkPromises(asked, outcome, cloak?.segments ?? null);
        const { onAttack } = this;
        const attack = cloak && onAttack ? () => onAttack(cloak) : null;
        const { fleet, about } = this.session;
        const engine = cloak?.engine ?? fleet?.engine ?? about.engine;
        this.answer.answered(outcome, checks, engine, this.panes.travellers === null, attack);
        this.answerLayer.show(outcome.objects);
        this.ownPane.invalidate();
        if (!options.keepsView) this.lookAt(cloak, outcome);
        tell(
            { question, name: 'answered', outcome, cloak },
            t('Answered: {places}. You were hidden among {company}.', {
                places: counted(outcome.objects.length, 'place'),
                company,
            }),
        );
    }

    /** Where no cloaks are told, none is waited for. */
    private seenCloak(id: string): Promise<SeenCloak | undefined> {
        const { cloaks, link } = this.session;
        return link === 'live' ? cloaks.find(id) : Promise.resolve(cloaks.get(id));
    }

    private showDrop(question: Question, asked: Asked, outcome: Dropped, tell: Tell): void {
        const explanation = explainDrop(outcome, asked.profile, asked.reach.length);
        const buttons = new RemedyButtons((profile) => void this.help(profile, true));
        const remedies = this.company.remediesFor(asked.segment, asked.profile, outcome);
        buttons.show(t('Ask again with a change:'), remedies);
        this.answer.explain(explanation, remedies.length > 0 ? buttons.element : null);
        tell({ question, name: 'dropped', outcome }, explanation.title);
    }

    private showError(question: Question, error: unknown, tell: Tell): void {
        if (isAbort(error)) {
            this.form.isFolded = false;
            this.company.refresh(false);
            tell(
                { question, name: 'withdrawn' },
                t('Withdrawn. If no cloak had left by then, nothing was sent.'),
            );
            return;
        }
        const explanation = explainError(error);
        const name = isRefused(error) ? 'refused' : 'failed';
        tell({ question, name, error }, explanation.title);
        const isForToken = error instanceof Refusal && error.problem.status === 401;
        // Said beside the field, if there is one.
        if (isForToken && this.form.askForToken(explanation)) return;
        this.answer.explain(explanation);
    }

    /** Cloak, answer and asker in one look. */
    private lookAt(cloak: SeenCloak | undefined, outcome: Answered): void {
        const { map } = this.session;
        const places = outcome.objects.flatMap(({ position }) =>
            position ? [map.fromPosition(position)] : [],
        );
        const box = boxAround(
            map,
            cloak?.segments ?? [],
            this.spot ? [this.spot, ...places] : places,
        );
        if (box) this.view.show(box);
    }

    /** While a question is chosen or waits, and somebody can see it. */
    private isCompanyWanted(): boolean {
        const isOver = this.form.isFolded && !this.form.isWaiting;
        return this.spot !== null && !isOver && this.element.offsetParent !== null;
    }

    private othersNear(): number {
        const { fleet } = this.session;
        if (!fleet) return 0;
        const segments = [...fleet.waiting.values()].map(({ segment }) => segment);
        return countWithin(segments, this.reach);
    }

    private clearResult(): void {
        this.progress.reset();
        this.answer.clear();
        this.bytes.clear();
        this.answerLayer.clear();
        this.lines?.clear();
        for (const layer of this.mineLayers) layer.clear();
        this.ownPane.invalidate();
        this.panes.provider.invalidate();
    }

    private ownMapNote(): HTMLElement | null {
        if (this.panes.travellers) return null;
        return make(
            'p',
            { class: 'hint' },
            t(
                'Where you are, the shaded roads and the pins are drawn on this page only: the provider does not see them.',
            ),
        );
    }
}

function pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, isMotionUnwelcome() ? 0 : STEP_MS));
}

/** Whether the service did not take the question; else it did, and something went wrong later. */
function isRefused(error: unknown): boolean {
    return error instanceof Refusal && error.problem.outcome === undefined;
}
