// Sealed messages over real NATS servers: what arrives, what does not, what happens when a server
// goes and comes back, and who is not let in.
#include "cluster/bus.h"

#include "cluster/cluster_seal.h"
#include "support/check.h"
#include "support/cluster_keys.h"
#include "support/made_certificates.h"
#include "support/nats_server.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/** For waiting, in tries of 5 ms: half a minute. */
enum { PATIENCE = 6000 };

/** For all tests: the gateways' key, a worker's, and a gateway's and that worker's numbers. */
static sc_cluster_key *gateways;
static sc_cluster_key *worker;
static sc_peer gateway_peer;
static sc_peer worker_peer;

/** What one process has received. */
typedef struct listener {
    atomic_uint count;
    atomic_uint no_responders;
    _Atomic(sc_peer) missing;  ///< worker
    _Atomic(sc_peer) from;     ///< of the last message
    atomic_uint lost;
    atomic_uint found;
    atomic_uint given_up;
    pthread_mutex_t lock;
    size_t size;  ///< of the last message
    char last[256];
} listener;

static void receive(void *context, sc_peer from, const void *bytes, size_t size)
{
    listener *l = context;
    atomic_store(&l->from, from);
    pthread_mutex_lock(&l->lock);
    l->size = size;
    memcpy(l->last, bytes, size < sizeof l->last ? size : sizeof l->last);
    pthread_mutex_unlock(&l->lock);
    atomic_fetch_add(&l->count, 1);
}

static void on_no_responders(void *context, sc_peer missing)
{
    listener *l = context;
    atomic_store(&l->missing, missing);
    atomic_fetch_add(&l->no_responders, 1);
}

static void on_connected(void *context, bool is_connected)
{
    listener *l = context;
    atomic_fetch_add(is_connected ? &l->found : &l->lost, 1);
}

static void on_given_up(void *context)
{
    listener *l = context;
    atomic_fetch_add(&l->given_up, 1);
}

static void listener_init(listener *l)
{
    memset(l, 0, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
}

static void await_count(const atomic_uint *count, unsigned wanted)
{
    for (int i = 0; i < PATIENCE && atomic_load(count) < wanted; i++) {
        (void)poll(NULL, 0, 5);
    }
    assert_int_equal(atomic_load(count), wanted);
}

static sc_bus_options options_for(const char *const *url, listener *l)
{
    return (sc_bus_options){
        .servers = url,
        .server_count = 1,
        .cluster = "test",
        .client = "test_bus",
        .timeout_s = 10,
        .cluster_key = gateways,
        .self = gateway_peer,
        .connected = l ? on_connected : NULL,
        .given_up = l ? on_given_up : NULL,
        .context = l,
    };
}

static sc_bus *open_bus(const sc_bus_options *options)
{
    sc_diag diag = {""};
    sc_bus *bus = NULL;
    CHECK_OK(sc_bus_new(options, &bus, &diag), &diag);
    CHECK_OK(sc_bus_connect(bus, &diag), &diag);
    return bus;
}

static sc_bus *open_to(const nats_server *server, listener *l)
{
    const char *url = server->url;
    const sc_bus_options options = options_for(&url, l);
    return open_bus(&options);
}

static sc_bus *open_worker_to(const nats_server *server)
{
    const char *url = server->url;
    sc_bus_options options = options_for(&url, NULL);
    options.cluster_key = worker;
    options.self = worker_peer;
    return open_bus(&options);
}

static void check_last(listener *l, const char *wanted, size_t size)
{
    pthread_mutex_lock(&l->lock);
    assert_int_equal(l->size, size);
    assert_memory_equal(l->last, wanted, size);
    pthread_mutex_unlock(&l->lock);
}

// --- What arrives --------------------------------------------------------------------------

static void test_each_kind_of_message_reaches_its_subscribers_and_no_others(void **state)
{
    const nats_server *server = *state;
    sc_bus *a = open_to(server, NULL);
    sc_bus *b = open_worker_to(server);
    listener own;
    listener to_a;
    listener heartbeats;
    listener of_workers;
    listener places;
    listener_init(&own);
    listener_init(&to_a);
    listener_init(&heartbeats);
    listener_init(&of_workers);
    listener_init(&places);
    sc_bus_subscription *subscriptions[5];
    CHECK_OK(sc_bus_subscribe_own(b, receive, &own, &subscriptions[0], NULL), NULL);
    CHECK_OK(sc_bus_subscribe_heartbeats(b, false, receive, &heartbeats, &subscriptions[1], NULL),
             NULL);
    CHECK_OK(sc_bus_subscribe_placements(b, receive, &places, &subscriptions[2], NULL), NULL);
    CHECK_OK(sc_bus_subscribe_own(a, receive, &to_a, &subscriptions[3], NULL), NULL);
    CHECK_OK(sc_bus_subscribe_heartbeats(a, true, receive, &of_workers, &subscriptions[4], NULL),
             NULL);
    CHECK_OK(sc_bus_flush(b, 10), NULL);
    CHECK_OK(sc_bus_flush(a, 10), NULL);

    CHECK_OK(sc_bus_send_worker(a, worker_peer, "seven", 5), NULL);
    CHECK_OK(sc_bus_send_peer(a, worker_peer ^ 1, "other", 5), NULL);
    CHECK_OK(sc_bus_send_heartbeat(a, "beat", 4), NULL);
    CHECK_OK(sc_bus_send_placement(a, "", 0), NULL);
    CHECK_OK(sc_bus_send_peer(b, gateway_peer, "you", 3), NULL);
    CHECK_OK(sc_bus_send_peer(b, gateway_peer ^ 1, "another", 7), NULL);
    CHECK_OK(sc_bus_send_heartbeat(b, "mine", 4), NULL);
    await_count(&places.count, 1);
    await_count(&own.count, 1);
    await_count(&to_a.count, 1);
    await_count(&heartbeats.count, 1);
    await_count(&of_workers.count, 1);
    check_last(&own, "seven", 5);
    check_last(&to_a, "you", 3);
    check_last(&heartbeats, "beat", 4);
    check_last(&of_workers, "mine", 4);
    check_last(&places, "", 0);
    assert_int_equal(own.from, gateway_peer);
    assert_int_equal(places.from, gateway_peer);
    assert_int_equal(to_a.from, worker_peer);
    assert_int_equal(of_workers.from, worker_peer);

    const sc_bus_stats out = sc_bus_stats_of(a);
    const sc_bus_stats in = sc_bus_stats_of(b);
    assert_int_equal(out.messages_out, 4);
    assert_int_equal(out.unsent, 0);
    assert_int_equal(in.messages_in, 3);
    assert_true(in.bytes_in > 12 && in.bytes_in < out.bytes_out);
    assert_int_equal(in.unopened + in.overrun + in.reconnects, 0);
    assert_true(in.is_connected);

    // After unsubscribing nothing comes any more, while others still receive.
    sc_bus_unsubscribe(subscriptions[0]);
    CHECK_OK(sc_bus_send_peer(a, worker_peer, "again", 5), NULL);
    CHECK_OK(sc_bus_send_heartbeat(a, "more", 4), NULL);
    await_count(&heartbeats.count, 2);
    assert_int_equal(own.count, 1);
    sc_bus_free(a);
    sc_bus_free(b);  // with subscriptions that are still open
}

static void test_a_worker_cannot_send_what_gateways_do(void **state)
{
    sc_bus *bus = open_worker_to(*state);
    assert_int_equal(sc_bus_send_placement(bus, "mine", 4), SC_EINVAL);
    assert_int_equal(sc_bus_send_peer(bus, worker_peer ^ (UINT64_C(1) << 40), "you", 3), SC_EINVAL);
    assert_int_equal(sc_bus_stats_of(bus).unsent, 2);
    sc_bus_free(bus);
}

static void test_a_long_message_arrives_as_it_was(void **state)
{
    sc_bus *bus = open_to(*state, NULL);
    listener l;
    listener_init(&l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_own(bus, receive, &l, &subscription, NULL), NULL);
    char *text = test_take(100000, 1);
    memset(text, 'x', 100000);
    CHECK_OK(sc_bus_send_peer(bus, gateway_peer, text, 100000), NULL);
    await_count(&l.count, 1);
    assert_int_equal(l.size, 100000);
    assert_memory_equal(l.last, text, sizeof l.last);
    free(text);
    sc_bus_free(bus);
}

static void test_what_another_key_has_sealed_is_not_opened_and_counted(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_bus *ours = open_to(server, NULL);
    sc_bus_options options = options_for(&url, NULL);
    char line[SC_CLUSTER_KEY_LINE];
    sc_cluster_key *other = NULL;
    CHECK_OK(sc_cluster_key_make(line, NULL), NULL);
    CHECK_OK(sc_cluster_key_parse(line, strlen(line), "", SC_CLUSTER_GATEWAY, &other, NULL), NULL);
    options.cluster_key = other;
    sc_bus *theirs = open_bus(&options);
    listener l;
    listener_init(&l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_heartbeats(ours, false, receive, &l, &subscription, NULL), NULL);
    CHECK_OK(sc_bus_flush(ours, 10), NULL);
    CHECK_OK(sc_bus_send_heartbeat(theirs, "forged", 6), NULL);
    CHECK_OK(sc_bus_flush(theirs, 10), NULL);
    CHECK_OK(sc_bus_send_heartbeat(ours, "true", 4), NULL);
    await_count(&l.count, 1);
    check_last(&l, "true", 4);
    assert_int_equal(sc_bus_stats_of(ours).unopened, 1);
    sc_bus_free(theirs);
    sc_bus_free(ours);
    sc_cluster_key_free(other);
}

static void test_clusters_of_two_names_do_not_hear_each_other(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_bus *ours = open_to(server, NULL);
    sc_bus_options options = options_for(&url, NULL);
    options.cluster = "test2";
    sc_bus *theirs = open_bus(&options);
    listener l;
    listener_init(&l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_heartbeats(ours, false, receive, &l, &subscription, NULL), NULL);
    CHECK_OK(sc_bus_flush(ours, 10), NULL);
    CHECK_OK(sc_bus_send_heartbeat(theirs, "theirs", 6), NULL);
    CHECK_OK(sc_bus_flush(theirs, 10), NULL);
    CHECK_OK(sc_bus_send_heartbeat(ours, "ours", 4), NULL);
    await_count(&l.count, 1);
    check_last(&l, "ours", 4);
    assert_int_equal(sc_bus_stats_of(ours).unopened, 0);
    sc_bus_free(theirs);
    sc_bus_free(ours);
}

static void test_nats_reports_which_worker_has_no_subscriber(void **state)
{
    sc_bus *bus = open_to(*state, NULL);
    sc_bus *other = open_worker_to(*state);
    listener l;
    listener_init(&l);
    sc_bus_subscription *subscription = NULL;
    sc_bus_subscription *own = NULL;
    CHECK_OK(sc_bus_subscribe_no_responders(bus, on_no_responders, &l, &subscription, NULL), NULL);
    CHECK_OK(sc_bus_subscribe_own(other, receive, &l, &own, NULL), NULL);
    CHECK_OK(sc_bus_flush(other, 10), NULL);
    CHECK_OK(sc_bus_send_worker(bus, worker_peer, "is there", 8), NULL);
    CHECK_OK(sc_bus_send_worker(bus, worker_peer ^ 1, "is not", 6), NULL);
    await_count(&l.no_responders, 1);
    assert_int_equal(l.missing, worker_peer ^ 1);
    await_count(&l.count, 1);
    sc_bus_unsubscribe(own);
    CHECK_OK(sc_bus_flush(other, 10), NULL);
    CHECK_OK(sc_bus_send_worker(bus, worker_peer, "too late", 8), NULL);
    await_count(&l.no_responders, 2);
    assert_int_equal(l.missing, worker_peer);
    sc_bus_free(other);
    sc_bus_free(bus);
}

/** Whether a thread of this process blocks a signal. */
static bool blocks(const char *thread, int signal)
{
    char path[320];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
    FILE *status = fopen(path, "r");
    if (!status) return true;  // it has ended meanwhile
    char line[256];
    unsigned long long blocked = 0;
    while (fgets(line, sizeof line, status)) {
        if (strncmp(line, "SigBlk:", 7) == 0) blocked = strtoull(line + 7, NULL, 16);
    }
    fclose(status);
    return blocked >> (signal - 1) & 1;
}

static void test_threads_of_the_library_take_no_signals(void **state)
{
    sc_bus *bus = open_to(*state, NULL);
    listener l;
    listener_init(&l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_own(bus, receive, &l, &subscription, NULL), NULL);
    CHECK_OK(sc_bus_send_peer(bus, gateway_peer, "hello", 5), NULL);
    await_count(&l.count, 1);

    // All threads but this one.
    char self[16];
    snprintf(self, sizeof self, "%d", (int)getpid());
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    unsigned others = 0;
    for (const struct dirent *entry = readdir(threads); entry; entry = readdir(threads)) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, self) == 0) continue;
        others++;
        assert_true(blocks(entry->d_name, SIGTERM));
        assert_true(blocks(entry->d_name, SIGINT));
    }
    closedir(threads);
    assert_true(others > 0);
    assert_false(blocks(self, SIGTERM));
    sc_bus_free(bus);
}

// --- What is refused -----------------------------------------------------------------------

static void test_a_message_larger_than_the_server_takes_is_refused_and_counted(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){.max_payload = 1024});
    sc_bus *bus = open_to(&server, NULL);
    char bytes[1024] = {0};
    assert_int_equal(sc_bus_send_heartbeat(bus, bytes, sizeof bytes), SC_ELIMIT);
    CHECK_OK(sc_bus_send_heartbeat(bus, bytes, 900), NULL);
    const sc_bus_stats stats = sc_bus_stats_of(bus);
    assert_int_equal(stats.unsent, 1);
    assert_int_equal(stats.messages_out, 1);
    sc_bus_free(bus);
    nats_server_end(&server);
}

static void check_refused(const sc_bus_options *options, sc_err wanted, const char *words)
{
    sc_diag diag = {""};
    sc_bus *bus = NULL;
    sc_err err = sc_bus_new(options, &bus, &diag);
    // What can be seen without a server is seen without one.
    if (!err) assert_int_equal(wanted, SC_ENET);
    if (!err) err = sc_bus_connect(bus, &diag);
    CHECK_REFUSED(err, wanted, &diag, words);
    sc_bus_free(bus);
}

static void test_options_that_make_no_sense_are_refused(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_bus_options options = options_for(&url, NULL);
    options.cluster = "two words";
    check_refused(&options, SC_EINVAL, "name");
    options.cluster = "a.b";
    check_refused(&options, SC_EINVAL, "name");
    options.cluster = "";
    check_refused(&options, SC_EINVAL, "name");
    options = options_for(&url, NULL);
    options.server_count = 0;
    check_refused(&options, SC_EINVAL, "nats://");
    const char *odd = "http://somebody:secret@127.0.0.1";
    options = options_for(&odd, NULL);
    check_refused(&options, SC_EINVAL, "'127.0.0.1'");
    options = options_for(&url, NULL);
    options.certificate = "certificate.pem";
    check_refused(&options, SC_EINVAL, "key");
    options = options_for(&url, NULL);
    options.password = "secret";
    check_refused(&options, SC_EINVAL, "user");
    options = options_for(&url, NULL);
    options.timeout_s = 0;
    check_refused(&options, SC_EINVAL, "time");
}

static void test_files_that_are_not_there_are_named(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_bus_options options = options_for(&url, NULL);
    options.ca = "/nowhere/ca.pem";
    check_refused(&options, SC_EIO, "/nowhere/ca.pem");
    options = options_for(&url, NULL);
    options.certificate = "/nowhere/certificate.pem";
    options.key = "/nowhere/key.pem";
    check_refused(&options, SC_EIO, "/nowhere/certificate.pem");
    options = options_for(&url, NULL);
    options.credentials = "/nowhere/some.creds";
    check_refused(&options, SC_EIO, "/nowhere/some.creds");
}

static void test_a_server_that_is_not_there_is_an_error_that_says_so(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){0});
    nats_server_kill(&server);
    char address[128];
    snprintf(address, sizeof address, "nats://somebody:secret@127.0.0.1:%d", server.port);
    const char *url = address;
    const sc_bus_options options = options_for(&url, NULL);
    sc_diag diag = {""};
    sc_bus *bus = NULL;
    CHECK_OK(sc_bus_new(&options, &bus, &diag), &diag);
    CHECK_REFUSED(sc_bus_connect(bus, &diag), SC_ENET, &diag, "check that it runs");
    assert_null(strstr(diag.message, "secret"));
    sc_bus_free(bus);
    nats_server_end(&server);
}

static void test_a_bad_password_is_refused_and_a_good_one_is_not(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){.user = "star", .password = "cloak"});
    const char *url = server.url;
    sc_bus_options options = options_for(&url, NULL);
    check_refused(&options, SC_ENET, "password");
    options.user = "star";
    options.password = "clock";
    check_refused(&options, SC_ENET, "password");
    options.password = "cloak";
    sc_bus_free(open_bus(&options));
    nats_server_end(&server);
}

// --- TLS -----------------------------------------------------------------------------------

/** For the thread sanitizer, which asks for it by this name. cnats reads and writes one TLS
 * connection in two threads without a lock (docs/dependencies.md); what it finds there is not ours.
 * Of TLS alone: messages as such are looked at in all other tests. */
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
const char *__tsan_default_suppressions(void);
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
const char *__tsan_default_suppressions(void)
{
    return "race:libssl.so\nrace:libcrypto.so\n";
}

static void test_tls_needs_an_authority_that_we_trust_and_the_host_that_we_named(void **state)
{
    (void)state;
    made_authority *house = made_authority_new("House");
    made_authority *strangers = made_authority_new("Strangers");
    made_certificate made = made_certificate_new(house, "elsewhere");
    nats_server server;
    nats_server_begin(&server, &(nats_manners){.certificate = made.certificate, .key = made.key});
    char by_number[64];
    char by_name[64];
    snprintf(by_number, sizeof by_number, "tls://127.0.0.1:%d", server.port);
    snprintf(by_name, sizeof by_name, "tls://localhost:%d", server.port);

    // The certificate is for 127.0.0.1 and for "elsewhere", not for "localhost".
    const char *url = by_number;
    sc_bus_options options = options_for(&url, NULL);
    check_refused(&options, SC_ENET, "certificate");
    options.ca = made_authority_file(strangers);
    check_refused(&options, SC_ENET, "certificate");
    options.ca = made_authority_file(house);
    url = by_name;
    check_refused(&options, SC_ENET, "certificate");
    url = by_number;
    sc_bus *bus = open_bus(&options);
    listener l;
    listener_init(&l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_heartbeats(bus, false, receive, &l, &subscription, NULL), NULL);
    CHECK_OK(sc_bus_send_heartbeat(bus, "hello", 5), NULL);
    await_count(&l.count, 1);
    sc_bus_free(bus);

    nats_server_end(&server);
    made_certificate_free(&made);
    made_authority_free(strangers);
    made_authority_free(house);
}

// --- Servers that go and come --------------------------------------------------------------

static void test_after_the_server_was_away_everything_is_received_again(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){0});
    listener l;
    listener_init(&l);
    sc_bus *bus = open_to(&server, &l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_own(bus, receive, &l, &subscription, NULL), NULL);
    nats_server_kill(&server);
    await_count(&l.lost, 1);
    assert_false(sc_bus_stats_of(bus).is_connected);

    // What is sent meanwhile waits.
    CHECK_OK(sc_bus_send_peer(bus, gateway_peer, "patience", 8), NULL);
    nats_server_again(&server);
    await_count(&l.found, 1);
    assert_true(sc_bus_stats_of(bus).is_connected);
    assert_int_equal(sc_bus_stats_of(bus).reconnects, 1);
    await_count(&l.count, 1);
    check_last(&l, "patience", 8);
    CHECK_OK(sc_bus_send_peer(bus, gateway_peer, "back", 4), NULL);
    await_count(&l.count, 2);
    check_last(&l, "back", 4);
    sc_bus_free(bus);
    nats_server_end(&server);
}

static void test_who_is_not_let_in_any_more_is_told_so(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){.user = "star", .password = "cloak"});
    const char *url = server.url;
    listener l;
    listener_init(&l);
    sc_bus_options options = options_for(&url, &l);
    options.user = "star";
    options.password = "cloak";
    sc_bus *bus = open_bus(&options);
    nats_server_kill(&server);
    nats_server_change(&server, &(nats_manners){.user = "star", .password = "other"});
    nats_server_again(&server);
    await_count(&l.given_up, 1);
    assert_int_equal(l.lost, 1);
    assert_int_equal(l.found, 0);
    assert_false(sc_bus_stats_of(bus).is_connected);
    assert_int_equal(sc_bus_send_heartbeat(bus, "beat", 4), SC_ENET);
    sc_bus_free(bus);
    assert_int_equal(l.given_up, 1);
    nats_server_end(&server);
}

static void test_a_bus_without_a_server_can_be_closed(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){0});
    listener l;
    listener_init(&l);
    sc_bus *bus = open_to(&server, &l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_heartbeats(bus, false, receive, &l, &subscription, NULL), NULL);
    nats_server_end(&server);
    await_count(&l.lost, 1);
    assert_int_equal(sc_bus_flush(bus, 0.05), SC_ENET);
    sc_bus_unsubscribe(subscription);
    sc_bus_free(bus);
}

static void test_three_servers_are_one_and_one_of_them_may_go(void **state)
{
    (void)state;
    nats_server servers[3];
    nats_servers_begin(servers, 3);
    listener l;
    listener_init(&l);
    sc_bus *speaker = open_to(&servers[2], NULL);
    sc_bus *bus = open_to(&servers[0], &l);
    sc_bus_subscription *subscription = NULL;
    CHECK_OK(sc_bus_subscribe_heartbeats(bus, false, receive, &l, &subscription, NULL), NULL);
    CHECK_OK(sc_bus_flush(bus, 10), NULL);
    for (int i = 0; i < PATIENCE && l.count == 0; i++) {
        CHECK_OK(sc_bus_send_heartbeat(speaker, "across", 6), NULL);
        (void)poll(NULL, 0, 5);
    }
    assert_true(l.count > 0);

    // It knew of one server only; that one named the others.
    nats_server_kill(&servers[0]);
    await_count(&l.found, 1);
    const unsigned before = l.count;
    for (int i = 0; i < PATIENCE && l.count == before; i++) {
        CHECK_OK(sc_bus_send_heartbeat(speaker, "still", 5), NULL);
        (void)poll(NULL, 0, 5);
    }
    assert_true(l.count > before);
    sc_bus_free(bus);
    sc_bus_free(speaker);
    for (size_t i = 0; i < 3; i++) {
        nats_server_end(&servers[i]);
    }
}

static int begin(void **state)
{
    nats_server *server = test_take(1, sizeof *server);
    nats_server_begin(server, &(nats_manners){0});
    *state = server;
    gateways = cluster_gateways_key();
    worker = cluster_worker_key("w1");
    gateway_peer = sc_cluster_key_draw_peer(gateways);
    worker_peer = sc_cluster_key_draw_peer(worker);
    return 0;
}

static int end(void **state)
{
    nats_server_end(*state);
    free(*state);
    sc_cluster_key_free(gateways);
    sc_cluster_key_free(worker);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_kind_of_message_reaches_its_subscribers_and_no_others),
    cmocka_unit_test(test_a_long_message_arrives_as_it_was),
    cmocka_unit_test(test_what_another_key_has_sealed_is_not_opened_and_counted),
    cmocka_unit_test(test_clusters_of_two_names_do_not_hear_each_other),
    cmocka_unit_test(test_nats_reports_which_worker_has_no_subscriber),
    cmocka_unit_test(test_a_worker_cannot_send_what_gateways_do),
    cmocka_unit_test(test_threads_of_the_library_take_no_signals),
    cmocka_unit_test(test_a_message_larger_than_the_server_takes_is_refused_and_counted),
    cmocka_unit_test(test_options_that_make_no_sense_are_refused),
    cmocka_unit_test(test_files_that_are_not_there_are_named),
    cmocka_unit_test(test_a_server_that_is_not_there_is_an_error_that_says_so),
    cmocka_unit_test(test_a_bad_password_is_refused_and_a_good_one_is_not),
    cmocka_unit_test(test_tls_needs_an_authority_that_we_trust_and_the_host_that_we_named),
    cmocka_unit_test(test_after_the_server_was_away_everything_is_received_again),
    cmocka_unit_test(test_who_is_not_let_in_any_more_is_told_so),
    cmocka_unit_test(test_a_bus_without_a_server_can_be_closed),
    cmocka_unit_test(test_three_servers_are_one_and_one_of_them_may_go),
};
SC_SUITE_WITH(tests, begin, end)
