// Feeds whose database does not do as it should: the last set stays in use, a server that was away
// is found again, and closing does not wait. The thread sanitizer, where it is on, sees
// every access.
#include <starcloak/object_feed.h>

#include "support/check.h"
#include "support/feeds.h"

#include <pthread.h>  // a feed has a thread: see tests/run
#include <signal.h>
#include <unistd.h>

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

// --- What fails leaves the last set in use ----------------------------------------------

static void test_a_load_that_fails_leaves_the_last_set(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    add_rows(&here, 1, 3, "a");
    sc_object_feed *feed = open_channel(&here, "objects");
    add_rows(&here, 3, 4, "a");
    postgres_run(&here.server, "NOTIFY objects");
    await_failures(feed, 1);
    sc_feed_status status = sc_object_feed_status(feed);
    CHECK_CONTAINS(status.last_failure.message, "have the key '3'");
    assert_true(status.is_connected);
    assert_int_equal(status.loads, 1);
    await_key(feed, "4", false);
    await_key(feed, "3", true);

    // Once it is repaired, a notification is enough.
    postgres_run(&here.server, "DELETE FROM objects WHERE id = '3'; NOTIFY objects");
    await_key(feed, "4", true);
    status = sc_object_feed_status(feed);
    assert_string_equal(status.last_failure.message, "");
    assert_true(status.failures >= 1);
    sc_object_feed_close(feed);
}

/** The first failure of a feed, kept by its own thread. */
typedef struct first_failure {
    sc_object_feed *_Atomic feed;
    sc_diag why;
} first_failure;

static void keep_first(void *data)
{
    first_failure *first = data;
    const sc_feed_status status = sc_object_feed_status(first->feed);
    if (status.failures == 1) first->why = status.last_failure;
}

static void test_a_server_that_was_away_is_found_again(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    add_rows(&here, 1, 1, "a");
    first_failure first = {.why = {""}};
    sc_feed_options options = town_options(&here);
    options.channel = "objects";
    options.changed = keep_first;
    options.data = &first;
    sc_object_feed *feed = open_feed(&here, &options);
    first.feed = feed;
    postgres_stop(&here.server);
    // The connection is lost, and another one is not to be had.
    await_failures(feed, 2);
    CHECK_CONTAINS(first.why.message, "the connection to the database was lost: ");
    sc_feed_status status = sc_object_feed_status(feed);
    assert_false(status.is_connected);
    CHECK_CONTAINS(status.last_failure.message, "the database cannot be reached: ");
    await_key(feed, "1", true);

    // What changed in between is loaded without a notification; then they are heard again.
    postgres_start(&here.server);
    add_rows(&here, 2, 2, "a");
    await_loads(feed, 2);
    await_key(feed, "1", true);
    status = sc_object_feed_status(feed);
    assert_true(status.is_connected);
    assert_string_equal(status.last_failure.message, "");
    add_rows(&here, 3, 3, "a");
    postgres_run(&here.server, "NOTIFY objects");
    await_key(feed, "3", true);
    sc_object_feed_close(feed);
}

// --- Closing never waits for the database -----------------------------------------------

static void test_a_feed_can_be_closed_in_the_middle_of_a_load(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    sc_object_feed *feed = open_channel(&here, "objects");
    // Another session locks the table, and the load must wait.
    postgres_lock *lock = postgres_hold(&here.server, "objects");
    postgres_run(&here.server, "NOTIFY objects");
    await_sessions(&here, "wait_event_type = 'Lock'", 1);
    sc_object_feed_close(feed);
    // The server notices, and does not go on waiting.
    await_sessions(&here, "true", 0);
    postgres_let_go(lock);
}

static void test_a_feed_can_be_closed_in_the_middle_of_connecting(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    sc_object_feed *feed = open_channel(&here, "objects");
    // The session ends, and the server takes new connections but does not say a word.
    const pid_t server = postgres_pid(&here.server);
    postgres_run(&here.server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                               " WHERE application_name = 'starcloak'");
    assert_int_equal(kill(server, SIGSTOP), 0);
    await_failures(feed, 1);
    usleep(1200 * 1000);  // the first attempt is made after a second, and has ten
    assert_int_equal(sc_object_feed_status(feed).failures, 1);
    sc_object_feed_close(feed);
    assert_int_equal(kill(server, SIGCONT), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_load_that_fails_leaves_the_last_set),
    cmocka_unit_test(test_a_server_that_was_away_is_found_again),
    cmocka_unit_test(test_a_feed_can_be_closed_in_the_middle_of_a_load),
    cmocka_unit_test(test_a_feed_can_be_closed_in_the_middle_of_connecting),
};
SC_SUITE_WITH(tests, begin, end)
