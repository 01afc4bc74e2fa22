// A small cluster, as /v1/cluster tells of it; a test names what it is about.
import type { ClusterPage, GatewayPeer, PartFigures, WorkerPeer } from '../../src/api/types';

const figures = {
    leader: false,
    leaving: false,
    self: false,
    age_s: 0.2,
    skew_s: 0.001,
    cpu: 0.1,
    open: 0,
    memory: 50_000_000,
    messages_out: 0,
    messages_in: 0,
    bytes_out: 0,
    bytes_in: 0,
};

export function worker(name: string, others: Partial<WorkerPeer> = {}): WorkerPeer {
    return {
        ...figures,
        kind: 'worker',
        peer: `peer of ${name}`,
        name,
        threads: 1,
        parts: 2,
        load: 10,
        proposals: 0,
        proposals_under_way: 0,
        proposals_published: 0,
        proposals_refused: 0,
        proposals_silent: 0,
        proposals_unknown: 0,
        asked: 0,
        lost: 0,
        misdirected: 0,
        ...others,
    };
}

export function gateway(name: string, others: Partial<GatewayPeer> = {}): GatewayPeer {
    return { ...figures, kind: 'gateway', peer: `peer of ${name}`, name, ...others };
}

export function part(number: number, others: Partial<PartFigures> = {}): PartFigures {
    return {
        part: number,
        owner: 'peer of w1',
        served: true,
        load: 0,
        queries: 0,
        company: 0,
        cloaks: 0,
        dropped: 0,
        pending: 0,
        held: 0,
        cpu_s: 0,
        ...others,
    };
}

export function cluster(others: Partial<ClusterPage> = {}): ClusterPage {
    return {
        epoch: 1,
        partition: '0123456789abcdef',
        imbalance: 1,
        placements: 1,
        moved: 0,
        strangers: 0,
        beat_s: 0.5,
        connected: true,
        messages_out: 0,
        messages_in: 0,
        bytes_out: 0,
        bytes_in: 0,
        unsent: 0,
        unopened: 0,
        overrun: 0,
        reconnects: 0,
        peers: [gateway('gw1'), worker('w1')],
        parts: [part(0), part(1)],
        ...others,
    };
}
