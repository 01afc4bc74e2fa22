package org.starcloak.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Carries out the conformance script's commands with the Java client. README.md has the commands. It is in the client's
 * package for its JSON.
 */
public final class Driver {
    private static final Map<String, Client> CLIENTS = new ConcurrentHashMap<>();
    private static final Map<String, Pending> QUERIES = new ConcurrentHashMap<>();

    private Driver() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String text; (text = in.readLine()) != null;) {
            Map<String, Object> command = Json.object(Json.read(text));
            Thread thread = new Thread(() -> attempt(command));
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** A function that gives one token after the other, and the last one for ever. */
    private static Supplier<String> tokens(List<?> given) {
        List<Object> left = new ArrayList<>(given);
        return () -> String.valueOf(left.size() > 1 ? left.remove(0) : left.get(0));
    }

    private static Client client(Map<String, Object> command) {
        Map<String, Object> options = Json.object(command.get("options"));
        List<?> tokens = Json.list(command.get("tokens"));
        Client.Builder made = Client.at(Json.text(command, "url")).plain(true);
        if (tokens.size() == 1) made.token(String.valueOf(tokens.get(0)));
        else made.token(tokens(tokens));
        return made.patienceS(Json.number(options, "patience_s", 30))
                .marginS(Json.number(options, "margin_s", 5))
                .providerS(Json.number(options, "provider_s", 15))
                .build();
    }

    private static void carryOut(Map<String, Object> command, Map<String, Object> line) {
        String kind = Json.text(command, "do");
        String name = Json.text(command, "query_name");
        String key = Json.text(command, "key");
        if ("client".equals(kind)) {
            CLIENTS.put(Json.text(command, "client"), client(command));
            return;
        }
        if ("ask".equals(kind)) {
            Client client = CLIENTS.get(Json.text(command, "client"));
            Query query = Query.of(Json.object(command.get("query")));
            boolean isHeld = Boolean.TRUE.equals(command.get("held"));
            show(isHeld ? client.askHeld(query, key) : client.ask(query, key), line);
            return;
        }
        if ("start".equals(kind) || "resume".equals(kind)) {
            Client client = CLIENTS.get(Json.text(command, "client"));
            Pending made = "resume".equals(kind) ? client.resume(Json.text(command, "handle"))
                    : client.start(Query.of(Json.object(command.get("query"))), key);
            QUERIES.put(name, made);
            line.put("state", made.state());
            line.put("handle", made.handle());
            return;
        }
        Pending pending = QUERIES.get(name);
        if ("look".equals(kind)) {
            line.put("state", pending.look((int) Json.number(command, "wait_s", 0)));
        } else if ("cancel".equals(kind)) {
            pending.cancel();
            line.put("state", pending.state());
        } else if ("wait".equals(kind)) {
            show(pending.await(), line);
        } else {
            throw new IllegalArgumentException(kind);
        }
    }

    private static void show(Outcome outcome, Map<String, Object> line) {
        line.put("outcome", outcome.kind());
        line.put("text", outcome.toString());
        if (outcome instanceof Outcome.Answered) {
            Outcome.Answered answered = (Outcome.Answered) outcome;
            List<Object> ids = new ArrayList<>();
            for (Outcome.Found found : answered.objects) {
                ids.add(found.id);
            }
            line.put("users", answered.users);
            line.put("objects", ids);
        } else if (outcome instanceof Outcome.Dropped) {
            line.put("reason", ((Outcome.Dropped) outcome).reason);
        } else if (outcome instanceof Outcome.Failed) {
            line.put("reason", ((Outcome.Failed) outcome).reason);
        } else {
            line.put("reason", ((Outcome.Withdrawn) outcome).reason);
        }
    }

    private static void attempt(Map<String, Object> command) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("n", command.get("n"));
        try {
            carryOut(command, line);
        } catch (RefusedException e) {
            line.put("error", e instanceof ForgottenException ? "forgotten" : "refused");
            line.put("status", e.status);
            line.put("type", e.problem.type);
            line.put("text", e.toString());
            if (e.retryAfterS != null) line.put("retry_after_s", e.retryAfterS);
        } catch (UnreachableException e) {
            line.put("error", "unreachable");
            line.put("handle", e.handle);
            line.put("text", e.toString());
        } catch (StarCloakException e) {
            line.put("error", "other");
            line.put("text", e.toString());
        } catch (RuntimeException e) {
            line.put("error", "fault");
            line.put("text", e.toString());
        }
        synchronized (System.out) {
            System.out.println(Json.write(line));
            System.out.flush();
        }
    }
}
