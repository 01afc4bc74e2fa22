// A reply that another gateway was sent: its receiver finds the same answers, and nothing is
// asked, tried or counted.
#include "courier/courier.h"

#include <pthread.h>

#include "base/clock.h"
#include "courier/answerer.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/point_server.h"
#include "support/rough_provider.h"
#include "support/sketch.h"
#include "unit/points/gather.h"

#include <stdio.h>

enum { ERRANDS = 6, SEATS = 5 };

/** Two couriers, of two gateways, and where their errands come back to. */
typedef struct pair {
    errand_box box;
    size_t sent;
    sc_courier *asks;
    sc_courier *is_given;
} pair;

static sc_courier *start(const sc_map *map, const sc_courier_options *options)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_courier *courier = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_courier_new(map, options, &rng, &courier, &diag), &diag);
    return courier;
}

static void pair_open(pair *p, const sc_map *map, sc_courier_options *options)
{
    *p = (pair){.sent = 0};
    errand_box_init(&p->box);
    options->back = errand_box_back;
    options->context = &p->box;
    p->asks = start(map, options);
    p->is_given = start(map, options);
}

static void pair_close(pair *p)
{
    sc_courier_free(p->asks);
    sc_courier_free(p->is_given);
    errand_box_fini(&p->box);
}

static void bring_back(pair *p, sc_courier *courier, sc_errand *errand)
{
    CHECK_OK(sc_courier_send(courier, errand), NULL);
    errand_box_await(&p->box, ++p->sent);
}

/** The same cloak and the same places for another gateway, with what the first was told. */
static sc_errand twin_of(const sc_errand *errand, unsigned *returns)
{
    sc_errand twin = {.relay = errand->relay,
                      .places = test_take(errand->place_count, sizeof *twin.places),
                      .place_count = errand->place_count,
                      .leave_by_us = errand->leave_by_us,
                      .deadline_us = errand->deadline_us,
                      .given = errand->reply.data,
                      .given_size = errand->reply.size,
                      .context = returns};
    *returns = 0;
    memcpy(twin.places, errand->places, errand->place_count * sizeof *twin.places);
    for (size_t i = 0; i < errand->place_count; i++) {
        twin.places[i].answer = NULL;
    }
    return twin;
}

static void twin_free(sc_errand *twin)
{
    for (size_t i = 0; i < twin->place_count; i++) {
        sc_answer_free(twin->places[i].answer);
    }
    free(twin->places);
}

static void check_same_answer(const sc_answer *got, const sc_answer *wanted)
{
    assert_non_null(got);
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        const sc_found *a = &got->found[i];
        const sc_found *b = &wanted->found[i];
        CHECK_SAME(a->distance_m, b->distance_m);
        CHECK_SAME(a->duration_s, b->duration_s);
        assert_memory_equal(&a->x, &b->x, sizeof a->x);  // it may be NaN
        assert_memory_equal(&a->y, &b->y, sizeof a->y);
        assert_string_equal(got->texts + a->key, wanted->texts + b->key);
        assert_string_equal(got->texts + a->name, wanted->texts + b->name);
        assert_string_equal(got->texts + a->category, wanted->texts + b->category);
    }
}

static void check_same_answers(const sc_errand *got, const sc_errand *wanted)
{
    assert_int_equal(got->failure, SC_FAILURE_NONE);
    for (size_t i = 0; i < got->place_count; i++) {
        check_same_answer(got->places[i].answer, wanted->places[i].answer);
    }
}

// Errands with one courier; then the other is given the replies. Returns how many answers had
// objects in them.
static size_t check_pair(const sc_map *map, sc_rng *rng, sc_courier_options *options)
{
    size_t found = 0;
    pair p;
    pair_open(&p, map, options);
    for (size_t i = 0; i < ERRANDS; i++) {
        sc_errand *e = errand_new(map, sc_courier_vocabulary(p.asks)->count, rng, 1 + i % SEATS);
        e->wants_reply = true;
        bring_back(&p, p.asks, e);
        errand_check_well(e);
        assert_true(e->reply.size > 0);
        unsigned returns;
        sc_errand twin = twin_of(e, &returns);
        bring_back(&p, p.is_given, &twin);
        assert_int_equal(returns, 1);
        assert_int_equal(twin.tries, 0);
        assert_null(twin.reply.data);
        check_same_answers(&twin, e);
        for (size_t s = 0; s < e->place_count; s++) {
            found += e->places[s].answer->count > 0;
        }
        twin_free(&twin);
        errand_free(e);
    }
    const sc_courier_stats stats = sc_courier_stats_of(p.is_given);
    assert_int_equal(stats.under_way, 0);
    assert_int_equal(stats.sent, 0);
    assert_int_equal(stats.tries, 0);
    assert_int_equal(stats.bytes_out, 0);
    const sc_histogram *latency = sc_courier_latency(p.is_given);
    for (size_t i = 0; i <= latency->bound_count; i++) {
        assert_int_equal(atomic_load(&latency->counts[i]), 0);
    }
    pair_close(&p);
    return found;
}

// What a provider's own objects are called, beside the words of the map.
static const char *const own_words[] = {"zoo", "caf\xc3\xa9"};

static size_t check_over_http(const sc_map *map, sc_rng *rng, sc_objects *objects,
                              size_t own_word_count, sc_encoding encoding)
{
    rough_provider *provider = rough_provider_new(objects, encoding);
    rough_provider_up(provider);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_HTTP;
    options.url = rough_provider_url(provider);
    options.encoding = encoding;
    options.more_categories = own_words;
    options.more_category_count = own_word_count;
    const size_t found = check_pair(map, rng, &options);
    assert_int_equal(rough_provider_count(provider), ERRANDS);  // not one more
    rough_provider_free(provider);
    return found;
}

// --- The same answers -----------------------------------------------------------------------

static void test_replies_of_the_built_in_provider_can_be_given(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 16; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_courier_options options = sc_courier_options_default();
        options.objects = town.objects;
        found += check_pair(town.map, &town.rng, &options);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(found > 50);
}

static void test_replies_over_http_can_be_given(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        odd_town town = odd_town_drawn(seed);
        found += check_over_http(town.map, &town.rng, town.objects, 0,
                                 seed % 2 ? SC_ENCODING_GEOJSON : SC_ENCODING_COMPACT);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(found > 20);
}

/** Objects of a provider's own, all over the map, some with names. */
static sc_objects *own_objects(const sc_map *map, sc_rng *rng)
{
    sc_objects_builder *builder = NULL;
    sc_objects *objects = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(map, &builder), NULL);
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(map); edge++) {
        char key[32];
        snprintf(key, sizeof key, "place/%u", edge);
        CHECK_OK(
            sc_objects_builder_add(
                builder,
                &(sc_object_row){.edge = edge,
                                 .offset_m = sc_rng_unit(rng) * sc_map_edge_length_m(map, edge),
                                 .key = key,
                                 .category = own_words[edge % 2],
                                 .name = edge % 3 ? "named" : NULL},
                &diag),
            &diag);
    }
    CHECK_OK(sc_objects_builder_finish(builder, &objects), NULL);
    sc_objects_builder_free(builder);
    return objects;
}

static void test_a_providers_own_objects_keep_their_keys(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        check_case(seed);
        odd_town town = odd_town_drawn(seed);
        sc_objects *own = own_objects(town.map, &town.rng);
        if (seed % 3 < 2) {
            found += check_over_http(town.map, &town.rng, own, 2,
                                     seed % 3 ? SC_ENCODING_GEOJSON : SC_ENCODING_COMPACT);
        } else {
            sc_courier_options options = sc_courier_options_default();
            options.objects = own;
            found += check_pair(town.map, &town.rng, &options);
        }
        sc_objects_release(own);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(found > 20);
}

/** The same text with distances that are 0.4 mm longer: less than a map's unit. */
static sc_bytes finer(const sc_bytes *text)
{
    static const char name[] = "\"distance_m\":";
    char *plain = test_take(text->size + 1, 1);
    memcpy(plain, text->data, text->size);
    char *copy = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&copy, &size);
    assert_non_null(out);
    const char *rest = plain;
    for (const char *at = strstr(rest, name); at; at = strstr(rest, name)) {
        char *end = NULL;
        const double distance_m = strtod(at + strlen(name), &end);
        fwrite(rest, 1, (size_t)(at - rest), out);
        fprintf(out, "%s%.4f", name, distance_m + 4e-4);
        rest = end;
    }
    fputs(rest, out);
    assert_int_equal(fclose(out), 0);
    free(plain);
    return (sc_bytes){.data = (uint8_t *)copy, .size = size, .capacity = size};
}

static void test_distances_of_any_fraction_are_the_same_for_all(void **state)
{
    (void)state;
    odd_town town = odd_town_drawn(4);
    const sc_vocabulary *words = sc_objects_vocabulary(town.objects);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_HTTP;
    options.encoding = SC_ENCODING_GEOJSON;
    sc__answerer answerer;
    CHECK_OK(sc__answerer_init(&answerer, town.map, words, &options, NULL), NULL);
    sc_lbs *lbs = odd_town_lbs(&town, true);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_bytes bytes = {.data = NULL};
    size_t finer_count = 0;
    for (int i = 0; i < ERRANDS; i++) {
        sc_errand *e = errand_new(town.map, words->count, &town.rng, SEATS);
        CHECK_OK(sc_lbs_evaluate(lbs, town.objects, e->relay, &reply, NULL), NULL);
        CHECK_OK(
            sc_reply_encode(
                &(sc_codec){.map = town.map, .vocabulary = words, .encoding = SC_ENCODING_GEOJSON},
                e->relay, &reply, &bytes, NULL),
            NULL);
        sc_bytes fine = finer(&bytes);
        finer_count += fine.size != bytes.size;
        e->wants_reply = true;
        assert_int_equal(sc__answerer_read(&answerer, e, fine.data, fine.size), SC_FAILURE_NONE);
        unsigned returns;
        sc_errand twin = twin_of(e, &returns);
        twin.failure = sc__answerer_read_given(&answerer, &twin);
        check_same_answers(&twin, e);
        twin_free(&twin);
        free(fine.data);
        errand_free(e);
    }
    assert_true(finer_count > 0);
    sc_bytes_fini(&bytes);
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
    sc__answerer_fini(&answerer);
    odd_town_free(&town);
}

// --- What is not given ----------------------------------------------------------------------

static void test_a_provider_of_points_has_no_reply_to_give(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_map *map = town_with_objects(&drawing, 40, &rng);
    point_world world = point_world_new(map, SC_POINT_STRAIGHT);
    point_server *server = point_server_start(&world, POINT_GOOD);
    const sc_point_options points = point_server_options(server);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_POINTS;
    sc_point_settings *settings = NULL;
    CHECK_OK(sc_point_settings_new(&points, &settings, NULL), NULL);
    options.points = settings;
    pair p;
    pair_open(&p, map, &options);
    sc_errand *e = errand_new_by_distance(map, sc_map_category_count(map), &rng, 3);
    e->wants_reply = true;
    bring_back(&p, p.asks, e);
    errand_check_well(e);
    assert_int_equal(e->reply.size, 0);
    unsigned returns;
    sc_errand twin = twin_of(e, &returns);
    twin.given = "x";
    twin.given_size = 1;
    bring_back(&p, p.is_given, &twin);
    assert_int_equal(twin.failure, SC_FAILURE_REFUSED);
    CHECK_CONTAINS(twin.diag.message, "asked at points");
    twin_free(&twin);
    errand_free(e);
    pair_close(&p);
    sc_point_settings_free(settings);
    point_server_stop(server);
    point_world_free(&world);
    sc_map_free(map);
    sketch_free(&drawing);
}

static void test_an_errand_that_failed_has_no_reply_to_give(void **state)
{
    (void)state;
    odd_town town = odd_town_drawn(1);
    rough_provider *provider = rough_provider_new(town.objects, SC_ENCODING_COMPACT);
    rough_provider_up(provider);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_HTTP;
    options.url = rough_provider_url(provider);
    pair p;
    pair_open(&p, town.map, &options);
    rough_provider_next(provider, ROUGH_GARBAGE, 1);
    sc_errand *e = errand_new(town.map, 1, &town.rng, SEATS);
    e->wants_reply = true;
    bring_back(&p, p.asks, e);
    errand_check_failed(e, SC_FAILURE_UNBELIEVABLE, "");
    assert_null(e->reply.data);
    errand_free(e);
    pair_close(&p);
    rough_provider_free(provider);
    odd_town_free(&town);
}

/** Whether a member has the relay's first request, and a result for it. */
static bool asks_first_request(const sc_errand *errand)
{
    for (size_t i = 0; i < errand->place_count; i++) {
        const sc_answer_place *place = &errand->places[i];
        if (place->request == 0 && place->answer && place->answer->count > 0) return true;
    }
    return false;
}

/** An errand whose reply can be given, and that has results for a member. */
static sc_errand *rich_errand(sc__answerer *answerer, odd_town *town)
{
    for (;;) {
        sc_errand *e = errand_new(town->map, answerer->vocabulary->count, &town->rng, SEATS);
        e->wants_reply = true;
        assert_int_equal(sc__answerer_evaluate(answerer, town->objects, e), SC_FAILURE_NONE);
        if (asks_first_request(e)) return e;
        errand_free(e);
    }
}

// A set that was loaded later numbers words otherwise: then no reply is given, and an answerer that
// has put requests into other words for one errand reads the next one as it is.
static void test_a_set_with_other_messages_has_no_reply_to_give(void **state)
{
    (void)state;
    odd_town town = odd_town_drawn(2);
    static const char *const names[] = {"zoo", "nobody's"};
    const sc_vocabulary other = {names, 2};
    sc_objects *own = own_objects(town.map, &town.rng);
    const sc_courier_options options = sc_courier_options_default();
    sc__answerer answerer;
    CHECK_OK(sc__answerer_init(&answerer, town.map, &other, &options, NULL), NULL);
    bool is_left_out = false;  // the first request, since the set has no word for it
    while (!is_left_out) {
        sc_errand *e = errand_new(town.map, 2, &town.rng, SEATS);
        e->wants_reply = true;
        assert_int_equal(sc__answerer_evaluate(&answerer, own, e), SC_FAILURE_NONE);
        assert_null(e->reply.data);
        is_left_out =
            answerer.translation.is_different && answerer.translation.places[0] == SC_NONE;
        errand_free(e);
    }

    // Another errand, in words that are understood; then this very answerer is given the reply to
    // it.
    const sc_vocabulary *words = sc_objects_vocabulary(town.objects);
    sc__answerer plain;
    CHECK_OK(sc__answerer_init(&plain, town.map, words, &options, NULL), NULL);
    sc_errand *f = rich_errand(&plain, &town);
    unsigned returns;
    sc_errand twin = twin_of(f, &returns);
    answerer.vocabulary = words;
    twin.failure = sc__answerer_read_given(&answerer, &twin);
    check_same_answers(&twin, f);

    twin_free(&twin);
    sc__answerer_fini(&plain);
    sc__answerer_fini(&answerer);
    errand_free(f);
    sc_objects_release(own);
    odd_town_free(&town);
}

// --- What goes wrong ------------------------------------------------------------------------

static void test_a_given_reply_is_checked_and_sends_nothing_of_the_provider(void **state)
{
    (void)state;
    odd_town town = odd_town_drawn(3);
    rough_provider *provider = rough_provider_new(town.objects, SC_ENCODING_GEOJSON);
    rough_provider_up(provider);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_HTTP;
    options.url = rough_provider_url(provider);
    options.encoding = SC_ENCODING_GEOJSON;
    options.breaker_failures = 1;
    pair p;
    pair_open(&p, town.map, &options);
    sc_errand *e = errand_new(town.map, 1, &town.rng, SEATS);
    e->wants_reply = true;
    bring_back(&p, p.asks, e);
    errand_check_well(e);

    unsigned returns;
    sc_errand twin = twin_of(e, &returns);
    twin.given_size /= 2;
    bring_back(&p, p.is_given, &twin);
    assert_int_equal(twin.failure, SC_FAILURE_UNBELIEVABLE);
    twin_free(&twin);
    const sc_courier_stats stats = sc_courier_stats_of(p.is_given);
    assert_int_equal(stats.failed[SC_FAILURE_UNBELIEVABLE], 0);
    assert_false(stats.is_suspended);

    // It need not leave, so it cannot be late for that; but answers can.
    twin = twin_of(e, &returns);
    twin.leave_by_us = sc_clock_us() - 1;
    bring_back(&p, p.is_given, &twin);
    check_same_answers(&twin, e);
    twin_free(&twin);
    twin = twin_of(e, &returns);
    twin.deadline_us = sc_clock_us() - 1;
    bring_back(&p, p.is_given, &twin);
    assert_int_equal(twin.failure, SC_FAILURE_TIMEOUT);
    twin_free(&twin);
    assert_false(sc_courier_stats_of(p.is_given).is_suspended);
    assert_int_equal(rough_provider_count(provider), 1);
    errand_free(e);
    pair_close(&p);
    rough_provider_free(provider);
    odd_town_free(&town);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_replies_of_the_built_in_provider_can_be_given),
    SC_CASES(test_replies_over_http_can_be_given),
    SC_CASES(test_a_providers_own_objects_keep_their_keys),
    cmocka_unit_test(test_distances_of_any_fraction_are_the_same_for_all),
    cmocka_unit_test(test_a_provider_of_points_has_no_reply_to_give),
    cmocka_unit_test(test_an_errand_that_failed_has_no_reply_to_give),
    cmocka_unit_test(test_a_set_with_other_messages_has_no_reply_to_give),
    cmocka_unit_test(test_a_given_reply_is_checked_and_sends_nothing_of_the_provider),
};
SC_SUITE(tests)
