// What commands that serve have in common. See serving.h.
#include "serving.h"

#include "sandbox/sandbox.h"

void sc_serving_hold_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
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
