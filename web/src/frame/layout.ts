// Where everything stands on the page. Which part goes where at which size is the style sheet's business; here is
// what there is, in the order in which it is read.
//
//     header        what this is, how it stands, and what is wrong if something is
//     welcome       for who is new: the story in the demo, three sentences elsewhere
//     maps          what travellers do (in the demo alone), what the provider sees
//     aside         asking, attacking, the cloaks, the engine, the cluster: tabs
//     charts        a tab as well where the screen is narrow
import { make } from '../dom';
import { t } from '../text/language';
import { isMotionUnwelcome } from './motion';
import { type Drawn, makeSigns, type Sign, signsOf } from './signs';
import { Tabs } from './tabs';

export interface Parts {
    linkState: HTMLElement;
    theme: HTMLElement;
    language: HTMLElement;
    welcome: HTMLElement;
    welcomeOpener: HTMLElement;
    banner: HTMLElement;
    liveLine: HTMLElement;
    /** Null in a replay, which takes no questions. */
    ask: HTMLElement | null;
    /** Null where nothing is attacked. */
    attack: HTMLElement | null;
    cloaks: HTMLElement;
    /** Null outside of the demo. */
    engine: HTMLElement | null;
    /** Null where the map is in one part. */
    cluster: HTMLElement | null;
    charts: HTMLElement;
    /** Null outside of the demo: the comparison of methods, and its maps. */
    methods: { panel: HTMLElement; stage: HTMLElement } | null;
    /** Null unless a recorded run is shown: its bar, and the panel in the place of the form. */
    replay: { bar: HTMLElement; panel: HTMLElement } | null;
    report: HTMLElement;
}

export interface Hosts {
    travellers: HTMLElement | null;
    provider: HTMLElement;
}

export class Layout {
    readonly tabs: Tabs;
    private readonly narrow = matchMedia('(max-width: 899px)');

    constructor(
        page: HTMLElement,
        parts: Parts,
        private readonly panes: HTMLElement,
    ) {
        const tab = (id: string, label: string, title: string, panel: HTMLElement | null) =>
            panel ? [{ id, label, panel: titled(title, panel) }] : [];
        this.tabs = new Tabs(t('What to do'), [
            ...tab('ask', t('Ask'), t('Ask it yourself'), parts.ask),
            ...tab('record', t('Record'), t('A recorded run'), parts.replay?.panel ?? null),
            ...tab('attack', t('Attack'), t('Attack it'), parts.attack),
            ...tab('cloaks', t('Cloaks'), t('The latest cloaks'), parts.cloaks),
            ...tab(
                'methods',
                t('Methods'),
                t('Methods side by side'),
                parts.methods?.panel ?? null,
            ),
            ...tab('engine', t('Engine'), t('The engine'), parts.engine),
            ...tab('cluster', t('Cluster'), t('The cluster'), parts.cluster),
            { id: 'charts', label: t('Charts'), panel: parts.charts },
        ]);
        const main = make(
            'main',
            { id: 'main', tabindex: -1 },
            make('div', { class: 'overview' }, parts.welcome, parts.replay?.bar, parts.liveLine),
            panes,
            parts.methods?.stage,
            this.aside(),
            parts.charts,
        );
        // For the style sheet: on a narrow screen charts are shown or not.
        this.tabs.chosen.on((id) => {
            main.dataset.tab = id;
        });
        main.dataset.tab = this.tabs.id;
        this.tabs.pressed.on((id) => this.reveal(id));
        this.narrow.addEventListener('change', () => this.keepSomethingChosen());
        page.replaceChildren(skipLink(), header(parts), main);
    }

    /** On a phone: back to the maps, for who would like to watch them. */
    revealMaps(): void {
        if (this.narrow.matches) scrollTo(this.panes);
    }

    /** As a link says. Charts are a tab on a narrow screen alone. */
    open(id: string): void {
        if (id !== 'charts' || this.narrow.matches) this.tabs.choose(id);
    }

    private aside(): HTMLElement {
        // Charts stand below the maps.
        const beside = this.tabs.all.filter(({ id }) => id !== 'charts');
        return make(
            'aside',
            { class: 'aside', 'aria-label': t('Try it') },
            this.tabs.list,
            make('div', { class: 'panels' }, ...beside.map(({ panel }) => panel)),
        );
    }

    /** Choose a panel and see to it that it is in sight: on a phone it is far down, below the map. */
    reveal(id: string): void {
        const panel = this.tabs.all.find((tab) => tab.id === id)?.panel;
        const wasInside = document.activeElement?.closest('.tab-panel');
        this.tabs.choose(id);
        // What was pressed is out of sight now: who goes by keyboard goes on in the new panel.
        if (wasInside && wasInside !== panel) panel?.focus({ preventScroll: true });
        if (!this.narrow.matches) return;
        if (panel) scrollTo(panel);
    }

    /** On a wide screen charts are always there, and their tab is not. */
    private keepSomethingChosen(): void {
        if (!this.narrow.matches && this.tabs.id === 'charts')
            this.tabs.choose(this.tabs.all[0].id);
    }
}

function scrollTo(element: HTMLElement): void {
    element.scrollIntoView({
        block: 'start',
        behavior: isMotionUnwelcome() ? 'instant' : 'smooth',
    });
}

/** The maps' places; outside of the demo there is one. */
export function makePanes(drawn: Drawn): Panes {
    const travellers = drawn.hasTravellers
        ? pane('travellers', t('What travellers do'), signsOf('travellers', drawn), [
              swatch('--map-mover', 'dot'),
              `${t('travellers')}; `,
              swatch('--map-waiting', 'ring'),
              t('those who ask, and the time left.'),
          ])
        : null;
    const provider = pane('provider', t('What the provider sees'), signsOf('provider', drawn), [
        swatch('--map-cloak', 'dash'),
        t('cloaks as they leave: not who, not from where.'),
    ]);
    const element = make('div', { class: 'panes' }, travellers?.element, provider.element);
    const switched = travellers ? switcher(element) : null;
    if (switched) element.prepend(switched.element);
    return {
        element,
        hosts: { travellers: travellers?.host ?? null, provider: provider.host },
        show: switched?.show ?? (() => {}),
    };
}

export interface Panes {
    element: HTMLElement;
    hosts: Hosts;
    /** Where there is room for one map only: that one. */
    show(id: 'travellers' | 'provider'): void;
}

function pane(
    id: 'travellers' | 'provider',
    title: string,
    signs: Sign[],
    caption: (string | HTMLElement)[],
) {
    const host = make('div', { class: 'map', 'data-testid': `pane-${id}` });
    const element = make(
        'section',
        { class: `pane pane-${id}`, 'aria-labelledby': `title-${id}` },
        make('h2', { id: `title-${id}` }, title),
        make(
            'div',
            { class: 'caption' },
            make('p', { id: `caption-${id}` }, ...caption),
            makeSigns(signs, id),
        ),
        host,
    );
    return { element, host };
}

/** Where there is room for one map only: which one. */
function switcher(panes: HTMLElement): { element: HTMLElement; show: (id: string) => void } {
    const buttons = new Map<string, HTMLButtonElement>();
    const show = (id: string) => {
        panes.dataset.shown = id;
        for (const [other, button] of buttons) {
            button.setAttribute('aria-pressed', String(other === id));
        }
    };
    for (const [id, label] of [
        ['travellers', t('Travellers')],
        ['provider', t('Provider')],
    ]) {
        const button = make('button', { type: 'button', onclick: () => show(id) }, label);
        button.dataset.testid = `show-${id}`;
        buttons.set(id, button);
    }
    show('travellers');
    const element = make(
        'div',
        { class: 'switcher', role: 'group', 'aria-label': t('Which map') },
        ...buttons.values(),
    );
    return { element, show };
}

function swatch(colour: string, shape: 'dot' | 'ring' | 'dash'): HTMLElement {
    const element = make('i', { class: `swatch ${shape}`, 'aria-hidden': 'true' });
    if (shape === 'ring') element.style.borderColor = `var(${colour})`;
    else element.style.background = `var(${colour})`;
    return element;
}

function titled(title: string, content: HTMLElement): HTMLElement {
    return make('section', {}, make('h2', {}, title), content);
}

function skipLink(): HTMLElement {
    return make('a', { class: 'skip', href: '#main' }, t('Skip to the maps'));
}

function header(parts: Parts): HTMLElement {
    return make(
        'header',
        { class: 'top' },
        make('img', { src: '/favicon.svg', alt: '', width: 32, height: 32 }),
        make('h1', {}, 'StarCloak'),
        make(
            'p',
            { class: 'motto' },
            t('The provider sees roads that many share: never who asks, never from where.'),
        ),
        parts.linkState,
        parts.banner,
        make(
            'div',
            { class: 'tools' },
            parts.welcomeOpener,
            parts.report,
            parts.language,
            parts.theme,
        ),
    );
}
