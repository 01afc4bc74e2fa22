/**
 * @file http_internal.h
 * @brief What the files of this folder share: the server, its loops, and a connection's life.
 *
 *     http_server.c      options; opened, started, drained, stopped
 *     http_listen.c      sockets to listen at
 *     http_loop.c        a loop's thread: events of epoll, timers, accepting
 *     http_admission.c   who gets a place
 *     http_proxy.c       proxies in front, and the protocol by which they name the client
 *     http_forwarded.c   headers of requests by which they do
 *     http_tls.c         certificates
 *     http_io.c          bytes in and out, by TLS or not, and the memory that they pass through
 *     http_connection.c  stages, time limits, refusals, the end
 *     http_parse.c       requests of HTTP/1.1 are parsed by llhttp, and judged
 *     http_request.c     requests are read, handled, and ended
 *     http2.c            HTTP/2 by nghttp2; http2_reply.c its replies
 *     http_reply.c       heads, replies and streams of HTTP/1.1
 *     http_inner.c       requests that another one carried
 *
 * A connection is always in exactly one stage, and in the list of that stage:
 *
 *     READING (of a proxy's header) -> SECURING | IDLE
 *     SECURING -> IDLE                      the handshake of TLS is done
 *     IDLE -> READING                       the first byte of a request
 *     READING -> WAITING                    the request is whole, the handler has it
 *     WAITING <-> WRITING                   a reply or a piece of a stream is being taken
 *     WAITING | WRITING -> IDLE | READING   answered; what was sent ahead is read now
 *     READING -> LINGERING                  refused: our own reply, then what comes is thrown away
 *     any -> DOOMED                         closed as soon as the call at work has returned
 *
 * Invariants:
 *  1. Lists are in the order of entering, and a stage has one time limit: the head expires first.
 *     So time limits need no timers but one that looks at the heads (sc__http_connection_sweep()).
 *  2. A descriptor is registered once, edge-triggered, for reading and writing. A connection that
 *     stops before the socket has nothing more to read remembers that (`may_read`), and reads on
 *     by itself when it may.
 *  3. A connection ends in one place, sc__http_connection_close(); there a `gone` of a request that
 *     is still open is called. Its memory stays until all events at hand were looked at, with
 *     descriptor -1.
 *  4. Everything of a loop is touched by its thread only, but for what is atomic.
 *  5. What clients sent lies in buffers (sc__http_buffer) that are wiped when they are released.
 */
#ifndef SC_HTTP_HTTP_INTERNAL_H
#define SC_HTTP_HTTP_INTERNAL_H

#include "server/http.h"
#include "server/rate_limit.h"

#include <llhttp.h>
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
    SC__HTTP_BLOCK = 4096,   ///< a usual request, or reply, with room to spare
    SC__HTTP_SMALL_BLOCK = 1024,  ///< one of many requests of a connection
    SC__HTTP_IDLE_BLOCKS = 128,   ///< kept by a loop for the next requests
};

typedef struct sc__http_loop sc__http_loop;
typedef struct sc__http_connection sc__http_connection;
typedef struct sc__http_tls sc__http_tls;
typedef struct sc__http_admission sc__http_admission;
typedef struct sc__http_address sc__http_address;
typedef struct sc__http_proxies sc__http_proxies;
typedef struct sc__http_proxy_header sc__http_proxy_header;
typedef struct sc__http2 sc__http2;
typedef struct sc__http2_stream sc__http2_stream;
typedef struct sc__http_inner sc__http_inner;

/** What an event of epoll is about; the first member of what its pointer points to. */
typedef enum sc__http_source {
    SC__HTTP_SOURCE_WAKE,
    SC__HTTP_SOURCE_LISTENER,
    SC__HTTP_SOURCE_CALL,
    SC__HTTP_SOURCE_CONNECTION,
} sc__http_source;

/** Bytes of a connection; zeroed: none. Memory comes from its loop (http_io.c). */
typedef struct sc__http_buffer {
    char *data;
    size_t size;
    size_t capacity;
} sc__http_buffer;

// --- A connection ------------------------------------------------------------------------------

typedef enum sc__http_stage {
    SC__HTTP_SECURING,
    SC__HTTP_IDLE,
    SC__HTTP_READING,
    SC__HTTP_WAITING,
    SC__HTTP_WRITING,
    SC__HTTP_LINGERING,
    SC__HTTP_DOOMED,
    SC__HTTP_STAGES,
} sc__http_stage;

/**
 * A request. Path, search, and names and values of headers in turn lie in `bytes`, each ended by
 * NUL; the body lies behind them, from `body_at`.
 */
struct sc_http_request {
    sc__http_connection *connection;
    void (*gone)(void *context);
    void *gone_context;
    sc__http2_stream *stream;   ///< of HTTP/2, which has the request; NULL: HTTP/1.1
    sc__http_inner *inner;      ///< that has the request; NULL: it came by itself
    const char *origin;         ///< whose pages may read the reply; NULL: that was not asked
    uint64_t peer;              ///< as a connection's, if a proxy has named the client
    sc__http_address *address;  ///< http_admission.c: where the client's requests are counted
    sc__http_buffer bytes;
    uint32_t path_at;
    uint32_t search_at;
    uint32_t headers_at;
    uint32_t headers_end;
    uint32_t body_at;
    uint32_t body_size;
    sc_http_method method;
    bool is_10;         ///< HTTP/1.0
    bool is_forwarded;  ///< `peer` is the client's, not the connection's
    bool is_open;       ///< the handler owes an answer
    bool is_stream;     ///< begun, not ended
    bool is_chunked;    ///< how the pieces of the stream are sent
    bool keeps_alive;
};

/** How far the request that is being read has come (http_parse.c). */
typedef struct sc__http_reader {
    size_t scanned;     ///< bytes that were looked at for the end of the head
    size_t line_at;     ///< where the line begins that is being looked at
    size_t first;       ///< where the request line begins: empty lines may stand before it
    size_t head_size;   ///< 0: the head is not whole
    size_t fed;         ///< where what was not read yet of a chunked body begins
    size_t chunk_left;  ///< bytes of the chunk that are to come
    size_t overhead;    ///< of these, bytes that are not of the body
    bool is_chunked;
    bool is_behind_chunk;  ///< the line that ends a chunk is to come
    bool is_at_trailers;   ///< behind the last chunk; `first` is where they begin
    llhttp_t parser;
} sc__http_reader;

struct sc__http_connection {
    sc__http_source source;
    int fd;  ///< -1: closed
    sc__http_stage stage;
    TAILQ_ENTRY(sc__http_connection) link;  ///< in the list of its stage
    sc__http_loop *loop;
    SSL *ssl;          ///< NULL: no TLS
    int64_t since_us;  ///< when it entered its stage
    bool may_read;     ///< the socket may have bytes that no event will tell of
    bool is_drained;   ///< by TLS: the socket has nothing more, until an event tells of it
    bool has_hung_up;  ///< the peer sends no more: what is left to read ends
    bool is_in_turn;   ///< its requests are being read, further up on the stack
    bool is_again;     ///< in the list of those that go on without an event
    TAILQ_ENTRY(sc__http_connection) again_link;
    sc__http2 *h2;  ///< NULL: HTTP/1.1
    TAILQ_ENTRY(sc__http_connection) http2_link;
    bool is_to_send;  ///< in the list of those that send at the end of the round
    TAILQ_ENTRY(sc__http_connection) send_link;
    sc__http_buffer input;  ///< what was read and belongs to no request yet
    sc__http_reader reader;
    sc__http_buffer output;  ///< what waits to be sent, from `output_at`
    size_t output_at;
    const char *piece;  ///< then this, of a large reply, in memory that stays
    size_t piece_size;
    const char *rest;  ///< the next pieces of it
    size_t rest_size;
    uint64_t sent;          ///< bytes that the socket took since the connection began
    uint64_t acknowledged;  ///< of these, when it was last looked at
    int64_t progress_us;    ///< when enough of them had been acknowledged last
    TAILQ_ENTRY(sc__http_connection) paced_link;  ///< among those that wait to send on
    bool is_paced;
    bool is_admin;                  ///< came in where operators do
    bool is_secured;                ///< the handshake is done
    bool is_local;                  ///< the peer is this machine
    bool is_relay;                  ///< the peer is one of the relays
    bool is_forwarded;              ///< of a proxy that names clients in requests
    bool is_silent;                 ///< in stage LINGERING: our side is shut
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
    sc_http_request request;  ///< the one at hand of HTTP/1.1, which has one at a time
};

TAILQ_HEAD(sc__http_connections, sc__http_connection);

// --- A loop ------------------------------------------------------------------------------------

/** Why a loop does not accept; it does when there is no reason left. */
enum {
    SC__HTTP_STARVED = 1,  ///< no descriptor, or no memory, for another
    SC__HTTP_CLOSED = 2,   ///< for good
};

/** Something that was asked to be called: for a descriptor, or every some seconds. */
typedef struct sc__http_call {
    sc__http_source source;
    sc__http_loop *loop;
    int fd;          ///< -1: by time
    double seconds;  ///< 0: by descriptor
    int64_t due_us;
    void (*call)(void *context, unsigned loop);
    void *context;
} sc__http_call;

/** A socket at which connections come in: of clients, or of operators. */
typedef struct sc__http_listener {
    sc__http_source source;
    int fd;
    bool is_admin;
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
    sc__http_source wake_source;
    int epoll_fd;
    int64_t now_us;    ///< as of the last wait
    int64_t sweep_us;  ///< when time limits are looked at next
    int64_t pace_us;   ///< when large replies go on; INT64_MAX: none waits
    int64_t retry_us;  ///< when accepting is tried again after a shortage; INT64_MAX: never
    sc__http_listener *listeners;
    size_t listener_count;
    unsigned pauses;  ///< reasons not to accept
    bool is_draining;
    bool is_over;
    struct sc__http_connections stages[SC__HTTP_STAGES];
    struct sc__http_connections again;    ///< go on without an event
    struct sc__http_connections http2;    ///< all that speak HTTP/2
    struct sc__http_connections to_send;  ///< of these, those that have something to send
    struct sc__http_connections paced;    ///< connections whose address has had its bytes
    struct sc__http_connections reserve;  ///< connections without a place, in the order of coming
    struct sc__http_connections closed;   ///< to be freed when the events at hand are done
    char *idle_blocks[SC__HTTP_IDLE_BLOCKS];
    size_t idle_block_count;
    char *scratch;  ///< heads of replies are put together here
    size_t scratch_capacity;
    time_t date_s;
    char date[SC__HTTP_DATE_ROOM];

    // Before the start; then the loop's thread only.
    int64_t (*hosted)(void *context);  ///< work that shares the thread; NULL: none
    void *hosted_context;
    int64_t hosted_us;  ///< when it is to be called at the latest
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
    sc__http_proxies *relays;
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

/** The connection begins with a header. False if memory is out. */
bool sc__http_proxy_await(sc__http_connection *connection);

/** Read what has come of it; once it is whole the connection goes on. */
void sc__http_proxy_receive(sc__http_connection *connection);

/** Wait for it no longer. */
void sc__http_proxy_forget(sc__http_connection *connection);

// --- http_forwarded.c --------------------------------------------------------------------------

/** Where a request has been, the nearest last. */
typedef struct sc__http_hop {
    bool has_address;  ///< else it is unknown, or hidden on purpose
    struct sockaddr_storage address;
} sc__http_hop;

/** More than any chain of proxies has; a longer list is refused. */
enum { SC__HTTP_MAX_HOPS = 32 };

typedef struct sc__http_hops {
    size_t count;
    sc__http_hop hops[SC__HTTP_MAX_HOPS];
} sc__http_hops;

/** Append what a header line lists. False: it is not well-formed, or there are too many. */
bool sc__http_hops_read(sc_http_forwarded header, const char *value, sc__http_hops *hops);

/** The client, seen from here: the nearest hop that is no trusted proxy, or the farthest of these.
 * NULL: there is none with an address. */
const sc__http_hop *sc__http_hops_client(const sc__http_hops *hops,
                                         const sc__http_proxies *proxies);

/**
 * A request of a connection that is forwarded is whole: find out who the client is.
 *
 * @param bytes  where the headers are
 * @return 0, or the status to refuse it with
 */
int sc__http_forwarded_take(sc_http_request *request, const char *bytes);

// --- http_tls.c --------------------------------------------------------------------------------

SC_CHECKED sc_err sc__http_tls_new(const sc_tls_files *files, sc__http_tls **out, sc_diag *diag);
void sc__http_tls_free(sc__http_tls *tls);
SC_CHECKED sc_err sc__http_tls_reload(sc__http_tls *tls, sc_diag *diag);

/** Whether client and server have agreed on HTTP/2. */
bool sc__http_tls_chose_http2(const SSL *ssl);

/** The server's part of TLS for a new connection; NULL if memory is out. */
SSL *sc__http_tls_session(sc__http_tls *tls, sc__http_connection *connection);

// --- http_io.c ---------------------------------------------------------------------------------

/** See to it that `room` bytes more fit; a buffer without memory gets `least` at least. False if
 * memory is out. */
bool sc__http_buffer_reserve(sc__http_loop *loop, sc__http_buffer *buffer, size_t room,
                             size_t least);

/** Wipe, and give the memory back; zeroed then. */
void sc__http_buffer_release(sc__http_loop *loop, sc__http_buffer *buffer);

/** Blocks that the loop keeps are freed. */
void sc__http_blocks_free(sc__http_loop *loop);

typedef enum sc__http_read {
    SC__HTTP_READ_SOME,     ///< `size` is set
    SC__HTTP_READ_NOTHING,  ///< for now
    SC__HTTP_READ_END,      ///< the peer sends no more
    SC__HTTP_READ_BROKEN,
} sc__http_read;

/** Read once. Keeps `may_read` up to date. */
sc__http_read sc__http_io_read(sc__http_connection *connection, char *bytes, size_t room,
                               size_t *size);

/**
 * Send now what the socket takes, and keep the rest for later.
 *
 * @param pieces    are used up
 * @param lent      from this one on they stay where they are until the server has stopped, and are
 *                  not copied: the last one at most; `count` if none is
 * @param all_sent  set to whether nothing is left to send
 * @return false if the connection is of no use any more
 */
bool sc__http_io_send(sc__http_connection *connection, struct iovec *pieces, size_t count,
                      size_t lent, bool *all_sent);

/** Keep a copy of these bytes for sc__http_io_flush(). False if memory is out. */
bool sc__http_io_keep(sc__http_connection *connection, const struct iovec *piece);

/** Go on with what was kept. The same results. */
bool sc__http_io_flush(sc__http_connection *connection, bool *all_sent);

/** Bytes that wait to be sent, but for large replies. */
static inline size_t sc__http_io_waiting(const sc__http_connection *connection)
{
    return connection->output.size - connection->output_at;
}

/** Go on with the handshake of TLS. @return whether it is done, goes on, or has failed */
typedef enum sc__http_handshake {
    SC__HTTP_HANDSHAKE_DONE,
    SC__HTTP_HANDSHAKE_GOES_ON,
    SC__HTTP_HANDSHAKE_FAILED,
} sc__http_handshake;

sc__http_handshake sc__http_io_handshake(sc__http_connection *connection);

/** By TLS: tell the peer that nothing more is sent, as far as that is possible without waiting. */
void sc__http_io_close_notify(sc__http_connection *connection);

/** The same, and shut our side of the socket. */
void sc__http_io_shut(sc__http_connection *connection);

// --- http_loop.c -------------------------------------------------------------------------------

/** The body of a loop's thread; `context` is its sc__http_loop. */
void *sc__http_loop_run(void *context);

/** Wake the loop up: it looks at what has changed. Any thread. */
void sc__http_loop_ring(const sc__http_loop *loop);

/** Have the events of a new connection told. False if memory is out. */
bool sc__http_loop_watch(sc__http_connection *connection);

/** Prefetch its memory: it is used soon. */
static inline void sc__http_connection_prefetch(const sc__http_connection *connection)
{
    enum { LINE = 64 };
    for (size_t at = 0; at < sizeof *connection; at += LINE) {
        __builtin_prefetch((const char *)connection + at, 1);
    }
}

/** Have the connection go on reading in the loop's next round, without an event. */
void sc__http_loop_again(sc__http_connection *connection);

/** Have what was collected for a connection of HTTP/2 sent at the end of the round. */
void sc__http_loop_send_soon(sc__http_connection *connection);

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

/** A request by way of a proxy is counted for its client as a connection would be: whether it may
 * have one more at once. It leaves when it ends; that is harmless for one that was not counted. */
bool sc__http_admit_request(sc_http_request *request);
void sc__http_admission_leave_request(sc_http_request *request);

/** Other loops may have asked for room. */
void sc__http_admission_wake(sc__http_loop *loop);

// --- http_connection.c -------------------------------------------------------------------------

/** A connection was accepted: `fd` is its own from now on. */
void sc__http_connection_open(sc__http_loop *loop, int fd, const struct sockaddr *address,
                              bool is_admin);

/** Who the peer is, is known now: the connection's life begins. */
void sc__http_connection_begin(sc__http_connection *connection);

/** An event of epoll. */
void sc__http_connection_event(sc__http_connection *connection, uint32_t events);

/** Read on where that was left. */
void sc__http_connection_read(sc__http_connection *connection);

void sc__http_connection_enter(sc__http_connection *connection, sc__http_stage stage);

/** Close it now; it must not be used any more. */
void sc__http_connection_close(sc__http_connection *connection);

/** The same, without waiting for the peer to take what was sent: the kernel forgets it at once. */
void sc__http_connection_reset(sc__http_connection *connection);

/** The same for one that ends by itself: if the peer has not acknowledged much of what was sent,
 * that is forgotten, too. */
void sc__http_connection_part(sc__http_connection *connection);

/** Whether more is not acknowledged than the kernel may keep after the end. */
bool sc__http_connection_owes(const sc__http_connection *connection);

/** Close it once the call at work has returned. */
void sc__http_connection_doom(sc__http_connection *connection);

/** Close all that are in `stage`. */
void sc__http_connection_close_stage(sc__http_loop *loop, sc__http_stage stage);

/** Free those that were closed. */
void sc__http_connection_free_closed(sc__http_loop *loop);

/** Close or refuse those that are over a time limit. */
void sc__http_connection_sweep(sc__http_loop *loop);

/** Reply `status` with a problem, throw away what still comes, and close. */
void sc__http_refuse(sc__http_connection *connection, int status);

/** Everything was sent: send no more, throw away what still comes, and close when the peer does. */
void sc__http_linger(sc__http_connection *connection);

// --- http_parse.c ------------------------------------------------------------------------------

/**
 * Go on with the request whose bytes are in `input`.
 *
 * @param end  set once it is whole: the request's bytes are those before it
 * @return 0; the status to refuse it with; -1: the connection is of no use any more
 */
int sc__http_parse(sc__http_connection *connection, size_t *end);

sc_http_method sc__http_method_of(const char *text, size_t size);

/** Decode a path in place; what is no code stays as it is. False if there is a NUL. */
bool sc__http_decode(char *path);

// --- http_request.c ----------------------------------------------------------------------------

/** Read requests, and have those that are whole handled. In stages IDLE and READING. */
void sc__http_request_read(sc__http_connection *connection);

/** Read what is sent ahead, or that the client goes. In stages WAITING and WRITING. */
void sc__http_request_read_ahead(sc__http_connection *connection);

/** The connection breaks, or ends: call `gone` if the handler still owes an answer. */
void sc__http_request_break(sc_http_request *request);

/** Everything was sent: the next request may come. The connection may be closed then. */
void sc__http_request_finish(sc_http_request *request);

/** The peer as a number; see sc_http_request_peer(). */
uint64_t sc__http_peer_number(const struct sockaddr *address, const unsigned char *key);
bool sc__http_peer_is_local(const struct sockaddr *address);

/** The peer of a connection is at this address. */
void sc__http_peer_set(sc__http_connection *connection, const struct sockaddr *address);

enum { SC__HTTP_NO_LENGTH = -1, SC__HTTP_CHUNKED = -2 };

/** The content of the head of a reply. */
typedef struct sc__http_head {
    int status;
    const char *type;  ///< NULL: no body
    int64_t length;    ///< or one of the two above
    const sc_http_header *headers;
    size_t header_count;
    const char *origin;  ///< as a request has it
    bool keeps_alive;
    bool says_keep_alive;  ///< for a client of HTTP/1.0, which would not expect it
    bool is_tls;           ///< browsers are to use nothing else from now on
} sc__http_head;

/** Headers of a reply that pages of another origin may read, beside those that they always may. */
#define SC__HTTP_EXPOSED "ETag, Location, Preference-Applied, Retry-After"

/** Put the head together in the loop's scratch; its size, 0 if memory is out. */
size_t sc__http_head_write(sc__http_loop *loop, const sc__http_head *head);

// --- http_reply.c ------------------------------------------------------------------------------

/** Whether a header's text has no control bytes. */
bool sc__http_header_is_safe(const char *text);

/** Now, as replies have it; lent until the next call. */
const char *sc__http_date(sc__http_loop *loop);

bool sc__http_reply_has_body(const sc_http_request *request, int status);

/** Whether the client's address may have one piece more of a large reply now; it is counted. */
bool sc__http_reply_may_have_piece(const sc_http_request *request);

/** It may not: go on in a while. */
void sc__http_reply_wait(sc__http_connection *connection);

/** Send the next piece of a large reply, or wait until the address may have it. */
void sc__http_reply_continue(sc__http_connection *connection);

/** Those that waited may try again. */
void sc__http_reply_pace(sc__http_loop *loop);

/** All that waited was sent, while a request is open or answered. */
void sc__http_reply_written(sc__http_connection *connection);

/** The client has ended its own sending; whether it may still read. */
bool sc__http_reply_goes_on(sc__http_connection *connection);

// --- http_inner.c ------------------------------------------------------------------------------

/** The handler's reply to a request with `inner`, which ends. */
void sc__http_inner_reply(sc_http_request *request, const sc_http_inner_reply *reply);

// --- http2.c -----------------------------------------------------------------------------------

/** The connection speaks HTTP/2 from now on; what was read of it is in `input`. False if it must
 * end. */
bool sc__http2_begin(sc__http_connection *connection);

/** Open requests are gone. */
void sc__http2_free(sc__http_connection *connection);

void sc__http2_read(sc__http_connection *connection);

/** Send what there is, as far as the socket takes it. The connection may be closed then. */
void sc__http2_send(sc__http_connection *connection);

/** Requests that take too long to come, and replies that are not taken. */
void sc__http2_sweep(sc__http_connection *connection);

/** Large replies may go on. */
void sc__http2_pace(sc__http_connection *connection);

/** Whether one of its streams has yet to send some of these bytes. */
bool sc__http2_is_lent(const sc__http_connection *connection, const void *bytes, size_t size);

/** As in http.h, for a request of HTTP/2. */
void sc__http2_reply(sc_http_request *request, int status, const char *type, const void *body,
                     size_t size, const sc_http_header *headers, size_t header_count, bool is_lent);
void sc__http2_stream_begin(sc_http_request *request, int status, const char *type,
                            const sc_http_header *headers, size_t header_count);
void sc__http2_stream_send(sc_http_request *request, const void *bytes, size_t size);
void sc__http2_stream_end(sc_http_request *request);

#endif
