// Every allocation of loading a table from a live database fails once, in turn: it says so and
// leaks nothing (the address sanitizer looks). In the feed's own thread it costs one load.
#include <starcloak/object_feed.h>

#include "support/check.h"
#include "support/feeds.h"
#include "support/oom.h"

#include <stdatomic.h>

static town here;

static int begin(void **state)
{
    (void)state;
    town_begin(&here);
    return 0;
}

static int end(void **state)
{
    (void)state;
    town_end(&here);
    return 0;
}

static void test_an_allocation_that_fails_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    enum { ROWS = 40 };  // enough that every growing array grows
    add_rows(&here, 1, ROWS, "a");
    sc_feed_options options = town_options(&here);
    options.table = "\"public\".objects";
    options.channel = "objects";
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_object_feed *feed = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_object_feed_open(here.map, &options, &feed, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_object_feed_status(feed).row_count, ROWS);
            sc_object_feed_close(feed);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(feed);
        failures++;
    }
    // The feed, its statements, rows, texts, the set and its index.
    assert_true(failures > 30);
}

/** In the feed's thread, after each load: whether the next one has enough memory. */
static void limit_memory(void *data)
{
    const bool is_short = atomic_load((atomic_bool *)data);
    sc_alloc_fail_at(is_short ? 5 : 0);
}

static void test_a_load_without_memory_leaves_the_last_set(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    atomic_bool is_short = true;
    sc_feed_options options = town_options(&here);
    options.channel = "objects";
    options.changed = limit_memory;
    options.data = &is_short;
    sc_object_feed *feed = open_feed(&here, &options);
    add_rows(&here, 1, 1, "a");
    postgres_run(&here.server, "NOTIFY objects");
    await_loads(feed, 2);
    add_rows(&here, 2, 2, "a");
    postgres_run(&here.server, "NOTIFY objects");
    await_failures(feed, 1);
    const sc_feed_status status = sc_object_feed_status(feed);
    CHECK_CONTAINS(status.last_failure.message, "out of memory while ");
    assert_true(status.is_connected);
    await_key(feed, "1", true);
    await_key(feed, "2", false);

    // After the next failure there is memory again.
    atomic_store(&is_short, false);
    postgres_run(&here.server, "NOTIFY objects");
    await_failures(feed, status.failures + 1);
    postgres_run(&here.server, "NOTIFY objects");
    await_key(feed, "2", true);
    sc_object_feed_close(feed);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
    cmocka_unit_test(test_a_load_without_memory_leaves_the_last_set),
};
SC_SUITE_WITH(tests, begin, end)
