// Messages that a provider must refuse, with the status that docs/provider-protocol.md asks for.
//
// Each is made of a sound one, in which one thing is changed. They are put together here, byte by
// byte: the encoders of src/lib/relay write no message that is wrong.
#include "conformance/conformance_internal.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The limits of docs/provider-protocol.md. */
enum { MAX_BYTES = 16 << 20, MAX_REQUESTS = 1000 };

// --- Messages -----------------------------------------------------------------------------------

/** A request in numbers and words that may make no sense. */
typedef struct raw_request {
    const char *type;      ///< GeoJSON only; NULL: as the others say
    const char *k;         ///< NULL: none
    const char *radius_m;  ///< NULL: none
    const char *radius_s;
    const char *category;
    const char *metric;      ///< GeoJSON; NULL: distance
    unsigned metric_number;  ///< compact
} raw_request;

/** What is wrong with a message; all zero: nothing. */
typedef struct flaw {
    raw_request request;  ///< without k and radius: the three nearest
    bool has_none;        ///< no request at all
    bool is_twice;        ///< the request
    size_t many;          ///< so many ranges instead
    unsigned version;     ///< instead of 2
    bool has_no_version;
    bool is_other_map;  ///< compact
    bool has_no_segments;
    bool is_elsewhere;    ///< a segment that the map does not have
    bool is_partly;       ///< GeoJSON: a line along a part of a road
    bool is_no_crossing;  ///< a border node that the map does not have
    const char *member;   ///< GeoJSON: text put in front of the members
    bool has_new_field;   ///< compact: a field that no version has
    size_t padding;       ///< so many bytes that mean nothing
    size_t cut;           ///< the last bytes are not sent: 1 of so many parts
} flaw;

typedef struct message {
    sc_bytes body;
    bool is_fine;  ///< memory sufficed
} message;

static void put_bytes(message *m, const void *bytes, size_t size)
{
    m->is_fine = m->is_fine && sc_bytes_append(&m->body, bytes, size);
}

static void put_text(message *m, const char *text)
{
    put_bytes(m, text, strlen(text));
}

// --- GeoJSON ------------------------------------------------------------------------------------

static void put_member(message *m, const char *name, const char *value, bool is_text)
{
    if (!value) return;
    put_text(m, ",\"");
    put_text(m, name);
    put_text(m, is_text ? "\":\"" : "\":");
    put_text(m, value);
    if (is_text) put_text(m, "\"");
}

static void put_geojson_request(message *m, const raw_request *request)
{
    const bool is_range = request->radius_m || request->radius_s;
    put_text(m, "{\"type\":\"");
    put_text(m, request->type ? request->type : is_range ? "range" : "knn");
    put_text(m, "\"");
    put_member(m, "metric", request->metric ? request->metric : "distance", true);
    put_member(m, "k", request->k ? request->k : is_range ? NULL : "3", false);
    put_member(m, "radius_m", request->radius_m, false);
    put_member(m, "radius_s", request->radius_s, false);
    if (request->category) {
        put_text(m, ",\"categories\":[\"");
        put_text(m, request->category);
        put_text(m, "\"]");
    }
    put_text(m, "}");
}

/** Degrees that are added to all positions of an elsewhere: some kilometres. */
#define ELSEWHERE_DEG 0.05

static void put_node(message *m, const sc_map *map, sc_node_id node, double shift_deg)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_node_position(map, node, &lon, &lat);
    const double away = lat > 0 ? -shift_deg : shift_deg;
    char text[64];
    snprintf(text, sizeof text, "[%.7f,%.7f]", lon, lat + away);
    put_text(m, text);
}

static void open_feature(message *m, char letter, size_t place, const char *type)
{
    char text[128];
    snprintf(text, sizeof text,
             "{\"type\":\"Feature\",\"id\":\"%c%zu\",\"properties\":null,\"geometry\":{\"type\":"
             "\"%s\",\"coordinates\":",
             letter, place, type);
    put_text(m, text);
}

/** The points of a segment, which is none across the 180th meridian. */
static void put_line(message *m, const sc_map *map, sc_seg_id segment, const flaw *wrong)
{
    const sc_segment *at = &sc_map_segments(map)[segment];
    const sc_edge *edges = sc_map_edges(map);
    const sc_edge_id first = at->first_edge;
    const sc_edge_id end = at[1].first_edge;
    const double shift = wrong->is_elsewhere ? ELSEWHERE_DEG : 0.0;
    // Edges of a chain may be stored in either direction.
    sc_node_id node = edges[first].from;
    if (end - first > 1) {
        const sc_edge *next = &edges[first + 1];
        if (node == next->from || node == next->to) node = edges[first].to;
    }
    put_text(m, "[");
    put_node(m, map, node, shift);
    for (sc_edge_id e = first; e < end; e++) {
        const sc_node_id next = edges[e].from == node ? edges[e].to : edges[e].from;
        put_text(m, ",");
        if (wrong->is_partly && e + 1 == end) {
            double x[2];
            double y[2];
            sc_map_node_position(map, node, &x[0], &y[0]);
            sc_map_node_position(map, next, &x[1], &y[1]);
            char text[64];
            snprintf(text, sizeof text, "[%.7f,%.7f]", (x[0] + x[1]) / 2, (y[0] + y[1]) / 2);
            put_text(m, text);
        } else {
            put_node(m, map, next, shift);
        }
        node = next;
    }
    put_text(m, "]");
}

static void put_features(message *m, const sc_map *map, const sc__probe_cloak *cloak,
                         const flaw *wrong)
{
    put_text(m, "\"features\":[");
    bool is_first = true;
    for (size_t i = 0; i < cloak->segment_count && !wrong->has_no_segments; i++) {
        if (!is_first) put_text(m, ",");
        is_first = false;
        open_feature(m, 's', i, "LineString");
        put_line(m, map, cloak->segments[i], wrong);
        put_text(m, "}}");
    }
    for (size_t i = 0; i < cloak->border_node_count; i++) {
        if (!is_first) put_text(m, ",");
        is_first = false;
        open_feature(m, 'b', i, "Point");
        put_node(m, map, cloak->border_nodes[i], wrong->is_no_crossing ? ELSEWHERE_DEG : 0.0);
        put_text(m, "}}");
    }
    put_text(m, "]");
}

static void write_geojson(message *m, const sc_map *map, const sc__probe_cloak *cloak,
                          const flaw *wrong)
{
    char text[96];
    put_text(m, "{\"type\":\"FeatureCollection\"");
    if (wrong->member) put_text(m, wrong->member);
    if (!wrong->has_no_version) {
        snprintf(text, sizeof text, ",\"starcloak\":%u", wrong->version ? wrong->version : 2);
        put_text(m, text);
    }
    put_text(m, ",\"requests\":[");
    if (!wrong->has_none && wrong->many == 0) put_geojson_request(m, &wrong->request);
    if (wrong->is_twice) {
        put_text(m, ",");
        put_geojson_request(m, &wrong->request);
    }
    for (size_t i = 0; i < wrong->many; i++) {
        snprintf(text, sizeof text, "%s{\"type\":\"range\",\"radius_m\":%zu}", i > 0 ? "," : "", i);
        put_text(m, text);
    }
    put_text(m, "],");
    put_features(m, map, cloak, wrong);
    put_text(m, "}");
    for (size_t i = 0; i < wrong->padding; i += sizeof text) {
        memset(text, ' ', sizeof text);
        put_bytes(m, text, sizeof text);
    }
}

// --- Compact ------------------------------------------------------------------------------------

/** Numbers and kinds of fields, as relay.proto has them. */
enum {
    FIELD_MAP = 1 << 3 | 1,
    FIELD_SEGMENTS = 2 << 3 | 2,
    FIELD_BORDER_NODES = 3 << 3 | 2,
    FIELD_REQUESTS = 4 << 3 | 2,
    FIELD_VERSION = 5 << 3,
    FIELD_NEW = 15 << 3 | 2,
    REQUEST_K = 1 << 3,
    REQUEST_RADIUS_M = 2 << 3 | 1,
    REQUEST_CATEGORIES = 3 << 3 | 2,
    REQUEST_RADIUS_S = 4 << 3 | 1,
    REQUEST_METRIC = 5 << 3,
};

static void put_varint(message *m, uint64_t number)
{
    m->is_fine = m->is_fine && sc_bytes_append_varint(&m->body, number);
}

/** A part with its size in front; frees it. */
static void put_part(message *m, unsigned field, message *part)
{
    put_varint(m, field);
    put_varint(m, part->body.size);
    put_bytes(m, part->body.data, part->body.size);
    m->is_fine = m->is_fine && part->is_fine;
    sc_bytes_fini(&part->body);
}

static void put_ids(message *m, unsigned field, const uint32_t *ids, size_t count, uint32_t more)
{
    message part = {.is_fine = true};
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        put_varint(&part, ids[i] - before);
        before = ids[i];
    }
    // Beyond the last number of the map.
    if (more != SC_NONE) put_varint(&part, more - before);
    put_part(m, field, &part);
}

static void put_double(message *m, unsigned field, const char *text)
{
    if (!text) return;
    const double value = strtod(text, NULL);
    put_varint(m, field);
    put_bytes(m, &value, sizeof value);
}

static void put_compact_request(message *m, const raw_request *request)
{
    message part = {.is_fine = true};
    const bool is_range = request->radius_m || request->radius_s;
    if (request->k || !is_range) {
        put_varint(&part, REQUEST_K);
        put_varint(&part, request->k ? strtoull(request->k, NULL, 10) : 3);
    }
    put_double(&part, REQUEST_RADIUS_M, request->radius_m);
    if (request->category) {
        put_varint(&part, REQUEST_CATEGORIES);
        put_varint(&part, strlen(request->category));
        put_text(&part, request->category);
    }
    put_double(&part, REQUEST_RADIUS_S, request->radius_s);
    put_varint(&part, REQUEST_METRIC);
    put_varint(&part, request->metric_number);
    put_part(m, FIELD_REQUESTS, &part);
}

static void write_compact(message *m, const sc_map *map, const sc__probe_cloak *cloak,
                          const flaw *wrong)
{
    const uint64_t checksum = sc_map_checksum(map) ^ (wrong->is_other_map ? 1 : 0);
    put_varint(m, FIELD_MAP);
    put_bytes(m, &checksum, sizeof checksum);
    if (!wrong->has_no_segments) {
        put_ids(m, FIELD_SEGMENTS, cloak->segments, cloak->segment_count,
                wrong->is_elsewhere ? sc_map_segment_count(map) + 7 : SC_NONE);
    }
    put_ids(m, FIELD_BORDER_NODES, cloak->border_nodes, cloak->border_node_count,
            wrong->is_no_crossing ? sc_map_node_count(map) + 7 : SC_NONE);
    if (!wrong->has_none && wrong->many == 0) put_compact_request(m, &wrong->request);
    if (wrong->is_twice) put_compact_request(m, &wrong->request);
    for (size_t i = 0; i < wrong->many; i++) {
        char radius[32];
        snprintf(radius, sizeof radius, "%zu", i);
        put_compact_request(m, &(raw_request){.radius_m = radius});
    }
    if (!wrong->has_no_version) {
        put_varint(m, FIELD_VERSION);
        put_varint(m, wrong->version ? wrong->version : 2);
    }
    if (wrong->has_new_field || wrong->padding > 0) {
        message part = {.is_fine = true};
        const char nothing[96] = {0};
        put_text(&part, "new");
        for (size_t i = 0; i < wrong->padding; i += sizeof nothing) {
            put_bytes(&part, nothing, sizeof nothing);
        }
        put_part(m, FIELD_NEW, &part);
    }
}

// --- Sending ------------------------------------------------------------------------------------

/** The first position of a message, as it is written there; "" if it has none. */
static void first_position(const message *m, char out[32])
{
    static const char mark[] = "\"coordinates\":[[";
    out[0] = '\0';
    const char *at =
        m->body.data ? memmem(m->body.data, m->body.size, mark, sizeof mark - 1) : NULL;
    if (!at) return;
    at += sizeof mark - 1;
    const size_t size = strcspn(at, ",]");
    if (size < 4 || size >= 32) return;
    memcpy(out, at, size - 1);
    out[size - 1] = '\0';
}

/** Keep what is wrong with a refusal's body. */
static void look_at_problem(sc__probe *probe, const message *m, const sc__probe_answer *answer)
{
    probe->refusals++;
    if (probe->bad_problem[0] != '\0') return;
    char *bad = probe->bad_problem;
    const size_t room = sizeof probe->bad_problem;
    if (sc__probe_problem_title(answer).text[0] == '\0') {
        snprintf(bad, room, "a refusal with status %ld has the Content-Type '%.60s' and no title",
                 answer->status, answer->type);
        return;
    }
    char position[32];
    first_position(m, position);
    if (position[0] != '\0' &&
        memmem(answer->body.data, answer->body.size, position, strlen(position))) {
        snprintf(bad, room, "a refusal with status %ld repeats a position of the message",
                 answer->status);
    }
}

static sc_err write_message(const sc__probe *probe, const flaw *wrong, message *out)
{
    *out = (message){.is_fine = true};
    const sc__probe_cloak *cloak = &probe->cloaks[0];
    if (probe->codec.encoding == SC_ENCODING_COMPACT) {
        write_compact(out, probe->options->map, cloak, wrong);
    } else {
        write_geojson(out, probe->options->map, cloak, wrong);
    }
    if (wrong->cut > 0) out->body.size -= out->body.size / wrong->cut;
    return out->is_fine ? SC_OK : SC_ENOMEM;
}

/** Send such a message; its status must be `wanted`, or `or_wanted` if that is not 0. */
static sc_err expect_typed(sc__probe *probe, const char *type, const flaw *wrong, long wanted,
                           long or_wanted, sc_finding *finding)
{
    message m;
    sc_err err = write_message(probe, wrong, &m);
    if (!err) {
        sc__probe_answer answer;
        sc__probe_post(probe, type, m.body.data, m.body.size, &answer);
        if (answer.status != wanted && (or_wanted == 0 || answer.status != or_wanted)) {
            char either[32] = "";
            if (or_wanted != 0) snprintf(either, sizeof either, " or %ld", or_wanted);
            sc__finding_fails(finding, "%s, instead of status %ld%s",
                              sc__probe_answer_words(&answer).text, wanted, either);
        } else if (answer.status != 200) {
            look_at_problem(probe, &m, &answer);
        }
        sc__probe_answer_fini(&answer);
    }
    sc_bytes_fini(&m.body);
    return err;
}

static sc_err expect(sc__probe *probe, const flaw *wrong, long wanted, long or_wanted,
                     sc_finding *finding)
{
    return expect_typed(probe, sc_encoding_media_type(probe->codec.encoding), wrong, wanted,
                        or_wanted, finding);
}

// --- What is no message -------------------------------------------------------------------------

static sc_err check_plain(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.cut = 0}, 200, 0, finding);
}

static sc_err check_garbage(sc__probe *probe, sc_finding *finding)
{
    static const char *const texts[] = {"zzzz", "{}", "[1,2", "\xff\xff\xff\xff\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !finding->verdict; i++) {
        sc__probe_answer answer;
        sc__probe_post(probe, sc_encoding_media_type(probe->codec.encoding), texts[i],
                       strlen(texts[i]), &answer);
        if (answer.status != 400) {
            sc__finding_fails(finding, "%s, instead of status 400",
                              sc__probe_answer_words(&answer).text);
        } else {
            look_at_problem(probe, &(message){.is_fine = true}, &answer);
        }
        sc__probe_answer_fini(&answer);
    }
    return SC_OK;
}

static sc_err check_cut(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.cut = 2}, 400, 0, finding);
}

static sc_err check_too_large(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.padding = MAX_BYTES}, 413, 0, finding);
}

static sc_err check_too_many(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.many = MAX_REQUESTS + 1}, 413, 0, finding);
}

static sc_err check_member_twice(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.member = ",\"starcloak\":2"}, 400, 0, finding);
}

static sc_err check_new_field(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.member = ",\"of_a_later_day\":[1,{}]", .has_new_field = true},
                  200, 0, finding);
}

// --- Versions and media types -------------------------------------------------------------------

static sc_err check_no_version(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.has_no_version = true}, 400, 0, finding);
}

static sc_err check_version(sc__probe *probe, sc_finding *finding)
{
    const sc_err err = expect(probe, &(flaw){.version = 1}, 400, 0, finding);
    if (err || finding->verdict) return err;
    return expect(probe, &(flaw){.version = 3}, 400, 0, finding);
}

static sc_err check_type_version(sc__probe *probe, sc_finding *finding)
{
    char type[96];
    sc_err err = SC_OK;
    for (unsigned version = 1; version <= 3 && !err && !finding->verdict; version += 2) {
        const char *whole = sc_encoding_media_type(probe->codec.encoding);
        snprintf(type, sizeof type, "%.*s; version=%u", (int)strcspn(whole, ";"), whole, version);
        err = expect_typed(probe, type, &(flaw){.cut = 0}, 415, 0, finding);
    }
    return err;
}

static sc_err check_other_type(sc__probe *probe, sc_finding *finding)
{
    const sc_err err = expect_typed(probe, "text/plain", &(flaw){.cut = 0}, 415, 0, finding);
    if (err || finding->verdict) return err;
    return expect_typed(probe, "application/json", &(flaw){.cut = 0}, 415, 0, finding);
}

// --- Requests that cannot be answered -----------------------------------------------------------

static sc_err check_category(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.request = {.category = "no such category"}}, 422, 0, finding);
}

static sc_err check_metric(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.request = {.metric = "beauty", .metric_number = 7}}, 422, 0,
                  finding);
}

static sc_err check_type(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.request = {.type = "farthest"}}, 422, 0, finding);
}

static sc_err check_radius(sc__probe *probe, sc_finding *finding)
{
    const sc_err err =
        expect(probe, &(flaw){.request = {.radius_m = "5", .metric = "time", .metric_number = 1}},
               422, 0, finding);
    if (err || finding->verdict) return err;
    return expect(probe, &(flaw){.request = {.radius_s = "5"}}, 422, 0, finding);
}

static sc_err check_negative(sc__probe *probe, sc_finding *finding)
{
    const sc_err err = expect(probe, &(flaw){.request = {.k = "0"}}, 422, 400, finding);
    if (err || finding->verdict) return err;
    return expect(probe, &(flaw){.request = {.radius_m = "-1"}}, 422, 400, finding);
}

static sc_err check_too_far(sc__probe *probe, sc_finding *finding)
{
    sc_err err = expect(probe, &(flaw){.request = {.k = "4294967295"}}, 422, 0, finding);
    if (err || finding->verdict) return err;
    err = expect(probe, &(flaw){.request = {.radius_m = "1e12"}}, 422, 0, finding);
    if (err || finding->verdict) return err;
    return expect(probe,
                  &(flaw){.request = {.radius_s = "1e12", .metric = "time", .metric_number = 1}},
                  422, 0, finding);
}

static sc_err check_twice(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.is_twice = true}, 422, 0, finding);
}

static sc_err check_empty(sc__probe *probe, sc_finding *finding)
{
    const sc_err err = expect(probe, &(flaw){.has_none = true}, 400, 422, finding);
    if (err || finding->verdict) return err;
    return expect(probe, &(flaw){.has_no_segments = true}, 400, 422, finding);
}

// --- Roads --------------------------------------------------------------------------------------

static sc_err check_other_map(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.is_other_map = true}, 409, 0, finding);
}

static sc_err check_elsewhere(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.is_elsewhere = true}, 422, 0, finding);
}

static sc_err check_partly(sc__probe *probe, sc_finding *finding)
{
    return expect(probe, &(flaw){.is_partly = true}, 422, 0, finding);
}

static sc_err check_no_crossing(sc__probe *probe, sc_finding *finding)
{
    if (probe->cloaks[0].border_node_count == 0) {
        return sc__finding_skips(finding, "the cloak has no border node");
    }
    return expect(probe, &(flaw){.is_no_crossing = true}, 422, 0, finding);
}

// --- Refusals -----------------------------------------------------------------------------------

static sc_err check_problems(sc__probe *probe, sc_finding *finding)
{
    if (probe->refusals == 0) return sc__finding_skips(finding, "nothing was refused");
    if (probe->bad_problem[0] == '\0') return SC_OK;
    return sc__finding_fails(finding, "%s", probe->bad_problem);
}

#define SEE_STATUSES "docs/provider-protocol.md, \"Over HTTP\", has the statuses"

const sc__check sc__refusal_checks[] = {
    {"plain", "a message without line breaks, of the three nearest, is answered", SEE_STATUSES,
     check_plain, SC__EITHER},
    {"garbage", "what is no message is refused with status 400", SEE_STATUSES, check_garbage,
     SC__EITHER},
    {"cut", "half a message is refused with status 400", SEE_STATUSES, check_cut, SC__EITHER},
    {"too-large", "a message of more than 16 MiB is refused with status 413",
     "bound messages before they are read; take in the rest of the body, or the client may not see "
     "the reply",
     check_too_large, SC__EITHER},
    {"too-many", "more than 1,000 requests are refused with status 413",
     "bound what one message may cost", check_too_many, SC__EITHER},
    {"member-twice", "a member that is there twice is refused with status 400",
     "readers differ in which of two they take, so neither can be meant", check_member_twice,
     SC__GEOJSON_ONLY},
    {"new-field", "members and fields that are not known are passed over",
     "a later version may add some", check_new_field, SC__EITHER},
    {"no-version", "a message without a version is refused with status 400",
     "it is one of version 1, in which distances had another meaning", check_no_version,
     SC__EITHER},
    {"version", "a message of another version is refused with status 400",
     "compare the version before anything else is read", check_version, SC__EITHER},
    {"type-version", "a media type of another version is refused with status 415",
     "compare the parameter version of the Content-Type; it may be missing", check_type_version,
     SC__EITHER},
    {"other-type", "another media type is refused with status 415", SEE_STATUSES, check_other_type,
     SC__EITHER},
    {"category", "an unknown category is refused with status 422",
     "an empty answer would say that there are none", check_category, SC__EITHER},
    {"metric", "an unknown metric is refused with status 422", SEE_STATUSES, check_metric,
     SC__EITHER},
    {"type", "an unknown type of request is refused with status 422", SEE_STATUSES, check_type,
     SC__GEOJSON_ONLY},
    {"radius", "a radius of the other metric is refused with status 422",
     "a range by distance has radius_m, one by time radius_s", check_radius, SC__EITHER},
    {"negative", "k = 0 and a negative radius are refused with status 422 or 400", SEE_STATUSES,
     check_negative, SC__EITHER},
    {"too-far", "a k or a radius that is too large is refused with status 422",
     "bound k and the radii: one message must not search the whole map", check_too_far, SC__EITHER},
    {"twice", "the same request twice is refused with status 422", SEE_STATUSES, check_twice,
     SC__EITHER},
    {"empty", "a message without requests or segments is refused with status 400 or 422",
     SEE_STATUSES, check_empty, SC__EITHER},
    {"other-map", "a message about another map is refused with status 409",
     "compare the map's checksum: the numbers mean nothing on another map", check_other_map,
     SC__COMPACT_ONLY},
    {"elsewhere", "a segment that the provider does not have is refused with status 422",
     "never answer for less than was asked", check_elsewhere, SC__EITHER},
    {"part", "a line along a part of a road is refused with status 422",
     "an object on the rest of the road would be missing or too much", check_partly,
     SC__GEOJSON_ONLY},
    {"no-crossing", "a border node that the provider does not have is refused with status 422",
     "never answer for less than was asked", check_no_crossing, SC__EITHER},
    {"problems", "refusals are application/problem+json with a title, and repeat no position",
     "write {\"title\":\"...\"}: the operator reads it in the service's log", check_problems,
     SC__EITHER},
    {"alive", "after all these, a sound message is answered", "a refusal must leave nothing behind",
     check_plain, SC__EITHER},
};
const size_t sc__refusal_check_count = sizeof sc__refusal_checks / sizeof sc__refusal_checks[0];
