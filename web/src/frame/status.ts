// How it stands, in a line: whether the service is heard, and its counters in words.
//
// The banner is there only if something is wrong, in the header where it covers nothing, and says what is being done
// about it. Its countdown is for the eyes; those who listen are told once, by the state beside the title.
import { make, setText } from '../dom';
import type { CounterLog } from '../state/counters';
import type { Fleet, Link } from '../state/model';
import type { LiveSession } from '../state/session';
import { count } from '../text/words';
import { TokenField } from './token_field';

const BACK_AGAIN_MS = 4_000;

const STATES: Record<Link, string> = {
    connecting: 'Connecting',
    live: 'Live',
    lost: 'Does not answer',
    forbidden: 'Not shown',
};

const REFUSED: Record<number, string> = {
    401: 'This service shows what happens only to clients with a token.',
    403: 'This service shows what happens only on its own machine. Asking still works.',
    404: 'This service does not show what happens. Asking still works.',
};

/** More than this late is not live. */
const BEHIND_S = 3;

/** Whole seconds, of ten and more in steps of five: who listens need not hear each. 0 if it is not worth a word. */
export function behindShown(seconds: number): number {
    if (seconds <= BEHIND_S) return 0;
    return seconds < 10 ? Math.floor(seconds) : 5 * Math.floor(seconds / 5);
}

/** Beside the title: a word, and over a slow link how late the page is. */
export class LinkState {
    readonly element = make('p', {
        class: 'link-state',
        role: 'status',
        'data-testid': 'link-state',
    });

    constructor(private readonly session: LiveSession) {
        session.linkChanged.on(() => this.show());
        setInterval(() => this.show(), 1000);
        this.show();
    }

    private show(): void {
        const { link } = this.session;
        const late = this.session.behindS(performance.now() / 1000);
        const behind = link === 'live' ? behindShown(late) : 0;
        this.element.dataset.state = link;
        if (behind > 0) this.element.dataset.behind = String(behind);
        else delete this.element.dataset.behind;
        setText(this.element, behind > 0 ? `${behind} s behind` : STATES[link]);
    }
}

/** Only if something is wrong, and for a moment after. */
export class Banner {
    readonly element = make('div', { class: 'banner', hidden: true, 'data-testid': 'banner' });
    private readonly words = make('p');
    private readonly tryNow: HTMLButtonElement;
    private readonly token: TokenField;
    private shown: Link = 'connecting';
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly session: LiveSession) {
        this.tryNow = make(
            'button',
            { type: 'button', onclick: () => session.retryNow() },
            'Try now',
        );
        this.token = new TokenField('Show me', (token) => {
            session.token = token;
        });
        this.element.append(this.words, this.tryNow, this.token.element);
        session.linkChanged.on(() => this.update());
        this.update();
    }

    private update(): void {
        clearTimeout(this.timer);
        const { link, refused } = this.session.report;
        const wasLost = this.shown === 'lost';
        this.shown = link === 'connecting' && wasLost ? 'lost' : link;
        this.element.dataset.state = this.shown;
        this.tryNow.hidden = this.shown !== 'lost';
        this.token.element.hidden = refused !== 401;
        if (this.shown === 'lost') this.countDown();
        else if (link === 'forbidden') this.say(REFUSED[refused ?? 404]);
        else if (link === 'live' && wasLost) this.sayBriefly('Connected again.');
        else this.element.hidden = true;
    }

    private countDown(): void {
        const at = this.session.report.retryAt;
        const seconds = at === null ? 0 : Math.ceil((at - performance.now()) / 1000);
        this.say(
            seconds > 0
                ? `The service does not answer. Trying again in ${seconds} s.`
                : 'The service does not answer. Trying again.',
        );
        this.timer = setTimeout(() => this.countDown(), 250);
    }

    private sayBriefly(words: string): void {
        this.say(words);
        this.timer = setTimeout(() => {
            this.element.hidden = true;
        }, BACK_AGAIN_MS);
    }

    private say(words: string): void {
        setText(this.words, words);
        this.element.hidden = false;
    }
}

/** "12 wait, 103 answered, ..." */
export class LiveLine {
    readonly element = make('dl', {
        class: 'live-line',
        'aria-label': 'Since the service started',
    });
    private readonly numbers = new Map<string, HTMLElement>();

    constructor(
        private readonly counters: CounterLog,
        private readonly fleet: Fleet | null,
    ) {
        if (fleet) this.add('travellers', 'travellers');
        this.add('pending', 'wait');
        this.add('answered', 'answered');
        this.add('dropped', 'no cloak found');
        this.add('cloaks', 'cloaks sent');
        counters.changed.on(() => this.update());
        this.update();
    }

    private add(name: string, words: string): void {
        const number = make('dd', { 'data-testid': `counter-${name}` });
        this.numbers.set(name, number);
        this.element.append(make('div', {}, make('dt', {}, words), number));
    }

    private update(): void {
        const last = this.counters.last;
        const values: Record<string, number | undefined> = {
            travellers: this.fleet?.count,
            pending: last?.pending,
            answered: last?.answered,
            dropped: last?.dropped,
            cloaks: last?.cloaks,
        };
        for (const [name, element] of this.numbers) {
            const value = values[name];
            setText(element, value === undefined ? '–' : count(value));
        }
    }
}
