// The journey of one question, step by step: it waits, finds company, becomes a cloak, is answered.
//
// What changes is said in a live region, once per step; the clock beside it is for the eye alone, or a
// reader would hear every tick.
import { fill, make, setText } from '../dom';
import { counted, seconds } from '../text/measures';

const STEPS = ['waits', 'finds company', 'becomes a cloak', 'is answered'] as const;

type StepState = 'todo' | 'now' | 'done' | 'failed';

/** Milliseconds between two looks at the clock. */
const TICK_MS = 100;

export class AskProgress {
    readonly element: HTMLElement;
    private readonly steps: HTMLLIElement[];
    private readonly bar: HTMLElement;
    private readonly left = make('span', { class: 'left' });
    private readonly others = make('p', { class: 'others', 'data-testid': 'ask-others' });
    private readonly clock: HTMLElement;
    private readonly state = make('p', {
        class: 'state',
        role: 'status',
        'aria-live': 'polite',
        'data-testid': 'ask-state',
    });
    private timer: ReturnType<typeof setInterval> | undefined;

    constructor() {
        this.steps = STEPS.map((step) => make('li', { 'data-state': 'todo' }, step));
        this.bar = make('span', { class: 'bar-fill' });
        this.clock = make(
            'div',
            { class: 'clock', hidden: true },
            make('span', { class: 'bar', 'aria-hidden': 'true' }, this.bar),
            this.left,
        );
        this.element = make(
            'div',
            { class: 'ask-progress' },
            make('ol', { class: 'steps', 'aria-label': 'Your question' }, ...this.steps),
            this.clock,
            this.others,
            this.state,
        );
    }

    /**
     * The question waits from now on.
     *
     * @param othersNear  how many others wait within reach; null where nobody may know
     */
    wait(maxWaitS: number, othersNear: () => number | null): void {
        const from = performance.now();
        this.mark(0, 'now');
        this.say('Your question waits for company.');
        const tick = () => {
            const left = maxWaitS - (performance.now() - from) / 1000;
            this.bar.style.width = `${Math.max(0, Math.min(100, (100 * left) / maxWaitS))}%`;
            setText(this.left, left > 0 ? `${seconds(left)} left` : 'almost there');
            const others = othersNear();
            setText(
                this.others,
                others === null ? '' : `${counted(others, 'other')} waiting within your reach`,
            );
        };
        this.stopClock();
        tick();
        this.timer = setInterval(tick, TICK_MS);
        this.clock.hidden = false;
    }

    /** Step `index` is reached, those before it are done; the last one is then done, too. */
    reach(index: number, text: string): void {
        this.stopClock();
        this.mark(index, index === STEPS.length - 1 ? 'done' : 'now');
        this.say(text);
    }

    /** It went wrong at step `index`. */
    fail(index: number, text: string): void {
        this.stopClock();
        this.mark(index, 'failed');
        this.say(text);
    }

    reset(text = ''): void {
        this.stopClock();
        for (const step of this.steps) setStep(step, 'todo');
        this.say(text);
    }

    private say(text: string): void {
        setText(this.state, text);
    }

    private mark(index: number, state: StepState): void {
        this.steps.forEach((step, i) => {
            setStep(step, i < index ? 'done' : i === index ? state : 'todo');
        });
    }

    private stopClock(): void {
        clearInterval(this.timer);
        this.clock.hidden = true;
        fill(this.others);
    }
}

function setStep(step: HTMLLIElement, state: StepState): void {
    step.dataset.state = state;
    if (state === 'now') step.setAttribute('aria-current', 'step');
    else step.removeAttribute('aria-current');
}
