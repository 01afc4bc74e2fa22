// What the page says of company, and what it offers: before a question is asked, while it waits, and after a drop.
// Outside of the demo it is not known who waits; then only what the service advises is offered.
import type { Profile } from '../api/types';
import type { Stars } from '../map/ball';
import type { Session } from '../state/model';
import { t } from '../text/language';
import type { Dropped } from './ask_phases';
import type { Company } from './company';
import { CompanyView, remedyTitle } from './company_view';
import { CompanyWatch, seekerOf } from './company_watch';
import { advised, helpful, type Outlook, type Remedy } from './remedies';

/** Milliseconds: offers are weighed this often at most, since each takes several looks. */
const WEIGHED_MS = 2000;
/** Seconds for which travellers must have been watched before something is expected of them. */
const WATCHED_S = 5;

export interface GuideHost {
    /** Whether the visitor would see it. */
    isWanted(): boolean;
    /** Travellers who wait within reach, whether they fit or not. */
    near(): number;
    apply(profile: Profile): void;
}

export class CompanyGuide {
    private readonly view: CompanyView;
    private readonly watch: CompanyWatch | null;
    private at: { segment: number; profile: Profile } | null = null;
    private isWaiting = false;
    private weighed: { at: number; remedies: Remedy[]; atOnce: number | null } | null = null;
    private later: ReturnType<typeof setTimeout> | undefined;

    constructor(
        private readonly session: Session,
        stars: () => Stars,
        private readonly host: GuideHost,
    ) {
        this.view = new CompanyView((profile) => host.apply(profile));
        const { fleet } = session;
        this.watch = fleet && new CompanyWatch(fleet, stars, () => host.isWanted());
        this.watch?.changed.on((company) => this.show(company));
    }

    get element(): HTMLElement {
        return this.view.element;
    }

    look(segment: number, profile: Profile): void {
        this.at = { segment, profile };
        this.weighed = null;
        this.watch?.look(seekerOf(segment, profile));
    }

    /** A question begins to wait, or does no more. */
    refresh(isWaiting: boolean): void {
        this.isWaiting = isWaiting;
        this.weighed = null;
        if (this.at && this.host.isWanted()) this.look(this.at.segment, this.at.profile);
        else this.view.hide();
    }

    /** How large a group could be there now, the asker included; 0 where nobody may know. */
    sizeAt(segment: number, profile: Profile): number {
        const company = this.watch?.companyOf(seekerOf(segment, profile));
        return company?.isFeasible ? company.group.length + 1 : 0;
    }

    /**
     * After a drop: what is likely to be enough; where nothing is known of others, what the service advises. Of
     * demands on roads nothing is known here.
     */
    remediesFor(segment: number, profile: Profile, outcome: Dropped): Remedy[] {
        const bounds = this.session.about.profile;
        const named = advised(outcome.advice, profile, bounds);
        if (!this.watch || named.length === 0 || outcome.reason === 'exposed') return named;
        return helpful(profile, bounds, this.outlook(this.watch, segment));
    }

    private outlook(watch: CompanyWatch, segment: number): Outlook {
        return {
            company: (profile) => watch.companyOf(seekerOf(segment, profile)),
            atOnce: (profile) => watch.forecast(seekerOf(segment, profile), profile.max_wait_s),
        };
    }

    private show(company: Company): void {
        if (!this.at || !this.watch || !this.host.isWanted()) {
            this.view.hide();
            return;
        }
        const { profile } = this.at;
        const { remedies, atOnce } = this.weigh(this.watch, company);
        const isHopeless = atOnce !== null && atOnce < profile.k && remedies.length === 0;
        this.view.show(
            company,
            { profile, near: this.host.near(), atOnce: this.isWaiting ? null : atOnce, isHopeless },
            this.isWaiting ? t('Or ask again with a change:') : remedyTitle(remedies),
            company.isFeasible && company.missing === 0 ? [] : remedies,
        );
    }

    private weigh(watch: CompanyWatch, company: Company) {
        const now = performance.now();
        clearTimeout(this.later);
        const missingS = WATCHED_S - watch.watchedS;
        if (missingS > 0) this.later = setTimeout(() => this.show(company), 1000 * missingS);
        if (!this.at || missingS > 0) return { remedies: [], atOnce: null };
        if (this.weighed && now - this.weighed.at < WEIGHED_MS) {
            // If nothing else changes, what has changed is weighed all the same.
            this.later = setTimeout(() => this.show(company), this.weighed.at + WEIGHED_MS - now);
            return this.weighed;
        }
        const { segment, profile } = this.at;
        const outlook = this.outlook(watch, segment);
        const atOnce = outlook.atOnce(profile);
        // Who may expect enough in time need not change anything, unless it has waited already.
        const isEasy = company.isFeasible && !this.isWaiting && atOnce >= profile.k;
        const bounds = this.session.about.profile;
        const remedies = isEasy ? [] : helpful(profile, bounds, outlook);
        this.weighed = { at: now, remedies, atOnce };
        return this.weighed;
    }
}
