// The way to the experiments' report: there as soon as there is one, which may be while one looks.
import { callJson } from '../api/fetch';
import type { About } from '../api/types';
import { make } from '../dom';
import { t } from '../text/language';

const LOOKED_FOR_EVERY_MS = 20_000;

export class ReportLink {
    readonly element = make(
        'a',
        {
            class: 'quiet',
            href: '/reports/',
            target: '_blank',
            rel: 'noopener',
            hidden: true,
            'data-testid': 'report',
        },
        t('Report'),
        make('span', { class: 'visually-hidden' }, ` ${t('(opens in a new tab)')}`),
    );

    constructor(about: About) {
        // Only a demo has reports, and a link carries no token.
        if (!about.demo || about.events === 'token' || about.events === 'off') return;
        this.element.hidden = !hasReport(about);
        if (hasReport(about)) return;
        const timer = setInterval(async () => {
            if (document.hidden || !(await isThere())) return;
            this.element.hidden = false;
            clearInterval(timer);
        }, LOOKED_FOR_EVERY_MS);
    }
}

function hasReport({ offers }: About): boolean {
    return offers.includes('reports');
}

async function isThere(): Promise<boolean> {
    try {
        return hasReport(await callJson<About>('/v1/about', { cache: 'no-store' }));
    } catch {
        return false; // away; the banner says so
    }
}
