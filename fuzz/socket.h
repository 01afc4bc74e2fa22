/**
 * @file socket.h
 * @brief A server of one loop and connections to it, for doors that are reached over a real socket.
 */
#ifndef SC_FUZZ_SOCKET_H
#define SC_FUZZ_SOCKET_H

#include "server/http.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/** Start a server as `options` say, at a free port. It stays until the process ends. */
static inline sc_http *socket_serve(sc_http_options options)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = 1;
    sc_http *http = NULL;
    sc_diag diag = {""};
    if (sc_http_new(&options, &http, &diag) || sc_http_start(http, &diag)) abort();
    return http;
}

static inline int socket_dial(const sc_http *http)
{
    const char *port = strrchr(sc_http_address(http, 0), ':') + 1;
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    // Closed with a reset, so that ports are free again at once.
    const struct linger at_once = {.l_onoff = 1};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) ||
        connect(fd, (const struct sockaddr *)&address, sizeof address)) {
        abort();
    }
    return fd;
}

#endif
