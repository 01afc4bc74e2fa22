// Is the service well? Found out from its counters: who fails, why, and since when.
//
// 1. What is judged are the last few seconds, so that one failure among many answers is no alarm, and what is over is
//    over soon.
// 2. A provider that failed is away until it has answered again: silence in between is no recovery.
// 3. Of several ailments the gravest is told; of equally grave ones the one that explains most.
import type { CounterRow } from './counters';
import type { CounterBook } from './model';

export type Level = 'good' | 'warn' | 'bad';

export type Ailment =
    | 'provider-away'
    | 'provider-refuses'
    | 'provider-untrue'
    | 'parts-unserved'
    | 'overloaded'
    | 'failing'
    | 'workers-missing'
    | 'few-answered';

export interface Condition {
    level: Level;
    /** Null if it is well. */
    ailment: Ailment | null;
    /** Queries that fail of it, per second, and as a share of those that end. */
    perSecond: number;
    share: number;
    /** Of the queries that ended, those that were answered, or would have been. */
    answered: number;
    /** Parts without a worker, or workers that were there and are not. */
    missing: number;
}

export interface Health extends Condition {
    /** By the clock of the rows: since when it has this ailment. */
    sinceS: number;
    /** It began before the first row there is. */
    isLonger: boolean;
}

const WINDOW_S = 8;
/** Whether company is found changes slowly, and by chance from second to second. */
const ANSWERED_WINDOW_S = 30;
/** Of fewer that ended, a share says nothing. */
const ANSWERED_LEAST = 20;

/** Shares of queries that fail. */
const FAILING = { warn: 0.05, bad: 0.5 };
/** Shares that are answered: fewer are told. Where company is scarce, three of four are usual. */
const ANSWERED = { warn: 0.6, bad: 0.3 };

const WELL: Condition = {
    level: 'good',
    ailment: null,
    perSecond: 0,
    share: 0,
    answered: 1,
    missing: 0,
};

const GRAVITY: Record<Level, number> = { good: 0, warn: 1, bad: 2 };

/** How it is at the last of these rows; null without any. */
export function healthOf(rows: readonly CounterRow[]): Health | null {
    let health: Health | null = null;
    for (let i = 0; i < rows.length; i++) health = healthAt(rows, i, health);
    return health;
}

/** @param before  how it was at the row before */
function healthAt(rows: readonly CounterRow[], at: number, before: Health | null): Health {
    const isOfRun = (i: number) => rows[i]?.run === rows[at].run;
    const was = isOfRun(at - 1) ? before : null;
    const condition = judged(rows, at, was ?? WELL);
    if (was && was.ailment === condition.ailment)
        return { ...condition, sinceS: was.sinceS, isLonger: was.isLonger };
    // The first row has nothing to be compared with, so that the second may be the first to tell.
    const isFirst = !isOfRun(at - 2);
    return { ...condition, sinceS: rows[at].atS, isLonger: isFirst && rows[at].t > WINDOW_S };
}

/** How it is now; it remembers the beginning of what lasts longer than rows are kept. */
export class HealthWatch {
    /** Null before the first row. */
    now: Health | null = null;
    private seen: CounterRow | null = null;

    constructor(counters: CounterBook) {
        counters.changed.on(() => this.look(counters.rows));
    }

    private look(rows: readonly CounterRow[]): void {
        const last = rows.length - 1;
        const goesOn = last > 0 && rows[last - 1] === this.seen;
        this.now = goesOn ? healthAt(rows, last, this.now) : this.afterGap(rows);
        this.seen = rows[last] ?? null;
    }

    /** The service has told its history: it may know of less than we do. */
    private afterGap(rows: readonly CounterRow[]): Health | null {
        const now = healthOf(rows);
        const { now: before, seen } = this;
        if (!now || !before || rows[rows.length - 1].run !== seen?.run) return now;
        if (isProviders(before.ailment) && now.ailment === null && isSilent(rows))
            return { ...before, perSecond: 0 };
        if (now.isLonger && before.ailment === now.ailment && before.sinceS < now.sinceS)
            return { ...now, sinceS: before.sinceS, isLonger: before.isLonger };
        return now;
    }
}

/** Nothing was answered in all that time. */
function isSilent(rows: readonly CounterRow[]): boolean {
    const last = rows[rows.length - 1];
    return rows.every((row) => row.run === last.run && row.answered === last.answered);
}

/** What happened in the seconds before a row. */
interface Spell {
    seconds: number;
    answered: number;
    /** For want of company. */
    dropped: number;
    ended: number;
    /** Queries that failed, by whose fault it was. */
    away: number;
    refused: number;
    untrue: number;
    suspended: number;
    overloaded: number;
    otherwise: number;
}

function spellBefore(rows: readonly CounterRow[], last: number, windowS: number): Spell {
    const to = rows[last];
    let first = last;
    while (first > 0 && rows[first - 1].run === to.run && to.t - rows[first - 1].t <= windowS + 0.5)
        first--;
    const from = rows[first];
    const more = (...names: (keyof CounterRow)[]) =>
        names.reduce((sum, name) => sum + Math.max(0, to[name] - from[name]), 0);
    const failed = more('failed');
    const away = more('provider_unreachable', 'provider_timeout');
    const refused = more('provider_refused');
    const untrue = more('provider_unbelievable');
    const suspended = more('provider_suspended');
    const overloaded = more('overloaded', 'not_sent_in_time');
    const known = away + refused + untrue + suspended + overloaded;
    return {
        seconds: to.t - from.t,
        answered: more('answered'),
        dropped: more('dropped'),
        ended: more('answered', 'dropped') + failed,
        away,
        refused,
        untrue,
        suspended,
        overloaded,
        otherwise: Math.max(0, failed - known),
    };
}

function judged(rows: readonly CounterRow[], at: number, before: Condition): Condition {
    const row = rows[at];
    const spell = spellBefore(rows, at, WINDOW_S);
    const missing = mostWorkers(rows, at) - row.workers;
    const found = [
        provider(spell, row.suspended > 0, before),
        row.unserved_parts > 0 ? ill('bad', 'parts-unserved', row.unserved_parts) : WELL,
        failing('overloaded', spell.overloaded, spell),
        failing('failing', spell.otherwise, spell),
        missing > 0 ? ill('warn', 'workers-missing', missing) : WELL,
        fewAnswered(spellBefore(rows, at, ANSWERED_WINDOW_S)),
    ];
    return found.reduce((worst, next) =>
        GRAVITY[next.level] > GRAVITY[worst.level] ? next : worst,
    );
}

function mostWorkers(rows: readonly CounterRow[], at: number): number {
    let most = 0;
    for (let i = at; i >= 0 && rows[i].run === rows[at].run; i--) {
        most = Math.max(most, rows[i].workers);
    }
    return most;
}

function ill(level: Level, ailment: Ailment, missing: number): Condition {
    return { ...WELL, level, ailment, missing };
}

function isProviders(ailment: Ailment | null): boolean {
    return (
        ailment === 'provider-away' ||
        ailment === 'provider-refuses' ||
        ailment === 'provider-untrue'
    );
}

function provider(spell: Spell, isSuspended: boolean, before: Condition): Condition {
    const { away, refused, untrue, suspended, answered, seconds } = spell;
    const failed = away + refused + untrue + suspended;
    const wasIll = isProviders(before.ailment);
    if (failed === 0) {
        // Nothing was asked of it: what was so is so still.
        if (answered === 0 && wasIll) return { ...before, perSecond: 0 };
        return isSuspended
            ? { ...WELL, level: 'bad', ailment: 'provider-away', answered: 0 }
            : WELL;
    }
    const share = failed / (failed + answered);
    const level = levelOf(share);
    // While it is left alone nothing new is learned of the reason.
    const isReasonKnown = away + refused + untrue > 0;
    const ailment =
        !isReasonKnown && wasIll && before.ailment
            ? before.ailment
            : reasonOf(away, refused, untrue);
    const perSecond = seconds > 0 ? failed / seconds : 0;
    return level === 'good'
        ? WELL
        : { ...WELL, level, ailment, share, perSecond, answered: 1 - share };
}

function reasonOf(away: number, refused: number, untrue: number): Ailment {
    if (refused > away && refused >= untrue) return 'provider-refuses';
    return untrue > away ? 'provider-untrue' : 'provider-away';
}

function failing(ailment: Ailment, failed: number, { ended, seconds }: Spell): Condition {
    const share = ended > 0 ? failed / ended : 0;
    const level = levelOf(share);
    if (level === 'good') return WELL;
    return { ...WELL, level, ailment, share, perSecond: seconds > 0 ? failed / seconds : 0 };
}

function levelOf(share: number): Level {
    if (share >= FAILING.bad) return 'bad';
    return share >= FAILING.warn ? 'warn' : 'good';
}

/** Those who found company and got no answer have failed, which is another ailment. */
function fewAnswered({ dropped, ended }: Spell): Condition {
    if (ended < ANSWERED_LEAST) return WELL;
    const share = 1 - dropped / ended;
    if (share >= ANSWERED.warn) return WELL;
    const level = share >= ANSWERED.bad ? 'warn' : 'bad';
    return { ...WELL, level, ailment: 'few-answered', answered: share };
}
