// Server-sent events, taken apart. Text comes in pieces that may be cut anywhere, even between the two
// characters that end a line; events come out whole.

export interface ServerEvent {
    name: string;
    data: string;
}

export class EventParser {
    private rest = '';
    private searched = 0;
    private afterReturn = false;
    private atStart = true;
    private name = '';
    private data: string[] = [];
    /** Milliseconds that the service wants us to wait before coming back; null if it did not say. */
    retryMs: number | null = null;

    /** The events that are complete with this piece, in order. */
    push(piece: string): ServerEvent[] {
        const events: ServerEvent[] = [];
        this.rest += piece;
        if (this.atStart && this.rest !== '') {
            if (this.rest.startsWith('\uFEFF')) this.rest = this.rest.slice(1);
            this.atStart = false;
        }
        for (let line = this.nextLine(); line !== null; line = this.nextLine()) {
            if (line !== '') this.field(line);
            else this.dispatch(events);
        }
        return events;
    }

    /** Lines end with CR LF, LF or CR. What was searched in vain is not searched again when more comes. */
    private nextLine(): string | null {
        if (this.afterReturn && this.rest !== '') {
            this.afterReturn = false;
            if (this.rest[0] === '\n') this.rest = this.rest.slice(1);
        }
        const end = findLineEnd(this.rest, this.searched);
        if (end < 0) {
            this.searched = this.rest.length;
            return null;
        }
        const line = this.rest.slice(0, end);
        this.afterReturn = this.rest[end] === '\r';
        this.rest = this.rest.slice(end + 1);
        this.searched = 0;
        return line;
    }

    private field(line: string): void {
        const colon = line.indexOf(':');
        if (colon === 0) return; // a comment: a sign of life
        const word = colon < 0 ? line : line.slice(0, colon);
        let value = colon < 0 ? '' : line.slice(colon + 1);
        if (value.startsWith(' ')) value = value.slice(1);
        if (word === 'event') this.name = value;
        else if (word === 'data') this.data.push(value);
        else if (word === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    }

    private dispatch(events: ServerEvent[]): void {
        if (this.data.length > 0) {
            events.push({ name: this.name || 'message', data: this.data.join('\n') });
        }
        this.name = '';
        this.data = [];
    }
}

function findLineEnd(text: string, from: number): number {
    const feed = text.indexOf('\n', from);
    // A return matters only before the feed; looking no further keeps long texts cheap.
    const head = feed < 0 ? text : text.slice(0, feed);
    const carriage = head.indexOf('\r', from);
    return carriage >= 0 ? carriage : feed;
}
