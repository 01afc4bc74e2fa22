// One process is one loop: without further threads a query changes threads twice, from a
// connection's loop to the ledger's thread and back; what else there could be is there only where
// it is asked for.
#include "query_scene.h"

#include "api/service_internal.h"
#include "ledger/ledger_internal.h"

#include <dirent.h>
#include <pthread.h>

enum { QUERIES = 60, LOOPS = 2 };

/** How many threads of this process have a name that begins so. */
static unsigned threads_called(const char *prefix)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *task; (task = readdir(tasks));) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        char name[32] = "";
        if (file && fgets(name, sizeof name, file)) {
            count += strncmp(name, prefix, strlen(prefix)) == 0;
        }
        if (file) fclose(file);
    }
    closedir(tasks);
    return count;
}

/** A thread names itself when it runs, which may be a little later. */
static void await_threads(const char *prefix, unsigned count)
{
    for (int i = 0; threads_called(prefix) != count; i++) {
        assert_true(i < 60000);
        usleep(1000);
    }
}

static void ask(query_scene *h, int fd, unsigned number)
{
    char user[16];
    char body[256];
    snprintf(user, sizeof user, "user-%u", number);
    snprintf(body, sizeof body,
             "{\"position\":{\"edge\":%u,\"offset_m\":1},\"profile\":{\"k\":3,\"l\":2,"
             "\"max_wait_s\":60},\"request\":{\"type\":\"knn\",\"k\":2}}",
             number % sc_map_edge_count(h->map));
    query_scene_ask(h, fd, user, body);
}

/** All ask, and all have their answer. */
static void answer_all(query_scene *h)
{
    int fds[QUERIES];
    for (unsigned i = 0; i < QUERIES; i++) {
        fds[i] = query_scene_call(h);
        ask(h, fds[i], i);
    }
    for (unsigned i = 0; i < QUERIES; i++) {
        query_scene_reply reply = query_scene_receive(fds[i]);
        assert_int_equal(reply.status, 200);
        assert_string_equal(query_scene_text(&reply, "outcome"), "answered");
        json_decref(reply.body);
        close(fds[i]);
    }
}

/** Tickets that the ledger has handed to loops. */
static uint64_t handed_back(const query_scene *h)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < h->service.loops; i++) {
        count += sc_query_route_handed(h->service.query_route, i);
    }
    return count;
}

static void test_a_query_is_handed_over_twice(void **state)
{
    (void)state;
    const query_scene_options options = query_scene_options_default();
    query_scene *h = query_scene_open(&options);
    answer_all(h);
    sc_ledger *ledger = h->served->ledger;
    assert_int_equal(sc_handover_total(ledger->incoming), QUERIES);
    assert_int_equal(handed_back(h), QUERIES);
    // Neither between ledger and engine, nor to the provider and back.
    assert_int_equal(sc_handover_total(ledger->messages), 0);
    assert_int_equal(sc_handover_total(ledger->back), 0);
    assert_true(ledger->is_in_place);
    assert_int_equal(sc_ledger_stats_of(ledger).answered, QUERIES);
    query_scene_close(h);
}

static void test_there_are_no_threads_but_the_loops_and_the_ledgers(void **state)
{
    (void)state;
    // Threads of an earlier service, though joined, may be seen a little longer.
    await_threads("http-", 0);
    await_threads("ledger", 0);
    const unsigned before = threads_called("");
    query_scene_options options = query_scene_options_default();
    options.loops = LOOPS;
    query_scene *h = query_scene_open(&options);
    answer_all(h);
    await_threads("http-", LOOPS);
    await_threads("ledger", 1);
    assert_int_equal(threads_called(""), before + LOOPS + 1);
    query_scene_close(h);
}

static void test_other_threads_are_there_where_they_are_asked_for(void **state)
{
    (void)state;
    query_scene_options options = query_scene_options_default();
    options.loops = LOOPS;
    options.engine_threads = 2;
    options.provider_threads = 3;
    query_scene *h = query_scene_open(&options);
    await_threads("engine-", 2);
    await_threads("courier", 3 + 1);
    await_threads("ledger", 1);
    answer_all(h);
    // By way of the engines and the provider threads, and all the same once each.
    sc_ledger *ledger = h->served->ledger;
    assert_false(ledger->is_in_place);
    assert_int_equal(sc_handover_total(ledger->incoming), QUERIES);
    assert_int_equal(handed_back(h), QUERIES);
    assert_true(sc_handover_total(ledger->messages) > 0);
    assert_true(sc_handover_total(ledger->back) > 0);
    query_scene_close(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_is_handed_over_twice),
    cmocka_unit_test(test_there_are_no_threads_but_the_loops_and_the_ledgers),
    cmocka_unit_test(test_other_threads_are_there_where_they_are_asked_for),
};
SC_SUITE(tests)
