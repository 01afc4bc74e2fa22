package org.starcloak.client;

/**
 * What all exceptions of this package have in common. They are unchecked. No text of one has a position, a token, a
 * query's id or key, and none has the exception of a connection as its cause: applications log exceptions.
 */
public class StarCloakException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StarCloakException(String message) {
        super(message);
    }
}
