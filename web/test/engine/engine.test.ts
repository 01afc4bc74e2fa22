// Which engines are offered, and what methods are called.
import { describe, expect, it } from 'vitest';
import { isChoice } from '../../src/engine/engine_panel';
import { engineName, methodAndEngine, methodName } from '../../src/engine/method_names';

describe('the engine', () => {
    it('can be chosen where there are several, and the one that runs is among them', () => {
        expect(isChoice(['basic', 'bounded', 'hybrid'], 'hybrid')).toBe(true);
        expect(isChoice(['xstar'], 'xstar')).toBe(false);
        expect(isChoice(['basic', 'bounded', 'hybrid'], 'patient')).toBe(false);
        expect(isChoice([], 'basic')).toBe(false);
    });

    it('is called by its method, and StarCloak has several', () => {
        const engines = ['basic', 'patient', 'xstar', 'expansion', 'sampling'];
        expect(engines.map(methodName)).toEqual([
            'StarCloak',
            'StarCloak',
            'XStar',
            'Network expansion',
            'Random sampling',
        ]);
        expect(engines.map(engineName).slice(0, 3)).toEqual(['Basic', 'Patient', 'XStar']);
    });

    it('is called StarCloak only if it is one of its engines', () => {
        expect(['hybrid', 'xstar', 'expansion'].map(methodAndEngine)).toEqual([
            'StarCloak (hybrid)',
            'XStar',
            'Network expansion',
        ]);
    });
});
