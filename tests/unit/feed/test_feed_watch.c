// Feeds that stay: changes of the table arrive, and half of one is never visible. The thread
// sanitizer, where it is on, sees every access.
#include <starcloak/object_feed.h>

#include "support/check.h"
#include "support/feeds.h"
#include "support/place.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
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

// --- Changes arrive -------------------------------------------------------------------

static void test_a_notification_brings_new_rows_and_takes_old_ones(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    add_rows(&here, 1, 3, "a");
    sc_object_feed *feed = open_channel(&here, "objects");
    postgres_run(&here.server, "DELETE FROM objects WHERE id = '2'");
    add_rows(&here, 4, 4, "b");
    postgres_run(&here.server, "NOTIFY objects");
    await_key(feed, "4", true);
    sc_objects *objects = sc_object_feed_current(feed);
    assert_int_equal(sc_objects_table(objects)->count, 3);
    check_object(objects, "1", TOWN_LON, TOWN_LAT, "a", "no. 1", 0.0);
    check_object(objects, "4", TOWN_LON, TOWN_LAT, "b", "no. 4", 0.0);
    assert_true(find_key(objects, "2") == SC_NONE);
    sc_objects_release(objects);
    assert_int_equal(sc_object_feed_status(feed).row_count, 3);
    sc_object_feed_close(feed);
}

/** The first SQL of docs/objects.md. */
static char *documented_table(void)
{
    size_t size = 0;
    char *page = read_whole(SC_REPOSITORY "/docs/objects.md", &size);
    char *first = strstr(page, "```sql\n");
    assert_non_null(first);
    first += strlen("```sql\n");
    char *last = strstr(first, "```");
    assert_non_null(last);
    char *statements = strndup(first, (size_t)(last - first));
    assert_non_null(statements);
    free(page);
    return statements;
}

static void test_the_table_of_the_docs_tells_of_its_changes(void **state)
{
    (void)state;
    need_server(&here);
    char *statements = documented_table();
    postgres_run(&here.server, "DROP TABLE IF EXISTS objects");
    postgres_run(&here.server, "%s", statements);
    free(statements);
    sc_object_feed *feed = open_channel(&here, "objects");
    postgres_run(&here.server,
                 "INSERT INTO objects (geom, category) VALUES (ST_Point(%g, %g, 4326), 'a')",
                 TOWN_LON, TOWN_LAT);
    await_key(feed, "1", true);
    postgres_run(&here.server, "TRUNCATE objects");
    await_key(feed, "1", false);
    sc_object_feed_close(feed);
}

static void test_time_brings_a_new_load_without_a_notification(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    sc_feed_options options = town_options(&here);
    options.refresh_s = 0.05;
    sc_object_feed *feed = open_feed(&here, &options);
    add_rows(&here, 1, 1, "a");
    await_key(feed, "1", true);
    await_loads(feed, 4);
    assert_int_equal(sc_object_feed_status(feed).failures, 0);
    sc_object_feed_close(feed);
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void test_many_notifications_cause_few_loads(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    const int64_t begun_ms = clock_ms();
    sc_object_feed *feed = open_channel(&here, "Odd \"Channel");
    // One every few milliseconds, and after the last one more with something new.
    postgres_run(&here.server,
                 "DO $$ BEGIN FOR i IN 1..100 LOOP PERFORM pg_notify('Odd \"Channel', '');"
                 " COMMIT; PERFORM pg_sleep(0.005); END LOOP; END $$");
    add_rows(&here, 1, 1, "a");
    postgres_run(&here.server, "SELECT pg_notify('Odd \"Channel', '')");
    await_key(feed, "1", true);
    // A tenth of a second passes before each load but the first, however slow all else is.
    const uint64_t loads = sc_object_feed_status(feed).loads;
    assert_in_range(loads, 2, 1 + (clock_ms() - begun_ms) / 100);
    sc_object_feed_close(feed);
}

static void test_notifications_during_a_load_cause_one_more(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    sc_object_feed *feed = open_channel(&here, "objects");
    postgres_lock *lock = postgres_hold(&here.server, "objects");
    postgres_run(&here.server, "NOTIFY objects");
    await_sessions(&here, "wait_event_type = 'Lock'", 1);
    for (int i = 0; i < 5; i++) {
        postgres_run(&here.server, "NOTIFY objects");
    }
    postgres_let_go(lock);
    await_loads(feed, 3);
    // If there were a fourth, it would come about now.
    usleep(300 * 1000);
    assert_int_equal(sc_object_feed_status(feed).loads, 3);
    sc_object_feed_close(feed);
}

static void count_call(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void test_an_observer_is_told_of_each_set_and_failure(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    atomic_int calls = 0;
    sc_feed_options options = town_options(&here);
    options.channel = "objects";
    options.changed = count_call;
    options.data = &calls;
    sc_object_feed *feed = open_feed(&here, &options);
    assert_int_equal(calls, 0);
    postgres_run(&here.server, "NOTIFY objects");
    await_loads(feed, 2);
    postgres_run(&here.server, "DROP TABLE objects; NOTIFY objects");
    await_failures(feed, 1);
    // The call comes after what it tells of; when the thread is gone, it has come.
    const sc_feed_status status = sc_object_feed_status(feed);
    sc_object_feed_close(feed);
    assert_true((uint64_t)calls >= status.loads - 1 + status.failures);
}

// --- Half of a change is never seen -----------------------------------------------------

static void test_who_holds_a_set_keeps_all_of_it(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    add_rows(&here, 1, 50, "a");
    sc_object_feed *feed = open_channel(&here, "objects");
    sc_objects *old = sc_object_feed_current(feed);
    postgres_run(&here.server, "DELETE FROM objects; NOTIFY objects");
    await_key(feed, "1", false);
    sc_object_feed_close(feed);
    assert_int_equal(sc_objects_table(old)->count, 50);
    check_object(old, "50", TOWN_LON, TOWN_LAT, "a", "no. 50", 0.0);
    sc_diag diag = {""};
    CHECK_OK(sc_objects_check_index(old, &diag), &diag);
    sc_objects_release(old);
}

/** What a reader saw. */
typedef struct reader {
    sc_object_feed *feed;
    atomic_bool is_over;
    uint64_t sets;  ///< different ones in a row
    uint64_t torn;  ///< in which not all objects were of one kind
} reader;

static void *read_on(void *argument)
{
    reader *r = argument;
    const sc_objects *last = NULL;
    while (!atomic_load(&r->is_over)) {
        sc_objects *objects = sc_object_feed_current(r->feed);
        const sc_object_table *table = sc_objects_table(objects);
        bool is_torn = table->count != 200;
        for (uint32_t i = 1; i < table->count; i++) {
            is_torn = is_torn || table->objects[i].category != table->objects[0].category;
        }
        r->torn += is_torn;
        r->sets += objects != last;
        last = objects;
        sc_objects_release(objects);
    }
    return NULL;
}

static void test_no_reader_ever_sees_a_torn_set(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    add_rows(&here, 1, 200, "a");
    sc_feed_options options = town_options(&here);
    options.refresh_s = 0.001;
    reader r = {.feed = open_feed(&here, &options)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_on, &r), 0);
    // All rows change their kind in one transaction of two statements, over and over.
    enum { CHANGES = 20 };
    for (int i = 0; i < CHANGES; i++) {
        postgres_run(&here.server,
                     "BEGIN; UPDATE objects SET category = '%c' WHERE id::int <= 100;"
                     " UPDATE objects SET category = '%c' WHERE id::int > 100; COMMIT",
                     'b' + i, 'b' + i);
        await_loads(r.feed, sc_object_feed_status(r.feed).loads + 1);
    }
    atomic_store(&r.is_over, true);
    pthread_join(thread, NULL);
    assert_int_equal(r.torn, 0);
    assert_true(r.sets > 1);
    assert_true(sc_object_feed_status(r.feed).loads > CHANGES);
    sc_object_feed_close(r.feed);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_notification_brings_new_rows_and_takes_old_ones),
    cmocka_unit_test(test_the_table_of_the_docs_tells_of_its_changes),
    cmocka_unit_test(test_time_brings_a_new_load_without_a_notification),
    cmocka_unit_test(test_many_notifications_cause_few_loads),
    cmocka_unit_test(test_notifications_during_a_load_cause_one_more),
    cmocka_unit_test(test_an_observer_is_told_of_each_set_and_failure),
    cmocka_unit_test(test_who_holds_a_set_keeps_all_of_it),
    cmocka_unit_test(test_no_reader_ever_sees_a_torn_set),
};
SC_SUITE_WITH(tests, begin, end)
