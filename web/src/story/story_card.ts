// Where the story is read, above the maps, and the buttons to pause it, to step through it and to leave it.
//
// It starts by itself for who is new here, and never again on this machine unless it is asked for. What it says is
// announced politely; where motion is unwelcome it waits to be stepped.
import { fill, make, setText } from '../dom';
import { recall, remember } from '../frame/memory';
import { t } from '../text/language';
import type { Player } from './player';
import type { Story } from './story';
import './story.css';

/** Scenes of a story in which company comes at once. */
const SCENES = 8;

export class StoryCard {
    readonly element: HTMLElement;
    /** Starts it again. */
    readonly opener: HTMLButtonElement;
    onStart: () => void = () => {};
    /** The story was left, or has come to its end. */
    onEnd: () => void = () => {};
    private readonly title = make('h2');
    private readonly text = make('p', { 'data-testid': 'story-text' });
    private readonly bar = make('span', { class: 'bar-fill' });
    private readonly back: HTMLButtonElement;
    private readonly pause: HTMLButtonElement;
    private readonly next: HTMLButtonElement;
    private readonly leave: HTMLButtonElement;
    private player: Player | null = null;

    constructor(private readonly story: Story) {
        const button = (name: string, label: string, act: () => void) =>
            make('button', { type: 'button', 'data-testid': name, onclick: act }, label);
        this.back = button('story-back', t('Back'), () => this.player?.back());
        this.pause = button('story-pause', t('Pause'), () => {
            if (this.player?.isPaused) this.player.play();
            else this.player?.pause();
        });
        this.next = button('story-next', t('Next'), () => this.player?.next());
        this.leave = button('story-skip', t('Skip'), () => this.end());
        this.element = make(
            'section',
            {
                class: 'story',
                id: 'story',
                'aria-label': t('How it works, with one question'),
                tabindex: -1,
                hidden: true,
                'data-testid': 'story',
            },
            make('span', { class: 'bar', 'aria-hidden': 'true' }, this.bar),
            make('div', { class: 'story-words', role: 'status' }, this.title, this.text),
            make('div', { class: 'story-actions' }, this.back, this.pause, this.next, this.leave),
        );
        this.element.addEventListener('keydown', (event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            this.end();
        });
        this.opener = make(
            'button',
            {
                type: 'button',
                class: 'quiet',
                'aria-controls': 'story',
                'aria-expanded': 'false',
                'aria-label': t('What is this?'),
                'data-testid': 'welcome-open',
                onclick: () => {
                    if (this.player) this.end();
                    else {
                        this.start();
                        this.element.focus();
                    }
                },
            },
            make('span', {}, t('What is this')),
            '?',
        );
    }

    /** Whether it was told here before. */
    static get isKnown(): boolean {
        return recall('welcome') === 'read';
    }

    start(): void {
        this.onStart();
        this.player = this.story.start();
        this.player.changed.on(() => this.show());
        this.element.hidden = false;
        this.opener.setAttribute('aria-expanded', 'true');
        this.show();
    }

    end(): void {
        if (!this.player) return;
        // The buttons are gone then: the focus goes where the story can be started again.
        const hadFocus = this.element.contains(document.activeElement);
        this.story.stop();
        this.player = null;
        this.element.hidden = true;
        this.opener.setAttribute('aria-expanded', 'false');
        remember('welcome', 'read');
        if (hadFocus) this.opener.focus();
        this.onEnd();
    }

    private show(): void {
        const { player } = this;
        if (!player) return;
        const { scene, index, isLast, isPaused, hasNext } = player;
        setText(this.title, scene?.title ?? '');
        setText(this.text, scene?.text ?? '');
        this.element.dataset.scene = String(index);
        this.bar.style.width = `${isLast ? 100 : Math.min(95, (100 * (index + 1)) / SCENES)}%`;
        this.back.disabled = index <= 0;
        this.pause.hidden = isLast;
        setText(this.pause, isPaused ? t('Go on') : t('Pause'));
        // Without a next scene it is remembered that one wants it: it comes as soon as it can.
        this.next.hidden = isLast;
        this.next.classList.toggle('is-waiting', !hasNext);
        fill(this.leave, isLast ? t('Close') : t('Skip'));
        this.leave.classList.toggle('primary', isLast);
    }
}
