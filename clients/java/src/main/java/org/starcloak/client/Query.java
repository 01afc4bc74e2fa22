package org.starcloak.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is asked: where one is, what one looks for, and how well to hide it. What is not set is the operator's default.
 *
 * <pre>{@code
 * Query query = Query.at(8.0123, 49.9945).nearest(3).categories("hospital").k(5).maxWaitS(10);
 * }</pre>
 *
 * <p>It can be changed until it is used; toString shows nothing of it.
 */
public final class Query {
    private final Map<String, Object> position;
    private final Map<String, Object> request = new LinkedHashMap<>();
    private final Map<String, Object> profile = new LinkedHashMap<>();
    private String zone;

    private Query(Map<String, Object> position) {
        this.position = position;
    }

    /** In degrees (WGS 84), on maps with geographic coordinates. */
    public static Query at(double lon, double lat) {
        return new Query(pair("lon", lon, "lat", lat));
    }

    /** On planar maps, in the map's own units. */
    public static Query atPlanar(double x, double y) {
        return new Query(pair("x", x, "y", y));
    }

    /** On an edge of the map, at that distance from its first node. */
    public static Query onEdge(long edge, double offsetM) {
        return new Query(pair("edge", edge, "offset_m", offsetM));
    }

    /** Which way the traveller goes, in degrees clockwise from north. */
    public Query heading(double degrees) {
        position.put("heading_deg", degrees);
        return this;
    }

    /** Look for that many of the nearest objects. */
    public Query nearest(int count) {
        return wants("knn", "k", count);
    }

    /** Look for all objects within a distance by road. */
    public Query withinM(double radiusM) {
        return wants("range", "radius_m", radiusM);
    }

    /** Look for all objects within a travel time. */
    public Query withinS(double radiusS) {
        return wants("range", "radius_s", radiusS);
    }

    /** time or distance: what is near. */
    public Query metric(String metric) {
        request.put("metric", metric);
        return this;
    }

    /** Names that the service's categories have; without them, objects of all categories. */
    public Query categories(String... names) {
        request.put("categories", new ArrayList<>(Arrays.asList(names)));
        return this;
    }

    /** How many different users the cloak must hold. */
    public Query k(int users) {
        profile.put("k", users);
        return this;
    }

    /** How many segments it must have. */
    public Query l(int segments) {
        profile.put("l", segments);
        return this;
    }

    /** How far it may reach, in hops between crossings. */
    public Query maxHops(int hops) {
        profile.put("max_hops", hops);
        return this;
    }

    /** How long the query may wait for its cloak, in seconds. */
    public Query maxWaitS(double seconds) {
        profile.put("max_wait_s", seconds);
        return this;
    }

    /** The user's zone, as Client.zone() gave it. */
    public Query zone(String sealed) {
        zone = sealed;
        return this;
    }

    /** A query from the members that /openapi.json describes. */
    static Query of(Map<String, Object> members) {
        Query query = new Query(Json.object(members.get("position")));
        query.request.putAll(Json.object(members.get("request")));
        query.profile.putAll(Json.object(members.get("profile")));
        query.zone = Json.text(members, "zone");
        return query;
    }

    String json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("position", position);
        if (!profile.isEmpty()) members.put("profile", profile);
        members.put("request", request);
        if (zone != null) members.put("zone", zone);
        return Json.write(members);
    }

    String positionJson() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("position", position);
        return Json.write(members);
    }

    /** Seconds; the given ones if the query leaves it to the operator. */
    double maxWaitOr(double otherwise) {
        return Json.number(profile, "max_wait_s", otherwise);
    }

    @Override
    public String toString() {
        return "Query(hidden)";
    }

    private Query wants(String type, String name, Object value) {
        List<String> others = Arrays.asList("k", "radius_m", "radius_s");
        request.keySet().removeAll(others);
        request.put("type", type);
        request.put(name, value);
        return this;
    }

    private static Map<String, Object> pair(String one, Object first, String other, Object second) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(one, first);
        members.put(other, second);
        return members;
    }
}
