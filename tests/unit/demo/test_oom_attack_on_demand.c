// Every allocation of an attack fails once, in turn, from its words to the reply: it says so,
// nothing leaks (the address sanitizer looks), and the next one goes well.
#include <pthread.h>

#include "attack_scene.h"
#include "base/rng.h"
#include "demo/attack_json.h"
#include "demo/attack_on_demand_internal.h"
#include "made_attack.h"
#include "support/oom.h"
#include "support/sketch.h"

static void forget(void *context, sc_attack_request *attack)
{
    (void)context;
    sc_attack_request_free(attack);
}

static void test_a_attacker_without_memory_does_not_start(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&drawing);
    sc_attack_thread_options options = sc_attack_thread_options_default();
    options.done = forget;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_attack_thread *attacker = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_attack_thread_new(map, &options, &attacker, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_attack_thread_free(attacker);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(attacker);
        failures++;
    }
    // Itself, and its dice.
    assert_true(failures >= 2);
    sc_map_free(map);
    sketch_free(&drawing);
}

static unsigned long check_examination(const sc_map *map, sc_attack_request *(*make)(void))
{
    sc_attack_thread_options options = sc_attack_thread_options_default();
    options.samples = SC_ATTACK_BATCHES;
    atomic_bool is_stopping = false;
    unsigned long failures = 0;
    // Every one at first; replays are all alike, so of theirs ever fewer.
    for (unsigned long n = 1;; n += 1 + n / 32) {
        sc_attack_request *attack = make();
        sc_rng rng;
        sc_rng_seed(&rng, 5);
        const sc__attack_examiner examiner = {map, &options, &rng, &is_stopping};
        sc_alloc_fail_at(n);
        const sc_err err = sc__attack_run(&examiner, attack);
        const bool is_out = oom_happened();
        if (is_out) {
            CHECK_REFUSED(err, SC_ENOMEM, &attack->diag, "out of memory");
            assert_null(attack->posterior.links);
            failures++;
        } else {
            CHECK_OK(err, &attack->diag);
            assert_non_null(attack->posterior.links);
        }
        sc_attack_request_free(attack);
        if (!is_out) break;
    }
    return failures;
}

static const sc_needs needs = {.k = 2, .l = 3, .max_hops = 3};

static sc_attack_request *of_cloak(void)
{
    const sc_seg_id cloak[] = {4, 5, 9};
    return attack_on_cloak(SC_VARIANT_BASIC, cloak, 3, 2, needs);
}

static sc_attack_request *of_stars(void)
{
    const sc_seg_id places[] = {12, 13, 14};
    return attack_on_method(SC_VARIANT_HYBRID, places, 3, needs);
}

static sc_attack_request *of_expansion(void)
{
    const sc_seg_id places[] = {12, 13, 14};
    return attack_on_method(SC_VARIANT_EXPANSION, places, 3, needs);
}

static void test_a_attack_without_memory_comes_to_nothing(void **state)
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
            sc_attack_field field;
            sc_problem problem = {.detail = ""};
            sc_attack_request *attack = sc_attack_read(bodies[i], strlen(bodies[i]), 10,
                                                       SC_VARIANT_BASIC, &field, &problem);
            if (!oom_happened()) {
                assert_non_null(attack);
                sc_attack_request_free(attack);
                break;
            }
            assert_null(attack);
            assert_int_equal(problem.kind, SC_PROBLEM_OVERLOADED);
            assert_int_equal(problem.retry_after_s, 1);
            failures++;
        }
        assert_int_equal(failures, 3);  // the attack, and two lists
    }
}

static void test_a_reply_for_which_there_is_no_room_says_so(void **state)
{
    (void)state;
    const sc_attack_request attack = {.method = SC_VARIANT_BASIC};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes out = {0};
        const sc_err err = sc_attack_write(&attack, &out);
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

static void test_a_route_without_memory_is_not_opened(void **state)
{
    (void)state;
    unsigned long failures = 0;
    bool is_out = true;
    // A server that has watched once cannot forget it, so each try has one of its own.
    for (unsigned long n = 1; is_out; n++) {
        attack_scene *on = attack_scene_prepare(2, NULL);
        sc_diag diag = {""};
        sc_alloc_fail_at(n);
        const sc_err err = attack_scene_attach(on, &diag);
        is_out = oom_happened();
        if (is_out) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
            assert_null(on->attacks);
            failures++;
        } else {
            CHECK_OK(err, &diag);
        }
        attack_scene_close(on);
    }
    // Itself, its loops, a handover of two pieces for each, and the attacker.
    assert_true(failures >= 8);
}

/** Which allocation of the next request fails; and whether it came to that. */
static atomic_ulong fail_at;
static atomic_bool has_failed;

static void ask_with_little_memory(void *context, unsigned loop, sc_http_request *request)
{
    const attack_scene *on = context;
    sc_alloc_fail_at(atomic_load(&fail_at));
    sc_attack_route_ask(on->attacks, loop, request);
    atomic_store(&has_failed, oom_happened());
}

static void ask_before_memory_runs_out(void *context, unsigned loop, sc_http_request *request)
{
    const attack_scene *on = context;
    sc_alloc_fail_at(0);
    sc_attack_route_ask(on->attacks, loop, request);
    // This loop gets no more, and so has none when the attack is back.
    sc_alloc_fail_at(1);
}

// The status of the reply; 0 if there was no memory for one either, and the connection ended.
static int ask(const attack_scene *on)
{
    const int fd = query_scene_connect(live_service_address(&on->live));
    query_scene_post(fd, ATTACK_PATH, "Content-Type: application/json\r\n",
                     "{\"segments\":[3,1],\"members\":[{\"k\":1,\"l\":1,\"max_hops\":1}]}");
    char first = 0;
    int status = 0;
    if (recv(fd, &first, 1, MSG_PEEK) > 0) {
        const query_scene_reply reply = query_scene_receive(fd);
        status = reply.status;
        json_decref(reply.body);
    }
    close(fd);
    return status;
}

static void test_a_request_without_memory_is_refused(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, ask_with_little_memory);
    unsigned long n = 0;
    do {
        atomic_store(&fail_at, ++n);
        const int status = ask(on);
        assert_true(atomic_load(&has_failed) ? status == 0 || status == 503 : status == 200);
    } while (atomic_load(&has_failed));
    assert_true(n > 4);  // its words, and the visit
    attack_scene_close(on);
}

static void test_a_attack_that_cannot_be_told_is_still_an_end(void **state)
{
    (void)state;
    attack_scene *on = attack_scene_open(1, ask_before_memory_runs_out);
    for (int i = 0; i < 3; i++) {
        const int status = ask(on);
        assert_true(status == 0 || status == 503);
    }
    attack_scene_close(on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_attacker_without_memory_does_not_start),
    cmocka_unit_test(test_a_attack_without_memory_comes_to_nothing),
    cmocka_unit_test(test_words_without_memory_are_refused_as_too_much),
    cmocka_unit_test(test_a_reply_for_which_there_is_no_room_says_so),
    cmocka_unit_test(test_a_route_without_memory_is_not_opened),
    cmocka_unit_test(test_a_request_without_memory_is_refused),
    cmocka_unit_test(test_a_attack_that_cannot_be_told_is_still_an_end),
};
SC_SUITE(tests)
