// A temporary record for an auditor. See audit_record.h.
//
//     asked(), left(), settled(): any thread --> a line --> lines, a heap by time
//     the writer's thread: lines that are old enough --> sealed --> the file
//
// `lock` guards all that is not the writer's alone; nothing is written to a disk with it.
#include "audit/audit_record.h"

#include <starcloak/cloak.h>
#include <starcloak/engine.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "ledger/rare_requests.h"
#include "report/sealed_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const int64_t second_us = 1000000;

/** How often what is old enough is written. */
enum { ROUND_NS = 250000000 };

/** One line. Of those of one time a query comes before its cloak, and a cloak before what came of
 * it. */
typedef struct line {
    sc_time t;
    unsigned rank;
    uint64_t number;
    size_t size;
    char *text;
} line;

static inline bool is_before(const line *a, const line *b)
{
    if (a->t != b->t) return a->t < b->t;
    return a->rank != b->rank ? a->rank < b->rank : a->number < b->number;
}

#define SC_HEAP lines
#define SC_HEAP_ENTRY line
#define SC_HEAP_IS_BEFORE(heap, a, b) is_before(&(a), &(b))
#include "base/heap_template.h"

enum { RANK_QUERY, RANK_CLOAK, RANK_OUTCOME };

struct sc_audit {
    // Read-only.
    sc_auditor auditor;
    sc_log *log;
    char *path;
    uint64_t max_bytes;
    int64_t until_s;
    sc_time began;  ///< by sc_clock_us(): times of the record count from there
    sc_time guard_us;
    bool has_own_objects;

    atomic_bool is_over;

    // The writer's thread; before and after it, the one that opens and frees.
    int fd;
    sc_sealer *sealer;
    sc_bytes sealed;  ///< to be written next
    uint64_t written;
    int64_t said_us;
    bool has_thread;
    pthread_t thread;

    pthread_mutex_t lock;  ///< guards the rest
    pthread_cond_t changed;
    bool is_stopping;
    sc_time end;   ///< by sc_clock_us(): nothing later is recorded
    sc_time last;  ///< of what was written
    bool is_full;  ///< the end has come early
    bool is_lost;  ///< a line could not be kept: the record would not be true
    sc_record *record;
    FILE *stream;  ///< of `record`: one line at a time, in `text`
    char *text;
    size_t text_size;
    lines waiting;
    uint64_t waiting_bytes;
    uint64_t next_number;
};

// --- Lines ---------------------------------------------------------------------------------------

static void forget(line *l)
{
    explicit_bzero(l->text, l->size);
    sc_free(l->text);
    *l = (line){.text = NULL};
}

/** What the record has put into the stream becomes a line of that time; with the lock. */
static void keep_line(sc_audit *audit, sc_time t, unsigned rank)
{
    const long end = fflush(audit->stream) == 0 ? ftell(audit->stream) : -1;
    const size_t size = end > 0 ? (size_t)end : 0;
    char *text = size > 0 && !audit->is_lost && audit->waiting_bytes + size <= SC_AUDIT_WAITING &&
                         lines_reserve(&audit->waiting, audit->waiting.count + 1)
                     ? sc_malloc(size)
                     : NULL;
    if (text) {
        memcpy(text, audit->text, size);
        lines_push(
            &audit->waiting,
            (line){
                .t = t, .rank = rank, .number = audit->next_number++, .size = size, .text = text});
        audit->waiting_bytes += size;
    } else {
        audit->is_lost = true;
    }
    if (size > 0) explicit_bzero(audit->text, size);
    rewind(audit->stream);
}

/**
 * Whether something of that time is recorded; the lock is taken then.
 *
 * An outcome that comes late, after its time was written, or after the end of a record that has to
 * have it (the deadline is before it), is recorded at the next time that is possible.
 *
 * @param deadline  of an outcome's query; NULL: it is no outcome
 */
static bool begin(sc_audit *audit, sc_time *t, const sc_time *deadline)
{
    if (atomic_load_explicit(&audit->is_over, memory_order_relaxed)) return false;
    pthread_mutex_lock(&audit->lock);
    if (deadline && *t > audit->end && *deadline < audit->end) *t = audit->end;
    if (deadline && *t < audit->last) *t = audit->last;
    const bool is_recorded = *t <= audit->end;
    if (is_recorded && *t < audit->last) audit->is_lost = true;
    if (!is_recorded) pthread_mutex_unlock(&audit->lock);
    return is_recorded;
}

static void asked(void *context, const sc_query *query, const sc_ask *ask, const sc_snap *where,
                  const sc_request *request)
{
    sc_audit *audit = context;
    sc_time t = ask->t;
    if (!begin(audit, &t, NULL)) return;
    sc_ask shifted = *ask;
    shifted.t -= audit->began;
    sc_record_query(audit->record, query, &shifted, where, request);
    explicit_bzero(&shifted, sizeof shifted);
    keep_line(audit, t, RANK_QUERY);
    pthread_mutex_unlock(&audit->lock);
}

static void left(void *context, const sc_proposal *proposal, sc_ticket *members, sc_time t)
{
    sc_audit *audit = context;
    if (!begin(audit, &t, NULL)) return;
    sc_member *list = sc_malloc_array(proposal->member_count, sizeof *list);
    if (!list) {
        audit->is_lost = true;
        pthread_mutex_unlock(&audit->lock);
        return;
    }
    for (size_t i = 0; i < proposal->member_count; i++) {
        list[i] =
            (sc_member){.query = proposal->members[i].query, .star = proposal->members[i].star};
    }
    const sc_cloak cloak = {.stars = proposal->stars,
                            .star_count = proposal->star_count,
                            .segments = proposal->segments,
                            .segment_count = proposal->segment_count,
                            .border_nodes = proposal->border_nodes,
                            .border_node_count = proposal->border_node_count,
                            .members = list,
                            .member_count = proposal->member_count};
    // From 1, so that 0 is "none" in a ticket.
    const uint64_t number = sc_record_cloak(audit->record, &cloak, t - audit->began) + 1;
    keep_line(audit, t, RANK_CLOAK);
    pthread_mutex_unlock(&audit->lock);
    explicit_bzero(list, proposal->member_count * sizeof *list);
    sc_free(list);
    for (sc_ticket *ticket = members; ticket; ticket = ticket->next) {
        ticket->recorded = number;
    }
}

// --- Outcomes
// --------------------------------------------------------------------------------------

/** An answer that is worth a line: a heading is not in records, and says which way counts. */
static bool has_answer(const sc_ticket *ticket)
{
    return ticket->recorded > 0 && ticket->answer && ticket->at.direction == SC_EITHER_WAY;
}

/** The objects of an answer, as the writer of records wants them. */
static void put_answer(sc_audit *audit, const sc_ticket *ticket, sc_slice id)
{
    const sc_answer *answer = ticket->answer;
    sc_near *results = sc_malloc_array(answer->count + 1, sizeof *results);
    uint32_t *keys = sc_malloc_array(answer->count + 1, sizeof *keys);
    if (!results || !keys) {
        audit->is_lost = true;
        sc_free(results);
        sc_free(keys);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const sc_found *found = &answer->found[i];
        const char *key = answer->texts + found->key;
        const uint32_t number =
            audit->has_own_objects ? (uint32_t)strtoul(key, NULL, 10) : (uint32_t)count;
        // A request that was rounded brings more than the traveller has asked for, and is shown.
        if (ticket->is_rounded &&
            !sc_request_wants(&ticket->wanted, i, found->distance_m, found->duration_s)) {
            continue;
        }
        keys[count] = found->key;
        results[count++] = (sc_near){
            .object = number, .distance_m = found->distance_m, .duration_s = found->duration_s};
    }
    const sc_object_table table = {.strings = answer->texts,
                                   .keys = audit->has_own_objects ? NULL : keys};
    sc_record_answer(audit->record, &(sc_answered){.query = id,
                                                   .cloak = ticket->recorded - 1,
                                                   .candidates = answer->count,
                                                   .results = results,
                                                   .result_count = count,
                                                   .table = &table,
                                                   .is_foreign = !audit->has_own_objects});
    explicit_bzero(results, count * sizeof *results);
    sc_free(results);
    sc_free(keys);
}

/**
 * When an outcome came. A query whose cloak can no longer leave in time is dropped as expired a
 * little before its deadline (`guard`): for the record it is at its deadline, before which nobody
 * may have expired (P5).
 */
static sc_time time_of(const sc_audit *audit, const sc_ticket *ticket)
{
    if (ticket->outcome != SC_OUTCOME_DROPPED || ticket->published == 0) {
        return ticket->settled > 0 ? ticket->settled : sc_clock_us();
    }
    const sc_time deadline = ticket->query.deadline;
    const bool is_near =
        ticket->published < deadline && deadline - ticket->published <= audit->guard_us;
    return ticket->drop == SC_DROP_EXPIRED && is_near ? deadline : ticket->published;
}

/** The word for an outcome without an answer. */
static const char *reason_of(const sc_ticket *ticket)
{
    switch (ticket->outcome) {
    case SC_OUTCOME_DROPPED:
        return sc_drop_reason_name(ticket->drop);
    case SC_OUTCOME_FAILED:
        return sc_failure_name(ticket->failure);
    case SC_OUTCOME_GONE:
        return "withdrawn";
    case SC_OUTCOME_ANSWERED:
    case SC_OUTCOME_NONE:
        break;
    }
    return "stopped";
}

static void settled(void *context, const sc_ticket *ticket)
{
    sc_audit *audit = context;
    const bool is_drop = ticket->outcome == SC_OUTCOME_DROPPED;
    sc_time t = time_of(audit, ticket);
    char text[SC_QUERY_ID_TEXT];
    const char *id = sc_query_id_text(&ticket->query.id, text);
    if (ticket->outcome == SC_OUTCOME_ANSWERED && !has_answer(ticket)) return;
    if (!begin(audit, &t, &ticket->query.deadline)) return;
    const sc_slice name = {.text = id, .size = strlen(id)};
    if (ticket->outcome == SC_OUTCOME_ANSWERED) {
        put_answer(audit, ticket, name);
    } else if (is_drop && ticket->recorded == 0) {
        sc_record_drop(audit->record, &ticket->query.id, t - audit->began, reason_of(ticket));
    } else {
        // A rare request is dropped when its cloak has left: the cloak is its end (P8).
        sc_record_failed(audit->record, name, t - audit->began, reason_of(ticket));
    }
    keep_line(audit, t, RANK_OUTCOME);
    pthread_mutex_unlock(&audit->lock);
}

static int64_t until_s(void *context)
{
    const sc_audit *audit = context;
    return atomic_load_explicit(&audit->is_over, memory_order_relaxed) ? 0 : audit->until_s;
}

// --- Writing
// ---------------------------------------------------------------------------------------

static void say(const sc_audit *audit, sc_log_level level, const char *event, const char *message)
{
    sc_log_line l;
    if (!sc_log_begin(audit->log, &l, level, event)) return;
    sc_log_text(&l, "file", audit->path);
    sc_log_count(&l, "bytes", audit->written);
    sc_log_text(&l, "message", message);
    sc_log_end(&l);
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

/** Seal and write; false if that does not work. */
static bool write_sealed(sc_audit *audit, const sc_bytes *plain, bool is_last)
{
    audit->sealed.size = 0;
    if (sc_sealer_put(audit->sealer, plain->data, plain->size, is_last, &audit->sealed) ||
        !write_all(audit->fd, audit->sealed.data, audit->sealed.size)) {
        return false;
    }
    audit->written += audit->sealed.size;
    return true;
}

/** Take lines up to a time, in their order; with the lock. False if memory is out. */
static bool take_lines(sc_audit *audit, sc_time t, sc_bytes *out)
{
    while (audit->waiting.count > 0 && audit->waiting.entries[0].t <= t) {
        line *first = &audit->waiting.entries[0];
        if (!sc_bytes_reserve_wiping(out, first->size) ||
            !sc_bytes_append(out, first->text, first->size)) {
            return false;
        }
        audit->last = first->t;
        audit->waiting_bytes -= first->size;
        line taken = *first;
        lines_pop(&audit->waiting);
        forget(&taken);
    }
    return true;
}

/** The last line of a record; with the lock. */
static bool take_end(sc_audit *audit, sc_time t, sc_bytes *out)
{
    sc_record_end(audit->record, t - audit->began);
    audit->record = NULL;
    const long end = fflush(audit->stream) == 0 ? ftell(audit->stream) : -1;
    return end > 0 && sc_bytes_append(out, audit->text, (size_t)end);
}

/** Everything up to `t`, and the end. Nothing is recorded any more. */
static void finish(sc_audit *audit, sc_time t, const char *why)
{
    sc_bytes plain = {0};
    atomic_store(&audit->is_over, true);
    pthread_mutex_lock(&audit->lock);
    const bool is_true = !audit->is_lost && take_lines(audit, t, &plain) &&
                         take_end(audit, t > audit->last ? t : audit->last, &plain);
    while (audit->waiting.count > 0) {
        line l = audit->waiting.entries[0];
        lines_pop(&audit->waiting);
        forget(&l);
    }
    pthread_mutex_unlock(&audit->lock);
    const bool is_whole = is_true && write_sealed(audit, &plain, true);
    sc_bytes_wipe(&plain);
    sc_bytes_fini(&plain);
    sc_sealer_free(audit->sealer);
    audit->sealer = NULL;
    close(audit->fd);
    audit->fd = -1;
    say(audit, is_whole ? SC_LOG_WARNING : SC_LOG_ERROR,
        is_whole ? "true_positions_no_longer_recorded" : "record_of_true_positions_failed",
        is_whole ? why : "the record could not be kept whole, and ends before its end");
}

/** Write what is old enough; false when the record has ended. */
static bool write_round(sc_audit *audit, sc_time now)
{
    enum { HOUR_S = 3600 };
    const sc_time old = now - SC_AUDIT_HOLD_S * second_us;
    sc_bytes plain = {0};
    pthread_mutex_lock(&audit->lock);
    // What waits still fits: the record ends here and now, in the ordinary way.
    if (audit->written + audit->waiting_bytes >= audit->max_bytes && audit->end > now) {
        audit->end = now;
        audit->is_full = true;
    }
    const sc_time end = audit->end;
    bool goes_on = !audit->is_lost && take_lines(audit, old < end ? old : end, &plain);
    pthread_mutex_unlock(&audit->lock);
    if (goes_on && plain.size > 0) goes_on = write_sealed(audit, &plain, false);
    sc_bytes_wipe(&plain);
    sc_bytes_fini(&plain);
    if (!goes_on) {
        pthread_mutex_lock(&audit->lock);
        audit->is_lost = true;
        pthread_mutex_unlock(&audit->lock);
        finish(audit, old, "");
        return false;
    }
    if (old >= end) {
        finish(audit, end, audit->is_full ? "the file has reached its bound" : "its time is over");
        return false;
    }
    if (now - audit->said_us >= HOUR_S * second_us) {
        audit->said_us = now;
        say(audit, SC_LOG_WARNING, "recording_true_positions",
            "users and true positions are recorded for an audit");
    }
    return true;
}

static void *run_writer(void *context)
{
    sc_audit *audit = context;
    for (bool goes_on = true; goes_on;) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += ROUND_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_mutex_lock(&audit->lock);
        int waited = 0;
        while (!audit->is_stopping && !waited) {
            waited = pthread_cond_timedwait(&audit->changed, &audit->lock, &until);
        }
        goes_on = !audit->is_stopping;
        pthread_mutex_unlock(&audit->lock);
        if (goes_on) goes_on = write_round(audit, sc_clock_us());
    }
    return NULL;
}

// --- Life
// ------------------------------------------------------------------------------------------

/** "run-20261118T204500Z.sealed": a record of an earlier start is never written over. */
static char *path_of(const char *path)
{
    enum { MORE = 32 };
    const size_t size = strlen(path) + MORE;
    const time_t now = time(NULL);
    char stamp[MORE] = "";
    struct tm utc = {0};
    char *out = sc_malloc(size);
    if (!out) return NULL;
    (void)gmtime_r(&now, &utc);
    (void)strftime(stamp, sizeof stamp, "-%Y%m%dT%H%M%SZ.sealed", &utc);
    (void)snprintf(out, size, "%s%s", path, stamp);
    return out;
}

sc_err sc_audit_new(const sc_map *map, const sc_audit_options *options, sc_audit **out,
                    sc_diag *diag)
{
    sc_audit *audit = sc_calloc(1, sizeof *audit);
    if (!audit) return sc_fail_memory(diag, "preparing a record for an audit");
    const int64_t left_s = options->until_s - (int64_t)time(NULL);
    audit->auditor = (sc_auditor){
        .asked = asked, .left = left, .settled = settled, .until_s = until_s, .context = audit};
    audit->log = options->log;
    audit->max_bytes = options->max_bytes;
    audit->until_s = options->until_s;
    const sc_time now = sc_clock_us();
    audit->began = now - second_us;  // loops admit a few microseconds in the past
    audit->end = now + left_s * second_us;
    audit->said_us = now;
    audit->has_own_objects = options->has_own_objects;
    audit->guard_us = options->guard_us;
    audit->fd = -1;
    pthread_mutex_init(&audit->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&audit->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    audit->path = path_of(options->path);
    audit->stream = open_memstream(&audit->text, &audit->text_size);
    sc_err err = audit->path && audit->stream ? SC_OK : SC_ENOMEM;
    if (!err) err = sc_sealer_new(&options->auditor, &audit->sealed, &audit->sealer);
    if (!err) err = sc_record_begin(map, audit->stream, &audit->record);
    if (err) {
        sc_audit_free(audit);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "preparing a record for an audit")
                                : sc_fail(diag, err, "the auditor's key seals nothing");
    }
    sc_record_engine(audit->record, options->engine);
    sc_record_demands(audit->record, options->demands);
    *out = audit;
    return SC_OK;
}

const sc_auditor *sc_audit_auditor(const sc_audit *audit)
{
    return &audit->auditor;
}

const char *sc_audit_path(const sc_audit *audit)
{
    return audit->path;
}

sc_err sc_audit_open(sc_audit *audit, sc_diag *diag)
{
    audit->fd =
        open(audit->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (audit->fd < 0 || !write_all(audit->fd, audit->sealed.data, audit->sealed.size)) {
        return sc_fail(diag, SC_EIO,
                       "record-true-positions: cannot make %.400s: %s; let the service's user "
                       "write in its directory",
                       audit->path, strerror(errno));
    }
    audit->written = audit->sealed.size;
    return SC_OK;
}

sc_err sc_audit_start(sc_audit *audit, sc_diag *diag)
{
    say(audit, SC_LOG_WARNING, "recording_true_positions",
        "users and true positions are recorded for an audit; /v1/about tells users, and until "
        "when");
    if (sc_thread_start(&audit->thread, run_writer, audit)) {
        return sc_fail(diag, SC_EIO, "record-true-positions: no thread can be started: %s",
                       strerror(errno));
    }
    audit->has_thread = true;
    return SC_OK;
}

void sc_audit_free(sc_audit *audit)
{
    if (!audit) return;
    if (audit->has_thread) {
        pthread_mutex_lock(&audit->lock);
        audit->is_stopping = true;
        pthread_cond_signal(&audit->changed);
        pthread_mutex_unlock(&audit->lock);
        pthread_join(audit->thread, NULL);
        const sc_time now = sc_clock_us();
        if (audit->end > now) audit->end = now;
        if (audit->fd >= 0) finish(audit, audit->end, "the service ends");
    }
    if (audit->fd >= 0) close(audit->fd);
    while (audit->waiting.count > 0) {
        line l = audit->waiting.entries[0];
        lines_pop(&audit->waiting);
        forget(&l);
    }
    lines_fini(&audit->waiting);
    if (audit->record) sc_record_end(audit->record, 0);
    if (audit->stream) fclose(audit->stream);
    if (audit->text) explicit_bzero(audit->text, audit->text_size);
    free(audit->text);
    sc_sealer_free(audit->sealer);
    sc_bytes_fini(&audit->sealed);
    pthread_cond_destroy(&audit->changed);
    pthread_mutex_destroy(&audit->lock);
    sc_free(audit->path);
    sc_free(audit);
}
