// What the methods that make cloaks are called. StarCloak's engines are variants of one method.
import { t } from '../text/language';
import { capital } from '../text/words';

const STARCLOAK: readonly string[] = ['basic', 'bounded', 'hybrid', 'patient'];

export function isStarCloak(engine: string): boolean {
    return STARCLOAK.includes(engine);
}

/** "StarCloak", "XStar": the method that an engine is of. */
export function methodName(engine: string): string {
    if (isStarCloak(engine)) return 'StarCloak';
    if (engine === 'xstar') return 'XStar';
    if (engine === 'expansion') return t('Network expansion');
    if (engine === 'sampling') return t('Random sampling');
    return capital(engine);
}

/** "Hybrid", "XStar": the engine itself. */
export function engineName(engine: string): string {
    return isStarCloak(engine) ? capital(engine) : methodName(engine);
}

/** "StarCloak (hybrid)", "XStar": the method, and which of its engines if it has several. */
export function methodAndEngine(engine: string): string {
    const method = methodName(engine);
    return isStarCloak(engine) ? `${method} (${engine})` : method;
}

/** What a cloak is compared with: another method than the one that made it. */
export function comparedWith(engine: string): string {
    return engine === 'expansion' ? 'basic' : 'expansion';
}
