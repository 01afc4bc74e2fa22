// @starcloak/client: what applications use. docs/clients.md of StarCloak tells how.
export { type AskOptions, Client, type ClientOptions, Pending } from './client.js';
export {
    type Failed,
    ForgottenError,
    type Outcome,
    RefusedError,
    StarCloakError,
    type State,
    UnreachableError,
    type Withdrawn,
} from './outcomes.js';
export type { Token } from './transport.js';
export type {
    About,
    Answered,
    Categories,
    Dropped,
    Found,
    Home,
    Problem,
    Profile,
    Query,
    Request,
    Zone,
} from './types.js';
