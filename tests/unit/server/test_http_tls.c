// TLS over real sockets, with certificates made here: what is served, what is refused, renewal
// while connections are open, and clients that vanish in the middle of it.
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"
#include "support/made_certificates.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

/** An authority, a server's certificate, and a client that trusts them. */
typedef struct scene {
    made_authority *authority;
    made_certificate server;
    SSL_CTX *client;
    fixture *fixture;
} scene;

static SSL_CTX *trusting(const char *authority)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    assert_non_null(context);
    assert_int_equal(SSL_CTX_load_verify_file(context, authority), 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    return context;
}

static sc_http_options options_of(const scene *s)
{
    sc_http_options options = server_options();
    options.tls.certificate = s->server.certificate;
    options.tls.key = s->server.key;
    return options;
}

/** Without the fixture. */
static scene *scene_new(void)
{
    scene *s = test_take(1, sizeof *s);
    s->authority = made_authority_new("Test Authority");
    s->server = made_certificate_new(s->authority, "one.example");
    s->client = trusting(made_authority_file(s->authority));
    return s;
}

static int set_scene(void **state)
{
    scene *s = scene_new();
    const sc_http_options options = options_of(s);
    s->fixture = server_start(&options);
    *state = s;
    return 0;
}

static int clear_scene(void **state)
{
    scene *s = *state;
    server_await_idle(s->fixture);
    server_stop(s->fixture);
    SSL_CTX_free(s->client);
    made_certificate_free(&s->server);
    made_authority_free(s->authority);
    free(s);
    ERR_clear_error();
    return 0;
}

static caller dial(const scene *s)
{
    caller c = caller_dial(server_address(s->fixture));
    assert_true(caller_secure(&c, s->client));
    return c;
}

static bool can_shake_hands(const scene *s, SSL_CTX *client)
{
    caller c = caller_dial(server_address(s->fixture));
    // With TLS 1.3 a client learns only from the first reply that it was not let in.
    const bool can = caller_secure(&c, client) &&
                     SSL_write(c.ssl, GET("/now"), sizeof GET("/now") - 1) > 0 &&
                     SSL_read(c.ssl, (char[16]){0}, 16) > 0;
    caller_hang_up(&c);
    return can;
}

static void check_name(const caller *c, const char *wanted)
{
    char name[64] = "";
    X509 *certificate = SSL_get1_peer_certificate(c->ssl);
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof name);
    X509_free(certificate);
    assert_string_equal(name, wanted);
}

static void await_handshake_failures(const fixture *h, uint64_t wanted)
{
    for (int ms = 0; ms < 60000; ms++) {
        if (sc_http_stats_of(server_http(h)).handshake_failures >= wanted) break;
        usleep(1000);
    }
    assert_int_equal(sc_http_stats_of(server_http(h)).handshake_failures, wanted);
}

// --- Serving -------------------------------------------------------------------------------------

static void test_all_kinds_of_replies_come_over_tls(void **state)
{
    const scene *s = *state;
    caller c = dial(s);
    check_name(&c, "one.example");
    for (int i = 0; i < 10; i++) {
        assert_string_equal(caller_ask(&c, GET("/now")), "hello");
        assert_string_equal(caller_ask(&c, GET("/later")), "at last");
        assert_string_equal(caller_ask(&c, GET("/stream")), "one,two,three");
    }
    caller_ask(&c, GET("/big"));
    assert_int_equal(c.body_size, SERVER_BIG);
    assert_string_equal(
        caller_ask(&c, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"), "body");
    caller_send(&c, GET("/later") GET("/now") GET("/stream"));
    assert_string_equal(caller_receive(&c), "at last");
    assert_string_equal(caller_receive(&c), "hello");
    assert_string_equal(caller_receive(&c), "one,two,three");
    caller_hang_up(&c);
}

static void test_the_end_of_a_connection_is_announced(void **state)
{
    caller c = dial(*state);
    caller_ask(&c, "GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_true(caller_is_left(&c));
    assert_true(SSL_get_shutdown(c.ssl) & SSL_RECEIVED_SHUTDOWN);
    caller_hang_up(&c);
}

static void test_refusals_come_over_tls_too(void **state)
{
    const scene *s = *state;
    caller c = dial(s);
    assert_string_equal(caller_ask(&c, "nonsense\r\n\r\n"), "{\"status\":400}");
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
    c = dial(s);
    caller_ask(&c, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
    assert_int_equal(c.status, 413);
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
    assert_int_equal(sc_http_stats_of(server_http(s->fixture)).handshake_failures, 0);
}

static void test_old_protocols_and_weak_ciphers_are_refused(void **state)
{
    const scene *s = *state;
    SSL_CTX *client = trusting(made_authority_file(s->authority));
    SSL_CTX_set_security_level(client, 0);
    SSL_CTX_set_max_proto_version(client, TLS1_2_VERSION);
    assert_true(can_shake_hands(s, client));
    assert_int_equal(SSL_CTX_set_cipher_list(client, "ECDHE+AES+SHA256:ECDHE+AES+SHA1"), 1);
    assert_false(can_shake_hands(s, client));  // not authenticated encryption
    assert_int_equal(SSL_CTX_set_cipher_list(client, "ALL@SECLEVEL=0"), 1);
    SSL_CTX_set_max_proto_version(client, TLS1_1_VERSION);
    assert_false(can_shake_hands(s, client));
    SSL_CTX_free(client);
    await_handshake_failures(s->fixture, 2);
}

static void test_the_protocol_is_agreed_upon_or_refused(void **state)
{
    const scene *s = *state;
    SSL_CTX *client = trusting(made_authority_file(s->authority));
    assert_int_equal(
        SSL_CTX_set_alpn_protos(client, (const unsigned char *)"\x02h2\x08http/1.1", 12), 0);
    caller c = caller_dial(server_address(s->fixture));
    assert_true(caller_secure(&c, client));
    const unsigned char *chosen = NULL;
    unsigned size = 0;
    SSL_get0_alpn_selected(c.ssl, &chosen, &size);
    assert_int_equal(size, 2);
    assert_memory_equal(chosen, "h2", 2);
    caller_hang_up(&c);
    assert_int_equal(SSL_CTX_set_alpn_protos(client, (const unsigned char *)"\x08http/1.1", 9), 0);
    assert_true(can_shake_hands(s, client));
    assert_int_equal(SSL_CTX_set_alpn_protos(client, (const unsigned char *)"\003ftp", 4), 0);
    assert_false(can_shake_hands(s, client));
    SSL_CTX_free(client);
}

static void test_a_client_without_tls_is_turned_away(void **state)
{
    const scene *s = *state;
    caller c = caller_dial(server_address(s->fixture));
    caller_send(&c, GET("/now"));
    caller_is_left(&c);
    assert_null(c.bytes && c.count > 5 ? strstr(c.bytes, "HTTP") : NULL);
    caller_hang_up(&c);
    await_handshake_failures(s->fixture, 1);
    assert_int_equal(sc_http_stats_of(server_http(s->fixture)).requests, 0);
}

// --- Client certificates -------------------------------------------------------------------------

static void test_clients_must_show_a_certificate_if_asked_for_one(void **state)
{
    scene *s = scene_new();
    made_authority *other = made_authority_new("Another Authority");
    made_certificate known = made_certificate_new(s->authority, "known.example");
    made_certificate stranger = made_certificate_new(other, "stranger.example");
    sc_http_options options = options_of(s);
    options.tls.client_ca = made_authority_file(s->authority);
    s->fixture = server_start(&options);

    assert_false(can_shake_hands(s, s->client));
    SSL_CTX_use_certificate_file(s->client, stranger.certificate, SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(s->client, stranger.key, SSL_FILETYPE_PEM);
    assert_false(can_shake_hands(s, s->client));
    SSL_CTX_use_certificate_file(s->client, known.certificate, SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(s->client, known.key, SSL_FILETYPE_PEM);
    assert_true(can_shake_hands(s, s->client));
    assert_int_equal(sc_http_stats_of(server_http(s->fixture)).requests, 1);
    made_certificate_free(&known);
    made_certificate_free(&stranger);
    made_authority_free(other);
    *state = s;
    clear_scene(state);
}

// --- Renewal -------------------------------------------------------------------------------------

static void test_renewed_certificates_are_for_new_connections(void **state)
{
    scene *s = *state;
    sc_diag diag = {""};
    caller old = dial(s);
    caller_send(&old, GET("/hold"));
    server_await(s->fixture, server_held, 1);
    made_certificate_renew(&s->server, s->authority, "two.example");
    caller before = dial(s);
    check_name(&before, "one.example");
    CHECK_OK(sc_http_reload_tls(server_http(s->fixture), &diag), &diag);
    caller renewed = dial(s);
    check_name(&renewed, "two.example");
    assert_string_equal(caller_ask(&renewed, GET("/now")), "hello");
    assert_string_equal(caller_ask(&before, GET("/now")), "hello");
    server_release(s->fixture);
    assert_string_equal(caller_receive(&old), "released");
    caller_hang_up(&old);
    caller_hang_up(&before);
    caller_hang_up(&renewed);
}

static void spoil(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("not a certificate\n", file);
    fclose(file);
}

static void test_a_renewal_that_fails_leaves_everything_as_it_was(void **state)
{
    scene *s = *state;
    sc_diag diag = {""};
    sc_http *http = server_http(s->fixture);
    made_certificate other = made_certificate_new(s->authority, "other.example");
    assert_int_equal(rename(other.key, s->server.key), 0);
    CHECK_REFUSED(sc_http_reload_tls(http, &diag), SC_EIO, &diag, "give the PEM file of the");
    spoil(s->server.certificate);
    CHECK_REFUSED(sc_http_reload_tls(http, &diag), SC_EIO, &diag, s->server.certificate);
    assert_int_equal(unlink(s->server.certificate), 0);
    CHECK_REFUSED(sc_http_reload_tls(http, &diag), SC_EIO, &diag, "No such file");
    caller c = dial(s);
    check_name(&c, "one.example");
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
    made_certificate_free(&other);
}

static void test_files_that_cannot_be_used_are_refused_at_the_start(void **state)
{
    const scene *s = *state;
    sc_http *http = NULL;
    sc_diag diag = {""};
    sc_http_options options = options_of(s);
    options.tls.client_ca = "/no/such/authorities.pem";
    CHECK_REFUSED(sc_http_new(&options, &http, &diag), SC_EIO, &diag, "/no/such/authorities.pem");
    options = options_of(s);
    options.tls.key = s->server.certificate;
    assert_int_equal(chmod(s->server.certificate, S_IRUSR | S_IRGRP), 0);
    CHECK_REFUSED(sc_http_new(&options, &http, &diag), SC_EIO, &diag, "without a passphrase");
    options = options_of(s);
    static const mode_t forbidden[] = {S_IROTH, S_IWOTH, S_IWGRP};
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        assert_int_equal(chmod(s->server.key, S_IRUSR | forbidden[i]), 0);
        CHECK_REFUSED(sc_http_new(&options, &http, &diag), SC_EIO, &diag, "private key (mode 04");
    }
    assert_int_equal(chmod(s->server.key, S_IRUSR), 0);
    assert_null(http);
}

// --- Clients that go, or are slow ----------------------------------------------------------------

static void close_one_side(caller *c)
{
    shutdown(c->fd, SHUT_WR);
}

static void test_a_client_that_leaves_is_noticed_over_tls(void **state)
{
    const scene *s = *state;
    static void (*const leave[])(caller * c) = {caller_hang_up, caller_slam, close_one_side};
    for (unsigned i = 0; i < 5; i++) {
        caller c = dial(s);
        caller_send(&c, i < 2 ? GET("/hold") : GET("/listen") GET("/now"));
        server_await(s->fixture, server_held, i + 1);
        leave[i < 2 ? i : i - 2](&c);
        server_await(s->fixture, server_gone, i + 1);
        if (c.fd >= 0) caller_hang_up(&c);
    }
    assert_int_equal(sc_http_stats_of(server_http(s->fixture)).gone, 5);
}

static void test_a_client_that_only_ends_its_own_sending_gets_its_reply_over_tls(void **state)
{
    const scene *s = *state;
    caller c = dial(s);
    caller_send(&c, GET("/hold"));
    server_await(s->fixture, server_held, 1);
    close_one_side(&c);
    server_release(s->fixture);
    caller_receive(&c);
    if (c.status == 100) caller_receive(&c);
    assert_string_equal(c.body, "released");
    assert_int_equal(server_gone(s->fixture), 0);
    caller_hang_up(&c);
}

// The bytes of a client, cut at many places.
static void test_clients_vanish_at_every_stage_of_tls(void **state)
{
    const scene *s = *state;
    for (int i = 0; i < 40; i++) {
        caller c = caller_dial(server_address(s->fixture));
        BIO *wire_in = BIO_new(BIO_s_mem());
        BIO *wire_out = BIO_new(BIO_s_mem());
        SSL *ssl = SSL_new(s->client);
        SSL_set_bio(ssl, wire_in, wire_out);
        SSL_connect(ssl);
        char hello[4096];
        const int size = BIO_read(wire_out, hello, sizeof hello);
        assert_true(size > 40);
        caller_send_bytes(&c, hello, (size_t)(size * i / 39));
        if (i % 2) usleep(500);
        SSL_free(ssl);
        (i % 3 == 0 ? caller_slam : caller_hang_up)(&c);
    }
    for (int i = 0; i < 12; i++) {
        static const char *const requests[] = {GET("/big"), GET("/flood"), GET("/later"), "GET /"};
        caller c = dial(s);
        caller_send(&c, requests[i % 4]);
        if (i % 2) usleep(500);
        (i % 3 == 0 ? caller_slam : caller_hang_up)(&c);
    }
    server_await_idle(s->fixture);
    caller c = dial(s);
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

/** A client that asks half a second after the handshake. On a busy machine the handshake itself may
 * take too long, and then there is another. */
static caller dial_and_rest(const scene *s)
{
    for (int tries = 0; tries < 50; tries++) {
        caller c = caller_dial(server_address(s->fixture));
        const unsigned before = server_requests(s->fixture);
        if (caller_secure(&c, s->client)) {
            usleep(500000);
            caller_send(&c, GET("/now"));
            while (server_requests(s->fixture) == before && SSL_peek(c.ssl, (char[1]){0}, 1) > 0) {
            }
            if (server_requests(s->fixture) > before) return c;
        }
        caller_hang_up(&c);
    }
    fail_msg("no handshake was done in time");
    return (caller){.fd = -1};
}

static void test_a_handshake_that_does_not_end_is_cut_off(void **state)
{
    scene *s = scene_new();
    sc_http_options options = options_of(s);
    options.request_timeout_s = 0.2;
    s->fixture = server_start(&options);
    caller silent = caller_dial(server_address(s->fixture));
    caller dripping = caller_dial(server_address(s->fixture));
    caller_send(&dripping, "\x16\x03\x01\x02");
    assert_true(caller_is_left(&silent));
    caller_is_left(&dripping);
    await_handshake_failures(s->fixture, 2);
    // Once the handshake is done, the connection may be idle for longer than that.
    caller idle = dial_and_rest(s);
    assert_string_equal(caller_receive(&idle), "hello");
    caller_send(&idle, "GET /now HT");
    caller_receive(&idle);
    assert_int_equal(idle.status, 408);
    caller_hang_up(&silent);
    caller_hang_up(&dripping);
    caller_hang_up(&idle);
    *state = s;
    clear_scene(state);
}

// Beginning a handshake costs nothing, so those that do not end it get no place of others.
static void test_handshakes_that_do_not_end_make_room(void **state)
{
    enum { MOST = 8, STRANGERS = 40 };
    scene *s = scene_new();
    sc_http_options options = options_of(s);
    options.max_connections = MOST;
    s->fixture = server_start(&options);
    caller honest = dial(s);
    assert_string_equal(caller_ask(&honest, GET("/now")), "hello");
    caller strangers[STRANGERS];
    for (int i = 0; i < STRANGERS; i++) {
        strangers[i] = caller_dial(server_address(s->fixture));
        caller_send(&strangers[i], "\x16\x03\x01\x02");
    }
    await_handshake_failures(s->fixture, STRANGERS - (MOST - 1));
    assert_string_equal(caller_ask(&honest, GET("/now")), "hello");
    caller another = dial(s);
    assert_string_equal(caller_ask(&another, GET("/now")), "hello");
    const sc_http_stats stats = sc_http_stats_of(server_http(s->fixture));
    assert_int_equal(stats.full, 0);
    assert_int_equal(stats.evicted, STRANGERS - (MOST - 1) + 1);
    assert_int_equal(stats.connections, MOST);
    for (int i = 0; i < STRANGERS; i++) {
        caller_hang_up(&strangers[i]);
    }
    caller_hang_up(&honest);
    caller_hang_up(&another);
    *state = s;
    clear_scene(state);
}

static void test_files_that_do_not_go_together_are_found_before_they_are_used(void **state)
{
    (void)state;
    scene *s = scene_new();
    const made_certificate other = made_certificate_new(s->authority, "two.example");
    const place files = place_new();
    const struct {
        sc_tls_files files;
        const char *why;
    } cases[] = {
        {{.certificate = NULL}, NULL},
        {{.client_ca = made_authority_file(s->authority)}, NULL},
        {{.certificate = s->server.certificate, .key = s->server.key}, NULL},
        {{.certificate = s->server.certificate,
          .key = s->server.key,
          .client_ca = made_authority_file(s->authority)},
         NULL},
        {{.certificate = s->server.certificate, .key = other.key}, "cannot use this key"},
        {{.certificate = s->server.key, .key = s->server.key}, "cannot use this certificate"},
        {{.client_ca = place_write_text(&files, "ca.pem", "no PEM")}, "list of authorities"},
        {{.client_ca = place_path(&files, "nowhere.pem")}, "nowhere.pem"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_diag diag = {""};
        const sc_err err = sc_http_tls_check(&cases[i].files, &diag);
        if (cases[i].why) {
            CHECK_REFUSED(err, SC_EIO, &diag, cases[i].why);
        } else {
            CHECK_OK(err, &diag);
        }
    }
    made_certificate unused = other;
    made_certificate_free(&unused);
    place_free(&files);
    SSL_CTX_free(s->client);
    made_certificate_free(&s->server);
    made_authority_free(s->authority);
    free(s);
}

#define IN_A_SCENE(test) cmocka_unit_test_setup_teardown(test, set_scene, clear_scene)

// The clients' side of TLS writes to connections that are closed.
static int ignore_broken_pipes(void **state)
{
    (void)state;
    return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -1 : 0;
}

static const struct CMUnitTest tests[] = {
    IN_A_SCENE(test_all_kinds_of_replies_come_over_tls),
    IN_A_SCENE(test_the_end_of_a_connection_is_announced),
    IN_A_SCENE(test_refusals_come_over_tls_too),
    IN_A_SCENE(test_old_protocols_and_weak_ciphers_are_refused),
    IN_A_SCENE(test_the_protocol_is_agreed_upon_or_refused),
    IN_A_SCENE(test_a_client_without_tls_is_turned_away),
    cmocka_unit_test(test_clients_must_show_a_certificate_if_asked_for_one),
    IN_A_SCENE(test_renewed_certificates_are_for_new_connections),
    IN_A_SCENE(test_a_renewal_that_fails_leaves_everything_as_it_was),
    IN_A_SCENE(test_files_that_cannot_be_used_are_refused_at_the_start),
    IN_A_SCENE(test_a_client_that_leaves_is_noticed_over_tls),
    IN_A_SCENE(test_a_client_that_only_ends_its_own_sending_gets_its_reply_over_tls),
    IN_A_SCENE(test_clients_vanish_at_every_stage_of_tls),
    cmocka_unit_test(test_files_that_do_not_go_together_are_found_before_they_are_used),
    cmocka_unit_test(test_a_handshake_that_does_not_end_is_cut_off),
    cmocka_unit_test(test_handshakes_that_do_not_end_make_room),
};
SC_SUITE_WITH(tests, ignore_broken_pipes, NULL)
