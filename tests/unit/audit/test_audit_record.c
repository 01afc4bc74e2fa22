// The record for an auditor: in the order of time, for its key alone, up to its end.
#include "audit/audit_record.h"

#include "base/clock.h"
#include "report/sealed_stream.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const sc_report_key secret = {"the auditor's, and nobody else's"};

typedef struct scene {
    place p;
    sc_map *map;
    sc_log *log;
    sc_engine_options engine;
    sc_recorded_demands demands;
} scene;

static scene scene_new(void)
{
    scene s = {.p = place_new(), .map = crossroads_map(), .engine = sc_engine_options_default()};
    const int nowhere = open("/dev/null", O_WRONLY);
    CHECK_OK(sc_log_new(nowhere, SC_LOG_LOGFMT, SC_LOG_INFO, &s.log), NULL);
    return s;
}

static void scene_free(scene *s)
{
    sc_log_free(s->log);
    sc_map_free(s->map);
    place_free(&s->p);
}

static sc_err make(scene *s, int64_t seconds, sc_audit **out)
{
    const sc_audit_options options = {.path = place_path(&s->p, "run"),
                                      .until_s = time(NULL) + seconds,
                                      .max_bytes = 1 << 20,
                                      .auditor = sc_report_key_public(SC_KEY_OPENING, &secret),
                                      .engine = &s->engine,
                                      .demands = &s->demands,
                                      .guard_us = 10000,
                                      .has_own_objects = true,
                                      .log = s->log};
    return sc_audit_new(s->map, &options, out, NULL);
}

static sc_audit *started(scene *s)
{
    sc_audit *audit = NULL;
    sc_diag diag = {""};
    CHECK_OK(make(s, 600, &audit), NULL);
    CHECK_OK(sc_audit_open(audit, &diag), &diag);
    CHECK_OK(sc_audit_start(audit, &diag), &diag);
    return audit;
}

static sc_query query_at(uint8_t id, sc_time deadline)
{
    sc_query query = {.deadline = deadline, .k = 2, .l = 1};
    query.id.bytes[0] = id;
    return query;
}

static void ask(const sc_audit *audit, uint8_t id, const char *user, sc_time t)
{
    const sc_auditor *auditor = sc_audit_auditor(audit);
    const sc_query query = query_at(id, t + 1000000);
    const sc_ask asked = {.user = user,
                          .user_size = strlen(user),
                          .t = t,
                          .profile = {.k = 2, .l = 1, .max_hops = 3, .max_wait_us = 1000000}};
    const sc_snap where = {.edge = 0, .segment = 0, .offset_m = 1.5};
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 1};
    auditor->asked(auditor->context, &query, &asked, &where, &request);
}

static void leave(const sc_audit *audit, sc_ticket *ticket, sc_time t)
{
    const sc_auditor *auditor = sc_audit_auditor(audit);
    sc_proposal *proposal = sc_proposal_new(1, 1, 0, 1);
    assert_non_null(proposal);
    proposal->members[0].query = ticket->query;
    auditor->left(auditor->context, proposal, ticket, t);
    sc_proposal_free(proposal);
}

static void settle(const sc_audit *audit, sc_ticket *ticket, sc_outcome outcome, sc_time t)
{
    const sc_auditor *auditor = sc_audit_auditor(audit);
    ticket->outcome = outcome;
    ticket->settled = t;
    if (outcome == SC_OUTCOME_DROPPED) ticket->published = t;
    auditor->settled(auditor->context, ticket);
}

static bool take(void *context, const void *bytes, size_t size)
{
    return sc_bytes_append(context, bytes, size);
}

/** What the auditor reads; free(). */
static char *opened(const char *path, bool *is_whole)
{
    size_t size = 0;
    char *sealed = read_whole(path, &size);
    sc_bytes plain = {0};
    CHECK_OK(sc_unseal(&secret, (const uint8_t *)sealed, size, take, &plain, is_whole), NULL);
    free(sealed);
    char *text = calloc(plain.size + 1, 1);
    assert_non_null(text);
    if (plain.size > 0) memcpy(text, plain.data, plain.size);
    sc_bytes_fini(&plain);
    return text;
}

static size_t place_in(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    if (!at) fail_msg("%s is not in %s", part, text);
    return (size_t)(at - text);
}

static void test_events_are_in_the_order_of_time_whenever_they_come(void **state)
{
    (void)state;
    scene s = scene_new();
    sc_audit *audit = started(&s);
    char *path = strdup(sc_audit_path(audit));
    const sc_time now = sc_clock_us() - 20000;  // all of it is over
    sc_ticket first = {.query = query_at(1, now + 1000000)};
    sc_ticket second = {.query = query_at(2, now + 1000000)};
    sc_ticket third = {.query = query_at(3, now + 5000)};
    sc_ticket fourth = {.query = query_at(4, now + 1000000), .recorded = 0};
    // The ledger may be faster than the loop, and the other way round.
    leave(audit, &first, now + 300);
    assert_int_equal(first.recorded, 1);
    settle(audit, &second, SC_OUTCOME_GONE, now + 400);
    ask(audit, 2, "ben", now + 200);
    ask(audit, 1, "ann", now + 100);
    settle(audit, &first, SC_OUTCOME_FAILED, now + 300);  // at the very time of its cloak
    // Its cloak could no longer leave: told a little before its deadline.
    ask(audit, 3, "cid", now + 150);
    third.drop = SC_DROP_EXPIRED;
    settle(audit, &third, SC_OUTCOME_DROPPED, now + 4000);
    ask(audit, 4, "dan", now + 160);
    leave(audit, &fourth, now + 500);
    fourth.drop = SC_DROP_RARE_REQUEST;
    settle(audit, &fourth, SC_OUTCOME_DROPPED, now + 501);
    sc_audit_free(audit);
    bool is_whole = false;
    char *text = opened(path, &is_whole);
    assert_true(is_whole);
    const size_t places[] = {place_in(text, "\"user\":\"ann\""),
                             place_in(text, "\"user\":\"cid\""),
                             place_in(text, "\"user\":\"dan\""),
                             place_in(text, "\"user\":\"ben\""),
                             place_in(text, "{\"event\":\"cloak\",\"cloak\":0"),
                             place_in(text, "{\"event\":\"failed\",\"query\":\"01"),
                             place_in(text, "\"reason\":\"withdrawn\""),
                             place_in(text, "{\"event\":\"cloak\",\"cloak\":1"),
                             place_in(text, "{\"event\":\"failed\",\"query\":\"04"),
                             place_in(text, "\"reason\":\"rare-request\""),
                             place_in(text, "\"reason\":\"expired\""),
                             place_in(text, "{\"event\":\"end\"")};
    for (size_t i = 1; i < sizeof places / sizeof *places; i++) {
        assert_true(places[i - 1] < places[i]);
    }
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    free(text);
    free(path);
    scene_free(&s);
}

static void test_nothing_is_recorded_after_the_end(void **state)
{
    (void)state;
    scene s = scene_new();
    sc_audit *audit = started(&s);
    char *path = strdup(sc_audit_path(audit));
    const sc_auditor *auditor = sc_audit_auditor(audit);
    const sc_time end = sc_clock_us() + (sc_time)600 * 1000000;
    assert_true(auditor->until_s(auditor->context) > time(NULL));
    ask(audit, 1, "ann", sc_clock_us());
    ask(audit, 2, "ben", end + 10000000);
    sc_audit_free(audit);
    bool is_whole = false;
    char *text = opened(path, &is_whole);
    place_in(text, "ann");
    assert_null(strstr(text, "ben"));
    free(text);
    free(path);
    scene_free(&s);
}

static void test_an_earlier_record_is_not_written_over(void **state)
{
    (void)state;
    scene s = scene_new();
    sc_audit *first = NULL;
    sc_audit *second = NULL;
    CHECK_OK(make(&s, 600, &first), NULL);
    CHECK_OK(make(&s, 600, &second), NULL);
    CHECK_OK(sc_audit_open(first, NULL), NULL);
    sc_diag diag = {""};
    const sc_err err = sc_audit_open(second, &diag);
    if (strcmp(sc_audit_path(first), sc_audit_path(second)) == 0) {
        assert_int_equal(err, SC_EIO);
        CHECK_CONTAINS(diag.message, "record-true-positions");
    }
    sc_audit_free(first);
    sc_audit_free(second);
    sc_audit_free(NULL);
    scene_free(&s);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    scene s = scene_new();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_audit *audit = NULL;
        const sc_err err = make(&s, 600, &audit);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        sc_audit_free(audit);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 3);
    scene_free(&s);
}

// A line that cannot be kept ends the record: what is left out would look like a broken promise.
static void test_a_line_that_is_lost_ends_the_record_without_its_end(void **state)
{
    (void)state;
    scene s = scene_new();
    sc_audit *audit = started(&s);
    char *path = strdup(sc_audit_path(audit));
    const sc_time now = sc_clock_us();
    ask(audit, 1, "ann", now);
    oom_arm(1);
    ask(audit, 2, "ben", now + 1);
    assert_true(oom_happened());
    sc_audit_free(audit);
    bool is_whole = true;
    char *text = opened(path, &is_whole);
    assert_false(is_whole);
    assert_null(strstr(text, "\"end\""));
    free(text);
    free(path);
    scene_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_events_are_in_the_order_of_time_whenever_they_come),
    cmocka_unit_test(test_nothing_is_recorded_after_the_end),
    cmocka_unit_test(test_an_earlier_record_is_not_written_over),
    cmocka_unit_test(test_every_allocation_may_fail),
    cmocka_unit_test(test_a_line_that_is_lost_ends_the_record_without_its_end),
};
SC_SUITE(tests)
