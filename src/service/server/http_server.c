// The server as a whole: opened, started, drained, stopped. See http.h.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// --- Opening -------------------------------------------------------------------------------------

static sc_err make_loops(sc_http *http, sc_diag *diag)
{
    const unsigned count = http->options.loops;
    http->loops = sc_calloc(count, sizeof *http->loops);
    if (!http->loops) return sc_fail_memory(diag, "preparing the server");
    for (unsigned i = 0; i < count; i++) {
        http->loops[i].http = http;
        http->loops[i].index = i;
        http->loops[i].bell = -1;
    }
    for (unsigned i = 0; i < count; i++) {
        http->loops[i].bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (http->loops[i].bell < 0) {
            return sc_fail(diag, SC_EIO, "cannot prepare the server: %s", strerror(errno));
        }
    }
    return SC_OK;
}

sc_err sc_http_new(const sc_http_options *options, sc_http **out, sc_diag *diag)
{
    sc__library_prepare();
    sc_http *http = sc_calloc(1, sizeof *http);
    if (!http) return sc_fail_memory(diag, "preparing the server");
    pthread_mutex_init(&http->lock, NULL);
    pthread_cond_init(&http->changed, NULL);
    randombytes_buf(http->peer_key, sizeof http->peer_key);

    sc_err err = sc__options_copy(options, &http->options, diag);
    if (!err && http->options.tls.certificate) {
        err = sc__tls_new(&http->options.tls, &http->tls, diag);
    }
    if (!err) err = make_loops(http, diag);
    if (!err) err = sc__listen_all(http, diag);
    if (err) {
        sc_http_free(http);
        return err;
    }
    *out = http;
    return SC_OK;
}

static sc_err add_call(sc_http *http, unsigned index, sc__call call)
{
    if (index >= http->options.loops || http->is_started || !call.call) return SC_EINVAL;
    sc__loop *loop = &http->loops[index];
    if (!sc_grow(&loop->calls, loop->call_count, &loop->call_capacity, sizeof *loop->calls)) {
        return SC_ENOMEM;
    }
    call.loop = loop;
    loop->calls[loop->call_count++] = call;
    return SC_OK;
}

sc_err sc_http_watch(sc_http *http, unsigned loop, int fd,
                     void (*ring)(void *context, unsigned loop), void *context)
{
    if (fd < 0) return SC_EINVAL;
    return add_call(http, loop, (sc__call){.fd = fd, .call = ring, .context = context});
}

sc_err sc_http_every(sc_http *http, unsigned loop, double seconds,
                     void (*tick)(void *context, unsigned loop), void *context)
{
    if (!(seconds >= 1e-3 && seconds <= 86400.0)) return SC_EINVAL;
    return add_call(http, loop,
                    (sc__call){.fd = -1, .seconds = seconds, .call = tick, .context = context});
}

// --- Starting ------------------------------------------------------------------------------------

// 0, or why not.
static int start_thread(sc__loop *loop)
{
    loop->has_thread = sc_thread_start(&loop->thread, sc__loop_run, loop) == SC_OK;
    return loop->has_thread ? 0 : errno;
}

/** Wait until `count` loops are ready, or are known not to become so; then let them begin or end.
 */
static sc_err open_gate(sc_http *http, unsigned count, bool may_begin)
{
    sc_err trouble = SC_OK;
    pthread_mutex_lock(&http->lock);
    while (http->ready_count < count) {
        pthread_cond_wait(&http->changed, &http->lock);
    }
    for (unsigned i = 0; i < count && !trouble; i++) {
        trouble = http->loops[i].trouble;
    }
    http->gate = may_begin && !trouble ? SC__GATE_OPEN : SC__GATE_GIVEN_UP;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
    return trouble;
}

/** Close the sockets that are not, or no longer, for this thread's table of descriptors. */
static void close_sockets(sc_http *http)
{
    for (unsigned i = 0; i < http->options.loops; i++) {
        sc__loop *loop = &http->loops[i];
        const bool belongs_to_loop = loop->has_thread && !loop->has_own_table;
        for (size_t s = 0; s < loop->socket_count && !belongs_to_loop; s++) {
            close(loop->sockets[s]);
        }
        loop->socket_count = 0;
    }
}

static void join_all(sc_http *http)
{
    for (unsigned i = 0; i < http->options.loops; i++) {
        if (http->loops[i].has_thread) pthread_join(http->loops[i].thread, NULL);
    }
    close_sockets(http);
    for (unsigned i = 0; i < http->options.loops; i++) {
        http->loops[i].has_thread = false;
    }
}

sc_err sc_http_start(sc_http *http, sc_diag *diag)
{
    if (http->is_started) return sc_fail(diag, SC_EINVAL, "the server was started already");
    http->is_started = true;
    unsigned count = 0;
    int failure = 0;
    while (count < http->options.loops && !failure) {
        failure = start_thread(&http->loops[count]);
        if (!failure) count++;
    }
    const sc_err trouble = open_gate(http, count, !failure);
    if (!failure && !trouble) {
        close_sockets(http);
        return SC_OK;
    }
    join_all(http);
    if (failure) return sc_fail(diag, SC_EIO, "cannot start a thread: %s", strerror(failure));
    return trouble == SC_ENOMEM ? sc_fail_memory(diag, "starting the server")
                                : sc_fail(diag, trouble, "cannot start the server");
}

// --- Ending --------------------------------------------------------------------------------------

static void ring_all(const sc_http *http)
{
    for (unsigned i = 0; i < http->options.loops; i++) {
        sc__loop_ring(&http->loops[i]);
    }
}

void sc_http_stop_listening(sc_http *http)
{
    atomic_store(&http->is_closed, true);
    ring_all(http);
}

bool sc_http_is_idle(const sc_http *http)
{
    return atomic_load(&http->connections) == 0;
}

void sc_http_stop(sc_http *http)
{
    atomic_store(&http->is_ending, true);
    ring_all(http);
    join_all(http);
}

static void free_loop(sc__loop *loop)
{
    sc_free(loop->calls);
    sc_free(loop->sockets);
    if (loop->bell >= 0) close(loop->bell);
}

void sc_http_free(sc_http *http)
{
    if (!http) return;
    if (http->loops) {
        sc_http_stop(http);
        for (unsigned i = 0; i < http->options.loops; i++) {
            free_loop(&http->loops[i]);
        }
        sc_free(http->loops);
    }
    sc__listen_forget(http);
    for (size_t i = 0; i < http->address_count; i++) {
        sc_free(http->addresses[i]);
    }
    sc_free(http->addresses);
    sc__tls_free(http->tls);
    sc__options_fini(&http->options);
    pthread_cond_destroy(&http->changed);
    pthread_mutex_destroy(&http->lock);
    sc_free(http);
}

// --- While it runs -------------------------------------------------------------------------------

sc_err sc_http_reload_tls(sc_http *http, sc_diag *diag)
{
    return http->tls ? sc__tls_reload(http->tls, diag) : SC_OK;
}

size_t sc_http_address_count(const sc_http *http)
{
    return http->address_count;
}

const char *sc_http_address(const sc_http *http, size_t i)
{
    return http->addresses[i];
}

static uint64_t sum(uint64_t so_far, const atomic_uint_fast64_t *counter)
{
    return so_far + atomic_load_explicit(counter, memory_order_relaxed);
}

sc_http_stats sc_http_stats_of(const sc_http *http)
{
    sc_http_stats stats = {.connections = atomic_load(&http->connections)};
    for (unsigned i = 0; i < http->options.loops; i++) {
        const sc__loop *loop = &http->loops[i];
        stats.accepted = sum(stats.accepted, &loop->accepted);
        stats.requests = sum(stats.requests, &loop->requests);
        stats.refused_by_limits = sum(stats.refused_by_limits, &loop->refused);
        stats.gone = sum(stats.gone, &loop->gone);
        stats.accept_failures = sum(stats.accept_failures, &loop->accept_failures);
        stats.handshake_failures = sum(stats.handshake_failures, &loop->handshake_failures);
    }
    return stats;
}
