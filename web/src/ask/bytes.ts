// All that the provider learned of a cloak: the very bytes that went to it, and what they say.
//
// The explanation is read from the bytes (wire/compact.ts) and not from what the page knows otherwise.
// A built-in provider is sent no bytes; then it is shown what it is told instead.
import { fill, make } from '../dom';
import type { SeenCloak, Session } from '../state/model';
import { t } from '../text/language';
import { counted, listed } from '../text/measures';
import { type LengthUnit, lengthUnit, requestWords } from '../text/words';
import { type Piece, readRelay, type Said } from '../wire/compact';
import { hexOffset, hexRows, ROW } from '../wire/hex';

/** More bytes than one would read; GeoJSON of a large cloak has some hundred thousand. */
const SHOWN_MOST = 16_384;
/** So many lines are shown at once; more when they are asked for. */
const LINES_AT_ONCE = 60;
/** Tints for neighbouring pieces (ask.css). */
const TINTS = 4;

export class BytesView {
    readonly element = make('section', { class: 'bytes', 'data-testid': 'ask-bytes' });
    private stop: () => void = () => {};

    constructor(private readonly session: Session) {}

    /** @param cloak  undefined: it was not seen, since the page may not see cloaks */
    show(cloak: SeenCloak | undefined): void {
        this.stop();
        this.render(cloak);
        if (!cloak || cloak.sent || this.session.about.provider !== 'http') return;
        // What was sent is told a moment after the cloak.
        this.stop = this.session.cloaks.changed.on((changed) => {
            if (changed.id !== cloak.id || !changed.sent) return;
            this.stop();
            this.render(changed);
        });
    }

    clear(): void {
        this.stop();
        fill(this.element);
    }

    private render(cloak: SeenCloak | undefined): void {
        fill(this.element, make('h3', {}, t('What the provider was told')), ...this.content(cloak));
    }

    private content(cloak: SeenCloak | undefined): HTMLElement[] {
        if (!cloak) {
            return [
                make(
                    'p',
                    {},
                    t(
                        'This page was not shown the cloak: the operator decides who may see what leaves.',
                    ),
                ),
            ];
        }
        const unit = lengthUnit(this.session.map);
        if (cloak.sent) return sentContent(cloak.sent, unit);
        const { provider } = this.session.about;
        if (provider === 'built in') {
            return [
                make(
                    'p',
                    {},
                    t(
                        'The provider is built in, so no bytes leave the process. This is everything it learned:',
                    ),
                ),
                toldList(cloak, unit),
            ];
        }
        if (provider === 'points') {
            return [
                make(
                    'p',
                    {},
                    t(
                        'This provider does not know cloaks; it only answers "what is near a point?". It was asked at points all over these roads, none of which is yours:',
                    ),
                ),
                toldList(cloak, unit),
            ];
        }
        return [
            make('p', {}, t('The bytes have not arrived at this page yet.')),
            toldList(cloak, unit),
        ];
    }
}

function sentContent(
    { encoding, bytes }: NonNullable<SeenCloak['sent']>,
    unit: LengthUnit,
): HTMLElement[] {
    const pieces = encoding === 'compact' ? piecesOf(bytes) : [];
    const content: HTMLElement[] = [
        make(
            'p',
            { class: 'all-of-it' },
            make('strong', {}, t('This is everything the provider learned:')),
            ' ',
            t(
                '{bytes}, and when they came. No name, no position, no time of asking. How many asked shows only as far as their requests differ.',
                { bytes: counted(bytes.length, 'byte') },
            ),
        ),
    ];
    if (encoding === 'geojson') content.push(geojson(bytes));
    content.push(dump(bytes, pieces));
    if (pieces.length > 0) content.push(pieceList(pieces, unit));
    return content;
}

/** None if the bytes cannot be read: they are shown all the same. */
function piecesOf(bytes: Uint8Array): Piece[] {
    try {
        return readRelay(bytes).pieces;
    } catch {
        return [];
    }
}

function pieceList(pieces: Piece[], unit: LengthUnit): HTMLElement {
    const rows = pieces.map((piece, i) =>
        make(
            'div',
            { class: 'piece' },
            make(
                'dt',
                {},
                make('span', { class: `tint tint-${i % TINTS}` }, fieldWords(piece.said)),
            ),
            make(
                'dd',
                {},
                `${inWords(piece.said, unit)} (${counted(piece.to - piece.from, 'byte')})`,
            ),
        ),
    );
    return make('dl', { class: 'pieces' }, ...rows);
}

function fieldWords({ field }: Said): string {
    switch (field) {
        case 'map':
            return t('map');
        case 'segments':
            return t('segments');
        case 'border nodes':
            return t('border nodes');
        case 'request':
            return t('request');
        case 'version':
            return t('version');
        case 'unknown':
            return t('unknown');
    }
}

function inWords(said: Said, unit: LengthUnit): string {
    switch (said.field) {
        case 'map':
            return t('checksum {checksum}: which map the numbers are of', {
                checksum: said.checksum,
            });
        case 'segments':
            return t('roads of the cloak: {listed}', { listed: listed(said.values) });
        case 'border nodes':
            return t('crossings that lead out: {listed}', { listed: listed(said.values) });
        case 'request':
            return requestWords(said.request, unit);
        case 'version':
            return t('version {version} of the protocol', { version: said.version });
        case 'unknown':
            return t('field {number}, which this page does not know', { number: said.number });
    }
}

function toldList(cloak: SeenCloak, unit: LengthUnit): HTMLElement {
    const said: Said[] = [
        { field: 'segments', values: cloak.segments },
        { field: 'border nodes', values: cloak.border_nodes },
        ...cloak.requests.map((request): Said => ({ field: 'request', request })),
    ];
    const rows = said.map((one) =>
        make(
            'div',
            { class: 'piece' },
            make('dt', {}, fieldWords(one)),
            make('dd', {}, inWords(one, unit)),
        ),
    );
    return make('dl', { class: 'pieces' }, ...rows);
}

/** Pretty, as far as it is JSON. */
function geojson(bytes: Uint8Array): HTMLElement {
    const text = new TextDecoder().decode(bytes);
    let pretty = text;
    try {
        pretty = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
        // Then it is shown as it came.
    }
    return opened(t('As GeoJSON'), pretty.split('\n').length, shortened(pretty));
}

function dump(bytes: Uint8Array, pieces: Piece[]): HTMLElement {
    const rows = hexRows(bytes.subarray(0, SHOWN_MOST)).map((row) => {
        const cells = row.bytes.map((byte) => {
            const piece = pieces.findIndex(({ from, to }) => byte.at >= from && byte.at < to);
            return make(
                'span',
                { class: piece < 0 ? undefined : `tint-${piece % TINTS}` },
                byte.hex,
            );
        });
        const hex = cells.flatMap((cell) => [cell, ' ']);
        const letters = row.bytes.map((byte) => byte.letter).join('');
        const missing = '   '.repeat(ROW - row.bytes.length);
        return make(
            'span',
            { class: 'hex-row' },
            make('span', { class: 'offset' }, hexOffset(row.offset)),
            '  ',
            ...hex,
            `${missing} |${letters}|\n`,
        );
    });
    const rest = bytes.length - SHOWN_MOST;
    if (rest > 0)
        rows.push(make('span', {}, t('... and {more}', { more: counted(rest, 'more byte') })));
    return opened(t('Byte by byte'), rows.length, ...rows);
}

function opened(title: string, lines: number, ...content: (Node | string)[]): HTMLElement {
    // Whoever uses the keyboard scrolls it sideways, too.
    const text = make('pre', { tabindex: 0, role: 'region', 'aria-label': title }, ...content);
    return make('details', { open: lines <= LINES_AT_ONCE }, make('summary', {}, title), text);
}

function shortened(text: string): string {
    if (text.length <= SHOWN_MOST) return text;
    const more = counted(text.length - SHOWN_MOST, 'more letter');
    return `${text.slice(0, SHOWN_MOST)}\n${t('... and {more}', { more })}`;
}
