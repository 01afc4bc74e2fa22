// What /demo/methods tells: the same questions, cloaked by several methods at once.
//
// The engines behind it run only while somebody listens, so it is listened to only while it is shown. Each `hello`
// begins anew: what was known before is void.
import type { ServerEvent } from '../api/sse';
import type { EventStream, StreamOptions, StreamState } from '../api/stream';
import type { MethodCloakEvent, MethodFigures, MethodsEvent, MethodsHello } from '../api/types';
import { Cloaks } from '../state/cloaks';
import { Signal } from '../state/signal';

/** Maps beside each other; there are no more methods. */
export const METHODS_MOST = 3;

export type OpenStream = (
    hears: Pick<StreamOptions, 'onEvent' | 'onState'>,
) => Pick<EventStream, 'stop'>;

export class MethodsFeed {
    /** Their engines, StarCloak's first; empty until the service has told. */
    methods: readonly string[] = [];
    /** In their order; null before the first second. */
    figures: readonly MethodFigures[] | null = null;
    windowS = 60;
    leftOut = 0;
    state: StreamState = { kind: 'connecting' };
    /** The cloaks of each, in their order. */
    readonly cloaks: readonly Cloaks[] = Array.from({ length: METHODS_MOST }, () => new Cloaks());
    /** Methods or figures are others; cloaks have signals of their own. */
    readonly changed = new Signal();
    private stream: Pick<EventStream, 'stop'> | null = null;

    constructor(private readonly open: OpenStream) {}

    get isWatched(): boolean {
        return this.stream !== null;
    }

    set isWatched(isWatched: boolean) {
        if (isWatched === this.isWatched) return;
        this.stream?.stop();
        this.stream = isWatched
            ? this.open({
                  onEvent: (event) => this.hear(event, performance.now()),
                  onState: (state) => {
                      this.state = state;
                      this.changed.emit();
                  },
              })
            : null;
    }

    hear({ name, data }: ServerEvent, now: number): void {
        if (name === 'method-cloak') this.addCloak(JSON.parse(data), now);
        else if (name === 'methods') this.count(JSON.parse(data));
        else if (name === 'hello') this.begin(JSON.parse(data));
    }

    private begin({ methods, window_s }: MethodsHello): void {
        this.methods = methods.slice(0, METHODS_MOST);
        this.figures = null;
        this.windowS = window_s;
        this.leftOut = 0;
        for (const cloaks of this.cloaks) cloaks.clear();
        this.changed.emit();
    }

    private addCloak({ method, id, segments, border_nodes }: MethodCloakEvent, now: number): void {
        const cloaks = this.cloaks[this.methods.indexOf(method)];
        cloaks?.add({ id, segments, border_nodes, requests: [] }, method, now);
    }

    private count({ methods, left_out }: MethodsEvent): void {
        this.figures = methods;
        this.leftOut = left_out;
        this.changed.emit();
    }

    figuresOf(method: string): MethodFigures | null {
        return this.figures?.find((figures) => figures.method === method) ?? null;
    }
}
