/**
 * @file load_connection.h
 * @brief One connection: a socket that never blocks, with TLS on it or without.
 *
 * The rest of the program asks over HTTP by net/http_client.h, which is curl. A load generator
 * holds fifty thousand connections, each from an address of its own, and sends requests that are
 * wrong on purpose: curl keeps a buffer of 16 kB for each transfer, and writes no wrong request. So
 * this is a client of its own, with http_response.h for replies.
 *
 * The owner watches `fd` for edges (EPOLLET: readable, writable, hung up) and calls on whenever
 * something may have changed. To this machine a caller comes from an address of its own, so that
 * tens of thousands of connections do not run out of ports, and limits per address see many
 * addresses.
 *
 */
#ifndef SC_DEMO_LOADGEN_LOAD_CONNECTION_H
#define SC_DEMO_LOADGEN_LOAD_CONNECTION_H

#include <starcloak/err.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// --- The service's address: looked up once, then read by any thread ------------------------------

/** Zero-initialise; sc_target_fini() when done. */
typedef struct sc_target {
    char name[256];  ///< of the host, as a certificate has it
    char host[280];  ///< as the Host header has it: with the port, unless it is the usual one
    char path[512];  ///< what stands before "/v1/queries"; "" or without a slash at the end
    struct sockaddr_storage address;
    socklen_t address_size;
    bool is_ipv4_loopback;   ///< then there are addresses enough to come from
    struct ssl_ctx_st *tls;  ///< NULL: plain HTTP
} sc_target;

/**
 * @param url  "http://host:port", or "https://..."; a path may follow, nothing else
 * @param ca   PEM: who may have signed the service's certificate; NULL: whom the system trusts
 * @return SC_OK, SC_EINVAL (no such URL), SC_ENET (no such host), SC_EIO (the CA file), SC_ENOMEM
 */
SC_CHECKED sc_err sc_target_init(sc_target *target, const char *url, const char *ca, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_target_fini(sc_target *target);

// --- A connection --------------------------------------------------------------------------------

/** How a call went. */
typedef enum sc_load_io {
    SC_LOAD_IO_DONE,    ///< connected; or some bytes were read or written
    SC_LOAD_IO_WAIT,    ///< not now: wait for the next edge
    SC_LOAD_IO_END,     ///< the other side has nothing more to say
    SC_LOAD_IO_BROKEN,  ///< it is no connection any more, or could not become one
} sc_load_io;

typedef struct sc_load_connection {
    int fd;               ///< -1: closed
    struct ssl_st *tls;   ///< NULL: plain
    bool is_established;  ///< the socket is connected; with TLS the handshake may be under way
} sc_load_connection;

/** No connection. */
#define SC_LOAD_CONNECTION_CLOSED ((sc_load_connection){.fd = -1})

/**
 * Begin to connect.
 *
 * @param caller  who connects, from 0: to 127.0.0.0/8 from the `caller`-th address there
 * @return SC_OK, SC_ENET (refused at once), SC_ELIMIT (no descriptor is left), SC_ENOMEM
 */
SC_CHECKED sc_err sc_load_connection_open(sc_load_connection *connection, const sc_target *target,
                                          uint32_t caller);

/** Go on connecting: SC_LOAD_IO_DONE once bytes can be sent. */
sc_load_io sc_load_connection_connect(sc_load_connection *connection);

/** Read what is there, up to `room` bytes; *got is set with SC_LOAD_IO_DONE. */
sc_load_io sc_load_connection_read(sc_load_connection *connection, char *bytes, size_t room,
                                   size_t *got);

/** Write what can be taken, up to `size` bytes; *put is set with SC_LOAD_IO_DONE. */
sc_load_io sc_load_connection_write(sc_load_connection *connection, const char *bytes, size_t size,
                                    size_t *put);

/** Close; harmless twice. @param is_reset  at once, without a farewell (RST) */
void sc_load_connection_close(sc_load_connection *connection, bool is_reset);

#endif
