// What the cluster panel says, row by row: plain text from plain numbers.
import type { ClusterPage, GatewayPeer, PartFigures, WorkerPeer } from '../api/types';
import { t, tn } from '../text/language';
import { counted, percent, seconds } from '../text/measures';
import { count, decimal, short } from '../text/words';

/** Whoever is silent for so many beats is soon taken for dead: with the third. */
const SILENT_BEATS = 2.4;

export function workersOf({ peers }: ClusterPage): WorkerPeer[] {
    return peers.filter((peer) => peer.kind === 'worker');
}

export function gatewaysOf({ peers }: ClusterPage): GatewayPeer[] {
    return peers.filter((peer) => peer.kind === 'gateway');
}

/**
 * How a worker or a gateway is, in a word or two; and whether that is a reason to look twice.
 *
 * @param beat_s  between two beats; 0: there are none to be missed
 */
export function conditionOf(
    peer: WorkerPeer | GatewayPeer,
    beat_s: number,
): { words: string; isOdd: boolean } {
    if (peer.leaving) return { words: t('leaving'), isOdd: true };
    if (beat_s > 0 && peer.age_s > SILENT_BEATS * beat_s)
        return { words: t('silent for {time}', { time: seconds(peer.age_s) }), isOdd: true };
    if (peer.kind === 'worker')
        return peer.parts > 0
            ? { words: t('working'), isOdd: false }
            : { words: t('no parts yet'), isOdd: false };
    return { words: peer.leader ? t('leads') : t('ready'), isOdd: false };
}

/** Cores of the machine, of which a process may use several. */
export function coresWords(cpu: number): string {
    return percent(cpu);
}

export function memoryWords(bytes: number): string {
    const megabytes = bytes / 1e6;
    return megabytes < 999.5 ? `${count(megabytes)} MB` : `${decimal(megabytes / 1000)} GB`;
}

/** Proposals that were made, and how many of those that ended came to something. */
export function proposalsWords({
    proposals,
    proposals_published,
    proposals_under_way,
}: WorkerPeer): string {
    const ended = proposals - proposals_under_way;
    const made = proposals < 10_000 ? count(proposals) : short(proposals);
    return ended > 0 ? `${made} (${percent(proposals_published / ended)})` : made;
}

export interface PartRow extends PartFigures {
    /** Its worker's name; null if it has none. */
    worker: string | null;
    /** Of the busiest part's load, 0 to 1. */
    share: number;
}

/** The busiest first; of equals, the first number. Parts that nobody serves are before all. */
export function partRows({ parts, peers }: ClusterPage): PartRow[] {
    const names = new Map(peers.map(({ peer, name }) => [peer, name]));
    const most = Math.max(0, ...parts.map(({ load }) => load));
    return parts
        .map((part) => ({
            ...part,
            worker: part.owner === null ? null : (names.get(part.owner) ?? t('unknown')),
            share: most > 0 ? part.load / most : 0,
        }))
        .sort((a, b) => Number(a.served) - Number(b.served) || b.load - a.load || a.part - b.part);
}

/** One sentence on whether all is well. */
export function verdictOn(page: ClusterPage): string {
    const unserved = page.parts.filter(({ served }) => !served).length;
    const workers = counted(workersOf(page).length, 'worker');
    if (!page.connected) return t('This gateway has lost its connection to the others.');
    if (unserved > 0)
        return tn(
            unserved,
            '{count} part of {all} waits for a worker.',
            '{count} parts of {all} wait for a worker.',
            count(unserved),
            { all: count(page.parts.length) },
        );
    return t('{parts} served by {workers}.', {
        parts: counted(page.parts.length, 'part'),
        workers,
    });
}
