// How it stands, in a line: whether the service is heard, whether it is well, and its counters in words.
//
// The banner is there only if something is wrong, in the header where it covers nothing, and says what, since when,
// and what is being done about it. Its numbers are for the eyes; those who listen are told once, by the state beside
// the title.
import './status.css';
import { make, setText } from '../dom';
import type { CounterLog } from '../state/counters';
import type { Health } from '../state/health';
import type { Fleet, Link } from '../state/model';
import type { LiveSession } from '../state/session';
import { t } from '../text/language';
import { count } from '../text/words';
import { healthSentence, healthSign } from './health_words';
import { TokenField } from './token_field';

const BACK_AGAIN_MS = 4_000;

function linkWords(link: Link): string {
    if (link === 'live') return t('Live');
    if (link === 'lost') return t('Does not answer');
    return link === 'forbidden' ? t('Not shown') : t('Connecting');
}

function refusedWords(status: number | null, wasTokenGiven: boolean): string {
    if (status === 401 && wasTokenGiven)
        return t(
            'The service does not accept this token: it may have expired, or be that of another service.',
        );
    if (status === 401) return t('This service shows what happens only to clients with a token.');
    if (status === 403)
        return t('This service shows what happens only on its own machine. Asking still works.');
    return t('This service does not show what happens. Asking still works.');
}

/** More than this late is not live. */
const BEHIND_S = 3;

/** Whole seconds, of ten and more in steps of five: who listens need not hear each. 0 if it is not worth a word. */
export function behindShown(seconds: number): number {
    if (seconds <= BEHIND_S) return 0;
    return seconds < 10 ? Math.floor(seconds) : 5 * Math.floor(seconds / 5);
}

/** Beside the title: a word on the connection and, while it is there, on the health of the service. */
export class LinkState {
    readonly element = make('p', {
        class: 'link-state',
        role: 'status',
        'data-testid': 'link-state',
    });

    constructor(private readonly session: LiveSession) {
        session.linkChanged.on(() => this.show());
        session.counters.changed.on(() => this.show());
        setInterval(() => this.show(), 1000);
        this.show();
    }

    private show(): void {
        const { link, replay, health } = this.session;
        const late = this.session.behindS(performance.now() / 1000);
        const behind = link === 'live' ? behindShown(late) : 0;
        const isHeard = link === 'live' && behind === 0;
        const { element } = this;
        element.dataset.state = link;
        setOrDelete(element, 'behind', behind > 0 ? String(behind) : null);
        if (isHeard && replay) {
            element.dataset.health = 'replay';
            setText(element, t('Record'));
        } else if (isHeard && health.now) {
            element.dataset.health = health.now.level;
            setText(element, healthSign(health.now));
        } else {
            delete element.dataset.health;
            setText(
                element,
                behind > 0 ? t('{seconds} s behind', { seconds: behind }) : linkWords(link),
            );
        }
    }
}

function setOrDelete(element: HTMLElement, name: string, value: string | null): void {
    if (value === null) delete element.dataset[name];
    else element.dataset[name] = value;
}

/** Only if something is wrong, and for a moment after. */
export class Banner {
    readonly element = make('div', { class: 'banner', hidden: true, 'data-testid': 'banner' });
    private readonly words = make('p');
    private readonly tryNow: HTMLButtonElement;
    private readonly token: TokenField;
    private shown: Link = 'connecting';
    private briefly: string | null = null;
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly session: LiveSession) {
        this.tryNow = make(
            'button',
            { type: 'button', onclick: () => session.retryNow() },
            t('Try now'),
        );
        this.token = new TokenField(t('Show me'), (token) => {
            session.token = token;
        });
        this.element.append(this.words, this.tryNow, this.token.element);
        session.linkChanged.on(() => this.update());
        session.counters.changed.on(() => {
            if (this.shown === 'live') this.showLive();
        });
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
        this.briefly = null;
        if (this.shown !== 'live') setOrDelete(this.element, 'health', null);
        if (this.shown === 'lost') this.countDown();
        else if (link === 'forbidden') this.say(refusedWords(refused, this.session.token !== null));
        else if (link === 'live') {
            if (wasLost) this.sayBriefly(t('Connected again.'));
            this.showLive();
        } else this.element.hidden = true;
    }

    /** It is heard: is it well? */
    private showLive(): void {
        const ill = this.ailment;
        setOrDelete(this.element, 'health', ill?.level ?? null);
        if (ill) this.say(healthSentence(ill, this.session.clockS()));
        else if (this.briefly !== null) this.say(this.briefly);
        else this.element.hidden = true;
    }

    /** Null if it is well; a record is not asked how it is. */
    private get ailment(): Health | null {
        const { health, replay } = this.session;
        return !replay && health.now && health.now.level !== 'good' ? health.now : null;
    }

    private countDown(): void {
        const at = this.session.report.retryAt;
        const seconds = at === null ? 0 : Math.ceil((at - performance.now()) / 1000);
        this.say(
            seconds > 0
                ? t('The service does not answer. Trying again in {seconds} s.', { seconds })
                : t('The service does not answer. Trying again.'),
        );
        this.timer = setTimeout(() => this.countDown(), 250);
    }

    private sayBriefly(words: string): void {
        this.briefly = words;
        this.timer = setTimeout(() => {
            this.briefly = null;
            this.showLive();
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
        'aria-label': t('Since the service started'),
    });
    private readonly numbers = new Map<string, HTMLElement>();

    constructor(
        private readonly counters: CounterLog,
        private readonly fleet: Fleet | null,
    ) {
        if (fleet) this.add('travellers', t('travellers'));
        this.add('pending', t('wait'));
        this.add('answered', t('answered'));
        this.add('dropped', t('no cloak found'));
        this.add('failed', t('failed'));
        this.add('cloaks', t('cloaks sent'));
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
            failed: last?.failed,
            cloaks: last?.cloaks,
        };
        for (const [name, element] of this.numbers) {
            const value = values[name];
            setText(element, value === undefined ? '–' : count(value));
            // Where nothing fails there is nothing to tell.
            if (name === 'failed' && element.parentElement) element.parentElement.hidden = !value;
        }
    }
}
