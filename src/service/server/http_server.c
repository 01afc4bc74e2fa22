// The server as a whole: its options, and its life: opened, started, drained, stopped.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"

#include <errno.h>
#include <malloc.h>
#include <sodium.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void sc__http_wipe_free(void *memory)
{
    if (!memory) return;
    explicit_bzero(memory, malloc_usable_size(memory));
    sc_free(memory);
}

// --- Options: defaults, limits, a copy ---------------------------------------------------------

sc_http_options sc_http_options_default(void)
{
    return (sc_http_options){
        .loops = 2,
        .max_connections = 10000,
        .max_admin_connections = 1000,
        .max_header_bytes = UINT64_C(16) << 10,
        .max_body_bytes = UINT64_C(64) << 10,
        .request_timeout_s = 10.0,
        .idle_timeout_s = 60.0,
        .write_timeout_s = 30.0,
        .handshake_burst = 1,
        .send_buffer_bytes = UINT64_C(64) << 10,
        .max_stream_bytes = UINT64_C(1) << 20,
    };
}

/** Addresses whose bytes are counted. */
enum { ADDRESS_BUCKETS = 1 << 14 };

// Written so that NaN is out of range. A day is the most: further on, times in microseconds would
// have to be looked after.
static bool is_time(double seconds)
{
    return seconds > 0.0 && seconds <= 86400.0;
}

// Places in a request are numbers of 32 bits.
static bool is_size(size_t bytes)
{
    return bytes > 0 && bytes <= INT32_MAX;
}

static sc_err check(const sc_http_options *o, sc_diag *diag)
{
    if (o->loops < 1 || o->loops > SC__HTTP_MAX_LOOPS) {
        return sc_fail(diag, SC_EINVAL, "the number of loops is %u; give 1 to %d", o->loops,
                       SC__HTTP_MAX_LOOPS);
    }
    if (o->address_count == 0 && o->inherited_count == 0) {
        return sc_fail(diag, SC_EINVAL, "no address to listen at; give one, as 127.0.0.1:8080");
    }
    if (o->max_connections == 0) {
        return sc_fail(diag, SC_EINVAL, "the limit of connections is 0; give 1 or more");
    }
    if (!is_size(o->max_header_bytes) || !is_size(o->max_body_bytes) ||
        !is_size(o->max_stream_bytes) || !is_size(o->send_buffer_bytes)) {
        return sc_fail(
            diag, SC_EINVAL,
            "bytes of headers, of a body, of a stream and of the send buffer must be 1 to %d",
            INT32_MAX);
    }
    if (!is_time(o->request_timeout_s) || !is_time(o->idle_timeout_s) ||
        !is_time(o->write_timeout_s)) {
        return sc_fail(diag, SC_EINVAL,
                       "the timeouts of a request, of an idle connection and of a reply must be "
                       "above 0 and at most 86400 seconds");
    }
    if (!(o->handshakes_per_s >= 0 && o->handshake_burst >= 1)) {
        return sc_fail(diag, SC_EINVAL,
                       "handshakes per second must be 0 or more, and their burst 1 or more");
    }
    if (!o->tls.certificate != !o->tls.key) {
        return sc_fail(diag, SC_EINVAL, "a certificate needs its key, and a key its certificate");
    }
    if (o->tls.client_ca && !o->tls.certificate) {
        return sc_fail(diag, SC_EINVAL,
                       "client certificates can only be required if the server has a certificate "
                       "and key itself");
    }
    return SC_OK;
}

/** False if memory is out. NULL has NULL as its copy. */
static bool copy_text(const char *text, const char **out)
{
    if (!text) return true;
    const size_t size = strlen(text) + 1;
    char *copy = sc_malloc(size);
    if (!copy) return false;
    memcpy(copy, text, size);
    *out = copy;
    return true;
}

static bool copy_texts(const char *const *from, size_t count, const char *const **to,
                       size_t *to_count)
{
    const char **copies = sc_calloc(count, sizeof *copies);
    if (!copies) return false;
    *to = copies;
    *to_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!copy_text(from[i], &copies[i])) return false;
    }
    return true;
}

static bool copy_lists(const sc_http_options *from, sc_http_options *to)
{
    if (!copy_texts(from->addresses, from->address_count, &to->addresses, &to->address_count) ||
        !copy_texts(from->admin_addresses, from->admin_address_count, &to->admin_addresses,
                    &to->admin_address_count) ||
        !copy_texts(from->proxies, from->proxy_count, &to->proxies, &to->proxy_count) ||
        !copy_texts(from->relays, from->relay_count, &to->relays, &to->relay_count)) {
        return false;
    }
    int *inherited = sc_calloc(from->inherited_count, sizeof *inherited);
    if (!inherited) return false;
    to->inherited = inherited;
    to->inherited_count = from->inherited_count;
    for (size_t i = 0; i < from->inherited_count; i++) {
        inherited[i] = from->inherited[i];
    }
    return true;
}

static void texts_free(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sc_free((char *)texts[i]);
    }
    sc_free((char **)texts);
}

static void options_fini(sc_http_options *options)
{
    texts_free(options->addresses, options->address_count);
    texts_free(options->admin_addresses, options->admin_address_count);
    texts_free(options->proxies, options->proxy_count);
    texts_free(options->relays, options->relay_count);
    sc_free((int *)options->inherited);
    sc_free((char *)options->tls.certificate);
    sc_free((char *)options->tls.key);
    sc_free((char *)options->tls.client_ca);
    *options = (sc_http_options){0};
}

/** A copy whose texts are its own, and the check of its numbers. */
static sc_err options_copy(const sc_http_options *options, sc_http_options *out, sc_diag *diag)
{
    const sc_err err = check(options, diag);
    if (err) return err;

    sc_http_options copy = *options;
    copy.addresses = NULL;
    copy.address_count = 0;
    copy.admin_addresses = NULL;
    copy.admin_address_count = 0;
    copy.proxies = NULL;
    copy.relays = NULL;
    copy.proxy_count = 0;
    copy.inherited = NULL;
    copy.inherited_count = 0;
    copy.tls = (sc_tls_files){0};
    if (!copy_lists(options, &copy) ||
        !copy_text(options->tls.certificate, &copy.tls.certificate) ||
        !copy_text(options->tls.key, &copy.tls.key) ||
        !copy_text(options->tls.client_ca, &copy.tls.client_ca)) {
        options_fini(&copy);
        return sc_fail_memory(diag, "preparing the server");
    }
    *out = copy;
    return SC_OK;
}

// --- Opening -----------------------------------------------------------------------------------

static sc_err make_loops(sc_http *http, sc_diag *diag)
{
    const unsigned count = http->options.loops;
    http->loops = sc_calloc(count, sizeof *http->loops);
    if (!http->loops) return sc_fail_memory(diag, "preparing the server");
    for (unsigned i = 0; i < count; i++) {
        http->loops[i].http = http;
        http->loops[i].index = i;
        http->loops[i].wake_fd = -1;
        http->loops[i].epoll_fd = -1;
    }
    for (unsigned i = 0; i < count; i++) {
        http->loops[i].wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        if (http->loops[i].wake_fd < 0) {
            return sc_fail(diag, SC_EIO, "cannot prepare the server: %s", strerror(errno));
        }
    }
    return SC_OK;
}

sc_err sc_http_new(const sc_http_options *options, sc_http **out, sc_diag *diag)
{
    sc_http *http = sc_calloc(1, sizeof *http);
    if (!http) return sc_fail_memory(diag, "preparing the server");
    pthread_mutex_init(&http->lock, NULL);
    pthread_cond_init(&http->changed, NULL);
    randombytes_buf(http->peer_key, sizeof http->peer_key);

    sc_err err = options_copy(options, &http->options, diag);
    if (!err) {
        err = sc__http_proxies_new(http->options.proxies, http->options.proxy_count, &http->proxies,
                                   diag);
    }
    if (!err) {
        err = sc__http_proxies_new(http->options.relays, http->options.relay_count, &http->relays,
                                   diag);
    }
    if (!err) err = sc__http_admission_new(&http->admission, diag);
    if (!err && (sc_rate_limit_new(ADDRESS_BUCKETS, &http->bytes) ||
                 sc_rate_limit_new(ADDRESS_BUCKETS, &http->handshakes))) {
        err = sc_fail_memory(diag, "preparing the server");
    }
    if (!err && http->options.tls.certificate) {
        err = sc__http_tls_new(&http->options.tls, &http->tls, diag);
    }
    if (!err) err = make_loops(http, diag);
    if (!err) err = sc__http_listen_all(http, diag);
    if (err) {
        sc_http_free(http);
        return err;
    }
    *out = http;
    return SC_OK;
}

static sc_err add_call(sc_http *http, unsigned index, sc__http_call call)
{
    if (index >= http->options.loops || http->is_started || !call.call) return SC_EINVAL;
    sc__http_loop *loop = &http->loops[index];
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
    return add_call(http, loop, (sc__http_call){.fd = fd, .call = ring, .context = context});
}

sc_err sc_http_every(sc_http *http, unsigned loop, double seconds,
                     void (*tick)(void *context, unsigned loop), void *context)
{
    if (!(seconds >= 1e-3 && seconds <= 86400.0)) return SC_EINVAL;
    return add_call(
        http, loop,
        (sc__http_call){.fd = -1, .seconds = seconds, .call = tick, .context = context});
}

sc_err sc_http_host(sc_http *http, unsigned index, int64_t (*round)(void *context), void *context)
{
    if (index >= http->options.loops || http->is_started || http->loops[index].hosted)
        return SC_EINVAL;
    http->loops[index].hosted = round;
    http->loops[index].hosted_context = context;
    return SC_OK;
}

// --- Starting ----------------------------------------------------------------------------------

// 0, or why not.
static int start_thread(sc__http_loop *loop)
{
    loop->has_thread = sc_thread_start(&loop->thread, sc__http_loop_run, loop) == SC_OK;
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
    http->gate = may_begin && !trouble ? SC__HTTP_GATE_OPEN : SC__HTTP_GATE_GIVEN_UP;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
    return trouble;
}

/** Close the sockets that are not, or no longer, for this thread's table of descriptors. */
static void close_sockets(sc_http *http)
{
    for (unsigned i = 0; i < http->options.loops; i++) {
        sc__http_loop *loop = &http->loops[i];
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

// --- Ending ------------------------------------------------------------------------------------

static void ring_all(const sc_http *http)
{
    for (unsigned i = 0; i < http->options.loops; i++) {
        sc__http_loop_ring(&http->loops[i]);
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

static void free_loop(sc__http_loop *loop)
{
    sc_free(loop->calls);
    sc_free(loop->sockets);
    if (loop->wake_fd >= 0) close(loop->wake_fd);
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
    sc__http_listen_forget(http);
    for (size_t i = 0; i < http->address_count; i++) {
        sc_free(http->addresses[i]);
    }
    sc_free(http->addresses);
    sc__http_tls_free(http->tls);
    sc__http_proxies_free(http->proxies);
    sc__http_proxies_free(http->relays);
    sc__http_admission_free(http->admission);
    sc_rate_limit_free(http->bytes);
    sc_rate_limit_free(http->handshakes);
    options_fini(&http->options);
    pthread_cond_destroy(&http->changed);
    pthread_mutex_destroy(&http->lock);
    sc_free(http);
}

// --- While it runs -----------------------------------------------------------------------------

sc_err sc_http_reload_tls(sc_http *http, sc_diag *diag)
{
    return http->tls ? sc__http_tls_reload(http->tls, diag) : SC_OK;
}

size_t sc_http_address_count(const sc_http *http)
{
    return http->public_count;
}

const char *sc_http_address(const sc_http *http, size_t i)
{
    return http->addresses[i];
}

size_t sc_http_admin_address_count(const sc_http *http)
{
    return http->address_count - http->public_count;
}

const char *sc_http_admin_address(const sc_http *http, size_t i)
{
    return http->addresses[http->public_count + i];
}

static uint64_t sum(uint64_t so_far, const atomic_uint_fast64_t *counter)
{
    return so_far + atomic_load_explicit(counter, memory_order_relaxed);
}

sc_http_stats sc_http_stats_of(const sc_http *http)
{
    sc_http_stats stats = {.connections = atomic_load(&http->connections)};
    for (unsigned i = 0; i < http->options.loops; i++) {
        const sc__http_loop *loop = &http->loops[i];
        stats.accepted = sum(stats.accepted, &loop->accepted);
        stats.requests = sum(stats.requests, &loop->requests);
        stats.refused_by_limits = sum(stats.refused_by_limits, &loop->refused);
        stats.gone = sum(stats.gone, &loop->gone);
        stats.accept_failures = sum(stats.accept_failures, &loop->accept_failures);
        stats.stalled = sum(stats.stalled, &loop->stalled);
        stats.paced = sum(stats.paced, &loop->paced_pieces);
        stats.evicted = sum(stats.evicted, &loop->evicted);
        stats.full = sum(stats.full, &loop->full);
        stats.refused_addresses = sum(stats.refused_addresses, &loop->refused_addresses);
        stats.refused_handshakes = sum(stats.refused_handshakes, &loop->refused_handshakes);
        stats.handshake_failures = sum(stats.handshake_failures, &loop->handshake_failures);
    }
    return stats;
}
