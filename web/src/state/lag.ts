// How far behind the service a stream of events is: over a slow link they come late, one after the other, and the page
// would call live what happened a while ago.
//
// The service says with its events how long it has been running. That and our own clock go equally fast, so the
// difference between both stays what it was when an event came without delay: the least there has been. It is allowed
// to grow by a thousandth, since clocks are not exact and a page may be open for weeks.

const DRIFT = 0.001;

export class Lag {
    private last: { t: number; atS: number } | null = null;
    /** Our clock less the service's, when nothing delayed the event. */
    private prompt = Number.POSITIVE_INFINITY;

    /**
     * @param t     seconds, by the service's clock, which starts anew when it does
     * @param nowS  by ours
     */
    heard(t: number, nowS: number): void {
        if (this.last && t < this.last.t) this.reset();
        const grown = this.last ? this.prompt + DRIFT * (nowS - this.last.atS) : this.prompt;
        this.prompt = Math.min(grown, nowS - t);
        this.last = { t, atS: nowS };
    }

    /** The stream begins anew: what comes now may be of another service. */
    reset(): void {
        this.last = null;
        this.prompt = Number.POSITIVE_INFINITY;
    }

    /** Seconds; also if nothing comes any more. 0 as long as nothing was heard. */
    behindS(nowS: number): number {
        return this.last ? Math.max(0, nowS - this.last.t - this.prompt) : 0;
    }
}
