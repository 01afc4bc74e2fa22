// Another map while the service runs: who is on which, what goes on, and when the old one is gone.
#include "api/served_map.h"

#include "support/check.h"
#include "support/live_service.h"
#include "support/oom.h"
#include "support/web_client.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** A service, and a second town: the same roads, and pubs in place of cafes and schools. */
typedef struct fixture {
    live_service live;
    sc_map *pubs;
    sc_objects *pub_objects;
    atomic_uint first_retired;
    atomic_uint second_retired;
} fixture;

static sc_map *grid_with(uint32_t size, const char *category)
{
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, size, size);
    sc_builder *builder = sketch_builder(&grid);
    for (sc_edge_id edge = 0; edge < grid.edge_count; edge += 3) {
        put_object(builder, edge, 0.5, category, "A place");
    }
    sketch_free(&grid);
    return finish_builder(builder);
}

static void count_call(void *context)
{
    atomic_fetch_add((atomic_uint *)context, 1);
}

static void fixture_prepare(fixture *f)
{
    *f = (fixture){.pubs = grid_with(5, "pub")};
    live_service_prepare(&f->live);
    f->live.options.policy.user_pending = 2;
    CHECK_OK(sc_objects_new_from_map(f->pubs, &f->pub_objects), NULL);
}

static void fixture_start(fixture *f)
{
    sc_diag diag = {""};
    CHECK_OK(sc_service_new(f->live.map, &f->live.options, &f->live.service, &diag), &diag);
    sc_service_on_retired(f->live.service, count_call, &f->first_retired);
    CHECK_OK(sc_service_start(f->live.service, &diag), &diag);
}

static void fixture_close(fixture *f)
{
    live_service_close(&f->live);
    sc_objects_release(f->pub_objects);
    sc_map_free(f->pubs);
}

static const char *address(const fixture *f)
{
    return live_service_address(&f->live);
}

static sc_service_options options_of_pubs(const fixture *f)
{
    sc_service_options options = f->live.options;
    options.courier.objects = f->pub_objects;
    return options;
}

static void serve_pubs(fixture *f)
{
    const sc_service_options options = options_of_pubs(f);
    sc_served_map *next = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_service_prepare_map(f->live.service, f->pubs, &options, count_call,
                                    &f->second_retired, &next, &diag),
             &diag);
    sc_service_serve_map(f->live.service, next);
}

static void await(const atomic_uint *count, unsigned wanted)
{
    for (int tries = 0; atomic_load(count) < wanted; tries++) {
        if (tries > 60000) fail_msg("it is %u, not %u", atomic_load(count), wanted);
        usleep(1000);
    }
    assert_int_equal(atomic_load(count), wanted);
}

/** Until the metrics have this line. */
static void await_metric(const fixture *f, const char *line)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "\n%s\n", line);
    for (int tries = 0;; tries++) {
        web_reply reply = web_ask(address(f), "GET", "/metrics", "", NULL);
        const bool is_there = strstr(reply.body, wanted) != NULL;
        if (!is_there && tries > 10000) fail_msg("no %s in %s", line, reply.body);
        web_reply_free(&reply);
        if (is_there) return;
        usleep(5000);
    }
}

/** Ask for the nearest place; the connection is still to be read from. */
static int ask(const fixture *f, const char *user, unsigned k, double wait_s)
{
    char headers[LIVE_HEADERS_SIZE];
    char body[256];
    snprintf(body, sizeof body,
             "{\"position\":{\"edge\":3,\"offset_m\":5},\"profile\":{\"k\":%u,\"max_wait_s\":%g},"
             "\"request\":{\"type\":\"knn\",\"k\":1}}",
             k, wait_s);
    const int fd = web_connect(address(f));
    web_send(fd, "POST", "/v1/queries", live_service_token(&f->live, user, headers), body);
    return fd;
}

static void check_outcome(int fd, const char *part)
{
    web_reply reply = web_receive(fd);
    assert_int_equal(reply.status, 200);
    CHECK_CONTAINS(reply.body, part);
    web_reply_free(&reply);
    close(fd);
}

/** Both that have this thread do all, and those that do not. */
typedef void each_kind(fixture *f);

static void with_each_kind(each_kind *test)
{
    for (unsigned loops = 1; loops <= 2; loops++) {
        fixture f;
        fixture_prepare(&f);
        f.live.options.http.loops = loops;
        f.live.options.policy.metrics = SC_ACCESS_OPEN;
        fixture_start(&f);
        test(&f);
        fixture_close(&f);
    }
}

static void wait_on_both(fixture *f)
{
    const int early = ask(f, "a", 2, 3600);
    await_metric(f, "starcloak_pending 1");
    serve_pubs(f);
    // The one that waits is no company here, though it would be on its own map.
    const int late = ask(f, "b", 2, 3600);
    await_metric(f, "starcloak_pending 2");
    await_metric(f, "starcloak_maps 2");
    assert_int_equal(atomic_load(&f->first_retired), 0);
    const int later = ask(f, "c", 2, 3600);
    check_outcome(late, "\"category\":\"pub\"");
    check_outcome(later, "\"category\":\"pub\"");
    await_metric(f, "starcloak_pending 1");
    close(early);
    // Nobody is left on the first.
    await(&f->first_retired, 1);
    await_metric(f, "starcloak_maps 1");
    await_metric(f, "starcloak_queries_taken_total 3");
    await_metric(f, "starcloak_queries_total{outcome=\"answered\"} 2");
    await_metric(f, "starcloak_queries_total{outcome=\"gone\"} 1");
    await_metric(f, "starcloak_map_changes_total 1");
    assert_int_equal(atomic_load(&f->second_retired), 0);
}

static void test_a_query_ends_on_the_map_that_it_came_in_on(void **state)
{
    (void)state;
    with_each_kind(wait_on_both);
}

static void drop_on_the_first(fixture *f)
{
    const int early = ask(f, "a", 2, 1);
    await_metric(f, "starcloak_pending 1");
    serve_pubs(f);
    check_outcome(early, "\"outcome\":\"dropped\",\"reason\":\"expired\"");
    await(&f->first_retired, 1);
}

static void test_one_without_company_is_dropped_in_time_and_told(void **state)
{
    (void)state;
    with_each_kind(drop_on_the_first);
}

static void count_users_on_both(fixture *f)
{
    const int first = ask(f, "a", 2, 3600);
    await_metric(f, "starcloak_pending 1");
    serve_pubs(f);
    const int second = ask(f, "a", 2, 3600);
    await_metric(f, "starcloak_pending 2");
    // Two of a user are what the policy allows, on whichever map.
    const int third = ask(f, "a", 2, 3600);
    web_reply reply = web_receive(third);
    assert_int_equal(reply.status, 429);
    CHECK_CONTAINS(reply.body, "pending");
    web_reply_free(&reply);
    close(third);
    close(first);
    close(second);
    await_metric(f, "starcloak_pending 0");
    await_metric(f, "starcloak_queries_total{outcome=\"gone\"} 2");
}

static void test_pending_queries_of_a_user_count_on_both(void **state)
{
    (void)state;
    with_each_kind(count_users_on_both);
}

static void test_pages_are_of_the_map_that_is_served(void **state)
{
    (void)state;
    fixture f;
    fixture_prepare(&f);
    f.live.options.policy.events = SC_ACCESS_OPEN;
    fixture_start(&f);
    char checksum[64];
    char tag[64];
    const int events = web_connect(address(&f));
    web_stream stream = {0};
    web_send(events, "GET", "/v1/events", "", NULL);
    web_stream_await(events, &stream, 0, "event: counters");
    web_reply before = web_ask(address(&f), "GET", "/v1/categories", "", NULL);
    CHECK_CONTAINS(before.body, "cafe");
    snprintf(tag, sizeof tag, "If-None-Match: %s\r\n", web_header(&before, "ETag"));
    web_reply_free(&before);
    serve_pubs(&f);
    web_reply after = web_ask(address(&f), "GET", "/v1/categories", tag, NULL);
    assert_int_equal(after.status, 200);
    CHECK_CONTAINS(after.body, "pub");
    web_reply_free(&after);
    snprintf(checksum, sizeof checksum, "{\"checksum\":\"%016llx\"",
             (unsigned long long)sc_map_checksum(f.pubs));
    after = web_ask(address(&f), "GET", "/v1/about", "", NULL);
    CHECK_CONTAINS(after.body, checksum);
    web_reply_free(&after);
    const size_t told = web_stream_await(events, &stream, 0, "event: map\ndata: ");
    web_stream_await(events, &stream, told, checksum);
    close(events);
    free(stream.text);
    fixture_close(&f);
}

/** More than sockets take. */
enum { LARGE = 90 };

static void test_a_page_that_is_being_sent_outlives_its_map(void **state)
{
    (void)state;
    fixture f;
    fixture_prepare(&f);
    f.live.options.http.address_bytes_per_s = 0;
    f.live.options.http.send_buffer_bytes = 4096;
    f.live.options.http.write_timeout_s = 3600;
    sc_map *large = grid_with(LARGE, "cafe");
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(large, &objects), NULL);
    f.live.options.courier.objects = objects;
    sc_diag diag = {""};
    CHECK_OK(sc_service_new(large, &f.live.options, &f.live.service, &diag), &diag);
    sc_service_on_retired(f.live.service, count_call, &f.first_retired);
    CHECK_OK(sc_service_start(f.live.service, &diag), &diag);

    web_reply whole = web_ask(address(&f), "GET", "/v1/map", "", NULL);
    assert_true(whole.size > 200000);
    const int slow = web_connect(address(&f));
    const int few = 4096;
    setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    web_send(slow, "GET", "/v1/map", "", NULL);
    char first;
    assert_int_equal(recv(slow, &first, 1, MSG_PEEK), 1);
    serve_pubs(&f);
    // Its queries, of which there are none, are over long before the reader is.
    sc_served_map *served = NULL;
    const sc_service_options options = options_of_pubs(&f);
    for (int i = 0; i < 3; i++) {
        sleep(1);
        assert_int_equal(atomic_load(&f.first_retired), 0);
    }
    CHECK_OK(sc_service_prepare_map(f.live.service, f.pubs, &options, NULL, NULL, &served, &diag),
             &diag);
    sc_service_discard_map(f.live.service, served);
    web_reply late = web_receive(slow);
    assert_int_equal(late.size, whole.size);
    assert_memory_equal(late.body, whole.body, whole.size);
    close(slow);
    await(&f.first_retired, 1);
    web_reply_free(&late);
    web_reply_free(&whole);
    sc_service_free(f.live.service);
    f.live.service = NULL;
    sc_objects_release(objects);
    sc_map_free(large);
    fixture_close(&f);
}

static void test_there_are_only_so_many_at_once(void **state)
{
    (void)state;
    fixture f;
    fixture_prepare(&f);
    f.live.options.policy.metrics = SC_ACCESS_OPEN;
    f.live.options.policy.user_pending = 10;
    fixture_start(&f);
    int waiting[SC_SERVED_MAPS];
    for (unsigned i = 0; i < SC_SERVED_MAPS; i++) {
        char line[64];
        waiting[i] = ask(&f, "a", 2, 3600);
        snprintf(line, sizeof line, "starcloak_pending %u", i + 1);
        await_metric(&f, line);
        if (i + 1 < SC_SERVED_MAPS) serve_pubs(&f);
    }
    const sc_service_options options = options_of_pubs(&f);
    sc_served_map *next = NULL;
    sc_diag diag = {""};
    const sc_err err =
        sc_service_prepare_map(f.live.service, f.pubs, &options, NULL, NULL, &next, &diag);
    CHECK_REFUSED(err, SC_EBUSY, &diag, "map_retired");
    // The oldest has room for the next.
    close(waiting[0]);
    await(&f.first_retired, 1);
    serve_pubs(&f);
    await_metric(&f, "starcloak_maps 3");
    // Those that wait when the service ends are told.
    assert_int_equal(sc_service_drain(f.live.service, 0, 0), SC_SERVED_MAPS - 1);
    for (unsigned i = 1; i < SC_SERVED_MAPS; i++) {
        web_reply reply = web_receive(waiting[i]);
        assert_int_equal(reply.status, 503);
        web_reply_free(&reply);
        close(waiting[i]);
    }
    fixture_close(&f);
}

static void test_a_map_for_which_there_is_no_memory_changes_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_prepare(&f);
    f.live.options.policy.metrics = SC_ACCESS_OPEN;
    fixture_start(&f);
    const sc_service_options options = options_of_pubs(&f);
    sc_served_map *next = NULL;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_service_prepare_map(f.live.service, f.pubs, &options, count_call,
                                                  &f.second_retired, &next, &diag);
        if (!oom_happened()) break;
        failures++;
        if (err) {
            assert_int_equal(err, SC_ENOMEM);
            assert_null(next);
        } else {
            // Pages that could not be trimmed are good all the same.
            sc_service_discard_map(f.live.service, next);
            next = NULL;
        }
    }
    assert_true(failures > 50);
    assert_non_null(next);
    await_metric(&f, "starcloak_map_changes_total 0");
    const int one = ask(&f, "a", 2, 60);
    const int two = ask(&f, "b", 2, 60);
    check_outcome(one, "\"outcome\":\"answered\"");
    check_outcome(two, "\"outcome\":\"answered\"");
    sc_service_discard_map(f.live.service, next);
    assert_int_equal(atomic_load(&f.second_retired), 0);
    fixture_close(&f);
    assert_int_equal(atomic_load(&f.first_retired), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_ends_on_the_map_that_it_came_in_on),
    cmocka_unit_test(test_one_without_company_is_dropped_in_time_and_told),
    cmocka_unit_test(test_pending_queries_of_a_user_count_on_both),
    cmocka_unit_test(test_pages_are_of_the_map_that_is_served),
    cmocka_unit_test(test_a_page_that_is_being_sent_outlives_its_map),
    cmocka_unit_test(test_there_are_only_so_many_at_once),
    cmocka_unit_test(test_a_map_for_which_there_is_no_memory_changes_nothing),
};
SC_SUITE(tests)
