// Every allocation of a courier fails once, in turn: at the start it says so and leaks nothing; on
// the way of an errand, in whatever thread, the errand comes back as overloaded and the next one
// goes well.
#include <pthread.h>

#include "base/clock.h"
#include "courier/answerer.h"
#include "courier/courier.h"
#include "courier/provider_connections.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/oom.h"
#include "support/point_server.h"
#include "support/rough_provider.h"
#include "unit/points/gather.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SEATS = 4 };

// --- Starting -------------------------------------------------------------------------------

static unsigned long check_start(const sc_map *map, const sc_courier_options *options)
{
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_rng rng;
        sc_rng_seed(&rng, 7);
        sc_courier *courier = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_courier_new(map, options, &rng, &courier, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_courier_free(courier);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(courier);
        failures++;
    }
    return failures;
}

static void test_a_start_that_runs_out_of_memory_sends_so_and_leaks_nothing(void **state)
{
    (void)state;
    odd_town town = odd_town_drawn(3);
    errand_box box;
    errand_box_init(&box);
    const char *const more[] = {"moon"};
    sc_courier_options options = sc_courier_options_default();
    options.threads = 2;
    options.more_categories = more;
    options.more_category_count = 1;
    options.objects = town.objects;
    options.back = errand_box_back;
    options.context = &box;
    // The courier, its jobs and words; for each thread a filter, a provider, randomness.
    assert_true(check_start(town.map, &options) > 8);

    options.kind = SC_COURIER_HTTP;
    options.url = "http://127.0.0.1:9/";
    options.ca = SC_REPOSITORY "/README.md";  // it is read, and no more
    assert_true(check_start(town.map, &options) > 10);

    sc_point_options points = sc_point_options_default();
    points.url = "http://127.0.0.1:9/?x={lon}&y={lat}&k={k}";
    options.kind = SC_COURIER_POINTS;
    sc_point_settings *settings = NULL;
    CHECK_OK(sc_point_settings_new(&points, &settings, NULL), NULL);
    options.points = settings;
    assert_true(check_start(town.map, &options) > 6);
    sc_point_settings_free(settings);
    errand_box_fini(&box);
    odd_town_free(&town);
}

// --- A provider thread ----------------------------------------------------------------------

static void forget_answers(sc_errand *e)
{
    for (size_t i = 0; i < e->place_count; i++) {
        sc_answer_free(e->places[i].answer);
        e->places[i].answer = NULL;
    }
}

static void check_overloaded(const sc_errand *e, sc_failure failure)
{
    assert_int_equal(failure, SC_FAILURE_OVERLOADED);
    CHECK_CONTAINS(e->diag.message, "out of memory while ");
    for (size_t i = 0; i < e->place_count; i++) {
        assert_null(e->places[i].answer);
    }
}

static void test_a_provider_thread_without_memory_gives_no_answer_at_all(void **state)
{
    (void)state;
    odd_town town = odd_town_new(5);
    sc_courier_options options = sc_courier_options_default();
    // Words in another order, so that requests are put into others.
    const sc_vocabulary *words = sc_objects_vocabulary(town.objects);
    const char **names = test_take(words->count, sizeof *names);
    for (uint32_t i = 0; i < words->count; i++) {
        names[i] = words->names[words->count - 1 - i];
    }
    const sc_vocabulary turned = {names, words->count};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        sc_rng_seed(&town.rng, 9);
        sc_errand *e = errand_new(town.map, words->count, &town.rng, SEATS);
        sc__answerer answerer;
        CHECK_OK(sc__answerer_init(&answerer, town.map, &turned, &options, NULL), NULL);
        sc_alloc_fail_at(n);
        const sc_failure failure = sc__answerer_evaluate(&answerer, town.objects, e);
        const bool happened = oom_happened();
        if (happened) {
            check_overloaded(e, failure);
            // The answerer is as good as before.
            assert_int_equal(sc__answerer_evaluate(&answerer, town.objects, e), SC_FAILURE_NONE);
            failures++;
        }
        assert_true(happened || failure == SC_FAILURE_NONE);
        sc__answerer_fini(&answerer);
        errand_free(e);
        if (!happened) break;
    }
    // Words, the reply's tables, the filter's, and an answer for each place.
    assert_true(failures > 10);
    free(names);
    odd_town_free(&town);
}

static void test_a_reply_that_there_is_no_memory_for_gives_no_answer_at_all(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 2; encoding++) {
        odd_town town = odd_town_drawn(3);
        const sc_vocabulary *words = sc_objects_vocabulary(town.objects);
        sc_courier_options options = sc_courier_options_default();
        options.kind = SC_COURIER_HTTP;
        options.encoding = (sc_encoding)encoding;
        sc_lbs *lbs = odd_town_lbs(&town, true);
        sc_errand *e = errand_new(town.map, words->count, &town.rng, SEATS);
        sc_reply reply;
        sc_reply_init(&reply);
        sc_bytes bytes = {.data = NULL};
        CHECK_OK(sc_lbs_evaluate(lbs, town.objects, e->relay, &reply, NULL), NULL);
        CHECK_OK(
            sc_reply_encode(
                &(sc_codec){.map = town.map, .vocabulary = words, .encoding = options.encoding},
                e->relay, &reply, &bytes, NULL),
            NULL);
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_alloc_fail_at(0);
            sc__answerer answerer;
            sc_bytes request = {.data = NULL};
            CHECK_OK(sc__answerer_init(&answerer, town.map, words, &options, NULL), NULL);
            sc_alloc_fail_at(n);
            sc_failure failure = sc__answerer_write(&answerer, e, &request);
            if (!failure) failure = sc__answerer_read(&answerer, e, bytes.data, bytes.size);
            const bool happened = oom_happened();
            if (happened) {
                check_overloaded(e, failure);
                failures++;
            }
            assert_true(happened || failure == SC_FAILURE_NONE);
            forget_answers(e);
            sc_bytes_fini(&request);
            sc__answerer_fini(&answerer);
            if (!happened) break;
        }
        assert_true(failures > 10);
        sc_bytes_fini(&bytes);
        sc_reply_fini(&reply);
        errand_free(e);
        sc_lbs_free(lbs);
        odd_town_free(&town);
    }
}

// Built in, then over HTTP in both encodings: the reply is written for another gateway, who reads
// it.
static void test_a_reply_that_is_handed_on_needs_memory_too(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        odd_town town = odd_town_drawn(3);
        const sc_vocabulary *words = sc_objects_vocabulary(town.objects);
        sc_courier_options options = sc_courier_options_default();
        options.kind = way == 0 ? SC_COURIER_BUILT_IN : SC_COURIER_HTTP;
        options.encoding = way == 2 ? SC_ENCODING_GEOJSON : SC_ENCODING_COMPACT;
        sc_lbs *lbs = odd_town_lbs(&town, true);
        sc_errand *e = errand_new(town.map, words->count, &town.rng, SEATS);
        sc_reply reply;
        sc_reply_init(&reply);
        sc_bytes bytes = {.data = NULL};
        CHECK_OK(sc_lbs_evaluate(lbs, town.objects, e->relay, &reply, NULL), NULL);
        CHECK_OK(
            sc_reply_encode(
                &(sc_codec){.map = town.map, .vocabulary = words, .encoding = options.encoding},
                e->relay, &reply, &bytes, NULL),
            NULL);
        e->wants_reply = true;
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_alloc_fail_at(0);
            sc__answerer answerer;
            CHECK_OK(sc__answerer_init(&answerer, town.map, words, &options, NULL), NULL);
            sc_alloc_fail_at(n);
            sc_failure failure = way == 0 ? sc__answerer_evaluate(&answerer, town.objects, e)
                                          : sc__answerer_read(&answerer, e, bytes.data, bytes.size);
            if (!failure) {
                forget_answers(e);
                e->given = e->reply.data;
                e->given_size = e->reply.size;
                failure = sc__answerer_read_given(&answerer, e);
            }
            const bool happened = oom_happened();
            if (happened) {
                check_overloaded(e, failure);
                failures++;
            }
            assert_true(happened || failure == SC_FAILURE_NONE);
            forget_answers(e);
            sc_bytes_fini(&e->reply);
            sc__answerer_fini(&answerer);
            if (!happened) break;
        }
        assert_true(failures > 10);
        sc_bytes_fini(&bytes);
        sc_reply_fini(&reply);
        errand_free(e);
        sc_lbs_free(lbs);
        odd_town_free(&town);
    }
}

// --- All threads ----------------------------------------------------------------------------

/** The thread that brings an errand back, or the connections', has little memory for the next one.
 */
typedef struct thief {
    errand_box box;
    atomic_ulong leave;  ///< allocations that still go well; 0: all
} thief;

static void steal(void *context, sc_errand *errand)
{
    thief *t = context;
    sc_alloc_fail_at(atomic_load(&t->leave));
    errand_box_back(&t->box, errand);
}

// Send errands until so many went well in a row, with ever more memory; none is lost.
static size_t check_all(const sc_map *map, sc_rng *rng, const sc_courier_options *given)
{
    thief t;
    errand_box_init(&t.box);
    atomic_store(&t.leave, 1);
    sc_courier_options options = *given;
    options.back = steal;
    options.context = &t;
    sc_rng seeded;
    sc_rng_seed(&seeded, 7);
    sc_courier *courier = NULL;
    CHECK_OK(sc_courier_new(map, &options, &seeded, &courier, NULL), NULL);
    size_t overloaded = 0;
    size_t well = 0;
    for (size_t sent = 0; well < 3; sent++) {
        sc_errand *e =
            errand_new_by_distance(map, sc_courier_vocabulary(courier)->count, rng, SEATS);
        CHECK_OK(sc_courier_send(courier, e), NULL);
        errand_box_await(&t.box, sent + 1);
        if (e->failure) {
            errand_check_failed(e, SC_FAILURE_OVERLOADED, "out of memory while ");
            overloaded++;
            well = 0;
        } else {
            errand_check_well(e);
            well++;
        }
        errand_free(e);
        // The first one finds a thread that has not been robbed yet.
        atomic_store(&t.leave, sent > 150 ? 0 : 1 + sent / 2);
    }
    sc_courier_free(courier);
    errand_box_fini(&t.box);
    return overloaded;
}

static void test_errands_that_threads_have_no_memory_for_come_back_as_overloaded(void **state)
{
    (void)state;
    odd_town town = odd_town_drawn(3);
    sc_courier_options options = sc_courier_options_default();
    options.objects = town.objects;
    assert_true(check_all(town.map, &town.rng, &options) > 1);

    rough_provider *provider = rough_provider_new(town.objects, SC_ENCODING_COMPACT);
    rough_provider_up(provider);
    options.kind = SC_COURIER_HTTP;
    options.url = rough_provider_url(provider);
    assert_true(check_all(town.map, &town.rng, &options) > 1);
    rough_provider_free(provider);
    odd_town_free(&town);
}

/** In the connections's thread: whether there is memory for the next reply. */
static void rob_exchange(void *context, sc__exchange *exchange)
{
    atomic_size_t *count = context;
    (void)exchange;
    sc_alloc_fail_at(atomic_fetch_add(count, 1) == 0 ? 1 : 0);
}

static bool never_again(void *context, const sc__exchange *exchange)
{
    (void)context;
    (void)exchange;
    return false;
}

static void test_a_reply_that_the_connections_has_no_memory_for_is_given_up(void **state)
{
    (void)state;
    rough_provider *provider = rough_provider_new(NULL, SC_ENCODING_COMPACT);
    rough_provider_up(provider);
    atomic_size_t count = 0;
    assert_int_equal(curl_global_init(CURL_GLOBAL_DEFAULT), 0);
    sc_courier_options options = sc_courier_options_default();
    options.url = rough_provider_url(provider);
    const sc__connections_hooks hooks = {
        .back = rob_exchange, .may_go_on = never_again, .context = &count};
    sc_rng *rng = NULL;
    CHECK_OK(sc_rng_new_seeded(1, &rng), NULL);
    sc__connections *connections = NULL;
    CHECK_OK(sc__connections_new(&options, &hooks, rng, &connections, NULL), NULL);
    const sc_failure wanted[] = {SC_FAILURE_NONE, SC_FAILURE_OVERLOADED, SC_FAILURE_NONE};
    for (size_t i = 0; i < 3; i++) {
        sc_diag diag = {""};
        sc__exchange exchange = {.request = "hello",
                                 .request_size = 5,
                                 .leave_by_us = sc_clock_us() + INT64_C(60000000),
                                 .deadline_us = sc_clock_us() + INT64_C(60000000),
                                 .diag = &diag};
        sc__connections_post(connections, &exchange);
        while (atomic_load(&count) <= i) {
            usleep(1000);
        }
        assert_int_equal(exchange.failure, wanted[i]);
        CHECK_CONTAINS(diag.message, wanted[i] ? "out of memory while " : "");
        sc__connections_forget(connections, &exchange);
    }
    sc__connections_free(connections);
    curl_global_cleanup();
    rough_provider_free(provider);
}

static void
test_points_that_a_provider_thread_has_no_memory_for_come_back_as_overloaded(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_map *map = town_with_objects(&drawing, 6, &rng);
    point_world world = point_world_new(map, SC_POINT_STRAIGHT);
    point_server *server = point_server_start(&world, POINT_GOOD);
    const sc_point_options points = point_server_options(server);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_POINTS;
    sc_point_settings *settings = NULL;
    CHECK_OK(sc_point_settings_new(&points, &settings, NULL), NULL);
    options.points = settings;
    assert_true(check_all(map, &rng, &options) > 5);
    sc_point_settings_free(settings);
    point_server_stop(server);
    point_world_free(&world);
    sc_map_free(map);
    sketch_free(&drawing);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_start_that_runs_out_of_memory_sends_so_and_leaks_nothing),
    cmocka_unit_test(test_a_provider_thread_without_memory_gives_no_answer_at_all),
    cmocka_unit_test(test_a_reply_that_there_is_no_memory_for_gives_no_answer_at_all),
    cmocka_unit_test(test_a_reply_that_is_handed_on_needs_memory_too),
    cmocka_unit_test(test_errands_that_threads_have_no_memory_for_come_back_as_overloaded),
    cmocka_unit_test(test_a_reply_that_the_connections_has_no_memory_for_is_given_up),
    cmocka_unit_test(test_points_that_a_provider_thread_has_no_memory_for_come_back_as_overloaded),
};
SC_SUITE(tests)
