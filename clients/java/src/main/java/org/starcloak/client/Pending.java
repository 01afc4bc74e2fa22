package org.starcloak.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A query that the service has accepted. Made by Client.start() and Client.resume(). */
public final class Pending {
    private final Transport transport;
    private final String id;
    private final String key;
    private final double untilS;
    private final double leaseS;
    private final double maxPollS;
    private final double marginS;
    private final double patienceS;
    private volatile Outcome outcome;
    private volatile String state;
    private volatile boolean isCancelled;

    Pending(Transport transport, String id, String key, double untilS, double leaseS, double maxPollS, double marginS,
            double patienceS, Outcome outcome) {
        this.transport = transport;
        this.id = id;
        this.key = key;
        this.untilS = untilS;
        this.leaseS = leaseS;
        this.maxPollS = maxPollS;
        this.marginS = marginS;
        this.patienceS = patienceS;
        this.outcome = outcome;
        this.state = outcome == null ? "waiting" : outcome.kind();
    }

    /**
     * A text that resumes this query, in another process too, until it is forgotten. Together with a token of the same
     * user it reads the outcome: keep it as you keep the token.
     */
    public String handle() {
        Map<String, Object> parts = new LinkedHashMap<>();
        parts.put("id", id);
        parts.put("key", key);
        parts.put("until_s", untilS);
        parts.put("lease_s", leaseS);
        parts.put("max_poll_s", maxPollS);
        return Json.write(parts);
    }

    /** As of the last contact: waiting, cloaked, answered, dropped, failed or withdrawn. */
    public String state() {
        return state;
    }

    /** Null until there is one. */
    public Outcome outcome() {
        return outcome;
    }

    /** Ask once how things are, and renew the lease. */
    public String look() {
        return look(0);
    }

    /** The same; the service may wait for so many seconds for the outcome. */
    public String look(int waitS) {
        return lookUntil(waitS, Transport.now() + Math.max(patienceS, waitS));
    }

    /** Wait for the outcome, over lines that break. Throws UnreachableException when none can come any more. */
    public Outcome await() {
        double until = Transport.now() + untilS - System.currentTimeMillis() / 1e3;
        // Twice in a lease, so that one request may be lost; whole seconds are the service's.
        int pollS = Math.max(1, (int) Math.min(maxPollS, leaseS / 2));
        for (int early = 0; outcome == null;) {
            double began = Transport.now();
            // A last look, even if the time passed while the application slept.
            lookUntil(pollS, Math.max(until, began + marginS));
            if (outcome == null && Transport.now() >= until) {
                throw new UnreachableException("no outcome came in the time in which one can", handle());
            }
            if (outcome == null && Transport.now() - began < pollS / 2.0) {
                // A service about to stop, or a proxy, does not wait as it was asked to.
                Transport.pause(Transport.backoff(early++, Math.random()));
            }
        }
        return outcome;
    }

    /** Withdraw the query: it no longer counts for others, and its outcome is forgotten. */
    public void cancel() {
        isCancelled = true;
        Transport.Reply reply = request("DELETE", "", marginS, Transport.now() + patienceS);
        if (reply.status != 204 && reply.status != 404) throw reply.refusal();
        settle(new Outcome.Withdrawn("client"));
    }

    @Override
    public String toString() {
        return "Pending(" + state + ")";
    }

    private String lookUntil(int waitS, double until) {
        if (outcome != null) return state;
        Transport.Reply reply = request("GET", waitS > 0 ? "?wait=" + waitS : "", waitS + marginS, until);
        if (outcome != null) return state;
        if (reply.status == 404 && isCancelled) {
            settle(new Outcome.Withdrawn("client"));
            return state;
        }
        if (reply.status != 200) throw reply.refusal();
        Outcome told = Outcome.of(reply.status, reply.body);
        if (told != null) settle(told);
        else state = "cloaked".equals(Json.text(reply.body, "state")) ? "cloaked" : "waiting";
        return state;
    }

    private void settle(Outcome settled) {
        outcome = settled;
        state = settled.kind();
    }

    private Transport.Reply request(String method, String query, double attemptS, double until) {
        String path = Client.QUERIES + "/" + id + query;
        try {
            return transport.request(method, path, Collections.emptyList(), null, false, attemptS, until);
        } catch (UnreachableException e) {
            throw new UnreachableException(e.getMessage(), handle());
        }
    }
}
