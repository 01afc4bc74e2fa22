// How much memory does OpenSSL take by itself for a connection that waits, and how much time does a
// handshake take, with and without a ticket of an earlier one?
//
// usage: bench_tls_memory CERTIFICATE KEY
//
// Clients and servers of TLS in one process, set up as src/service/server/http_tls.c does, without
// sockets: they shake hands, a ticket is sent, the server reads a request and has nothing more to
// read. What the servers' halves hold then is the least that a service with this library takes for
// a pending request, besides the request itself. Then handshakes alone, by the CPU time of the
// server's half: the first of a client, and those of one that comes back with its ticket.
#include "support/bench.h"

#include <malloc.h>
#include <math.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNECTIONS = 100, REQUEST_BYTES = 500, WIRE_BYTES = 40000 };

/** Before each piece: whether a server's half asked for it. As large as alignment needs. */
typedef struct mark {
    bool is_counted;
    max_align_t piece[];
} mark;

static bool is_counting;
static bool is_making;
static size_t held_bytes;
static size_t held_pieces;
static size_t largest;  ///< of those for an SSL when it is made: the SSL itself

/** What a piece takes of the heap if it stands there without its mark. */
static size_t taken(const mark *at)
{
    return malloc_usable_size((void *)(uintptr_t)at) + sizeof(size_t) - sizeof *at;
}

static void count_in(mark *at, size_t size)
{
    at->is_counted = is_counting;
    if (!is_counting) return;
    held_bytes += taken(at);
    held_pieces++;
    if (is_making && size > largest) largest = size;
}

static void count_out(const mark *at)
{
    if (!at->is_counted) return;
    held_bytes -= taken(at);
    held_pieces--;
}

static mark *mark_of(void *piece)
{
    return (mark *)(void *)((char *)piece - offsetof(mark, piece));
}

static void *take(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    mark *at = size > 0 ? malloc(sizeof *at + size) : NULL;
    if (!at) return NULL;
    count_in(at, size);
    return at->piece;
}

static void give(void *piece, const char *file, int line)
{
    (void)file;
    (void)line;
    if (!piece) return;
    count_out(mark_of(piece));
    free(mark_of(piece));
}

static void *take_again(void *piece, size_t size, const char *file, int line)
{
    if (!piece) return take(size, file, line);
    mark *at = mark_of(piece);
    count_out(at);
    const bool was_counted = at->is_counted;
    mark *moved = realloc(at, sizeof *at + size);
    if (!moved) return NULL;
    const bool is_now = is_counting;
    is_counting = was_counted;
    count_in(moved, size);
    is_counting = is_now;
    return moved->piece;
}

static SSL_CTX *new_server(const char *certificate, const char *key)
{
    SSL_CTX *server = SSL_CTX_new(TLS_server_method());
    if (!server || SSL_CTX_use_certificate_chain_file(server, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(server, key, SSL_FILETYPE_PEM) != 1) {
        bench_die(certificate, "cannot use it with this key");
    }
    SSL_CTX_set_options(server,
                        SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CLEANSE_PLAINTEXT);
    SSL_CTX_set_mode(server, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(server, 1);
    SSL_CTX_set_session_cache_mode(server, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(server, 1);
    return server;
}

/** A connection that has read a request; its server's half is counted. */
static void connect_one(SSL_CTX *server, SSL_CTX *client)
{
    SSL *asks = SSL_new(client);
    BIO *near = NULL;
    BIO *far = NULL;
    if (!asks || BIO_new_bio_pair(&near, WIRE_BYTES, &far, WIRE_BYTES) != 1) {
        bench_die("connection", "out of memory");
    }
    SSL_set_bio(asks, near, near);
    SSL_set_connect_state(asks);
    is_counting = true;
    is_making = true;
    SSL *answers = SSL_new(server);
    is_making = false;
    if (!answers) bench_die("connection", "out of memory");
    SSL_set_bio(answers, far, far);
    SSL_set_accept_state(answers);
    for (int turns = 0; !SSL_is_init_finished(asks) || !SSL_is_init_finished(answers); turns++) {
        if (turns == 10) bench_die("connection", "the handshake does not end");
        is_counting = false;
        (void)SSL_do_handshake(asks);
        is_counting = true;
        (void)SSL_do_handshake(answers);
    }
    is_counting = false;
    char request[REQUEST_BYTES] = {'G'};
    if (SSL_write(asks, request, sizeof request) != (int)sizeof request) {
        bench_die("connection", "cannot ask");
    }
    is_counting = true;
    const bool is_whole = SSL_read(answers, request, sizeof request) == (int)sizeof request;
    if (!is_whole || SSL_read(answers, request, sizeof request) > 0) {
        bench_die("connection", "the request does not arrive as it was sent");
    }
    is_counting = false;
    if (SSL_version(answers) != TLS1_3_VERSION) bench_die("connection", "it is not TLS 1.3");
}

// --- Handshakes -------------------------------------------------------------------------------

static SSL_SESSION *last_session;  ///< what the client got last; its own reference

static int keep_session(SSL *ssl, SSL_SESSION *session)
{
    (void)ssl;
    SSL_SESSION_free(last_session);
    last_session = session;
    return 1;  // it is ours now
}

/** The CPU seconds of the server's half of one handshake, its ticket included. */
static double shake_hands(SSL_CTX *server, SSL_CTX *client, bool is_back)
{
    SSL *asks = SSL_new(client);
    SSL *answers = SSL_new(server);
    BIO *near = NULL;
    BIO *far = NULL;
    if (!asks || !answers || BIO_new_bio_pair(&near, WIRE_BYTES, &far, WIRE_BYTES) != 1) {
        bench_die("connection", "out of memory");
    }
    SSL_set_bio(asks, near, near);
    SSL_set_bio(answers, far, far);
    SSL_set_connect_state(asks);
    SSL_set_accept_state(answers);
    if (is_back && SSL_set_session(asks, last_session) != 1) bench_die("ticket", "is not taken");
    double spent_s = 0.0;
    for (int turns = 0; !SSL_is_init_finished(asks) || !SSL_is_init_finished(answers); turns++) {
        if (turns == 10) bench_die("connection", "the handshake does not end");
        (void)SSL_do_handshake(asks);
        const double before_s = bench_cpu_s();
        (void)SSL_do_handshake(answers);
        spent_s += bench_cpu_s() - before_s;
    }
    char nothing;
    (void)SSL_read(asks, &nothing, 1);  // the ticket
    if ((SSL_session_reused(answers) == 1) != is_back) bench_die("ticket", "is of no use");
    // A session whose connection breaks off is not used again.
    SSL_set_shutdown(asks, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_set_shutdown(answers, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(asks);
    SSL_free(answers);
    return spent_s;
}

/** The least of several, in turn with those of the other sort. */
static void time_handshakes(SSL_CTX *server, SSL_CTX *client)
{
    enum { TIMES = 300 };
    double least_s[2] = {HUGE_VAL, HUGE_VAL};
    SSL_CTX_set_session_cache_mode(client, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(client, keep_session);
    for (int i = 0; i < 2 * TIMES; i++) {
        const bool is_back = i % 2 == 1;
        least_s[is_back] = fmin(least_s[is_back], shake_hands(server, client, is_back));
    }
    SSL_SESSION_free(last_session);
    printf("a handshake takes the server %.0f us, with a ticket %.0f us\n", 1e6 * least_s[0],
           1e6 * least_s[1]);
}

int main(int argc, char **argv)
{
    if (argc != 3) bench_die("usage", "bench_tls_memory CERTIFICATE KEY");
    if (CRYPTO_set_mem_functions(take, take_again, give) != 1) {
        bench_die("OpenSSL", "has taken memory already");
    }
    SSL_CTX *server = new_server(argv[1], argv[2]);
    SSL_CTX *client = SSL_CTX_new(TLS_client_method());
    if (!client) bench_die("client", "out of memory");
    connect_one(server, client);  // what is made once and kept
    held_bytes = 0;
    held_pieces = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        connect_one(server, client);
    }
    printf("%s alone: %zu bytes per connection at rest, in %zu pieces; its SSL is %zu\n",
           OpenSSL_version(OPENSSL_VERSION_STRING), held_bytes / CONNECTIONS,
           held_pieces / CONNECTIONS, largest);
    time_handshakes(server, client);
    return 0;
}
