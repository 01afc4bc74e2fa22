// A server of the tests in front of another one: it hands everything on, keeps what was posted, and tells a story
// of its own where a test wants to say what happens.
//
// In front of the service it makes up streams of events, so that a page can be seen with one cloak, or one query,
// and nothing else. In front of the provider it knows which bytes came.
import { once } from 'node:events';
import {
    createServer,
    type IncomingMessage,
    request,
    type Server,
    type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** Events at a path, as a test tells them. */
export class Story {
    private readonly listeners = new Set<ServerResponse>();

    get isHeard(): boolean {
        return this.listeners.size > 0;
    }

    tell(event: string, data: unknown): void {
        for (const listener of this.listeners) {
            listener.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
        }
    }

    join(listener: ServerResponse): void {
        this.listeners.add(listener);
        listener.on('close', () => this.listeners.delete(listener));
        listener.writeHead(200, { 'Content-Type': 'text/event-stream' });
        listener.write(': a story\n\n');
    }
}

export class Between {
    /** The bodies of all POST requests, in the order in which they came. */
    readonly posted: Buffer[] = [];
    private readonly stories = new Map<string, Story>();
    private readonly server: Server;

    private constructor(private readonly target: URL) {
        this.server = createServer((incoming, reply) => {
            const story = this.stories.get(incoming.url ?? '');
            if (story) story.join(reply);
            else this.handOn(incoming, reply);
        });
    }

    static async inFrontOf(url: string): Promise<Between> {
        const between = new Between(new URL(url));
        between.server.listen(0, '127.0.0.1');
        await once(between.server, 'listening');
        return between;
    }

    get url(): string {
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    }

    /** From now on, what is at that path is told here. */
    story(path: string): Story {
        const story = new Story();
        this.stories.set(path, story);
        return story;
    }

    close(): void {
        this.server.close();
        this.server.closeAllConnections();
    }

    private handOn(incoming: IncomingMessage, reply: ServerResponse): void {
        const { method, url, headers } = incoming;
        const onward = request(
            {
                host: this.target.hostname,
                port: this.target.port,
                path: url,
                method,
                headers: { ...headers, host: this.target.host },
            },
            (answer) => {
                reply.writeHead(answer.statusCode ?? 502, answer.headers);
                answer.pipe(reply);
            },
        );
        onward.on('error', () => reply.destroy());
        reply.on('close', () => onward.destroy());
        const body: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => body.push(chunk));
        incoming.on('end', () => {
            if (method === 'POST') this.posted.push(Buffer.concat(body));
        });
        incoming.pipe(onward);
    }
}
