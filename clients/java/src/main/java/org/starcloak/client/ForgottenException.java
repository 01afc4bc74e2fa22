package org.starcloak.client;

/** The service does not know this query: its outcome was kept for a while and is gone, or it has restarted. */
public final class ForgottenException extends RefusedException {
    private static final long serialVersionUID = 1L;

    ForgottenException(Problem problem) {
        super(problem, null);
    }
}
