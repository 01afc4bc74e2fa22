// The real programs, started for a file of tests and ended with it: a city, a provider, the service.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export const program = process.env.STARCLOAK ?? join(repository, 'build/starcloak');

/** Where screenshots go; those of the documentation are copied from here by scripts/screenshots. */
export const screenshots = join(repository, 'build/web/screenshots');

/** What one file of tests has: a folder, and all that it has started. */
export class Workplace {
    readonly folder = mkdtempSync(join(tmpdir(), 'starcloak-e2e-'));
    private readonly owned: { close(): unknown }[] = [];

    constructor() {
        mkdirSync(screenshots, { recursive: true });
    }

    /** It is closed when the tests are over, also if they fail half-way. */
    owns<T extends { close(): unknown }>(thing: T): T {
        this.owned.push(thing);
        return thing;
    }

    /** The latest first: a browser before the service that it looks at. */
    async close(): Promise<void> {
        for (const thing of this.owned.reverse()) await thing.close();
        rmSync(this.folder, { recursive: true, force: true });
    }
}

/** A city of about that many crossings, with one-way roads; the same for the same seed. */
export function city(folder: string, nodes: number, seed = 1): string {
    const path = join(folder, `city-${nodes}-${seed}.scm`);
    execFileSync(program, [
        ...['map', 'generate', '--kind', 'city', '--nodes', String(nodes)],
        ...['--seed', String(seed), '--one-way', '0.2', '-o', path, '--quiet'],
    ]);
    return path;
}

/** A process of ours, and what it has said so far. */
export class Running {
    private words = '';

    private constructor(private readonly child: ChildProcess) {
        const hear = (chunk: Buffer) => {
            this.words += chunk.toString();
        };
        child.stdout?.on('data', hear);
        child.stderr?.on('data', hear);
    }

    /** Start, and wait until it listens and `sign` is in what it says. */
    static async start(args: string[], sign: RegExp, command = program): Promise<Running> {
        const running = new Running(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
        // Workers and programs of others do not say so.
        const tells = command === program && args[0] !== 'worker';
        for (let i = 0; i < 1200; i++) {
            // Its log and its words for people come by two ways, in any order.
            const isListening = running.words.includes('event=listening');
            if ((isListening || !tells) && sign.test(running.words)) return running;
            if (running.child.exitCode !== null) break;
            await new Promise((done) => setTimeout(done, 50));
        }
        await running.close();
        throw new Error(`${command} ${args.join(' ')} did not start:\n${running.words}`);
    }

    /** The first address that it listens at: "127.0.0.1:40123". */
    get address(): string {
        return this.find(/event=listening.* address=(\S+)/);
    }

    get url(): string {
        return `http://${this.address}/`;
    }

    /** The token for trying out that a service without keys prints. */
    get token(): string {
        return this.find(/(sct1_\S+)/);
    }

    /** Ask it to end, and wait until it has. */
    async close(): Promise<void> {
        if (this.child.exitCode !== null || this.child.signalCode !== null) return;
        const ended = once(this.child, 'exit');
        this.child.kill('SIGTERM');
        const patience = setTimeout(() => this.child.kill('SIGKILL'), 30_000);
        await ended;
        clearTimeout(patience);
    }

    private find(what: RegExp): string {
        const found = what.exec(this.words);
        if (!found) throw new Error(`nothing like ${what} was said:\n${this.words}`);
        return found[1];
    }
}

/** The provider, as a process of its own. */
export function provider(map: string): Promise<Running> {
    return providerAt(ANY_PORT, map);
}

/** ... where another was before. */
export function providerAt(address: string, map: string): Promise<Running> {
    return Running.start(['lbs', map, ...common(address)], /event=ready/);
}

/** The service with travellers. */
export function demo(map: string, ...more: string[]): Promise<Running> {
    return Running.start(['demo', map, ...common(ANY_PORT), ...more], /Open this in a browser/);
}

/** The service alone. */
export function service(map: string, ...more: string[]): Promise<Running> {
    return serviceAt(ANY_PORT, map, ...more);
}

/** ... where another was before. */
export function serviceAt(address: string, map: string, ...more: string[]): Promise<Running> {
    return Running.start(
        ['serve', map, '--admin', 'listen', ...common(address), ...more],
        /event=ready/,
    );
}

const ANY_PORT = '127.0.0.1:0';

function common(address: string): string[] {
    return ['--listen', address, ...asOneself()];
}

/** As whoever runs the tests: the files are theirs. */
function asOneself(): string[] {
    return ['--user', execFileSync('id', ['-un']).toString().trim()];
}

/** A NATS server, for processes of a cluster. */
export async function nats(): Promise<Running & { nats: string }> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, 'close');
    const args = ['-a', '127.0.0.1', '-p', String(port)];
    const running = await Running.start(args, /Server is ready/, 'nats-server');
    return Object.assign(running, { nats: `nats://127.0.0.1:${port}` });
}

/** A gateway or a worker of a cluster; `settings` without its address and its user. */
export function member(kind: 'gateway' | 'worker', map: string, ...settings: string[]) {
    const own = kind === 'gateway' ? ['--admin', 'listen', ...common(ANY_PORT)] : asOneself();
    const sign = kind === 'gateway' ? /event=listening/ : /event=\w+/;
    return Running.start([kind, map, ...own, ...settings], sign);
}
