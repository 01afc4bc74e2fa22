// Server-sent events, cut in every way the network may cut them.
import { describe, expect, it } from 'vitest';
import { EventParser, type ServerEvent } from '../../src/api/sse';

function parse(...pieces: string[]): ServerEvent[] {
    const parser = new EventParser();
    return pieces.flatMap((piece) => parser.push(piece));
}

const FULL = [
    ': a comment\n',
    'event: counters\ndata: {"t":1}\n\n',
    'data:no space\r\ndata:  two spaces\r\n\r\n',
    'event: cloak\rdata: carriage\r\r',
    'id: 7\nretry: 1500\nnonsense\ndata\n\n',
    'event: nothing\n\n',
    'data: größe ≠ 0\n\n',
    'data: never finished\n',
].join('');

const EVENTS: ServerEvent[] = [
    { name: 'counters', data: '{"t":1}' },
    { name: 'message', data: 'no space\n two spaces' },
    { name: 'cloak', data: 'carriage' },
    { name: 'message', data: '' },
    { name: 'message', data: 'größe ≠ 0' },
];

describe('the event parser', () => {
    it('reads names, data of several lines, all line ends, and passes over comments', () => {
        expect(parse(FULL)).toEqual(EVENTS);
    });

    it('gives the same events wherever the text is cut in two', () => {
        for (let cut = 0; cut <= FULL.length; cut++) {
            expect(parse(FULL.slice(0, cut), FULL.slice(cut)), `cut at ${cut}`).toEqual(EVENTS);
        }
    });

    it('gives the same events letter by letter', () => {
        expect(parse(...FULL)).toEqual(EVENTS);
    });

    it('skips a byte order mark at the beginning and nowhere else', () => {
        expect(parse('\uFEFFdata: a\n\n', 'data: \uFEFFb\n\n')).toEqual([
            { name: 'message', data: 'a' },
            { name: 'message', data: '\uFEFFb' },
        ]);
        expect(parse('', '\uFEFF', 'data: a\n\n')).toEqual([{ name: 'message', data: 'a' }]);
    });

    it('remembers how long the service wants us to stay away, if it is a number', () => {
        const parser = new EventParser();
        parser.push('retry: soon\n\n');
        expect(parser.retryMs).toBeNull();
        parser.push('retry: 2500\n\n');
        expect(parser.retryMs).toBe(2500);
    });

    it('does not carry the name of an event without data over to the next', () => {
        expect(parse('event: lost\n\ndata: x\n\n')).toEqual([{ name: 'message', data: 'x' }]);
    });
});
