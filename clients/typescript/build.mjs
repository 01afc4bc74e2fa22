#!/usr/bin/env node
// Builds dist/ from src/ with the TypeScript that is there: of this folder, or of the UI in web/.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const compiler = ['node_modules', '../../web/node_modules']
    .map((folder) => `${here}${folder}/typescript/bin/tsc`)
    .find((path) => existsSync(path));
if (!compiler) {
    console.error('build: TypeScript is missing; run npm install here, or scripts/web install');
    process.exit(1);
}
rmSync(`${here}dist`, { recursive: true, force: true });
copyFileSync(`${here}../../LICENSE`, `${here}LICENSE`);
execFileSync(process.execPath, [compiler, '-p', here], { stdio: 'inherit' });
