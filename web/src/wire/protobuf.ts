// Reading Protocol Buffers: the few kinds of fields that the provider protocol has.

/** The bytes are not such a message. */
export class NotAMessage extends Error {}

export const WIRE_VARINT = 0;
export const WIRE_FIXED64 = 1;
export const WIRE_BYTES = 2;
export const WIRE_FIXED32 = 5;

export class Reader {
    private readonly data: DataView;

    /** @param at  where it is, from the beginning of `bytes`; readers of parts count likewise */
    constructor(
        private readonly bytes: Uint8Array,
        public at = 0,
        private readonly end = bytes.length,
    ) {
        this.data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }

    get isDone(): boolean {
        return this.at >= this.end;
    }

    tag(): { field: number; wire: number } {
        const tag = this.varint();
        return { field: Math.floor(tag / 8), wire: tag % 8 };
    }

    /** Seven bits per byte, the least first. Ours are below 2^32, and all below 2^53 are exact. */
    varint(): number {
        let value = 0;
        for (let factor = 1; factor < 2 ** 53; factor *= 128) {
            const byte = this.bytes[this.take(1)];
            value += (byte & 127) * factor;
            if (byte < 128) return value;
        }
        throw new NotAMessage('a number is too large');
    }

    fixed64(): bigint {
        return this.data.getBigUint64(this.take(8), true);
    }

    double(): number {
        return this.data.getFloat64(this.take(8), true);
    }

    /** What follows with its size in front: a part of its own. */
    part(): Reader {
        const size = this.varint();
        const from = this.take(size);
        return new Reader(this.bytes, from, from + size);
    }

    text(): string {
        const part = this.part();
        return new TextDecoder().decode(this.bytes.subarray(part.at, part.end));
    }

    skip(wire: number): void {
        if (wire === WIRE_VARINT) this.varint();
        else if (wire === WIRE_FIXED64) this.take(8);
        else if (wire === WIRE_BYTES) this.take(this.varint());
        else if (wire === WIRE_FIXED32) this.take(4);
        else throw new NotAMessage('a field of an unknown kind');
    }

    /** @returns where those `size` bytes begin, which are then behind us */
    private take(size: number): number {
        if (size > this.end - this.at) throw new NotAMessage('the message ends too early');
        const from = this.at;
        this.at += size;
        return from;
    }
}
