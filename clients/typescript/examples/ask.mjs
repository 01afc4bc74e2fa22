#!/usr/bin/env node
// The three pharmacies that are nearest, from Node.js.
// usage: ask.mjs URL LON LAT < TOKEN
import { readFileSync } from 'node:fs';
import { Client, RefusedError, UnreachableError } from '@starcloak/client';

const [url, lon, lat] = process.argv.slice(2);
const client = new Client({ url, token: readFileSync(0, 'utf8').trim() });
try {
    const outcome = await client.ask({
        position: { lon: Number(lon), lat: Number(lat) },
        profile: { k: 2, max_wait_s: 20 },
        request: { type: 'knn', k: 3, categories: ['pharmacy'] },
    });
    switch (outcome.outcome) {
        case 'answered':
            console.log(`hidden among ${outcome.cloak.users} users`);
            for (const found of outcome.objects) {
                console.log(`${found.name || found.id}: ${Math.round(found.distance_m)} m`);
            }
            break;
        case 'dropped':
            console.log(`no company: ${outcome.advice}`);
            break;
        case 'failed':
            console.log(`no answer: ${outcome.problem.detail ?? outcome.problem.title}`);
            break;
        case 'withdrawn':
            console.log('away for too long; ask again');
            break;
    }
} catch (error) {
    if (!(error instanceof RefusedError || error instanceof UnreachableError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
}
