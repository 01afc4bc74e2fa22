// A small cluster for tests. See cluster_fixture.h.
#include "support/cluster_fixture.h"

#include "base/clock.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/streams.h"

#include <poll.h>

/** For waiting, in tries of 5 ms: a minute. */
enum { PATIENCE = 12000 };

static void nap(void)
{
    (void)poll(NULL, 0, 5);
}

// --- The fixture -----------------------------------------------------------------------------

static bool touches(const sc_segment *segment, sc_star_id star)
{
    return star != SC_NONE && (segment->star_a == star || segment->star_b == star);
}

static bool have_common_star(const sc_segment *a, const sc_segment *b)
{
    return touches(a, b->star_a) || touches(a, b->star_b);
}

/** For each part a segment that is at home there and has no star in common with those before. */
static void choose_segments(cluster_fixture *fixture)
{
    const sc_map *map = fixture->town.map;
    const sc_segment *segments = sc_map_segments(map);
    for (uint32_t part = 0; part < CLUSTER_PARTS; part++) {
        sc_seg_id s = 0;
        for (bool is_fine = false; !is_fine; s += !is_fine) {
            assert_true(s < sc_map_segment_count(map));
            is_fine = sc_partition_home(fixture->partition, s) == part;
            for (uint32_t before = 0; before < part; before++) {
                is_fine = is_fine &&
                          !have_common_star(&segments[s], &segments[fixture->segments[before]]);
            }
        }
        fixture->segments[part] = s;
    }
}

void cluster_fixture_open(cluster_fixture *fixture)
{
    *fixture = (cluster_fixture){.town = odd_town_drawn(1)};
    const sc_map *map = fixture->town.map;
    const uint32_t stars = (uint32_t)sc_map_star_count(map);
    assert_true(stars >= CLUSTER_PARTS);
    uint16_t *part_of = test_take(stars, sizeof *part_of);
    for (uint32_t i = 0; i < stars; i++) {
        part_of[i] = (uint16_t)((uint64_t)i * CLUSTER_PARTS / stars);
    }
    sc_diag diag = {""};
    CHECK_OK(sc_partition_new(map, part_of, CLUSTER_PARTS, &fixture->partition, &diag), &diag);
    free(part_of);
    choose_segments(fixture);
    nats_server_begin(&fixture->nats, &(nats_manners){0});
}

void cluster_fixture_close(cluster_fixture *fixture)
{
    nats_server_end(&fixture->nats);
    for (size_t i = 0; i < fixture->key_count; i++) {
        sc_cluster_key_free(fixture->keys[i]);
    }
    sc_partition_free(fixture->partition);
    odd_town_free(&fixture->town);
}

int cluster_fixture_begin(void **state)
{
    cluster_fixture *fixture = test_take(1, sizeof *fixture);
    cluster_fixture_open(fixture);
    *state = fixture;
    return 0;
}

int cluster_fixture_end(void **state)
{
    cluster_fixture_close(*state);
    free(*state);
    return 0;
}

/** A segment that begins at that star; false if there is none. */
static bool find_from(const sc_map *map, sc_star_id star, sc_seg_id *out)
{
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        if (segments[s].star_a != star) continue;
        *out = s;
        return true;
    }
    return false;
}

void cluster_across(const cluster_fixture *fixture, const sc_peer owners[CLUSTER_PARTS],
                    sc_seg_id *here, sc_seg_id *there)
{
    const sc_map *map = fixture->town.map;
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_star_id far = segments[s].star_b;
        if (far == SC_NONE || !find_from(map, far, there)) continue;
        *here = s;
        if (owners[sc_partition_home(fixture->partition, s)] !=
            owners[sc_partition_home(fixture->partition, *there)])
            return;
    }
    fail_msg("no road leads from one worker's parts to the other's");
}

/** Keys live as long as the fixture. */
static const sc_cluster_key *keep(cluster_fixture *fixture, sc_cluster_key *key)
{
    assert_true(fixture->key_count < CLUSTER_KEYS);
    fixture->keys[fixture->key_count++] = key;
    return key;
}

static sc_bus_options bus_options_for(const cluster_fixture *fixture, const char *const *url,
                                      const sc_cluster_key *key)
{
    return (sc_bus_options){
        .servers = url,
        .server_count = 1,
        .cluster = "fixture",
        .client = "test",
        .timeout_s = fixture->is_nats_patient ? 3600 : 10,
        .cluster_key = key,
    };
}

static void count_shut_out(void *context)
{
    cluster_fixture *fixture = context;
    atomic_fetch_add(&fixture->shut_out, 1);
}

// --- Gateways ------------------------------------------------------------------------------

static void take_back(void *context, sc_ticket *ticket)
{
    cluster_gateway *g = context;
    pthread_mutex_lock(&g->lock);
    ticket->next = g->back;
    g->back = ticket;
    pthread_mutex_unlock(&g->lock);
}

static void open_ledger(cluster_gateway *g)
{
    sc_ledger_options options = sc_ledger_options_default();
    options.partition = g->fixture->partition;
    options.self = sc_gateway_self(g->gateway);
    options.workers = sc_gateway_port(g->gateway);
    options.max_pending = 1000;
    options.jitter_us = 2000;
    options.is_paranoid = true;
    options.settled = take_back;
    options.context = g;
    sc_diag diag = {""};
    CHECK_OK(sc_ledger_new(g->fixture->town.map, &options, &g->ledger, &diag), &diag);
}

static void open_courier(cluster_gateway *g)
{
    sc_courier_options options = sc_courier_options_default();
    options.objects = g->fixture->town.objects;
    options.back = sc_ledger_errand_back;
    options.context = g->ledger;
    sc_diag diag = {""};
    CHECK_OK(
        sc_courier_new(g->fixture->town.map, &options, &g->fixture->town.rng, &g->courier, &diag),
        &diag);
    sc_ledger_set_courier(g->ledger, g->courier);
}

void cluster_gateway_open(cluster_gateway *g, cluster_fixture *fixture, const char *name)
{
    *g = (cluster_gateway){.fixture = fixture};
    pthread_mutex_init(&g->lock, NULL);
    const char *url = fixture->nats.url;
    const sc_gateway_options options = {
        .bus = bus_options_for(fixture, &url, keep(fixture, cluster_gateways_key())),
        .partition = fixture->partition,
        .name = name,
        .heartbeat_s = CLUSTER_HEARTBEAT_S,
        .uneven = 1.25,
        .repack_s = 60,
        .guard_s = 0.01,
        .given_up = count_shut_out,
        .context = fixture,
    };
    sc_diag diag = {""};
    CHECK_OK(sc_gateway_new(&options, &g->gateway, &diag), &diag);
    open_ledger(g);
    open_courier(g);
    CHECK_OK(sc_gateway_start(g->gateway, g->ledger, sc_courier_vocabulary(g->courier), &diag),
             &diag);
}

void cluster_gateway_close(cluster_gateway *g)
{
    sc_gateway_stop(g->gateway);
    sc_ledger_stop(g->ledger);
    sc_courier_free(g->courier);
    sc_ledger_free(g->ledger);
    sc_gateway_free(g->gateway);
    for (sc_ticket *next = NULL, *ticket = g->back; ticket; ticket = next) {
        next = ticket->next;
        sc_ticket_free(ticket);
    }
    pthread_mutex_destroy(&g->lock);
}

void cluster_ask(cluster_gateway *g, uint32_t number, sc_seg_id segment, uint32_t k,
                 uint32_t max_hops, double wait_s)
{
    sc_ticket *ticket = sc_ticket_new();
    assert_non_null(ticket);
    const odd_position at = odd_position_on(g->fixture->town.map, segment, &g->fixture->town.rng);
    const sc_time now = sc_clock_us();
    ticket->query =
        plain_query(number, segment, k, 1, max_hops, now + sc_time_from_seconds(wait_s));
    ticket->at.edge = at.edge;
    ticket->at.offset_m = at.offset_m;
    ticket->asked = now;
    sc_request request = {.type = SC_REQUEST_KNN, .k = 1 + number % 3};
    const uint32_t categories = sc_courier_vocabulary(g->courier)->count;
    if (number % 2 && categories > 0) {
        request.category_count = 1;
        request.categories[0] = number % categories;
    }
    ticket->request = sc_request_normalise(&request);
    CHECK_OK(sc_ledger_submit(g->ledger, ticket), NULL);
}

void cluster_await_answered(cluster_gateway *g, uint64_t count)
{
    sc_ledger_stats stats = sc_ledger_stats_of(g->ledger);
    for (int i = 0; i < PATIENCE && stats.answered < count; i++) {
        nap();
        stats = sc_ledger_stats_of(g->ledger);
    }
    assert_int_equal(stats.answered, count);
    assert_int_equal(stats.answered + stats.pending, stats.taken);
    assert_int_equal(stats.violations, 0);
}

void cluster_await_ready(cluster_gateway *g)
{
    for (int i = 0; i < PATIENCE && !sc_gateway_is_ready(g->gateway); i++) {
        nap();
    }
    assert_true(sc_gateway_is_ready(g->gateway));
}

// --- Workers -------------------------------------------------------------------------------

sc_worker *cluster_stranger(cluster_fixture *fixture, const char *name,
                            const sc_partition *partition, const sc_demands *demands)
{
    const char *url = fixture->nats.url;
    sc_engine_options engine = sc_engine_options_default();
    if (demands) {
        engine.variant = SC_VARIANT_PATIENT;
        engine.demands = *demands;
    }
    const sc_worker_options options = {
        .bus = bus_options_for(fixture, &url, keep(fixture, cluster_worker_key(name))),
        .engines =
            {
                .engine = engine,
                .partition = partition,
                .engine_threads = 1,
                .max_queries = 1000,
                .patience_us = 500000,
            },
        .name = name,
        .heartbeat_s = CLUSTER_HEARTBEAT_S,
        .given_up = count_shut_out,
        .context = fixture,
    };
    sc_diag diag = {""};
    sc_worker *worker = NULL;
    CHECK_OK(sc_worker_new(fixture->town.map, &options, &worker, &diag), &diag);
    CHECK_OK(sc_worker_start(worker, &diag), &diag);
    return worker;
}

sc_worker *cluster_worker(cluster_fixture *fixture, const char *name)
{
    return cluster_stranger(fixture, name, fixture->partition, NULL);
}

void cluster_await_parts(sc_worker *worker, uint32_t count)
{
    for (int i = 0; i < PATIENCE && sc_worker_part_count(worker) < count; i++) {
        nap();
    }
    assert_true(sc_worker_part_count(worker) >= count);
}

void cluster_drain(sc_worker *worker)
{
    // A worker without a leader for some heartbeats gives up; a busy machine may be as slow as
    // that.
    size_t left = sc_worker_drain(worker, 60);
    for (int tries = 0; tries < 30 && left > 0; tries++) {
        left = sc_worker_drain(worker, 60);
    }
    assert_int_equal(left, 0);
}

void cluster_await_published(sc_worker *worker, sc_worker *other, uint64_t count)
{
    uint64_t published = 0;
    for (int i = 0; i < PATIENCE && published < count; i++) {
        published = sc_worker_stats(worker).proposals_published;
        if (other) published += sc_worker_stats(other).proposals_published;
        if (published < count) nap();
    }
    assert_true(published >= count);
}
