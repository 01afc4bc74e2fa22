// What the signs on a map mean: opened on demand, over the map, with the very shapes that are drawn there.

import { drawPin } from '../ask/pins';
import { CLOAK_COLOURS } from '../cloaks/cloaks_layer';
import { make } from '../dom';
import { colourOf, drawMark } from '../map/draw';
import type { DrawingContext } from '../map/layer';
import { traceArrow } from '../map/one_way';
import { mapTheme, onThemeChange } from '../map/theme_colours';
import { t } from '../text/language';
import {
    drawAnswered,
    drawInVain,
    drawWaiting,
    newPaths,
    traceWaiting,
} from '../travellers/query_signs';
import { URGENCIES, type Urgency } from '../travellers/urgency';

export interface Sign {
    text(): string;
    /** In the middle of a small picture, CSS pixels. */
    draw(context: DrawingContext, x: number, y: number): void;
}

/** CSS pixels. */
const WIDTH = 34;
const HEIGHT = 26;

const URGENCY: Record<Urgency, { left: number; text: () => string }> = {
    calm: { left: 0.8, text: () => t('asks, and has more than half of its time left') },
    waiting: { left: 0.4, text: () => t('less than half of its time left') },
    urgent: { left: 0.15, text: () => t('less than a fifth left') },
};

const MOVER: Sign = {
    text: () => t('a traveller on its way; from afar not all are drawn'),
    draw: (context, x, y) => {
        context.fillStyle = mapTheme().mover;
        context.beginPath();
        context.arc(x, y, 3, 0, 2 * Math.PI);
        context.fill();
    },
};

const WAITING: Sign[] = URGENCIES.map((urgency) => ({
    text: URGENCY[urgency].text,
    draw: (context, x, y) => {
        const paths = newPaths();
        traceWaiting(paths, { urgency, left: URGENCY[urgency].left }, x, y, 1);
        drawWaiting(context, paths, mapTheme()[urgency], 1);
    },
}));

const ENDS: Sign[] = [
    {
        text: () => t('a ring that opens: answered'),
        draw: (context, x, y) => {
            context.strokeStyle = mapTheme().answer;
            drawAnswered(context, x, y, 0.3, 1);
        },
    },
    {
        text: () => t('no cloak in time: nothing was sent'),
        draw: (context, x, y) => {
            context.strokeStyle = mapTheme().urgent;
            drawInVain(context, x, y, 0, 1);
        },
    },
];

const ONE_WAY: Sign = {
    text: () => t('a one-way road; seen from near'),
    draw: (context, x, y) => {
        const { local, inside, oneWay } = mapTheme();
        drawRoad(context, x, y, local, 11, 1);
        drawRoad(context, x, y, inside, 9, 1);
        context.fillStyle = oneWay;
        context.beginPath();
        traceArrow(context, { x, y, dx: 1, dy: 0 });
        context.fill();
    },
};

/** What whoever asks on this page sees of it. */
const OWN: Sign[] = [
    {
        text: () => t('you, on your road, and the roads that your cloak may reach'),
        draw: (context, x, y) => {
            const you = colourOf('--map-you');
            drawRoad(context, x, y, you, 9, 0.2);
            drawMark(context, { x, y }, you);
        },
    },
    {
        text: () => t('your answer: 1 is the nearest; beyond fifty, dots'),
        draw: (context, x, y) => {
            const colours = { pin: colourOf('--map-answer'), paper: colourOf('--surface') };
            drawPin(context, { x, y: y + 11 }, { x: 0, y: -12 }, '1', colours);
        },
    },
];

const COMPANION: Sign = {
    text: () => t('who is hidden with you, where it asked'),
    draw: (context, x, y) => {
        context.strokeStyle = colourOf('--map-cloak');
        context.lineWidth = 2;
        context.beginPath();
        context.moveTo(x - 15, y);
        context.lineTo(x + 4, y);
        context.moveTo(x + 13, y);
        context.arc(x + 4, y, 9, 0, 2 * Math.PI);
        context.stroke();
    },
};

const CLOAKS: Sign = {
    text: () => t('the roads of a cloak, each in a colour of its own; it fades after it has left'),
    draw: (context, x, y) => {
        const theme = mapTheme();
        for (const [i, colour] of CLOAK_COLOURS.slice(0, 3).entries()) {
            drawRoad(context, x, y + 7 * (i - 1), theme[colour], 7, 0.2);
            drawRoad(context, x, y + 7 * (i - 1), theme[colour], 2.2, 1);
        }
    },
};

const OWN_CLOAK: Sign = {
    text: () => t('your own cloak'),
    draw: (context, x, y) => {
        drawRoad(context, x, y, colourOf('--map-you'), 9, 1);
        drawRoad(context, x, y, mapTheme().cloak, 5, 1);
    },
};

const CHOSEN_CLOAK: Sign = {
    text: () => t('the selected cloak, and its crossings that lead out'),
    draw: (context, x, y) => {
        const { selected, ground } = mapTheme();
        drawRoad(context, x, y, selected, 11, 0.22);
        drawRoad(context, x, y, selected, 3.5, 1);
        context.globalAlpha = 1;
        context.fillStyle = ground;
        context.lineWidth = 1.8;
        for (const end of [x - 10, x + 10]) {
            context.beginPath();
            context.arc(end, y, 4, 0, 2 * Math.PI);
            context.fill();
            context.stroke();
        }
    },
};

/** What there is on the page, of which the signs depend. */
export interface Drawn {
    /** The map with the travellers, beside the provider's. */
    hasTravellers: boolean;
    /** Questions can be asked on the page. */
    isAsking: boolean;
    hasOneWay: boolean;
}

/** One's own place and answer are on the travellers' map, or on the provider's if it is the only one. */
export function signsOf(pane: 'travellers' | 'provider', drawn: Drawn): Sign[] {
    const { hasTravellers, isAsking, hasOneWay } = drawn;
    const isOwn = isAsking && (pane === 'travellers') === hasTravellers;
    const here =
        pane === 'travellers'
            ? [MOVER, ...WAITING, ...ENDS, ...(isAsking ? [COMPANION] : [])]
            : [CLOAKS, ...(isAsking ? [OWN_CLOAK] : []), CHOSEN_CLOAK];
    return [...here, ...(isOwn ? OWN : []), ...(hasOneWay ? [ONE_WAY] : [])];
}

export function makeSigns(signs: readonly Sign[], name: string): HTMLElement {
    const pictures = signs.map(() => make('canvas', { 'aria-hidden': 'true' }));
    const drawAll = () => {
        for (const [i, sign] of signs.entries()) drawSign(pictures[i], sign);
    };
    const details = make(
        'details',
        { class: 'signs', 'data-testid': `signs-${name}` },
        make('summary', {}, t('Signs')),
        make('ul', {}, ...signs.map(({ text }, i) => make('li', {}, pictures[i], text()))),
    );
    details.addEventListener('toggle', drawAll);
    details.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || !details.open) return;
        event.preventDefault();
        details.open = false;
        details.querySelector('summary')?.focus();
    });
    onThemeChange(drawAll);
    return details;
}

function drawSign(canvas: HTMLCanvasElement, { draw }: Sign): void {
    const ratio = devicePixelRatio;
    canvas.width = WIDTH * ratio;
    canvas.height = HEIGHT * ratio;
    canvas.style.width = `${WIDTH}px`;
    canvas.style.height = `${HEIGHT}px`;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.scale(ratio, ratio);
    draw(context, WIDTH / 2, HEIGHT / 2);
}

function drawRoad(
    context: DrawingContext,
    x: number,
    y: number,
    colour: string,
    width: number,
    alpha: number,
): void {
    context.globalAlpha = alpha;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineCap = 'round';
    context.beginPath();
    context.moveTo(x - 10, y);
    context.lineTo(x + 10, y);
    context.stroke();
    context.globalAlpha = 1;
}
