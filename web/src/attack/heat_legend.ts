// What the colours of a heat map mean.
import { fill, make } from '../dom';
import { t } from '../text/language';
import { percent } from '../text/measures';
import { HEAT_STEPS } from './heat';

export class HeatLegend {
    readonly element = make('div', { class: 'heat-legend', hidden: true });

    /** @param most  the end of the scale */
    show(most: number, isTruthMarked: boolean): void {
        const steps = Array.from({ length: HEAT_STEPS }, (_, step) =>
            make('span', { class: `heat heat-${step}` }),
        );
        fill(
            this.element,
            make('span', {}, t('Suspicion per road:')),
            // In one piece: it means nothing on two lines.
            make(
                'span',
                { class: 'heat-scale' },
                percent(0),
                make('span', { class: 'heat-steps', 'aria-hidden': 'true' }, ...steps),
                percent(most),
            ),
            isTruthMarked &&
                make(
                    'span',
                    { class: 'truth-key' },
                    make('span', { class: 'ring', 'aria-hidden': 'true' }),
                    t('the truth'),
                ),
        );
        this.element.hidden = false;
    }
}
