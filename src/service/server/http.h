/**
 * @file http.h
 * @brief An HTTP/1.1 server: several loops, deferred replies, streams, TLS. What the rest knows of
 * it.
 *
 * Each *loop* is a thread with listening sockets of its own (SO_REUSEPORT), so the
 * kernel spreads connections; and with a table of descriptors of its own, so that clients, however
 * many, cannot use up those that the rest of the process needs.
 *
 * A request belongs to the thread of its loop. The handler is called there once the whole request
 * has come, within all limits. It replies at once, or later: then it keeps the request, and is
 * called if the client goes away before (sc_http_on_gone). Every request is answered exactly once:
 * sc_http_reply(), or a stream that is begun and ended. After that, or after that call, the
 * request must not be touched any more.
 *
 * Requests that are sent ahead are answered in their order. A client that sends more ahead than a
 * head or a body may have, while a reply is awaited, is cut off: it would be read no further, and
 * its end would not be noticed.
 *
 * What a client can use is bounded: bytes of headers and of a body, connections in all and per
 * address (the oldest idle one makes room), the time
 * until a request has come as a whole (also for the TLS handshake), the time between two requests,
 * the time until a reply is taken. A loop that has no descriptor left stops accepting for a moment
 * and goes on.
 */
#ifndef SC_HTTP_HTTP_H
#define SC_HTTP_HTTP_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct sc_http sc_http;
typedef struct sc_http_request sc_http_request;

typedef enum sc_http_method {
    SC_HTTP_GET,
    SC_HTTP_HEAD,  ///< handled as GET; the body of the reply is left out for it
    SC_HTTP_POST,
    SC_HTTP_DELETE,
    SC_HTTP_OPTIONS,
    SC_HTTP_OTHER,
} sc_http_method;

/** Called in the loop's thread with a request that is whole. It must be answered, now or later. */
typedef void (*sc_http_handler)(void *context, unsigned loop, sc_http_request *request);

/** How a trusted proxy says who the client is. */
typedef enum sc_http_forwarded {
    SC_HTTP_FORWARDED_OFF,  ///< by a header of the PROXY protocol at the beginning of a connection
    SC_HTTP_FORWARDED,      ///< by `Forwarded` (RFC 7239) in each request
    SC_HTTP_X_FORWARDED_FOR,
} sc_http_forwarded;

/** TLS 1.2 and later, with forward secrecy only. */
typedef struct sc_tls_files {
    const char *certificate;  ///< PEM, the whole chain; NULL: no TLS
    const char *key;          ///< PEM
    const char
        *client_ca;  ///< PEM; clients must then show a certificate of these; NULL: none asked
} sc_tls_files;

typedef struct sc_http_options {
    const char *const
        *addresses;  ///< "127.0.0.1:8080", "[::]:443", "localhost:0", "unix:/run/x.sock"
    size_t address_count;
    /** Where operators come in: plain HTTP, addresses of the same forms. What belongs there is for
     * the handler to say (sc_http_request_is_admin()). */
    const char *const *admin_addresses;
    size_t admin_address_count;
    bool is_admin_shared;  ///< `addresses` and `inherited` count as addresses for operators, too
    /** Proxies in front of `addresses` and `inherited`: "10.0.0.7", "fd00::/64", "unix". They say
     * who the client is, as `forwarded` has it; nothing else does, and what others say of it does
     * not count. */
    const char *const *proxies;
    size_t proxy_count;
    /** Relays of Oblivious HTTP, of the same forms: they send for many clients, so there is no
     * limit per address for them. */
    const char *const *relays;
    size_t relay_count;
    sc_http_forwarded forwarded;
    /** Listening sockets of the service manager, instead of or beside these; borrowed. */
    const int *inherited;
    size_t inherited_count;
    unsigned loops;          ///< 1 to 64
    size_t max_connections;  ///< of clients, in all loops together; the oldest idle one makes room
    size_t max_address_connections;  ///< of one address, or of a /64 of IPv6; 0: no limit
    size_t max_admin_connections;    ///< of operators
    size_t max_header_bytes;         ///< request line and headers
    size_t max_body_bytes;           ///< more is 413
    double request_timeout_s;  ///< from the first byte (or the handshake) to the end of a request
    double idle_timeout_s;     ///< between two requests of a connection
    double write_timeout_s;  ///< in which a client must acknowledge 64 KiB of a reply, or the rest
    size_t send_buffer_bytes;    ///< of the kernel, per connection (which adds as much for itself)
    double handshakes_per_s;     ///< of TLS by one address, on average; 0: no limit
    double handshake_burst;      ///< that may come at once after a pause, >= 1
    double address_bytes_per_s;  ///< of large replies to one address; 0: no limit
    size_t max_stream_bytes;     ///< that wait for a slow reader of a stream; then it is cut off
    sc_tls_files tls;
    sc_http_handler handle;
    void *context;
    /** Makes the body of replies that the server itself gives (400, 408, 413, 417, 431, 501, 503):
     * fills `buffer` and returns its size; the media type is application/problem+json. */
    size_t (*problem)(void *context, int status, char *buffer, size_t room);
} sc_http_options;

/** No address; 2 loops, 10,000 connections, without a limit per address, 1,000 of operators, 16 KiB
 * of headers, 64 KiB of body, 10 s for a request, 60 s idle, 30 s to take 64 KiB of a reply, 1 MiB
 * of a stream. */
sc_http_options sc_http_options_default(void);

/** Is told one sentence. */
typedef void sc_http_warning(void *context, const char *message);

/**
 * Whether a server could listen at all these addresses, without listening there: this machine has
 * them, and none is there twice. What may be otherwise when the server starts is a warning: an
 * address in use, and a port that this user may not have.
 *
 * @return SC_OK, SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc_http_addresses_check(const char *const *addresses, size_t count,
                                          sc_http_warning *warn, void *context, sc_diag *diag);

/** Whether a private key is kept from others, as a file of token keys must be. One that is not
 * there is not refused here. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc_http_key_check(const char *path, sc_diag *diag);

/** Whether certificate, key and authorities can be used; all may be NULL. When they are valid is
 * not looked at. @return SC_OK, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc_http_tls_check(const sc_tls_files *files, sc_diag *diag);

/** Whether the certificates may be used today. @return SC_OK, SC_EINVAL, SC_EIO */
SC_CHECKED sc_err sc_http_certificate_check(const char *path, sc_diag *diag);

/** Whether only this machine can reach what listens there: "localhost", a loopback address or a
 * unix socket. */
bool sc_http_address_is_local(const char *address);

/** Whether these are proxies as in the options. @return SC_OK, SC_EINVAL */
SC_CHECKED sc_err sc_http_proxies_check(const char *const *proxies, size_t count, sc_diag *diag);

/**
 * Open the sockets and the certificates; nothing is accepted yet. Options are copied, but for
 * `context`.
 *
 * @return SC_OK, SC_EINVAL (an address that is none), SC_EIO (cannot listen there, or a certificate
 *         or key that cannot be used; `diag` has which and why), SC_ENOMEM
 */
SC_CHECKED sc_err sc_http_new(const sc_http_options *options, sc_http **out, sc_diag *diag);

/**
 * Call `ring` in the thread of a loop whenever `fd` is readable, or every `seconds`. Before
 * sc_http_start().
 */
SC_CHECKED sc_err sc_http_watch(sc_http *http, unsigned loop, int fd,
                                void (*ring)(void *context, unsigned loop), void *context);
SC_CHECKED sc_err sc_http_every(sc_http *http, unsigned loop, double seconds,
                                void (*tick)(void *context, unsigned loop), void *context);

/**
 * Let other work share the thread of a loop: `round` is called in each round of the loop, once its
 * requests have been read and before replies that were collected are sent, and returns when the
 * next round begins at the latest, by sc_clock_us(), even if nothing comes in. While there is much
 * to do such a loop lets half a millisecond pass between rounds (base/pace.h), so that one serves
 * many requests. Once for a loop, before sc_http_start().
 */
SC_CHECKED sc_err sc_http_host(sc_http *http, unsigned loop, int64_t (*round)(void *context),
                               void *context);

/** Start the loops' threads, all signals blocked in them. What this process has open now stays open
 * in their tables of descriptors until they end, and what others open later is not seen there: what
 * a handler writes to must be open before. */
SC_CHECKED sc_err sc_http_start(sc_http *http, sc_diag *diag);

/** Stop listening: connecting is refused as soon as the loops have come round, which is at once if
 * they are not busy (at an inherited socket it is for its owner to refuse). Connections there are
 * go on, each until its next reply, which has "Connection: close"; idle ones are closed. Any
 * thread. */
void sc_http_stop_listening(sc_http *http);

/** Whether no connection is left. Any thread. */
bool sc_http_is_idle(const sc_http *http);

/** End the loops with all that is open (for each open request its `gone` is called, in its loop's
 * thread), and wait for their threads. Then sc_http_free(). */
void sc_http_stop(sc_http *http);

/** NULL is fine; stops it first. */
void sc_http_free(sc_http *http);

/**
 * Read the certificate, key and CA files again: new connections get the new ones. Any thread. On
 * failure the old ones stay.
 */
SC_CHECKED sc_err sc_http_reload_tls(sc_http *http, sc_diag *diag);

/** The addresses that are listened at, ports chosen by the kernel filled in, as "127.0.0.1:40123";
 * lent. */
size_t sc_http_address_count(const sc_http *http);
const char *sc_http_address(const sc_http *http, size_t i);

/** The same for operators' addresses. */
size_t sc_http_admin_address_count(const sc_http *http);
const char *sc_http_admin_address(const sc_http *http, size_t i);

/** Counted since the start; any thread. */
typedef struct sc_http_stats {
    uint64_t connections;        ///< open now
    uint64_t accepted;           ///< connections since the start
    uint64_t requests;           ///< that came as a whole
    uint64_t refused_by_limits;  ///< too large, too slow, not HTTP
    uint64_t gone;               ///< requests whose client went away before the reply
    uint64_t accept_failures;    ///< for want of descriptors or memory
    uint64_t evicted;            ///< idle or slow connections that made room for others
    uint64_t full;               ///< connections for which there was no place but in the reserve
    uint64_t refused_addresses;  ///< connections of addresses that had as many as allowed, all busy
    uint64_t stalled;            ///< connections that were reset, since a reply was not taken
    uint64_t paced;              ///< pieces of large replies that had to wait
    uint64_t handshake_failures;  ///< of TLS
    uint64_t refused_handshakes;  ///< connections of addresses that began too many handshakes
} sc_http_stats;

sc_http_stats sc_http_stats_of(const sc_http *http);

/** Whether a reply of this loop has yet to send some of these bytes, which were lent to it. In the
 * thread of the loop; looks at each of its connections. */
bool sc_http_is_lent(const sc_http *http, unsigned loop, const void *bytes, size_t size);

// --- A request; in the thread of its loop ------------------------------------------------------

sc_http_method sc_http_request_method(const sc_http_request *request);

/** "/v1/queries", decoded, without what follows a question mark. Lent, as all of these. */
const char *sc_http_request_path(const sc_http_request *request);

/** What follows the question mark, as it came; "" if there is none. */
const char *sc_http_request_search(const sc_http_request *request);

/** The first header of that name (letters in either case), or NULL. */
const char *sc_http_request_header(const sc_http_request *request, const char *name);

/** The first header of each of these names, or NULL, in one pass for all of them. Names begin with
 * a capital letter. */
void sc_http_request_find_headers(const sc_http_request *request, const char *const *names,
                                  size_t count, const char **values);

/** The body; not ended by NUL. The memory is the request's, and may be written to (wiped). */
char *sc_http_request_body(sc_http_request *request, size_t *size);

/** A number for the peer's address, for limits per address: the whole of an IPv4 address, the first
 * 64 bits of an IPv6 address; keyed, so that it has no meaning outside of this process. All peers
 * of a unix socket have one number. */
uint64_t sc_http_request_peer(const sc_http_request *request);

/** Whether the peer is this very machine (a loopback address or a unix socket). Behind a proxy of
 * the options the peer is the client that the proxy names; one that is named in a request is never
 * local. */
bool sc_http_request_is_local(const sc_http_request *request);

/** Whether the peer is one of the relays of the options. */
bool sc_http_request_is_relayed(const sc_http_request *request);

/** Whether it came in where operators do. */
bool sc_http_request_is_admin(const sc_http_request *request);

/** Whether all places are taken, and this connection has only one of the reserve: it is to be told
 * how the service is, or that it is full, and ends with the reply. */
bool sc_http_request_is_reserve(const sc_http_request *request);

/**
 * Have `gone` called if the client goes away before the reply. One that only ends its own sending
 * still gets it, but counts as gone by HTTP/1.0, and if it is a stream. `gone` is called at
 * most once, in the loop's thread, never after the reply was given and never from within a call of
 * this interface; when it returns, the request is no more.
 */
void sc_http_on_gone(sc_http_request *request, void (*gone)(void *context), void *context);

/** Wipe the body where it lies; the path and headers stay. To be called once it was read: a request
 * may wait for long. */
void sc_http_request_forget_body(sc_http_request *request);

/** The same for the headers: none is found from now on. They hold the token. Once body and headers
 * are forgotten the path is, too, and a waiting request holds no memory but its connection's. */
void sc_http_request_forget_headers(sc_http_request *request);

/**
 * Let pages of an origin read the reply: it has the headers by which a browser allows that. Caches
 * are told that it depends on the origin.
 *
 * @param origin  "https://app.example"; lent until the server has stopped; "": of no other origin,
 *                and caches are told all the same
 */
void sc_http_request_allow_origin(sc_http_request *request, const char *origin);

// --- A request within a request ----------------------------------------------------------------
//
// What a request carries sealed (Oblivious HTTP) is a request by itself. It goes to the same
// handler, in the same loop, and its reply comes back to the one who opened it. It comes from the
// address of the outer one and is never an operator's.

typedef struct sc_http_inner_reply {
    int status;
    const char *type;  ///< NULL: no body
    const void *body;
    size_t size;
    const struct sc_http_header *headers;
    size_t header_count;
} sc_http_inner_reply;

/** Texts and body are borrowed during the call. */
typedef struct sc_http_inner {
    sc_slice method;
    sc_slice target;          ///< "/v1/queries?x=y", as it came
    const sc_slice *headers;  ///< names and values in turn, without NUL or line breaks
    size_t header_count;      ///< pairs of them
    const void *body;
    size_t body_size;
    /** The reply; its texts are lent during the call, which has to answer the outer request. */
    void (*reply)(void *context, const sc_http_inner_reply *reply);
    /** Instead: the outer request's client has gone. */
    void (*gone)(void *context);
    void *context;
} sc_http_inner;

/**
 * Handle a request that `outer` carries. Exactly one of `reply` and `gone` is called, maybe before
 * this returns; `gone` of `outer` is set by this, and its body and headers are forgotten.
 *
 * @return SC_OK; SC_EPARSE (the target is no path) or SC_ENOMEM: neither is called
 */
SC_CHECKED sc_err sc_http_inner_handle(sc_http_request *outer, const sc_http_inner *inner);

/** Whether it came within another one. */
bool sc_http_request_is_inner(const sc_http_request *request);

/** A reply is about to be given: prefetch the memory that it needs. `is_near`: it is the next one
 * that is given; else it is one after it. */
void sc_http_request_prefetch(const sc_http_request *request, bool is_near);

/** One header of a reply. */
typedef struct sc_http_header {
    const char *name;
    const char *value;
} sc_http_header;

/**
 * Answer, and be done with the request. Content-Length, Date and Connection are set;
 * "Cache-Control: no-store" and "X-Content-Type-Options: nosniff" as well, unless `headers` have
 * these. The texts are copied.
 *
 * @param type     media type of the body; NULL if there is none
 * @param headers  more of them; may be NULL
 */
void sc_http_reply(sc_http_request *request, int status, const char *type, const void *body,
                   size_t size, const sc_http_header *headers, size_t header_count);

/**
 * The same with a body that stays where it is, unchanged, until the server has stopped or
 * sc_http_is_lent() says so: what slow clients have not taken yet is not copied, so that a large
 * page costs no memory per client.
 */
void sc_http_reply_lent(sc_http_request *request, int status, const char *type, const void *body,
                        size_t size, const sc_http_header *headers, size_t header_count);

/**
 * Answer piece by piece: begin, send as often as needed, end. A client that goes away, or
 * does not read what waits for it, is reported by sc_http_on_gone(): nothing may be sent after
 * that.
 */
void sc_http_stream_begin(sc_http_request *request, int status, const char *type,
                          const sc_http_header *headers, size_t header_count);
void sc_http_stream_send(sc_http_request *request, const void *bytes, size_t size);
void sc_http_stream_end(sc_http_request *request);

#endif
