/**
 * @file gather.h
 * @brief What the tests of points share: small towns with objects, and replies gathered from them
 * without a network.
 */
#ifndef SC_TESTS_UNIT_POINTS_GATHER_H
#define SC_TESTS_UNIT_POINTS_GATHER_H

#include "support/check.h"
#include "support/point_world.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "points/point_reply.h"

#include <math.h>
#include <stdio.h>

/** Words for the categories of every town here; one has letters that addresses must escape. */
static const char *const town_words[] = {"cafe", "fuel & more"};
static const sc_vocabulary town_vocabulary = {town_words, 2};

/**
 * Put `count` objects on the roads of a sketch, some of each category. Half of them crowd at the
 * ends of a few roads, so that a point there sees many objects before it sees far.
 */
static inline sc_map *town_with_objects(const sketch *s, uint32_t count, sc_rng *rng)
{
    enum { CROWDS = 3 };
    uint32_t crowded[CROWDS];
    for (int i = 0; i < CROWDS; i++) {
        crowded[i] = sc_rng_below(rng, s->edge_count);
    }
    sc_builder *builder = sketch_builder(s);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = sc_rng_below(rng, s->edge_count);
        double fraction = sc_rng_unit(rng);
        if (sc_rng_below(rng, 2) == 0) {
            edge = crowded[sc_rng_below(rng, CROWDS)];
            fraction *= 0.02;
        } else if (sc_rng_below(rng, 4) == 0) {
            fraction = sc_rng_below(rng, 3) / 2.0;  // at a node, or where others are
        }
        // The first two see to it that the map knows both words, in their order.
        const uint32_t category = i < 2 ? i : sc_rng_below(rng, 4) == 0;
        char name[16];
        snprintf(name, sizeof name, "N%u", i);
        put_object(builder, edge, fraction, town_words[category], name);
    }
    return finish_builder(builder);
}

/**
 * A town of n x n crossings that are not quite where they should be; a quarter of the roads are
 * missing, the others are up to a third longer than straight.
 */
static inline sketch crooked_town(sc_coords coords, uint32_t n, sc_rng *rng)
{
    sketch s = sketch_new(coords);
    const bool on_globe = coords == SC_COORDS_GEOGRAPHIC;
    const double scale_x = on_globe ? 1.4e-5 : 1.0;  // near 50 degrees north
    const double scale_y = on_globe ? 9e-6 : 1.0;
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t column = 0; column < n; column++) {
            const double x = (column + 0.6 * sc_rng_unit(rng)) * 300.0;
            const double y = (row + 0.6 * sc_rng_unit(rng)) * 300.0;
            sketch_add_node(&s, (on_globe ? 8.0 : 0.0) + x * scale_x,
                            (on_globe ? 50.0 : 0.0) + y * scale_y);
        }
    }
    for (uint32_t i = 0; i < n * n; i++) {
        // To the right, and down.
        const uint32_t others[] = {(i + 1) % n > 0 ? i + 1 : i, i + n < n * n ? i + n : i};
        for (int j = 0; j < 2; j++) {
            const uint32_t to = others[j];
            if (to == i || sc_rng_below(rng, 4) == 0) continue;
            const double straight_m =
                hypot((s.x[to] - s.x[i]) / scale_x, (s.y[to] - s.y[i]) / scale_y);
            const double length_m = straight_m * (1.02 + sc_rng_unit(rng) / 3.0);
            sketch_add_edge(&s, i, to, floor(length_m * 1000.0) / 1000.0);
        }
    }
    return s;
}

/** Someone who answers: gives the body of an answer, to be released with free(). */
typedef struct teller {
    char *(*tell)(void *context, size_t question, double x, double y, uint32_t k,
                  sc_category_id category);
    void *context;
} teller;

/** Ask for all that a relay needs, one list after the other. */
static inline sc_err gather_lists(sc_point_reply *reply, const sc_point_settings *settings,
                                  const sc_vocabulary *vocabulary, teller t, sc_diag *diag)
{
    const uint32_t max_k = settings->options.max_k;
    size_t asked = 0;
    for (size_t list = 0; list < reply->list_count; list++) {
        const sc__point *point = sc__point_reply_point(reply, list);
        const sc_category_id category = sc__point_reply_topic(reply, list)->category;
        uint32_t k = 0;
        sc_err err = sc__point_reply_next_k(reply, list, max_k, &k, diag);
        while (!err && k > 0) {
            char *body = t.tell(t.context, asked++, point->x, point->y, k, category);
            err = sc__point_reply_take(reply, settings, vocabulary,
                                       &(sc__point_answer_body){list, k, body, strlen(body)}, diag);
            free(body);
            if (!err) err = sc__point_reply_next_k(reply, list, max_k, &k, diag);
        }
        if (err) return err;
    }
    const sc_err err = sc__point_reply_settle(reply, diag);
    return err ? err : sc__point_reply_check(reply, diag);
}

/** The whole way without a network; as sc_point_provider_ask(). */
static inline sc_err gather_from(const sc_map *map, const sc_vocabulary *vocabulary, teller t,
                                 const sc_point_options *options, const sc_relay *relay,
                                 sc_point_reply **out, sc_diag *diag)
{
    sc_point_options usable = *options;
    usable.url = "http://localhost/{lon}/{lat}/{k}/{category}";
    sc_point_settings *settings = NULL;
    sc_err err = sc_point_settings_new(&usable, &settings, diag);
    if (err) return err;
    sc_point_reply *reply = NULL;
    err = sc__point_reply_new(map, settings, relay, &reply, diag);
    if (!err) err = gather_lists(reply, settings, vocabulary, t, diag);
    sc_point_settings_free(settings);
    if (err) {
        sc_point_reply_free(reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}

/** A world, and what is wrong with it. */
typedef struct spoilt_world {
    const point_world *world;
    point_mode mode;
} spoilt_world;

static inline char *tell_of_world(void *context, size_t question, double x, double y, uint32_t k,
                                  sc_category_id category)
{
    const spoilt_world *w = context;
    return point_world_tell(w->world, w->mode, question, x, y, k,
                            category == SC_NONE ? "" : town_words[category]);
}

/** Ask a world, in its own distance. */
static inline sc_err gather(const point_world *world, const sc_point_options *options,
                            point_mode mode, const sc_relay *relay, sc_point_reply **out,
                            sc_diag *diag)
{
    spoilt_world spoilt = {world, mode};
    sc_point_options usable = *options;
    usable.distance = world->distance;
    return gather_from(world->map, &town_vocabulary, (teller){tell_of_world, &spoilt}, &usable,
                       relay, out, diag);
}

/** The number that the world gives an object of a reply: its key is "o" and that number. */
static inline uint32_t world_object(const sc_point_reply *reply, uint32_t object)
{
    const sc_object_table *table = sc_point_reply_table(reply);
    assert_true(object < table->count);
    return (uint32_t)strtoul(table->strings + table->keys[object] + 1, NULL, 10);
}

/**
 * The answer at one place is that of measuring every object: as many, as far, nearest first,
 * each as far as it says, none twice. Equally far ones may be others, and what is within
 * `tolerance_m` of the rim of a range may be in or out.
 */
static inline void check_answer(sc_point_reply *reply, const point_world *world, sc_edge_id edge,
                                double offset_m, size_t request, double tolerance_m)
{
    sc_diag diag = {""};
    const sc_near *got = NULL;
    assert_non_null(reply);
    if (!reply) return;
    size_t count = 0;
    CHECK_OK(sc_point_reply_answer(reply, (sc_road_point){.edge = edge, .offset_m = offset_m},
                                   request, &got, &count, &diag),
             &diag);

    const sc_request *r = &reply->requests[request];
    sc_near *wanted = test_take(world->count + 1, sizeof *wanted);
    size_t wanted_count = point_world_answer(world, edge, offset_m, r, wanted);
    if (r->type == SC_REQUEST_RANGE) {
        // Those on the rim decide nothing.
        while (wanted_count > 0 &&
               wanted[wanted_count - 1].distance_m > r->radius_m - tolerance_m) {
            wanted_count--;
        }
        assert_true(count >= wanted_count);
    } else {
        assert_int_equal(count, wanted_count);
    }
    bool *is_seen = test_take(world->count + 1, sizeof *is_seen);
    for (size_t i = 0; i < count; i++) {
        const uint32_t object = world_object(reply, got[i].object);
        CHECK_CLOSE(got[i].distance_m, point_world_distance(world, edge, offset_m, object),
                    tolerance_m);
        if (i < wanted_count) CHECK_CLOSE(got[i].distance_m, wanted[i].distance_m, tolerance_m);
        if (i > 0) assert_true(got[i - 1].distance_m <= got[i].distance_m);
        if (r->type == SC_REQUEST_RANGE) assert_true(got[i].distance_m <= r->radius_m);
        assert_false(is_seen[object]);
        is_seen[object] = true;
    }
    free(is_seen);
    free(wanted);
}

#endif
