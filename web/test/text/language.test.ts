import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { german } from '../../src/text/german';
import { chooseLanguage, t, tn, useLanguage } from '../../src/text/language';

afterEach(() => useLanguage('en'));

test('the address decides, then what was chosen last, then the browser', () => {
    expect(chooseLanguage('?lang=de', 'en', ['en-GB'])).toBe('de');
    expect(chooseLanguage('', 'de', ['en-GB'])).toBe('de');
    expect(chooseLanguage('', null, ['fr-FR', 'de-CH', 'en'])).toBe('de');
    expect(chooseLanguage('?lang=xx', null, ['de'])).toBe('de');
    expect(chooseLanguage('', null, ['fr'])).toBe('en');
});

test('values take the place of their names; a name without a value stays', () => {
    expect(t('{a} of {b}', { a: 1, b: 'x' })).toBe('1 of x');
    expect(t('{a}')).toBe('{a}');
    expect(tn(1, '{count} road', '{count} roads', '1')).toBe('1 road');
    expect(tn(1200, '{count} road', '{count} roads', '1,200')).toBe('1,200 roads');
});

test('a text without a translation is shown as it is', () => {
    useLanguage('de');
    expect(t('no such text')).toBe('no such text');
});

/** The texts that files ask for: the first strings of t('...') and both of tn(n, '...', '...'). */
function usedTexts(): Map<string, string> {
    const texts = new Map<string, string>();
    const literal = `('(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*")`;
    const folder = new URL('../../src', import.meta.url).pathname;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
        const source = readFileSync(join(folder, file), 'utf8');
        const found = [
            ...source.matchAll(new RegExp(`\\bt\\(\\s*${literal}`, 'g')),
            ...source.matchAll(
                new RegExp(`\\btn\\(\\s*[^'"]+?,\\s*${literal},\\s*${literal}`, 'g'),
            ),
        ];
        for (const match of found) {
            for (const text of match.slice(1)) {
                texts.set(
                    text.slice(1, -1).replace(/\\(.)/g, (_, c: string) => c),
                    file,
                );
            }
        }
    }
    return texts;
}

test('every text has a translation, with the same values', () => {
    const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    const missing = [...usedTexts()].filter(([text, file]) => {
        if (file.startsWith('text/language')) return false;
        const other = german.get(text);
        return other === undefined || names(other).join() !== names(text).join();
    });
    expect(missing).toEqual([]);
});

test('no translation is left of a text that is gone', () => {
    const used = usedTexts();
    expect([...german.keys()].filter((text) => !used.has(text))).toEqual([]);
});
