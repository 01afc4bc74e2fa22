// Every allocation of the load generator fails once, in turn: told, nothing leaks, and whatever was
// asked has an end.
#include <stdio.h>

#include "base/clock.h"
#include "demo/loadgen/clients.h"
#include "demo/loadgen/http_response.h"
#include "server/token.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"
#include "support/toy_service.h"
#include "travel/walk.h"

enum { TRAVELLERS = 5 };

// A byte at a time, so that lines are kept as well.
static void test_a_reply_without_memory_is_told(void **state)
{
    (void)state;
    static const char text[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "4\r\nWiki\r\n40\r\n"
                               "0123456789012345678901234567890123456789012345678901234567890123"
                               "\r\n0\r\n\r\n";
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_response response = {0};
        sc_err err = SC_OK;
        for (size_t at = 0; at < sizeof(text) - 1 && !err; at++) {
            size_t used = 0;
            err = sc_response_feed(&response, text + at, 1, &used, NULL);
        }
        const bool has_failed = oom_happened();
        if (!has_failed) assert_int_equal(response.body_size, 68);
        sc_response_clear(&response);
        if (!has_failed) break;
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures >= 3);
}

static void test_tokens_without_memory_are_told(void **state)
{
    (void)state;
    place p = place_new();
    const char *keys = place_path(&p, "keys");
    const char *list = place_write_text(&p, "tokens", "sct1_a\nsct1_b\n");
    CHECK_OK(sc_token_keys_write(keys, NULL), NULL);
    for (int is_issued = 0; is_issued < 2; is_issued++) {
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_tokens *tokens = NULL;
            sc_diag diag = {""};
            const sc_err err = is_issued ? sc_tokens_issue(keys, 2, 10, &tokens, &diag)
                                         : sc_tokens_read(list, 2, &tokens, &diag);
            if (!oom_happened()) {
                CHECK_OK(err, &diag);
                sc_tokens_free(tokens);
                break;
            }
            assert_int_equal(err, SC_ENOMEM);
            assert_null(tokens);
            failures++;
        }
        assert_true(failures >= 2);
    }
    place_free(&p);
}

/** A group in this very thread, which asks once for each traveller and waits for all. */
typedef struct scene {
    place place;
    sc_map *map;
    sc_objects *objects;
    sc_tokens *tokens;
    toy_service *toy;
    sc_target target;
    sc_load_options options;
} scene;

static void open_scene(scene *on)
{
    *on = (scene){.place = place_new(), .map = full_map(SC_COORDS_GEOGRAPHIC)};
    CHECK_OK(sc_objects_new_from_map(on->map, &on->objects), NULL);
    const char *path = place_write_text(&on->place, "tokens", "a\nb\nc\nd\ne\n");
    CHECK_OK(sc_tokens_read(path, TRAVELLERS, &on->tokens, NULL), NULL);
    on->toy = toy_service_start(on->map, TOY_IN_PIECES);
    CHECK_OK(sc_target_init(&on->target, toy_service_url(on->toy), NULL, NULL), NULL);
    on->options = sc_load_options_default();
    on->options.objects = on->objects;
    on->options.check_per_mille = 1000;
    on->options.tokens = on->tokens;
    on->options.holds = true;
}

static void close_scene(scene *on)
{
    sc_target_fini(&on->target);
    toy_service_stop(on->toy);
    sc_tokens_free(on->tokens);
    sc_objects_release(on->objects);
    sc_map_free(on->map);
    place_free(&on->place);
}

static sc_err run_once(scene *on, sc_movement *movement, uint64_t *answered)
{
    sc_movement *const movements[] = {movement};
    on->options.movements = movements;
    sc__request_writer *writer = NULL;
    sc__client_group *group = NULL;
    sc_err err = sc__request_writer_new(on->map, &on->target, &writer);
    // Draining from the start: there is one round of questions, and then it ends.
    sc__load_run shared = {.map = on->map,
                           .options = &on->options,
                           .target = &on->target,
                           .writer = writer,
                           .start_us = sc_clock_us(),
                           .measure_to_us = INT64_MAX,
                           .phase = SC__DRAINING};
    if (!err) err = sc__client_group_new(&shared, 0, 0, &group, NULL);
    if (!err) {
        err = sc__client_group_run(group);
        const sc_load_counts *counts = group->counts;
        uint64_t ended = 0;
        for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
            ended += counts->ends[i];
        }
        assert_int_equal(ended, counts->asked);
        *answered = counts->ends[SC_LOAD_ANSWERED];
        for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
            assert_int_equal(counts->violations[i], 0);
        }
    }
    sc__client_group_free(group);
    sc__request_writer_free(writer);
    on->options.movements = NULL;
    return err;
}

static void test_a_group_without_memory_gives_up_in_order(void **state)
{
    (void)state;
    scene on;
    open_scene(&on);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        sc_movement *movement = NULL;
        CHECK_OK(sc_walk_new(on.map, TRAVELLERS, n, &movement, NULL), NULL);
        sc_alloc_fail_at(n);
        uint64_t answered = 0;
        const sc_err err = run_once(&on, movement, &answered);
        const bool has_failed = oom_happened();
        sc_movement_free(movement);
        if (!has_failed) {
            CHECK_OK(err, NULL);
            assert_int_equal(answered, TRAVELLERS);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures > 15);
    close_scene(&on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_reply_without_memory_is_told),
    cmocka_unit_test(test_tokens_without_memory_are_told),
    cmocka_unit_test(test_a_group_without_memory_gives_up_in_order),
};
SC_SUITE(tests)
