// What went to the provider, read back from its bytes: the compact encoding (src/lib/relay/relay.proto).
//
// Nothing here knows what the page knows of the cloak: what is shown as "all that the provider
// learned" is read from the very bytes that were sent.
import type { Request } from '../api/types';
import { NotAMessage, Reader, WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './protobuf';

/** Bytes `from` to `to` - 1 of the message, and what they say. */
export interface Piece {
    from: number;
    to: number;
    said: Said;
}

export type Said =
    | { field: 'map'; checksum: string }
    | { field: 'segments' | 'border nodes'; values: number[] }
    | { field: 'request'; request: Request }
    | { field: 'version'; version: number }
    | { field: 'unknown'; number: number };

export interface Relay {
    /** As in /v1/map: sixteen hexadecimal digits. */
    map: string;
    segments: number[];
    borderNodes: number[];
    requests: Request[];
    /** Of the protocol; a message that says none is of the first. */
    version: number;
}

/** @throws NotAMessage */
export function readRelay(bytes: Uint8Array): { relay: Relay; pieces: Piece[] } {
    const relay: Relay = { map: '', segments: [], borderNodes: [], requests: [], version: 1 };
    const pieces: Piece[] = [];
    const reader = new Reader(bytes);
    while (!reader.isDone) {
        const from = reader.at;
        const said = readField(reader, relay);
        pieces.push({ from, to: reader.at, said });
    }
    return { relay, pieces };
}

function readField(reader: Reader, relay: Relay): Said {
    const { field, wire } = reader.tag();
    if (field === 1 && wire === WIRE_FIXED64) {
        relay.map = reader.fixed64().toString(16).padStart(16, '0');
        return { field: 'map', checksum: relay.map };
    }
    if (field === 2 && wire === WIRE_BYTES) {
        relay.segments = readAscending(reader);
        return { field: 'segments', values: relay.segments };
    }
    if (field === 3 && wire === WIRE_BYTES) {
        relay.borderNodes = readAscending(reader);
        return { field: 'border nodes', values: relay.borderNodes };
    }
    if (field === 4 && wire === WIRE_BYTES) {
        const request = readRequest(reader);
        relay.requests.push(request);
        return { field: 'request', request };
    }
    if (field === 5 && wire === WIRE_VARINT) {
        relay.version = reader.varint();
        return { field: 'version', version: relay.version };
    }
    reader.skip(wire);
    return { field: 'unknown', number: field };
}

/** The first number, then differences. */
function readAscending(reader: Reader): number[] {
    const part = reader.part();
    const values: number[] = [];
    let last = 0;
    while (!part.isDone) {
        last += part.varint();
        values.push(last);
    }
    return values;
}

function readRequest(reader: Reader): Request {
    const part = reader.part();
    let request: Request | undefined;
    // What is 0 is not sent: 0 is distance, 1 is time.
    let isByTime = false;
    const categories: string[] = [];
    while (!part.isDone) {
        const { field, wire } = part.tag();
        if (field === 1 && wire === WIRE_VARINT) request = { type: 'knn', k: part.varint() };
        else if (field === 2 && wire === WIRE_FIXED64)
            request = { type: 'range', metric: 'distance', radius_m: part.double() };
        else if (field === 4 && wire === WIRE_FIXED64)
            request = { type: 'range', metric: 'time', radius_s: part.double() };
        else if (field === 5 && wire === WIRE_VARINT) isByTime = part.varint() === 1;
        else if (field === 3 && wire === WIRE_BYTES) categories.push(part.text());
        else part.skip(wire);
    }
    if (!request) throw new NotAMessage('a request asks for nothing');
    if (request.type === 'knn') request.metric = isByTime ? 'time' : 'distance';
    if (categories.length > 0) request.categories = categories;
    return request;
}
