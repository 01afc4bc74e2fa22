package org.starcloak.client;

/** The service refused, with problem details (RFC 9457), and to repeat it was of no use. */
public class RefusedException extends StarCloakException {
    private static final long serialVersionUID = 1L;

    public final int status;
    public final transient Problem problem;
    /** Seconds after which it may be accepted; null if never as it is. */
    public final Double retryAfterS;

    RefusedException(Problem problem, Double retryAfterS) {
        super("the service refused (" + problem.status + "): " + problem.title
                + (problem.detail == null ? "" : "; " + problem.detail));
        this.status = problem.status;
        this.problem = problem;
        this.retryAfterS = retryAfterS;
    }
}
