// Cases in lists, and a run that is listened to for them.
//
// A cloak knows its members by their ids only. Who they are and where is remembered from when they
// asked, by the number of the question.
#include "score/cases.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "record/run_reader.h"

#include <inttypes.h>
#include <string.h>

uint64_t sc_case_user(const char *name, size_t size)
{
    return sc_run_user(name, size);
}

bool sc_case_user_is_injected(const char *name, size_t size)
{
    enum { PREFIX = sizeof SC_INJECTED_PREFIX - 1 };
    return size >= PREFIX && memcmp(name, SC_INJECTED_PREFIX, PREFIX) == 0;
}

// --- Lists -----------------------------------------------------------------------

/** Room for one more case, and behind the others for its segments, stars and members. */
static bool make_room(sc_cases *cases, size_t segment_count, size_t star_count, size_t member_count)
{
    return sc_grow(&cases->places, cases->count, &cases->capacity, sizeof *cases->places) &&
           sc_reserve(&cases->segments, cases->segment_count + segment_count,
                      &cases->segment_capacity, sizeof *cases->segments) &&
           sc_reserve(&cases->stars, cases->star_count + star_count, &cases->star_capacity,
                      sizeof *cases->stars) &&
           sc_reserve(&cases->members, cases->member_count + member_count, &cases->member_capacity,
                      sizeof *cases->members);
}

/** Take in a case whose members lie in their room already. */
static void put_case(sc_cases *cases, const sc_case *one)
{
    cases->places[cases->count++] = (sc__case_place){
        .number = one->number,
        .t = one->t,
        .first_segment = cases->segment_count,
        .segment_count = one->segment_count,
        .first_star = cases->star_count,
        .star_count = one->star_count,
        .first_member = cases->member_count,
        .member_count = one->member_count,
    };
    if (one->segment_count > 0) {
        memcpy(cases->segments + cases->segment_count, one->segments,
               one->segment_count * sizeof *one->segments);
    }
    if (one->star_count > 0) {
        memcpy(cases->stars + cases->star_count, one->stars, one->star_count * sizeof *one->stars);
    }
    cases->segment_count += one->segment_count;
    cases->star_count += one->star_count;
    cases->member_count += one->member_count;
}

sc_err sc_cases_add(sc_cases *cases, const sc_case *one)
{
    if (!make_room(cases, one->segment_count, one->star_count, one->member_count)) return SC_ENOMEM;
    if (one->member_count > 0) {
        memcpy(cases->members + cases->member_count, one->members,
               one->member_count * sizeof *one->members);
    }
    put_case(cases, one);
    return SC_OK;
}

sc_case sc_cases_at(const sc_cases *cases, size_t i)
{
    const sc__case_place *place = &cases->places[i];
    return (sc_case){
        .number = place->number,
        .t = place->t,
        .segments = cases->segments + place->first_segment,
        .segment_count = place->segment_count,
        .stars = place->star_count > 0 ? cases->stars + place->first_star : NULL,
        .star_count = place->star_count,
        .members = cases->members + place->first_member,
        .member_count = place->member_count,
    };
}

void sc_cases_fini(sc_cases *cases)
{
    sc_free(cases->places);
    sc_free(cases->segments);
    sc_free(cases->stars);
    sc_free(cases->members);
    *cases = (sc_cases){0};
}

// --- A run -----------------------------------------------------------------------

static sc_key key_of(const sc_query_id *id)
{
    sc_key key;
    memcpy(&key, id->bytes, sizeof key);
    return key;
}

static sc_err keep_question(void *context, const sc_query *query,
                            const sc_request_line *request_line, const sc_snap *where)
{
    sc_case_collector *collector = context;
    const sc_ask *ask = &request_line->ask;
    const uint32_t number = (uint32_t)collector->asker_count;
    uint32_t holds = 0;
    if (collector->asker_count >= UINT32_MAX) return SC_ELIMIT;
    if (!sc_grow(&collector->askers, collector->asker_count, &collector->asker_capacity,
                 sizeof *collector->askers)) {
        return SC_ENOMEM;
    }
    const sc_err err = sc_hash_put(&collector->numbers, key_of(&query->id), number, &holds);
    if (err) return err;
    collector->askers[collector->asker_count++] = (sc_case_member){
        .needs = {query->k, query->l, query->max_hops, query->result_size},
        .asked = ask->t,
        .max_wait_us = ask->profile.max_wait_us,
        .is_injected = sc_case_user_is_injected(ask->user, ask->user_size),
        .segment = where->segment,
        .user = sc_case_user(ask->user, ask->user_size),
    };
    return SC_OK;
}

static sc_err keep_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    sc_case_collector *collector = context;
    const uint64_t number = collector->cloak_count++;
    if (!sc_run_window_has(collector->window, t)) return SC_OK;

    sc_cases *cases = &collector->cases;
    if (!make_room(cases, cloak->segment_count, cloak->star_count, cloak->member_count))
        return SC_ENOMEM;
    sc_case_member *members = cases->members + cases->member_count;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_key key = key_of(&cloak->members[i].query.id);
        const uint32_t asker = sc_hash_get(&collector->numbers, key, UINT32_MAX);
        // The counts of the run refuse it too: it was never asked.
        if (asker == UINT32_MAX) return SC_EBROKEN;
        members[i] = collector->askers[asker];
    }
    put_case(cases, &(sc_case){
                        .number = number,
                        .t = t,
                        .segments = cloak->segments,
                        .segment_count = cloak->segment_count,
                        .stars = cloak->stars,
                        .star_count = cloak->star_count,
                        .member_count = cloak->member_count,
                    });
    return SC_OK;
}

sc_run_listener sc_case_collector_listener(sc_case_collector *collector)
{
    return (sc_run_listener){.context = collector, .asked = keep_question, .cloaked = keep_cloak};
}

void sc_case_collector_settle(sc_case_collector *collector)
{
    sc_hash_fini(&collector->numbers);
    sc_free(collector->askers);
    collector->askers = NULL;
    collector->asker_count = 0;
    collector->asker_capacity = 0;
}

void sc_case_collector_fini(sc_case_collector *collector)
{
    sc_case_collector_settle(collector);
    sc_cases_fini(&collector->cases);
    *collector = (sc_case_collector){.window = collector->window};
}

// === Reading cases back from a record ===========================================================
// Cases from a record; record/run_reader.h refuses what can go wrong in one.
//
// A record names users where they ask, and cloaks name queries. The reader knows whose a query was
// by a hash of the name; which of these hashes are the adversary's own is remembered here.

/** Room for the users of some ten thousand lines. */
enum { BLOCK_SIZE = 1 << 16 };

/** So many lines for each report of progress. */
enum { LINES_PER_PROGRESS = 4096 };

/** A record on its way. */
typedef struct reading {
    sc_run_reader *reader;
    sc_case_record *out;
    bool wants_lines;
    sc_hash injected;         ///< hashes of the adversary's own users
    sc_case_member *members;  ///< of the cloak at hand
    size_t member_capacity;
    sc_time last;  ///< of the events before
} reading;

static sc_err fail_memory(sc_diag *diag)
{
    return sc_fail_memory(diag, "reading the record");
}

/** Time goes on in a record; linking cloaks by time relies on it. */
static sc_err go_on_to(reading *r, const sc_run_line *line, sc_time t, sc_diag *diag)
{
    if (t < r->last) {
        return sc_fail(diag, SC_EPARSE,
                       "%s:%" PRIu64 ": \"t\" is earlier than before; a record must be in the "
                       "order of time ('starcloak verify' shows more)",
                       sc_run_reader_name(r->reader), line->number);
    }
    r->last = t;
    return SC_OK;
}

// --- Questions -------------------------------------------------------------------

/** Keep a name; NULL when memory is out. Names must not move, so they are kept in blocks. */
static const char *keep_text(sc_case_record *record, const char *text, size_t size)
{
    if (record->text_left < size) {
        const size_t room = size < BLOCK_SIZE ? BLOCK_SIZE : size;
        if (!sc_grow(&record->texts, record->text_count, &record->text_capacity,
                     sizeof *record->texts)) {
            return NULL;
        }
        char *block = sc_malloc(room);
        if (!block) return NULL;
        record->texts[record->text_count++] = block;
        record->text_left = room;
    }
    record->text_left -= size;
    char *kept = record->texts[record->text_count - 1] + record->text_left;
    memcpy(kept, text, size);
    return kept;
}

static bool keep_line(sc_case_record *record, const sc_request_line *request_line)
{
    if (!sc_grow(&record->lines, record->line_count, &record->line_capacity,
                 sizeof *record->lines)) {
        return false;
    }
    sc_request_line *kept = &record->lines[record->line_count];
    *kept = *request_line;
    kept->ask.user = keep_text(record, request_line->ask.user, request_line->ask.user_size);
    if (!kept->ask.user) return false;
    record->line_count++;
    return true;
}

static sc_key key_of_user(uint64_t user)
{
    return (sc_key){.high = user};
}

static sc_err take_question(reading *r, const sc_run_line *line, sc_diag *diag)
{
    const sc_ask *ask = &line->asked->ask;
    const sc_err err = go_on_to(r, line, ask->t, diag);
    if (err) return err;
    r->out->query_count++;
    if (sc_case_user_is_injected(ask->user, ask->user_size)) {
        const uint64_t user = sc_case_user(ask->user, ask->user_size);
        uint32_t holds = 0;
        if (sc_hash_put(&r->injected, key_of_user(user), 1, &holds)) return fail_memory(diag);
    }
    if (r->wants_lines && !keep_line(r->out, line->asked)) return fail_memory(diag);
    return SC_OK;
}

// --- Cloaks ----------------------------------------------------------------------

static sc_case_member member_of(const reading *r, const sc_run_member *member)
{
    const sc_profile *profile = &member->profile;
    return (sc_case_member){
        .needs = {profile->k, profile->l, profile->max_hops, member->result_size},
        .asked = member->asked,
        .max_wait_us = profile->max_wait_us,
        .is_injected = sc_hash_get(&r->injected, key_of_user(member->user), 0) != 0,
        .segment = member->segment,
        .user = member->user,
    };
}

static sc_err take_cloak(reading *r, const sc_run_line *line, sc_diag *diag)
{
    const sc_run_cloak *cloak = &line->cloak;
    const sc_err err = go_on_to(r, line, cloak->t, diag);
    if (err) return err;
    if (!sc_reserve(&r->members, cloak->member_count, &r->member_capacity, sizeof *r->members)) {
        return fail_memory(diag);
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        r->members[i] = member_of(r, &cloak->members[i]);
    }
    const sc_case one = {
        .number = cloak->number,
        .t = cloak->t,
        .segments = cloak->segments,
        .segment_count = cloak->segment_count,
        .stars = cloak->stars,
        .star_count = cloak->star_count,
        .members = r->members,
        .member_count = cloak->member_count,
    };
    return sc_cases_add(&r->out->cases, &one) ? fail_memory(diag) : SC_OK;
}

// --- All of it -------------------------------------------------------------------

static sc_err take_line(reading *r, const sc_run_line *line, sc_diag *diag)
{
    switch (line->kind) {
    case SC_RUN_QUERY:
        return take_question(r, line, diag);
    case SC_RUN_CLOAK:
        return take_cloak(r, line, diag);
    case SC_RUN_END:
        r->out->has_engine = line->has_engine;
        r->out->engine = line->engine;
        return SC_OK;
    case SC_RUN_OTHER:
    case SC_RUN_ANSWER:
    case SC_RUN_AREAS:
        break;
    }
    return SC_OK;
}

static sc_err take_zone(reading *r, const sc_run_line *line, sc_diag *diag)
{
    const sc_err err = sc_case_demands_line(&r->out->demands, line);
    if (err == SC_EDUPLICATE) {
        return sc_fail(diag, SC_EPARSE,
                       "%s:%" PRIu64 ": \"segments\" has one that is in another zone of its user",
                       sc_run_reader_name(r->reader), line->number);
    }
    return err ? fail_memory(diag) : SC_OK;
}

static void report_progress(const sc_run_reader *reader, const sc_progress *progress)
{
    if (!progress || !progress->report) return;
    uint64_t total = 0;
    const uint64_t passed = sc_run_reader_passed(reader, &total);
    progress->report(progress->context, "reading", passed, total);
}

static sc_err read_lines(reading *r, const sc_progress *progress, sc_diag *diag)
{
    for (;;) {
        sc_run_line line;
        sc_err err = sc_run_reader_next(r->reader, &line, diag);
        if (err || !line.text.text) return err;
        err = take_zone(r, &line, diag);
        if (!err) err = take_line(r, &line, diag);
        if (err) return err;
        if (line.number % LINES_PER_PROGRESS == 0) report_progress(r->reader, progress);
    }
}

sc_err sc_case_record_read(const sc_map *map, const char *path, bool wants_lines,
                           const sc_progress *progress, sc_case_record *out, sc_diag *diag)
{
    reading r = {.out = out, .wants_lines = wants_lines, .last = INT64_MIN};
    sc_err err = sc_run_reader_open(map, NULL, path, &r.reader, diag);
    if (err) return err;
    sc_run_reader_want_users(r.reader);
    err = read_lines(&r, progress, diag);
    if (!err && sc_case_demands_end(&out->demands, r.reader)) err = fail_memory(diag);
    if (!err && out->cases.count == 0) {
        err =
            sc_fail(diag, SC_EINVAL,
                    "%s: the record has no cloaks to attack; use the record of a run that has some",
                    sc_run_reader_name(r.reader));
    }
    if (!err) report_progress(r.reader, progress);
    sc_run_reader_free(r.reader);
    sc_hash_fini(&r.injected);
    sc_free(r.members);
    return err;
}

void sc_case_record_fini(sc_case_record *record)
{
    for (size_t i = 0; i < record->text_count; i++) {
        sc_free(record->texts[i]);
    }
    sc_free(record->texts);
    sc_free(record->lines);
    sc_cases_fini(&record->cases);
    sc_case_demands_fini(&record->demands);
    *record = (sc_case_record){.query_count = 0};
}
