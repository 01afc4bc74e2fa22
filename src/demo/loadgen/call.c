// One traveller's call: connect, send, wait, be answered. See flock_internal.h.
//
// The usual way costs two calls of the system: a send when the query is asked, and a read when its
// reply has come. The request is written into room that all calls share, and only what the kernel
// does not take at once is copied.
#include "demo/loadgen/flock_internal.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <string.h>
#include <sys/epoll.h>

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

void sc__call_begin(sc__flock *flock, uint32_t who, const sc_request_line *request_line,
                    int64_t due_us)
{
    sc__call *call = &flock->calls[who];
    const sc_request *request = &request_line->request;
    const sc__course *course = flock->course;
    call->question = (sc__question){
        .edge = request_line->ask.edge,
        .offset_m = request_line->ask.offset_m,
        .profile = request_line->ask.profile,
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
