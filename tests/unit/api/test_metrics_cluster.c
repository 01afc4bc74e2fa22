// Metrics of a cluster as text, of a view that is made up: every figure under its name, namesakes
// told apart, parts without a worker.
#include "api/metrics.h"

#include "support/check.h"
#include "support/prometheus.h"

#include <math.h>
#include <stdio.h>

enum { PEERS = 3, PARTS = 3 };

typedef struct fixture {
    sc_cluster_view_peer peers[PEERS];
    sc_cluster_view_part parts[PARTS];
    sc_cluster_view view;
} fixture;

/** A gateway and two workers; the first has two parts, of which it serves one. */
static void fixture_open(fixture *f)
{
    *f = (fixture){
        .peers = {{.peer = 1, .name = "gw1", .load = 99.0},
                  {.peer = 2,
                   .name = "w1",
                   .is_worker = true,
                   .load = 12.5,
                   .cpu = 0.75,
                   .threads = 4,
                   .parts = 1,
                   .open = 201,
                   .memory = 202,
                   .engines = {.proposals = 203,
                               .proposals_under_way = 204,
                               .proposals_published = 205,
                               .proposals_refused = 206,
                               .proposals_silent = 207,
                               .proposals_unknown = 208,
                               .asked = 209,
                               .lost = 210,
                               .misdirected = 211}},
                  {.peer = 3, .name = "w2", .is_worker = true}},
        .parts = {{.owner = 2,
                   .is_served = true,
                   .load = 3.25,
                   .counts = {.is_open = true,
                              .queries = 301,
                              .company = 302,
                              .cloaks = 303,
                              .dropped = 304,
                              .cpu_us = 1500000,
                              .pending = 305,
                              .held = 306}},
                  {.owner = 2},
                  {.owner = SC_PEER_NONE}},
        .view = {.epoch = 101,
                 .imbalance = 1.125,
                 .placements = 102,
                 .moved = 103,
                 .strangers = 104,
                 .crowded = 113,
                 .passed_over = 131,
                 .bus = {.is_connected = true,
                         .messages_out = 105,
                         .messages_in = 106,
                         .bytes_out = 107,
                         .bytes_in = 108,
                         .unsent = 109,
                         .unopened = 110,
                         .forbidden = 130,
                         .overrun = 111,
                         .reconnects = 112}},
    };
    f->view.peers = f->peers;
    f->view.peer_count = PEERS;
    f->view.parts = f->parts;
    f->view.part_count = PARTS;
}

static prometheus *print(const fixture *f)
{
    sc_bytes text = {0};
    assert_true(sc__metrics_print_cluster(&f->view, &text));
    prometheus *page = prometheus_read((const char *)text.data, text.size);
    sc_bytes_fini(&text);
    return page;
}

static void check_value(const prometheus *page, const char *sample, double wanted)
{
    const double got = prometheus_value(page, sample);
    if (fabs(got - wanted) > 1e-9 * fabs(wanted))
        fail_msg("%s is %.9g, not %.9g", sample, got, wanted);
}

// Each figure another number: none is left out, and none is under another's name.
static void test_every_figure_is_under_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *sample;
        double value;
    } wanted[] = {
        {"starcloak_cluster_peers{kind=\"gateway\"}", 1},
        {"starcloak_cluster_peers{kind=\"worker\"}", 2},
        {"starcloak_cluster_epoch", 101},
        {"starcloak_cluster_imbalance", 1.125},
        {"starcloak_cluster_placements_total", 102},
        {"starcloak_cluster_moved_parts_total", 103},
        {"starcloak_cluster_strangers_total", 104},
        {"starcloak_cluster_crowded_total", 113},
        {"starcloak_cluster_passed_over_total", 131},
        {"starcloak_cluster_connected", 1},
        {"starcloak_cluster_messages_total{direction=\"out\"}", 105},
        {"starcloak_cluster_messages_total{direction=\"in\"}", 106},
        {"starcloak_cluster_bytes_total{direction=\"out\"}", 107},
        {"starcloak_cluster_bytes_total{direction=\"in\"}", 108},
        {"starcloak_cluster_unsent_total", 109},
        {"starcloak_cluster_unopened_total", 110},
        {"starcloak_cluster_forbidden_total", 130},
        {"starcloak_cluster_overrun_total", 111},
        {"starcloak_cluster_reconnects_total", 112},
        {"starcloak_worker_load{worker=\"w1\"}", 12.5},
        {"starcloak_worker_cpu{worker=\"w1\"}", 0.75},
        {"starcloak_worker_threads{worker=\"w1\"}", 4},
        {"starcloak_worker_parts{worker=\"w1\"}", 1},
        {"starcloak_worker_open{worker=\"w1\"}", 201},
        {"starcloak_worker_memory_bytes{worker=\"w1\"}", 202},
        {"starcloak_worker_proposals_under_way{worker=\"w1\"}", 204},
        {"starcloak_worker_proposals_total{worker=\"w1\",state=\"published\"}", 205},
        {"starcloak_worker_proposals_total{worker=\"w1\",state=\"refused\"}", 206},
        {"starcloak_worker_proposals_total{worker=\"w1\",state=\"silent\"}", 207},
        {"starcloak_worker_proposals_total{worker=\"w1\",state=\"unknown\"}", 208},
        {"starcloak_worker_asked_total{worker=\"w1\"}", 209},
        {"starcloak_worker_lost_total{worker=\"w1\"}", 210},
        {"starcloak_worker_misdirected_total{worker=\"w1\"}", 211},
        {"starcloak_worker_load{worker=\"w2\"}", 0},
        {"starcloak_part_served{part=\"0\",worker=\"w1\"}", 1},
        {"starcloak_part_load{part=\"0\",worker=\"w1\"}", 3.25},
        {"starcloak_part_queries_total{part=\"0\",worker=\"w1\"}", 301},
        {"starcloak_part_company_total{part=\"0\",worker=\"w1\"}", 302},
        {"starcloak_part_cloaks_total{part=\"0\",worker=\"w1\"}", 303},
        {"starcloak_part_dropped_total{part=\"0\",worker=\"w1\"}", 304},
        {"starcloak_part_pending{part=\"0\",worker=\"w1\"}", 305},
        {"starcloak_part_held{part=\"0\",worker=\"w1\"}", 306},
        {"starcloak_part_cpu_seconds_total{part=\"0\",worker=\"w1\"}", 1.5},
        {"starcloak_part_served{part=\"1\",worker=\"w1\"}", 0},
        {"starcloak_part_served{part=\"2\",worker=\"\"}", 0},
    };
    fixture f;
    fixture_open(&f);
    prometheus *page = print(&f);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        check_value(page, wanted[i].sample, wanted[i].value);
    }
    assert_false(prometheus_has(page, "starcloak_worker_load{worker=\"gw1\"}"));
    prometheus_free(page);
}

// A worker that was started again, beside its former self: the reader refuses a sample that is
// twice.
static void test_namesakes_are_told_apart(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    snprintf(f.peers[2].name, sizeof f.peers[2].name, "w1");
    prometheus *page = print(&f);
    check_value(page, "starcloak_worker_load{worker=\"w1/0000000000000002\"}", 12.5);
    check_value(page, "starcloak_worker_load{worker=\"w1/0000000000000003\"}", 0);
    check_value(page, "starcloak_part_load{part=\"0\",worker=\"w1/0000000000000002\"}", 3.25);
    prometheus_free(page);
    // A gateway may be called as it likes.
    fixture_open(&f);
    snprintf(f.peers[0].name, sizeof f.peers[0].name, "w1");
    page = print(&f);
    check_value(page, "starcloak_worker_load{worker=\"w1\"}", 12.5);
    prometheus_free(page);
}

static void test_the_part_of_a_worker_that_is_gone_has_no_worker(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.parts[2].owner = 77;
    prometheus *page = print(&f);
    check_value(page, "starcloak_part_served{part=\"2\",worker=\"\"}", 0);
    prometheus_free(page);
}

static void test_a_cluster_without_workers_has_its_metrics(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.view.peer_count = 1;
    prometheus *page = print(&f);
    check_value(page, "starcloak_cluster_peers{kind=\"worker\"}", 0);
    check_value(page, "starcloak_part_served{part=\"0\",worker=\"\"}", 1);
    prometheus_free(page);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_figure_is_under_its_name),
    cmocka_unit_test(test_namesakes_are_told_apart),
    cmocka_unit_test(test_the_part_of_a_worker_that_is_gone_has_no_worker),
    cmocka_unit_test(test_a_cluster_without_workers_has_its_metrics),
};
SC_SUITE(tests)
