// A request: read, handled, ended; and what the handler may ask about it. Its bytes are parsed in
// http_parse.c.
#include "server/http_internal.h"

#include <netinet/in.h>
#include <sodium.h>
#include <string.h>
#include <strings.h>

// --- The peer: a number to count by, which has no meaning outside of this process --------------
//
// An owner of IPv6 addresses has 2^64 of them at least, so its network is what counts.

enum { MAPPED_AT = 12, NETWORK_BYTES = 8 };

_Static_assert((int)SC__HTTP_PEER_KEY_BYTES == (int)crypto_shorthash_KEYBYTES,
               "one key for the hash");

/** What of the address counts: a sort of it, then its bytes. */
typedef struct place {
    unsigned char sort;  ///< 0: this machine, by a unix socket; 4; 6
    unsigned char bytes[NETWORK_BYTES];
} place;

static place place_of_ip4(const void *address)
{
    place p = {.sort = 4};
    memcpy(p.bytes, address, sizeof(struct in_addr));
    return p;
}

static place place_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        return place_of_ip4(&((const struct sockaddr_in *)(const void *)address)->sin_addr);
    }
    if (address->sa_family != AF_INET6) return (place){0};
    const struct in6_addr *ip6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(ip6)) return place_of_ip4(ip6->s6_addr + MAPPED_AT);
    place p = {.sort = 6};
    memcpy(p.bytes, ip6->s6_addr, NETWORK_BYTES);
    return p;
}

uint64_t sc__http_peer_number(const struct sockaddr *address, const unsigned char *key)
{
    const place p = place_of(address);
    uint64_t number = 0;
    crypto_shorthash((unsigned char *)&number, (const unsigned char *)&p, sizeof p, key);
    return number;
}

bool sc__http_peer_is_local(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)(const void *)address;
        if (IN6_IS_ADDR_LOOPBACK(&ip6->sin6_addr)) return true;
    }
    const place p = place_of(address);
    return p.sort == 0 || (p.sort == 4 && p.bytes[0] == IN_LOOPBACKNET);
}

// --- Reading -----------------------------------------------------------------------------------

typedef enum progress {
    PROGRESS_MORE,     ///< bytes are missing
    PROGRESS_DONE,     ///< a request was handled; or this step is done
    PROGRESS_REFUSED,  ///< or the connection is of no use any more
} progress;

static void forget(sc_http_request *request)
{
    sc__http_connection *connection = request->connection;
    sc__http_buffer_release(connection->loop, &request->bytes);
    *request = (sc_http_request){.connection = connection};
}

static progress refuse(sc__http_connection *connection, int status)
{
    if (status < 0) {
        sc__http_connection_doom(connection);
    } else {
        sc__http_refuse(connection, status);
    }
    connection->reader = (sc__http_reader){0};
    connection->request = (sc_http_request){.connection = connection};
    return PROGRESS_REFUSED;
}

/** The bytes up to `end` are the request's; what follows was sent ahead. False if memory is out. */
static bool take_bytes(sc__http_connection *connection, size_t end)
{
    sc__http_buffer *input = &connection->input;
    const size_t ahead = input->size - end;
    sc__http_buffer rest = {0};
    if (ahead > 0) {
        if (!sc__http_buffer_reserve(connection->loop, &rest, ahead, SC__HTTP_BLOCK)) return false;
        memcpy(rest.data, input->data + end, ahead);
        rest.size = ahead;
    }
    connection->request.bytes = *input;  // with what was ahead, so that it is wiped, too
    *input = rest;
    connection->reader = (sc__http_reader){0};
    return true;
}

static progress handle(sc__http_connection *connection, size_t end)
{
    sc__http_loop *loop = connection->loop;
    sc_http_request *request = &connection->request;
    if (!take_bytes(connection, end)) return refuse(connection, 503);
    sc__http_admission_promote(connection);
    if (connection->is_reserve) request->keeps_alive = false;
    sc__http_count(&loop->requests);
    sc__http_connection_enter(connection, SC__HTTP_WAITING);
    request->is_open = true;
    loop->http->options.handle(loop->http->options.context, loop->index, request);
    return PROGRESS_DONE;
}

// What a client of HTTP/2 begins with, if it knows that the server speaks it.
static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Go on with the bytes that are there. */
static progress parse(sc__http_connection *connection)
{
    const sc__http_buffer *input = &connection->input;
    const size_t known = input->size < sizeof preface - 1 ? input->size : sizeof preface - 1;
    // By TLS it is agreed upon beforehand; and nothing else may come before it.
    const bool may_change = !connection->ssl && connection->sent == 0;
    if (may_change && connection->reader.head_size == 0 &&
        memcmp(input->data, preface, known) == 0) {
        if (known < sizeof preface - 1) return PROGRESS_MORE;
        if (!sc__http2_begin(connection)) sc__http_connection_doom(connection);
        return PROGRESS_DONE;
    }
    size_t end = 0;
    const int status = sc__http_parse(connection, &end);
    if (status) return refuse(connection, status);
    return end > 0 ? handle(connection, end) : PROGRESS_MORE;
}

/** How many bytes are missing, as far as that is known; at least as many as a usual request has. */
static size_t wanted(const sc__http_connection *connection)
{
    const sc__http_buffer *input = &connection->input;
    const sc__http_reader *r = &connection->reader;
    const size_t end =
        r->head_size > 0 && !r->is_chunked ? r->head_size + connection->request.body_size : 0;
    const size_t missing = end > input->size ? end - input->size : 0;
    const size_t left = input->capacity - input->size;
    return missing > left || left == 0 ? (missing > 0 ? missing : 1) : left;
}

/** Read once, behind what is there. */
static sc__http_read fill(sc__http_connection *connection)
{
    sc__http_buffer *input = &connection->input;
    if (!sc__http_buffer_reserve(connection->loop, input, wanted(connection), SC__HTTP_BLOCK)) {
        return SC__HTTP_READ_BROKEN;
    }
    size_t size = 0;
    const sc__http_read read = sc__http_io_read(connection, input->data + input->size,
                                                input->capacity - input->size, &size);
    if (read == SC__HTTP_READ_SOME) input->size += size;
    if (input->size == 0) sc__http_buffer_release(connection->loop, input);
    return read;
}

static bool reads_requests(const sc__http_connection *connection)
{
    return connection->fd >= 0 && !connection->h2 &&
           (connection->stage == SC__HTTP_IDLE || connection->stage == SC__HTTP_READING);
}

/** Until nothing is left to read, or a request waits; whether there may be more to do. */
static bool read_some(sc__http_connection *connection)
{
    enum { AT_ONCE = 16 };  // then others get their turn
    for (int i = 0; i < AT_ONCE && reads_requests(connection); i++) {
        if (connection->input.size > 0) {
            if (connection->stage == SC__HTTP_IDLE) {
                sc__http_connection_enter(connection, SC__HTTP_READING);
            }
            if (parse(connection) != PROGRESS_MORE) continue;
        }
        if (!connection->may_read) return false;
        switch (fill(connection)) {
        case SC__HTTP_READ_SOME:
            break;
        case SC__HTTP_READ_NOTHING:
            return connection->may_read;
        case SC__HTTP_READ_END:
        case SC__HTTP_READ_BROKEN:
            sc__http_connection_part(connection);
            return false;
        }
    }
    return reads_requests(connection);
}

void sc__http_request_read(sc__http_connection *connection)
{
    connection->is_in_turn = true;
    const bool is_more = read_some(connection);
    connection->is_in_turn = false;
    if (connection->fd < 0) return;
    if (is_more) {
        sc__http_loop_again(connection);
    } else if (connection->h2 || (connection->has_hung_up && !reads_requests(connection))) {
        // An end that was told together with the request will not be told again.
        sc__http_connection_read(connection);
    }
}

/** How much may be sent ahead: as much as a request may have. */
static size_t most_ahead(const sc_http_options *o)
{
    const size_t larger =
        o->max_body_bytes > o->max_header_bytes ? o->max_body_bytes : o->max_header_bytes;
    return larger + SC__HTTP_BLOCK;
}

void sc__http_request_read_ahead(sc__http_connection *connection)
{
    const sc_http_request *request = &connection->request;
    while (connection->may_read) {
        if (connection->input.size >= most_ahead(&connection->loop->http->options)) {
            // A client that sends so much ahead while a reply is awaited is read no further, and so
            // would not be seen to go: let it go now.
            if (request->is_open) sc__http_connection_doom(connection);
            return;
        }
        switch (fill(connection)) {
        case SC__HTTP_READ_SOME:
            break;
        case SC__HTTP_READ_NOTHING:
            return;
        case SC__HTTP_READ_END:
            if (!sc__http_reply_goes_on(connection)) sc__http_connection_close(connection);
            return;
        case SC__HTTP_READ_BROKEN:
            sc__http_connection_close(connection);
            return;
        }
    }
}

// --- Ending ------------------------------------------------------------------------------------

void sc__http_request_break(sc_http_request *request)
{
    if (request->is_open) {
        sc__http_count(&request->connection->loop->gone);
        request->is_open = false;
        if (request->gone) request->gone(request->gone_context);
    }
    forget(request);
}

void sc__http_request_finish(sc_http_request *request)
{
    sc__http_connection *connection = request->connection;
    const bool keeps_alive = request->keeps_alive;
    forget(request);
    const bool is_last = !keeps_alive || connection->loop->is_draining;
    if (!keeps_alive && !sc__http_connection_owes(connection)) {
        sc__http_connection_close(connection);
    } else if (is_last) {
        sc__http_linger(connection);
    } else {
        // What was sent ahead is the beginning of the next request.
        const bool has_some = connection->input.size > 0;
        sc__http_connection_enter(connection, has_some ? SC__HTTP_READING : SC__HTTP_IDLE);
        if ((has_some || connection->may_read) && !connection->is_in_turn) {
            sc__http_loop_again(connection);
        }
    }
}

// --- Its content -------------------------------------------------------------------------------

sc_http_method sc_http_request_method(const sc_http_request *request)
{
    return request->method;
}

const char *sc_http_request_path(const sc_http_request *request)
{
    return request->bytes.data ? request->bytes.data + request->path_at : "";
}

const char *sc_http_request_search(const sc_http_request *request)
{
    return request->bytes.data ? request->bytes.data + request->search_at : "";
}

const char *sc_http_request_header(const sc_http_request *request, const char *name)
{
    const char *at = request->bytes.data + request->headers_at;
    const char *end = request->bytes.data + request->headers_end;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        if (strcasecmp(at, name) == 0) return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

void sc_http_request_find_headers(const sc_http_request *request, const char *const *names,
                                  size_t count, const char **values)
{
    enum { CAPITAL = ~0x20 };
    const char *at = request->bytes.data + request->headers_at;
    const char *end = request->bytes.data + request->headers_end;
    for (size_t i = 0; i < count; i++) {
        values[i] = NULL;
    }
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        for (size_t i = 0; i < count; i++) {
            // Most differ in the first letter.
            if ((*at & CAPITAL) != *names[i] || values[i] || strcasecmp(at, names[i]) != 0)
                continue;
            values[i] = value;
        }
        at = value + strlen(value) + 1;
    }
}

char *sc_http_request_body(sc_http_request *request, size_t *size)
{
    *size = request->body_size;
    return *size > 0 ? request->bytes.data + request->body_at : NULL;
}

/** Nothing of it is needed any more: the memory is for others. */
static void release_if_empty(sc_http_request *request)
{
    if (request->body_size > 0 || request->headers_end > request->headers_at) return;
    sc__http_buffer_release(request->connection->loop, &request->bytes);
}

void sc_http_request_forget_body(sc_http_request *request)
{
    if (request->body_size > 0) {
        explicit_bzero(request->bytes.data + request->body_at, request->body_size);
    }
    request->body_size = 0;
    release_if_empty(request);
}

void sc_http_request_forget_headers(sc_http_request *request)
{
    const size_t size = request->headers_end - request->headers_at;
    if (size > 0) explicit_bzero(request->bytes.data + request->headers_at, size);
    request->headers_end = request->headers_at;
    release_if_empty(request);
}

void sc_http_request_prefetch(const sc_http_request *request, bool is_near)
{
    if (is_near) {
        sc__http_connection_prefetch(request->connection);
    } else {
        __builtin_prefetch(request);
    }
}

uint64_t sc_http_request_peer(const sc_http_request *request)
{
    return request->connection->peer;
}

bool sc_http_request_is_local(const sc_http_request *request)
{
    return request->connection->is_local;
}

bool sc_http_request_is_admin(const sc_http_request *request)
{
    const sc__http_connection *connection = request->connection;
    return connection->is_admin || connection->loop->http->options.is_admin_shared;
}

bool sc_http_request_is_reserve(const sc_http_request *request)
{
    return request->connection->is_reserve;
}

void sc_http_request_allow_origin(sc_http_request *request, const char *origin)
{
    request->origin = origin;
}

void sc_http_on_gone(sc_http_request *request, void (*gone)(void *context), void *context)
{
    request->gone = gone;
    request->gone_context = context;
}
