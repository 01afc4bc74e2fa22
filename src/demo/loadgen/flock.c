// The loop of one thread: who asks next, what the kernel says, whose time is up. See flock.h.
//
// There is no queue of timers. Calls that must be woken are found by looking through one dense
// array of times, which for 50,000 travellers takes some twenty microseconds: ten times a second
// in general, a hundred times with chaos, whose calls are woken often.
#include "demo/loadgen/flock_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/sanitizers.h"

#include <math.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    EVENTS = 512,           ///< taken from the kernel at once
    BEGIN_AT_ONCE = 64,     ///< queries that begin before replies are looked at again
    OPENING_AT_ONCE = 128,  ///< holding: connections that are being opened; the backlog is finite
    SCAN_US = 100000,
    CHAOS_SCAN_US = 10000,
};

/** Apart from those of travellers (sc_purpose). */
enum { FOR_FLOCKS = 100 };

// --- Making and freeing -----------------------------------------------------------

static sc_err make_room(sc__flock *flock)
{
    flock->calls = sc_calloc(flock->count, sizeof *flock->calls);
    flock->wakes_us = sc_malloc_array(flock->count, sizeof *flock->wakes_us);
    flock->books = sc_calloc(1, sizeof *flock->books);
    flock->verdict = sc_calloc(1, sizeof *flock->verdict);
    flock->text = sc_malloc(SC__TEXT_SIZE);
    flock->bytes = sc_malloc(SC__READ_SIZE);
    if (!flock->calls || !flock->wakes_us || !flock->books || !flock->verdict || !flock->text ||
        !flock->bytes) {
        flock->count = 0;
        return SC_ENOMEM;
    }
    for (uint32_t i = 0; i < flock->count; i++) {
        flock->calls[i].wire = SC_WIRE_CLOSED;
        flock->wakes_us[i] = INT64_MAX;
    }
    return SC_OK;
}

static sc_err open_lbs(sc__flock *flock, sc_diag *diag)
{
    if (!flock->options->objects || flock->options->check_per_mille == 0) return SC_OK;
    sc_lbs_options options = sc_lbs_options_default();
    options.limits.max_k++;  // one more than anybody is answered: see exact.c
    return sc_lbs_new(flock->course->map, &options, &flock->lbs, diag);
}

sc_err sc__flock_new(sc__course *course, unsigned number, uint32_t first, sc__flock **out,
                     sc_diag *diag)
{
    sc__flock *flock = sc_calloc(1, sizeof *flock);
    if (!flock) return sc_fail_memory(diag, "gathering travellers");
    flock->course = course;
    flock->options = course->options;
    flock->first = first;
    flock->epoll = -1;
    sc_movement *movement = flock->options->movements[number];
    flock->count = movement->count;
    const uint64_t seed = sc_traveller_seed(flock->options->seed, number, FOR_FLOCKS);
    sc_rng_seed(&flock->rng, seed);
    sc_err err = make_room(flock);
    if (err) (void)sc_fail_memory(diag, "gathering travellers");
    if (!err) {
        err =
            sc_travellers_new(movement, &flock->options->workload, seed, &flock->travellers, diag);
    }
    if (!err) err = open_lbs(flock, diag);
    if (err) {
        sc__flock_free(flock);
        return err;
    }
    *out = flock;
    return SC_OK;
}

void sc__flock_free(sc__flock *flock)
{
    if (!flock) return;
    sc_travellers_free(flock->travellers);
    sc_lbs_free(flock->lbs);
    sc_free(flock->calls);
    sc_free(flock->wakes_us);
    sc_free(flock->books);
    sc_free(flock->verdict);
    sc_free(flock->text);
    sc_free(flock->bytes);
    sc_free(flock);
}

const sc_load_books *sc__flock_books(const sc__flock *flock)
{
    return flock->books;
}

sc__flock_counts sc__flock_counts_of(const sc__flock *flock)
{
    return (sc__flock_counts){
        .asked = atomic_load_explicit(&flock->asked, memory_order_relaxed),
        .sent = atomic_load_explicit(&flock->sent, memory_order_relaxed),
        .ended = atomic_load_explicit(&flock->ended, memory_order_relaxed),
    };
}

// The thread sanitizer believes that a number means the same descriptor in all threads.
enum { MAY_HAVE_OWN_DESCRIPTORS = !SC_UNDER_THREAD_SANITIZER };

void sc__flock_own_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (MAY_HAVE_OWN_DESCRIPTORS) (void)unshare(CLONE_FILES);
}

// --- Who asks ---------------------------------------------------------------------

static void ask(sc__flock *flock, int64_t due_us)
{
    sc_request_line request_line;
    const uint32_t who = sc_travellers_ask(flock->travellers, &request_line);
    sc__call_begin(flock, who, &request_line, due_us);
}

/** Closed loop: whoever wants to by now. Returns when the next will; INT64_MAX: not foreseen. */
static int64_t ask_in_turn(sc__flock *flock)
{
    const int64_t start_us = flock->course->start_us;
    for (int i = 0; i < BEGIN_AT_ONCE && !flock->err; i++) {
        const sc_time next = sc_travellers_next(flock->travellers);
        if (next == SC_TIME_NEVER) return INT64_MAX;
        if (start_us + next > flock->now_us) return start_us + next;
        ask(flock, start_us + next);
    }
    return flock->now_us;
}

/** Open loop: somebody who is idle, whenever the dice say so. */
static int64_t ask_at_random(sc__flock *flock)
{
    const double rate = flock->options->rate / flock->options->flock_count;
    for (int i = 0; i < BEGIN_AT_ONCE && !flock->err; i++) {
        if (flock->next_arrival_us > flock->now_us) return flock->next_arrival_us;
        if (sc_travellers_next(flock->travellers) == SC_TIME_NEVER) {
            flock->books->nobody_idle++;
        } else {
            ask(flock, flock->next_arrival_us);
        }
        const double gap_us = -log(1.0 - sc_rng_unit(&flock->rng)) / rate * 1e6;
        flock->next_arrival_us += (int64_t)fmin(gap_us, 1e15);
    }
    return flock->now_us;
}

/** Whoever is idle, as fast as connections can be opened; holding: everybody once. */
static int64_t ask_at_once(sc__flock *flock)
{
    const uint64_t most = flock->options->holds ? flock->count : UINT64_MAX;
    for (int i = 0; i < BEGIN_AT_ONCE; i++) {
        if (flock->opening_count >= OPENING_AT_ONCE || flock->books->asked >= most || flock->err ||
            sc_travellers_next(flock->travellers) == SC_TIME_NEVER) {
            return INT64_MAX;
        }
        ask(flock, flock->now_us);
    }
    return flock->now_us;
}

static int64_t ask_next(sc__flock *flock)
{
    if (flock->options->holds || flock->options->is_restless) return ask_at_once(flock);
    return flock->options->rate > 0 ? ask_at_random(flock) : ask_in_turn(flock);
}

// --- The loop -----------------------------------------------------------------------

static void wake_all(sc__flock *flock)
{
    if (flock->now_us < flock->next_scan_us) return;
    flock->next_scan_us = flock->now_us + (flock->options->chaos.is_on ? CHAOS_SCAN_US : SCAN_US);
    for (uint32_t who = 0; who < flock->count; who++) {
        if (flock->wakes_us[who] <= flock->now_us) sc__call_wake(flock, who);
    }
}

static void listen_until(sc__flock *flock, int64_t until_us)
{
    struct epoll_event events[EVENTS];
    if (until_us > flock->next_scan_us) until_us = flock->next_scan_us;
    const int wait_ms = sc_clock_wait_ms(sc_clock_us(), until_us);
    const int count = epoll_wait(flock->epoll, events, EVENTS, wait_ms);
    flock->now_us = sc_clock_us();
    for (int i = 0; i < count && !flock->err; i++) {
        sc__call_stir(flock, events[i].data.u32);
    }
}

/** Nobody waits any longer. */
static void close_all(sc__flock *flock)
{
    for (uint32_t who = 0; who < flock->count; who++) {
        sc__call_close(flock, who, false);
        if (flock->calls[who].stage != SC__CALL_IDLE) {
            sc__call_end(flock, who, SC_LOAD_LEFT, 0, "closed");
        }
    }
}

sc_err sc__flock_run(sc__flock *flock)
{
    flock->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (flock->epoll < 0) return SC_EIO;
    flock->now_us = sc_clock_us();
    flock->next_arrival_us = flock->course->start_us;
    int phase = SC__RUNNING;
    while (!flock->err && phase != SC__CLOSING && (phase == SC__RUNNING || flock->open_count > 0)) {
        const int64_t next_us = phase == SC__RUNNING ? ask_next(flock) : INT64_MAX;
        listen_until(flock, next_us);
        wake_all(flock);
        const int before = phase;
        phase = atomic_load(&flock->course->phase);
        if (before == SC__RUNNING && phase == SC__DRAINING) sc__spoil_finish(flock);
    }
    close_all(flock);
    close(flock->epoll);
    flock->epoll = -1;
    return flock->err;
}
