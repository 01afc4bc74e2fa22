package org.starcloak.client;

/** No reply came in the time there was. The query may still be there. */
public final class UnreachableException extends StarCloakException {
    private static final long serialVersionUID = 1L;

    /** Resumes the query, if it had been accepted; otherwise null. */
    public final String handle;

    UnreachableException(String message, String handle) {
        super(message);
        this.handle = handle;
    }
}
