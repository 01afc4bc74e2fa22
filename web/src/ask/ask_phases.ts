// The phases of a question that was asked on this page, for other parts of the page that follow it.
//
//     waiting --> found --> left --> answered
//        \--> dropped, refused, failed, withdrawn
//
//     const stop = ask.phases.on((phase) => { if (phase.name === 'found') ... });
//     const last = await ask.ask({ spot, profile, request });
//
// found, left and answered are told one after the other as soon as the outcome has come: the service tells them
// together. Who is hidden in the cloak is known to the demo alone (Fleet.members of phase.outcome.cloak.id).
import type { Outcome, Profile, Request } from '../api/types';
import type { Spot } from '../map/layer';
import type { SeenCloak } from '../state/model';

export type Answered = Extract<Outcome, { outcome: 'answered' }>;
export type Dropped = Extract<Outcome, { outcome: 'dropped' }>;

export interface Question {
    spot: Spot;
    profile: Profile;
    request: Request;
}

export type AskPhase = { question: Question } & (
    | { name: 'waiting' }
    | { name: 'found'; outcome: Answered }
    /** The cloak is undefined where this page may not see what leaves. */
    | { name: 'left'; outcome: Answered; cloak: SeenCloak | undefined }
    | { name: 'answered'; outcome: Answered; cloak: SeenCloak | undefined }
    | { name: 'dropped'; outcome: Dropped }
    /** The service did not take the question. */
    | { name: 'refused'; error: unknown }
    /** It was taken, and no answer came. */
    | { name: 'failed'; error: unknown }
    | { name: 'withdrawn' }
);

export interface AskOptions {
    /** Leave the view where it is when the answer comes: the caller moves it. */
    keepsView?: boolean;
    /** Another question was withdrawn for it a moment ago. */
    replacesAnother?: boolean;
}
