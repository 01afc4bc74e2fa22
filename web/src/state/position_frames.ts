// Where travellers are, from frames that tell what has changed since the frame before (docs/ui.md, "Positions").
//
// A frame can be used if it tells all (a base), or if the one before it was used. Others are passed over: a few
// seconds later there is a base again.
import { bytesFrom } from '../api/base64';
import type { PositionsEvent } from '../api/types';

const OFF_ROAD = -1;
/** What stands in place of a move. */
const STAY = 0;
const LEAVE = 1;
const MOVE = 2;

export class PositionFrames {
    /** x and y of each traveller in steps from the south-west corner of the map; -1, -1 off the road. */
    at = new Int32Array(0);
    /** The number of the last frame that was used; NaN: none. */
    private frame = Number.NaN;

    /** So many travellers there are from now on. */
    setCount(count: number): void {
        if (2 * count === this.at.length) return;
        this.at = new Int32Array(2 * count).fill(OFF_ROAD);
        this.frame = Number.NaN;
    }

    /** Whether the frame could be used; `at` is as of it then. */
    read({ frame, base, moves }: PositionsEvent): boolean {
        if (base) this.at.fill(OFF_ROAD);
        else if (frame !== this.frame + 1) return false;
        this.frame = this.apply(bytesFrom(moves)) ? frame : Number.NaN;
        return this.frame === frame;
    }

    /** False if the bytes speak of more travellers than there are, or end too early. */
    private apply(bytes: Uint8Array): boolean {
        const { at } = this;
        let next = 0;
        const number = () => {
            let value = 0;
            let worth = 1;
            let byte: number;
            do {
                // Beyond the end it is undefined, and so the sum NaN.
                byte = bytes[next++];
                value += (byte & 127) * worth;
                worth *= 128;
            } while (byte > 127);
            return next > bytes.length ? Number.NaN : value;
        };
        for (let i = 0; next < bytes.length; ) {
            const kind = number();
            if (kind === STAY) {
                i += 2 * number();
                if (!(i <= at.length)) return false;
                continue;
            }
            if (!(i < at.length)) return false;
            if (kind === LEAVE) {
                at[i] = at[i + 1] = OFF_ROAD;
            } else {
                const wasOff = at[i] < 0;
                const x = (wasOff ? 0 : at[i]) + unfold(kind - MOVE);
                const y = (wasOff ? 0 : at[i + 1]) + unfold(number());
                if (!(x >= 0 && y >= 0)) return false;
                at[i] = x;
                at[i + 1] = y;
            }
            i += 2;
        }
        return true;
    }
}

/** 0, 1, 2, 3 are 0, -1, 1, -2. */
function unfold(number: number): number {
    return number % 2 === 1 ? -(number + 1) / 2 : number / 2;
}
