package org.starcloak.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/**
 * One request after another until there is a reply that counts, or no time left.
 *
 * <p>What is safe to repeat is repeated: every POST has an Idempotency-Key, so that the service takes a repeated one for
 * the same query; GET and DELETE are so by nature. Between attempts it waits as long as the service says (Retry-After),
 * or longer each time, with a random share so that clients that lost the same server do not return at the same moment.
 *
 * <p>By HttpURLConnection and not by java.net.http, which Android does not have.
 */
final class Transport {
    private static final double FIRST_DELAY_S = 0.2;
    /** Below the shortest lease that is of use, so that a line that is back is found in time. */
    private static final double LONGEST_DELAY_S = 3;
    /** Of a reply, in bytes: far above any answer that a service gives. */
    private static final int LARGEST_REPLY = 16 << 20;
    private static final List<Integer> PASSING = Arrays.asList(408, 429, 500, 502, 503, 504);

    private final String base;
    private final Supplier<String> token;
    private final boolean canRefresh;
    private final SSLSocketFactory sockets;
    private final double marginS;
    private volatile String known;

    Transport(String url, boolean plain, Supplier<String> token, boolean canRefresh, SSLSocketFactory sockets,
            double marginS) {
        this.base = checkedUrl(url, plain);
        this.token = token;
        this.canRefresh = canRefresh;
        this.sockets = sockets;
        this.marginS = marginS;
    }

    /** A reply, as far as it matters. */
    static final class Reply {
        final int status;
        final Map<String, Object> body;
        final String location;
        final Double retryAfterS;

        Reply(int status, Map<String, Object> body, String location, Double retryAfterS) {
            this.status = status;
            this.body = body;
            this.location = location;
            this.retryAfterS = retryAfterS;
        }

        RefusedException refusal() {
            Problem problem = Problem.of(status, body);
            return status == 404 ? new ForgottenException(problem) : new RefusedException(problem, retryAfterS);
        }
    }

    /** Seconds on a clock that nobody sets. */
    static double now() {
        return System.nanoTime() / 1e9;
    }

    /** Seconds before attempt number {@code attempt} + 1: doubled each time, and between half of that and all. */
    static double backoff(int attempt, double draw) {
        double most = Math.min(LONGEST_DELAY_S, FIRST_DELAY_S * Math.pow(2, attempt));
        return most * (0.5 + draw / 2);
    }

    /** Seconds of a Retry-After header; null without one. The service sends numbers, proxies may send dates. */
    static Double retryAfter(String header) {
        if (header == null) return null;
        if (header.trim().matches("\\d+(\\.\\d+)?")) return Double.valueOf(header.trim());
        try {
            Instant date = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return Math.max(0, (date.toEpochMilli() - System.currentTimeMillis()) / 1e3);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Whether a reply with this status is worth another attempt: an outcome is not, whatever its status. */
    static boolean isPassing(int status, Map<String, Object> body) {
        return !body.containsKey("outcome") && PASSING.contains(status);
    }

    /** The service's address without a slash at its end; throws where positions would be readable on the way. */
    static String checkedUrl(String url, boolean plain) {
        URI parsed;
        try {
            parsed = URI.create(url);
        } catch (IllegalArgumentException e) {
            parsed = URI.create("");
        }
        boolean isTls = "https".equals(parsed.getScheme());
        if (parsed.getHost() == null || !isTls && !"http".equals(parsed.getScheme())) {
            throw new StarCloakException("the address of the service must begin with https://");
        }
        boolean isLocal = parsed.getHost().matches("localhost|\\[::1]|127(\\.\\d+){3}");
        if (!isTls && !plain && !isLocal) {
            throw new StarCloakException("http:// would send positions readable for all in between: use https://, "
                    + "or set plain if the network itself protects them");
        }
        return url.replaceAll("[?#].*$", "").replaceAll("/+$", "");
    }

    /**
     * The first reply that is not worth another attempt.
     *
     * @param headers  names and values in turn
     * @param body  null for none
     * @param attemptS  seconds that one attempt may take
     * @param until  when to stop trying, on the clock of now()
     */
    Reply request(String method, String path, List<String> headers, String body, boolean isPublic, double attemptS,
            double until) {
        boolean isRefreshed = false;
        for (int attempt = 0;; attempt++) {
            double left = Math.min(attemptS, Math.max(until - now(), 1));
            String bearer = isPublic ? null : currentToken();
            Reply reply = attempt(method, path, headers, body, bearer, left);
            if (Thread.currentThread().isInterrupted()) throw new StoppedException();
            if (reply != null && reply.status == 401 && canRefresh && !isRefreshed) {
                isRefreshed = true;
                known = null;
                continue;
            }
            if (reply != null && !isPassing(reply.status, reply.body)) return reply;
            double asked = reply == null || reply.retryAfterS == null ? 0 : reply.retryAfterS;
            double delay = asked + backoff(attempt, ThreadLocalRandom.current().nextDouble());
            if (now() + delay >= until) {
                if (reply == null) throw new UnreachableException("the service could not be reached in time", null);
                throw reply.refusal();
            }
            pause(delay);
        }
    }

    /** One attempt; null if no reply came. */
    private Reply attempt(String method, String path, List<String> headers, String body, String bearer,
            double attemptS) {
        HttpURLConnection connection = null;
        try {
            connection = (HttpURLConnection) new URL(base + path).openConnection();
            if (sockets != null && connection instanceof HttpsURLConnection) {
                ((HttpsURLConnection) connection).setSSLSocketFactory(sockets);
            }
            connection.setRequestMethod(method);
            connection.setConnectTimeout((int) (Math.min(marginS, attemptS) * 1000));
            connection.setReadTimeout((int) (attemptS * 1000));
            // A redirection could lead a position and a token elsewhere.
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            connection.setRequestProperty("Accept", "application/json");
            connection.setRequestProperty("User-Agent", "starcloak-client");
            if (bearer != null) connection.setRequestProperty("Authorization", "Bearer " + bearer);
            for (int i = 0; i + 1 < headers.size(); i += 2) {
                connection.setRequestProperty(headers.get(i), headers.get(i + 1));
            }
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json");
                connection.setDoOutput(true);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body.getBytes(StandardCharsets.UTF_8));
                }
            }
            int status = connection.getResponseCode();
            String text = readAll(status < 400 ? connection.getInputStream() : connection.getErrorStream());
            return new Reply(status, parsed(text), connection.getHeaderField("Location"),
                    retryAfter(connection.getHeaderField("Retry-After")));
        } catch (MalformedURLException e) {
            throw new StarCloakException("the address of the service must begin with https://");
        } catch (IOException e) {
            // Its text may have the address with the id of a query.
            if (connection != null) connection.disconnect();
            return null;
        }
    }

    private static Map<String, Object> parsed(String text) {
        try {
            return Json.object(text.isEmpty() ? null : Json.read(text));
        } catch (IllegalArgumentException e) {
            return Collections.emptyMap();
        }
    }

    private static String readAll(InputStream in) throws IOException {
        if (in == null) return "";
        try (InputStream open = in) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count; (count = open.read(part)) > 0;) {
                out.write(part, 0, count);
                if (out.size() > LARGEST_REPLY) throw new IOException("the reply is too large");
            }
            return new String(out.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    private String currentToken() {
        String current = canRefresh ? known : token.get();
        if (current == null) {
            try {
                current = token.get();
            } catch (RuntimeException e) {
                throw new StarCloakException("the function that gives the token has failed");
            }
            known = current;
        }
        return current;
    }

    static void pause(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoppedException();
        }
    }
}
