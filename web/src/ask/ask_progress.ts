// The journey of one question, step by step: it waits, finds company, becomes a cloak, is answered.
//
// What changes is said in a live region, once per step; the clock beside it is for the eye alone, or a
// reader would hear every tick.
import { make, setText } from '../dom';
import { t } from '../text/language';
import { seconds } from '../text/measures';
import type { AskPhase } from './ask_phases';
import { STEPS, stepStates, stepWords } from './ask_steps';

/** Milliseconds between two looks at the clock. */
const TICK_MS = 100;

export class AskProgress {
    readonly element: HTMLElement;
    private readonly steps = STEPS.map((step) =>
        make('li', { 'data-step': step, 'data-state': 'todo' }, stepWords(step)),
    );
    private readonly list: HTMLElement;
    private readonly bar = make('span', { class: 'bar-fill' });
    private readonly left = make('span', { class: 'left' });
    private readonly clock: HTMLElement;
    private readonly state = make('p', {
        class: 'state',
        role: 'status',
        'aria-live': 'polite',
        'data-testid': 'ask-state',
    });
    private timer: ReturnType<typeof setInterval> | undefined;

    constructor() {
        this.list = make(
            'ol',
            { class: 'steps', 'aria-label': t('Your question'), hidden: true },
            ...this.steps,
        );
        this.clock = make(
            'div',
            { class: 'clock', hidden: true },
            make('span', { class: 'bar', 'aria-hidden': 'true' }, this.bar),
            this.left,
        );
        this.element = make('div', { class: 'ask-progress' }, this.list, this.clock, this.state);
    }

    /** @param text  what it means, in a sentence */
    show(phase: AskPhase, text: string): void {
        this.stopClock();
        this.list.hidden = phase.name === 'withdrawn';
        stepStates(phase).forEach((state, i) => {
            const step = this.steps[i];
            step.dataset.state = state;
            if (state === 'now') step.setAttribute('aria-current', 'step');
            else step.removeAttribute('aria-current');
        });
        setText(this.state, text);
        if (phase.name === 'waiting') this.startClock(phase.question.profile.max_wait_s);
    }

    /** No question was asked, or its way does not matter any more. */
    reset(): void {
        this.stopClock();
        this.list.hidden = true;
        setText(this.state, '');
    }

    private startClock(maxWaitS: number): void {
        const from = performance.now();
        const tick = () => {
            const left = maxWaitS - (performance.now() - from) / 1000;
            this.bar.style.width = `${Math.max(0, Math.min(100, (100 * left) / maxWaitS))}%`;
            setText(
                this.left,
                left > 0 ? t('{time} left', { time: seconds(left) }) : t('almost there'),
            );
        };
        tick();
        this.timer = setInterval(tick, TICK_MS);
        this.clock.hidden = false;
    }

    private stopClock(): void {
        clearInterval(this.timer);
        this.clock.hidden = true;
    }
}
