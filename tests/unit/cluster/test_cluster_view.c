// What is seen of a cluster, and how it is written.
#include "cluster/cluster_view.h"

#include "base/alloc.h"
#include "heartbeats.h"
#include "partition/partition.h"

#include <jansson.h>

enum { PARTS = 4 };

typedef struct fixture {
    sc_roster *roster;
    sc_placement *placement;
} fixture;

/** Each figure of a heartbeat another number, so that none can be taken for another. */
static sc_heartbeat *full_heartbeat(sc_peer worker, uint64_t number)
{
    sc_heartbeat *heartbeat = worker_heartbeat(worker, number, 2);
    heartbeat->parts[0].part = 1;
    heartbeat->parts[1].part = 3;
    heartbeat->parts[1].load = (sc_part_load){.is_open = true,
                                              .engine_thread = 1,
                                              .queries = 201 + 10 * number,
                                              .company = 202,
                                              .cloaks = 203,
                                              .dropped = 204,
                                              .cpu_us = 2500000,
                                              .pending = 205,
                                              .held = 206};
    heartbeat->threads = 2;
    heartbeat->epoch = 7;
    heartbeat->open = 101;
    heartbeat->memory = 102;
    heartbeat->messages_out = 103;
    heartbeat->messages_in = 104;
    heartbeat->bytes_out = 105;
    heartbeat->bytes_in = 106;
    heartbeat->cpu_us = 200000 * number;
    heartbeat->engines = (sc_engine_pool_stats){.proposals = 111,
                                                .proposals_under_way = 112,
                                                .proposals_published = 113,
                                                .proposals_refused = 114,
                                                .proposals_silent = 115,
                                                .proposals_unknown = 116,
                                                .asked = 117,
                                                .lost = 118,
                                                .misdirected = 119};
    return heartbeat;
}

/** Two gateways, a worker with two parts and one that is to have another; one part has no owner. */
static void fixture_open(fixture *f)
{
    CHECK_OK(sc_roster_new(TEST_PARTITION, HEARTBEAT_US, 0, &f->roster), NULL);
    for (uint64_t n = 1; n <= 20; n++) {
        const sc_time now = (sc_time)n * HEARTBEAT_US;
        sc_roster_receive(f->roster, full_heartbeat(3, n), -1500, now);
        sc_roster_receive(f->roster, worker_heartbeat(4, n, 0), 0, now);
        sc_roster_receive(f->roster, gateway_heartbeat(9, n), 0, now);
        sc_roster_receive(f->roster, gateway_heartbeat(20, n), 0, now);
    }
    f->placement = sc_placement_new(PARTS);
    assert_non_null(f->placement);
    f->placement->epoch = 7;
    f->placement->partition = TEST_PARTITION;
    f->placement->owners[1] = 3;
    f->placement->owners[2] = 4;
    f->placement->owners[3] = 3;
}

static void fixture_close(fixture *f)
{
    sc_placement_free(f->placement);
    sc_roster_free(f->roster);
}

static sc_cluster_view *look(const fixture *f)
{
    sc_cluster_view *view =
        sc_cluster_view_new(f->roster, f->placement, PARTS, 20, 20 * HEARTBEAT_US + 250000);
    assert_non_null(view);
    return view;
}

static void test_gateways_come_first_then_workers_by_name(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_cluster_view *view = look(&f);
    static const char *const names[] = {"gw20", "gw9", "w3", "w4"};
    assert_int_equal(view->peer_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(view->peers[i].name, names[i]);
        assert_int_equal(view->peers[i].is_worker, i >= 2);
        assert_int_equal(view->peers[i].is_leader, i == 1);  // 9 is the least
        assert_int_equal(view->peers[i].is_self, i == 0);
        CHECK_CLOSE(view->peers[i].age_s, 0.25, 1e-9);
    }
    CHECK_CLOSE(view->peers[2].cpu, 0.4, 0.01);
    CHECK_CLOSE(view->peers[2].load, 20.0, 0.1);
    CHECK_CLOSE(view->peers[2].skew_s, -0.0015, 1e-9);
    assert_int_equal(view->peers[2].parts, 2);
    sc_cluster_view_free(view);
    fixture_close(&f);
}

static void test_a_part_is_served_once_its_worker_says_so(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_cluster_view *view = look(&f);
    static const sc_peer owners[] = {SC_PEER_NONE, 3, 4, 3};
    static const bool served[] = {false, true, false, true};
    for (uint32_t p = 0; p < PARTS; p++) {
        assert_int_equal(view->parts[p].owner, owners[p]);
        assert_int_equal(view->parts[p].is_served, served[p]);
    }
    assert_int_equal(view->parts[3].counts.company, 202);
    CHECK_CLOSE(view->parts[3].load, 20.0, 0.1);
    CHECK_SAME(view->parts[0].load, 0.0);
    assert_int_equal(view->epoch, 7);
    assert_int_equal(view->partition, TEST_PARTITION);
    // One of the four parts has no owner. Worker 3, of two threads, has an idle and a busy one.
    assert_true(view->imbalance > 0.5 && view->imbalance < 3.0);
    sc_cluster_view_free(view);
    fixture_close(&f);
}

static void test_before_the_first_placement_there_is_something_to_see(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_cluster_view *view =
        sc_cluster_view_new(f.roster, NULL, PARTS, SC_PEER_NONE, 20 * HEARTBEAT_US);
    assert_non_null(view);
    assert_int_equal(view->epoch, 0);
    assert_int_equal(view->partition, TEST_PARTITION);
    assert_int_equal(view->part_count, PARTS);
    CHECK_SAME(view->imbalance, 1.0);
    for (size_t i = 0; i < view->peer_count; i++) {
        assert_false(view->peers[i].is_self);
    }
    sc_cluster_view_free(view);
    // Status has no partition, and knows how many parts there are from the placement.
    view = sc_cluster_view_new(f.roster, f.placement, 0, SC_PEER_NONE, 20 * HEARTBEAT_US);
    assert_int_equal(view->part_count, PARTS);
    sc_cluster_view_free(view);
    fixture_close(&f);
}

/** A worker's heartbeat that tells by which crowd it searches. */
static sc_heartbeat *searching(sc_peer worker, uint64_t number, uint32_t crowd)
{
    sc_heartbeat *heartbeat = worker_heartbeat(worker, number, 0);
    sc_engine_options engine = sc_engine_options_default();
    engine.variant = SC_VARIANT_PATIENT;
    engine.crowd = crowd;
    heartbeat->search = sc_search_digest_of(&engine);
    return heartbeat;
}

static void test_a_worker_that_searches_differently_from_most_is_named(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    const sc_time now = 21 * HEARTBEAT_US;
    sc_roster_receive(f.roster, searching(4, 21, 8), 0, now);  // 3 does not tell
    sc_roster_receive(f.roster, searching(5, 1, 4), 0, now);
    sc_roster_receive(f.roster, searching(6, 1, 4), 0, now);
    sc_cluster_view *view = look(&f);
    assert_int_equal(view->peer_count, 6);
    for (size_t i = 0; i < view->peer_count; i++) {
        if (view->peers[i].peer == 4) {
            assert_string_equal(view->peers[i].differs, "crowd");
        } else {
            assert_null(view->peers[i].differs);
        }
        assert_false(view->peers[i].is_stranger);  // it serves parts as the others
    }
    sc_cluster_view_free(view);
    // Those that leave have no vote, and do not count as different.
    sc_heartbeat *last = searching(6, 2, 4);
    last->is_leaving = true;
    sc_roster_receive(f.roster, last, 0, now + HEARTBEAT_US);
    last = searching(5, 2, 4);
    last->is_leaving = true;
    sc_roster_receive(f.roster, last, 0, now + HEARTBEAT_US);
    view = look(&f);
    for (size_t i = 0; i < view->peer_count; i++) {
        assert_null(view->peers[i].differs);
    }
    sc_cluster_view_free(view);
    fixture_close(&f);
}

static void test_a_name_cannot_break_a_page(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_heartbeat *heartbeat = gateway_heartbeat(20, 21);
    memset(heartbeat->name, 'x', sizeof heartbeat->name);  // without an end
    memcpy(heartbeat->name, "a\"b\\c\nd\xff", 8);
    sc_roster_receive(f.roster, heartbeat, 0, 21 * HEARTBEAT_US);
    sc_cluster_view *view = look(&f);
    assert_memory_equal(view->peers[0].name, "a?b?c?d?xxx", 11);
    assert_int_equal(strlen(view->peers[0].name), SC_PEER_NAME_SIZE - 1);
    sc_cluster_view_free(view);
    fixture_close(&f);
}

// --- JSON ----------------------------------------------------------------------------------------

static json_t *read_back(const sc_cluster_view *view)
{
    char *text = sc_cluster_view_json(view);
    assert_non_null(text);
    assert_null(strchr(text, '\n'));
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    sc_free(text);
    return value;
}

static void check_count(const json_t *object, const char *name, json_int_t wanted)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value)) fail_msg("%s is no count", name);
    if (json_integer_value(value) != wanted) {
        fail_msg("%s is %lld, not %lld", name, (long long)json_integer_value(value),
                 (long long)wanted);
    }
}

static void check_number(const json_t *object, const char *name, double wanted)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value)) fail_msg("%s is no number", name);
    CHECK_CLOSE(json_number_value(value), wanted, 1e-6);
}

static void check_msg(const json_t *object, const char *name, const char *wanted)
{
    assert_string_equal(json_string_value(json_object_get(object, name)), wanted);
}

static void test_every_figure_is_written_under_its_name(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_cluster_view *view = look(&f);
    view->imbalance = 1.125;
    view->placements = 3;
    view->moved = 12;
    view->strangers = 5;
    view->heartbeat_s = 0.25;
    view->bus = (sc_bus_stats){.is_connected = true,
                               .messages_out = 301,
                               .messages_in = 302,
                               .bytes_out = 303,
                               .bytes_in = 304,
                               .unsent = 305,
                               .unopened = 306,
                               .overrun = 307,
                               .reconnects = 308};
    json_t *root = read_back(view);
    static const struct {
        const char *name;
        json_int_t value;
    } of_all[] = {{"epoch", 7},       {"placements", 3},     {"moved", 12},
                  {"strangers", 5},   {"messages_out", 301}, {"messages_in", 302},
                  {"bytes_out", 303}, {"bytes_in", 304},     {"unsent", 305},
                  {"unopened", 306},  {"overrun", 307},      {"reconnects", 308}},
      of_peer[] = {{"open", 101},
                   {"memory", 102},
                   {"messages_out", 103},
                   {"messages_in", 104},
                   {"bytes_out", 105},
                   {"bytes_in", 106},
                   {"threads", 2},
                   {"parts", 2},
                   {"proposals", 111},
                   {"proposals_under_way", 112},
                   {"proposals_published", 113},
                   {"proposals_refused", 114},
                   {"proposals_silent", 115},
                   {"proposals_unknown", 116},
                   {"asked", 117},
                   {"lost", 118},
                   {"misdirected", 119}},
      of_part[] = {{"part", 3},      {"queries", 401}, {"company", 202}, {"cloaks", 203},
                   {"dropped", 204}, {"pending", 205}, {"held", 206}};
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++) {
        check_count(root, of_all[i].name, of_all[i].value);
    }
    check_msg(root, "partition", "000000000000004d");
    check_number(root, "imbalance", 1.125);
    check_number(root, "beat_s", 0.25);
    assert_true(json_is_true(json_object_get(root, "connected")));

    const json_t *worker = json_array_get(json_object_get(root, "peers"), 2);
    for (size_t i = 0; i < sizeof of_peer / sizeof *of_peer; i++) {
        check_count(worker, of_peer[i].name, of_peer[i].value);
    }
    check_msg(worker, "peer", "0000000000000003");
    check_msg(worker, "name", "w3");
    check_msg(worker, "kind", "worker");
    check_number(worker, "age_s", 0.25);
    check_number(worker, "skew_s", -0.0015);
    check_number(worker, "cpu", view->peers[2].cpu);
    check_number(worker, "load", view->peers[2].load);
    assert_true(json_is_false(json_object_get(worker, "leader")));

    const json_t *part = json_array_get(json_object_get(root, "parts"), 3);
    for (size_t i = 0; i < sizeof of_part / sizeof *of_part; i++) {
        check_count(part, of_part[i].name, of_part[i].value);
    }
    check_msg(part, "owner", "0000000000000003");
    assert_true(json_is_true(json_object_get(part, "served")));
    check_number(part, "cpu_s", 2.5);
    check_number(part, "load", view->parts[3].load);
    json_decref(root);
    sc_cluster_view_free(view);
    fixture_close(&f);
}

static void test_a_gateway_has_no_parts_and_a_part_may_have_no_owner(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    sc_cluster_view *view = look(&f);
    json_t *root = read_back(view);
    const json_t *gateway = json_array_get(json_object_get(root, "peers"), 0);
    check_msg(gateway, "kind", "gateway");
    assert_null(json_object_get(gateway, "parts"));
    assert_null(json_object_get(gateway, "load"));
    assert_true(json_is_true(json_object_get(gateway, "self")));
    const json_t *part = json_array_get(json_object_get(root, "parts"), 0);
    assert_true(json_is_null(json_object_get(part, "owner")));
    assert_true(json_is_false(json_object_get(part, "served")));
    json_decref(root);
    sc_cluster_view_free(view);
    fixture_close(&f);
}

static void test_numbers_are_short_and_always_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "\"imbalance\":0,"},
        {-0.0, "\"imbalance\":0,"},
        {1.5, "\"imbalance\":1.5,"},
        {100.0, "\"imbalance\":100,"},
        {-0.25, "\"imbalance\":-0.25,"},
        {0.0000004, "\"imbalance\":0,"},
        {2.9999999, "\"imbalance\":3,"},
        {123456.000001, "\"imbalance\":123456.000001,"},
        {NOT_A_NUMBER, "\"imbalance\":null,"},
        {1e300, "\"imbalance\":null,"},
    };
    fixture f;
    fixture_open(&f);
    sc_cluster_view *view = look(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        view->imbalance = cases[i].value;
        char *text = sc_cluster_view_json(view);
        CHECK_CONTAINS(text, cases[i].text);
        sc_free(text);
    }
    sc_cluster_view_free(view);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gateways_come_first_then_workers_by_name),
    cmocka_unit_test(test_a_part_is_served_once_its_worker_says_so),
    cmocka_unit_test(test_before_the_first_placement_there_is_something_to_see),
    cmocka_unit_test(test_a_worker_that_searches_differently_from_most_is_named),
    cmocka_unit_test(test_a_name_cannot_break_a_page),
    cmocka_unit_test(test_every_figure_is_written_under_its_name),
    cmocka_unit_test(test_a_gateway_has_no_parts_and_a_part_may_have_no_owner),
    cmocka_unit_test(test_numbers_are_short_and_always_numbers),
};
SC_SUITE(tests)
