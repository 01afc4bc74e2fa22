// Travellers who ask: what they draw from, when each asks next, and their questions as a file.
#include "sim/workload.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

// === What travellers draw from ==================================================================

sc_normal sc_normal_around(double mean, double deviation, double least)
{
    // One draw of a million lies farther than about five deviations off; four keep
    // the least pause long, which a simulation gains from, and cut one in 16,000.
    const double reach = 4.0 * deviation;
    const double min = fmax(mean - reach, least);
    const double max = fmin(mean + reach, SC_NORMAL_MAX);
    return (sc_normal){.mean = mean, .deviation = deviation, .min = min, .max = fmax(min, max)};
}

double sc_normal_draw(const sc_normal *spread, sc_rng *rng)
{
    const double drawn = spread->mean + spread->deviation * sc_rng_normal(rng);
    return fmin(fmax(drawn, spread->min), spread->max);
}

uint32_t sc_normal_draw_whole(const sc_normal *spread, sc_rng *rng)
{
    return (uint32_t)lround(sc_normal_draw(spread, rng));
}

sc_workload sc_workload_default(void)
{
    return (sc_workload){
        .nearest = sc_normal_around(5, 1, SC_LEAST_COUNT),
        .k = sc_normal_around(5, 1.5, SC_LEAST_COUNT),
        .l = sc_normal_around(5, 1.5, SC_LEAST_COUNT),
        .max_hops = sc_normal_around(4, 1, 0),
        .max_wait_s = sc_normal_around(10, 2, SC_LEAST_WAIT_S),
        .pause_s = sc_normal_around(20, 2, SC_LEAST_PAUSE_S),
        .wanted = SC_WANT_ONE,
    };
}

// Written so that whatever is no number fails too.
static bool makes_sense(const sc_normal *spread, double least)
{
    return spread->deviation >= 0 && spread->deviation <= SC_NORMAL_MAX && spread->min >= least &&
           spread->min <= spread->mean && spread->mean <= spread->max &&
           spread->max <= SC_NORMAL_MAX;
}

sc_err sc_workload_check(const sc_workload *workload, sc_diag *diag)
{
    const struct {
        const char *name;
        const sc_normal *spread;
        double least;
    } parts[] = {
        {"the number of nearest objects", &workload->nearest, SC_LEAST_COUNT},
        {"k", &workload->k, SC_LEAST_COUNT},
        {"l", &workload->l, SC_LEAST_COUNT},
        {"the hops", &workload->max_hops, 0},
        {"the longest wait", &workload->max_wait_s, SC_LEAST_WAIT_S},
        {"the pause", &workload->pause_s, SC_LEAST_PAUSE_S},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (makes_sense(parts[i].spread, parts[i].least)) continue;
        return sc_fail(diag, SC_EINVAL,
                       "the workload is not valid: %s must be from %.15g to %.15g, and its "
                       "deviation not negative",
                       parts[i].name, parts[i].least, SC_NORMAL_MAX);
    }
    if ((unsigned)workload->wanted > SC_WANT_THIS) {
        return sc_fail(
            diag, SC_EINVAL,
            "the workload is not valid: travellers want one category, any, or a given one");
    }
    return SC_OK;
}

// === A population of travellers, each with its next question ====================================
// A traveller is in the heap, by the time of its next question; or it awaits an outcome; or it is
// gone, since its movement never brings it back to the roads. It is moved when the time of its next
// question is drawn: so the question itself needs no memory and cannot fail.
//
// Invariants:
//  1. The heap never holds more than there are travellers.
//  2. Of questions at the same moment the lower traveller's comes first, whatever the order in
//     which they entered the heap.
//  3. The n-th question of a traveller, and the pause after it, come from generators of their own,
//     and no need that is drawn changes how many numbers follow: other needs, same moments.

/** What a traveller is about to do. */
typedef enum stage {
    IS_GONE = 0,
    WILL_ASK,
    AWAITS_OUTCOME,
} stage;

/** A traveller. */
typedef struct person {
    sc_time t;       ///< when it will ask, or asked last
    sc_place place;  ///< where it is then
    const char *user;
    uint32_t asked_count;
    stage stage;
} person;
_Static_assert(sizeof(person) <= 32, "a million travellers are to fit");

static bool is_before(const person *all, uint32_t a, uint32_t b)
{
    if (all[a].t != all[b].t) return all[a].t < all[b].t;
    return a < b;
}

/** Travellers by the time of their next question. */
#define SC_HEAP sc__askers
#define SC_HEAP_ENTRY uint32_t
#define SC_HEAP_CONTEXT const person *
#define SC_HEAP_IS_BEFORE(heap, a, b) is_before((heap)->context, a, b)
#include "base/heap_template.h"

struct sc_travellers {
    sc_movement *movement;  ///< borrowed
    sc_workload workload;
    uint64_t seed;
    person *all;
    char *names;        ///< of those whose movement lends none
    sc__askers askers;  ///< who will ask
    uint64_t asked_count;
};

// --- When -------------------------------------------------------------------

/** The generator of the n-th question of a traveller, or of the pause before it; from 0. */
static sc_rng numbers_of(const sc_travellers *travellers, uint32_t who, uint32_t n,
                         sc_purpose purpose)
{
    const uint64_t own = sc_traveller_seed(travellers->seed, who, purpose);
    sc_rng rng;
    sc_rng_seed(&rng, sc_traveller_seed(own, n, purpose));
    return rng;
}

/** It will ask at `t`, or when it is back on the roads. */
static sc_err schedule(sc_travellers *travellers, uint32_t who, sc_time t)
{
    sc_place place = {0};
    sc_time back = t;
    do {
        t = back;
        const sc_err err = sc_movement_at(travellers->movement, who, t, &place, &back);
        if (err) return err;
    } while (back != t && back != SC_TIME_NEVER);

    person *p = &travellers->all[who];
    if (back == SC_TIME_NEVER) {
        p->stage = IS_GONE;
        return SC_OK;
    }
    p->t = t;
    p->place = place;
    p->stage = WILL_ASK;
    sc__askers_push(&travellers->askers, who);
    return SC_OK;
}

sc_err sc_travellers_resume(sc_travellers *travellers, uint32_t traveller, sc_time t)
{
    const person *p = &travellers->all[traveller];
    if (p->stage != AWAITS_OUTCOME) return SC_OK;
    // Movements do not go backwards in time, whatever the caller's clock says.
    if (t < p->t) t = p->t;
    sc_rng rng = numbers_of(travellers, traveller, p->asked_count, SC_FOR_PAUSES);
    const double pause_s = sc_normal_draw(&travellers->workload.pause_s, &rng);
    return schedule(travellers, traveller, t + sc_time_from_seconds(pause_s));
}

sc_time sc_travellers_next(const sc_travellers *travellers)
{
    return travellers->askers.count > 0 ? travellers->all[travellers->askers.entries[0]].t
                                        : SC_TIME_NEVER;
}

sc_time sc_travellers_least_pause(const sc_travellers *travellers)
{
    return sc_time_from_seconds(travellers->workload.pause_s.min);
}

// --- What -------------------------------------------------------------------

static sc_profile draw_profile(const sc_workload *workload, sc_rng *rng)
{
    // One by one: the order in which an initializer is evaluated is unspecified.
    sc_profile profile;
    profile.k = sc_normal_draw_whole(&workload->k, rng);
    profile.l = sc_normal_draw_whole(&workload->l, rng);
    profile.max_hops = sc_normal_draw_whole(&workload->max_hops, rng);
    const double max_wait_s = sc_normal_draw(&workload->max_wait_s, rng);
    profile.max_wait_us = sc_time_from_seconds(max_wait_s);
    return profile;
}

static sc_request draw_request(const sc_workload *workload, const sc_map *map, sc_rng *rng)
{
    sc_request request = {.type = SC_REQUEST_KNN, .metric = workload->metric};
    request.k = sc_normal_draw_whole(&workload->nearest, rng);
    const uint32_t object_count = sc_map_object_count(map);
    if (object_count == 0 || workload->wanted == SC_WANT_ANY) return request;
    request.category_count = 1;
    // The category of any object, each as likely as the others, has that category's share.
    request.categories[0] = workload->wanted == SC_WANT_THIS
                                ? workload->category
                                : sc_map_objects(map)[sc_rng_below(rng, object_count)].category;
    return request;
}

uint32_t sc_travellers_ask(sc_travellers *travellers, sc_request_line *out)
{
    const sc_map *map = travellers->movement->map;
    const uint32_t who = sc__askers_pop(&travellers->askers);
    person *p = &travellers->all[who];
    sc_rng rng = numbers_of(travellers, who, p->asked_count, SC_FOR_QUESTIONS);
    p->asked_count++;
    p->stage = AWAITS_OUTCOME;

    *out = (sc_request_line){.line = ++travellers->asked_count};
    out->ask.user = p->user;
    out->ask.user_size = strlen(p->user);
    out->ask.t = p->t;
    out->ask.is_on_edge = true;
    out->ask.edge = p->place.edge;
    out->ask.offset_m = p->place.offset * sc_map_unit_m(map);
    out->ask.profile = draw_profile(&travellers->workload, &rng);
    out->request = draw_request(&travellers->workload, map, &rng);
    out->ask.result_size = out->request.k;
    return who;
}

// --- Making and freeing -----------------------------------------------------

/** Names are lent until all are freed; what a movement does not lend is written down once. */
static sc_err name_all(sc_travellers *travellers)
{
    const sc_movement *movement = travellers->movement;
    char room[32];
    size_t size = 0;
    for (uint32_t who = 0; who < movement->count; who++) {
        const char *name = sc_movement_name(movement, who, room);
        if (name == room) size += strlen(name) + 1;
    }
    travellers->names = sc_malloc(size);
    if (!travellers->names) return SC_ENOMEM;
    char *next = travellers->names;
    for (uint32_t who = 0; who < movement->count; who++) {
        const char *name = sc_movement_name(movement, who, room);
        travellers->all[who].user = name;
        if (name != room) continue;
        const size_t with_nul = strlen(name) + 1;
        travellers->all[who].user = memcpy(next, name, with_nul);
        next += with_nul;
    }
    return SC_OK;
}

/** First questions are spread over one pause, as if all had asked before. */
static sc_err schedule_all(sc_travellers *travellers)
{
    for (uint32_t who = 0; who < travellers->movement->count; who++) {
        sc_rng rng = numbers_of(travellers, who, 0, SC_FOR_PAUSES);
        const double t_us = sc_rng_unit(&rng) * travellers->workload.pause_s.mean * 1e6;
        const sc_err err = schedule(travellers, who, (sc_time)t_us);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err check_category(const sc_workload *workload, const sc_map *map, sc_diag *diag)
{
    if (workload->wanted != SC_WANT_THIS || sc_map_object_count(map) == 0 ||
        workload->category < sc_map_category_count(map)) {
        return SC_OK;
    }
    return sc_fail(
        diag, SC_EINVAL,
        "travellers cannot ask for category %u; the map has %u categories, numbered from 0",
        (unsigned)workload->category, (unsigned)sc_map_category_count(map));
}

sc_err sc_travellers_new(sc_movement *movement, const sc_workload *workload, uint64_t seed,
                         sc_travellers **out, sc_diag *diag)
{
    sc_err err = sc_workload_check(workload, diag);
    if (!err) err = check_category(workload, movement->map, diag);
    if (err) return err;

    sc_travellers *travellers = sc_calloc(1, sizeof *travellers);
    if (!travellers) return sc_fail_memory(diag, "making travellers");
    travellers->movement = movement;
    travellers->workload = *workload;
    travellers->seed = seed;
    travellers->all = sc_calloc(movement->count, sizeof *travellers->all);
    travellers->askers.context = travellers->all;
    err = travellers->all && sc__askers_reserve(&travellers->askers, movement->count)
              ? name_all(travellers)
              : SC_ENOMEM;
    if (!err) err = schedule_all(travellers);
    if (err) {
        sc_travellers_free(travellers);
        return sc_fail_memory(diag, "making travellers");
    }
    *out = travellers;
    return SC_OK;
}

void sc_travellers_free(sc_travellers *travellers)
{
    if (!travellers) return;
    sc_free(travellers->all);
    sc_free(travellers->names);
    sc__askers_fini(&travellers->askers);
    sc_free(travellers);
}

// === Travellers who wait for no outcome, as a file: an open loop ================================

/** Progress is told every so many questions. */
enum { REPORT_EVERY = 4096 };

void sc_ask_use_position(const sc_map *map, sc_ask *ask)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) return;
    sc_map_edge_position(map, ask->edge, ask->offset_m, &ask->x, &ask->y);
    ask->is_on_edge = false;
}

// In order of time, until it is over or the disk has refused something.
static sc_err write_all(const sc_map *map, const sc_queries_options *options,
                        sc_travellers *travellers, FILE *stream, uint64_t *count)
{
    const sc_time end = sc_time_from_seconds(options->seconds);
    const sc_progress *progress = &options->progress;
    while (sc_travellers_next(travellers) < end && !ferror(stream)) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        // Streams have positions, and edges only on a map without coordinates.
        sc_ask_use_position(map, &said.ask);
        sc_stream_write(stream, map, &said.ask, &said.request);
        if (++*count % REPORT_EVERY == 0 && progress->report) {
            progress->report(progress->context, "asking", (uint64_t)said.ask.t, (uint64_t)end);
        }
        const sc_err err = sc_travellers_resume(travellers, who, said.ask.t);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc_queries_write(sc_movement *movement, const sc_queries_options *options, const char *path,
                        uint64_t *written, sc_diag *diag)
{
    sc_travellers *travellers = NULL;
    sc_err err = sc_travellers_new(movement, &options->workload, options->seed, &travellers, diag);
    if (err) return err;

    sc_outfile file;
    err = sc_outfile_open(path, &file, diag);
    if (!err) {
        uint64_t count = 0;
        err = write_all(movement->map, options, travellers, file.stream, &count);
        if (err) {
            sc_outfile_abandon(&file);
            err = sc_fail_memory(diag, "moving travellers");
        } else {
            err = sc_outfile_commit(&file, diag);
        }
        if (!err) *written = count;
    }
    sc_travellers_free(travellers);
    return err;
}
