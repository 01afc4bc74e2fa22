// A GET with poll(). See fetch.h.
#include "demo/loadgen/fetch.h"

#include "base/clock.h"
#include "base/diag.h"
#include "demo/loadgen/load_connection.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/** Wait until something may have changed; false once it is `end_us`. */
static bool wait_for(const sc_wire *wire, short events, int64_t end_us)
{
    struct pollfd at = {.fd = wire->fd, .events = events};
    const int wait_ms = sc_clock_wait_ms(sc_clock_us(), end_us);
    if (wait_ms == 0) return false;
    (void)poll(&at, 1, wait_ms);
    return sc_clock_us() < end_us;
}

static sc_err no_reply(const sc_target *target, const char *what, sc_diag *diag)
{
    return sc_fail(diag, SC_ENET, "%.80s: %s", target->host, what);
}

static sc_err call(sc_wire *wire, const sc_target *target, int64_t end_us, sc_diag *diag)
{
    sc_wire_result result;
    while ((result = sc_wire_connect(wire)) == SC_WIRE_WAIT) {
        const short events = wire->is_established ? POLLIN : POLLOUT;
        if (!wait_for(wire, events, end_us)) return no_reply(target, "no connection in time", diag);
    }
    if (result == SC_WIRE_DONE) return SC_OK;
    const bool is_tls = wire->is_established && wire->tls;
    return no_reply(target,
                    is_tls ? "no TLS with it (is its certificate trusted? see --ca)"
                           : "no connection; is the service running there?",
                    diag);
}

static sc_err say(sc_wire *wire, const sc_target *target, const char *text, size_t size,
                  int64_t end_us, sc_diag *diag)
{
    for (size_t at = 0; at < size;) {
        size_t put = 0;
        const sc_wire_result result = sc_wire_write(wire, text + at, size - at, &put);
        if (result == SC_WIRE_DONE) {
            at += put;
        } else if (result != SC_WIRE_WAIT || !wait_for(wire, POLLOUT, end_us)) {
            return no_reply(target, "the connection broke off", diag);
        }
    }
    return SC_OK;
}

static sc_err listen_for(sc_wire *wire, const sc_target *target, int64_t end_us, sc_response *out,
                         sc_diag *diag)
{
    char bytes[16384];
    while (!sc_response_is_whole(out)) {
        size_t got = 0;
        size_t used = 0;
        const sc_wire_result result = sc_wire_read(wire, bytes, sizeof bytes, &got);
        if (result == SC_WIRE_DONE) {
            const sc_err err = sc_response_feed(out, bytes, got, &used, diag);
            if (err) return err;
        } else if (result != SC_WIRE_WAIT) {
            return no_reply(target, "the connection broke off before the reply", diag);
        } else if (!wait_for(wire, POLLIN, end_us)) {
            return no_reply(target, "no reply in time", diag);
        }
    }
    return SC_OK;
}

/** Writing by way of TLS may raise SIGPIPE, which would end the program: this thread takes none
 * meanwhile. (Flocks take no signals at all.) */
static void hush(sigset_t *broken_pipe, sigset_t *before)
{
    sigemptyset(broken_pipe);
    sigaddset(broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, broken_pipe, before);
}

static void unhush(const sigset_t *broken_pipe, const sigset_t *before)
{
    if (sigismember(before, SIGPIPE) == 0) {
        while (sigtimedwait(broken_pipe, NULL, &(struct timespec){0}) == SIGPIPE) {
        }
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static sc_err converse(const sc_target *target, const char *text, size_t size, double timeout_s,
                       sc_response *out, sc_diag *diag)
{
    const int64_t end_us = sc_clock_us() + (int64_t)(timeout_s * 1e6);
    sc_wire wire;
    sc_err err = sc_wire_open(&wire, target, 0);
    if (err) return no_reply(target, "no connection; is the service running there?", diag);
    err = call(&wire, target, end_us, diag);
    if (!err) err = say(&wire, target, text, size, end_us, diag);
    if (!err) err = listen_for(&wire, target, end_us, out, diag);
    if (err) sc_response_clear(out);
    sc_wire_close(&wire, false);
    return err;
}

sc_err sc_fetch(const sc_target *target, const char *path, const char *token, double timeout_s,
                sc_response *out, sc_diag *diag)
{
    char text[2048];
    const int size = snprintf(
        text, sizeof text, "GET %s%s HTTP/1.1\r\nHost: %s\r\n%s%s%sConnection: close\r\n\r\n",
        target->path, path, target->host, token ? "Authorization: Bearer " : "", token ? token : "",
        token ? "\r\n" : "");
    if (size < 0 || (size_t)size >= sizeof text) {
        return sc_fail(diag, SC_EINVAL, "the URL is too long");
    }
    sigset_t broken_pipe;
    sigset_t before;
    hush(&broken_pipe, &before);
    const sc_err err = converse(target, text, (size_t)size, timeout_s, out, diag);
    unhush(&broken_pipe, &before);
    return err;
}
