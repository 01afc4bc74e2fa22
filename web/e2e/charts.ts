// The charts as they are on the page.
import type { Page } from 'playwright-core';

/** With a provider over HTTP. */
export const CHARTS = ['success', 'wait', 'cloak', 'bytes', 'drops'] as const;

/** With one in the same process, which is sent no bytes. */
export const CHARTS_BUILT_IN = ['success', 'wait', 'cloak', 'load', 'drops'] as const;

export function chartCanvas(chart: string): string {
    return `[data-testid="chart-${chart}"] canvas`;
}

/** The numbers beside the titles, line by line; NaN where nothing is known. All of one moment. */
export async function shownValues(
    page: Page,
    charts: readonly string[] = CHARTS,
): Promise<Record<string, number[]>> {
    const texts = await page.evaluate(
        (names) =>
            names.map((chart) =>
                [...document.querySelectorAll(`[data-testid="chart-${chart}"] b`)].map(
                    (value) => value.textContent ?? '',
                ),
            ),
        [...charts],
    );
    return Object.fromEntries(charts.map((chart, i) => [chart, texts[i].map(numberOf)]));
}

/** Are they the same, up to what rounding to three digits takes away? */
export function isClose(shown: Record<string, number[]>, real: Record<string, number[]>): boolean {
    return Object.keys(shown).every(
        (chart) =>
            shown[chart].length === real[chart].length &&
            real[chart].every((value, i) => {
                const slack = Math.max(value < 1 ? 0.0051 : 0.051, 0.0051 * value);
                return Math.abs(shown[chart][i] - value) <= slack;
            }),
    );
}

/** "14.2 k" */
function numberOf(text: string): number {
    const found = /^([0-9.,]+)( k| M)?$/.exec(text.trim());
    if (!found) return Number.NaN;
    const unit = found[2] === ' k' ? 1000 : found[2] === ' M' ? 1_000_000 : 1;
    return Number(found[1].replace(/,/g, '')) * unit;
}
