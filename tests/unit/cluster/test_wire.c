// Sealed messages over real NATS servers: what arrives, what does not, what happens when a server
// goes and comes back, and who is not let in.
#include "cluster/bus.h"

#include "cluster/cluster_key.h"
#include "support/check.h"
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

static const uint8_t key[SC_SEAL_KEY_SIZE] = {1, 2, 3};
static const uint8_t other_key[SC_SEAL_KEY_SIZE] = {3, 2, 1};

/** What one end of a wire has heard. */
typedef struct listener {
    atomic_uint count;
    atomic_uint nobody;
    atomic_uint empty_part;
    atomic_uint lost;
    atomic_uint found;
    atomic_uint given_up;
    pthread_mutex_t lock;
    size_t size;  ///< of the last message
    char last[256];
} listener;

static void hear(void *context, const void *bytes, size_t size)
{
    listener *l = context;
    pthread_mutex_lock(&l->lock);
    l->size = size;
    memcpy(l->last, bytes, size < sizeof l->last ? size : sizeof l->last);
    pthread_mutex_unlock(&l->lock);
    atomic_fetch_add(&l->count, 1);
}

static void hear_nobody(void *context, uint32_t part)
{
    listener *l = context;
    atomic_store(&l->empty_part, part);
    atomic_fetch_add(&l->nobody, 1);
}

static void hear_connected(void *context, bool is_connected)
{
    listener *l = context;
    atomic_fetch_add(is_connected ? &l->found : &l->lost, 1);
}

static void hear_given_up(void *context)
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

static sc_wire_options options_for(const char *const *url, listener *l)
{
    return (sc_wire_options){
        .servers = url,
        .server_count = 1,
        .cluster = "test",
        .client = "test_wire",
        .timeout_s = 10,
        .seal_key = key,
        .connected = l ? hear_connected : NULL,
        .given_up = l ? hear_given_up : NULL,
        .context = l,
    };
}

static sc_wire *open_wire(const sc_wire_options *options)
{
    sc_diag diag = {""};
    sc_wire *wire = NULL;
    CHECK_OK(sc_wire_new(options, &wire, &diag), &diag);
    CHECK_OK(sc_wire_begin(wire, &diag), &diag);
    return wire;
}

static sc_wire *open_to(const nats_server *server, listener *l)
{
    const char *url = server->url;
    const sc_wire_options options = options_for(&url, l);
    return open_wire(&options);
}

static void check_last(listener *l, const char *wanted, size_t size)
{
    pthread_mutex_lock(&l->lock);
    assert_int_equal(l->size, size);
    assert_memory_equal(l->last, wanted, size);
    pthread_mutex_unlock(&l->lock);
}

// --- What arrives --------------------------------------------------------------------------

static void test_each_kind_of_message_reaches_who_listens_to_it_and_nobody_else(void **state)
{
    const nats_server *server = *state;
    sc_wire *a = open_to(server, NULL);
    sc_wire *b = open_to(server, NULL);
    listener part;
    listener peer;
    listener beats;
    listener places;
    listener_init(&part);
    listener_init(&peer);
    listener_init(&beats);
    listener_init(&places);
    sc_wire_ear *ears[4];
    CHECK_OK(sc_wire_listen_part(b, 7, hear, &part, &ears[0], NULL), NULL);
    CHECK_OK(sc_wire_listen_peer(b, 0xabc, hear, &peer, &ears[1], NULL), NULL);
    CHECK_OK(sc_wire_listen_beats(b, hear, &beats, &ears[2], NULL), NULL);
    CHECK_OK(sc_wire_listen_placements(b, hear, &places, &ears[3], NULL), NULL);
    CHECK_OK(sc_wire_flush(b, 10), NULL);

    CHECK_OK(sc_wire_send_part(a, 7, 1, "seven", 5), NULL);
    CHECK_OK(sc_wire_send_part(a, 8, 1, "eight", 5), NULL);
    CHECK_OK(sc_wire_send_peer(a, 0xabc, "you", 3), NULL);
    CHECK_OK(sc_wire_send_peer(a, 0xabd, "other", 5), NULL);
    CHECK_OK(sc_wire_send_beat(a, "beat", 4), NULL);
    CHECK_OK(sc_wire_send_placement(a, "", 0), NULL);
    await_count(&places.count, 1);
    await_count(&part.count, 1);
    await_count(&peer.count, 1);
    await_count(&beats.count, 1);
    check_last(&part, "seven", 5);
    check_last(&peer, "you", 3);
    check_last(&beats, "beat", 4);
    check_last(&places, "", 0);

    const sc_wire_stats out = sc_wire_stats_of(a);
    const sc_wire_stats in = sc_wire_stats_of(b);
    assert_int_equal(out.messages_out, 6);
    assert_int_equal(out.unsent, 0);
    assert_int_equal(in.messages_in, 4);
    assert_true(in.bytes_in > 12 && in.bytes_in < out.bytes_out);
    assert_int_equal(in.unopened + in.overrun + in.reconnects, 0);
    assert_true(in.is_connected);

    // Who is deaf hears no more, while others still do.
    sc_wire_deafen(ears[0]);
    CHECK_OK(sc_wire_send_part(a, 7, 1, "again", 5), NULL);
    CHECK_OK(sc_wire_send_beat(a, "more", 4), NULL);
    await_count(&beats.count, 2);
    assert_int_equal(part.count, 1);
    sc_wire_free(a);
    sc_wire_free(b);  // with ears that nobody took off
}

static void test_a_long_message_arrives_as_it_was(void **state)
{
    sc_wire *wire = open_to(*state, NULL);
    listener l;
    listener_init(&l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_part(wire, 0, hear, &l, &ear, NULL), NULL);
    char *text = test_take(100000, 1);
    memset(text, 'x', 100000);
    CHECK_OK(sc_wire_send_part(wire, 0, 1, text, 100000), NULL);
    await_count(&l.count, 1);
    assert_int_equal(l.size, 100000);
    assert_memory_equal(l.last, text, sizeof l.last);
    free(text);
    sc_wire_free(wire);
}

static void test_what_another_key_has_sealed_is_not_opened_and_counted(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_wire *ours = open_to(server, NULL);
    sc_wire_options options = options_for(&url, NULL);
    options.seal_key = other_key;
    sc_wire *theirs = open_wire(&options);
    listener l;
    listener_init(&l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_beats(ours, hear, &l, &ear, NULL), NULL);
    CHECK_OK(sc_wire_flush(ours, 10), NULL);
    CHECK_OK(sc_wire_send_beat(theirs, "forged", 6), NULL);
    CHECK_OK(sc_wire_flush(theirs, 10), NULL);
    CHECK_OK(sc_wire_send_beat(ours, "true", 4), NULL);
    await_count(&l.count, 1);
    check_last(&l, "true", 4);
    assert_int_equal(sc_wire_stats_of(ours).unopened, 1);
    sc_wire_free(theirs);
    sc_wire_free(ours);
}

static void test_clusters_of_two_names_do_not_hear_each_other(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_wire *ours = open_to(server, NULL);
    sc_wire_options options = options_for(&url, NULL);
    options.cluster = "test2";
    sc_wire *theirs = open_wire(&options);
    listener l;
    listener_init(&l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_beats(ours, hear, &l, &ear, NULL), NULL);
    CHECK_OK(sc_wire_flush(ours, 10), NULL);
    CHECK_OK(sc_wire_send_beat(theirs, "theirs", 6), NULL);
    CHECK_OK(sc_wire_flush(theirs, 10), NULL);
    CHECK_OK(sc_wire_send_beat(ours, "ours", 4), NULL);
    await_count(&l.count, 1);
    check_last(&l, "ours", 4);
    assert_int_equal(sc_wire_stats_of(ours).unopened, 0);
    sc_wire_free(theirs);
    sc_wire_free(ours);
}

static void test_nats_says_which_part_nobody_has(void **state)
{
    sc_wire *wire = open_to(*state, NULL);
    listener l;
    listener_init(&l);
    sc_wire_ear *ear = NULL;
    sc_wire_ear *part = NULL;
    CHECK_OK(sc_wire_listen_void(wire, 0x11, hear_nobody, &l, &ear, NULL), NULL);
    CHECK_OK(sc_wire_listen_part(wire, 4, hear, &l, &part, NULL), NULL);
    CHECK_OK(sc_wire_send_part(wire, 4, 0x11, "to me", 5), NULL);
    CHECK_OK(sc_wire_send_part(wire, 4095, 0x11, "to nobody", 9), NULL);
    await_count(&l.nobody, 1);
    assert_int_equal(l.empty_part, 4095);
    await_count(&l.count, 1);
    sc_wire_deafen(part);
    CHECK_OK(sc_wire_send_part(wire, 4, 0x11, "too late", 8), NULL);
    await_count(&l.nobody, 2);
    assert_int_equal(l.empty_part, 4);
    sc_wire_free(wire);
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
    sc_wire *wire = open_to(*state, NULL);
    listener l;
    listener_init(&l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_part(wire, 0, hear, &l, &ear, NULL), NULL);
    CHECK_OK(sc_wire_send_part(wire, 0, 1, "hello", 5), NULL);
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
    sc_wire_free(wire);
}

// --- What is refused -----------------------------------------------------------------------

static void test_a_message_larger_than_the_server_takes_is_refused_and_counted(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){.max_payload = 1024});
    sc_wire *wire = open_to(&server, NULL);
    char bytes[1024] = {0};
    assert_int_equal(sc_wire_send_beat(wire, bytes, sizeof bytes), SC_ELIMIT);
    CHECK_OK(sc_wire_send_beat(wire, bytes, 900), NULL);
    const sc_wire_stats stats = sc_wire_stats_of(wire);
    assert_int_equal(stats.unsent, 1);
    assert_int_equal(stats.messages_out, 1);
    sc_wire_free(wire);
    nats_server_end(&server);
}

static void check_refused(const sc_wire_options *options, sc_err wanted, const char *words)
{
    sc_diag diag = {""};
    sc_wire *wire = NULL;
    sc_err err = sc_wire_new(options, &wire, &diag);
    // What can be seen without a server is seen without one.
    if (!err) assert_int_equal(wanted, SC_ENET);
    if (!err) err = sc_wire_begin(wire, &diag);
    CHECK_REFUSED(err, wanted, &diag, words);
    sc_wire_free(wire);
}

static void test_options_that_make_no_sense_are_refused(void **state)
{
    const nats_server *server = *state;
    const char *url = server->url;
    sc_wire_options options = options_for(&url, NULL);
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
    sc_wire_options options = options_for(&url, NULL);
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
    const sc_wire_options options = options_for(&url, NULL);
    sc_diag diag = {""};
    sc_wire *wire = NULL;
    CHECK_OK(sc_wire_new(&options, &wire, &diag), &diag);
    CHECK_REFUSED(sc_wire_begin(wire, &diag), SC_ENET, &diag, "is it running");
    assert_null(strstr(diag.message, "secret"));
    sc_wire_free(wire);
    nats_server_end(&server);
}

static void test_a_bad_password_is_refused_and_a_good_one_is_not(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){.user = "star", .password = "cloak"});
    const char *url = server.url;
    sc_wire_options options = options_for(&url, NULL);
    check_refused(&options, SC_ENET, "password");
    options.user = "star";
    options.password = "clock";
    check_refused(&options, SC_ENET, "password");
    options.password = "cloak";
    sc_wire_free(open_wire(&options));
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
    sc_wire_options options = options_for(&url, NULL);
    check_refused(&options, SC_ENET, "certificate");
    options.ca = made_authority_file(strangers);
    check_refused(&options, SC_ENET, "certificate");
    options.ca = made_authority_file(house);
    url = by_name;
    check_refused(&options, SC_ENET, "certificate");
    url = by_number;
    sc_wire *wire = open_wire(&options);
    listener l;
    listener_init(&l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_beats(wire, hear, &l, &ear, NULL), NULL);
    CHECK_OK(sc_wire_send_beat(wire, "hello", 5), NULL);
    await_count(&l.count, 1);
    sc_wire_free(wire);

    nats_server_end(&server);
    made_certificate_free(&made);
    made_authority_free(strangers);
    made_authority_free(house);
}

// --- Servers that go and come --------------------------------------------------------------

static void test_after_the_server_was_away_everything_is_heard_again(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){0});
    listener l;
    listener_init(&l);
    sc_wire *wire = open_to(&server, &l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_part(wire, 3, hear, &l, &ear, NULL), NULL);
    nats_server_kill(&server);
    await_count(&l.lost, 1);
    assert_false(sc_wire_stats_of(wire).is_connected);

    // What is said meanwhile waits.
    CHECK_OK(sc_wire_send_part(wire, 3, 1, "patience", 8), NULL);
    nats_server_again(&server);
    await_count(&l.found, 1);
    assert_true(sc_wire_stats_of(wire).is_connected);
    assert_int_equal(sc_wire_stats_of(wire).reconnects, 1);
    await_count(&l.count, 1);
    check_last(&l, "patience", 8);
    CHECK_OK(sc_wire_send_part(wire, 3, 1, "back", 4), NULL);
    await_count(&l.count, 2);
    check_last(&l, "back", 4);
    sc_wire_free(wire);
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
    sc_wire_options options = options_for(&url, &l);
    options.user = "star";
    options.password = "cloak";
    sc_wire *wire = open_wire(&options);
    nats_server_kill(&server);
    nats_server_change(&server, &(nats_manners){.user = "star", .password = "other"});
    nats_server_again(&server);
    await_count(&l.given_up, 1);
    assert_int_equal(l.lost, 1);
    assert_int_equal(l.found, 0);
    assert_false(sc_wire_stats_of(wire).is_connected);
    assert_int_equal(sc_wire_send_beat(wire, "beat", 4), SC_ENET);
    sc_wire_free(wire);
    assert_int_equal(l.given_up, 1);
    nats_server_end(&server);
}

static void test_a_wire_without_a_server_can_be_closed(void **state)
{
    (void)state;
    nats_server server;
    nats_server_begin(&server, &(nats_manners){0});
    listener l;
    listener_init(&l);
    sc_wire *wire = open_to(&server, &l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_beats(wire, hear, &l, &ear, NULL), NULL);
    nats_server_end(&server);
    await_count(&l.lost, 1);
    assert_int_equal(sc_wire_flush(wire, 0.05), SC_ENET);
    sc_wire_deafen(ear);
    sc_wire_free(wire);
}

static void test_three_servers_are_one_and_one_of_them_may_go(void **state)
{
    (void)state;
    nats_server servers[3];
    nats_servers_begin(servers, 3);
    listener l;
    listener_init(&l);
    sc_wire *speaker = open_to(&servers[2], NULL);
    sc_wire *wire = open_to(&servers[0], &l);
    sc_wire_ear *ear = NULL;
    CHECK_OK(sc_wire_listen_beats(wire, hear, &l, &ear, NULL), NULL);
    CHECK_OK(sc_wire_flush(wire, 10), NULL);
    for (int i = 0; i < PATIENCE && l.count == 0; i++) {
        CHECK_OK(sc_wire_send_beat(speaker, "across", 6), NULL);
        (void)poll(NULL, 0, 5);
    }
    assert_true(l.count > 0);

    // It knew of one server only; that one told it of the others.
    nats_server_kill(&servers[0]);
    await_count(&l.found, 1);
    const unsigned before = l.count;
    for (int i = 0; i < PATIENCE && l.count == before; i++) {
        CHECK_OK(sc_wire_send_beat(speaker, "still", 5), NULL);
        (void)poll(NULL, 0, 5);
    }
    assert_true(l.count > before);
    sc_wire_free(wire);
    sc_wire_free(speaker);
    for (size_t i = 0; i < 3; i++) {
        nats_server_end(&servers[i]);
    }
}

static int begin(void **state)
{
    nats_server *server = test_take(1, sizeof *server);
    nats_server_begin(server, &(nats_manners){0});
    *state = server;
    return 0;
}

static int end(void **state)
{
    nats_server_end(*state);
    free(*state);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_kind_of_message_reaches_who_listens_to_it_and_nobody_else),
    cmocka_unit_test(test_a_long_message_arrives_as_it_was),
    cmocka_unit_test(test_what_another_key_has_sealed_is_not_opened_and_counted),
    cmocka_unit_test(test_clusters_of_two_names_do_not_hear_each_other),
    cmocka_unit_test(test_nats_says_which_part_nobody_has),
    cmocka_unit_test(test_threads_of_the_library_take_no_signals),
    cmocka_unit_test(test_a_message_larger_than_the_server_takes_is_refused_and_counted),
    cmocka_unit_test(test_options_that_make_no_sense_are_refused),
    cmocka_unit_test(test_files_that_are_not_there_are_named),
    cmocka_unit_test(test_a_server_that_is_not_there_is_an_error_that_says_so),
    cmocka_unit_test(test_a_bad_password_is_refused_and_a_good_one_is_not),
    cmocka_unit_test(test_tls_needs_an_authority_that_we_trust_and_the_host_that_we_named),
    cmocka_unit_test(test_after_the_server_was_away_everything_is_heard_again),
    cmocka_unit_test(test_who_is_not_let_in_any_more_is_told_so),
    cmocka_unit_test(test_a_wire_without_a_server_can_be_closed),
    cmocka_unit_test(test_three_servers_are_one_and_one_of_them_may_go),
};
SC_SUITE_WITH(tests, begin, end)
