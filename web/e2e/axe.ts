// Accessibility, as axe finds it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
    id: string;
    impact?: string | null;
    nodes: { html: string; failureSummary?: string }[];
}

/** Everything that axe objects to, in a few words each. */
export async function axe(page: Page): Promise<string[]> {
    // By the debugger, which the page's content security policy does not bind.
    const session = await page.context().newCDPSession(page);
    const run = `${source};axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations))`;
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
        expression: run,
        awaitPromise: true,
    });
    await session.detach();
    if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.text}`);
    const findings = JSON.parse(String(result.value)) as Finding[];
    return findings.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 120)} ${node.failureSummary ?? ''}`),
    );
}
