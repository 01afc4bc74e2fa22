// The chosen cloak, on the provider's map: what it is, what can be done with it, and how to let go of it.
import { ownQueries } from '../ask/own_queries';
import type { CloaksLayer } from '../cloaks/cloaks_layer';
import { make, setText } from '../dom';
import type { Grid } from '../map/grid';
import type { SeenCloak, Session } from '../state/model';
import { t, tn } from '../text/language';
import { counted } from '../text/measures';
import { count } from '../text/words';
import { type CloakFacts, cloakGeoJson, cloakPicture, saveFile } from './cloak_export';
import { copyText } from './copy_text';
import type { Selection } from './selection';

/** Milliseconds for which it is said that the link was copied. */
const COPIED_MS = 2500;

export interface CardParts {
    layer: CloaksLayer;
    grid: () => Grid;
    /** Null where nothing is attacked. */
    attack: (() => void) | null;
    /** The address of this page with the chosen cloak in it. */
    link: () => string;
    /** Where the keyboard goes when the card is gone. */
    letGo: () => void;
}

export class ChosenCloak {
    readonly element: HTMLElement;
    private readonly words = make('p', { role: 'status' });
    private readonly known = make('p', { class: 'hint', 'data-testid': 'chosen-known' });
    private readonly copier: HTMLButtonElement;
    private copied: ReturnType<typeof setTimeout> | undefined;

    constructor(
        private readonly session: Session,
        private readonly selection: Selection,
        private readonly parts: CardParts,
    ) {
        const button = (name: string, label: string, title: string, act: () => void) =>
            make('button', { type: 'button', 'data-testid': name, title, onclick: act }, label);
        const { attack } = parts;
        this.copier = button(
            'chosen-link',
            t('Copy link'),
            t('The address of this page with this cloak and what is seen, for somebody else'),
            () => void this.copyLink(),
        );
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
            this.known,
            make(
                'div',
                { class: 'chosen-actions' },
                attack &&
                    button('chosen-attack', t('Attack it'), t('What an adversary learns'), attack),
                this.copier,
                button('chosen-png', 'PNG', t('Save it as a picture'), () => this.savePicture()),
                button('chosen-geojson', 'GeoJSON', t('Save its roads for map programs'), () =>
                    this.saveGeoJson(),
                ),
            ),
            make(
                'button',
                {
                    type: 'button',
                    class: 'quiet close',
                    title: t('Let go of the cloak (Escape): none is chosen then'),
                    'data-testid': 'chosen-close',
                    onclick: () => parts.letGo(),
                },
                t('Let go'),
                make('span', { 'aria-hidden': 'true' }, ' ×'),
            ),
        );
        selection.changed.on(() => this.show());
        // Travellers are told that they were answered a moment after their cloak was seen.
        session.fleet?.ended.on(({ cloak }) => {
            if (cloak !== undefined && cloak === selection.cloak?.id) this.show();
        });
    }

    /** CSS pixels of the map, from its top, that the card covers; 0 if it is not seen. */
    get bottom(): number {
        const { offsetParent, offsetTop, offsetHeight } = this.element;
        return offsetParent ? offsetTop + offsetHeight : 0;
    }

    private show(): void {
        const { cloak } = this.selection;
        this.element.hidden = cloak === null;
        if (this.copied !== undefined) this.nameCopier();
        setText(this.words, cloak ? roadWords(cloak) : '');
        const { users } = cloak ? this.factsOf(cloak) : { users: null };
        this.known.hidden = users === null;
        if (users !== null) setText(this.known, knownWords(users));
    }

    private async copyLink(): Promise<void> {
        const isCopied = await copyText(this.parts.link());
        clearTimeout(this.copied);
        setText(this.copier, isCopied ? t('Copied') : t('Not copied'));
        this.copied = setTimeout(() => this.nameCopier(), COPIED_MS);
    }

    private nameCopier(): void {
        clearTimeout(this.copied);
        this.copied = undefined;
        setText(this.copier, t('Copy link'));
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
        const { time, users } = this.factsOf(cloak);
        const who = users === null ? null : counted(users, 'traveller');
        const when = time ? `, ${time.toISOString().slice(0, 19).replace('T', ' ')} UTC` : '';
        const picture = cloakPicture(map, this.parts.grid, this.parts.layer, cloak, {
            title: `${[roadWords(cloak), who].filter((words) => words !== null).join(', ')}${when}`,
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

/** "Cloak 9f86: 12 roads" */
function roadWords({ id, segments }: SeenCloak): string {
    const name = t('Cloak {id}', { id: id.slice(0, 4) });
    return `${name}: ${counted(segments.length, 'road')}`;
}

/** On the provider's map: so it is said that this is not the provider's knowledge. */
function knownWords(users: number): string {
    return tn(
        users,
        'One traveller is in it: this demo knows that, the provider is not told.',
        '{count} travellers are in it: this demo knows that, the provider is not told.',
        count(users),
    );
}
