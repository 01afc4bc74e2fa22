// Every allocation of the pages and metrics of a cluster fails once, in turn: it is told, nothing
// is half done and nothing leaks.
#include "api/metrics.h"
#include "api/service_internal.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/prometheus.h"
#include "support/sketch.h"

enum { PARTS = 2 };

typedef struct fixture {
    sc_map *map;
    sc_partition *partition;
} fixture;

static void fixture_open(fixture *f)
{
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    f->map = sketch_map(&grid);
    sketch_free(&grid);
    const uint32_t stars = sc_map_star_count(f->map);
    uint16_t *part_of_star = test_take(stars, sizeof *part_of_star);
    for (uint32_t star = 0; star < stars; star++) {
        part_of_star[star] = (uint16_t)(star % PARTS);
    }
    sc_diag diag = {""};
    CHECK_OK(sc_partition_new(f->map, part_of_star, PARTS, &f->partition, &diag), &diag);
    free(part_of_star);
}

static void fixture_close(fixture *f)
{
    sc_partition_free(f->partition);
    sc_map_free(f->map);
}

static void test_a_page_of_the_partition_that_cannot_be_made(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition_page *page = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_partition_page_new(f.partition, &page, &diag);
        const bool happened = oom_happened();
        if (!happened || !err) {
            // The last allocations only give room back; without them the page is as good.
            CHECK_OK(err, &diag);
            sc_partition_page_free(page);
            if (!happened) break;
        } else {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while writing the partition");
            assert_null(page);
        }
        failures++;
    }
    assert_true(failures > 3);
    fixture_close(&f);
}

static void say_nothing(void *context, sc_peer to, sc_msg *word)
{
    (void)context;
    (void)to;
    sc_msg_fini(word);
}

static sc_engine_pool *pool_of(const fixture *f)
{
    const sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = f->partition,
        .engine_threads = 1,
        .max_queries = 100,
        .self = 5,
        .patience_us = 500000,
        .port = {.send = say_nothing},
    };
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_engine_pool *engines = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_engine_pool_new(f->map, &options, &rng, &engines, &diag), &diag);
    static const uint16_t parts[PARTS] = {0, 1};
    CHECK_OK(sc_engine_pool_set_parts(engines, parts, PARTS), NULL);
    sc_engine_pool_round(engines, 0);
    return engines;
}

static void test_a_view_that_cannot_be_made_is_there_the_next_time(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_engine_pool *engines = pool_of(&f);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_process_view *own = NULL;
        const sc_err err = sc_process_view_new(engines, f.partition, &own);
        sc_cluster_view *view = err ? NULL : sc_process_view_now(own);
        const bool happened = oom_happened();
        assert_int_equal(view != NULL, !happened);
        if (err) {
            assert_int_equal(err, SC_ENOMEM);
            assert_null(own);
        } else if (!view) {
            view = sc_process_view_now(own);
            assert_non_null(view);
        }
        if (view) {
            assert_int_equal(view->peer_count, 2);
            assert_int_equal(view->part_count, PARTS);
            assert_true(view->parts[0].is_served && view->parts[1].is_served);
        }
        sc_cluster_view_free(view);
        sc_process_view_free(own);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 5);
    sc_engine_pool_free(engines);
    fixture_close(&f);
}

static void test_metrics_of_a_cluster_that_cannot_be_written(void **state)
{
    (void)state;
    sc_cluster_view_peer worker = {.peer = 1, .name = "w1", .is_worker = true};
    sc_cluster_view_part parts[PARTS] = {{.owner = 1, .is_served = true}, {.owner = SC_PEER_NONE}};
    const sc_cluster_view view = {
        .peer_count = 1, .peers = &worker, .part_count = PARTS, .parts = parts};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes text = {0};
        const bool fits = sc__metrics_print_cluster(&view, &text);
        const bool happened = oom_happened();
        assert_int_equal(fits, !happened);
        if (fits) prometheus_free(prometheus_read((const char *)text.data, text.size));
        sc_bytes_fini(&text);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_page_of_the_partition_that_cannot_be_made),
    cmocka_unit_test(test_a_view_that_cannot_be_made_is_there_the_next_time),
    cmocka_unit_test(test_metrics_of_a_cluster_that_cannot_be_written),
};
SC_SUITE(tests)
