// The loop of one thread: who asks next, what the kernel says, whose time is up. See flock.h.
//
// There is no queue of timers. Calls that must be woken are found by looking through one dense
// array of times, which for 50,000 travellers takes some twenty microseconds: ten times a second
// in general, a hundred times with chaos, whose calls are woken often.
#include "demo/loadgen/clients.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/sanitizers.h"

#include <math.h>
#include <sched.h>
#include <string.h>
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
    sc_spoken spoken;
    const uint32_t who = sc_travellers_ask(flock->travellers, &spoken);
    sc__call_begin(flock, who, &spoken, due_us);
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

// === One traveller's call: connect, send, wait, be answered =====================================
// The usual way costs two calls of the system: a send when the query is asked, and a read when its
// reply has come. The request is written into room that all calls share, and only what the kernel
// does not take at once is copied.

/** So long may opening a connection take, and sending a request. */
#define CONNECT_LIMIT_US 20000000

// --- Whoever watches --------------------------------------------------------------

static void tell_asked(sc__flock *flock, uint32_t who)
{
    const sc_load_watcher *watcher = &flock->options->watcher;
    sc__call *call = &flock->calls[who];
    if (!watcher->asked) return;
    call->number = atomic_fetch_add_explicit(&flock->course->told, 1, memory_order_relaxed) + 1;
    const sc_load_question question = {
        .number = call->number,
        .who = flock->first + who,
        .edge = call->question.edge,
        .offset_m = call->question.offset_m,
        .profile = call->question.profile,
    };
    watcher->asked(watcher->context, &question);
}

static void tell_ended(const sc__flock *flock, uint32_t who, sc_load_end end, const char *word)
{
    const sc_load_watcher *watcher = &flock->options->watcher;
    if (!watcher->ended) return;
    // These ends are what a reply says, and its verdict is still there.
    const bool is_outcome = end == SC_LOAD_ANSWERED || end == SC_LOAD_DROPPED;
    const sc_load_ending ending = {
        .number = flock->calls[who].number,
        .who = flock->first + who,
        .end = end,
        .word = word,
        .cloak = end == SC_LOAD_ANSWERED ? flock->verdict->cloak : "",
        .wait_s = is_outcome ? flock->verdict->wait_s : 0,
    };
    watcher->ended(watcher->context, &ending);
}

// --- The ends -------------------------------------------------------------------

void sc__call_close(sc__flock *flock, uint32_t who, bool is_reset)
{
    sc__call *call = &flock->calls[who];
    sc_response_clear(&call->response);
    sc_free(call->rest);
    call->rest = NULL;
    call->is_deaf = false;
    sc_wire_close(&call->wire, is_reset);
}

void sc__call_end(sc__flock *flock, uint32_t who, sc_load_end end, int status, const char *word)
{
    sc__call *call = &flock->calls[who];
    if (call->stage == SC__CALL_CONNECTING) flock->opening_count--;
    flock->open_count--;
    call->stage = SC__CALL_IDLE;
    call->used_us = flock->now_us;
    flock->wakes_us[who] = INT64_MAX;
    if (call->fate != SC__FATE_GARBAGE) {
        sc__books_end(flock->books, end, status, word);
        atomic_fetch_add_explicit(&flock->ended, 1, memory_order_relaxed);
        tell_ended(flock, who, end, word);
    }
    if (flock->options->holds) return;  // everybody asks once
    const sc_time t = flock->now_us - flock->course->start_us;
    const sc_err err = sc_travellers_resume(flock->travellers, who, t);
    if (err) flock->err = err;
}

void sc__call_lose(sc__flock *flock, uint32_t who, sc_violation violation, const char *word)
{
    const sc__fate fate = flock->calls[who].fate;
    // Whoever speaks half, too much or nonsense may be cut off; that they cannot connect is another
    // thing.
    const bool is_spoiled = violation != SC_VIOLATION_NO_CONNECTION &&
                            (fate == SC__FATE_HALF || fate == SC__FATE_DRIP ||
                             fate == SC__FATE_FLOOD || fate == SC__FATE_GARBAGE);
    sc_load_end end = violation == SC_VIOLATION_NO_CONNECTION ? SC_LOAD_UNSENT : SC_LOAD_LOST;
    if (is_spoiled) end = SC_LOAD_LEFT;
    if (!is_spoiled) sc__books_violate(flock->books, violation, "%s", word);
    sc__call_close(flock, who, false);
    sc__call_end(flock, who, end, 0, is_spoiled ? "cut-off" : sc_violation_name(violation));
}

// --- Sending --------------------------------------------------------------------

void sc__call_wait(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    sc_free(call->rest);
    call->rest = NULL;
    call->stage = SC__CALL_WAITING;
    const int64_t patience_us = (int64_t)(flock->options->patience_s * 1e6);
    flock->wakes_us[who] = call->sent_us + call->question.profile.max_wait_us + patience_us;
    if (call->fate != SC__FATE_GARBAGE) {
        atomic_fetch_add_explicit(&flock->sent, 1, memory_order_relaxed);
    }
    if (call->fate != SC__FATE_NONE) sc__spoil_wait(flock, who);
}

/** Write up to `size` bytes; how many were taken. False if the connection is broken. */
static bool write_some(sc__call *call, const char *bytes, size_t size, size_t *taken)
{
    *taken = 0;
    while (*taken < size) {
        size_t put = 0;
        const sc_wire_result result =
            sc_wire_write(&call->wire, bytes + *taken, size - *taken, &put);
        if (result == SC_WIRE_WAIT) return true;
        if (result != SC_WIRE_DONE) return false;
        *taken += put;
    }
    return true;
}

static bool keep_rest(sc__call *call, const char *bytes, size_t size)
{
    call->rest = sc_malloc(size);
    if (!call->rest) return false;
    memcpy(call->rest, bytes, size);
    call->rest_size = size;
    call->rest_at = 0;
    return true;
}

void sc__call_send(sc__flock *flock, uint32_t who, size_t size)
{
    sc__call *call = &flock->calls[who];
    const size_t left = call->rest_size - call->rest_at;
    size_t taken = 0;
    if (!write_some(call, call->rest + call->rest_at, size < left ? size : left, &taken)) {
        sc__call_lose(flock, who, SC_VIOLATION_LOST_QUERY, "the connection broke while sending");
        return;
    }
    call->rest_at += taken;
    if (call->rest_at == call->rest_size) sc__call_wait(flock, who);
}

static void start_sending(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    call->stage = SC__CALL_SENDING;
    const size_t size = sc__spoil_request(flock, who);
    call->sent_us = sc_clock_us();
    flock->wakes_us[who] = call->sent_us + CONNECT_LIMIT_US;
    const bool is_whole = call->fate != SC__FATE_HALF && call->fate != SC__FATE_DRIP;
    size_t taken = 0;
    if (is_whole && !write_some(call, flock->text, size, &taken)) {
        sc__call_lose(flock, who, SC_VIOLATION_LOST_QUERY, "the connection broke while sending");
    } else if (taken == size) {
        sc__call_wait(flock, who);
    } else if (!keep_rest(call, flock->text + taken, size - taken)) {
        flock->err = SC_ENOMEM;
        sc__call_close(flock, who, false);
        sc__call_end(flock, who, SC_LOAD_LEFT, 0, "memory");
    } else if (!is_whole) {
        sc__spoil_send(flock, who);
    }
}

// --- Beginning ------------------------------------------------------------------

static void start_connecting(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    call->stage = SC__CALL_CONNECTING;
    flock->opening_count++;
    flock->wakes_us[who] = flock->now_us + CONNECT_LIMIT_US;
    flock->books->connects++;
    call->begun_us = sc_clock_us();
    const sc_err err = sc_wire_open(&call->wire, flock->course->target, flock->first + who);
    if (err) {
        sc__call_lose(flock, who, SC_VIOLATION_NO_CONNECTION,
                      err == SC_ELIMIT ? "no descriptor is left; use more --threads, or 'ulimit -n'"
                                       : "the service does not take the connection");
        return;
    }
    // Edges: nothing has to be changed any more until it is closed.
    struct epoll_event events = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                 .data.u32 = who};
    if (epoll_ctl(flock->epoll, EPOLL_CTL_ADD, call->wire.fd, &events)) {
        sc__call_lose(flock, who, SC_VIOLATION_NO_CONNECTION, "the kernel watches no more of them");
    }
}

void sc__call_begin(sc__flock *flock, uint32_t who, const sc_spoken *spoken, int64_t due_us)
{
    sc__call *call = &flock->calls[who];
    const sc_request *request = &spoken->request;
    const sc__course *course = flock->course;
    call->question = (sc__question){
        .edge = spoken->ask.edge,
        .offset_m = spoken->ask.offset_m,
        .profile = spoken->ask.profile,
        .nearest = request->k,
        .category = request->category_count > 0 ? request->categories[0] : SC_NONE,
    };
    call->fate = flock->options->chaos.is_on ? sc__spoil_draw(flock) : SC__FATE_NONE;
    call->is_measured = call->fate == SC__FATE_NONE && flock->now_us >= course->measure_from_us &&
                        flock->now_us < course->measure_to_us;
    call->is_checked =
        flock->lbs && sc_rng_below(&flock->rng, 1000) < flock->options->check_per_mille;
    flock->open_count++;
    if (call->fate == SC__FATE_GARBAGE) {
        flock->books->strays++;
    } else {
        flock->books->asked++;
        flock->books->spoiled += call->fate != SC__FATE_NONE;
        atomic_fetch_add_explicit(&flock->asked, 1, memory_order_relaxed);
        tell_asked(flock, who);
    }
    if (call->is_measured) {
        const int64_t behind_us = flock->now_us - due_us;
        sc_log_histogram_add(&flock->books->behind_us, behind_us > 0 ? (uint64_t)behind_us : 0);
    }
    const double unused_s = (double)(flock->now_us - call->used_us) * 1e-6;
    if (unused_s > flock->options->keep_alive_s) sc__call_close(flock, who, false);
    if (call->wire.fd < 0) {
        start_connecting(flock, who);
    } else {
        start_sending(flock, who);
    }
}

// --- Hearing --------------------------------------------------------------------

/** Nonsense was answered: anything but success will do. */
static void take_stray_reply(sc__flock *flock, uint32_t who)
{
    const int status = flock->calls[who].response.status;
    if (status < 400) {
        sc__books_violate(flock->books, SC_VIOLATION_GARBAGE_TAKEN, "status %d to nonsense",
                          status);
    }
    sc__call_close(flock, who, false);
    sc__call_end(flock, who, SC_LOAD_LEFT, status, "");
}

/** A reply is whole. @param has_more  whether bytes came behind it */
static void take_reply(sc__flock *flock, uint32_t who, bool has_more)
{
    sc__call *call = &flock->calls[who];
    sc_verdict *verdict = flock->verdict;
    if (call->fate == SC__FATE_GARBAGE) {
        take_stray_reply(flock, who);
        return;
    }
    const sc__question *question = &call->question;
    // Whoever compares no answers wants to know how fast it can be.
    const bool is_hasty = flock->options->check_per_mille == 0;
    const sc_err err = (is_hasty ? sc_judge_quickly : sc_judge)(&call->response, &question->profile,
                                                                question->nearest, verdict);
    if (err) {
        flock->err = err;
        verdict->end = SC_LOAD_LEFT;
    }
    if (call->is_checked && verdict->end == SC_LOAD_ANSWERED && !verdict->is_violated) {
        sc__exact_check(flock, call);
    }
    if (verdict->is_violated) {
        sc__books_violate(flock->books, verdict->violation, "%s", verdict->remark);
    }
    // Whoever said more than its query may be told more than its outcome.
    const bool is_flood = call->fate == SC__FATE_FLOOD;
    if (has_more && !is_flood) {
        sc__books_violate(flock->books, SC_VIOLATION_ANSWERED_TWICE, "more bytes behind a reply");
    }
    if (call->is_measured) {
        sc__books_measure(flock->books, verdict, flock->now_us - call->sent_us);
    }
    const int status = call->response.status;
    // What was not asked as a whole cannot be followed by another question.
    if (call->response.closes || call->rest || has_more || is_flood) {
        sc__call_close(flock, who, false);
    }
    sc_response_clear(&call->response);
    sc__call_end(flock, who, verdict->end, status, verdict->word);
}

/** Bytes came. */
static void take_bytes(sc__flock *flock, uint32_t who, size_t size)
{
    sc__call *call = &flock->calls[who];
    if (call->stage == SC__CALL_IDLE) {
        sc__books_violate(flock->books, SC_VIOLATION_ANSWERED_TWICE, "bytes that nobody asked for");
        sc__call_close(flock, who, false);
        return;
    }
    size_t used = 0;
    sc_diag diag = {.message = ""};
    const sc_err err = sc_response_feed(&call->response, flock->bytes, size, &used, &diag);
    if (err == SC_ENOMEM) {
        flock->err = err;
        sc__call_close(flock, who, false);
        sc__call_end(flock, who, SC_LOAD_LEFT, 0, "memory");
    } else if (err) {
        sc__call_lose(flock, who, SC_VIOLATION_BAD_REPLY, diag.message);
    } else if (sc_response_is_whole(&call->response)) {
        take_reply(flock, who, used < size);
    }
}

static void hear(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    while (call->wire.fd >= 0 && !flock->err) {
        size_t got = 0;
        const bool is_plain = !call->wire.tls;
        const sc_wire_result result = sc_wire_read(&call->wire, flock->bytes, SC__READ_SIZE, &got);
        if (result == SC_WIRE_WAIT) return;
        if (result == SC_WIRE_DONE) {
            take_bytes(flock, who, got);
            // A short read has emptied a socket; of TLS, more may be unpacked already.
            if (is_plain && got < SC__READ_SIZE) return;
        } else if (call->stage == SC__CALL_IDLE) {
            sc__call_close(flock, who, false);
        } else {
            sc__call_lose(flock, who, SC_VIOLATION_LOST_QUERY,
                          "the connection broke before the reply");
        }
    }
}

void sc__call_stir(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    if (call->wire.fd < 0 || call->is_deaf) return;
    if (call->stage == SC__CALL_CONNECTING) {
        const sc_wire_result result = sc_wire_connect(&call->wire);
        if (result == SC_WIRE_WAIT) return;
        if (result != SC_WIRE_DONE) {
            sc__call_lose(flock, who, SC_VIOLATION_NO_CONNECTION,
                          "the service does not take the connection");
            return;
        }
        flock->opening_count--;
        if (call->is_measured) {
            const int64_t took_us = flock->now_us - call->begun_us;
            sc_log_histogram_add(&flock->books->connect_us, took_us > 0 ? (uint64_t)took_us : 0);
        }
        start_sending(flock, who);
        return;
    }
    const bool is_ours = call->fate == SC__FATE_HALF || call->fate == SC__FATE_DRIP;
    if (call->stage == SC__CALL_SENDING && !is_ours) sc__call_send(flock, who, SIZE_MAX);
    hear(flock, who);
}

void sc__call_wake(sc__flock *flock, uint32_t who)
{
    sc__call *call = &flock->calls[who];
    if (call->stage == SC__CALL_CONNECTING) {
        sc__call_lose(flock, who, SC_VIOLATION_NO_CONNECTION, "no connection in time");
    } else if (call->fate != SC__FATE_NONE) {
        sc__spoil_wake(flock, who);
    } else {
        sc__call_lose(flock, who, SC_VIOLATION_OVERDUE, "no reply, long after the deadline");
    }
}
