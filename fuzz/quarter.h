/**
 * @file quarter.h
 * @brief A quarter of a town on the globe, a cloak in it, and what messages about it must hold.
 *
 * The quarter and the relay are always the same, so that what a reply says can be believed or not.
 */
#ifndef SC_FUZZ_QUARTER_H
#define SC_FUZZ_QUARTER_H

#include "door.h"

#include <starcloak/answer.h>
#include <starcloak/lbs.h>
#include <starcloak/relay_codec.h>

enum { QUARTER_SIDE = 4, QUARTER_SEGMENTS = 4, QUARTER_BORDER = 4, QUARTER_REQUESTS = 3 };

typedef struct quarter {
    sc_map *map;
    sc_vocabulary vocabulary;
    sc_codec_limits limits;
    sc_seg_id segments[QUARTER_SEGMENTS];
    sc_node_id border[QUARTER_BORDER];
    sc_request requests[QUARTER_REQUESTS];
    sc_relay relay;
    sc_objects *objects;
    sc_lbs *lbs;
    sc_filter *filter;
    sc_reply reply;
} quarter;

static inline void quarter_put_edge(sc_builder *builder, sc_node_id from, sc_node_id to)
{
    sc_edge_id edge = SC_NONE;
    sc_category_id category = SC_NONE;
    const char *name = from % 2 == 0 ? "cafe" : "school";
    if (sc_builder_add_edge(builder, from, to, SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL, &edge)) abort();
    if (sc_builder_add_category(builder, name, strlen(name), &category)) abort();
    if (sc_builder_add_object_on_edge(builder, edge, 0.3, category, "", 0)) abort();
}

//      0---1---2---3
//      |   |   |   |
//      4---5===6---7        the cloak is the square 5, 6, 10, 9
//      |   H   H   |
//      8---9==10--11
//      |   |   |   |
//     12--13--14--15
static inline sc_map *quarter_build(void)
{
    enum { NODES = QUARTER_SIDE * QUARTER_SIDE };
    sc_builder *builder = NULL;
    sc_map *map = NULL;
    if (sc_builder_new(SC_COORDS_GEOGRAPHIC, &builder)) abort();
    for (sc_node_id v = 0; v < NODES; v++) {
        sc_node_id id = SC_NONE;
        const double lon = 8.0 + 0.001 * (v % QUARTER_SIDE);
        const double lat = 50.0 - 0.001 * (v / QUARTER_SIDE);  // NOLINT(bugprone-integer-division)
        if (sc_builder_add_node(builder, lon, lat, &id)) abort();
    }
    for (sc_node_id v = 0; v < NODES; v++) {
        if (v % QUARTER_SIDE + 1 < QUARTER_SIDE) quarter_put_edge(builder, v, v + 1);
        if (v + QUARTER_SIDE < NODES) quarter_put_edge(builder, v, v + QUARTER_SIDE);
    }
    if (sc_builder_finish(builder, HUGE_VAL, NULL, &map, NULL, NULL)) abort();
    sc_builder_free(builder);
    return map;
}

static inline void quarter_choose_cloak(quarter *q)
{
    static const sc_node_id border[QUARTER_BORDER] = {5, 6, 9, 10};
    memcpy(q->border, border, sizeof border);
    size_t count = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(q->map); s++) {
        const sc_segment *segment = &sc_map_segments(q->map)[s];
        unsigned ends = 0;
        for (size_t b = 0; b < QUARTER_BORDER && segment->star_b != SC_NONE; b++) {
            ends += sc_map_stars(q->map)[segment->star_a].node == border[b];
            ends += sc_map_stars(q->map)[segment->star_b].node == border[b];
        }
        if (ends < 2) continue;
        if (count == QUARTER_SEGMENTS) abort();
        q->segments[count++] = s;
    }
    if (count != QUARTER_SEGMENTS) abort();
}

static inline quarter *quarter_open(void)
{
    static quarter q;
    if (q.map) return &q;
    q.map = quarter_build();
    q.limits = sc_codec_limits_default();
    quarter_choose_cloak(&q);
    q.requests[0] = (sc_request){.type = SC_REQUEST_KNN, .k = 2};
    q.requests[1] =
        (sc_request){.type = SC_REQUEST_KNN, .metric = SC_METRIC_TIME, .k = 1, .category_count = 1};
    q.requests[2] = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = 150.0};
    q.relay = (sc_relay){.map_checksum = sc_map_checksum(q.map),
                         .segments = q.segments,
                         .segment_count = QUARTER_SEGMENTS,
                         .border_nodes = q.border,
                         .border_node_count = QUARTER_BORDER,
                         .requests = q.requests,
                         .request_count = QUARTER_REQUESTS};
    const sc_lbs_options options = sc_lbs_options_default();
    sc_filter_options believe = sc_filter_options_default();
    believe.slack = 0.05;
    if (sc_vocabulary_init_from_map(q.map, &q.vocabulary) ||
        sc_objects_new_from_map(q.map, &q.objects) || sc_lbs_new(q.map, &options, &q.lbs, NULL) ||
        sc_filter_new(q.map, &believe, &q.filter, NULL)) {
        abort();
    }
    sc_reply_init(&q.reply);
    return &q;
}

/**
 * The input with the checksum of the quarter in its first field, which no mutation would hit and
 * which changes with the format of maps. Release with free().
 */
static inline uint8_t *quarter_mend(const quarter *q, const uint8_t *data, size_t size)
{
    enum { FIXED64_OF_FIELD_1 = 0x09, FIELD_SIZE = 9 };
    uint8_t *copy = door_copy(data, size);
    const uint64_t checksum = sc_map_checksum(q->map);
    for (unsigned i = 1; size >= FIELD_SIZE && copy[0] == FIXED64_OF_FIELD_1 && i < FIELD_SIZE;
         i++) {
        copy[i] = (uint8_t)(checksum >> 8 * (i - 1));
    }
    return copy;
}

// --- A relay that was accepted ------------------------------------------------------

static inline void quarter_check_ids(const uint32_t *ids, size_t count, uint32_t limit)
{
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(ids[i] < limit, "an id is of the map");
        DOOR_PROMISE(i == 0 || ids[i] > ids[i - 1], "ids ascend, each once");
    }
}

static inline void quarter_check_requests(const quarter *q, const sc_relay *relay)
{
    const sc_request_limits any = {
        .max_k = UINT32_MAX, .max_radius_m = HUGE_VAL, .max_radius_s = HUGE_VAL};
    for (size_t i = 0; i < relay->request_count; i++) {
        const sc_request *request = &relay->requests[i];
        const sc_request normal = sc_request_normalise(request);
        DOOR_PROMISE(!sc_request_check(request, &any, q->vocabulary.count, NULL),
                     "a request makes sense");
        DOOR_PROMISE(sc_request_equal(request, &normal), "a request is in its normal form");
        for (size_t k = 0; k < i; k++) {
            DOOR_PROMISE(!sc_request_equal(request, &relay->requests[k]), "requests differ");
        }
    }
}

/** A relay that was accepted can be answered, and the answer be sent, in either encoding. */
static inline void quarter_answer(quarter *q, const sc_relay *relay)
{
    DOOR_PROMISE(relay->segment_count >= 1 && relay->request_count >= 1, "a relay asks something");
    quarter_check_ids(relay->segments, relay->segment_count, sc_map_segment_count(q->map));
    quarter_check_ids(relay->border_nodes, relay->border_node_count, sc_map_node_count(q->map));
    quarter_check_requests(q, relay);
    for (size_t i = 0; i < relay->border_place_count; i++) {
        DOOR_PROMISE(relay->border_places[i] < relay->border_node_count, "a name has its place");
    }
    sc_diag diag = {""};
    const sc_err err = sc_lbs_evaluate(q->lbs, q->objects, relay, &q->reply, &diag);
    if (err) {
        door_refused(err, &diag, NULL, 0);
        return;
    }
    sc_bytes bytes = {0};
    for (unsigned encoding = 0; encoding < 2; encoding++) {
        DOOR_PROMISE(!sc_reply_encode(&(sc_codec){.map = q->map,
                                                  .vocabulary = &q->vocabulary,
                                                  .encoding = (sc_encoding)encoding},
                                      relay, &q->reply, &bytes, NULL),
                     "what was answered can be sent");
    }
    sc_bytes_fini(&bytes);
}

// --- A reply that was accepted --------------------------------------------------------

static inline void quarter_check_table(const quarter *q, const sc_object_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const sc_object *object = &table->objects[i];
        DOOR_PROMISE(object->edge < sc_map_edge_count(q->map), "an object is on an edge");
        DOOR_PROMISE(object->offset <= sc_map_edges(q->map)[object->edge].length,
                     "an object is not beyond its edge");
        DOOR_PROMISE(object->category < q->vocabulary.count, "an object has a category");
        DOOR_PROMISE(object->name < table->strings_size, "an object has a name");
        DOOR_PROMISE(!table->keys || table->keys[i] < table->strings_size, "an object has a key");
        DOOR_PROMISE(!table->keys || table->strings[table->keys[i]] != '\0', "which is a text");
    }
    DOOR_PROMISE(table->strings_size == 0 || table->strings[table->strings_size - 1] == '\0',
                 "the last text has an end");
}

static inline void quarter_check_lists(const sc_reply *reply)
{
    DOOR_PROMISE(reply->request_count == QUARTER_REQUESTS, "each request has its answer");
    DOOR_PROMISE(reply->border_node_count == QUARTER_BORDER, "each border node has its list");
    for (uint32_t i = 0; i < reply->run_start[reply->request_count]; i++) {
        const sc_object_run run = reply->runs[i];
        DOOR_PROMISE(run.count >= 1 && run.count <= reply->table.count &&
                         run.first <= reply->table.count - run.count,
                     "a run is of objects");
    }
    const size_t lists = reply->request_count * reply->border_node_count;
    for (uint32_t i = 0; i < reply->near_start[lists]; i++) {
        DOOR_PROMISE(reply->nears[i].object < reply->table.count, "a list is of objects");
        DOOR_PROMISE(reply->nears[i].distance_m >= 0.0 && reply->nears[i].distance_m < HUGE_VAL,
                     "a distance is a number");
        DOOR_PROMISE(reply->nears[i].duration_s >= 0.0 && reply->nears[i].duration_s < HUGE_VAL,
                     "a duration is a number");
    }
}

// Both ends and the middle of every road of the cloak.
static inline void quarter_ask(quarter *q, size_t request)
{
    sc_diag diag = {""};
    for (size_t i = 0; i < QUARTER_SEGMENTS; i++) {
        const sc_edge_id edge = sc_map_segments(q->map)[q->segments[i]].first_edge;
        for (int at = 0; at <= 2; at++) {
            const sc_near *near = NULL;
            size_t count = 0;
            const double offset_m = sc_map_edge_length_m(q->map, edge) * at / 2.0;
            DOOR_PROMISE(!sc_filter_answer(q->filter,
                                           (sc_road_point){.edge = edge, .offset_m = offset_m},
                                           request, &near, &count, &diag),
                         "what is believed answers for every place");
            const sc_request *asked = &q->requests[request];
            DOOR_PROMISE(asked->type != SC_REQUEST_KNN || count <= asked->k, "no more than asked");
            for (size_t k = 0; k < count; k++) {
                DOOR_PROMISE(near[k].distance_m >= 0.0 && near[k].distance_m < HUGE_VAL,
                             "an answer's distance is a number");
                DOOR_PROMISE(near[k].duration_s >= 0.0 && near[k].duration_s < HUGE_VAL,
                             "an answer's duration is a number");
                DOOR_PROMISE(k == 0 || sc_near_cost(&near[k], asked->metric) >=
                                           sc_near_cost(&near[k - 1], asked->metric),
                             "the nearest comes first, in the metric that was asked for");
                DOOR_PROMISE(near[k].object < q->reply.table.count, "an answer is an object");
            }
        }
    }
}

/** Read a reply to the relay of the quarter, and answer from it if it is believed. */
static inline void quarter_read_reply(quarter *q, sc_encoding encoding, const uint8_t *data,
                                      size_t size)
{
    sc_diag diag = {""};
    sc_err err = sc_reply_decode(&(sc_codec){.map = q->map,
                                             .vocabulary = &q->vocabulary,
                                             .encoding = encoding,
                                             .limits = &q->limits},
                                 &q->relay, data, size, &q->reply, &diag);
    if (err) {
        door_refused(err, &diag, NULL, 0);
        return;
    }
    quarter_check_table(q, &q->reply.table);
    quarter_check_lists(&q->reply);
    err = sc_filter_open(q->filter, &q->relay, &q->reply, &diag);
    if (err) {
        door_refused(err, &diag, NULL, 0);
        return;
    }
    for (size_t i = 0; i < QUARTER_REQUESTS; i++) {
        quarter_ask(q, i);
    }
}

#endif
