// A recorded run on the demo's streams. See replay.h.
//
// Invariants, all under the lock:
//
//  1. `state` is that of the tape up to `next`; every open query of it has a place, unless all were
//     taken, and no other query has one.
//  2. What listeners were told is what `state` was at the last look, but for ended queries while
//     `owes_pending`.
//  3. Everything is sent under the lock. So the greeting of a new listener stands between two
//     looks, and what comes after it is news.
//
// Within a look positions are sent first, then what happened: so the page knows where a query is
// when it is told of it. A query that ends keeps its place on the map until the next look.
#include "demo/demo_replay.h"

#include "api/event_text.h"
#include "api/json_request.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "base/thread.h"
#include "demo/demo_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** Cloaks of one look that are told if there is too much to tell. */
enum { FLOOD_CLOAKS = 50 };

/** Waiting queries that a page is told of at once; as in a live demo. */
enum { PENDING_MAX = 5000 };

/** Between two rows of counters. */
#define SECOND_US 1000000

/** Where queries are while they wait. */
typedef struct places {
    uint32_t count;
    int32_t *at;      ///< x and y of each; SC_OFF_ROAD
    bool *are_taken;  ///< by place
    uint32_t *free;   ///< a ring of those that are not, the one that is so for longest first
    uint32_t first;
    uint32_t free_count;
} places;

struct sc_replay {
    // Set before the first request.
    const sc_map *map;
    sc_tape *tape;
    double every_s;
    size_t max_listeners;
    sc_service *service;      ///< borrowed
    sc_event_stream *truth;   ///< /demo/events; borrowed
    sc_event_stream *events;  ///< /v1/events
    // The thread.
    pthread_t thread;
    bool is_started;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    // Under `lock`.
    bool is_stopping;
    bool is_paused;
    double speed;
    sc_time position;   ///< the record's time, as of
    int64_t as_of_us;   ///< then; sc_clock_us()
    bool wants_seek;    ///< `state` is to be made anew
    bool has_changed;   ///< by its controls, or since it has come to its end
    bool wants_base;    ///< of positions
    bool owes_pending;  ///< ends and beginnings were not told one by one
    int64_t told_us;    ///< when counters were told
    sc_replay_state state;
    uint64_t next;
    places places;
    sc_position_frames frames;
    sc__waiting *waiting;  ///< room for PENDING_MAX
    sc_history history;    ///< room for one
    sc_bytes truth_words;
    sc_bytes events_words;
};

// --- Places --------------------------------------------------------------------------------------

static sc_err places_init(places *all, uint32_t count)
{
    all->count = count;
    all->at = sc_malloc_array(count, 2 * sizeof *all->at);
    all->are_taken = sc_calloc(count, sizeof *all->are_taken);
    all->free = sc_malloc_array(count, sizeof *all->free);
    return all->at && all->are_taken && all->free ? SC_OK : SC_ENOMEM;
}

static void places_fini(places *all)
{
    sc_free(all->at);
    sc_free(all->are_taken);
    sc_free(all->free);
}

static void places_empty(places *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        all->at[2 * (size_t)i] = all->at[2 * (size_t)i + 1] = SC_OFF_ROAD;
        all->are_taken[i] = false;
        all->free[i] = i;
    }
    all->first = 0;
    all->free_count = all->count;
}

static void places_take(places *all, sc_replay_query *query)
{
    query->who = SC_NONE;
    if (all->free_count == 0) return;
    const uint32_t who = all->free[all->first];
    all->first = (all->first + 1) % all->count;
    all->free_count--;
    all->are_taken[who] = true;
    all->at[2 * (size_t)who] = query->query->at[0];
    all->at[2 * (size_t)who + 1] = query->query->at[1];
    query->who = who;
}

static void places_give(places *all, uint32_t who)
{
    if (who == SC_NONE) return;
    all->are_taken[who] = false;
    all->free[(all->first + all->free_count) % all->count] = who;
    all->free_count++;
}

/** Those whose query ended before are no longer on the map. */
static void places_clear(places *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->are_taken[i]) continue;
        all->at[2 * (size_t)i] = all->at[2 * (size_t)i + 1] = SC_OFF_ROAD;
    }
}

// --- Words ---------------------------------------------------------------------------------------

static double in_seconds(sc_time t)
{
    return (double)t * 1e-6;
}

static void put_controls(sc_json_writer *json, const sc_replay *replay)
{
    sc_json_open_object(json, NULL);
    sc_json_put_fixed(json, "begin", in_seconds(sc_tape_begin(replay->tape)), 3);
    sc_json_put_fixed(json, "end", in_seconds(sc_tape_end(replay->tape)), 3);
    sc_json_put_fixed(json, "now", in_seconds(replay->position), 3);
    sc_json_put_fixed(json, "speed", replay->speed, 3);
    sc_json_put_flag(json, "is_paused", replay->is_paused);
    sc_json_close_object(json);
}

static bool put_replay(const sc_replay *replay, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "event: replay\ndata: ");
    put_controls(&json, replay);
    sc_json_put_text(&json, "\n\n");
    return !json.has_failed;
}

static bool put_reset(const sc_replay *replay, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "event: reset\ndata: ");
    sc_json_open_object(&json, NULL);
    sc_json_put_fixed(&json, "t", in_seconds(replay->position), 3);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n\n");
    return !json.has_failed;
}

static sc__waiting waiting_of(const sc_replay_query *query)
{
    return (sc__waiting){.number = (uint64_t)query->query->number + 1,
                         .who = query->who,
                         .segment = query->query->segment,
                         .profile = query->query->profile,
                         .asked_us = query->query->entry.t};
}

static bool put_pending(const sc_replay *replay, sc_bytes *out)
{
    const sc_replay_state *state = &replay->state;
    size_t count = 0;
    for (size_t i = state->begin; i < state->end && count < PENDING_MAX; i++) {
        const sc_replay_query *query = &state->queries[i];
        if (query->is_open && query->who != SC_NONE) replay->waiting[count++] = waiting_of(query);
    }
    return sc__demo_text_pending(replay->waiting, count, replay->position, out);
}

static sc_counters counters_of(const sc_replay_counts *counts, sc_time t, uint64_t pending)
{
    return (sc_counters){.t = in_seconds(t),
                         .pending = pending,
                         .answered = counts->answered,
                         .dropped = counts->dropped,
                         .expired = counts->expired,
                         .infeasible = counts->infeasible,
                         .failed = counts->failed,
                         .cloaks = counts->cloaks,
                         .wait_s = counts->wait_s,
                         .users = counts->users,
                         .segments = counts->segments};
}

static bool put_counters(const sc_replay *replay, sc_bytes *out)
{
    sc_counters row =
        counters_of(&replay->state.counts, replay->position, replay->state.open_count);
    row.listeners = sc_event_stream_count(replay->events);
    return sc_event_text_counters(&row, out);
}

/** The rows up to now, as many as a page keeps. */
static bool put_history(sc_replay *replay, sc_bytes *out)
{
    const size_t last = sc_tape_row_at(replay->tape, replay->position);
    replay->history.taken = 0;
    for (size_t i = last < SC_HISTORY_ROWS ? 0 : last + 1 - SC_HISTORY_ROWS; i <= last; i++) {
        sc_time t = 0;
        const sc_replay_row *row = sc_tape_row(replay->tape, i, &t);
        const sc_counters counters = counters_of(&row->counts, t, row->pending);
        sc_history_add(&replay->history, &counters);
    }
    return sc_event_text_history(&replay->history, out);
}

// --- What happens --------------------------------------------------------------------------------

/** What of a look is told one by one. */
typedef struct telling {
    bool tells_queries;
    size_t cloaks_left;
} telling;

static void tell_end(sc_replay *replay, const telling *told, const sc_replay_query *query,
                     const sc_load_outcome *ending)
{
    if (!told->tells_queries || query->who == SC_NONE) return;
    sc_load_outcome outcome = *ending;
    outcome.number = (uint64_t)query->query->number + 1;
    outcome.who = query->who;
    const size_t size = replay->truth_words.size;
    if (sc__demo_text_ended(&outcome, &replay->truth_words)) return;
    replay->truth_words.size = size;
    replay->owes_pending = true;
}

static sc_err happen_query(sc_replay *replay, const telling *told, const sc_tape_query *entry)
{
    const sc_err err = sc_replay_state_apply(&replay->state, &entry->entry);
    if (err) return err;
    sc_replay_query *query = sc_replay_state_find(&replay->state, entry->number);
    places_take(&replay->places, query);
    if (!told->tells_queries || query->who == SC_NONE) return SC_OK;
    const sc__waiting waiting = waiting_of(query);
    const size_t size = replay->truth_words.size;
    if (sc__demo_text_asked(&waiting, &replay->truth_words)) return SC_OK;
    replay->truth_words.size = size;
    replay->owes_pending = true;
    return SC_OK;
}

static sc_err happen_loss(sc_replay *replay, const telling *told, const sc_tape_loss *entry)
{
    const sc_replay_query *query = sc_replay_state_find(&replay->state, entry->number);
    if (query) {
        const sc_load_outcome ending = {
            .end = entry->is_drop ? SC_LOAD_DROPPED : SC_LOAD_FAILED,
            .word = entry->reason,
            .cloak = "",
            .wait_s = in_seconds(entry->entry.t - query->query->entry.t),
        };
        tell_end(replay, told, query, &ending);
        places_give(&replay->places, query->who);
    }
    return sc_replay_state_apply(&replay->state, &entry->entry);
}

static void tell_cloak(sc_replay *replay, telling *told, const sc_tape_cloak *entry)
{
    if (told->cloaks_left == 0) return;
    told->cloaks_left--;
    const sc_relay relay = {.map_checksum = sc_map_checksum(replay->map),
                            .segments = sc_tape_cloak_segments(entry),
                            .segment_count = entry->segment_count,
                            .border_nodes = sc_tape_cloak_border_nodes(entry),
                            .border_node_count = entry->border_node_count,
                            .requests = sc_tape_cloak_requests(entry),
                            .request_count = entry->request_count};
    // One that there is no memory for is missing on a screen, and nowhere else.
    const size_t size = replay->events_words.size;
    if (!sc_event_text_cloak(&relay, entry->number, sc_tape_vocabulary(replay->tape),
                             &replay->events_words)) {
        replay->events_words.size = size;
    }
}

static sc_err happen_cloak(sc_replay *replay, telling *told, const sc_tape_cloak *entry)
{
    tell_cloak(replay, told, entry);
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, entry->number);
    const sc_tape_member *members = sc_tape_cloak_members(entry);
    for (uint32_t i = 0; i < entry->member_count; i++) {
        const sc_replay_query *query = sc_replay_state_find(&replay->state, members[i].number);
        if (!query) continue;
        const bool has_failed = members[i].failure[0] != '\0';
        const sc_load_outcome ending = {
            .end = has_failed ? SC_LOAD_FAILED : SC_LOAD_ANSWERED,
            .word = members[i].failure,
            .cloak = has_failed ? "" : id,
            .wait_s = in_seconds(entry->entry.t - members[i].asked),
        };
        tell_end(replay, told, query, &ending);
        places_give(&replay->places, query->who);
    }
    return sc_replay_state_apply(&replay->state, &entry->entry);
}

static sc_err happen(sc_replay *replay, telling *told, const sc_tape_entry *entry)
{
    const void *whole = entry;
    switch ((sc_tape_kind)entry->kind) {
    case SC_TAPE_QUERY:
        return happen_query(replay, told, whole);
    case SC_TAPE_LOSS:
        return happen_loss(replay, told, whole);
    case SC_TAPE_CLOAK:
        return happen_cloak(replay, told, whole);
    }
    return SC_OK;
}

/** Whether more happens until `t` than can be told one by one. */
static bool is_flood(const sc_replay *replay, sc_time t)
{
    uint64_t place = replay->next;
    for (size_t i = 0; i <= SC_REPLAY_TOLD_MAX; i++) {
        const sc_tape_entry *entry = sc_tape_at(replay->tape, place);
        if (!entry || entry->t > t) return false;
        place += entry->size;
    }
    return true;
}

/** All that happens until `position`. Without memory the state is made anew at the next look. */
static void play(sc_replay *replay)
{
    const bool is_too_much = is_flood(replay, replay->position);
    const bool is_heard = !sc_event_stream_is_empty(replay->truth);
    telling told = {.tells_queries = is_heard && !is_too_much,
                    .cloaks_left = is_too_much ? FLOOD_CLOAKS : SC_REPLAY_TOLD_MAX};
    if (sc_event_stream_is_empty(replay->events)) told.cloaks_left = 0;
    replay->owes_pending = replay->owes_pending || is_too_much;
    places_clear(&replay->places);
    for (const sc_tape_entry *entry;
         (entry = sc_tape_at(replay->tape, replay->next)) && entry->t <= replay->position;) {
        if (happen(replay, &told, entry)) {
            replay->wants_seek = true;
            return;
        }
        replay->next += entry->size;
    }
}

static void send(sc_event_stream *stream, sc_bytes *words)
{
    if (words->size > 0) sc_event_stream_send(stream, words->data, words->size);
    words->size = 0;
}

/** Append what `put` writes, or nothing of it if memory is out. */
static void add(const sc_replay *replay, bool (*put)(const sc_replay *replay, sc_bytes *out),
                sc_bytes *words)
{
    const size_t size = words->size;
    if (!put(replay, words)) words->size = size;
}

static void send_positions(sc_replay *replay)
{
    if (sc_event_stream_is_empty(replay->truth)) return;
    const int32_t *at = replay->places.at;
    if (!replay->wants_base && !sc_position_frames_differ(&replay->frames, at)) return;
    sc_bytes words = {0};
    if (sc_position_frames_write(&replay->frames, in_seconds(replay->position), at,
                                 replay->wants_base, &words)) {
        send(replay->truth, &words);
        replay->wants_base = false;
    }
    sc_bytes_fini(&words);
}

/** The state of this moment, and nothing of before. Without memory it is tried again. */
static void seek(sc_replay *replay)
{
    places_empty(&replay->places);
    if (sc_tape_seek(replay->tape, replay->position, &replay->state, &replay->next)) return;
    sc_replay_state *state = &replay->state;
    for (size_t i = state->begin; i < state->end; i++) {
        if (state->queries[i].is_open) places_take(&replay->places, &state->queries[i]);
    }
    replay->wants_seek = false;
    replay->wants_base = true;
    replay->owes_pending = false;
    add(replay, put_reset, &replay->truth_words);
    add(replay, put_replay, &replay->truth_words);
    add(replay, put_pending, &replay->truth_words);
    send(replay->truth, &replay->truth_words);
    add(replay, put_reset, &replay->events_words);
    const size_t size = replay->events_words.size;
    if (!put_history(replay, &replay->events_words)) replay->events_words.size = size;
    add(replay, put_counters, &replay->events_words);
    send(replay->events, &replay->events_words);
}

/** What is told each second, and when something has changed. */
static void tell_second(sc_replay *replay, int64_t now_us)
{
    const bool is_due = !replay->is_paused && now_us - replay->told_us >= SECOND_US;
    if (!is_due && !replay->has_changed) return;
    replay->has_changed = false;
    replay->told_us = now_us;
    add(replay, put_replay, &replay->truth_words);
    if (replay->owes_pending) add(replay, put_pending, &replay->truth_words);
    replay->owes_pending = false;
    add(replay, put_counters, &replay->events_words);
}

// --- Time ----------------------------------------------------------------------------------------

static bool has_listeners(const sc_replay *replay)
{
    return !sc_event_stream_is_empty(replay->truth) || !sc_event_stream_is_empty(replay->events);
}

/** Bring `position` up to now. */
static void advance(sc_replay *replay, int64_t now_us)
{
    const sc_time end = sc_tape_end(replay->tape);
    const int64_t passed_us = now_us - replay->as_of_us;
    replay->as_of_us = now_us;
    if (replay->is_paused || passed_us <= 0 || !has_listeners(replay)) return;
    const double more = (double)passed_us * replay->speed;
    if (more < (double)(end - replay->position)) {
        replay->position += (sc_time)more;
        return;
    }
    replay->position = end;
    replay->is_paused = true;
    replay->has_changed = true;
}

void sc__replay_look(sc_replay *replay, int64_t now_us)
{
    pthread_mutex_lock(&replay->lock);
    if (replay->wants_seek) {
        replay->as_of_us = now_us;  // from the very moment that was sought
        seek(replay);
    } else {
        advance(replay, now_us);
        play(replay);
    }
    send_positions(replay);
    tell_second(replay, now_us);
    send(replay->truth, &replay->truth_words);
    send(replay->events, &replay->events_words);
    pthread_mutex_unlock(&replay->lock);
}

static void *run(void *context)
{
    sc_replay *replay = context;
    const int64_t every_us = sc_time_from_seconds(replay->every_s);
    for (bool is_over = false; !is_over;) {
        const int64_t now_us = sc_clock_us();
        sc__replay_look(replay, now_us);
        const int64_t then_us = now_us + every_us;
        const struct timespec then = {.tv_sec = then_us / 1000000,
                                      .tv_nsec = then_us % 1000000 * 1000};
        pthread_mutex_lock(&replay->lock);
        for (int late = 0; !replay->is_stopping && !replay->has_changed && late != ETIMEDOUT;) {
            late = pthread_cond_timedwait(&replay->wake, &replay->lock, &then);
        }
        is_over = replay->is_stopping;
        pthread_mutex_unlock(&replay->lock);
    }
    return NULL;
}

double sc_replay_now_s(sc_replay *replay)
{
    pthread_mutex_lock(&replay->lock);
    const double now_s = in_seconds(replay->position);
    pthread_mutex_unlock(&replay->lock);
    return now_s;
}

// --- Listeners -----------------------------------------------------------------------------------

bool sc_replay_greet(sc_replay *replay, sc_bytes *out)
{
    pthread_mutex_lock(&replay->lock);
    const bool fits = put_pending(replay, out) && put_replay(replay, out);
    replay->wants_base = true;
    pthread_mutex_unlock(&replay->lock);
    return fits;
}

static void greet_events(void *context, unsigned loop, sc_http_request *listener)
{
    sc_replay *replay = context;
    (void)loop;
    sc_bytes words = {0};
    pthread_mutex_lock(&replay->lock);
    const bool fits = put_history(replay, &words) && put_counters(replay, &words);
    pthread_mutex_unlock(&replay->lock);
    if (fits) sc_event_stream_send_first(listener, words.data, words.size);
    sc_bytes_fini(&words);
}

static void end_if_draining(void *context, unsigned loop)
{
    const sc_replay *replay = context;
    if (sc_service_is_draining(replay->service)) sc_event_stream_end(replay->events, loop);
}

static void refuse(sc_replay *replay, sc_http_request *request, sc_problem_kind kind,
                   const char *detail)
{
    sc_problem problem = {.field = NULL};
    sc_problem_set(&problem, kind, NULL, "%s", detail);
    if (sc_problem_status(kind) == 503) problem.retry_after_s = 5;
    sc_service_count_refusal(replay->service, kind);
    sc_problem_reply(request, &problem, NULL);
}

void sc_replay_show_events(sc_replay *replay, unsigned loop, sc_http_request *request)
{
    if (sc_service_is_draining(replay->service)) {
        refuse(replay, request, SC_PROBLEM_DRAINING,
               "the service is stopping; no more events are sent");
    } else if (sc_event_stream_subscribe(replay->events, loop, request, 0)) {
        refuse(replay, request, SC_PROBLEM_OVERLOADED, "too many clients receive events");
    }
}

void sc_replay_refuse(sc_replay *replay, sc_http_request *request)
{
    refuse(replay, request, SC_PROBLEM_REQUEST,
           "this demo replays a recorded run, to which nothing can be added; start it without "
           "--replay to ask queries and to choose the engine");
}

// --- Controls ------------------------------------------------------------------------------------

/** The body of a request. */
typedef struct wish {
    sc_json_reader in;
    bool paused;
    double speed;
    double t_s;
} wish;

enum { PAUSED, SPEED, T };

static const sc_json_field members[] = {
    [PAUSED] = {"paused", "/paused"},
    [SPEED] = {"speed", "/speed"},
    [T] = {"t", "/t"},
};

static bool read_flag(sc_json_reader *in, const char *pointer, bool *out)
{
    // A word that is another one would be an error of the text.
    sc_json_pull ahead = in->json;
    *out = sc_json_word(&ahead, "true");
    if (!*out) {
        ahead = in->json;
        if (!sc_json_word(&ahead, "false")) {
            return sc_json_refuse_kind(in, pointer, "true or false");
        }
    }
    in->json = ahead;
    return true;
}

static bool read_member(void *context, unsigned which)
{
    wish *w = context;
    switch (which) {
    case PAUSED:
        return read_flag(&w->in, members[which].pointer, &w->paused);
    case SPEED:
        if (!sc_json_read_number(&w->in, members[which].pointer, &w->speed)) return false;
        return (w->speed >= SC_REPLAY_SPEED_MIN && w->speed <= SC_REPLAY_SPEED_MAX) ||
               sc_problem_set(w->in.problem, SC_PROBLEM_REQUEST, members[which].pointer,
                              "it must be %g to %g", SC_REPLAY_SPEED_MIN, SC_REPLAY_SPEED_MAX);
    default:
        return sc_json_read_number(&w->in, members[which].pointer, &w->t_s);
    }
}

static const sc_json_shape of_wish = {.words = "paused, speed, t",
                                      .fields = members,
                                      .count = sizeof members / sizeof *members,
                                      .read = read_member};

static bool read_wish(sc_http_request *request, sc_problem *problem, wish *out, unsigned *seen)
{
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    *out = (wish){.in = {.json = sc_json_pull_of(body, size), .problem = problem}};
    return sc_json_read_object(&out->in, &of_wish, out, seen) &&
           (sc_json_end(&out->in.json) || sc_json_refuse_text(&out->in));
}

static sc_time clamp(const sc_replay *replay, double t_s)
{
    const sc_time begin = sc_tape_begin(replay->tape);
    const sc_time end = sc_tape_end(replay->tape);
    if (t_s <= in_seconds(begin)) return begin;
    return t_s >= in_seconds(end) ? end : sc_time_from_seconds(t_s);
}

static void grant(sc_replay *replay, const wish *wanted, unsigned seen)
{
    const bool has_t = seen & 1u << T;
    advance(replay, sc_clock_us());
    if (seen & 1u << SPEED) replay->speed = wanted->speed;
    if (seen & 1u << PAUSED) replay->is_paused = wanted->paused;
    if (has_t) replay->position = clamp(replay, wanted->t_s);
    // Told to go on at its end, it begins again.
    const bool is_over = replay->position == sc_tape_end(replay->tape);
    const bool begins = !has_t && !replay->is_paused && is_over;
    if (begins) replay->position = sc_tape_begin(replay->tape);
    replay->wants_seek = replay->wants_seek || has_t || begins;
    replay->has_changed = true;
    pthread_cond_signal(&replay->wake);
}

void sc_replay_show_controls(sc_replay *replay, sc_http_request *request)
{
    sc_problem problem = {.field = NULL};
    wish wanted;
    unsigned seen = 0;
    const bool is_post = sc_http_request_method(request) == SC_HTTP_POST;
    // Other web pages can have a browser send forms here, but no JSON: for that it would ask first.
    if (is_post && !(sc_json_request_check_type(request, &problem) &&
                     read_wish(request, &problem, &wanted, &seen))) {
        sc_service_count_refusal(replay->service, problem.kind);
        sc_problem_reply(request, &problem, NULL);
        return;
    }
    sc_bytes body = {0};
    sc_json_writer json = sc_json_writer_of(&body);
    pthread_mutex_lock(&replay->lock);
    if (is_post) grant(replay, &wanted, seen);
    put_controls(&json, replay);
    pthread_mutex_unlock(&replay->lock);
    sc_json_put_text(&json, "\n");
    if (json.has_failed) {
        refuse(replay, request, SC_PROBLEM_INTERNAL, "memory is out");
    } else {
        sc_http_reply(request, 200, "application/json", body.data, body.size, NULL, 0);
    }
    sc_bytes_fini(&body);
}

// --- From its beginning to its end ---------------------------------------------------------------

static void init_lock(sc_replay *replay)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&replay->lock, NULL);
    pthread_cond_init(&replay->wake, &steady);
    pthread_condattr_destroy(&steady);
}

static sc_err prepare(sc_replay *replay, const sc_map_grid *grid, uint32_t max_places)
{
    const uint32_t peak = sc_tape_peak(replay->tape);
    const uint32_t count = peak < max_places ? peak : max_places;
    replay->position = sc_tape_begin(replay->tape);
    sc_err err = places_init(&replay->places, count);
    if (!err) {
        places_empty(&replay->places);
        const int32_t step = sc_position_step(replay->map, grid);
        err = sc_position_frames_init(&replay->frames, count, step);
    }
    replay->waiting = sc_malloc_array(PENDING_MAX, sizeof *replay->waiting);
    return replay->waiting ? err : SC_ENOMEM;
}

sc_err sc_replay_new(const sc_map *map, const sc_replay_options *options, sc_replay **out,
                     sc_diag *diag)
{
    const sc_map_grid grid = sc_map_grid_of(map);
    if (!sc_position_grid_fits(&grid)) {
        return sc_fail(diag, SC_ELIMIT, "the map is too wide for the format of positions");
    }
    sc_replay *replay = sc_calloc(1, sizeof *replay);
    if (!replay) return sc_fail_memory(diag, "preparing the replay");
    init_lock(replay);
    replay->map = map;
    replay->every_s = options->every_s;
    replay->max_listeners = options->max_listeners;
    replay->speed = 1.0;
    replay->as_of_us = sc_clock_us();
    sc_err err = sc_tape_open(map, &grid, options->path, &replay->tape, diag);
    if (!err) {
        err = prepare(replay, &grid, options->max_places);
        if (err) (void)sc_fail_memory(diag, "preparing the replay");
    }
    if (err) {
        sc_replay_free(replay);
        return err;
    }
    *out = replay;
    return SC_OK;
}

sc_err sc_replay_attach(sc_replay *replay, sc_service *service, sc_event_stream *truth)
{
    const sc_event_stream_options options = {
        .http = sc_service_http(service),
        .loops = sc_service_loops(service),
        .max_listeners = replay->max_listeners,
        .greet = greet_events,
        .tick = end_if_draining,
        .context = replay,
    };
    replay->service = service;
    replay->truth = truth;
    return sc_event_stream_new(&options, &replay->events);
}

sc_err sc_replay_start(sc_replay *replay, sc_diag *diag)
{
    replay->is_started = sc_thread_start(&replay->thread, run, replay) == SC_OK;
    if (replay->is_started) return SC_OK;
    return sc_fail(diag, SC_EIO, "cannot start a thread: %s", strerror(errno));
}

void sc_replay_stop(sc_replay *replay)
{
    if (!replay->is_started) return;
    pthread_mutex_lock(&replay->lock);
    replay->is_stopping = true;
    pthread_cond_signal(&replay->wake);
    pthread_mutex_unlock(&replay->lock);
    pthread_join(replay->thread, NULL);
    replay->is_started = false;
}

void sc_replay_free(sc_replay *replay)
{
    if (!replay) return;
    sc_replay_stop(replay);
    sc_event_stream_free(replay->events);
    sc_position_frames_fini(&replay->frames);
    sc_replay_state_fini(&replay->state);
    places_fini(&replay->places);
    sc_tape_free(replay->tape);
    sc_bytes_fini(&replay->truth_words);
    sc_bytes_fini(&replay->events_words);
    sc_free(replay->waiting);
    pthread_cond_destroy(&replay->wake);
    pthread_mutex_destroy(&replay->lock);
    sc_free(replay);
}

const sc_engine_options *sc_replay_engine(const sc_replay *replay)
{
    return sc_tape_engine(replay->tape);
}

uint32_t sc_replay_places(const sc_replay *replay)
{
    return replay->places.count;
}

int32_t sc_replay_step(const sc_replay *replay)
{
    return replay->frames.step;
}
