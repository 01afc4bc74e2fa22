// Sockets that do not block, and OpenSSL on them. See wire.h.
#include "demo/loadgen/load_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
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
static sc_err open_tls(sc_wire *wire, const sc_target *target)
{
    wire->tls = SSL_new(target->tls);
    if (!wire->tls || SSL_set_fd(wire->tls, wire->fd) != 1) return SC_ENOMEM;
    unsigned char numeric[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, target->name, numeric) == 1 ||
        inet_pton(AF_INET6, target->name, numeric) == 1) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(wire->tls), target->name);
    } else {
        SSL_set_tlsext_host_name(wire->tls, target->name);
        SSL_set1_host(wire->tls, target->name);
    }
    SSL_set_connect_state(wire->tls);
    return SC_OK;
}

sc_err sc_wire_open(sc_wire *wire, const sc_target *target, uint32_t caller)
{
    *wire = SC_WIRE_CLOSED;
    wire->fd = socket(target->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (wire->fd < 0) return errno == EMFILE || errno == ENFILE ? SC_ELIMIT : SC_ENOMEM;
    set_flag(wire->fd, IPPROTO_TCP, TCP_NODELAY);
    if (target->is_ipv4_loopback) bind_source(wire->fd, caller);
    sc_err err = target->tls ? open_tls(wire, target) : SC_OK;
    if (!err &&
        connect(wire->fd, (const struct sockaddr *)&target->address, target->address_size) &&
        errno != EINPROGRESS) {
        err = SC_ENET;
    }
    if (err) sc_wire_close(wire, false);
    return err;
}

/** What OpenSSL's return value means; its queue of errors is left empty for the next call. */
static sc_wire_result result_of(const sc_wire *wire, int returned)
{
    const int kind = SSL_get_error(wire->tls, returned);
    ERR_clear_error();
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return SC_WIRE_WAIT;
    return kind == SSL_ERROR_ZERO_RETURN ? SC_WIRE_END : SC_WIRE_BROKEN;
}

sc_wire_result sc_wire_connect(sc_wire *wire)
{
    if (!wire->is_established) {
        int failure = 0;
        socklen_t size = sizeof failure;
        if (getsockopt(wire->fd, SOL_SOCKET, SO_ERROR, &failure, &size) || failure) {
            return SC_WIRE_BROKEN;
        }
        // An edge may come before there is a peer.
        struct sockaddr_storage peer;
        socklen_t peer_size = sizeof peer;
        if (getpeername(wire->fd, (struct sockaddr *)&peer, &peer_size)) {
            return errno == ENOTCONN ? SC_WIRE_WAIT : SC_WIRE_BROKEN;
        }
        wire->is_established = true;
    }
    if (!wire->tls || SSL_is_init_finished(wire->tls)) return SC_WIRE_DONE;
    const int returned = SSL_do_handshake(wire->tls);
    return returned == 1 ? SC_WIRE_DONE : result_of(wire, returned);
}

sc_wire_result sc_wire_read(sc_wire *wire, char *bytes, size_t room, size_t *got)
{
    if (wire->tls) {
        const int returned = SSL_read_ex(wire->tls, bytes, room, got);
        return returned == 1 ? SC_WIRE_DONE : result_of(wire, returned);
    }
    const ssize_t count = recv(wire->fd, bytes, room, 0);
    if (count > 0) {
        *got = (size_t)count;
        return SC_WIRE_DONE;
    }
    if (count == 0) return SC_WIRE_END;
    return errno == EAGAIN || errno == EINTR ? SC_WIRE_WAIT : SC_WIRE_BROKEN;
}

sc_wire_result sc_wire_write(sc_wire *wire, const char *bytes, size_t size, size_t *put)
{
    if (wire->tls) {
        const int returned = SSL_write_ex(wire->tls, bytes, size, put);
        return returned == 1 ? SC_WIRE_DONE : result_of(wire, returned);
    }
    const ssize_t count = send(wire->fd, bytes, size, MSG_NOSIGNAL);
    if (count >= 0) {
        *put = (size_t)count;
        return SC_WIRE_DONE;
    }
    return errno == EAGAIN || errno == EINTR ? SC_WIRE_WAIT : SC_WIRE_BROKEN;
}

void sc_wire_close(sc_wire *wire, bool is_reset)
{
    if (wire->fd < 0) return;
    if (is_reset) {
        const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
        (void)setsockopt(wire->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    SSL_free(wire->tls);
    close(wire->fd);
    *wire = SC_WIRE_CLOSED;
}
