// The controls of a recorded run: play and pause, how fast, and a slider for the time.
//
// While the slider is held it stays where the hand is; the record jumps when it is let go of. By keyboard each step is
// a jump.
import './replay.css';
import { Refusal, Unreachable } from '../api/fetch';
import type { ReplayChange } from '../api/types';
import { fill, freshId, make, setText } from '../dom';
import { t } from '../text/language';
import { compact } from '../text/words';
import { clockWords, type Replay, speedsWith } from './replay';

const SHOWN_EVERY_MS = 250;

export class ReplayBar {
    readonly element: HTMLElement;
    private readonly play: HTMLButtonElement;
    private readonly slider: HTMLInputElement;
    private readonly speed: HTMLSelectElement;
    private readonly time = make('output', { class: 'replay-time', 'data-testid': 'replay-time' });
    private readonly said = make('p', { class: 'hint', role: 'status' });
    private isHeld = false;

    constructor(private readonly replay: Replay) {
        this.play = make('button', {
            type: 'button',
            class: 'primary',
            disabled: true,
            'data-testid': 'replay-play',
            onclick: () => void this.control({ paused: !this.replay.state?.is_paused }),
        });
        this.slider = make('input', {
            type: 'range',
            class: 'replay-slider',
            id: freshId('replay'),
            min: 0,
            max: 1,
            step: 1,
            value: 0,
            disabled: true,
            'aria-label': t('Time of the record'),
            'data-testid': 'replay-slider',
            oninput: () => {
                this.isHeld = true;
                this.showTime(this.slider.valueAsNumber);
            },
            onchange: () => {
                this.isHeld = false;
                void this.control({ t: this.slider.valueAsNumber });
            },
        });
        this.speed = make('select', {
            id: freshId('replay-speed'),
            disabled: true,
            'data-testid': 'replay-speed',
            onchange: () => void this.control({ speed: Number(this.speed.value) }),
        });
        this.element = make(
            'section',
            { class: 'replay', 'aria-label': t('Recorded run'), 'data-testid': 'replay' },
            this.play,
            this.slider,
            this.time,
            make(
                'span',
                { class: 'replay-speed' },
                make('label', { for: this.speed.id }, t('Speed')),
                this.speed,
            ),
            this.said,
        );
        setText(this.play, t('Play'));
        replay.changed.on(() => this.show());
        setInterval(() => this.tick(), SHOWN_EVERY_MS);
        this.show();
    }

    private show(): void {
        const { state } = this.replay;
        if (!state) return;
        for (const control of [this.play, this.slider, this.speed]) control.disabled = false;
        setText(this.play, state.is_paused ? t('Play') : t('Pause'));
        this.element.dataset.paused = state.is_paused ? 'yes' : 'no';
        this.slider.min = String(Math.floor(state.begin));
        this.slider.max = String(Math.ceil(state.end));
        if (this.speed.value !== String(state.speed)) {
            fill(
                this.speed,
                ...speedsWith(state.speed).map((speed) =>
                    make('option', { value: speed }, `${compact(speed)} ×`),
                ),
            );
            this.speed.value = String(state.speed);
        }
        this.tick();
    }

    private tick(): void {
        if (!this.replay.state || this.isHeld || document.hidden) return;
        const now = this.replay.timeAt(performance.now());
        this.slider.value = String(Math.round(now));
        this.showTime(now);
    }

    private showTime(seconds: number): void {
        const { state } = this.replay;
        if (!state) return;
        const now = clockWords(seconds - state.begin);
        const whole = clockWords(state.end - state.begin);
        setText(this.time, `${now} / ${whole}`);
        const words = t('{now} of {whole}', { now, whole });
        if (this.slider.getAttribute('aria-valuetext') !== words)
            this.slider.setAttribute('aria-valuetext', words);
    }

    private async control(change: ReplayChange): Promise<void> {
        setText(this.said, '');
        try {
            await this.replay.control(change);
        } catch (error) {
            if (!(error instanceof Refusal || error instanceof Unreachable)) throw error;
            setText(this.said, error.message);
        }
    }
}
