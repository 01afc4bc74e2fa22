#!/usr/bin/env node
// Carries out the conformance script's commands with the TypeScript client. README.md has the commands.
// usage: driver.mjs [MODULE]      the client, as it was built or installed
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const built = new URL('../typescript/dist/index.js', import.meta.url).href;
const module = process.argv[2] ? pathToFileURL(process.argv[2]).href : built;
const { Client, ForgottenError, RefusedError, StarCloakError, UnreachableError } = await import(
    module
);

const clients = new Map();
const queries = new Map();

/** A function that gives one token after the other, and the last one for ever. */
function tokens(given) {
    const left = [...given];
    return given.length === 1 ? given[0] : () => (left.length > 1 ? left.shift() : left[0]);
}

function options({ patience_s, margin_s, provider_s } = {}) {
    return {
        ...(patience_s !== undefined && { patienceS: patience_s }),
        ...(margin_s !== undefined && { marginS: margin_s }),
        ...(provider_s !== undefined && { providerS: provider_s }),
    };
}

function shown(outcome) {
    if (outcome.outcome === 'answered') {
        const objects = outcome.objects.map((found) => found.id);
        return { outcome: outcome.outcome, users: outcome.cloak.users, objects };
    }
    return { outcome: outcome.outcome, reason: outcome.reason };
}

async function carryOut(command) {
    const client = clients.get(command.client);
    const pending = queries.get(command.query_name);
    switch (command.do) {
        case 'client': {
            const { url } = command;
            const rest = options(command.options);
            clients.set(
                command.client,
                new Client({ url, token: tokens(command.tokens), plain: true, ...rest }),
            );
            return {};
        }
        case 'ask': {
            const { held, key } = command;
            return shown(
                await client.ask(command.query, { ...(held && { held }), ...(key && { key }) }),
            );
        }
        case 'start':
        case 'resume': {
            const { key } = command;
            const made =
                command.do === 'start'
                    ? await client.start(command.query, key ? { key } : {})
                    : client.resume(command.handle);
            queries.set(command.query_name, made);
            return { state: made.state, handle: made.handle };
        }
        case 'look':
            return { state: await pending.look(command.wait_s ?? 0) };
        case 'cancel':
            await pending.cancel();
            return { state: pending.state };
        case 'wait':
            return shown(await pending.wait());
        default:
            throw new Error(command.do);
    }
}

function failed(error) {
    const text = String(error);
    if (error instanceof RefusedError) {
        const kind = error instanceof ForgottenError ? 'forgotten' : 'refused';
        const line = { error: kind, status: error.status, type: error.problem.type, text };
        return error.retryAfterS === undefined
            ? line
            : { ...line, retry_after_s: error.retryAfterS };
    }
    if (error instanceof UnreachableError)
        return { error: 'unreachable', handle: error.handle ?? null, text };
    return { error: error instanceof StarCloakError ? 'other' : 'fault', text };
}

createInterface({ input: process.stdin })
    .on('line', async (text) => {
        const command = JSON.parse(text);
        const line = await carryOut(command).catch(failed);
        process.stdout.write(`${JSON.stringify({ n: command.n, ...line })}\n`);
    })
    // The conformance script has gone: so does this, whatever it waits for.
    .on('close', () => process.exit(0));
