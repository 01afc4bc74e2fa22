// One thread's clients: when each asks, what it sends and reads, when its time is up.
//
// A query costs two system calls in the usual case: a send when it is asked, and a read when its
// reply is there. The request is written into a buffer that all clients share, and only what the
// kernel does not take at once is copied.
//
// There is no queue of timers. Clients whose time is up are found by going through one dense array
// of times, which for 50,000 clients takes some twenty microseconds: ten times a second in general,
// a hundred times with chaos, which has more of them.
#include "demo/loadgen/clients.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    EVENTS = 512,           ///< taken from the kernel at once
    BEGIN_AT_ONCE = 64,     ///< queries that begin before replies are looked at again
    OPENING_AT_ONCE = 128,  ///< holding: connections that are being opened; the backlog is finite
    SCAN_US = 100000,
    CHAOS_SCAN_US = 10000,
};

/** So long may opening a connection take, and sending a request. */
#define CONNECT_LIMIT_US 20000000

/** Apart from those of travellers (sc_purpose). */
enum { FOR_GROUPS = 100 };

// --- Making and freeing -----------------------------------------------------------

static sc_err make_room(sc__client_group *group)
{
    group->clients = sc_calloc(group->count, sizeof *group->clients);
    group->wakes_us = sc_malloc_array(group->count, sizeof *group->wakes_us);
    group->counts = sc_calloc(1, sizeof *group->counts);
    group->check = sc_calloc(1, sizeof *group->check);
    group->text = sc_malloc(SC__TEXT_SIZE);
    group->bytes = sc_malloc(SC__READ_SIZE);
    if (!group->clients || !group->wakes_us || !group->counts || !group->check || !group->text ||
        !group->bytes) {
        group->count = 0;
        return SC_ENOMEM;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        group->clients[i].connection = SC_LOAD_CONNECTION_CLOSED;
        group->wakes_us[i] = INT64_MAX;
    }
    return SC_OK;
}

static sc_err open_lbs(sc__client_group *group, sc_diag *diag)
{
    if (!group->options->objects || group->options->check_per_mille == 0) return SC_OK;
    sc_lbs_options options = sc_lbs_options_default();
    options.limits.max_k++;  // one more than any query asks for: see reply_checks.c
    sc_err err = sc_lbs_new(group->shared->map, &options, &group->lbs[0], diag);
    for (size_t i = 0; !err && i < group->options->other_count; i++) {
        err = sc_lbs_new(group->options->others[i].map, &options, &group->lbs[1 + i], diag);
    }
    return err;
}

sc_err sc__client_group_new(sc__load_run *shared, unsigned number, uint32_t first,
                            sc__client_group **out, sc_diag *diag)
{
    sc__client_group *group = sc_calloc(1, sizeof *group);
    if (!group) return sc_fail_memory(diag, "gathering travellers");
    group->shared = shared;
    group->options = shared->options;
    group->first = first;
    group->epoll = -1;
    sc_movement *movement = group->options->movements[number];
    group->count = movement->count;
    const uint64_t seed = sc_traveller_seed(group->options->seed, number, FOR_GROUPS);
    sc_rng_seed(&group->rng, seed);
    sc_err err = make_room(group);
    if (err) (void)sc_fail_memory(diag, "gathering travellers");
    if (!err) {
        err =
            sc_travellers_new(movement, &group->options->workload, seed, &group->travellers, diag);
    }
    if (!err) err = open_lbs(group, diag);
    if (err) {
        sc__client_group_free(group);
        return err;
    }
    *out = group;
    return SC_OK;
}

void sc__client_group_free(sc__client_group *group)
{
    if (!group) return;
    sc_travellers_free(group->travellers);
    for (size_t i = 0; i < SC_LOAD_MAPS; i++) {
        sc_lbs_free(group->lbs[i]);
    }
    sc_free(group->clients);
    sc_free(group->wakes_us);
    sc_free(group->counts);
    sc_free(group->check);
    sc_free(group->text);
    sc_free(group->bytes);
    sc_free(group);
}

sc__client_progress sc__client_progress_of(const sc__client_group *group)
{
    return (sc__client_progress){
        .asked = atomic_load_explicit(&group->asked, memory_order_relaxed),
        .sent = atomic_load_explicit(&group->sent, memory_order_relaxed),
        .ended = atomic_load_explicit(&group->ended, memory_order_relaxed),
    };
}

// --- The watcher ---------------------------------------------------------------------

static void tell_asked(sc__client_group *group, uint32_t who)
{
    const sc_load_watcher *watcher = &group->options->watcher;
    sc__client *client = &group->clients[who];
    if (!watcher->asked) return;
    client->number = atomic_fetch_add_explicit(&group->shared->told, 1, memory_order_relaxed) + 1;
    const sc_load_query question = {
        .number = client->number,
        .who = group->first + who,
        .edge = client->question.edge,
        .offset_m = client->question.offset_m,
        .profile = client->question.profile,
        .nearest = client->question.nearest,
    };
    watcher->asked(watcher->context, &question);
}

static void tell_ended(const sc__client_group *group, uint32_t who, sc_load_end end,
                       const char *word)
{
    const sc_load_watcher *watcher = &group->options->watcher;
    if (!watcher->ended) return;
    // These ends are what a reply says, and its check is still there.
    const bool is_outcome = end == SC_LOAD_ANSWERED || end == SC_LOAD_DROPPED;
    const sc_load_outcome ending = {
        .number = group->clients[who].number,
        .who = group->first + who,
        .end = end,
        .word = word,
        .cloak = end == SC_LOAD_ANSWERED ? group->check->cloak : "",
        .wait_s = is_outcome ? group->check->wait_s : 0,
    };
    watcher->ended(watcher->context, &ending);
}

// --- Outcomes -------------------------------------------------------------------

void sc__client_close(sc__client_group *group, uint32_t who, bool is_reset)
{
    sc__client *client = &group->clients[who];
    sc_response_clear(&client->response);
    sc_free(client->rest);
    client->rest = NULL;
    client->is_not_reading = false;
    sc_load_connection_close(&client->connection, is_reset);
}

void sc__client_end(sc__client_group *group, uint32_t who, sc_load_end end, int status,
                    const char *word)
{
    sc__client *client = &group->clients[who];
    if (client->stage == SC__CLIENT_CONNECTING) group->opening_count--;
    group->open_count--;
    client->stage = SC__CLIENT_IDLE;
    client->used_us = group->now_us;
    group->wakes_us[who] = INT64_MAX;
    if (client->fault != SC__FAULT_GARBAGE) {
        sc__load_counts_end(group->counts, end, status, word);
        atomic_fetch_add_explicit(&group->ended, 1, memory_order_relaxed);
        tell_ended(group, who, end, word);
    }
    if (group->options->holds) return;  // everybody asks once
    const sc_time t = group->now_us - group->shared->start_us;
    const sc_err err = sc_travellers_resume(group->travellers, who, t);
    if (err) group->err = err;
}

void sc__client_lose(sc__client_group *group, uint32_t who, sc_violation violation,
                     const char *word)
{
    const sc__fault fault = group->clients[who].fault;
    // A client that sends a part, too much or garbage may be cut off; but it must be able to
    // connect.
    const bool is_own_fault = violation != SC_VIOLATION_NO_CONNECTION &&
                              (fault == SC__FAULT_PARTIAL || fault == SC__FAULT_SLOW ||
                               fault == SC__FAULT_FLOOD || fault == SC__FAULT_GARBAGE);
    sc_load_end end = violation == SC_VIOLATION_NO_CONNECTION ? SC_LOAD_UNSENT : SC_LOAD_LOST;
    if (is_own_fault) end = SC_LOAD_LEFT;
    if (!is_own_fault) sc__load_counts_violate(group->counts, violation, "%s", word);
    sc__client_close(group, who, false);
    sc__client_end(group, who, end, 0, is_own_fault ? "cut-off" : sc_violation_name(violation));
}

/** Nothing was sent, since this machine lacks something: no fault of the service. */
static void lack(sc__client_group *group, uint32_t who, const char *word)
{
    sc__client_close(group, who, false);
    sc__client_end(group, who, SC_LOAD_UNSENT, 0, word);
}

// --- Sending --------------------------------------------------------------------

static void start_waiting(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    sc_free(client->rest);
    client->rest = NULL;
    client->stage = SC__CLIENT_WAITING;
    const int64_t patience_us = (int64_t)(group->options->patience_s * 1e6);
    group->wakes_us[who] = client->sent_us + client->question.profile.max_wait_us + patience_us;
    if (client->fault != SC__FAULT_GARBAGE) {
        atomic_fetch_add_explicit(&group->sent, 1, memory_order_relaxed);
    }
    if (client->fault != SC__FAULT_NONE) sc__fault_wait(group, who);
}

/** Write up to `size` bytes; how many were taken. False if the connection is broken. */
static bool write_some(sc__client *client, const char *bytes, size_t size, size_t *taken)
{
    *taken = 0;
    while (*taken < size) {
        size_t put = 0;
        const sc_load_io result =
            sc_load_connection_write(&client->connection, bytes + *taken, size - *taken, &put);
        if (result == SC_LOAD_IO_WAIT) return true;
        if (result != SC_LOAD_IO_DONE) return false;
        *taken += put;
    }
    return true;
}

static bool keep_rest(sc__client *client, const char *bytes, size_t size)
{
    client->rest = sc_malloc(size);
    if (!client->rest) return false;
    memcpy(client->rest, bytes, size);
    client->rest_size = size;
    client->rest_at = 0;
    return true;
}

void sc__client_send(sc__client_group *group, uint32_t who, size_t size)
{
    sc__client *client = &group->clients[who];
    const size_t left = client->rest_size - client->rest_at;
    size_t taken = 0;
    if (!write_some(client, client->rest + client->rest_at, size < left ? size : left, &taken)) {
        sc__client_lose(group, who, SC_VIOLATION_LOST_QUERY, "the connection broke while sending");
        return;
    }
    client->rest_at += taken;
    if (client->rest_at == client->rest_size) start_waiting(group, who);
}

static void start_sending(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    client->stage = SC__CLIENT_SENDING;
    const size_t size = sc__fault_write_request(group, who);
    client->sent_us = sc_clock_us();
    group->wakes_us[who] = client->sent_us + CONNECT_LIMIT_US;
    const bool is_whole = client->fault != SC__FAULT_PARTIAL && client->fault != SC__FAULT_SLOW;
    size_t taken = 0;
    if (is_whole && !write_some(client, group->text, size, &taken)) {
        sc__client_lose(group, who, SC_VIOLATION_LOST_QUERY, "the connection broke while sending");
    } else if (taken == size) {
        start_waiting(group, who);
    } else if (!keep_rest(client, group->text + taken, size - taken)) {
        group->err = SC_ENOMEM;
        sc__client_close(group, who, false);
        sc__client_end(group, who, SC_LOAD_LEFT, 0, "memory");
    } else if (!is_whole) {
        sc__fault_send(group, who);
    }
}

// --- Beginning ------------------------------------------------------------------

static void start_connecting(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    client->stage = SC__CLIENT_CONNECTING;
    group->opening_count++;
    group->wakes_us[who] = group->now_us + CONNECT_LIMIT_US;
    group->counts->connects++;
    client->begun_us = sc_clock_us();
    const sc_err err =
        sc_load_connection_open(&client->connection, group->shared->target, group->first + who);
    if (err == SC_ENET) {
        sc__client_lose(group, who, SC_VIOLATION_NO_CONNECTION,
                        "the service does not accept the connection");
        return;
    }
    if (err) {
        lack(group, who, err == SC_ELIMIT ? SC__NO_DESCRIPTOR : SC__NO_RESOURCES);
        return;
    }
    // Edges: nothing has to be changed any more until it is closed.
    struct epoll_event events = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                 .data.u32 = who};
    if (epoll_ctl(group->epoll, EPOLL_CTL_ADD, client->connection.fd, &events)) {
        lack(group, who, SC__NO_RESOURCES);
    }
}

static void begin_query(sc__client_group *group, uint32_t who, const sc_request_line *request_line,
                        int64_t due_us)
{
    sc__client *client = &group->clients[who];
    const sc_request *request = &request_line->request;
    const sc__load_run *shared = group->shared;
    client->question = (sc__client_query){
        .edge = request_line->ask.edge,
        .offset_m = request_line->ask.offset_m,
        .profile = request_line->ask.profile,
        .nearest = request->k,
        .metric = request->metric,
        .category = request->category_count > 0 ? request->categories[0] : SC_NONE,
    };
    client->fault = group->options->chaos.is_on ? sc__fault_draw(group) : SC__FAULT_NONE;
    client->is_measured = client->fault == SC__FAULT_NONE &&
                          group->now_us >= shared->measure_from_us &&
                          group->now_us < shared->measure_to_us;
    client->is_checked =
        group->lbs[0] && sc_rng_below(&group->rng, 1000) < group->options->check_per_mille;
    group->open_count++;
    if (client->fault == SC__FAULT_GARBAGE) {
        group->counts->strays++;
    } else {
        group->counts->asked++;
        group->counts->faulty += client->fault != SC__FAULT_NONE;
        atomic_fetch_add_explicit(&group->asked, 1, memory_order_relaxed);
        tell_asked(group, who);
    }
    if (client->is_measured) {
        const int64_t behind_us = group->now_us - due_us;
        sc_log_histogram_add(&group->counts->behind_us, behind_us > 0 ? (uint64_t)behind_us : 0);
    }
    const double unused_s = (double)(group->now_us - client->used_us) * 1e-6;
    if (unused_s > group->options->keep_alive_s) sc__client_close(group, who, false);
    if (client->connection.fd < 0) {
        start_connecting(group, who);
    } else {
        start_sending(group, who);
    }
}

// --- Reading --------------------------------------------------------------------

/** Nonsense was answered: anything but success will do. */
static void take_stray_reply(sc__client_group *group, uint32_t who)
{
    const int status = group->clients[who].response.status;
    if (status < 400) {
        sc__load_counts_violate(group->counts, SC_VIOLATION_GARBAGE_TAKEN,
                                "status %d in reply to an invalid request", status);
    }
    sc__client_close(group, who, false);
    sc__client_end(group, who, SC_LOAD_LEFT, status, "");
}

/** A reply is whole. @param has_more  whether bytes came behind it */
static void take_reply(sc__client_group *group, uint32_t who, bool has_more)
{
    sc__client *client = &group->clients[who];
    sc_reply_check *check = group->check;
    if (client->fault == SC__FAULT_GARBAGE) {
        take_stray_reply(group, who);
        return;
    }
    const sc__client_query *question = &client->question;
    // Without comparing answers, speed is what is measured.
    const bool is_hasty = group->options->check_per_mille == 0;
    const sc_err err = (is_hasty ? sc_reply_check_read_quickly : sc_reply_check_read)(
        &client->response,
        &(sc_reply_wanted){&question->profile, question->nearest, question->metric}, check);
    if (err) {
        group->err = err;
        check->end = SC_LOAD_LEFT;
    }
    if (client->is_checked && check->end == SC_LOAD_ANSWERED && !check->is_violated) {
        sc__reply_check_exact(group, client);
    }
    if (check->is_violated) {
        sc__load_counts_violate(group->counts, check->violation, "%s", check->remark);
    }
    // After a flood more than one reply may come.
    const bool is_flood = client->fault == SC__FAULT_FLOOD;
    if (has_more && !is_flood) {
        sc__load_counts_violate(group->counts, SC_VIOLATION_ANSWERED_TWICE,
                                "extra bytes after a reply");
    }
    if (client->is_measured) {
        sc__load_counts_measure(group->counts, check, group->now_us - client->sent_us);
    }
    const int status = client->response.status;
    // What was not asked as a whole cannot be followed by another question.
    if (client->response.closes || client->rest || has_more || is_flood) {
        sc__client_close(group, who, false);
    }
    sc_response_clear(&client->response);
    sc__client_end(group, who, check->end, status, check->word);
}

/** Bytes came. */
static void take_bytes(sc__client_group *group, uint32_t who, size_t size)
{
    sc__client *client = &group->clients[who];
    if (client->stage == SC__CLIENT_IDLE) {
        sc__load_counts_violate(group->counts, SC_VIOLATION_ANSWERED_TWICE,
                                "bytes received without a request");
        sc__client_close(group, who, false);
        return;
    }
    size_t used = 0;
    sc_diag diag = {.message = ""};
    const sc_err err = sc_response_feed(&client->response, group->bytes, size, &used, &diag);
    if (err == SC_ENOMEM) {
        group->err = err;
        sc__client_close(group, who, false);
        sc__client_end(group, who, SC_LOAD_LEFT, 0, "memory");
    } else if (err) {
        sc__client_lose(group, who, SC_VIOLATION_BAD_REPLY, diag.message);
    } else if (sc_response_is_whole(&client->response)) {
        take_reply(group, who, used < size);
    }
}

static void read_replies(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    while (client->connection.fd >= 0 && !group->err) {
        size_t got = 0;
        const bool is_plain = !client->connection.tls;
        const sc_load_io result =
            sc_load_connection_read(&client->connection, group->bytes, SC__READ_SIZE, &got);
        if (result == SC_LOAD_IO_WAIT) return;
        if (result == SC_LOAD_IO_DONE) {
            take_bytes(group, who, got);
            // A short read has emptied a socket; of TLS, more may be unpacked already.
            if (is_plain && got < SC__READ_SIZE) return;
        } else if (client->stage == SC__CLIENT_IDLE) {
            sc__client_close(group, who, false);
        } else {
            sc__client_lose(group, who, SC_VIOLATION_LOST_QUERY,
                            "the connection broke before the reply");
        }
    }
}

void sc__client_ready(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    if (client->connection.fd < 0 || client->is_not_reading) return;
    if (client->stage == SC__CLIENT_CONNECTING) {
        const sc_load_io result = sc_load_connection_connect(&client->connection);
        if (result == SC_LOAD_IO_WAIT) return;
        if (result != SC_LOAD_IO_DONE) {
            sc__client_lose(group, who, SC_VIOLATION_NO_CONNECTION,
                            "the service does not accept the connection");
            return;
        }
        group->opening_count--;
        if (client->is_measured) {
            const int64_t took_us = group->now_us - client->begun_us;
            sc_log_histogram_add(&group->counts->connect_us, took_us > 0 ? (uint64_t)took_us : 0);
        }
        start_sending(group, who);
        return;
    }
    const bool is_ours = client->fault == SC__FAULT_PARTIAL || client->fault == SC__FAULT_SLOW;
    if (client->stage == SC__CLIENT_SENDING && !is_ours) sc__client_send(group, who, SIZE_MAX);
    read_replies(group, who);
}

static void time_out(sc__client_group *group, uint32_t who)
{
    sc__client *client = &group->clients[who];
    if (client->stage == SC__CLIENT_CONNECTING) {
        sc__client_lose(group, who, SC_VIOLATION_NO_CONNECTION, "no connection in time");
    } else if (client->fault != SC__FAULT_NONE) {
        sc__fault_timeout(group, who);
    } else {
        sc__client_lose(group, who, SC_VIOLATION_OVERDUE, "no reply, long after the deadline");
    }
}

// --- Asking -----------------------------------------------------------------------

static void ask(sc__client_group *group, int64_t due_us)
{
    sc_request_line request_line;
    const uint32_t who = sc_travellers_ask(group->travellers, &request_line);
    begin_query(group, who, &request_line, due_us);
}

/** Closed loop: clients whose time has come. Returns when the next asks; INT64_MAX: unknown. */
static int64_t ask_in_turn(sc__client_group *group)
{
    const int64_t start_us = group->shared->start_us;
    for (int i = 0; i < BEGIN_AT_ONCE && !group->err; i++) {
        const sc_time next = sc_travellers_next(group->travellers);
        if (next == SC_TIME_NEVER) return INT64_MAX;
        if (start_us + next > group->now_us) return start_us + next;
        ask(group, start_us + next);
    }
    return group->now_us;
}

/** Open loop: an idle client, at random times. */
static int64_t ask_at_random(sc__client_group *group)
{
    const double rate = group->options->rate / group->options->group_count;
    for (int i = 0; i < BEGIN_AT_ONCE && !group->err; i++) {
        if (group->next_arrival_us > group->now_us) return group->next_arrival_us;
        if (sc_travellers_next(group->travellers) == SC_TIME_NEVER) {
            group->counts->none_idle++;
        } else {
            ask(group, group->next_arrival_us);
        }
        const double gap_us = -log(1.0 - sc_rng_unit(&group->rng)) / rate * 1e6;
        group->next_arrival_us += (int64_t)fmin(gap_us, 1e15);
    }
    return group->now_us;
}

/** All idle clients, as fast as connections can be opened; holding: each once. */
static int64_t ask_at_once(sc__client_group *group)
{
    const uint64_t most = group->options->holds ? group->count : UINT64_MAX;
    for (int i = 0; i < BEGIN_AT_ONCE; i++) {
        if (group->opening_count >= OPENING_AT_ONCE || group->counts->asked >= most || group->err ||
            sc_travellers_next(group->travellers) == SC_TIME_NEVER) {
            return INT64_MAX;
        }
        ask(group, group->now_us);
    }
    return group->now_us;
}

static int64_t ask_next(sc__client_group *group)
{
    if (group->options->holds || group->options->is_restless) return ask_at_once(group);
    return group->options->rate > 0 ? ask_at_random(group) : ask_in_turn(group);
}

// --- The loop -----------------------------------------------------------------------

static void wake_all(sc__client_group *group)
{
    if (group->now_us < group->next_scan_us) return;
    group->next_scan_us = group->now_us + (group->options->chaos.is_on ? CHAOS_SCAN_US : SCAN_US);
    for (uint32_t who = 0; who < group->count; who++) {
        if (group->wakes_us[who] <= group->now_us) time_out(group, who);
    }
}

static void listen_until(sc__client_group *group, int64_t until_us)
{
    struct epoll_event events[EVENTS];
    if (until_us > group->next_scan_us) until_us = group->next_scan_us;
    const int wait_ms = sc_clock_wait_ms(sc_clock_us(), until_us);
    const int count = epoll_wait(group->epoll, events, EVENTS, wait_ms);
    group->now_us = sc_clock_us();
    for (int i = 0; i < count && !group->err; i++) {
        sc__client_ready(group, events[i].data.u32);
    }
}

/** Close all connections. */
static void close_all(sc__client_group *group)
{
    for (uint32_t who = 0; who < group->count; who++) {
        sc__client_close(group, who, false);
        if (group->clients[who].stage != SC__CLIENT_IDLE) {
            sc__client_end(group, who, SC_LOAD_LEFT, 0, "closed");
        }
    }
}

sc_err sc__client_group_run(sc__client_group *group)
{
    group->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (group->epoll < 0) return SC_EIO;
    group->now_us = sc_clock_us();
    group->next_arrival_us = group->shared->start_us;
    int phase = SC__RUNNING;
    while (!group->err && phase != SC__CLOSING && (phase == SC__RUNNING || group->open_count > 0)) {
        const int64_t next_us = phase == SC__RUNNING ? ask_next(group) : INT64_MAX;
        listen_until(group, next_us);
        wake_all(group);
        const int before = phase;
        phase = atomic_load(&group->shared->phase);
        if (before == SC__RUNNING && phase == SC__DRAINING) sc__fault_finish(group);
    }
    close_all(group);
    close(group->epoll);
    group->epoll = -1;
    return group->err;
}
