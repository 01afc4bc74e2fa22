// Sockets that do not block, and OpenSSL on them.
#include "demo/loadgen/load_connection.h"

#include "base/diag.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Callers share addresses only if there are more of them: 127.0.0.2 to 127.0.255.241. */
enum { FIRST_ADDRESS = 2, ADDRESS_COUNT = 65520 };

static void set_flag(int fd, int level, int option)
{
    // What cannot be set makes the connection slower or its port dearer, and nothing worse.
    const int on = 1;
    (void)setsockopt(fd, level, option, &on, sizeof on);
}

/** Come from an address of one's own; the port is chosen when the other end is known. */
static void bind_source(int fd, uint32_t caller)
{
    const uint32_t host = FIRST_ADDRESS + caller % ADDRESS_COUNT;
    const struct sockaddr_in from = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(((uint32_t)IN_LOOPBACKNET << 24) | host)};
    set_flag(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
    (void)bind(fd, (const struct sockaddr *)&from, sizeof from);
}

/** The name is what the certificate must be for; addresses are checked as such. */
static sc_err open_tls(sc_load_connection *connection, const sc_target *target)
{
    connection->tls = SSL_new(target->tls);
    if (!connection->tls || SSL_set_fd(connection->tls, connection->fd) != 1) return SC_ENOMEM;
    unsigned char numeric[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, target->name, numeric) == 1 ||
        inet_pton(AF_INET6, target->name, numeric) == 1) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection->tls), target->name);
    } else {
        SSL_set_tlsext_host_name(connection->tls, target->name);
        SSL_set1_host(connection->tls, target->name);
    }
    SSL_set_connect_state(connection->tls);
    return SC_OK;
}

sc_err sc_load_connection_open(sc_load_connection *connection, const sc_target *target,
                               uint32_t caller)
{
    *connection = SC_LOAD_CONNECTION_CLOSED;
    connection->fd =
        socket(target->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd < 0) return errno == EMFILE || errno == ENFILE ? SC_ELIMIT : SC_ENOMEM;
    set_flag(connection->fd, IPPROTO_TCP, TCP_NODELAY);
    if (target->is_ipv4_loopback) bind_source(connection->fd, caller);
    sc_err err = target->tls ? open_tls(connection, target) : SC_OK;
    if (!err &&
        connect(connection->fd, (const struct sockaddr *)&target->address, target->address_size) &&
        errno != EINPROGRESS) {
        // Without a port of our own the service was not even called.
        err = errno == EADDRNOTAVAIL || errno == ENOBUFS ? SC_ENOMEM : SC_ENET;
    }
    if (err) sc_load_connection_close(connection, false);
    return err;
}

/** What OpenSSL's return value means; its queue of errors is left empty for the next call. */
static sc_load_io result_of(const sc_load_connection *connection, int returned)
{
    const int kind = SSL_get_error(connection->tls, returned);
    ERR_clear_error();
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return SC_LOAD_IO_WAIT;
    return kind == SSL_ERROR_ZERO_RETURN ? SC_LOAD_IO_END : SC_LOAD_IO_BROKEN;
}

sc_load_io sc_load_connection_connect(sc_load_connection *connection)
{
    if (!connection->is_established) {
        int failure = 0;
        socklen_t size = sizeof failure;
        if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &failure, &size) || failure) {
            return SC_LOAD_IO_BROKEN;
        }
        // An edge may come before there is a peer.
        struct sockaddr_storage peer;
        socklen_t peer_size = sizeof peer;
        if (getpeername(connection->fd, (struct sockaddr *)&peer, &peer_size)) {
            return errno == ENOTCONN ? SC_LOAD_IO_WAIT : SC_LOAD_IO_BROKEN;
        }
        connection->is_established = true;
    }
    if (!connection->tls || SSL_is_init_finished(connection->tls)) return SC_LOAD_IO_DONE;
    const int returned = SSL_do_handshake(connection->tls);
    return returned == 1 ? SC_LOAD_IO_DONE : result_of(connection, returned);
}

sc_load_io sc_load_connection_read(sc_load_connection *connection, char *bytes, size_t room,
                                   size_t *got)
{
    if (connection->tls) {
        const int returned = SSL_read_ex(connection->tls, bytes, room, got);
        return returned == 1 ? SC_LOAD_IO_DONE : result_of(connection, returned);
    }
    const ssize_t count = recv(connection->fd, bytes, room, 0);
    if (count > 0) {
        *got = (size_t)count;
        return SC_LOAD_IO_DONE;
    }
    if (count == 0) return SC_LOAD_IO_END;
    return errno == EAGAIN || errno == EINTR ? SC_LOAD_IO_WAIT : SC_LOAD_IO_BROKEN;
}

sc_load_io sc_load_connection_write(sc_load_connection *connection, const char *bytes, size_t size,
                                    size_t *put)
{
    if (connection->tls) {
        const int returned = SSL_write_ex(connection->tls, bytes, size, put);
        return returned == 1 ? SC_LOAD_IO_DONE : result_of(connection, returned);
    }
    const ssize_t count = send(connection->fd, bytes, size, MSG_NOSIGNAL);
    if (count >= 0) {
        *put = (size_t)count;
        return SC_LOAD_IO_DONE;
    }
    return errno == EAGAIN || errno == EINTR ? SC_LOAD_IO_WAIT : SC_LOAD_IO_BROKEN;
}

void sc_load_connection_close(sc_load_connection *connection, bool is_reset)
{
    if (connection->fd < 0) return;
    if (is_reset) {
        const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
        (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    SSL_free(connection->tls);
    close(connection->fd);
    *connection = SC_LOAD_CONNECTION_CLOSED;
}

// === From a URL to an address ===================================================================

/** The parts of a URL; each is curl's, to be freed by close_parts(). */
typedef struct parts {
    CURLU *url;
    char *scheme;
    char *host;
    char *port;
    char *path;
    char *extra;  ///< a part that must not be there
} parts;

static void close_parts(parts *p)
{
    curl_free(p->scheme);
    curl_free(p->host);
    curl_free(p->port);
    curl_free(p->path);
    curl_free(p->extra);
    curl_url_cleanup(p->url);
}

/** Take the parts that a URL of ours must have; false if one is missing. */
static bool get_parts(const char *url, parts *p)
{
    return !curl_url_set(p->url, CURLUPART_URL, url, 0) &&
           !curl_url_get(p->url, CURLUPART_SCHEME, &p->scheme, 0) &&
           !curl_url_get(p->url, CURLUPART_HOST, &p->host, 0) &&
           !curl_url_get(p->url, CURLUPART_PORT, &p->port, CURLU_DEFAULT_PORT) &&
           !curl_url_get(p->url, CURLUPART_PATH, &p->path, 0) && p->scheme && p->host && p->port &&
           p->path && (strcmp(p->scheme, "http") == 0 || strcmp(p->scheme, "https") == 0);
}

static sc_err part_url(const char *url, parts *p, sc_diag *diag)
{
    *p = (parts){.url = curl_url()};
    if (!p->url) {
        (void)sc_fail_memory(diag, "reading a URL");
        return SC_ENOMEM;
    }
    if (!get_parts(url, p)) {
        (void)sc_fail(diag, SC_EINVAL,
                      "%s is not the URL of a service; write it as http://localhost:8080",
                      sc_quote(url, strlen(url)).text);
        return SC_EINVAL;
    }
    static const CURLUPart others[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
                                       CURLUPART_FRAGMENT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!curl_url_get(p->url, others[i], &p->extra, 0)) {
            return sc_fail(diag, SC_EINVAL,
                           "the URL of a service may have only a host, a port and a path");
        }
    }
    return SC_OK;
}

/** Copy the parts; "[::1]" is a name of five letters without its brackets. */
static sc_err take_parts(sc_target *target, const parts *p, sc_diag *diag)
{
    size_t name = strlen(p->host);
    size_t path = strlen(p->path);
    while (path > 0 && p->path[path - 1] == '/') {
        path--;
    }
    if (name >= sizeof target->name || path >= sizeof target->path) {
        return sc_fail(diag, SC_EINVAL, "the URL is too long");
    }
    const bool is_usual = strcmp(p->port, strcmp(p->scheme, "https") == 0 ? "443" : "80") == 0;
    snprintf(target->host, sizeof target->host, "%s%s%s", p->host, is_usual ? "" : ":",
             is_usual ? "" : p->port);
    const bool has_brackets = p->host[0] == '[' && p->host[name - 1] == ']';
    if (has_brackets) name -= 2;
    memcpy(target->name, p->host + has_brackets, name);
    target->name[name] = '\0';
    memcpy(target->path, p->path, path);
    target->path[path] = '\0';
    return SC_OK;
}

static sc_err look_up(sc_target *target, const char *port, sc_diag *diag)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int failure = getaddrinfo(target->name, port, &hints, &found);
    if (failure || !found) {
        return sc_fail(diag, SC_ENET, "%.80s: %s", target->name, gai_strerror(failure));
    }
    // "localhost" has two addresses; the one of which there are many is wanted.
    const struct addrinfo *best = found;
    for (const struct addrinfo *a = found; a; a = a->ai_next) {
        if (a->ai_family != AF_INET) continue;
        best = a;
        break;
    }
    memcpy(&target->address, best->ai_addr, best->ai_addrlen);
    target->address_size = best->ai_addrlen;
    if (best->ai_family == AF_INET) {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, best->ai_addr, sizeof ipv4);
        target->is_ipv4_loopback = ntohl(ipv4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    freeaddrinfo(found);
    return SC_OK;
}

static sc_err prepare_tls(sc_target *target, const char *ca, sc_diag *diag)
{
    target->tls = SSL_CTX_new(TLS_client_method());
    if (!target->tls) return sc_fail_memory(diag, "preparing TLS");
    SSL_CTX_set_min_proto_version(target->tls, TLS1_2_VERSION);
    SSL_CTX_set_verify(target->tls, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(target->tls, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
    const int is_fine = ca ? SSL_CTX_load_verify_locations(target->tls, ca, NULL)
                           : SSL_CTX_set_default_verify_paths(target->tls);
    if (is_fine == 1) return SC_OK;
    return sc_fail(diag, SC_EIO, "%s: cannot read certificates to trust from this file",
                   ca ? ca : "");
}

sc_err sc_target_init(sc_target *target, const char *url, const char *ca, sc_diag *diag)
{
    parts p;
    sc_target made = {.tls = NULL};
    sc_err err = part_url(url, &p, diag);
    if (!err) err = take_parts(&made, &p, diag);
    if (!err) err = look_up(&made, p.port, diag);
    if (!err && strcmp(p.scheme, "https") == 0) err = prepare_tls(&made, ca, diag);
    close_parts(&p);
    if (err) {
        sc_target_fini(&made);
        return err;
    }
    *target = made;
    return SC_OK;
}

void sc_target_fini(sc_target *target)
{
    SSL_CTX_free(target->tls);
    target->tls = NULL;
}
