// Who a client is when a proxy says so in each request: `Forwarded` (RFC 7239) or
// `X-Forwarded-For`, from trusted proxies alone (options `proxies` and `forwarded`).
//
// A header is a list of hops, the nearest last. Each proxy of the operator's adds where a request
// came from to its right end, or writes the list anew; all to the left of that is what a client has
// sent, and may be made up. So it is read from the right: the first hop that is no trusted proxy is
// the client.
//
//  1. Only the header that the setting names counts. A proxy that writes one of them passes the
//     other on as the client sent it.
//  2. A list that is not well-formed as a whole is refused (400), although only its right end
//     counts: a client could begin a quoted text that a proxy's own addition ends, and hide that
//     addition in it. Lines of headers are read each by itself, so that no text goes from one to
//     the next.
//  3. A hop without an address (`unknown`, `_hidden`) ends the search: the client is counted as the
//     proxy that does not name it. So is one for which there is no header, as a proxy's own
//     question whether we are there.
//  4. Nobody is local on such a connection, whatever the header says.
//
// The PROXY protocol is not looked for where this is on: who takes either, as it comes, lets a
// client choose.
#include "server/http_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

// --- One hop -----------------------------------------------------------------------------------

/** A text within a header. */
typedef struct span {
    const char *at;
    size_t size;
} span;

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hidden(span text)
{
    if (text.size < 2 || text.at[0] != '_') return false;
    for (size_t i = 1; i < text.size; i++) {
        const char c = text.at[i];
        if (!is_letter_or_digit(c) && c != '.' && c != '_' && c != '-') return false;
    }
    return true;
}

/** ":4711", ":_hidden" or nothing. */
static bool is_port(span text)
{
    enum { DIGITS = 5 };
    if (text.size == 0) return true;
    if (text.at[0] != ':') return false;
    const span port = {text.at + 1, text.size - 1};
    if (is_hidden(port)) return true;
    if (port.size == 0 || port.size > DIGITS) return false;
    for (size_t i = 0; i < port.size; i++) {
        if (port.at[i] < '0' || port.at[i] > '9') return false;
    }
    return true;
}

static bool read_address(int family, span text, struct sockaddr_storage *out)
{
    char address[INET6_ADDRSTRLEN];
    if (text.size == 0 || text.size >= sizeof address) return false;
    memcpy(address, text.at, text.size);
    address[text.size] = '\0';
    *out = (struct sockaddr_storage){.ss_family = (sa_family_t)family};
    return inet_pton(family, address,
                     family == AF_INET ? (void *)&((struct sockaddr_in *)out)->sin_addr
                                       : (void *)&((struct sockaddr_in6 *)out)->sin6_addr) == 1;
}

/** "192.0.2.7", "192.0.2.7:4711", "[2001:db8::7]", "[2001:db8::7]:4711", "unknown", "_hidden".
 * False: it is none of these. */
static bool read_node(span text, sc__http_hop *hop)
{
    static const char unknown[] = "unknown";
    const char *end = text.at + text.size;
    const char *behind = NULL;
    hop->has_address = false;
    if (text.size == 0) return false;
    if (text.at[0] == '[') {
        const char *bracket = memchr(text.at, ']', text.size);
        if (!bracket) return false;
        behind = bracket + 1;
        const span inside = {text.at + 1, (size_t)(bracket - text.at) - 1};
        hop->has_address = read_address(AF_INET6, inside, &hop->address);
        return hop->has_address && is_port((span){behind, (size_t)(end - behind)});
    }
    behind = memchr(text.at, ':', text.size);
    if (!behind) behind = end;
    const span name = {text.at, (size_t)(behind - text.at)};
    if (!is_port((span){behind, (size_t)(end - behind)})) return false;
    hop->has_address = read_address(AF_INET, name, &hop->address);
    return hop->has_address || is_hidden(name) ||
           (name.size == sizeof unknown - 1 && strncasecmp(name.at, unknown, name.size) == 0);
}

/** The next place in the list; NULL if there are too many. */
static sc__http_hop *add_hop(sc__http_hops *hops)
{
    if (hops->count == SC__HTTP_MAX_HOPS) return NULL;
    sc__http_hop *hop = &hops->hops[hops->count++];
    hop->has_address = false;
    return hop;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

// --- X-Forwarded-For ---------------------------------------------------------------------------

/** "192.0.2.7, 2001:db8::7": no proxy puts these addresses of IPv6 in brackets, but some add a
 * port, and then do. */
static bool read_plain_list(const char *at, sc__http_hops *hops)
{
    for (;;) {
        at = skip_blanks(at);
        span text = {at, strcspn(at, ",")};
        at += text.size;
        while (text.size > 0 && strchr(" \t", text.at[text.size - 1])) {
            text.size--;
        }
        if (text.size > 0) {
            sc__http_hop *hop = add_hop(hops);
            if (!hop) return false;
            hop->has_address = read_address(AF_INET6, text, &hop->address);
            if (!hop->has_address && !read_node(text, hop)) return false;
        }
        if (*at == '\0') return true;
        at++;
    }
}

// --- Forwarded ---------------------------------------------------------------------------------

static const char token_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789!#$%&'*+-.^_`|~";

/** Longer than any address with its port. */
enum { VALUE_ROOM = 128 };

/** A value, as it is or in quotes; NULL if it is none. One that does not fit into `room` is cut:
 * it is no address. */
static const char *read_value(const char *at, char room[VALUE_ROOM], span *out)
{
    *out = (span){room, 0};
    if (*at != '"') {
        const size_t size = strspn(at, token_letters);
        *out = (span){at, size};
        return size > 0 ? at + size : NULL;
    }
    for (at++; *at != '"'; at++) {
        if (*at == '\\') at++;
        if ((unsigned char)*at < ' ' && *at != '\t') return NULL;
        if (out->size < VALUE_ROOM) room[out->size++] = *at;
    }
    return at + 1;
}

/** One element, "for=192.0.2.7;proto=https", up to its comma; NULL if it is none. */
static const char *read_element(const char *at, sc__http_hop *hop)
{
    bool has_for = false;
    for (;;) {
        char room[VALUE_ROOM];
        span value;
        const span name = {at, strspn(at, token_letters)};
        if (name.size == 0 || at[name.size] != '=') return NULL;
        at = read_value(at + name.size + 1, room, &value);
        if (!at) return NULL;
        if (name.size == 3 && strncasecmp(name.at, "for", 3) == 0) {
            if (has_for || !read_node(value, hop)) return NULL;
            has_for = true;
        }
        at = skip_blanks(at);
        if (*at != ';') return *at == ',' || *at == '\0' ? at : NULL;
        at = skip_blanks(at + 1);
    }
}

static bool read_elements(const char *at, sc__http_hops *hops)
{
    for (;;) {
        at = skip_blanks(at);
        if (*at != ',' && *at != '\0') {
            sc__http_hop *hop = add_hop(hops);
            at = hop ? read_element(at, hop) : NULL;
            if (!at) return false;
        }
        if (*at == '\0') return true;
        at++;
    }
}

// --- The client --------------------------------------------------------------------------------

bool sc__http_hops_read(sc_http_forwarded header, const char *value, sc__http_hops *hops)
{
    return header == SC_HTTP_FORWARDED ? read_elements(value, hops) : read_plain_list(value, hops);
}

const sc__http_hop *sc__http_hops_client(const sc__http_hops *hops, const sc__http_proxies *proxies)
{
    const sc__http_hop *client = NULL;
    for (size_t i = hops->count; i-- > 0;) {
        const sc__http_hop *hop = &hops->hops[i];
        if (!hop->has_address) break;
        client = hop;
        if (!sc__http_proxies_have(proxies, (const struct sockaddr *)&hop->address)) break;
    }
    return client;
}

int sc__http_forwarded_take(sc_http_request *request, const char *bytes)
{
    const sc_http *http = request->connection->loop->http;
    const sc_http_forwarded header = http->options.forwarded;
    const char *wanted = header == SC_HTTP_FORWARDED ? "Forwarded" : "X-Forwarded-For";
    const char *at = bytes + request->headers_at;
    const char *end = bytes + request->headers_end;
    sc__http_hops hops;
    hops.count = 0;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        if (strcasecmp(at, wanted) == 0 && !sc__http_hops_read(header, value, &hops)) return 400;
        at = value + strlen(value) + 1;
    }
    const sc__http_hop *client = sc__http_hops_client(&hops, http->proxies);
    request->is_forwarded = client != NULL;
    if (!client) return 0;
    request->peer = sc__http_peer_number((const struct sockaddr *)&client->address, http->peer_key);
    return sc__http_admit_request(request) ? 0 : 429;
}
