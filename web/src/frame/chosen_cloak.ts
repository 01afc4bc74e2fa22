// The chosen cloak, on the provider's map: what it is, what can be done with it, and how to let go of it.
import { ownQueries } from '../ask/own_queries';
import type { CloaksLayer } from '../cloaks/cloaks_layer';
import { make, setText } from '../dom';
import type { Grid } from '../map/grid';
import type { SeenCloak, Session } from '../state/model';
import { t, tn } from '../text/language';
import { count } from '../text/words';
import { type CloakFacts, cloakGeoJson, cloakPicture, saveFile } from './cloak_export';
import type { Selection } from './selection';

export interface CardParts {
    layer: CloaksLayer;
    grid: () => Grid;
    /** Null where nothing is attacked. */
    attack: (() => void) | null;
    /** Where the keyboard goes when the card is gone. */
    letGo: () => void;
}

export class ChosenCloak {
    readonly element: HTMLElement;
    private readonly words = make('p', { role: 'status' });

    constructor(
        private readonly session: Session,
        private readonly selection: Selection,
        private readonly parts: CardParts,
    ) {
        const button = (name: string, label: string, act: () => void) =>
            make('button', { type: 'button', 'data-testid': name, onclick: act }, label);
        const { attack } = parts;
        this.element = make(
            'div',
            {
                class: 'chosen-cloak',
                role: 'group',
                'aria-label': t('The chosen cloak'),
                'data-testid': 'chosen-cloak',
                hidden: true,
            },
            this.words,
            make(
                'div',
                { class: 'chosen-actions' },
                attack && button('chosen-attack', t('Attack it'), attack),
                button('chosen-geojson', 'GeoJSON', () => this.saveGeoJson()),
                button('chosen-png', 'PNG', () => this.savePicture()),
            ),
            make(
                'button',
                {
                    type: 'button',
                    class: 'quiet close',
                    'aria-label': t('Let go of the cloak'),
                    title: t('Let go of the cloak'),
                    'data-testid': 'chosen-close',
                    onclick: () => parts.letGo(),
                },
                '×',
            ),
        );
        selection.changed.on(() => this.show());
        // Travellers are told that they were answered a moment after their cloak was seen.
        session.fleet?.ended.on(({ cloak }) => {
            if (cloak !== undefined && cloak === selection.cloak?.id) this.show();
        });
    }

    private show(): void {
        const { cloak } = this.selection;
        this.element.hidden = cloak === null;
        setText(this.words, cloak ? this.inWords(cloak) : '');
    }

    /** "Cloak 9f86: 12 roads, 6 travellers" */
    private inWords(cloak: SeenCloak): string {
        const { users } = this.factsOf(cloak);
        const roads = tn(
            cloak.segments.length,
            '{count} road',
            '{count} roads',
            count(cloak.segments.length),
        );
        const who =
            users === null
                ? null
                : tn(users, '{count} traveller', '{count} travellers', count(users));
        const name = t('Cloak {id}', { id: cloak.id.slice(0, 4) });
        return `${name}: ${[roads, who].filter((words) => words !== null).join(', ')}`;
    }

    private factsOf(cloak: SeenCloak): CloakFacts {
        const members = this.session.fleet?.members(cloak.id).length ?? 0;
        const own = ownQueries(this.session).has(cloak.id) ? 1 : 0;
        // Whoever asked here knows of itself alone, unless it is a demo.
        const users = members > 0 ? members + own : null;
        const isSeen = this.session.cloaks.get(cloak.id) !== undefined;
        const time = isSeen ? new Date(performance.timeOrigin + cloak.seenAt) : null;
        return { users, time };
    }

    private saveGeoJson(): void {
        const { cloak } = this.selection;
        if (!cloak) return;
        const text = JSON.stringify(cloakGeoJson(this.session.map, cloak, this.factsOf(cloak)));
        saveFile(`cloak-${cloak.id}.geojson`, new Blob([text], { type: 'application/geo+json' }));
    }

    private savePicture(): void {
        const { cloak } = this.selection;
        if (!cloak) return;
        const { map, about } = this.session;
        const { time } = this.factsOf(cloak);
        const when = time ? `, ${time.toISOString().slice(0, 19).replace('T', ' ')} UTC` : '';
        const picture = cloakPicture(map, this.parts.grid, this.parts.layer, cloak, {
            title: `${this.inWords(cloak)}${when}`,
            source: t('StarCloak {version}, map {checksum}', {
                version: about.version,
                checksum: map.checksum,
            }),
        });
        picture?.toBlob((blob) => {
            if (blob) saveFile(`cloak-${cloak.id}.png`, blob);
        });
    }
}
