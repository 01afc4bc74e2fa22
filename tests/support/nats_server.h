/**
 * @file nats_server.h
 * @brief Real NATS servers for a test program: started, killed, started again, on the loopback.
 *
 *     nats_server server;
 *     nats_server_begin(&server, &(nats_manners){.user = "u", .password = "p"});
 *     ... server.url ...
 *     nats_server_end(&server);
 *
 * A server ends when the test program does, however that ends.
 */
#ifndef SC_TESTS_SUPPORT_NATS_SERVER_H
#define SC_TESTS_SUPPORT_NATS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "support/place.h"

/** How it is set up; what is NULL or 0 is not. */
typedef struct nats_manners {
    const char *user;
    const char *password;
    const char *certificate;  ///< PEM: it wants TLS
    const char *key;
    size_t max_payload;
} nats_manners;

typedef struct nats_server {
    pid_t pid;  ///< 0: it does not run
    int port;
    int route_port;  ///< for the other servers; 0: it is alone
    place folder;
    char url[64];  ///< "nats://127.0.0.1:40123"
} nats_server;

/** Start one and wait until it serves; the test fails if it does not. */
void nats_server_begin(nats_server *server, const nats_manners *manners);

/** Start some that know each other, and wait until they do. */
void nats_servers_begin(nats_server *servers, size_t count);

/** End it at once, as kill -9 does; and start it again, on the same port. */
void nats_server_kill(nats_server *server);
void nats_server_again(nats_server *server);

/** How it will be set up when it is started again; for one that is alone. */
void nats_server_change(nats_server *server, const nats_manners *manners);

/** Let it stand still (SIGSTOP), and go on. */
void nats_server_halt(nats_server *server);
void nats_server_go_on(nats_server *server);

/** Kill it, if it runs, and remove its files; harmless twice. */
void nats_server_end(nats_server *server);

#endif
