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
import { Layout, makePanes } from './frame/layout';
import { recall } from './frame/memory';
import { ReportLink } from './frame/report_link';
import { Banner, LinkState, LiveLine } from './frame/status';
import { Theme } from './frame/theme';
import { Welcome } from './frame/welcome';
import { boxAround } from './map/draw';
import type { Spot } from './map/layer';
import { MapPane } from './map/pane';
import { hasOneWayRoads } from './map/road_map';
import { MapView } from './map/view';
import { MethodsFeed } from './methods/methods_feed';
import { MethodsPanel } from './methods/methods_panel';
import { MethodsStage } from './methods/methods_stage';
import { ReplayBar } from './replay/replay_bar';
import type { SeenCloak } from './state/model';
import { LiveSession } from './state/session';
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
if (new URLSearchParams(location.search).has('wall')) root.dataset.wall = 'yes';

const theme = new Theme();
LiveSession.open((error) => setText(opening, `${error.message} Trying again.`)).then(
    build,
    (error) => setText(opening, error instanceof Error ? error.message : String(error)),
);

function build(session: LiveSession): void {
    const { about, map, cloaks, fleet } = session;
    const isDemo = fleet !== null;
    const { element: panes, hosts } = makePanes(isDemo, hasOneWayRoads(map));
    const view = new MapView(map);

    const travellers = hosts.travellers
        ? new MapPane(hosts.travellers, map, view, {
              label: 'Map of what travellers do',
              describedBy: 'caption-travellers',
              onPick: (spot) => askAt(spot),
          })
        : null;
    const provider = new MapPane(hosts.provider, map, view, {
        label: 'Map of what the provider sees',
        describedBy: 'caption-provider',
        onPick: (spot) => (chooseCloakAt(spot) ? undefined : askAt(spot)),
    });
    const partsLayer = session.cluster ? new PartsLayer(map) : null;
    if (partsLayer) provider.add(partsLayer);
    const cloaksLayer = new CloaksLayer(map, cloaks);
    provider.add(cloaksLayer);
    if (fleet) {
        travellers?.add(new MoversLayer((now) => fleet.positions(now), map));
        travellers?.add(new QueriesLayer(fleet, map));
    }

    const ask = new AskPanel(session, { travellers, provider }, view);
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
        attack ? choose : show,
        attack !== null,
    );
    const welcome = new Welcome(isDemo);
    const layout = new Layout(
        page,
        {
            linkState: new LinkState(session).element,
            banner: new Banner(session).element,
            theme: theme.element,
            welcome: welcome.element,
            welcomeOpener: welcome.opener,
            liveLine: new LiveLine(session.counters, fleet).element,
            ask: ask.element,
            attack: attack?.element ?? null,
            cloaks: cloakList.element,
            engine: isDemo ? new EnginePanel(session).element : null,
            cluster: partsLayer ? new ClusterPanel(session, partsLayer).element : null,
            charts: new Charts(session, theme).element,
            methods: methods && {
                panel: new MethodsPanel(session, methods).element,
                stage: new MethodsStage(methods, map, view).element,
            },
            replay: session.replay && new ReplayBar(session.replay).element,
            report: new ReportLink(about).element,
        },
        panes,
    );

    function askAt(spot: Spot): void {
        layout.tabs.choose('ask');
        ask.pick(spot);
    }

    /** On the provider's map a road is a cloak's, if cloaks are what one is looking at. */
    function chooseCloakAt(spot: Spot): boolean {
        if (layout.tabs.id !== 'attack' && layout.tabs.id !== 'cloaks') return false;
        const cloak = cloaks.latest.find(({ segments }) => segments.includes(spot.segment));
        if (cloak) choose(cloak);
        return cloak !== undefined;
    }

    function choose(cloak: SeenCloak): void {
        cloaksLayer.selected = cloak.id;
        provider.invalidate();
        cloakList.select(cloak.id);
        if (!attack) return;
        attack.open(cloak);
        layout.reveal('attack');
    }

    /** From the list, where there is no adversary to show it to. */
    function show(cloak: SeenCloak): void {
        choose(cloak);
        const box = boxAround(map, cloak.segments);
        if (box) view.show(box);
        layout.revealMaps();
    }

    if (attack) ask.onAttack = choose;
    attack?.closed.on(() => {
        cloaksLayer.selected = null;
        provider.invalidate();
        cloakList.select(null);
    });
    ask.onAsked = () => layout.revealMaps();
    // Now that they have their places on the page: roads are then on it from the first frame.
    travellers?.measure();
    provider.measure();
    session.start();
    void (travellers ?? provider).drawn.then(() => {
        root.dataset.ready = 'yes';
    });
}
