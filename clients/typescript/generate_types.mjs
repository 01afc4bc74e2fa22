#!/usr/bin/env node
// Writes src/types.ts: the types of requests and replies, from the service's own description.
//
// usage: generate_types.mjs [--check]      --check: write nothing, fail if the file is not current
//
// Only what the client's methods use is written. A schema that this script cannot express stops
// it, so that a type is never wider than the description without somebody's knowing.
import { readFileSync, writeFileSync } from 'node:fs';

const description = new URL('../../src/service/api/openapi.json', import.meta.url);
const target = new URL('src/types.ts', import.meta.url);
const WANTED = ['Query', 'Answered', 'Dropped', 'Home', 'Zone', 'About', 'Categories', 'Problem'];

const schemas = JSON.parse(readFileSync(description, 'utf8')).components.schemas;
const needed = new Set();
const nameOf = (reference) => reference.replace('#/components/schemas/', '');

function comment(text, indent) {
    if (!text) return '';
    const lines = [''];
    for (const word of text.replaceAll('*/', '* /').split(' ')) {
        const last = lines.length - 1;
        if (lines[last] && lines[last].length + word.length > 88 - indent.length) lines.push(word);
        else lines[last] += (lines[last] ? ' ' : '') + word;
    }
    if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
    return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function objectOf(schema, indent) {
    const inner = `${indent}    `;
    const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
        const mark = schema.required?.includes(name) ? '' : '?';
        return `${comment(member.description, inner)}${inner}${name}${mark}: ${typeOf(member, inner)};\n`;
    });
    return `{\n${members.join('')}${indent}}`;
}

function typeOf(schema, indent) {
    if (schema.$ref) {
        needed.add(nameOf(schema.$ref));
        return nameOf(schema.$ref);
    }
    if (schema.oneOf) return schema.oneOf.map((one) => typeOf(one, indent)).join(' | ');
    if ('const' in schema) return literal(schema.const);
    if (schema.enum) return schema.enum.map(literal).join(' | ');
    if (Array.isArray(schema.type)) {
        return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
    }
    switch (schema.type) {
        case 'object':
            return objectOf(schema, indent);
        case 'array': {
            const of = typeOf(schema.items, indent);
            return /^\w+$/.test(of) ? `${of}[]` : `(${of})[]`;
        }
        case 'integer':
        case 'number':
            return 'number';
        case 'string':
        case 'boolean':
        case 'null':
            return schema.type;
        default:
            throw new Error(`no type for ${JSON.stringify(schema)}`);
    }
}

function literal(value) {
    return value === null ? 'null' : `'${value}'`;
}

const written = new Map();
for (const name of WANTED) needed.add(name);
for (const name of needed) {
    // A set yields what is added to it while it is walked.
    const schema = schemas[name];
    if (!schema) throw new Error(`openapi.json has no schema ${name}`);
    const isPlain = schema.type === 'object' && !schema.oneOf;
    const body = typeOf(schema, '');
    const declared = isPlain
        ? `export interface ${name} ${body}`
        : `export type ${name} = ${body};`;
    written.set(name, comment(schema.description, '') + declared);
}
const text = [
    '// Written by generate_types.mjs from src/service/api/openapi.json; do not edit.\n' +
        '// biome-ignore-all format: as the script writes it',
    ...[...written.keys()].sort().map((name) => written.get(name)),
].join('\n\n');

if (process.argv[2] === '--check') {
    if (readFileSync(target, 'utf8') !== `${text}\n`) {
        console.error('src/types.ts is not current: run clients/typescript/generate_types.mjs');
        process.exit(1);
    }
} else {
    writeFileSync(target, `${text}\n`);
}
