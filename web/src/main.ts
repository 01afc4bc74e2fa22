// The UI: what the provider sees, live; and in the demo what the travellers do beside it.
//
// This file puts the parts together and knows nothing of their insides. What the page knows is in state/, what
// is said to the service in api/, the page's frame in frame/; every other folder is something on the screen.
import 'uplot/dist/uPlot.min.css';
import './frame/tokens.css';
import './frame/base.css';
import './frame/layout.css';
import './frame/panels.css';
import './charts/charts.css';
import './ask/ask.css';
import './attack/attack.css';
import './cluster/cluster.css';
import { AskPanel } from './ask/ask_panel';
import { AttackPanel } from './attack/attack_panel';
import { Charts } from './charts/charts';
import { CloakList } from './cloaks/cloak_list';
import { CloaksLayer } from './cloaks/cloaks_layer';
import { ClusterPanel } from './cluster/cluster_panel';
import { PartsLayer } from './cluster/parts_layer';
import { setText } from './dom';
import { EnginePanel } from './engine/engine_panel';
import { AddressBar, cloakOfLink, type Linked, parseAddress } from './frame/address';
import { ChosenCloak } from './frame/chosen_cloak';
import { makeLanguageSwitch } from './frame/language_switch';
import { Layout, makePanes } from './frame/layout';
import { recall } from './frame/memory';
import { openWhereTravellersAre } from './frame/opening';
import { ReportLink } from './frame/report_link';
import { Selection } from './frame/selection';
import { Banner, LinkState, LiveLine } from './frame/status';
import { Theme } from './frame/theme';
import { Welcome } from './frame/welcome';
import { busiestRoads } from './map/busiest';
import { boxAround } from './map/draw';
import { FoundLayer } from './map/found_layer';
import type { Spot } from './map/layer';
import { addMapControls } from './map/map_controls';
import { MapPane } from './map/pane';
import { PlaceSearch, type PlaceSource } from './map/place_search';
import { hasOneWayRoads, type Point } from './map/road_map';
import { Roads } from './map/roads';
import { MapView } from './map/view';
import { MethodsFeed } from './methods/methods_feed';
import { MethodsPanel } from './methods/methods_panel';
import { MethodsStage } from './methods/methods_stage';
import { ReplayBar } from './replay/replay_bar';
import { makeReplayPanel } from './replay/replay_panel';
import type { SeenCloak } from './state/model';
import { LiveSession } from './state/session';
import { Story } from './story/story';
import { StoryCard } from './story/story_card';
import { chooseLanguage, t, useLanguage } from './text/language';
import { lengthUnit } from './text/words';
import { MoversLayer } from './travellers/movers_layer';
import { QueriesLayer } from './travellers/queries_layer';

const root = document.documentElement;
const language = chooseLanguage(location.search, recall('language'), navigator.languages);
useLanguage(language);
root.lang = language;
const page = document.getElementById('page') as HTMLElement;
const opening = document.getElementById('opening') as HTMLElement;
setText(opening, t('Reading the map'));
// On a wall nobody presses anything: maps and charts alone.
const isWall = new URLSearchParams(location.search).has('wall');
if (isWall) root.dataset.wall = 'yes';

const theme = new Theme();
LiveSession.open((error) =>
    setText(opening, t('{reason} Trying again.', { reason: error.message })),
).then(build, (error) => setText(opening, error instanceof Error ? error.message : String(error)));

function build(session: LiveSession): void {
    const { about, map, cloaks, fleet } = session;
    const isDemo = fleet !== null;
    const panes = makePanes({
        hasTravellers: isDemo,
        isAsking: !session.replay,
        hasOneWay: hasOneWayRoads(map),
    });
    const { hosts } = panes;
    const selection = new Selection();
    const linked = parseAddress(location.hash, map);
    const view = new MapView(map);
    // On a wall nobody moves the map: all of it is there.
    const opening = linked.place ?? (isWall ? null : busiestRoads(map));
    if (opening) view.openAt(opening);

    const travellers = hosts.travellers
        ? new MapPane(hosts.travellers, map, view, {
              label: t('Map of what travellers do'),
              describedBy: 'caption-travellers',
              onPick: (spot) => askAt(spot),
          })
        : null;
    const provider = new MapPane(hosts.provider, map, view, {
        label: t('Map of what the provider sees'),
        describedBy: 'caption-provider',
        onPoint: (at, reach) => chooseAt(at, reach),
        onPick: (spot) => askAt(spot),
    });
    const partsLayer = session.cluster ? new PartsLayer(map) : null;
    if (partsLayer) provider.add(partsLayer);
    // Below all that moves.
    const found = new FoundLayer(map);
    for (const pane of [travellers, provider]) pane?.add(found);
    const cloaksLayer = new CloaksLayer(map, cloaks);
    provider.add(cloaksLayer);
    if (fleet) {
        travellers?.addMovers(new MoversLayer((now) => fleet.positions(now), map));
        travellers?.add(new QueriesLayer(fleet, map));
    }

    // A record takes no questions.
    const ask = session.replay ? null : new AskPanel(session, { travellers, provider }, view);
    // The adversary is the demo's; a service has none.
    const attack = about.offers.includes('attacks') ? new AttackPanel(session, view) : null;
    // A record has its own method, and nobody asks.
    const methods =
        isDemo && !session.replay
            ? new MethodsFeed((hears) => session.openStream('/demo/methods', hears))
            : null;
    const cloakList = new CloakList(
        cloaks,
        session.counters,
        lengthUnit(map),
        attack ? attackIt : show,
        attack !== null,
    );
    const story =
        fleet && travellers && ask && !isWall
            ? new Story({
                  ...{ session, fleet, ask, view },
                  panes: { travellers, provider },
                  showPane: panes.show,
              })
            : null;
    const welcome = story ? new StoryCard(story) : new Welcome(isDemo);
    const layout = new Layout(
        page,
        {
            linkState: new LinkState(session).element,
            banner: new Banner(session).element,
            theme: theme.element,
            language: makeLanguageSwitch(),
            welcome: welcome.element,
            welcomeOpener: welcome.opener,
            liveLine: new LiveLine(session.counters, fleet).element,
            ask: ask?.element ?? null,
            attack: attack?.element ?? null,
            cloaks: cloakList.element,
            engine: isDemo ? new EnginePanel(session).element : null,
            cluster: partsLayer ? new ClusterPanel(session, partsLayer).element : null,
            charts: new Charts(session, theme).element,
            methods: methods && {
                panel: new MethodsPanel(session, methods).element,
                stage: new MethodsStage(methods, map, view).element,
            },
            replay: session.replay && {
                bar: new ReplayBar(session.replay).element,
                panel: makeReplayPanel({
                    showCloaks: () => layout.reveal('cloaks'),
                    attack: attack && (() => layout.reveal('attack')),
                }),
            },
            report: new ReportLink(about).element,
        },
        panes.element,
    );
    addToMaps();

    /** What lies on the maps besides them. */
    function addToMaps(): void {
        for (const host of [hosts.travellers, hosts.provider]) {
            if (host) addMapControls(host, map, view);
        }
        const search = new PlaceSearch(map, view, found, isDemo ? findPlaces(session) : null);
        (hosts.travellers ?? hosts.provider).append(search.element);
        const card = new ChosenCloak(session, selection, {
            layer: cloaksLayer,
            grid: () => Roads.of(map, view).grid,
            attack: attack && (() => layout.reveal('attack')),
            link: () => address.link,
            letGo,
        });
        hosts.provider.append(card.element);
        view.covered = () => ({ top: card.bottom, right: 0, bottom: 0, left: 0 });
    }

    function askAt(spot: Spot): void {
        if (!ask) return;
        layout.tabs.choose('ask');
        ask.pick(spot);
    }

    /**
     * On the provider's map a click is for cloaks, whatever tab is chosen: one beside them lets go. Where there is no
     * other map, a click on a road without a cloak is a place to ask from.
     */
    function chooseAt(at: Point, reach: number): boolean {
        const here = cloaksLayer.cloaksAt(at, reach, performance.now());
        const { cloak } = selection;
        // Where several overlap, each click chooses the next.
        const isHere = cloak !== null && here.some(({ id }) => id === cloak.id);
        const next = isHere ? here[1] : here[0];
        if (next) {
            selection.choose(next);
            reveal(next);
        } else if (cloak) selection.letGo();
        else return isDemo;
        return true;
    }

    selection.changed.on((cloak) => {
        cloaksLayer.selected = cloak;
        cloakList.select(cloak?.id ?? null);
        if (!cloak) {
            attack?.close();
            return;
        }
        // Where there is room for one map only, it is on that one.
        panes.show('provider');
        attack?.open(cloak);
    });

    function letGo(): void {
        const hadFocus = document.activeElement?.closest('.chosen-cloak');
        selection.letGo();
        if (hadFocus) provider.element.focus();
    }

    document.addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) letGo();
    });

    /** Beside the card that says what it is. */
    function reveal(cloak: SeenCloak): void {
        const box = boxAround(map, cloak.segments);
        if (box) view.reveal(box);
    }

    function attackIt(cloak: SeenCloak): void {
        selection.choose(cloak);
        reveal(cloak);
        layout.reveal('attack');
    }

    /** From the list, where there is no adversary to show it to. */
    function show(cloak: SeenCloak): void {
        selection.choose(cloak);
        reveal(cloak);
        layout.revealMaps();
    }

    function follow({ place, tab, cloak }: Linked): void {
        if (place) view.goTo(place);
        if (tab) layout.open(tab);
        if (!cloak) return;
        const engine = fleet?.engine ?? about.engine;
        selection.choose(cloaks.get(cloak.id) ?? cloakOfLink(cloak, map, engine));
    }

    if (attack && ask) ask.onAttack = attackIt;
    attack?.closed.on(() => selection.letGo());
    // The story moves what is seen itself.
    if (ask)
        ask.onAsked = () => {
            if (!story?.isRunning) layout.revealMaps();
        };
    // Now that they have their places on the page: roads are then on it from the first frame.
    travellers?.measure();
    provider.measure();
    session.start();
    const address = new AddressBar(map, view, layout.tabs, selection);
    address.start(follow);
    follow({ ...linked, place: null });
    if (fleet && !linked.place && !isWall) openWhereTravellersAre(view, map, fleet);
    if (welcome instanceof StoryCard) {
        welcome.onEnd = () => {
            address.isHeld = false;
            address.changed();
        };
        welcome.onStart = () => {
            address.isHeld = true;
        };
        if (!StoryCard.isKnown && !linked.place && !linked.cloak) welcome.start();
    }
    void (travellers ?? provider).drawn.then(() => {
        root.dataset.ready = 'yes';
    });
}

/** The map's objects by name, as the demo tells them; none if it does not. */
function findPlaces(session: LiveSession): PlaceSource {
    return async (text, stop) => {
        const { places } = await session.places(text, stop);
        return places.flatMap(({ kind, name, category, street, position }) =>
            kind === 'place'
                ? [
                      {
                          name,
                          category: category ?? '',
                          street: street ?? null,
                          at: session.map.fromPosition(position),
                      },
                  ]
                : [],
        );
    };
}
