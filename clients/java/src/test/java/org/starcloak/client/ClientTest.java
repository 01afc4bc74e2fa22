package org.starcloak.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What needs no service: JSON, times, addresses, replies that no service of ours gives, and what exceptions say. All
 * else is tested against a real service by clients/conformance. A program of its own: there is no library to test with.
 */
public final class ClientTest {
    private static final String ACCEPTED =
            "202 {\"id\":\"secretid\",\"state\":\"waiting\",\"lease_s\":15,\"max_poll_s\":30}";
    private static final String SHORT = ACCEPTED.replace(":15,", ":0.5,");
    private static int failed;

    private ClientTest() {
    }

    public static void main(String[] arguments) throws IOException {
        jsonIsReadAndWritten();
        pausesDouble();
        retryAfterIsSecondsOrADate();
        positionsGoInPlainOnlyToThisMachine();
        outcomesAreNotAskedForAgain();
        aTokenFunctionIsAskedAgainOnce();
        aRepeatedRequestHasItsKey();
        aRefusalIsRepeatedWithPatience();
        whatIsForgottenIsAskedAgainOnce();
        aRedirectionIsNotFollowed();
        anInterruptEndsWaiting();
        noExceptionHasASecret();
        System.exit(failed == 0 ? 0 : 1);
    }

    /** A server that gives these replies in turn, each a status and a body, the last one for ever. */
    private static final class Scripted implements AutoCloseable {
        final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        final List<String> replies;
        final List<String> paths = new CopyOnWriteArrayList<>();
        final List<String> keys = new CopyOnWriteArrayList<>();
        final List<String> tokens = new CopyOnWriteArrayList<>();
        int retryAfterS;

        Scripted(String... told) throws IOException {
            replies = new ArrayList<>(Arrays.asList(told));
            server.createContext("/", this::answer);
            server.start();
        }

        Client.Builder client() {
            return Client.at("http://127.0.0.1:" + server.getAddress().getPort()).token("secrettoken");
        }

        private void answer(HttpExchange exchange) throws IOException {
            paths.add(exchange.getRequestURI().toString());
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            exchange.getRequestBody().readAllBytes();
            String reply = replies.size() > 1 ? replies.remove(0) : replies.get(0);
            byte[] body = reply.substring(3).trim().getBytes(StandardCharsets.UTF_8);
            int status = Integer.parseInt(reply.substring(0, 3));
            if (retryAfterS > 0) exchange.getResponseHeaders().set("Retry-After", String.valueOf(retryAfterS));
            if (status == 307) exchange.getResponseHeaders().set("Location", "http://127.0.0.1:1/");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            if (body.length > 0) exchange.getResponseBody().write(body);
            exchange.close();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private static Query query() {
        return Query.at(8.0123, 49.9945).nearest(3);
    }

    private static void jsonIsReadAndWritten() {
        String text = "{\"a\":[1,-2.5,true,null,\"x\\\"\\u00e9\"],\"b\":{}}";
        equal("a text is read and written", Json.write(Json.read(text)), "{\"a\":[1,-2.5,true,null,\"x\\\"é\"],\"b\":{}}");
        equal("an escape is read", Json.read("\"\\n\\ud83d\\ude00\""), "\n😀");
        equal("large numbers stay exact", Json.write(Json.read("1763500000.25")), "1.76350000025E9");
        String deep = String.join("", Collections.nCopies(100_000, "["));
        for (String wrong : new String[] {"", "{", "[1,]", "01", "1.", "nul", "\"\\x\"", "\"a", "{1:2}", "[] []", "+1",
            "\"\\u12\"", "{\"a\" 1}", "\"\t\"", deep}) {
            try {
                Json.read(wrong);
                equal("refused: " + wrong.substring(0, Math.min(wrong.length(), 10)), "read", "refused");
            } catch (IllegalArgumentException e) {
                equal("a refusal repeats nothing", e.getMessage().contains("secret"), false);
            }
        }
        equal("a query is as described", query().k(5).maxWaitS(2.5).heading(90).json(),
                "{\"position\":{\"lon\":8.0123,\"lat\":49.9945,\"heading_deg\":90},"
                        + "\"profile\":{\"k\":5,\"max_wait_s\":2.5},\"request\":{\"type\":\"knn\",\"k\":3}}");
        equal("the last request counts", Query.onEdge(17, 1.5).nearest(3).withinM(500).json(),
                "{\"position\":{\"edge\":17,\"offset_m\":1.5},\"request\":{\"type\":\"range\",\"radius_m\":500}}");
    }

    private static void pausesDouble() {
        for (int attempt = 0; attempt < 40; attempt++) {
            double most = Math.min(3, 0.2 * Math.pow(2, attempt));
            equal("half of a pause is sure", Transport.backoff(attempt, 0), most / 2);
            equal("and the other half random", Transport.backoff(attempt, 1), most);
        }
    }

    private static void retryAfterIsSecondsOrADate() {
        equal("seconds", Transport.retryAfter("7"), 7.0);
        equal("none", Transport.retryAfter(null), null);
        equal("neither", Transport.retryAfter("soon"), null);
        ZonedDateTime date = ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(60);
        Double seconds = Transport.retryAfter(DateTimeFormatter.RFC_1123_DATE_TIME.format(date));
        equal("a date", Math.abs(seconds - 60) < 2, true);
        equal("a date that has passed", Transport.retryAfter("Thu, 1 Jan 1970 00:00:00 GMT"), 0.0);
    }

    private static void positionsGoInPlainOnlyToThisMachine() {
        equal("a base", Transport.checkedUrl("https://cloak.example/base/", false), "https://cloak.example/base");
        for (String local : new String[] {"http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"}) {
            equal("this machine", Transport.checkedUrl(local, false), local);
        }
        for (String far : new String[] {"http://cloak.example", "http://127.0.0.1.example"}) {
            equal("refused: " + far, thrown(() -> Transport.checkedUrl(far, false)), "StarCloakException");
            equal("wanted: " + far, Transport.checkedUrl(far, true), far);
        }
        equal("not HTTP", thrown(() -> Transport.checkedUrl("ftp://cloak.example", true)), "StarCloakException");
    }

    private static void outcomesAreNotAskedForAgain() {
        Map<String, Object> failure = Json.object(Json.read(
                "{\"outcome\":\"failed\",\"reason\":\"in_doubt\",\"type\":\"t\",\"title\":\"T\",\"status\":503}"));
        equal("busy", Transport.isPassing(503, Collections.emptyMap()), true);
        equal("failed", Transport.isPassing(503, failure), false);
        Outcome outcome = Outcome.of(503, failure);
        equal("its reason", ((Outcome.Failed) outcome).reason, "in_doubt");
        equal("its problem", ((Outcome.Failed) outcome).problem.title, "T");
        equal("no outcome", Outcome.of(200, Json.object(Json.read("{\"outcome\":\"new\"}"))), null);
        equal("no problem", Problem.of(502, Collections.emptyMap()).title, "HTTP status 502");
    }

    private static void aTokenFunctionIsAskedAgainOnce() throws IOException {
        Iterator<String> given = Arrays.asList("old", "new", "newer").iterator();
        try (Scripted server = new Scripted("401", "204")) {
            Client client = Client.at("http://127.0.0.1:" + server.server.getAddress().getPort())
                    .token(given::next).build();
            client.resume("{\"id\":\"x\"}").cancel();
            equal("tokens", server.tokens, Arrays.asList("Bearer old", "Bearer new"));
        }
        try (Scripted server = new Scripted("401")) {
            Client client = Client.at("http://127.0.0.1:" + server.server.getAddress().getPort())
                    .token(() -> "bad").build();
            equal("a bad token", thrown(() -> client.ask(query())), "RefusedException");
            equal("is tried twice", server.tokens.size(), 2);
        }
    }

    private static void aRepeatedRequestHasItsKey() throws IOException {
        try (Scripted server = new Scripted("503", "502 <html>", ACCEPTED)) {
            Client client = server.client().build();
            client.start(query());
            equal("requests", server.keys.size(), 3);
            equal("keys", new HashSet<>(server.keys).size(), 1);
            equal("a key", server.keys.get(0).matches("[\\w-]{22}"), true);
            client.start(query());
            equal("another key", server.keys.get(3).equals(server.keys.get(0)), false);
        }
    }

    private static void aRefusalIsRepeatedWithPatience() throws IOException {
        try (Scripted server = new Scripted("429")) {
            server.retryAfterS = 60;
            equal("refused", thrown(() -> server.client().patienceS(10).build().ask(query())), "RefusedException");
            equal("once", server.paths.size(), 1);
        }
        equal("no line", thrown(() -> Client.at("http://127.0.0.1:1").token("t").patienceS(0.5).build().ask(query())),
                "UnreachableException");
    }

    private static void whatIsForgottenIsAskedAgainOnce() throws IOException {
        try (Scripted server = new Scripted(ACCEPTED, "404", ACCEPTED, "404")) {
            equal("forgotten", thrown(() -> server.client().build().ask(query())), "ForgottenException");
            equal("requests", server.paths.size(), 4);
            equal("the same key", server.keys.get(2), server.keys.get(0));
        }
    }

    private static void aRedirectionIsNotFollowed() throws IOException {
        try (Scripted server = new Scripted("307")) {
            equal("refused", thrown(() -> server.client().build().ask(query())), "RefusedException");
            equal("once", server.paths.size(), 1);
        }
    }

    private static void anInterruptEndsWaiting() throws IOException {
        try (Scripted server = new Scripted("503")) {
            Thread.currentThread().interrupt();
            equal("stopped", thrown(() -> server.client().build().ask(query())), "StoppedException");
            equal("and still interrupted", Thread.interrupted(), true);
        }
    }

    private static void noExceptionHasASecret() throws IOException {
        for (String[] replies : new String[][] {{"400"}, {"503"}, {SHORT, "404"}, {SHORT, "500"}}) {
            try (Scripted server = new Scripted(replies)) {
                Client client = server.client().patienceS(0).marginS(0.1).providerS(0).build();
                try {
                    client.ask(query().maxWaitS(0.01), "secretkey");
                    equal("there was an outcome", replies[0], "none");
                } catch (StarCloakException e) {
                    StringWriter seen = new StringWriter();
                    e.printStackTrace(new PrintWriter(seen));
                    equal(seen.toString(), seen.toString().matches("(?s).*(49\\.9|8\\.01|secret).*"), false);
                }
                for (String path : server.paths) {
                    equal("an address", path.matches(".*(49\\.9|8\\.01|token|secretkey).*"), false);
                }
            }
        }
        equal("a query shows nothing", query().toString(), "Query(hidden)");
        equal("NaN is refused without it", thrown(() -> Query.at(Double.NaN, 1).nearest(1).json()),
                "IllegalArgumentException");
    }

    private static String thrown(Runnable action) {
        try {
            action.run();
            return "nothing";
        } catch (RuntimeException e) {
            return e.getClass().getSimpleName();
        }
    }

    private static void equal(String what, Object got, Object wanted) {
        if (got == null ? wanted == null : got.equals(wanted)) return;
        failed++;
        System.err.println(what + ": got '" + got + "', wanted '" + wanted + "'");
    }
}
