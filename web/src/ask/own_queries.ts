// Which cloaks hold a query that was asked on this page: the asker alone may know. Kept in memory
// until the page is closed, and never sent anywhere by itself.
import type { Needs } from '../api/types';
import type { Session } from '../state/model';

export interface OwnQuery extends Needs {
    segment: number;
}

const books = new WeakMap<Session, Map<string, OwnQuery>>();

/** By the id of the cloak they went into. */
export function ownQueries(session: Session): Map<string, OwnQuery> {
    let book = books.get(session);
    if (!book) {
        book = new Map();
        books.set(session, book);
    }
    return book;
}
