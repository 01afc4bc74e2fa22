// What an empty list of cloaks says.
import { expect, test } from 'vitest';
import { emptyWords } from '../../src/cloaks/cloak_list';

test('an empty list does not deny the cloaks that left before the page was opened', () => {
    expect(emptyWords(0)).toBe('No cloak has left yet.');
    expect(emptyWords(1)).toMatch(/^1 cloak left before this page was opened\./);
    expect(emptyWords(30_650)).toMatch(/^30,650 cloaks left before this page was opened\./);
});
