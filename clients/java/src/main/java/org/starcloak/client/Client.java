package org.starcloak.client;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;

/**
 * A client of the service: ask and wait, over lines that may break at any time. May be used by several threads.
 *
 * <p>A query lives in the service under an id. The client shows up there every few seconds with a request that waits for
 * the outcome; as long as it does so within each lease, the query stays. If the line breaks, attempts go on until the
 * query cannot have an outcome any more.
 *
 * <p>Times: an outcome comes within max_wait_s and what the provider may take (providerS), and a client that was away
 * may need a lease more to find it. One attempt may take as long as it asked the service to wait, and marginS.
 *
 * <p>All methods block: call them from a thread of your own, or from Kotlin within Dispatchers.IO. A thread that is
 * interrupted ends its waiting by a StoppedException.
 */
public final class Client {
    static final String QUERIES = "/v1/queries";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Transport transport;
    private final double patienceS;
    private final double marginS;
    private final double providerS;
    private final double maxWaitS;

    private Client(Builder options) {
        boolean canRefresh = options.fixedToken == null;
        String fixed = options.fixedToken;
        Supplier<String> token = canRefresh ? options.tokenSource : () -> fixed;
        if (token == null) throw new StarCloakException("a token is needed, or a function that gives one");
        transport = new Transport(options.url, options.plain, token, canRefresh, options.sockets, options.marginS);
        patienceS = options.patienceS;
        marginS = options.marginS;
        providerS = options.providerS;
        maxWaitS = options.maxWaitS;
    }

    /** @param url  of the service, as https://cloak.example */
    public static Builder at(String url) {
        return new Builder(url);
    }

    /** Options of a client. */
    public static final class Builder {
        private final String url;
        private String fixedToken;
        private Supplier<String> tokenSource;
        private SSLSocketFactory sockets;
        private boolean plain;
        private double patienceS = 30;
        private double marginS = 5;
        private double providerS = 15;
        private double maxWaitS = 60;

        private Builder(String url) {
            this.url = url;
        }

        public Builder token(String token) {
            fixedToken = token;
            return this;
        }

        /** A function that gives a current token; it is called again after a 401. */
        public Builder token(Supplier<String> source) {
            tokenSource = source;
            return this;
        }

        /** Seconds for which a query that is refused for the moment, or finds no line, is tried again (30). */
        public Builder patienceS(double seconds) {
            patienceS = seconds;
            return this;
        }

        /** Seconds that a reply may take beyond what the service was asked to wait (5). */
        public Builder marginS(double seconds) {
            marginS = seconds;
            return this;
        }

        /** Seconds that an outcome may take after max_wait_s: the provider's time (15). */
        public Builder providerS(double seconds) {
            providerS = seconds;
            return this;
        }

        /** max_wait_s of queries that leave it to the operator: the longest that the operator allows (60). */
        public Builder maxWaitS(double seconds) {
            maxWaitS = seconds;
            return this;
        }

        /** Allow http:// to another machine, where the network itself protects what it carries. */
        public Builder plain(boolean isAllowed) {
            plain = isAllowed;
            return this;
        }

        /** For certificates of your own. */
        public Builder sockets(SSLSocketFactory factory) {
            sockets = factory;
            return this;
        }

        public Client build() {
            return new Client(this);
        }
    }

    /** Ask, and wait for the outcome; with a random key. */
    public Outcome ask(Query query) {
        return ask(query, null);
    }

    /**
     * Ask, and wait for the outcome. A query that the service has lost in a restart is asked once more, under the same
     * key, as long as its max_wait_s has not passed.
     *
     * @param key  the same key means the same query, also after a restart of the application; null: random
     */
    public Outcome ask(Query query, String key) {
        String used = key == null ? randomKey() : key;
        double ends = Transport.now() + query.maxWaitOr(maxWaitS);
        try {
            return start(query, used).await();
        } catch (ForgottenException e) {
            if (Transport.now() >= ends) throw e;
        }
        return start(query, used).await();
    }

    /** Ask by a single request that stays open until the outcome. */
    public Outcome askHeld(Query query) {
        return askHeld(query, null);
    }

    /** The same with a key; null: random. */
    public Outcome askHeld(Query query, String key) {
        double wholeS = query.maxWaitOr(maxWaitS) + providerS + marginS;
        double until = Transport.now() + Math.max(wholeS, patienceS);
        List<String> headers = Arrays.asList("Idempotency-Key", key == null ? randomKey() : key);
        Transport.Reply reply = transport.request("POST", QUERIES, headers, query.json(), false, wholeS, until);
        Outcome outcome = Outcome.of(reply.status, reply.body);
        if (outcome == null) throw reply.refusal();
        return outcome;
    }

    /** Ask, and return as soon as the service has accepted the query; with a random key. */
    public Pending start(Query query) {
        return start(query, null);
    }

    /** The same with a key; null: random. */
    public Pending start(Query query, String key) {
        String used = key == null ? randomKey() : key;
        List<String> headers = Arrays.asList("Prefer", "respond-async", "Idempotency-Key", used);
        double until = Transport.now() + patienceS;
        Transport.Reply reply = transport.request("POST", QUERIES, headers, query.json(), false, marginS, until);
        Outcome outcome = Outcome.of(reply.status, reply.body);
        if (outcome == null && reply.status != 202) throw reply.refusal();
        double leaseS = Json.number(reply.body, "lease_s", 15);
        String id = Json.text(reply.body, "id");
        if (id == null) id = reply.location == null ? "" : reply.location.replaceAll("^.*/", "");
        double untilS = System.currentTimeMillis() / 1e3 + query.maxWaitOr(maxWaitS) + providerS + leaseS;
        double maxPollS = Json.number(reply.body, "max_poll_s", leaseS);
        return new Pending(transport, id, used, untilS, leaseS, maxPollS, marginS, patienceS, outcome);
    }

    /** Go on with a query that was started before, from what its handle() was. */
    public Pending resume(String handle) {
        Map<String, Object> parts = Json.object(Json.read(handle));
        return new Pending(transport, Json.text(parts, "id"), Json.text(parts, "key"), Json.number(parts, "until_s", 0),
                Json.number(parts, "lease_s", 15), Json.number(parts, "max_poll_s", 15), marginS, patienceS, null);
    }

    /** The bounds of profiles and requests, as /openapi.json describes them. */
    public Map<String, Object> about() {
        return page("GET", "/v1/about", null, true);
    }

    /** The categories that a request may name: objects with name and objects. */
    public List<?> categories() {
        return Json.list(page("GET", "/v1/categories", null, true).get("categories"));
    }

    /** The zone of a query's position, sealed for the user of the token: an object with zone, roads and max_hops. */
    public Map<String, Object> zone(Query position) {
        return page("POST", "/v1/zone", position.positionJson(), false);
    }

    private Map<String, Object> page(String method, String path, String body, boolean isPublic) {
        double until = Transport.now() + patienceS;
        Transport.Reply reply =
                transport.request(method, path, Collections.emptyList(), body, isPublic, marginS, until);
        if (reply.status != 200) throw reply.refusal();
        return reply.body;
    }

    /** 128 random bits, 22 characters of base64url. */
    private static String randomKey() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
