// Proxies in front of the server: which ones are trusted, and the PROXY protocol by which they say
// who the client is.
//
// A connection from a trusted proxy begins with one header, before TLS and before HTTP; version 2
// is binary, version 1, which nginx sends, is one line. Bytes are read exactly up to its end: what
// follows is TLS's or HTTP's. From all other addresses there is no such header, and no header of
// HTTP ever says who the client is: each client could send it.
//
// https://www.haproxy.org/download/1.8/doc/proxy-protocol.txt
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The list ----------------------------------------------------------------------------------

enum { IP4_BYTES = 4, IP6_BYTES = 16, MAPPED_AT = 12 };

/** Addresses whose first bits are these. */
typedef struct network {
    unsigned char bytes[IP6_BYTES];
    size_t size;  ///< of the bytes: 0 for unix sockets
    unsigned bits;
} network;

struct sc__http_proxies {
    size_t count;
    network networks[];
};

/** "10.0.0.7", "10.0.0.0/8", "fd00::/64", "unix". */
static bool read_network(const char *text, network *out)
{
    char address[INET6_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    const size_t size = slash ? (size_t)(slash - text) : strlen(text);
    *out = (network){.size = 0};
    if (strcmp(text, "unix") == 0) return true;
    if (size >= sizeof address) return false;
    memcpy(address, text, size);
    address[size] = '\0';
    if (inet_pton(AF_INET, address, out->bytes) == 1) {
        out->size = IP4_BYTES;
    } else if (inet_pton(AF_INET6, address, out->bytes) == 1) {
        out->size = IP6_BYTES;
    } else {
        return false;
    }
    out->bits = (unsigned)out->size * 8;
    if (!slash) return true;
    const size_t digits = strspn(slash + 1, "0123456789");
    if (digits == 0 || digits > 3 || slash[1 + digits] != '\0') return false;
    const unsigned long bits = strtoul(slash + 1, NULL, 10);
    if (bits > out->bits) return false;
    out->bits = (unsigned)bits;
    return true;
}

static sc_err refuse_proxy(const char *text, sc_diag *diag)
{
    return sc_fail(diag, SC_EINVAL,
                   "this is not the address of a proxy or relay: %s; give an address as 10.0.0.7, "
                   "a network as "
                   "10.0.0.0/8 or fd00::/64, or unix",
                   sc_quote(text, strlen(text)).text);
}

sc_err sc_http_proxies_check(const char *const *proxies, size_t count, sc_diag *diag)
{
    network ignored;
    for (size_t i = 0; i < count; i++) {
        if (!read_network(proxies[i], &ignored)) return refuse_proxy(proxies[i], diag);
    }
    return SC_OK;
}

sc_err sc__http_proxies_new(const char *const *texts, size_t count, sc__http_proxies **out,
                            sc_diag *diag)
{
    sc__http_proxies *proxies = sc_calloc(1, sizeof *proxies + count * sizeof(network));
    if (!proxies) return sc_fail_memory(diag, "preparing the server");
    for (; proxies->count < count; proxies->count++) {
        if (read_network(texts[proxies->count], &proxies->networks[proxies->count])) continue;
        const sc_err err = refuse_proxy(texts[proxies->count], diag);
        sc_free(proxies);
        return err;
    }
    *out = proxies;
    return SC_OK;
}

void sc__http_proxies_free(sc__http_proxies *proxies)
{
    sc_free(proxies);
}

static bool begins_alike(const unsigned char *a, const unsigned char *b, unsigned bits)
{
    const unsigned whole = bits / 8;
    const unsigned char mask = (unsigned char)(0xff00U >> bits % 8);
    if (memcmp(a, b, whole) != 0) return false;
    return bits % 8 == 0 || ((a[whole] ^ b[whole]) & mask) == 0;
}

bool sc__http_proxies_have(const sc__http_proxies *proxies, const struct sockaddr *address)
{
    const unsigned char *bytes = NULL;
    size_t size = 0;
    if (address->sa_family == AF_INET) {
        bytes =
            (const unsigned char *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
        size = IP4_BYTES;
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *ip6 =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        const bool is_mapped = IN6_IS_ADDR_V4MAPPED(ip6);
        bytes = ip6->s6_addr + (is_mapped ? MAPPED_AT : 0);
        size = is_mapped ? IP4_BYTES : IP6_BYTES;
    }
    for (size_t i = 0; i < proxies->count; i++) {
        const network *n = &proxies->networks[i];
        if (n->size == size && (size == 0 || begins_alike(n->bytes, bytes, n->bits))) return true;
    }
    return false;
}

// --- The header --------------------------------------------------------------------------------

static const unsigned char signature[] = {'\r', '\n', '\r', '\n', 0,   '\r',
                                          '\n', 'Q',  'U',  'I',  'T', '\n'};
static const char word[] = "PROXY ";

enum {
    HEAD_SIZE = 16,      ///< of version 2, before the addresses
    HEADER_ROOM = 2048,  ///< more than any proxy adds
    LINE_ROOM = 107,     ///< of version 1, says the protocol
    VERSION_2 = 0x20,
    COMMAND_LOCAL = 0,
    COMMAND_PROXY = 1,
    OVER_TCP4 = 0x11,
    OVER_TCP6 = 0x21,
    IP4_SIZE = 12,  ///< two addresses, two ports
    IP6_SIZE = 36,
};

static int want_version_2(const unsigned char *bytes, size_t size)
{
    if (memcmp(bytes, signature, size < sizeof signature ? size : sizeof signature) != 0) return -1;
    if (size < HEAD_SIZE) return (int)(HEAD_SIZE - size);
    const size_t whole = HEAD_SIZE + ((size_t)bytes[14] << 8) + bytes[15];
    if (whole > HEADER_ROOM) return -1;
    return size < whole ? (int)(whole - size) : 0;
}

// A line may be as short as "PROXY UNKNOWN", and HTTP may follow it: byte by byte.
static int want_version_1(const unsigned char *bytes, size_t size)
{
    const size_t known = sizeof word - 1;
    if (memcmp(bytes, word, size < known ? size : known) != 0) return -1;
    if (size < known) return (int)(known - size);
    if (bytes[size - 1] == '\n') return 0;
    return size < LINE_ROOM ? 1 : -1;
}

int sc__http_proxy_header_want(const unsigned char *bytes, size_t size)
{
    if (size == 0) return (int)(sizeof word - 1);
    return bytes[0] == signature[0] ? want_version_2(bytes, size) : want_version_1(bytes, size);
}

static void set_address(struct sockaddr_storage *out, int family, const void *bytes)
{
    *out = (struct sockaddr_storage){.ss_family = (sa_family_t)family};
    if (family == AF_INET) {
        memcpy(&((struct sockaddr_in *)out)->sin_addr, bytes, IP4_BYTES);
    } else {
        memcpy(&((struct sockaddr_in6 *)out)->sin6_addr, bytes, IP6_BYTES);
    }
}

static bool read_version_2(const unsigned char *bytes, size_t size, sc__http_proxy_client *client,
                           struct sockaddr_storage *address)
{
    const unsigned command = bytes[12] & 0x0fU;
    if ((bytes[12] & 0xf0U) != VERSION_2 || command > COMMAND_PROXY) return false;
    *client = command == COMMAND_LOCAL ? SC__HTTP_PROXY_ITSELF : SC__HTTP_PROXY_UNKNOWN;
    if (command == COMMAND_LOCAL) return true;
    const bool is_ip4 = bytes[13] == OVER_TCP4;
    const bool is_ip6 = bytes[13] == OVER_TCP6;
    if (!is_ip4 && !is_ip6) return true;
    if (size < HEAD_SIZE + (size_t)(is_ip4 ? IP4_SIZE : IP6_SIZE)) return false;
    set_address(address, is_ip4 ? AF_INET : AF_INET6, bytes + HEAD_SIZE);
    *client = SC__HTTP_PROXY_ADDRESS;
    return true;
}

/** "PROXY TCP4 192.0.2.7 192.0.2.1 56324 443\r\n" or "PROXY UNKNOWN ...\r\n". */
static bool read_version_1(const unsigned char *bytes, size_t size, sc__http_proxy_client *client,
                           struct sockaddr_storage *address)
{
    char line[LINE_ROOM + 1];
    if (size < 2 || size > LINE_ROOM || bytes[size - 2] != '\r') return false;
    if (memchr(bytes, '\0', size)) return false;
    memcpy(line, bytes, size - 2);
    line[size - 2] = '\0';
    char *rest = NULL;
    strtok_r(line, " ", &rest);  // "PROXY"
    const char *kind = strtok_r(NULL, " ", &rest);
    if (!kind) return false;
    *client = SC__HTTP_PROXY_UNKNOWN;
    if (strcmp(kind, "UNKNOWN") == 0) return true;
    const int family = strcmp(kind, "TCP4") == 0   ? AF_INET
                       : strcmp(kind, "TCP6") == 0 ? AF_INET6
                                                   : AF_UNSPEC;
    const char *from = strtok_r(NULL, " ", &rest);
    unsigned char ip[IP6_BYTES];
    if (family == AF_UNSPEC || !from || inet_pton(family, from, ip) != 1) return false;
    set_address(address, family, ip);
    *client = SC__HTTP_PROXY_ADDRESS;
    return true;
}

bool sc__http_proxy_header_read(const unsigned char *bytes, size_t size,
                                sc__http_proxy_client *client, struct sockaddr_storage *address)
{
    return bytes[0] == signature[0] ? read_version_2(bytes, size, client, address)
                                    : read_version_1(bytes, size, client, address);
}

// --- Waiting for it ----------------------------------------------------------------------------

struct sc__http_proxy_header {
    size_t size;
    unsigned char bytes[HEADER_ROOM];
};

static void refuse(sc__http_connection *connection)
{
    sc__http_count(&connection->loop->refused);
    sc__http_proxy_forget(connection);
    sc__http_linger(connection);
}

/** It is whole. */
static void take_client(sc__http_connection *connection)
{
    const sc__http_proxy_header *header = connection->header;
    sc__http_proxy_client client = SC__HTTP_PROXY_UNKNOWN;
    struct sockaddr_storage address = {0};
    if (!sc__http_proxy_header_read(header->bytes, header->size, &client, &address)) {
        refuse(connection);
        return;
    }
    if (client == SC__HTTP_PROXY_ADDRESS) {
        sc__http_peer_set(connection, (const struct sockaddr *)&address);
    } else if (client == SC__HTTP_PROXY_UNKNOWN) {
        connection->is_local = false;
    }
    sc__http_proxy_forget(connection);
    sc__http_connection_begin(connection);
}

void sc__http_proxy_receive(sc__http_connection *connection)
{
    sc__http_proxy_header *header = connection->header;
    int want = 0;
    while ((want = sc__http_proxy_header_want(header->bytes, header->size)) > 0) {
        const ssize_t got = recv(connection->fd, header->bytes + header->size, (size_t)want, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            connection->may_read = false;
            return;
        }
        if (got <= 0) {
            sc__http_connection_close(connection);
            return;
        }
        header->size += (size_t)got;
    }
    if (want < 0) {
        refuse(connection);
    } else {
        take_client(connection);
    }
}

bool sc__http_proxy_await(sc__http_connection *connection)
{
    connection->header = sc_calloc(1, sizeof *connection->header);
    return connection->header != NULL;
}

void sc__http_proxy_forget(sc__http_connection *connection)
{
    sc_free(connection->header);
    connection->header = NULL;
}
