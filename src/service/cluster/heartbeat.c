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

bool sc_name_is_fine(const char *name, size_t size)
{
    if (size == 0 || size >= SC_NAME_SIZE) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = name[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_letter && !is_digit && c != '-' && c != '_' && c != '.') return false;
    }
    return true;
}

// --- Beats ------------------------------------------------------------------------------------

sc_beat *sc_beat_new(size_t parts)
{
    if (parts > SC_PARTITION_PARTS_MAX) return NULL;
    sc_beat *beat = sc_calloc(1, sizeof *beat + parts * sizeof *beat->parts);
    if (!beat) return NULL;
    beat->part_count = parts;
    beat->parts = (sc_beat_part *)(void *)(beat + 1);
    return beat;
}

void sc_beat_free(sc_beat *beat)
{
    sc_free(beat);
}

// --- The thread ----------------------------------------------------------------------------

/** Wait for a nudge or the time; false: the end has come. @param is_time  whether it was time */
static bool await(sc__beating *beating, sc_time then, bool *is_time)
{
    const struct timespec until = {.tv_sec = then / 1000000, .tv_nsec = then % 1000000 * 1000};
    pthread_mutex_lock(&beating->lock);
    while (!beating->is_ending && !beating->is_nudged && sc_clock_us() < then) {
        (void)pthread_cond_timedwait(&beating->bell, &beating->lock, &until);
    }
    beating->is_nudged = false;
    const bool goes_on = !beating->is_ending;
    pthread_mutex_unlock(&beating->lock);
    *is_time = sc_clock_us() >= then;
    return goes_on;
}

static void *beat(void *argument)
{
    sc__beating *beating = argument;
    sc_time then = sc_clock_us();
    bool is_time = true;
    while (await(beating, then, &is_time)) {
        // Beats that were missed are not made up for.
        if (is_time) then = sc_clock_us() + beating->beat_us;
        beating->look(beating->context, is_time);
    }
    return NULL;
}

void sc__beating_init(sc__beating *beating, sc_time beat_us,
                      void (*look)(void *context, bool is_beat), void *context)
{
    *beating = (sc__beating){.beat_us = beat_us, .look = look, .context = context};
    pthread_mutex_init(&beating->lock, NULL);
    pthread_condattr_t by_steady_clock;
    pthread_condattr_init(&by_steady_clock);
    pthread_condattr_setclock(&by_steady_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&beating->bell, &by_steady_clock);
    pthread_condattr_destroy(&by_steady_clock);
}

sc_err sc__beating_start(sc__beating *beating)
{
    const sc_err err = sc_thread_start(&beating->thread, beat, beating);
    beating->is_started = !err;
    return err;
}

void sc__beating_nudge(sc__beating *beating)
{
    pthread_mutex_lock(&beating->lock);
    beating->is_nudged = true;
    pthread_cond_signal(&beating->bell);
    pthread_mutex_unlock(&beating->lock);
}

void sc__beating_end(sc__beating *beating)
{
    if (!beating->is_started) return;
    pthread_mutex_lock(&beating->lock);
    beating->is_ending = true;
    pthread_cond_signal(&beating->bell);
    pthread_mutex_unlock(&beating->lock);
    pthread_join(beating->thread, NULL);
    beating->is_started = false;
}

void sc__beating_fini(sc__beating *beating)
{
    sc__beating_end(beating);
    pthread_cond_destroy(&beating->bell);
    pthread_mutex_destroy(&beating->lock);
}

// --- What it says --------------------------------------------------------------------------

sc_err sc__identity_init(sc__identity *identity, const char *name, uint64_t cut, bool is_worker,
                         sc_diag *diag)
{
    if (!name || !sc_name_is_fine(name, strlen(name))) {
        return sc_fail(diag, SC_EINVAL,
                       "the name of a process must be 1 to %d letters, digits, '-', '_' and '.'",
                       SC_NAME_SIZE - 1);
    }
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium does not start");
    *identity = (sc__identity){.cut = cut, .is_worker = is_worker};
    snprintf(identity->name, sizeof identity->name, "%s", name);
    while (identity->self == SC_PEER_NONE) {
        randombytes_buf(&identity->self, sizeof identity->self);
    }
    return SC_OK;
}

int64_t sc__calendar_offset_us(void)
{
    // A process that stands still between two looks would take its pause for a difference of
    // clocks, and deadlines of others for later than they are.
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

void sc__beat_send(sc__identity *identity, sc_beat *beat, sc_wire *wire)
{
    const sc_wire_stats stats = sc_wire_stats_of(wire);
    const sc_process_use use = sc_process_use_now();
    beat->peer = identity->self;
    beat->is_worker = identity->is_worker;
    memcpy(beat->name, identity->name, sizeof beat->name);
    beat->number = ++identity->beats;
    beat->cut = identity->cut;
    beat->calendar_us = sc_clock_calendar_us();
    beat->messages_out = stats.messages_out;
    beat->messages_in = stats.messages_in;
    beat->bytes_out = stats.bytes_out;
    beat->bytes_in = stats.bytes_in;
    beat->memory = use.resident_bytes;
    beat->cpu_us = use.cpu_us;

    sc_bytes bytes = {0};
    // The wire counts what it cannot send; and for want of memory there will be another beat.
    if (!sc_beat_encode(beat, &bytes)) (void)!sc_wire_send_beat(wire, bytes.data, bytes.size);
    sc_bytes_fini(&bytes);
}

void sc__log_connected(sc_log *log, bool is_connected)
{
    if (is_connected) {
        sc_log_message(log, SC_LOG_INFO, "nats_is_back", "connected again");
    } else {
        sc_log_message(log, SC_LOG_WARNING, "nats_is_away",
                       "no connection; trying again and again");
    }
}

void sc__log_given_up(sc_log *log)
{
    sc_log_message(log, SC_LOG_ERROR, "nats_refuses",
                   "the NATS servers do not let us in any more; look at user, password or "
                   "credentials");
}

void sc__log_puzzle(sc_log *log, atomic_bool *was_said)
{
    if (atomic_exchange(was_said, true)) return;
    sc_log_message(log, SC_LOG_WARNING, "message_not_understood",
                   "a process of this cluster sends what we cannot read; is it of another version, "
                   "or has it another map or cut?");
}

void sc__bytes_wipe(sc_bytes *bytes)
{
    if (bytes->data) explicit_bzero(bytes->data, bytes->capacity);
    sc_bytes_fini(bytes);
}
