package org.starcloak.client;

/** The thread was interrupted while it waited; it still is. The query is withdrawn when its lease ends. */
public final class StoppedException extends StarCloakException {
    private static final long serialVersionUID = 1L;

    StoppedException() {
        super("the thread was interrupted while it waited");
    }
}
