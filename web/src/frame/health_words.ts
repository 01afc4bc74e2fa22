// The state of health in words: one or two for the sign beside the title, and a sentence with the time since.
import type { Condition, Health } from '../state/health';
import { t, tn } from '../text/language';
import { duration, percent } from '../text/measures';
import { count, upToOneDecimal } from '../text/words';

/** Beside the title. Without numbers: who listens is told when it changes, and not each second. */
export function healthSign({ ailment, level }: Condition): string {
    switch (ailment) {
        case null:
            return t('Live');
        case 'provider-away':
            return level === 'bad' ? t('Provider away') : t('Provider unsteady');
        case 'provider-refuses':
            return t('Provider refuses');
        case 'provider-untrue':
            return t('Provider not believed');
        case 'parts-unserved':
        case 'workers-missing':
            return t('Workers missing');
        case 'overloaded':
            return t('Overloaded');
        case 'failing':
            return t('Questions fail');
        case 'few-answered':
            return t('Few answered');
    }
}

/** "Provider away for 2 min: 72 questions a second fail." @param nowS  by the clock of its rows */
export function healthSentence(health: Health, nowS: number): string {
    const lasted = duration(Math.max(0, nowS - health.sinceS));
    const time = health.isLonger ? t('more than {time}', { time: lasted }) : lasted;
    const fail = failWords(health);
    switch (health.ailment) {
        case null:
            return '';
        case 'provider-away':
            return health.level === 'bad'
                ? t('Provider away for {time}: {fail}', { time, fail })
                : t('Provider unsteady for {time}: {fail}', { time, fail });
        case 'provider-refuses':
            return t('Provider refuses to answer for {time}: {fail}', { time, fail });
        case 'provider-untrue':
            return t('Provider sends what cannot be true for {time}: {fail}', { time, fail });
        case 'parts-unserved':
            return tn(
                health.missing,
                '{count} part of the map has had no worker for {time}: questions there wait in vain.',
                '{count} parts of the map have had no worker for {time}: questions there wait in vain.',
                count(health.missing),
                { time },
            );
        case 'workers-missing':
            return tn(
                health.missing,
                '{count} worker missing for {time}: the others serve its parts.',
                '{count} workers missing for {time}: the others serve their parts.',
                count(health.missing),
                { time },
            );
        case 'overloaded':
            return t('Service overloaded for {time}: {fail}', { time, fail });
        case 'failing':
            return t('Questions have failed for {time}: {fail}', { time, fail });
        case 'few-answered':
            return t('Only {share} answered for {time}: the others find no company in time.', {
                share: percent(health.answered),
                time,
            });
    }
}

/** What that does to those who ask: so many a second, or so large a part of them. */
function failWords({ level, perSecond, share }: Condition): string {
    if (level === 'warn') return t('{share} of the questions fail.', { share: percent(share) });
    if (perSecond < 0.05) return t('questions that find company fail.');
    const rate = perSecond < 9.95 ? upToOneDecimal(perSecond) : count(perSecond);
    return t('{rate} questions a second fail.', { rate });
}
