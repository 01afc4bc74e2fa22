package org.starcloak.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What the service decided about a query that it had accepted: one of the four classes here. That the service did not
 * accept it, or could not be reached, is an exception.
 *
 * <p>No toString shows where the traveller is or what is near: applications log outcomes.
 */
public abstract class Outcome {
    private Outcome() {
    }

    /** answered, dropped, failed or withdrawn. */
    public abstract String kind();

    /** The exact answer for the traveller's own position. */
    public static final class Answered extends Outcome {
        /** Seconds until the cloak left. */
        public final double waitS;
        public final String cloakId;
        /** How many different users hid together. */
        public final int users;
        /** On how many segments. */
        public final int segments;
        /** time or distance. */
        public final String metric;
        /** The road where the traveller is; null where the map has no name for it. */
        public final String street;
        /** Nearest first; cannot be changed. */
        public final List<Found> objects;

        Answered(Map<String, Object> body) {
            Map<String, Object> cloak = Json.object(body.get("cloak"));
            waitS = Json.number(body, "wait_s", 0);
            cloakId = Json.text(cloak, "id");
            users = (int) Json.number(cloak, "users", 0);
            segments = (int) Json.number(cloak, "segments", 0);
            metric = Json.text(body, "metric");
            street = Json.text(body, "street");
            List<Found> found = new ArrayList<>();
            for (Object object : Json.list(body.get("objects"))) {
                found.add(new Found(Json.object(object)));
            }
            objects = Collections.unmodifiableList(found);
        }

        @Override
        public String kind() {
            return "answered";
        }

        @Override
        public String toString() {
            return "Answered(waitS=" + waitS + ", users=" + users + ", segments=" + segments + ")";
        }
    }

    /** No cloak was found. */
    public static final class Dropped extends Outcome {
        public final String reason;
        public final double waitS;
        /** What would help, in words for people. */
        public final String advice;
        /** Of exposed: what could not be met; otherwise null. */
        public final List<String> demands;
        /** Of exposed, with continuity: seconds until the last cloak no longer counts; otherwise null. */
        public final Double laterS;

        Dropped(Map<String, Object> body) {
            reason = Json.text(body, "reason");
            waitS = Json.number(body, "wait_s", 0);
            advice = Json.text(body, "advice");
            List<String> read = null;
            if (body.get("demands") != null) {
                read = new ArrayList<>();
                for (Object demand : Json.list(body.get("demands"))) {
                    read.add(String.valueOf(demand));
                }
                read = Collections.unmodifiableList(read);
            }
            demands = read;
            laterS = body.get("later_s") instanceof Number ? ((Number) body.get("later_s")).doubleValue() : null;
        }

        @Override
        public String kind() {
            return "dropped";
        }

        @Override
        public String toString() {
            return "Dropped(reason=" + reason + ", waitS=" + waitS + ", advice=" + advice + ")";
        }
    }

    /** A cloak was found, but no answer came. */
    public static final class Failed extends Outcome {
        public final String reason;
        public final Problem problem;

        Failed(int status, Map<String, Object> body) {
            reason = Json.text(body, "reason");
            problem = Problem.of((int) Json.number(body, "status", status), body);
        }

        @Override
        public String kind() {
            return "failed";
        }

        @Override
        public String toString() {
            return "Failed(reason=" + reason + ", problem=" + problem + ")";
        }
    }

    /**
     * The query has ended without an outcome: by cancel() (reason client), or because the service had not been in
     * contact with this client for the time of a lease (reason lease).
     */
    public static final class Withdrawn extends Outcome {
        public final String reason;

        Withdrawn(String reason) {
            this.reason = reason;
        }

        @Override
        public String kind() {
            return "withdrawn";
        }

        @Override
        public String toString() {
            return "Withdrawn(reason=" + reason + ")";
        }
    }

    /** One object of an answer. */
    public static final class Found {
        public final String id;
        public final String name;
        public final String category;
        public final double distanceM;
        /** Null if the provider knows no times. */
        public final Double durationS;
        /** Null where the map has no name for it. */
        public final String street;
        /** lon and lat, or x and y; null on maps without coordinates. */
        public final Map<String, Object> position;

        Found(Map<String, Object> body) {
            id = Json.text(body, "id");
            name = Json.text(body, "name");
            category = Json.text(body, "category");
            distanceM = Json.number(body, "distance_m", 0);
            Object duration = body.get("duration_s");
            durationS = duration instanceof Number ? ((Number) duration).doubleValue() : null;
            street = Json.text(body, "street");
            Object place = body.get("position");
            position = place == null ? null : Collections.unmodifiableMap(Json.object(place));
        }
    }

    /** The outcome that a body tells, of the held form or of a look; null if it tells none. */
    static Outcome of(int status, Map<String, Object> body) {
        String kind = Json.text(body, "outcome");
        if (kind == null) kind = Json.text(body, "state");
        if (kind == null) return null;
        switch (kind) {
            case "answered":
                return new Answered(body);
            case "dropped":
                return new Dropped(body);
            case "failed":
                return new Failed(status, body);
            case "withdrawn":
                return new Withdrawn("client".equals(Json.text(body, "reason")) ? "client" : "lease");
            default:
                return null;
        }
    }
}
