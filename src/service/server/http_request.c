// A request: from the moment it is whole to its end, and what the handler may ask about it.
//
// libevent is generous about where a request ends: it takes the first of two lengths, and does not
// know other encodings than "chunked". A proxy in front might see another end than we do, and let a
// second request through as part of the first. So every request that is not plain is refused, and
// its connection closed. How its bytes are framed was followed before (http_framing.c).
#include "server/http_internal.h"

#include "base/alloc.h"

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

// --- The request -------------------------------------------------------------------------------

/** What the headers have about the request's size and the connection. */
typedef struct framing {
    unsigned hosts;
    unsigned lengths;
    unsigned encodings;
    bool has_bad_name;
    bool has_bad_length;
    bool has_length;  ///< other than 0
    bool has_bad_encoding;
    bool wants_close;
    bool wants_keep_alive;
} framing;

// --- Checking that it is plain -----------------------------------------------------------------

/** No blanks, no control bytes, something at least. */
static bool is_name(const char *text)
{
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text <= ' ' || *text > '~') return false;
    }
    return true;
}

/** Whether `word` is in a list as "close, TE". */
static bool lists(const char *list, const char *word)
{
    const size_t size = strlen(word);
    while (*list != '\0') {
        list += strspn(list, " \t,");
        const size_t next = strcspn(list, " \t,");
        if (next == size && strncasecmp(list, word, size) == 0) return true;
        list += next;
    }
    return false;
}

static void read_header(framing *f, const char *name, const char *value)
{
    f->has_bad_name |= !is_name(name);
    // Most headers are none of these: one look at the first letter.
    switch (*name | 0x20) {
    case 'h':
        f->hosts += strcasecmp(name, "host") == 0;
        break;
    case 'c':
        if (strcasecmp(name, "content-length") == 0) {
            f->lengths++;
            f->has_bad_length |= value[strspn(value, "0123456789")] != '\0';
            f->has_length |= value[strspn(value, "0")] != '\0';
        } else if (strcasecmp(name, "connection") == 0) {
            f->wants_close |= lists(value, "close");
            f->wants_keep_alive |= strncasecmp(value, "keep-alive", 10) == 0;
        }
        break;
    case 't':
        if (strcasecmp(name, "transfer-encoding") == 0) {
            f->encodings++;
            f->has_bad_encoding |= strcasecmp(value, "chunked") != 0;
        }
        break;
    default:
        break;
    }
}

static framing read_framing(const struct evhttp_request *event)
{
    framing f = {0};
    for (const struct evkeyval *h = event->input_headers->tqh_first; h; h = h->next.tqe_next) {
        read_header(&f, h->key, h->value);
    }
    return f;
}

static bool is_newer_than_10(const struct evhttp_request *event)
{
    return event->minor >= 1;
}

/**
 * Whether the target is a path; or names the same host as the header does, as clients speak to
 * proxies. If it named another, what stands in front of us may have looked at that one, or, of
 * "//x/metrics", at another path.
 */
static bool is_target_plain(const struct evhttp_request *event)
{
    static const char *const schemes[] = {"http://", "https://"};
    const char *target = event->uri ? event->uri : "";
    if (target[0] == '/') return target[1] != '/';
    const char *host = evhttp_find_header(event->input_headers, "Host");
    for (size_t i = 0; host && i < sizeof schemes / sizeof schemes[0]; i++) {
        const size_t scheme = strlen(schemes[i]);
        if (strncasecmp(target, schemes[i], scheme) != 0) continue;
        const size_t size = strcspn(target + scheme, "/?#");
        return strlen(host) == size && strncasecmp(target + scheme, host, size) == 0;
    }
    return false;
}

/** The status to refuse it with, or 0. */
static int judge(const struct evhttp_request *event, const framing *f)
{
    if (event->major != 1 || event->minor < 0 || f->has_bad_name || f->has_bad_length) return 400;
    if (f->lengths + f->encodings > 1 || f->hosts > 1) return 400;
    if (!is_target_plain(event)) return 400;
    if (is_newer_than_10(event) ? f->hosts == 0 : f->encodings > 0) return 400;
    return f->has_bad_encoding ? 501 : 0;
}

// Of other methods libevent does not read the body: it would take it for the next request.
static bool is_read_whole(const struct evhttp_request *event, const framing *f)
{
    const bool has_body = f->has_length || f->encodings > 0;
    return !has_body ||
           (event->type & (EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE |
                           EVHTTP_REQ_PATCH | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_CONNECT));
}

// --- Arriving ----------------------------------------------------------------------------------

static const char *raw_path(const sc_http_request *request)
{
    const struct evhttp_uri *uri = request->event->uri_elems;
    const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
    return path && *path != '\0' ? path : "/";
}

/** Decode the path if need be, and lay the body out in one piece; the status to refuse with, or 0.
 */
static int unpack(sc_http_request *request)
{
    const char *path = raw_path(request);
    if (strchr(path, '%')) {
        size_t size = 0;
        request->decoded = evhttp_uridecode(path, 0, &size);
        if (!request->decoded) return 503;
        // What follows a NUL would be there for some eyes and not for others.
        if (memchr(request->decoded, '\0', size)) return 400;
    }
    struct evbuffer *body = request->event->input_buffer;
    return evbuffer_get_length(body) > 0 && !evbuffer_pullup(body, -1) ? 503 : 0;
}

static void forget(sc_http_request *request)
{
    sc__http_wipe_free(request->decoded);
    *request = (sc_http_request){0};
}

void sc__http_request_arrived(struct evhttp_request *event, void *context)
{
    const sc__http_door *door = context;
    sc__http_loop *loop = door->loop;
    struct bufferevent *stream = evhttp_connection_get_bufferevent(event->evcon);
    sc__http_connection *connection = sc__http_connection_find(loop, stream);
    if (!connection) {
        evhttp_connection_free(event->evcon);
        return;
    }
    // From here on libevent's own callbacks would do harm: see the second invariant.
    bufferevent_setcb(stream, NULL, sc__http_reply_written, sc__http_reply_broken, connection);

    sc_http_request *request = &connection->request;
    const framing f = read_framing(event);
    request->event = event;
    request->keeps_alive =
        (is_newer_than_10(event) ? !f.wants_close : f.wants_keep_alive && !f.wants_close) &&
        is_read_whole(event, &f);
    sc__http_admission_promote(connection);
    if (connection->is_reserve) request->keeps_alive = false;
    int status = connection->is_malformed ? 400 : judge(event, &f);
    if (!status) status = unpack(request);
    if (status) {
        forget(request);
        sc__http_refuse(connection, status);
        return;
    }
    sc__http_count(&loop->requests);
    sc__http_connection_enter(connection, SC__HTTP_WAITING);
    // Only reading shows that the client has gone.
    bufferevent_enable(stream, EV_READ);
    request->is_open = true;
    loop->http->options.handle(loop->http->options.context, loop->index, request);
}

// --- Ending ------------------------------------------------------------------------------------

void sc__http_request_break(sc_http_request *request)
{
    if (request->is_open) {
        sc__http_count(&sc__http_connection_of(request)->loop->gone);
        request->is_open = false;
        if (request->gone) request->gone(request->gone_context);
    }
    forget(request);
}

void sc__http_request_finish(sc_http_request *request)
{
    sc__http_connection *connection = sc__http_connection_of(request);
    struct evhttp_request *event = request->event;
    const bool keeps_alive = request->keeps_alive;
    forget(request);
    if (!keeps_alive && sc__http_connection_owes(connection)) {
        sc__http_linger(connection);
    } else if (!keeps_alive) {
        sc__http_connection_close(connection);
    } else if (connection->loop->is_draining) {
        sc__http_linger(connection);
    } else {
        // What was sent ahead is the beginning of the next request.
        connection->received = evbuffer_get_length(bufferevent_get_input(connection->stream));
        sc__http_connection_enter(connection,
                                  connection->received > 0 ? SC__HTTP_READING : SC__HTTP_IDLE);
        event->chunked = 0;  // the request's; the reply has been sent as it is
        evhttp_send_reply_end(event);
    }
}

// --- Its content -------------------------------------------------------------------------------

sc_http_method sc_http_request_method(const sc_http_request *request)
{
    switch (request->event->type) {
    case EVHTTP_REQ_GET:
        return SC_HTTP_GET;
    case EVHTTP_REQ_HEAD:
        return SC_HTTP_HEAD;
    case EVHTTP_REQ_POST:
        return SC_HTTP_POST;
    case EVHTTP_REQ_DELETE:
        return SC_HTTP_DELETE;
    default:
        return SC_HTTP_OTHER;
    }
}

const char *sc_http_request_path(const sc_http_request *request)
{
    return request->decoded ? request->decoded : raw_path(request);
}

const char *sc_http_request_search(const sc_http_request *request)
{
    const struct evhttp_uri *uri = request->event->uri_elems;
    const char *search = uri ? evhttp_uri_get_query(uri) : NULL;
    return search ? search : "";
}

const char *sc_http_request_header(const sc_http_request *request, const char *name)
{
    return evhttp_find_header(request->event->input_headers, name);
}

char *sc_http_request_body(sc_http_request *request, size_t *size)
{
    struct evbuffer *body = request->event->input_buffer;
    *size = evbuffer_get_length(body);
    return *size > 0 ? (char *)evbuffer_pullup(body, -1) : NULL;
}

void sc_http_request_forget_body(sc_http_request *request)
{
    // Draining frees, and freeing wipes (http_server.c).
    struct evbuffer *body = request->event->input_buffer;
    evbuffer_drain(body, evbuffer_get_length(body));
}

void sc_http_request_forget_headers(sc_http_request *request)
{
    // For HTTP/1.0 libevent looks there again, to see whether the connection stays.
    if (is_newer_than_10(request->event)) evhttp_clear_headers(request->event->input_headers);
}

uint64_t sc_http_request_peer(const sc_http_request *request)
{
    return sc__http_connection_of(request)->peer;
}

bool sc_http_request_is_local(const sc_http_request *request)
{
    return sc__http_connection_of(request)->is_local;
}

bool sc_http_request_is_admin(const sc_http_request *request)
{
    const sc__http_connection *connection = sc__http_connection_of(request);
    return connection->is_admin || connection->loop->http->options.is_admin_shared;
}

bool sc_http_request_is_reserve(const sc_http_request *request)
{
    return sc__http_connection_of(request)->is_reserve;
}

void sc_http_on_gone(sc_http_request *request, void (*gone)(void *context), void *context)
{
    request->gone = gone;
    request->gone_context = context;
}
