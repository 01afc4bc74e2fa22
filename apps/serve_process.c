// What commands that serve have in common. See serve_process.h.
#include "serve_process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/sandbox.h"

void sc_serving_hold_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void sc_serving_end_within(sc_serving_end *end)
{
    if (!atomic_exchange(&end->has_begun, true)) (void)kill(getpid(), SIGTERM);
}

bool sc_serving_end_begins(sc_serving_end *end, sigset_t *signals)
{
    if (end && atomic_exchange(&end->has_begun, true)) return true;
    sigdelset(signals, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    return false;
}

size_t sc_serving_inherit(int out[SC_SERVING_SOCKETS])
{
    int first = 0;
    const size_t handed = sc_sandbox_inherited(&first);
    const size_t count = handed < SC_SERVING_SOCKETS ? handed : SC_SERVING_SOCKETS;
    for (size_t i = 0; i < count; i++) {
        out[i] = first + (int)i;
    }
    return count;
}

void sc_serving_tell_listening(sc_log *log, const sc_http *http, bool is_tls)
{
    for (size_t i = 0; i < sc_http_address_count(http); i++) {
        sc_log_line line;
        if (!sc_log_begin(log, &line, SC_LOG_INFO, "listening")) continue;
        sc_log_text(&line, "address", sc_http_address(http, i));
        sc_log_text(&line, "tls", is_tls ? "yes" : "no");
        sc_log_end(&line);
    }
}

bool sc_serving_url(const sc_http *http, bool is_tls, char out[SC_SERVING_URL_SIZE])
{
    const char *scheme = is_tls ? "https" : "http";
    for (size_t i = 0; i < sc_http_address_count(http); i++) {
        const char *address = sc_http_address(http, i);
        const char *port = strrchr(address, ':');
        if (strncmp(address, "unix:", 5) == 0 || !port) continue;
        // All interfaces: the one that is always there.
        const bool is_any = strncmp(address, "0.0.0.0:", 8) == 0;
        const bool is_any6 = strncmp(address, "[::]:", 5) == 0;
        const int size =
            is_any    ? snprintf(out, SC_SERVING_URL_SIZE, "%s://127.0.0.1%s", scheme, port)
            : is_any6 ? snprintf(out, SC_SERVING_URL_SIZE, "%s://[::1]%s", scheme, port)
                      : snprintf(out, SC_SERVING_URL_SIZE, "%s://%s", scheme, address);
        return size > 0 && size < SC_SERVING_URL_SIZE;
    }
    return false;
}
