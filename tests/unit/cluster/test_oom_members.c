// Joining a cluster while memory runs out: the bus, a gateway and a worker, over a real NATS
// server. Whichever allocation fails, nothing leaks and no process is left half joined.
#include "cluster/cluster_key.h"
#include "support/check.h"
#include "support/cluster_fixture.h"
#include "support/oom.h"

/** Of the gateways, and of a worker; freed at the end. */
static sc_cluster_key *keys[2];

static sc_bus_options bus_options_for(const char *const *url, sc_cluster_role role)
{
    return (sc_bus_options){
        .servers = url,
        .server_count = 1,
        .cluster = "oom",
        .client = "oom",
        .timeout_s = 10,
        .cluster_key = keys[role],
        .self = sc_cluster_key_draw_peer(keys[role]),
    };
}

static void receive(void *context, sc_peer from, const void *bytes, size_t size)
{
    (void)context;
    (void)from;
    (void)bytes;
    (void)size;
}

static sc_err speak_and_listen(sc_bus *bus)
{
    static const char large[10000];
    sc_bus_subscription *subscription = NULL;
    sc_err err = sc_bus_subscribe_heartbeats(bus, false, receive, NULL, &subscription, NULL);
    if (!err) err = sc_bus_send_heartbeat(bus, large, sizeof large);
    sc_bus_unsubscribe(subscription);
    return err;
}

static void test_a_bus(void **state)
{
    const cluster_fixture *fixture = *state;
    const char *url = fixture->nats.url;
    const sc_bus_options options = bus_options_for(&url, SC_CLUSTER_GATEWAY);
    FOR_EACH_FAILURE(n)
    {
        sc_bus *bus = NULL;
        sc_diag diag = {""};
        sc_err err = sc_bus_new(&options, &bus, &diag);
        if (!err) err = sc_bus_connect(bus, &diag);
        if (!err) err = speak_and_listen(bus);
        const bool happened = oom_happened();
        sc_bus_free(bus);
        if (!happened) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
    }
}

static void test_a_gateway(void **state)
{
    const cluster_fixture *fixture = *state;
    const char *url = fixture->nats.url;
    const sc_gateway_options options = {
        .bus = bus_options_for(&url, SC_CLUSTER_GATEWAY),
        .partition = fixture->partition,
        .name = "gateway",
        .heartbeat_s = 0.05,
        .uneven = 1.25,
    };
    FOR_EACH_FAILURE(n)
    {
        sc_gateway *gateway = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_gateway_new(&options, &gateway, &diag);
        sc_cluster_view *view = gateway ? sc_gateway_view(gateway) : NULL;
        const bool happened = oom_happened();
        assert_true(happened || (!err && view));
        assert_int_equal(err, gateway ? SC_OK : SC_ENOMEM);
        sc_cluster_view_free(view);
        sc_gateway_free(gateway);
        if (!happened) break;
    }
}

static void test_a_worker(void **state)
{
    cluster_fixture *fixture = *state;
    const char *url = fixture->nats.url;
    const sc_worker_options options = {
        .bus = bus_options_for(&url, SC_CLUSTER_WORKER),
        .engines =
            {
                .engine = sc_engine_options_default(),
                .partition = fixture->partition,
                .engine_threads = 2,
                .max_queries = 10,
                .patience_us = 500000,
            },
        .name = "worker",
        .heartbeat_s = 0.05,
    };
    FOR_EACH_FAILURE(n)
    {
        sc_worker *worker = NULL;
        sc_diag diag = {""};
        sc_err err = sc_worker_new(fixture->town.map, &options, &worker, &diag);
        if (!err) err = sc_worker_start(worker, &diag);
        const bool happened = oom_happened();
        sc_worker_free(worker);
        if (!happened) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_bus),
    cmocka_unit_test(test_a_gateway),
    cmocka_unit_test(test_a_worker),
};

static int begin(void **state)
{
    keys[SC_CLUSTER_GATEWAY] = cluster_gateways_key();
    keys[SC_CLUSTER_WORKER] = cluster_worker_key("worker");
    return cluster_fixture_begin(state);
}

static int end(void **state)
{
    sc_cluster_key_free(keys[SC_CLUSTER_GATEWAY]);
    sc_cluster_key_free(keys[SC_CLUSTER_WORKER]);
    return cluster_fixture_end(state);
}

SC_SUITE_WITH(tests, begin, end)
