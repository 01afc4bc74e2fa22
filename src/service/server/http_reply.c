// Replies: their heads, whole ones, and streams.
//
// A reply is two pieces of memory, its head and its body, which mostly go out at once.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

// --- Heads -------------------------------------------------------------------------------------
//
// Put together without printf, since every request needs one. Nothing in a head can end it early: a
// header whose text has a control byte is left out.

// The longest of what is always there, with room to spare; texts of callers come on top.
enum { FIXED_ROOM = 448, ORIGIN_ROOM = 160, NUMBER_ROOM = 20, AROUND_HEADER = 4 };

/** Where the next byte goes. */
typedef struct pen {
    char *at;
} pen;

static void put(pen *p, const char *text, size_t size)
{
    memcpy(p->at, text, size);
    p->at += size;
}

#define PUT(p, literal) put(p, literal, sizeof(literal) - 1)

static void put_text(pen *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_number(pen *p, uint64_t number)
{
    char digits[NUMBER_ROOM];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(p, digits + first, sizeof digits - first);
}

static void put_two_digits(pen *p, int number)
{
    const char digits[] = {(char)('0' + number / 10 % 10), (char)('0' + number % 10)};
    put(p, digits, sizeof digits);
}

// --- Heads: what is always there ---------------------------------------------------------------

static const char *phrase(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 304:
        return "Not Modified";
    case 308:
        return "Permanent Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 413:
        return "Content Too Large";
    case 415:
        return "Unsupported Media Type";
    case 417:
        return "Expectation Failed";
    case 422:
        return "Unprocessable Content";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    default:
        return "";  // which is allowed
    }
}

// "Sun, 06 Nov 1994 08:49:37 GMT", in no language but this.
static void write_date(sc__http_loop *loop, time_t now_s)
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm now;
    gmtime_r(&now_s, &now);
    pen p = {loop->date};
    put(&p, days + (ptrdiff_t)now.tm_wday * 3, 3);
    PUT(&p, ", ");
    put_two_digits(&p, now.tm_mday);
    PUT(&p, " ");
    put(&p, months + (ptrdiff_t)now.tm_mon * 3, 3);
    PUT(&p, " ");
    put_number(&p, (uint64_t)now.tm_year + 1900);
    PUT(&p, " ");
    put_two_digits(&p, now.tm_hour);
    PUT(&p, ":");
    put_two_digits(&p, now.tm_min);
    PUT(&p, ":");
    put_two_digits(&p, now.tm_sec);
    PUT(&p, " GMT");
    *p.at = '\0';
}

// Written once a second.
const char *sc__http_date(sc__http_loop *loop)
{
    const time_t now_s = time(NULL);
    if (now_s != loop->date_s) {
        write_date(loop, now_s);
        loop->date_s = now_s;
    }
    return loop->date;
}

// --- Heads: what the caller adds ---------------------------------------------------------------

bool sc__http_header_is_safe(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' && *text != '\t') return false;
    }
    return true;
}

static bool has(const sc__http_head *head, const char *name)
{
    for (size_t i = 0; i < head->header_count; i++) {
        if (strcasecmp(head->headers[i].name, name) == 0) return true;
    }
    return false;
}

static size_t room_for(const sc__http_head *head)
{
    size_t room = FIXED_ROOM + (head->type ? strlen(head->type) : 0);
    if (head->origin) room += ORIGIN_ROOM + strlen(head->origin);
    for (size_t i = 0; i < head->header_count; i++) {
        room += strlen(head->headers[i].name) + strlen(head->headers[i].value) + AROUND_HEADER;
    }
    return room;
}

static void put_header(pen *p, const char *name, const char *value)
{
    if (!sc__http_header_is_safe(name) || !sc__http_header_is_safe(value)) return;
    put_text(p, name);
    PUT(p, ": ");
    put_text(p, value);
    PUT(p, "\r\n");
}

static void put_origin(pen *p, const char *origin)
{
    PUT(p, "Vary: Origin\r\n");
    if (*origin == '\0') return;
    put_header(p, "Access-Control-Allow-Origin", origin);
    put_header(p, "Access-Control-Expose-Headers", SC__HTTP_EXPOSED);
}

size_t sc__http_head_write(sc__http_loop *loop, const sc__http_head *head)
{
    if (!sc_reserve(&loop->scratch, room_for(head), &loop->scratch_capacity, 1)) return 0;
    pen p = {loop->scratch};
    PUT(&p, "HTTP/1.1 ");
    put_number(&p, (uint64_t)head->status);
    PUT(&p, " ");
    put_text(&p, phrase(head->status));
    PUT(&p, "\r\nDate: ");
    put_text(&p, sc__http_date(loop));
    PUT(&p, "\r\n");
    if (head->type) put_header(&p, "Content-Type", head->type);
    if (head->length >= 0) {
        PUT(&p, "Content-Length: ");
        put_number(&p, (uint64_t)head->length);
        PUT(&p, "\r\n");
    } else if (head->length == SC__HTTP_CHUNKED) {
        PUT(&p, "Transfer-Encoding: chunked\r\n");
    }
    if (!head->keeps_alive) {
        PUT(&p, "Connection: close\r\n");
    } else if (head->says_keep_alive) {
        PUT(&p, "Connection: keep-alive\r\n");
    }
    if (!has(head, "Cache-Control")) PUT(&p, "Cache-Control: no-store\r\n");
    if (!has(head, "X-Content-Type-Options")) PUT(&p, "X-Content-Type-Options: nosniff\r\n");
    if (head->is_tls) PUT(&p, "Strict-Transport-Security: max-age=31536000\r\n");
    if (head->origin) put_origin(&p, head->origin);
    for (size_t i = 0; i < head->header_count; i++) {
        put_header(&p, head->headers[i].name, head->headers[i].value);
    }
    PUT(&p, "\r\n");
    return (size_t)(p.at - loop->scratch);
}

enum { CHUNK_ROOM = 20 };

// --- While a request is answered -----------------------------------------------------------------

void sc__http_reply_written(sc__http_connection *connection)
{
    if (connection->stage != SC__HTTP_WRITING) return;  // 100 Continue
    if (connection->request.is_open) {
        sc__http_connection_enter(connection, SC__HTTP_WAITING);
    } else if (connection->rest_size > 0) {
        sc__http_reply_continue(connection);
    } else {
        sc__http_request_finish(&connection->request);
    }
}

// A client that ends its own sending may still read, and one that has gone looks the same until
// something is sent to it: then its machine resets the connection, which is an event. So it is sent
// that its request goes on, which every client of HTTP/1.1 has to expect at any time.
bool sc__http_reply_goes_on(sc__http_connection *connection)
{
    sc_http_request *request = &connection->request;
    if (connection->stage == SC__HTTP_DOOMED) return false;
    request->keeps_alive = false;
    if (!request->is_open) return true;  // the reply is on its way
    if (request->is_stream || request->is_10) return false;
    char probe[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct iovec piece = {probe, sizeof probe - 1};
    bool all_sent = false;
    return sc__http_io_send(connection, &piece, 1, 1, &all_sent) && all_sent;
}

// --- Sending -----------------------------------------------------------------------------------

bool sc__http_reply_has_body(const sc_http_request *request, int status)
{
    return request->method != SC_HTTP_HEAD && status != 204 && status != 304 && status >= 200;
}

static size_t write_head(sc_http_request *request, sc__http_head head)
{
    sc__http_loop *loop = request->connection->loop;
    head.keeps_alive = request->keeps_alive && !loop->is_draining;
    head.says_keep_alive = request->is_10;
    head.is_tls = request->connection->ssl != NULL;
    head.origin = request->origin;
    return sc__http_head_write(loop, &head);
}

/** Send, or break the connection off; it waits for the reader if not everything could be sent. */
static void send_pieces(sc__http_connection *connection, struct iovec *pieces, size_t count,
                        size_t lent, bool *all_sent)
{
    *all_sent = false;
    if (!sc__http_io_send(connection, pieces, count, lent, all_sent)) {
        sc__http_connection_doom(connection);
    } else if (!*all_sent && connection->stage != SC__HTTP_WRITING) {
        sc__http_connection_enter(connection, SC__HTTP_WRITING);
    }
}

static void reply(sc_http_request *request, int status, const char *type, const void *body,
                  size_t size, const sc_http_header *headers, size_t header_count, bool is_lent)
{
    if (request->inner) {
        sc__http_inner_reply(
            request, &(sc_http_inner_reply){status, type, body, size, headers, header_count});
        return;
    }
    if (request->stream) {
        sc__http2_reply(request, status, type, body, size, headers, header_count, is_lent);
        return;
    }
    sc__http_connection *connection = request->connection;
    const size_t head_size = write_head(
        request, (sc__http_head){.status = status,
                                 .type = type,
                                 .length = status == 204 || status == 304 ? SC__HTTP_NO_LENGTH
                                                                          : (int64_t)size,
                                 .headers = headers,
                                 .header_count = header_count});
    request->is_open = false;
    if (head_size == 0) {
        sc__http_connection_doom(connection);
        return;
    }
    struct iovec pieces[] = {{connection->loop->scratch, head_size}, {(void *)body, size}};
    bool all_sent = false;
    const size_t count = size > 0 && sc__http_reply_has_body(request, status) ? 2 : 1;
    if (is_lent && count == 2 && size > SC__HTTP_PIECE) {
        pieces[1].iov_len = SC__HTTP_PIECE;
        connection->rest = (const char *)body + SC__HTTP_PIECE;
        connection->rest_size = size - SC__HTTP_PIECE;
    }
    send_pieces(connection, pieces, count, is_lent ? 1 : count, &all_sent);
    if (!all_sent) return;
    if (connection->rest_size > 0) {
        sc__http_connection_enter(connection, SC__HTTP_WRITING);
        sc__http_reply_continue(connection);
    } else {
        sc__http_request_finish(request);
    }
}

// --- Large replies -------------------------------------------------------------------------------
//
// Their memory stays where it is, so they are sent piece by piece: the next when the kernel has
// taken the last one, and when the address has not had more bytes than it may have in its time.

static const int64_t pace_us = 20000;

bool sc__http_reply_may_have_piece(const sc_http_request *request)
{
    const sc__http_connection *connection = request->connection;
    const sc_http *http = connection->loop->http;
    const double rate = http->options.address_bytes_per_s / SC__HTTP_PIECE;
    if (rate <= 0 || connection->is_admin || connection->is_relay) return true;
    const double burst = rate < 0.5 ? 1 : 2 * rate;
    return sc_rate_limit_take(http->bytes, sc_http_request_peer(request), rate, burst,
                              sc_clock_us()) == 0;
}

void sc__http_reply_wait(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    sc__http_count(&loop->paced_pieces);
    if (connection->is_paced) return;
    TAILQ_INSERT_TAIL(&loop->paced, connection, paced_link);
    connection->is_paced = true;
    if (loop->pace_us == INT64_MAX) loop->pace_us = loop->now_us + pace_us;
}

/** The address may have a piece: send it, and further ones as far as the kernel takes them. */
static void send_on(sc__http_connection *connection)
{
    bool all_sent = false;
    do {
        const size_t size =
            connection->rest_size < SC__HTTP_PIECE ? connection->rest_size : SC__HTTP_PIECE;
        connection->piece = connection->rest;
        connection->piece_size = size;
        connection->rest += size;
        connection->rest_size -= size;
        if (!sc__http_io_flush(connection, &all_sent)) {
            sc__http_connection_doom(connection);
            return;
        }
        if (!all_sent) return;
        if (connection->rest_size == 0) {
            sc__http_request_finish(&connection->request);
            return;
        }
    } while (sc__http_reply_may_have_piece(&connection->request));
    sc__http_reply_wait(connection);
}

void sc__http_reply_continue(sc__http_connection *connection)
{
    if (sc__http_reply_may_have_piece(&connection->request)) {
        send_on(connection);
    } else {
        sc__http_reply_wait(connection);
    }
}

void sc__http_reply_pace(sc__http_loop *loop)
{
    sc__http_connection *next = NULL;
    for (sc__http_connection *c = TAILQ_FIRST(&loop->paced); c; c = next) {
        next = TAILQ_NEXT(c, paced_link);
        if (c->stage == SC__HTTP_DOOMED || (!c->h2 && !sc__http_reply_may_have_piece(&c->request)))
            continue;
        TAILQ_REMOVE(&loop->paced, c, paced_link);
        c->is_paced = false;
        if (c->h2) {
            sc__http2_pace(c);
        } else {
            send_on(c);
        }
    }
    if (!TAILQ_EMPTY(&loop->paced)) loop->pace_us = loop->now_us + pace_us;
}

/** Whether some of what is to be sent lies in the memory that was lent. */
static bool is_of(const char *bytes, size_t left, const void *lent, size_t size)
{
    return left > 0 && (uintptr_t)bytes - (uintptr_t)lent < size;
}

static bool is_lent_to(const sc__http_connection *connection, const void *bytes, size_t size)
{
    return is_of(connection->piece, connection->piece_size, bytes, size) ||
           is_of(connection->rest, connection->rest_size, bytes, size) ||
           (connection->h2 && sc__http2_is_lent(connection, bytes, size));
}

bool sc_http_is_lent(const sc_http *http, unsigned loop, const void *bytes, size_t size)
{
    const sc__http_loop *own = &http->loops[loop];
    for (int stage = 0; stage < SC__HTTP_STAGES; stage++) {
        const sc__http_connection *connection = NULL;
        TAILQ_FOREACH(connection, &own->stages[stage], link)
        {
            if (is_lent_to(connection, bytes, size)) return true;
        }
    }
    return false;
}

void sc_http_reply(sc_http_request *request, int status, const char *type, const void *body,
                   size_t size, const sc_http_header *headers, size_t header_count)
{
    reply(request, status, type, body, size, headers, header_count, false);
}

void sc_http_reply_lent(sc_http_request *request, int status, const char *type, const void *body,
                        size_t size, const sc_http_header *headers, size_t header_count)
{
    reply(request, status, type, body, size, headers, header_count, true);
}

// --- Streams -----------------------------------------------------------------------------------

void sc_http_stream_begin(sc_http_request *request, int status, const char *type,
                          const sc_http_header *headers, size_t header_count)
{
    if (request->stream) {
        sc__http2_stream_begin(request, status, type, headers, header_count);
        return;
    }
    sc__http_connection *connection = request->connection;
    request->is_stream = true;
    request->is_chunked = !request->is_10 && sc__http_reply_has_body(request, status);
    // Before chunks were invented, the end of a stream was the end of the connection.
    if (!request->is_chunked && sc__http_reply_has_body(request, status))
        request->keeps_alive = false;
    const size_t head_size =
        write_head(request, (sc__http_head){.status = status,
                                            .type = type,
                                            .length = request->is_chunked ? SC__HTTP_CHUNKED
                                                                          : SC__HTTP_NO_LENGTH,
                                            .headers = headers,
                                            .header_count = header_count});
    if (head_size == 0) {
        sc__http_connection_doom(connection);
        return;
    }
    struct iovec piece = {connection->loop->scratch, head_size};
    bool all_sent = false;
    send_pieces(connection, &piece, 1, 1, &all_sent);
}

void sc_http_stream_send(sc_http_request *request, const void *bytes, size_t size)
{
    if (request->stream) {
        sc__http2_stream_send(request, bytes, size);
        return;
    }
    sc__http_connection *connection = request->connection;
    const size_t most = connection->loop->http->options.max_stream_bytes;
    if (size == 0 || connection->stage == SC__HTTP_DOOMED || request->method == SC_HTTP_HEAD) {
        return;
    }
    if (size > most || sc__http_io_waiting(connection) > most - size) {
        sc__http_connection_doom(connection);
        return;
    }
    char before[CHUNK_ROOM];
    char after[] = "\r\n";
    const int before_size = snprintf(before, sizeof before, "%zx\r\n", size);
    struct iovec pieces[] = {
        {before, (size_t)before_size}, {(void *)bytes, size}, {after, sizeof after - 1}};
    bool all_sent = false;
    if (request->is_chunked) {
        send_pieces(connection, pieces, 3, 3, &all_sent);
    } else {
        send_pieces(connection, pieces + 1, 1, 1, &all_sent);
    }
}

void sc_http_stream_end(sc_http_request *request)
{
    if (request->stream) {
        sc__http2_stream_end(request);
        return;
    }
    sc__http_connection *connection = request->connection;
    request->is_open = false;
    request->is_stream = false;
    if (connection->stage == SC__HTTP_DOOMED) return;
    char last[] = "0\r\n\r\n";
    struct iovec piece = {last, sizeof last - 1};
    bool all_sent = sc__http_io_waiting(connection) == 0;
    if (request->is_chunked) send_pieces(connection, &piece, 1, 1, &all_sent);
    if (all_sent) sc__http_request_finish(request);
}
