// Every allocation of a doubt fails once, in turn, from its words to the reply: it says so, nothing
// leaks (the address sanitizer looks), and the next one goes well.
#include <pthread.h>

#include "api/doubt_json.h"
#include "api/doubts.h"
#include "base/rng.h"
#include "demo/doubt_internal.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "unit/demo/made_doubt.h"
#include "unit/api/house.h"

static void forget(void *context, sc_doubt *doubt)
{
    (void)context;
    sc_doubt_free(doubt);
}

static void test_a_doubter_without_memory_does_not_start(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&drawing);
    sc_doubter_options options = sc_doubter_options_default();
    options.done = forget;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_doubter *doubter = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_doubter_new(map, &options, &doubter, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_doubter_free(doubter);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(doubter);
        failures++;
    }
    // Itself, and its dice.
    assert_true(failures >= 2);
    sc_map_free(map);
    sketch_free(&drawing);
}

static unsigned long check_examination(const sc_map *map, sc_doubt *(*make)(void))
{
    sc_doubter_options options = sc_doubter_options_default();
    options.samples = SC_ATTACK_BATCHES;
    atomic_bool is_stopping = false;
    unsigned long failures = 0;
    // Every one at first; replays are all alike, so of theirs ever fewer.
    for (unsigned long n = 1;; n += 1 + n / 32) {
        sc_doubt *doubt = make();
        sc_rng rng;
        sc_rng_seed(&rng, 5);
        const sc__examiner examiner = {map, &options, &rng, &is_stopping};
        sc_alloc_fail_at(n);
        const sc_err err = sc__doubt_examine(&examiner, doubt);
        const bool is_out = oom_happened();
        if (is_out) {
            CHECK_REFUSED(err, SC_ENOMEM, &doubt->diag, "out of memory");
            assert_null(doubt->posterior.links);
            failures++;
        } else {
            CHECK_OK(err, &doubt->diag);
            assert_non_null(doubt->posterior.links);
        }
        sc_doubt_free(doubt);
        if (!is_out) break;
    }
    return failures;
}

static const sc_needs needs = {.k = 2, .l = 3, .max_hops = 3};

static sc_doubt *of_cloak(void)
{
    const sc_seg_id cloak[] = {4, 5, 9};
    return doubt_of_cloak(SC_BASIC, cloak, 3, 2, needs);
}

static sc_doubt *of_stars(void)
{
    const sc_seg_id places[] = {12, 13, 14};
    return doubt_of_method(SC_HYBRID, places, 3, needs);
}

static sc_doubt *of_expansion(void)
{
    const sc_seg_id places[] = {12, 13, 14};
    return doubt_of_method(SC_EXPANSION, places, 3, needs);
}

static void test_a_doubt_without_memory_comes_to_nothing(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    sc_map *map = sketch_map(&drawing);
    // An adversary with an engine, and its tables; and for a method another engine.
    assert_true(check_examination(map, of_cloak) > 30);
    assert_true(check_examination(map, of_stars) > 30);
    assert_true(check_examination(map, of_expansion) > 30);
    sc_map_free(map);
    sketch_free(&drawing);
}

// --- Words ---------------------------------------------------------------------------------------

static void test_words_without_memory_are_refused_as_too_much(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"segments\":[3,1],\"members\":[{\"k\":1,\"l\":1,\"max_hops\":1}]}",
        "{\"queries\":[{\"k\":1,\"l\":1,\"max_hops\":1,\"segment\":2}]}"};
    for (size_t i = 0; i < 2; i++) {
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_doubt_field field;
            sc_problem problem = {.detail = ""};
            sc_doubt *doubt =
                sc_doubt_read(bodies[i], strlen(bodies[i]), 10, SC_BASIC, &field, &problem);
            if (!oom_happened()) {
                assert_non_null(doubt);
                sc_doubt_free(doubt);
                break;
            }
            assert_null(doubt);
            assert_int_equal(problem.kind, SC_PROBLEM_OVERLOADED);
            assert_int_equal(problem.retry_after_s, 1);
            failures++;
        }
        assert_int_equal(failures, 3);  // the doubt, and two lists
    }
}

static void test_a_reply_for_which_there_is_no_room_says_so(void **state)
{
    (void)state;
    const sc_doubt doubt = {.method = SC_BASIC};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes out = {0};
        const sc_err err = sc_doubt_write(&doubt, &out);
        const bool is_out = oom_happened();
        sc_bytes_fini(&out);
        if (!is_out) {
            CHECK_OK(err, NULL);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures >= 1);
}

// --- The route -----------------------------------------------------------------------------------

static void close_house(house *h)
{
    sc_http_stop(h->parts.http);
    sc_doubts_free(h->parts.doubts);
    house_close(h);
}

static void test_a_route_without_memory_is_not_opened(void **state)
{
    (void)state;
    const sc_engine_options engine = sc_engine_options_default();
    unsigned long failures = 0;
    bool is_out = true;
    // A server that has watched once cannot forget it, so each try has one of its own.
    for (unsigned long n = 1; is_out; n++) {
        const house_options options = house_options_default();
        house *h = test_take(1, sizeof *h);
        house_furnish(h, &options);
        sc_diag diag = {""};
        sc_alloc_fail_at(n);
        const sc_err err = sc_doubts_new(&h->parts, &engine, NULL, &h->parts.doubts, &diag);
        is_out = oom_happened();
        if (is_out) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
            assert_null(h->parts.doubts);
            failures++;
        } else {
            CHECK_OK(err, &diag);
        }
        close_house(h);
    }
    // Itself, its loops, a handover of two pieces for each, and the doubter.
    assert_true(failures >= 8);
}

/** Which allocation of the next request fails; and whether it came to that. */
static atomic_ulong fail_at;
static atomic_bool has_failed;

static void ask_with_little_memory(void *context, unsigned loop, sc_http_request *request)
{
    house *h = context;
    sc_alloc_fail_at(atomic_load(&fail_at));
    sc_doubts_ask(h->parts.doubts, loop, request);
    atomic_store(&has_failed, oom_happened());
}

static void ask_before_memory_runs_out(void *context, unsigned loop, sc_http_request *request)
{
    house *h = context;
    sc_alloc_fail_at(0);
    sc_doubts_ask(h->parts.doubts, loop, request);
    // This loop gets no more, and so has none when the doubt is back.
    sc_alloc_fail_at(1);
}

static house *open_house(sc_http_handler handle)
{
    house_options options = house_options_default();
    options.loops = 1;
    options.handle = handle;
    house *h = test_take(1, sizeof *h);
    sc_diag diag = {""};
    const sc_engine_options engine = sc_engine_options_default();
    house_furnish(h, &options);
    CHECK_OK(sc_door_new(&h->parts, options.max_pending, NULL, &h->parts.door, &diag), &diag);
    house_staff(h);
    CHECK_OK(sc_doubts_new(&h->parts, &engine, NULL, &h->parts.doubts, &diag), &diag);
    CHECK_OK(sc_http_start(h->parts.http, &diag), &diag);
    return h;
}

// The status of the reply; 0 if there was no memory for one either, and the connection ended.
static int ask(const house *h)
{
    const int fd = house_call(h);
    house_send(fd, "Content-Type: application/json\r\n",
               "{\"segments\":[3,1],\"members\":[{\"k\":1,\"l\":1,\"max_hops\":1}]}");
    char first = 0;
    int status = 0;
    if (recv(fd, &first, 1, MSG_PEEK) > 0) {
        const house_reply reply = house_hear(fd);
        status = reply.status;
        json_decref(reply.body);
    }
    close(fd);
    return status;
}

static void test_a_request_without_memory_is_refused(void **state)
{
    (void)state;
    house *h = open_house(ask_with_little_memory);
    unsigned long n = 0;
    do {
        atomic_store(&fail_at, ++n);
        const int status = ask(h);
        assert_true(atomic_load(&has_failed) ? status == 0 || status == 503 : status == 200);
    } while (atomic_load(&has_failed));
    assert_true(n > 4);  // its words, and the visit
    close_house(h);
}

static void test_a_doubt_that_cannot_be_told_is_still_an_end(void **state)
{
    (void)state;
    house *h = open_house(ask_before_memory_runs_out);
    for (int i = 0; i < 3; i++) {
        const int status = ask(h);
        assert_true(status == 0 || status == 503);
    }
    close_house(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_doubter_without_memory_does_not_start),
    cmocka_unit_test(test_a_doubt_without_memory_comes_to_nothing),
    cmocka_unit_test(test_words_without_memory_are_refused_as_too_much),
    cmocka_unit_test(test_a_reply_for_which_there_is_no_room_says_so),
    cmocka_unit_test(test_a_route_without_memory_is_not_opened),
    cmocka_unit_test(test_a_request_without_memory_is_refused),
    cmocka_unit_test(test_a_doubt_that_cannot_be_told_is_still_an_end),
};
SC_SUITE(tests)
