// Queries of the adversary's own among the lines of a stream.
//
// Those near a victim come one microsecond after the other, the last of them one before it asks: so
// they are all there when it does, and other queries are unlikely to come between. The i-th is on
// the same segment however many there are, so that more of them only add to what fewer did.
#include "score/inject.h"

#include <starcloak/star.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/** What is needed of a victim to be near it. */
typedef struct victim_line {
    const sc_request_line *line;  ///< lent by the caller
    sc_seg_id segment;
    uint64_t seed;  ///< of where the queries near it go
} victim_line;

/** Segments around another. Zero-initialise, then around_init(); around_fini(). */
typedef struct nearby_segments {
    const sc_map *map;  ///< borrowed
    sc_ball *ball;
    sc_seg_id *segments;
    size_t count;
    size_t capacity;
} nearby_segments;

// === Segments around another ====================================================================

static sc_err around_init(nearby_segments *around, const sc_map *map)
{
    around->map = map;
    return sc_ball_new(map, &around->ball);
}

/** Harmless twice. */
static void around_fini(nearby_segments *around)
{
    sc_ball_free(around->ball);
    sc_free(around->segments);
    *around = (nearby_segments){0};
}

static bool add_segments_of(nearby_segments *around, sc_star_id star)
{
    const sc_star *stars = sc_map_stars(around->map);
    const sc_seg_id *listed = sc_map_star_segments(around->map);
    for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
        if (!sc_grow(&around->segments, around->count, &around->capacity,
                     sizeof *around->segments)) {
            return false;
        }
        around->segments[around->count++] = listed[i];
    }
    return true;
}

static bool add_ball(nearby_segments *around, sc_star_id star, uint32_t max_hops)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(around->ball, star, max_hops, &count);
    for (size_t i = 0; i < count; i++) {
        if (!add_segments_of(around, stars[i])) return false;
    }
    return true;
}

/** Most are there several times: both their stars are, and in both balls. */
static void keep_each_once(nearby_segments *around)
{
    sc_seg_id *segments = around->segments;
    sc_sort_u32(segments, around->count);
    size_t kept = 1;
    for (size_t i = 1; i < around->count; i++) {
        if (segments[i] != segments[kept - 1]) segments[kept++] = segments[i];
    }
    around->count = kept;
}

/**
 * List all segments that touch a star within `max_hops` of a star of `segment`, itself among them,
 * each once, in an order drawn from `rng`: those before it are the same however many are used.
 *
 * @return SC_OK, SC_ENOMEM
 */
static sc_err around_draw(nearby_segments *around, sc_seg_id segment, uint32_t max_hops,
                          sc_rng *rng)
{
    const sc_segment *centre = &sc_map_segments(around->map)[segment];
    around->count = 0;
    if (!add_ball(around, centre->star_a, max_hops)) return SC_ENOMEM;
    if (centre->star_b != SC_NONE && centre->star_b != centre->star_a &&
        !add_ball(around, centre->star_b, max_hops)) {
        return SC_ENOMEM;
    }
    keep_each_once(around);
    for (size_t i = 0; i < around->count; i++) {
        const size_t drawn = i + sc_rng_below(rng, (uint32_t)(around->count - i));
        const sc_seg_id other = around->segments[drawn];
        around->segments[drawn] = around->segments[i];
        around->segments[i] = other;
    }
    return SC_OK;
}

// === Victims ====================================================================================
// Who is to be found: drawn from the lines of a stream, and looked up among cases.
//
// Lines are shuffled as far as need be, and each brings its user in unless there is one of it
// already, or the line is nowhere on the map. So a traveller with more queries is drawn more often,
// as for an adversary who waits until a traveller passes; and nothing depends on how many are
// wanted.

// --- Drawing -------------------------------------------------------------------------

/** The segment on which a line is asked, as admission with its ordinary limits finds it. */
static bool find_segment(const sc_map *map, const sc_ask *ask, sc_seg_id *out)
{
    if (ask->is_on_edge) {
        if (ask->edge >= sc_map_edge_count(map)) return false;
        *out = sc_map_edges(map)[ask->edge].segment;
        return true;
    }
    sc_snap at;
    if (sc_map_snap(map, ask->x, ask->y, sc_limits_default().max_snap_m, &at)) return false;
    *out = at.segment;
    return true;
}

static sc_key key_of(uint64_t user)
{
    return (sc_key){.high = user};
}

/** The places of all lines that victims may be drawn from; NULL if memory is out. */
static uint32_t *list_eligible(const sc_request_line *lines, size_t line_count,
                               sc_run_window window, size_t *count)
{
    uint32_t *places = sc_malloc_array(line_count, sizeof *places);
    if (!places) return NULL;
    *count = 0;
    for (size_t i = 0; i < line_count; i++) {
        if (sc_run_window_has(window, lines[i].ask.t)) places[(*count)++] = (uint32_t)i;
    }
    return places;
}

/** Add the user of this line to the victims, unless it is one already. */
static sc_err take(sc_injection *injection, victim_line *victims, const victim_line *victim)
{
    const sc_ask *ask = &victim->line->ask;
    const uint64_t user = sc_case_user(ask->user, ask->user_size);
    const uint32_t number = (uint32_t)injection->victim_count;
    uint32_t put = 0;
    const sc_err err = sc_hash_put(&injection->numbers, key_of(user), number, &put);
    if (err || put != number) return err;
    injection->victims[number] = (sc_victim){.user = user, .asked = ask->t};
    victims[number] = *victim;
    injection->victim_count++;
    return SC_OK;
}

/** What victims are drawn from. */
typedef struct eligible_lines {
    const sc_map *map;
    const sc_request_line *lines;  ///< all of the run
    uint32_t *places;              ///< in `lines`; those already drawn are overwritten
    size_t count;
} eligible_lines;

static sc_err draw_from(const eligible_lines *from, size_t wanted, uint64_t seed,
                        sc_injection *injection, victim_line *victims)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (size_t i = 0; i < from->count && injection->victim_count < wanted; i++) {
        const size_t drawn = i + sc_rng_below(&rng, (uint32_t)(from->count - i));
        const sc_request_line *line = &from->lines[from->places[drawn]];
        victim_line victim = {.line = line, .seed = sc_rng_next(&rng)};
        from->places[drawn] = from->places[i];
        if (!find_segment(from->map, &line->ask, &victim.segment)) continue;
        const sc_err err = take(injection, victims, &victim);
        if (err) return err;
    }
    return SC_OK;
}

/**
 * Draw the victims of `injection`, which depends on the lines, the seed and the window alone: with
 * fewer wanted it is the first of them.
 *
 * @param out  set to one per victim, in their order; to be freed, also after a failure
 * @return SC_OK, SC_ENOMEM
 */
static sc_err victims_draw(sc_injection *injection, const sc_map *map, const sc_request_line *lines,
                           size_t line_count, const sc_injection_options *options,
                           victim_line **out)
{
    eligible_lines from = {.map = map, .lines = lines};
    from.places = list_eligible(lines, line_count, options->window, &from.count);
    if (!from.places) return SC_ENOMEM;
    const size_t wanted = options->victims < from.count ? options->victims : from.count;
    injection->victims = sc_malloc_array(wanted, sizeof *injection->victims);
    *out = sc_malloc_array(wanted, sizeof **out);
    const sc_err err = injection->victims && *out
                           ? draw_from(&from, wanted, options->seed, injection, *out)
                           : SC_ENOMEM;
    sc_free(from.places);
    return err;
}

// --- Finding -------------------------------------------------------------------------

#define NOT_FOUND SIZE_MAX

/** The first victim in a case that was in none before it. */
static size_t first_victim_in(const sc_injection *injection, const sc_case *one,
                              const size_t *which)
{
    size_t first = NOT_FOUND;
    for (size_t m = 0; m < one->member_count; m++) {
        const sc_case_member *member = &one->members[m];
        const uint32_t number = sc_hash_get(&injection->numbers, key_of(member->user), UINT32_MAX);
        if (number == UINT32_MAX || injection->victims[number].asked != member->asked) continue;
        if (number < first && which[number] == NOT_FOUND) first = number;
    }
    return first;
}

size_t sc_injection_find(const sc_injection *injection, const sc_cases *cases, size_t *which)
{
    for (size_t v = 0; v < injection->victim_count; v++) {
        which[v] = NOT_FOUND;
    }
    for (size_t c = 0; c < cases->count; c++) {
        const sc_case one = sc_cases_at(cases, c);
        const size_t victim = first_victim_in(injection, &one, which);
        if (victim != NOT_FOUND) which[victim] = c;
    }
    size_t found = 0;
    for (size_t v = 0; v < injection->victim_count; v++) {
        if (which[v] != NOT_FOUND) which[found++] = which[v];
    }
    return found;
}

// === The lines of the adversary =================================================================

/** Room for a name: the prefix, the victim's number, ":", the query's number, NUL. */
enum { NAME_ROOM = sizeof SC_INJECTED_PREFIX + 10 + 1 + 10 };

sc_injection_options sc_injection_options_default(void)
{
    return (sc_injection_options){
        .victims = 100,
        .profile = {.l = 1, .max_hops = 1, .max_wait_us = sc_time_from_seconds(10)},
        .within_hops = 1,
        .seed = 1,
    };
}

static sc_profile profile_of(const sc_injection_options *options)
{
    sc_profile profile = options->profile;
    if (profile.k == 0) profile.k = options->injected + 1;
    return profile;
}

// --- What is refused -------------------------------------------------------------------

/** Everybody's limits hold for the adversary too: what is not admitted is no attack. */
static sc_err check_profile(const sc_profile *profile, sc_diag *diag)
{
    const sc_limits limits = sc_limits_default();
    if (profile->k > limits.max_k || profile->l < 1 || profile->l > limits.max_l ||
        profile->max_hops > limits.max_hops) {
        return sc_fail(diag, SC_EINVAL,
                       "an injected query cannot ask for %" PRIu32 " users, %" PRIu32
                       " segments and %" PRIu32 " hops; ask for at most %" PRIu32
                       " users, 1 to %" PRIu32 " segments and at most %" PRIu32 " hops",
                       profile->k, profile->l, profile->max_hops, limits.max_k, limits.max_l,
                       limits.max_hops);
    }
    if (profile->max_wait_us <= 0 || profile->max_wait_us > limits.max_wait_us) {
        return sc_fail(diag, SC_EINVAL,
                       "an injected query cannot wait for %.15g s; let it wait for more than 0 and "
                       "at most %.15g s",
                       (double)profile->max_wait_us * 1e-6, (double)limits.max_wait_us * 1e-6);
    }
    return SC_OK;
}

static sc_err check_options(const sc_injection_options *options, sc_diag *diag)
{
    const uint32_t max_hops = sc_limits_default().max_hops;
    if (options->injected > SC_INJECTED_MAX) {
        return sc_fail(diag, SC_EINVAL,
                       "%" PRIu32 " injected queries near each victim are too many; use at most %d",
                       options->injected, SC_INJECTED_MAX);
    }
    if (options->victims == 0) {
        return sc_fail(diag, SC_EINVAL, "the number of victims is 0; use 1 or more");
    }
    if (options->within_hops > max_hops) {
        return sc_fail(diag, SC_EINVAL,
                       "%" PRIu32 " hops from a victim are too far; use at most %" PRIu32,
                       options->within_hops, max_hops);
    }
    const sc_profile profile = profile_of(options);
    return check_profile(&profile, diag);
}

static sc_err check_lines(const sc_request_line *lines, size_t count, sc_diag *diag)
{
    if (count >= UINT32_MAX) {
        return sc_fail(diag, SC_ELIMIT, "%zu queries are too many to draw victims from", count);
    }
    for (size_t i = 0; i < count; i++) {
        const sc_ask *ask = &lines[i].ask;
        if (sc_case_user_is_injected(ask->user, ask->user_size)) {
            return sc_fail(diag, SC_EINVAL,
                           "query %zu is of a user whose name begins with '%s', which is reserved "
                           "for the adversary's own users; use another name",
                           i + 1, SC_INJECTED_PREFIX);
        }
    }
    return SC_OK;
}

// --- Queries near a victim ---------------------------------------------------------------

/** `lead` microseconds before a victim asks, but not before the stream begins. */
static sc_time moment_before(sc_time asked, sc_time lead, sc_time begin)
{
    const bool fits = asked >= INT64_MIN + lead && asked - lead >= begin;
    return fits ? asked - lead : begin;
}

/** In the middle of a segment, of its edge in the middle. */
static void stand_on(const sc_map *map, sc_seg_id segment, sc_ask *ask)
{
    const sc_segment *here = &sc_map_segments(map)[segment];
    ask->is_on_edge = true;
    ask->edge = here[0].first_edge + (here[1].first_edge - here[0].first_edge) / 2;
    ask->offset_m = 0.5 * sc_map_edge_length_m(map, ask->edge);
}

/** Where lines of the adversary's own are gathered. */
typedef struct gathering {
    const sc_map *map;
    sc_profile profile;
    uint32_t injected;
    sc_time begin;  ///< of the stream
    nearby_segments around;
    sc_request_line *lines;
    size_t count;
    char *names;  ///< NAME_ROOM each, in the order in which they were gathered
} gathering;

static void gather_one(gathering *g, uint32_t number, const victim_line *victim, uint32_t i)
{
    char *name = g->names + g->count * NAME_ROOM;
    const int size =
        snprintf(name, NAME_ROOM, SC_INJECTED_PREFIX "%" PRIu32 ":%" PRIu32, number, i);
    // What it wants is what the victim wants, so that both weigh alike where costs are counted.
    sc_request_line *line = &g->lines[g->count++];
    *line = *victim->line;
    line->line = 0;
    line->ask.user = name;
    line->ask.user_size = (size_t)size;
    line->ask.t = moment_before(victim->line->ask.t, (sc_time)g->injected - i, g->begin);
    line->ask.profile = g->profile;
    stand_on(g->map, g->around.segments[i % g->around.count], &line->ask);
}

static sc_err gather(gathering *g, const victim_line *victims, size_t count, uint32_t max_hops)
{
    for (size_t v = 0; v < count; v++) {
        sc_rng rng;
        sc_rng_seed(&rng, victims[v].seed);
        const sc_err err = around_draw(&g->around, victims[v].segment, max_hops, &rng);
        if (err) return err;
        for (uint32_t i = 0; i < g->injected; i++) {
            gather_one(g, (uint32_t)v, &victims[v], i);
        }
    }
    return SC_OK;
}

// --- In the order of time ------------------------------------------------------------------

/** By time; of the same moment, as they were gathered: names lie one behind the other. */
static int compare_lines(const void *a, const void *b)
{
    const sc_ask *first = &((const sc_request_line *)a)->ask;
    const sc_ask *second = &((const sc_request_line *)b)->ask;
    if (first->t != second->t) return first->t < second->t ? -1 : 1;
    return (first->user > second->user) - (first->user < second->user);
}

/** The adversary's own come before others of the same moment. */
static sc_err merge(sc_injection *injection, const sc_request_line *lines, size_t line_count,
                    const gathering *own)
{
    injection->lines = sc_malloc_array(line_count + own->count, sizeof *injection->lines);
    if (!injection->lines) return SC_ENOMEM;
    size_t used = 0;
    for (size_t i = 0; i < line_count; i++) {
        while (used < own->count && own->lines[used].ask.t <= lines[i].ask.t) {
            injection->lines[injection->line_count++] = own->lines[used++];
        }
        injection->lines[injection->line_count++] = lines[i];
    }
    return SC_OK;  // none is left: the last victim's line comes after all of them
}

// --- The whole -------------------------------------------------------------------------------

static sc_err inject(sc_injection *injection, const sc_map *map, const sc_request_line *lines,
                     size_t line_count, const sc_injection_options *options,
                     const victim_line *victims)
{
    const size_t most = injection->victim_count * options->injected;
    gathering g = {
        .map = map,
        .profile = profile_of(options),
        .injected = options->injected,
        .begin = line_count > 0 ? lines[0].ask.t : 0,
        .lines = sc_malloc_array(most, sizeof *g.lines),
        .names = sc_malloc_array(most, NAME_ROOM),
    };
    injection->names = g.names;
    sc_err err = g.lines && g.names ? around_init(&g.around, map) : SC_ENOMEM;
    if (!err) err = gather(&g, victims, injection->victim_count, options->within_hops);
    if (!err) {
        qsort(g.lines, g.count, sizeof *g.lines, compare_lines);
        err = merge(injection, lines, line_count, &g);
    }
    around_fini(&g.around);
    sc_free(g.lines);
    return err;
}

sc_err sc_injection_init(sc_injection *injection, const sc_map *map, const sc_request_line *lines,
                         size_t line_count, const sc_injection_options *options, sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (!err) err = check_lines(lines, line_count, diag);
    if (err) return err;

    sc_injection made = {0};
    victim_line *victims = NULL;
    err = victims_draw(&made, map, lines, line_count, options, &victims);
    if (!err) err = inject(&made, map, lines, line_count, options, victims);
    sc_free(victims);
    if (err) {
        sc_injection_fini(&made);
        return sc_fail_memory(diag, "putting queries near victims");
    }
    *injection = made;
    return SC_OK;
}

void sc_injection_fini(sc_injection *injection)
{
    sc_free(injection->lines);
    sc_free(injection->names);
    sc_free(injection->victims);
    sc_hash_fini(&injection->numbers);
    *injection = (sc_injection){0};
}
