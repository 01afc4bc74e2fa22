/**
 * @file http_internal.h
 * @brief What the files of this folder share: the server, its loops, and a connection's life.
 *
 * libevent's HTTP server (2.1) reads requests and keeps connections; all else is ours, because it
 * has no limit of connections, no time limit that a slow client cannot stretch, pages of its own
 * for errors, and no hook for any of these. Our hold on a connection is its *bufferevent*, which
 * we make: its buffers call us for the first byte of a request and for whatever libevent
 * writes by itself.
 *
 * A connection is always in exactly one stage, and in the list of that stage:
 *
 *     NEWBORN -> IDLE | SECURING | READING  adopted, once libevent has made its part of it; READING
 *                                           is then for the header of a proxy
 *     SECURING -> IDLE                      the handshake of TLS is done
 *     IDLE -> READING                       the first byte of a request
 *     READING -> WAITING                    the request is whole, the handler has it
 *     WAITING <-> WRITING                   a reply or a piece of a stream is being taken
 *     WAITING | WRITING -> IDLE | READING   answered; what was sent ahead is read now
 *     READING -> REFUSED -> LINGERING       our own reply; then what still comes is thrown away
 *     any -> DOOMED                         closed as soon as the callback at work has returned
 *
 * Invariants:
 *  1. Lists are in the order of entering, and a stage has one time limit: the head expires first.
 *  2. From the moment a request is whole until it is answered, all callbacks of the bufferevent are
 *     ours. (libevent's would end the process on bytes that come in then, and would take the
 *     request away from the handler when the connection breaks.)
 *  3. A connection ends in one place, on_close(), called by evhttp_connection_free(); there a
 *     `gone` of a request that is still open is called.
 *  4. Everything of a loop is touched by its thread only, but for what is atomic.
 */
#ifndef SC_HTTP_HTTP_INTERNAL_H
#define SC_HTTP_HTTP_INTERNAL_H

#include "server/http.h"
#include "server/rate_limit.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
    SC__HTTP_MAX_LOOPS = 64,
    SC__HTTP_PEER_KEY_BYTES = 16,
    SC__HTTP_DATE_ROOM = 32,
    SC__HTTP_PIECE = 65536,  ///< of a large reply; and what a client must take in `write_timeout_s`
    SC__HTTP_RESERVE = 32,   ///< connections beyond all places, to ask how the service is
};

typedef struct sc__http_loop sc__http_loop;
typedef struct sc__http_connection sc__http_connection;
typedef struct sc__http_tls sc__http_tls;
typedef struct sc__http_admission sc__http_admission;
typedef struct sc__http_address sc__http_address;
typedef struct sc__http_proxies sc__http_proxies;
typedef struct sc__http_proxy_header sc__http_proxy_header;

// --- A connection ------------------------------------------------------------------------------

typedef enum sc__http_stage {
    SC__HTTP_NEWBORN,
    SC__HTTP_SECURING,
    SC__HTTP_IDLE,
    SC__HTTP_READING,
    SC__HTTP_WAITING,
    SC__HTTP_WRITING,
    SC__HTTP_REFUSED,
    SC__HTTP_LINGERING,
    SC__HTTP_DOOMED,
    SC__HTTP_STAGES,
} sc__http_stage;

/** Where in a request the bytes are that come next (http_framing.c). */
typedef enum sc__http_framing_state {
    SC__HTTP_AT_START,
    SC__HTTP_IN_HEAD,
    SC__HTTP_IN_BODY,
    SC__HTTP_IN_CHUNK_SIZE,
    SC__HTTP_IN_CHUNK,
    SC__HTTP_AFTER_CHUNK,
    SC__HTTP_IN_TRAILERS,
} sc__http_framing_state;

typedef struct sc__http_framing {
    sc__http_framing_state state;
    bool has_cr;      ///< the last byte was CR
    bool is_chunked;  ///< the body
    uint8_t line_size;
    char line[48];  ///< as much of the line as is of interest
    uint64_t left;  ///< bytes of the body, or of the chunk
} sc__http_framing;

/** The request at hand; a connection has one at a time, so it lies within it. */
struct sc_http_request {
    struct evhttp_request *event;  ///< libevent's part; NULL between requests
    void (*gone)(void *context);
    void *gone_context;
    char *decoded;    ///< the path, if it had to be decoded
    bool is_open;     ///< the handler owes an answer
    bool is_stream;   ///< begun, not ended
    bool is_chunked;  ///< how the pieces of the stream are sent
    bool keeps_alive;
};

struct sc__http_connection {
    TAILQ_ENTRY(sc__http_connection) link;  ///< in the list of its stage
    sc__http_loop *loop;
    struct evhttp_connection *event;  ///< libevent's part; NULL for a newborn
    struct bufferevent *stream;
    int fd;  ///< -1 for a newborn
    sc__http_stage stage;
    int64_t since_us;  ///< when it entered its stage
    sc__http_framing framing;
    bool is_malformed;      ///< something came that is not plain HTTP: the next request is refused
    size_t received;        ///< bytes since the first of the request that is being read
    uint64_t sent;          ///< bytes that the socket took since the connection began
    uint64_t acknowledged;  ///< of these, when it was last looked at
    int64_t progress_us;    ///< when enough of them had been acknowledged last
    const char *rest;       ///< of a large reply, in memory that stays; the next pieces of it
    size_t rest_size;
    TAILQ_ENTRY(sc__http_connection) half_link;  ///< among those whose peer sends no more
    bool is_half_closed;
    TAILQ_ENTRY(sc__http_connection) paced_link;  ///< among those that wait to send on
    bool is_paced;
    int refusal;    ///< status, in stage REFUSED
    bool is_admin;  ///< came in where operators do
    bool is_tls;
    bool is_secured;                ///< the handshake is done
    bool is_local;                  ///< the peer is this machine
    uint64_t peer;                  ///< see sc_http_request_peer()
    sc__http_proxy_header *header;  ///< of a proxy, which has not come as a whole; NULL: none
    // http_admission.c only:
    sc__http_address *address;                      ///< NULL until it is admitted
    TAILQ_ENTRY(sc__http_connection) idle_link;     ///< among the idle ones of its address
    TAILQ_ENTRY(sc__http_connection) reserve_link;  ///< in the reserve of its loop
    bool is_idle_listed;
    bool is_reserve;
    bool has_place;
    bool is_counted_admin;
    sc_http_request request;
};

TAILQ_HEAD(sc__http_connections, sc__http_connection);

static inline sc__http_connection *sc__http_connection_of(const sc_http_request *request)
{
    return (sc__http_connection *)((char *)request - offsetof(sc__http_connection, request));
}

// --- A loop ------------------------------------------------------------------------------------

/** Why a loop does not accept; it does when there is no reason left. */
enum {
    SC__HTTP_STARVED = 1,  ///< no descriptor, or no memory, for another
    SC__HTTP_CLOSED = 2,   ///< for good
};

/** Something that was asked to be called: for a descriptor, or every some seconds. */
typedef struct sc__http_call {
    sc__http_loop *loop;
    int fd;          ///< -1: by time
    double seconds;  ///< 0: by descriptor
    void (*call)(void *context, unsigned loop);
    void *context;
    struct event *event;
} sc__http_call;

/** Where connections come in: for clients, or for operators. */
typedef struct sc__http_door {
    sc__http_loop *loop;
    bool is_admin;
    struct evhttp *evhttp;
} sc__http_door;

enum { SC__HTTP_PUBLIC, SC__HTTP_ADMIN, SC__HTTP_DOORS };

typedef struct sc__http_listener {
    struct evhttp_bound_socket *bound;
    struct evconnlistener *listener;
} sc__http_listener;

struct sc__http_loop {
    // Read-only once started.
    sc_http *http;
    unsigned index;
    int wake_fd;  ///< an eventfd by which any thread wakes the loop
    pthread_t thread;
    bool has_thread;

    // The thread that starts and stops; the loop's thread until it is ready.
    int *sockets;  ///< to listen at, of this loop alone
    size_t socket_count;
    size_t public_count;  ///< so many of them, the first, are for clients; the rest for operators
    bool has_own_table;   ///< of descriptors
    sc_err trouble;       ///< why it could not start

    // The loop's thread only.
    struct event_base *base;
    sc__http_door doors[SC__HTTP_DOORS];
    struct event *wake_event;
    struct event *sweep_event;
    struct event *tidy_event;   ///< activated by hand: newborn, refused and doomed connections
    struct event *retry_event;  ///< accepting again after a shortage
    struct event *pace_event;   ///< large replies go on
    sc__http_listener *listeners;
    size_t listener_count;
    unsigned pauses;  ///< reasons not to accept
    bool is_draining;
    struct sc__http_connections stages[SC__HTTP_STAGES];
    struct sc__http_connections half_closed;  ///< requests that wait, of peers that send no more
    struct sc__http_connections paced;        ///< connections whose address has had its bytes
    struct sc__http_connections reserve;  ///< connections without a place, in the order of coming
    sc__http_connection **by_fd;
    size_t by_fd_capacity;
    char *scratch;  ///< heads of replies are put together here
    size_t scratch_capacity;
    time_t date_s;
    char date[SC__HTTP_DATE_ROOM];

    // Before the start; then the loop's thread only.
    sc__http_call *calls;
    size_t call_count;
    size_t call_capacity;

    /** An address with too many connections, of which this loop has idle ones; set by others. */
    atomic_uint_fast64_t crowded;

    // Counted by the loop's thread, read by any.
    atomic_uint_fast64_t accepted;
    atomic_uint_fast64_t requests;
    atomic_uint_fast64_t refused;
    atomic_uint_fast64_t gone;
    atomic_uint_fast64_t accept_failures;
    atomic_uint_fast64_t stalled;
    atomic_uint_fast64_t paced_pieces;
    atomic_uint_fast64_t evicted;
    atomic_uint_fast64_t full;
    atomic_uint_fast64_t refused_addresses;
    atomic_uint_fast64_t refused_handshakes;
    atomic_uint_fast64_t handshake_failures;
};

// --- The server --------------------------------------------------------------------------------

typedef enum sc__http_gate {
    SC__HTTP_GATE_SHUT,
    SC__HTTP_GATE_OPEN,
    SC__HTTP_GATE_GIVEN_UP
} sc__http_gate;

struct sc_http {
    // Read-only.
    sc_http_options options;  ///< texts are copies
    unsigned char peer_key[SC__HTTP_PEER_KEY_BYTES];
    char **addresses;  ///< as they are listened at
    size_t address_count;
    size_t public_count;  ///< the first of them are for clients; the rest for operators
    size_t address_capacity;
    char **socket_paths;  ///< of unix sockets that we made, to be removed
    size_t socket_path_count;
    size_t socket_path_capacity;
    sc__http_loop *loops;
    sc__http_tls *tls;  ///< NULL: none; has a lock of its own
    sc__http_proxies *proxies;
    sc__http_admission *admission;  ///< has a lock of its own
    sc_rate_limit *handshakes;      ///< per address
    sc_rate_limit *bytes;           ///< pieces of large replies per address

    // The first loop's thread.
    int64_t forget_us;  ///< when addresses that no longer count are forgotten next

    // The thread that starts and stops.
    bool is_started;

    // Under the lock: loops begin together, or not at all.
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned ready_count;
    sc__http_gate gate;

    // Any thread.
    atomic_size_t connections;
    atomic_size_t places;    ///< taken by clients' connections
    atomic_size_t reserved;  ///< connections of the reserve
    atomic_size_t admins;    ///< connections of operators
    atomic_size_t securing;  ///< connections in their handshake
    atomic_bool wants_room;  ///< there was no place, and another loop may have an idle connection
    atomic_bool is_closed;   ///< listens no more
    atomic_bool is_ending;
};

/** One more; by the only thread that counts there, so that no locked instruction is needed. */
static inline void sc__http_count(atomic_uint_fast64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

// --- http_server.c -----------------------------------------------------------------------------

/** Wipe and free. */
void sc__http_wipe_free(void *memory);

// --- http_listen.c -----------------------------------------------------------------------------

/** Open a socket for each address and loop, and remember the addresses. */
SC_CHECKED sc_err sc__http_listen_all(sc_http *http, sc_diag *diag);

/** Remove the unix sockets that were made. */
void sc__http_listen_forget(sc_http *http);

// --- http_framing.c ----------------------------------------------------------------------------

/** Follow bytes as they come; false once one of them is not plain HTTP/1.1. */
bool sc__http_framing_follow(sc__http_framing *framing, const char *bytes, size_t size);

// --- http_proxy.c ------------------------------------------------------------------------------

/** Read the list of the options. */
SC_CHECKED sc_err sc__http_proxies_new(const char *const *texts, size_t count,
                                       sc__http_proxies **out, sc_diag *diag);
void sc__http_proxies_free(sc__http_proxies *proxies);
bool sc__http_proxies_have(const sc__http_proxies *proxies, const struct sockaddr *address);

/** What the header of a proxy has about the client. */
typedef enum sc__http_proxy_client {
    SC__HTTP_PROXY_ITSELF,   ///< the proxy asks for itself, to see whether we are there
    SC__HTTP_PROXY_UNKNOWN,  ///< there is no address of it
    SC__HTTP_PROXY_ADDRESS,
} sc__http_proxy_client;

/**
 * How many bytes more may be read before the header has to be looked at again: never more than
 * belong to it.
 *
 * @return 0: it is whole; -1: it is no header
 */
int sc__http_proxy_header_want(const unsigned char *bytes, size_t size);

/** The client of a header that is whole; false if it is none. `address` is set with
 * SC__HTTP_PROXY_ADDRESS. */
bool sc__http_proxy_header_read(const unsigned char *bytes, size_t size,
                                sc__http_proxy_client *client, struct sockaddr_storage *address);

/** Read the header before all else; then the connection goes on. False if memory is out. */
bool sc__http_proxy_await(sc__http_connection *connection);

/** Wait for it no longer: the socket is the stream's again. */
void sc__http_proxy_forget(sc__http_connection *connection);

// --- http_tls.c --------------------------------------------------------------------------------

SC_CHECKED sc_err sc__http_tls_new(const sc_tls_files *files, sc__http_tls **out, sc_diag *diag);
void sc__http_tls_free(sc__http_tls *tls);
SC_CHECKED sc_err sc__http_tls_reload(sc__http_tls *tls, sc_diag *diag);

/** A stream for a connection to come, which does the server's part of the handshake; or NULL. */
struct bufferevent *sc__http_tls_stream(sc__http_tls *tls, struct event_base *base,
                                        sc__http_connection *connection);

/** Send the closing alert to the peer, as far as that is possible without waiting; the connection
 * gets no more callbacks. */
void sc__http_tls_shutdown(struct bufferevent *stream);

// --- http_loop.c -------------------------------------------------------------------------------

/** The body of a loop's thread; `context` is its sc__http_loop. */
void *sc__http_loop_run(void *context);

/** Wake the loop up: it looks at what has changed. Any thread. */
void sc__http_loop_ring(const sc__http_loop *loop);

/** Have newborn, refused and doomed connections looked after once this callback has returned. */
void sc__http_loop_tidy_soon(sc__http_loop *loop);

/** There is no descriptor or no memory for another connection: try again in a moment. */
void sc__http_accept_starved(sc__http_loop *loop);

// --- http_admission.c --------------------------------------------------------------------------

SC_CHECKED sc_err sc__http_admission_new(sc__http_admission **out, sc_diag *diag);
void sc__http_admission_free(sc__http_admission *admission);

/** The peer is known: whether the connection may stay. If not, reset it. */
bool sc__http_admit(sc__http_connection *connection);

/** It ends, admitted or not. */
void sc__http_admission_leave(sc__http_connection *connection);

/** It is idle from now on, or no longer. */
void sc__http_admission_idle(sc__http_connection *connection);
void sc__http_admission_busy(sc__http_connection *connection);

/** A request has come: if there is a place again, it need not be in the reserve. */
void sc__http_admission_promote(sc__http_connection *connection);

/** Other loops may have asked for room. */
void sc__http_admission_wake(sc__http_loop *loop);

// --- http_connection.c -------------------------------------------------------------------------

/** For evhttp_set_bevcb(): the stream of a connection that has just been accepted. */
struct bufferevent *sc__http_connection_born(struct event_base *base, void *context);

/** Take charge of newborn connections. */
void sc__http_connection_adopt(sc__http_loop *loop);

/** Who the peer is, is known now: the connection's life begins. */
void sc__http_connection_begin(sc__http_connection *connection);

/** Which connection a stream belongs to; NULL if it is none of ours. */
sc__http_connection *sc__http_connection_find(const sc__http_loop *loop,
                                              struct bufferevent *stream);

void sc__http_connection_enter(sc__http_connection *connection, sc__http_stage stage);

/** Its TLS handshake is done. */
void sc__http_connection_secured(sc__http_connection *connection);

/** Close it now; it is no more. Not from within a call of http.h. */
void sc__http_connection_close(sc__http_connection *connection);

/** The same, without waiting for the peer to take what was sent: the kernel forgets it at once. */
void sc__http_connection_reset(sc__http_connection *connection);

/** The same for one that ends by itself: if the peer has not acknowledged much of what was sent,
 * that is forgotten, too. */
void sc__http_connection_part(sc__http_connection *connection);

/** Whether more is not acknowledged than the kernel may keep after the end. */
bool sc__http_connection_owes(const sc__http_connection *connection);

/** Close it once the callback at work has returned. */
void sc__http_connection_doom(sc__http_connection *connection);

/** Close all that are in `stage`. */
void sc__http_connection_close_stage(sc__http_loop *loop, sc__http_stage stage);

/** Close or refuse those that are over a time limit. */
void sc__http_connection_sweep(sc__http_loop *loop);

/**
 * Send now what the socket takes, and keep the rest for later.
 *
 * @param pieces    are used up
 * @param lent      from this one on they stay where they are until the server has stopped, and are
 *                  not copied; `count` if none is
 * @param all_sent  set to whether nothing is left to send
 * @return false if the connection is of no use any more
 */
bool sc__http_connection_send(sc__http_connection *connection, struct iovec *pieces, size_t count,
                              size_t lent, bool *all_sent);

/** Put our replies in place of libevent's. */
void sc__http_refusal_rewrite(sc__http_loop *loop);

/** Reply `status` with a problem, throw away what still comes, and close. */
void sc__http_refuse(sc__http_connection *connection, int status);

/** Everything was sent: send no more, throw away what still comes, and close when the peer does. */
void sc__http_linger(sc__http_connection *connection);

// --- http_request.c ----------------------------------------------------------------------------

/** For evhttp_set_gencb(): a request is whole. */
void sc__http_request_arrived(struct evhttp_request *event, void *context);

/** The connection breaks, or ends: call `gone` if the handler still owes an answer. */
void sc__http_request_break(sc_http_request *request);

/** Everything was sent: the next request may come. The connection may be no more then. */
void sc__http_request_finish(sc_http_request *request);

/** The peer as a number; see sc_http_request_peer(). */
uint64_t sc__http_peer_number(const struct sockaddr *address, const unsigned char *key);
bool sc__http_peer_is_local(const struct sockaddr *address);

enum { SC__HTTP_NO_LENGTH = -1, SC__HTTP_CHUNKED = -2 };

/** The content of the head of a reply. */
typedef struct sc__http_head {
    int status;
    const char *type;  ///< NULL: no body
    int64_t length;    ///< or one of the two above
    const sc_http_header *headers;
    size_t header_count;
    bool keeps_alive;
    bool says_keep_alive;  ///< for a client of HTTP/1.0, which would not expect it
    bool is_tls;           ///< browsers are to use nothing else from now on
} sc__http_head;

/** Put the head together in the loop's scratch; its size, 0 if memory is out. */
size_t sc__http_head_write(sc__http_loop *loop, const sc__http_head *head);

// --- http_reply.c ------------------------------------------------------------------------------

/** Close those whose peers have left altogether meanwhile. */
void sc__http_reply_sweep(sc__http_loop *loop);

/** Send the next piece of a large reply, or wait until the address may have it. */
void sc__http_reply_continue(sc__http_connection *connection);

/** Those that waited may try again. */
void sc__http_reply_pace(sc__http_loop *loop);

/** The bufferevent's callbacks while a request is open. */
void sc__http_reply_written(struct bufferevent *stream, void *context);
void sc__http_reply_broken(struct bufferevent *stream, short what, void *context);

#endif
