// Heartbeats: what they are made of, the thread that sends them, and what gateways and workers have
// in common as processes of a cluster.
#include "cluster/heartbeat.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/process.h"
#include "base/thread.h"
#include "cluster/cluster_codec.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool sc_peer_name_is_valid(const char *name, size_t size)
{
    if (size == 0 || size >= SC_PEER_NAME_SIZE) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = name[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_letter && !is_digit && c != '-' && c != '_' && c != '.') return false;
    }
    return true;
}

// --- Heartbeats --------------------------------------------------------------------------------

sc_heartbeat *sc_heartbeat_new(size_t parts)
{
    if (parts > SC_PARTITION_PARTS_MAX) return NULL;
    sc_heartbeat *heartbeat = sc_calloc(1, sizeof *heartbeat + parts * sizeof *heartbeat->parts);
    if (!heartbeat) return NULL;
    heartbeat->part_count = parts;
    heartbeat->parts = (sc_heartbeat_part *)(void *)(heartbeat + 1);
    return heartbeat;
}

void sc_heartbeat_free(sc_heartbeat *heartbeat)
{
    sc_free(heartbeat);
}

// --- The thread --------------------------------------------------------------------------------

/** Wait until woken or until `then`; false: the thread is to stop. @param is_time  whether it was
 * time */
static bool await(sc__heartbeat_thread *thread, sc_time then, bool *is_time)
{
    const struct timespec until = {.tv_sec = then / 1000000, .tv_nsec = then % 1000000 * 1000};
    pthread_mutex_lock(&thread->lock);
    while (!thread->is_ending && !thread->is_woken && sc_clock_us() < then) {
        (void)pthread_cond_timedwait(&thread->wake, &thread->lock, &until);
    }
    thread->is_woken = false;
    const bool goes_on = !thread->is_ending;
    pthread_mutex_unlock(&thread->lock);
    *is_time = sc_clock_us() >= then;
    return goes_on;
}

static void *run(void *argument)
{
    sc__heartbeat_thread *thread = argument;
    sc_time then = sc_clock_us();
    bool is_time = true;
    while (await(thread, then, &is_time)) {
        // Missed heartbeats are not made up for.
        if (is_time) then = sc_clock_us() + thread->heartbeat_us;
        thread->look(thread->context, is_time);
    }
    return NULL;
}

void sc__heartbeat_thread_init(sc__heartbeat_thread *thread, sc_time heartbeat_us,
                               void (*look)(void *context, bool is_due), void *context)
{
    *thread =
        (sc__heartbeat_thread){.heartbeat_us = heartbeat_us, .look = look, .context = context};
    pthread_mutex_init(&thread->lock, NULL);
    pthread_condattr_t by_steady_clock;
    pthread_condattr_init(&by_steady_clock);
    pthread_condattr_setclock(&by_steady_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&thread->wake, &by_steady_clock);
    pthread_condattr_destroy(&by_steady_clock);
}

sc_err sc__heartbeat_thread_start(sc__heartbeat_thread *thread)
{
    const sc_err err = sc_thread_start(&thread->thread, run, thread);
    thread->is_started = !err;
    return err;
}

void sc__heartbeat_thread_wake(sc__heartbeat_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    thread->is_woken = true;
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
}

void sc__heartbeat_thread_stop(sc__heartbeat_thread *thread)
{
    if (!thread->is_started) return;
    pthread_mutex_lock(&thread->lock);
    thread->is_ending = true;
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
    pthread_join(thread->thread, NULL);
    thread->is_started = false;
}

void sc__heartbeat_thread_fini(sc__heartbeat_thread *thread)
{
    sc__heartbeat_thread_stop(thread);
    pthread_cond_destroy(&thread->wake);
    pthread_mutex_destroy(&thread->lock);
}

// --- A process of a cluster --------------------------------------------------------------------

sc_err sc__cluster_identity_init(sc__cluster_identity *identity, const char *name,
                                 uint64_t partition, const sc_demand_digest *demands,
                                 const sc_cluster_key *key, sc_diag *diag)
{
    if (!name || !sc_peer_name_is_valid(name, strlen(name))) {
        return sc_fail(diag, SC_EINVAL,
                       "the name of a process must be 1 to %d letters, digits, '-', '_' and '.'",
                       SC_PEER_NAME_SIZE - 1);
    }
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium cannot be initialised");
    *identity = (sc__cluster_identity){
        .self = sc_cluster_key_draw_peer(key), .partition = partition, .demands = *demands};
    identity->is_worker = sc_peer_is_worker(identity->self);
    snprintf(identity->name, sizeof identity->name, "%s", name);
    return SC_OK;
}

int64_t sc__calendar_offset_us(void)
{
    // A process that is stopped between reading the two clocks would take its pause for a
    // difference of clocks, and deadlines of others for later than they are.
    enum { SOON_US = 1000, TRIES = 100 };
    int64_t before = sc_clock_us();
    int64_t calendar = sc_clock_calendar_us();
    int64_t after = sc_clock_us();
    for (int i = 0; i < TRIES && after - before > SOON_US; i++) {
        before = after;
        calendar = sc_clock_calendar_us();
        after = sc_clock_us();
    }
    return calendar - before;
}

void sc__heartbeat_send(sc__cluster_identity *identity, sc_heartbeat *heartbeat, sc_bus *bus)
{
    const sc_bus_stats stats = sc_bus_stats_of(bus);
    const sc_process_use use = sc_process_use_now();
    heartbeat->peer = identity->self;
    heartbeat->is_worker = identity->is_worker;
    memcpy(heartbeat->name, identity->name, sizeof heartbeat->name);
    heartbeat->number = ++identity->heartbeats;
    heartbeat->partition = identity->partition;
    heartbeat->demands = identity->demands;
    heartbeat->search = identity->search;
    heartbeat->calendar_us = sc_clock_calendar_us();
    heartbeat->messages_out = stats.messages_out;
    heartbeat->messages_in = stats.messages_in;
    heartbeat->bytes_out = stats.bytes_out;
    heartbeat->bytes_in = stats.bytes_in;
    heartbeat->memory = use.resident_bytes;
    heartbeat->cpu_us = use.cpu_us;

    sc_bytes bytes = {0};
    // The bus counts failures to send; for want of memory the next heartbeat has to do.
    if (!sc_heartbeat_encode(heartbeat, &bytes))
        (void)!sc_bus_send_heartbeat(bus, bytes.data, bytes.size);
    sc_bytes_fini(&bytes);
}

bool sc__heartbeat_is_from(const sc_heartbeat *heartbeat, sc_peer from)
{
    return heartbeat->peer == from && heartbeat->is_worker == sc_peer_is_worker(from);
}

void sc__log_connected(sc_log *log, bool is_connected)
{
    if (is_connected) {
        sc_log_message(log, SC_LOG_INFO, "nats_is_back", "connected again");
    } else {
        sc_log_message(log, SC_LOG_WARNING, "nats_is_away", "no connection; retrying");
    }
}

void sc__log_given_up(sc_log *log)
{
    sc_log_message(log, SC_LOG_ERROR, "nats_refuses",
                   "the NATS servers refuse every connection; check user, password or credentials, "
                   "and start this process again");
}

void sc__log_forbidden(sc_log *log, const sc_bus_forbidden *what, bool is_worker)
{
    sc_log_line line;
    if (!sc_log_begin(log, &line, SC_LOG_ERROR, "nats_forbids")) return;
    sc_log_text(&line, "action", what->action);
    sc_log_text(&line, "subjects", what->kind);
    sc_log_text(&line, "role", is_worker ? "worker" : "gateway");
    sc_log_text(&line, "message",
                "the NATS servers do not let this process do that; check that nats-user or "
                "nats-credentials are those of its role, and that the servers' permissions for "
                "the role have this cluster-name and all subjects of docs/cluster.md");
    sc_log_end(&line);
}

void sc__log_undecodable(sc_log *log, atomic_bool *was_logged)
{
    if (atomic_exchange(was_logged, true)) return;
    sc_log_message(
        log, SC_LOG_WARNING, "message_not_understood",
        "cannot decode a message of this cluster; its sender may run another version, or "
        "use another map or partition");
}

void sc__log_unopened(sc_log *log, const sc_bus *bus, bool *was_logged)
{
    if (*was_logged || sc_bus_stats_of(bus).unopened == 0) return;
    *was_logged = true;
    sc_log_message(log, SC_LOG_WARNING, "another_key",
                   "messages under the name of this cluster cannot be unsealed; check that the "
                   "cluster-key of all gateways is the same file, that those of workers were made "
                   "from it, and that no other cluster has the same cluster-name");
}

void sc__bytes_wipe(sc_bytes *bytes)
{
    if (bytes->data) explicit_bzero(bytes->data, bytes->capacity);
    sc_bytes_fini(bytes);
}
