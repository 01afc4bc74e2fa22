// Bytes as one reads them: eight in a row, with their place in front and their letters behind. Sixteen would be
// usual, but do not fit beside a map or on a phone.

export interface HexRow {
    /** Of its first byte. */
    offset: number;
    bytes: { at: number; hex: string; letter: string }[];
}

/** Bytes in a row. */
export const ROW = 8;

export function hexRows(bytes: Uint8Array): HexRow[] {
    const rows: HexRow[] = [];
    for (let offset = 0; offset < bytes.length; offset += ROW) {
        const row = Array.from(bytes.subarray(offset, offset + ROW), (byte, i) => ({
            at: offset + i,
            hex: byte.toString(16).padStart(2, '0'),
            letter: letterOf(byte),
        }));
        rows.push({ offset, bytes: row });
    }
    return rows;
}

export function hexOffset(offset: number): string {
    return offset.toString(16).padStart(4, '0');
}

function letterOf(byte: number): string {
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
}
