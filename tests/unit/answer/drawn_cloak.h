/**
 * @file drawn_cloak.h
 * @brief A drawn town with a cloak in it, and what an honest, plain provider replies.
 *
 * Roads are named by the letters at their ends. The honest reply is made by a plain Dijkstra
 * from every border node (support/slow_nearest.h), so that nothing here rests on lbs/. Objects may
 * be the map's own, or the same ones as a provider's own with keys.
 *
 *     A---B---C---D          The town that most tests use. Roads are as long as they are
 *     |   |   |   |          drawn: 40 m from left to right, 20 m from top to bottom. A, D, I and L
 *     E---F---G---H---M      are bends, M is a dead end; the others are junctions.
 *     |   |   |   |
 *     I---J---K---L
 */
#ifndef SC_TESTS_UNIT_ANSWER_DRAWN_CLOAK_H
#define SC_TESTS_UNIT_ANSWER_DRAWN_CLOAK_H

#include <starcloak/answer.h>

#include "relay/relay_build.h"
#include "support/check.h"
#include "support/sketch.h"
#include "support/slow_nearest.h"

#include <math.h>
#include <stdio.h>

/** An object: `at_m` metres from the first letter of a road. */
typedef struct drawn_object {
    const char *name;
    const char *road;
    double at_m;
    const char *category;
} drawn_object;

enum { DRAWN_MOST = 32 };

typedef struct drawn_cloak {
    sketch s;
    sc_map *map;
    sc_seg_id segments[DRAWN_MOST];
    sc_node_id border_nodes[DRAWN_MOST];
    sc_request requests[DRAWN_MOST];
    sc_relay relay;
    // What objects are to the provider: its own ones have keys.
    sc_object objects[DRAWN_MOST];
    uint32_t keys[DRAWN_MOST];
    char strings[16 * DRAWN_MOST];
    sc_object_table table;
    slow_nearest slow;
    sc_reply reply;
} drawn_cloak;

static const char drawn_town[] = "A---B---C---D\n"
                                 "|   |   |   |\n"
                                 "E---F---G---H---M\n"
                                 "|   |   |   |\n"
                                 "I---J---K---L\n";

/** What the town has, in no particular order; a name of NULL ends it. */
static const drawn_object drawn_objects[] = {
    {"on FG", "FG", 10.0, "cafe"}, {"on BF", "BF", 5.0, "school"},  {"on BC", "BC", 20.0, "cafe"},
    {"on HM", "HM", 30.0, "cafe"}, {"on EI", "EI", 10.0, "school"}, {"on KL", "KL", 10.0, "cafe"},
    {"on BA", "BA", 10.0, "cafe"}, {"on DH", "DH", 12.0, "school"}, {NULL, NULL, 0.0, NULL},
};

/** The cloak of the junctions F and G: all roads that end there. */
static const char drawn_roads[] = "BF EF FG FJ CG GH GK";

// --- Making it ---------------------------------------------------------------------------

/** The road of the sketch between two letters; the first one, if there are several. */
static inline uint32_t drawn_edge(const sketch *s, const char *road, bool *is_turned)
{
    const uint32_t a = sketch_node(s, road[0]);
    const uint32_t b = sketch_node(s, road[1]);
    for (uint32_t e = 0; e < s->edge_count; e++) {
        if ((s->edges[e].from == a && s->edges[e].to == b) ||
            (s->edges[e].from == b && s->edges[e].to == a)) {
            *is_turned = s->edges[e].from != a;
            return e;
        }
    }
    fail_msg("no road %.2s in the picture", road);
    return SC_NONE;
}

/** Set the length of a road, in metres. */
static inline void drawn_length(sketch *s, const char *road, double length_m)
{
    bool is_turned = false;
    s->edges[drawn_edge(s, road, &is_turned)].length = length_m;
}

/** A picture on a plane, with roads as long as they are drawn. */
static inline sketch drawn_sketch(const char *picture, const char *more)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR, picture, more);
    for (uint32_t e = 0; e < s.edge_count; e++) {
        sketch_edge *edge = &s.edges[e];
        const double line = hypot(s.x[edge->from] - s.x[edge->to], s.y[edge->from] - s.y[edge->to]);
        if (line > 0.0) edge->length = line;
    }
    return s;
}

/** Where `at_m` metres from the first letter of a road is. */
static inline sc_edge_id drawn_place(const drawn_cloak *c, const char *road, double at_m,
                                     double *offset_m)
{
    const uint32_t a = sketch_node(&c->s, road[0]);
    const uint32_t b = sketch_node(&c->s, road[1]);
    const sc_edge *edges = sc_map_edges(c->map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(c->map); e++) {
        if (edges[e].from == a && edges[e].to == b) {
            *offset_m = at_m;
            return e;
        }
        if (edges[e].from == b && edges[e].to == a) {
            *offset_m = sc_map_edge_length_m(c->map, e) - at_m;
            return e;
        }
    }
    fail_msg("no road %.2s on the map", road);
    return SC_NONE;
}

static inline sc_seg_id drawn_segment(const drawn_cloak *c, const char *road)
{
    double offset_m = 0.0;
    return sc_map_edges(c->map)[drawn_place(c, road, 0.0, &offset_m)].segment;
}

static inline int drawn_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/** Segments by their roads, "BF EF", and the border nodes by counting edges at every node. */
static inline void drawn_set_cloak(drawn_cloak *c, const char *roads)
{
    c->relay.segment_count = 0;
    for (; *roads; roads += roads[0] == ' ' ? 1 : 2) {
        if (*roads != ' ') c->segments[c->relay.segment_count++] = drawn_segment(c, roads);
    }
    qsort(c->segments, c->relay.segment_count, sizeof *c->segments, drawn_compare);
    c->relay.border_node_count = 0;
    for (sc_node_id v = 0; v < sc_map_node_count(c->map); v++) {
        unsigned inner = 0;
        unsigned outer = 0;
        for (sc_edge_id e = 0; e < sc_map_edge_count(c->map); e++) {
            const sc_edge *edge = &sc_map_edges(c->map)[e];
            const unsigned ends = (edge->from == v ? 1u : 0u) + (edge->to == v ? 1u : 0u);
            const bool is_in = bsearch(&edge->segment, c->segments, c->relay.segment_count,
                                       sizeof *c->segments, drawn_compare) != NULL;
            *(is_in ? &inner : &outer) += ends;
        }
        if (inner > 0 && outer > 0) c->border_nodes[c->relay.border_node_count++] = v;
    }
    c->relay.map_checksum = sc_map_checksum(c->map);
    c->relay.segments = c->segments;
    c->relay.border_nodes = c->border_nodes;
    c->relay.requests = c->requests;
}

/** Takes the sketch over. The objects are the map's own. */
static inline drawn_cloak *drawn_cloak_of(sketch s, const drawn_object *objects, const char *roads)
{
    drawn_cloak *c = test_take(1, sizeof *c);
    c->s = s;
    sc_builder *builder = sketch_builder(&s);
    for (; objects->name; objects++) {
        bool is_turned = false;
        const uint32_t edge = drawn_edge(&s, objects->road, &is_turned);
        const double part = objects->at_m / s.edges[edge].length;
        put_object(builder, edge, is_turned ? 1.0 - part : part, objects->category, objects->name);
    }
    c->map = finish_builder(builder);
    const uint32_t count = sc_map_object_count(c->map);
    assert_true(count <= DRAWN_MOST);
    if (count > 0) memcpy(c->objects, sc_map_objects(c->map), count * sizeof *c->objects);
    c->table = (sc_object_table){.objects = c->objects, .count = count};
    c->slow = slow_nearest_new(c->map, &c->table);
    drawn_set_cloak(c, roads);
    sc_reply_init(&c->reply);
    return c;
}

/** The town above with its objects, and the cloak of F and G. */
static inline drawn_cloak *drawn_cloak_new(void)
{
    return drawn_cloak_of(drawn_sketch(drawn_town, ""), drawn_objects, drawn_roads);
}

static inline void drawn_cloak_free(drawn_cloak *c)
{
    sc_reply_fini(&c->reply);
    slow_nearest_free(&c->slow);
    sc_map_free(c->map);
    sketch_free(&c->s);
    free(c);
}

/** From now on the provider calls its objects by keys of its own. */
static inline void drawn_give_keys(drawn_cloak *c)
{
    size_t size = 1;  // the empty text
    for (uint32_t o = 0; o < c->table.count; o++) {
        c->keys[o] = (uint32_t)size;
        size += (size_t)snprintf(c->strings + size, sizeof c->strings - size, "key-%u", o) + 1;
        c->objects[o].name = 0;
    }
    c->table.keys = c->keys;
    c->table.strings = c->strings;
    c->table.strings_size = size;
}

// --- Asking ------------------------------------------------------------------------------

static inline uint32_t drawn_object_named(const drawn_cloak *c, const char *name)
{
    for (uint32_t o = 0; o < sc_map_object_count(c->map); o++) {
        if (strcmp(sc_map_object_name(c->map, o), name) == 0) return o;
    }
    fail_msg("no object '%s' on the map", name);
    return SC_NONE;
}

/** The place of a border node in the relay. */
static inline uint32_t drawn_border(const drawn_cloak *c, char letter)
{
    const sc_node_id node = sketch_node(&c->s, letter);
    for (uint32_t b = 0; b < c->relay.border_node_count; b++) {
        if (c->border_nodes[b] == node) return b;
    }
    fail_msg("'%c' is no border node", letter);
    return SC_NONE;
}

static inline sc_request drawn_knn(uint32_t k)
{
    return (sc_request){.type = SC_REQUEST_KNN, .k = k};
}

static inline sc_request drawn_range(double radius_m)
{
    return (sc_request){.type = SC_REQUEST_RANGE, .radius_m = radius_m};
}

/** The same, for one category only. */
static inline sc_request drawn_only(const drawn_cloak *c, sc_request request, const char *category)
{
    request.category_count = 1;
    request.categories[0] = sc_map_category_find(c->map, category);
    assert_int_not_equal(request.categories[0], SC_NONE);
    return request;
}

static inline void drawn_ask(drawn_cloak *c, sc_request request)
{
    c->requests[c->relay.request_count++] = request;
}

// --- The honest reply --------------------------------------------------------------------

static inline void drawn_reply_on_segments(drawn_cloak *c, size_t r)
{
    for (uint32_t o = 0; o < c->table.count; o++) {
        const sc_seg_id segment = sc_map_edges(c->map)[c->objects[o].edge].segment;
        const bool is_on = bsearch(&segment, c->segments, c->relay.segment_count,
                                   sizeof *c->segments, drawn_compare) != NULL;
        if (!is_on || !slow_is_wanted(&c->requests[r], c->objects[o].category)) continue;
        assert_true(sc__reply_add_run(&c->reply, o, 1));
    }
    sc__reply_end_runs(&c->reply, r);
}

static inline void drawn_reply(drawn_cloak *c)
{
    assert_true(sc__reply_begin(&c->reply, c->relay.request_count, c->relay.border_node_count));
    c->reply.map_checksum = c->relay.map_checksum;
    c->reply.table = c->table;
    for (size_t r = 0; r < c->relay.request_count; r++) {
        drawn_reply_on_segments(c, r);
        for (size_t b = 0; b < c->relay.border_node_count; b++) {
            slow_answer answer =
                slow_nearest_at_node(&c->slow, c->border_nodes[b], &c->requests[r]);
            for (size_t i = 0; i < answer.most_count; i++) {
                assert_true(
                    sc__reply_add_near(&c->reply, slow_near_of(&c->slow, &answer.nears[i])));
            }
            sc__reply_end_nears(&c->reply, r, b);
            slow_answer_free(&answer);
        }
    }
}

/** A filter that has taken the reply in. */
static inline sc_filter *drawn_filter(const drawn_cloak *c)
{
    const sc_filter_options options = sc_filter_options_default();
    sc_diag diag = {""};
    sc_filter *filter = NULL;
    CHECK_OK(sc_filter_new(c->map, &options, &filter, &diag), &diag);
    CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, &diag), &diag);
    return filter;
}

// --- The answer --------------------------------------------------------------------------

/** An object that is wanted, and where. */
typedef struct drawn_answer {
    const char *name;
    double distance_m;
} drawn_answer;

/** Someone `at_m` metres from the first letter of `road` gets exactly these, in this order. */
static inline void check_answer(const drawn_cloak *c, sc_filter *filter, const char *road,
                                double at_m, size_t request, const drawn_answer *list,
                                size_t list_count)
{
    const sc_near *got = NULL;
    size_t count = 0;
    double offset_m = 0.0;
    sc_diag diag = {""};
    const sc_edge_id edge = drawn_place(c, road, at_m, &offset_m);
    CHECK_OK(sc_filter_answer(filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, request,
                              &got, &count, &diag),
             &diag);
    assert_int_equal(count, list_count);
    for (size_t i = 0; i < list_count; i++) {
        assert_string_equal(sc_map_object_name(c->map, got[i].object), list[i].name);
        CHECK_CLOSE(got[i].distance_m, list[i].distance_m, 1e-9);
    }
}

#define CHECK_ANSWER(c, filter, road, at_m, request, ...)                                 \
    check_answer((c), (filter), (road), (at_m), (request), (drawn_answer[]){__VA_ARGS__}, \
                 sizeof((drawn_answer[]){__VA_ARGS__}) / sizeof(drawn_answer))

#endif
