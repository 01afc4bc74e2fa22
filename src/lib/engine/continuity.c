// Where users can be since their last cloak. starcloak/continuity.h has the contract.
//
// Invariants:
//  1. A user has at most one entry: `entries` finds it by pseudonym, `ages` by the time at which
//  its
//     query was asked.
//  2. A query that waits has what is reached of all roads that its cloak can have: those at stars
//     within max_hops of an end of its own. So its places are found by looking up, whatever became
//     of the entry that they were computed from.
//  3. An entry that is not needed any more is wiped before its memory is given back.
#include <starcloak/continuity.h>
#include <starcloak/star.h>

#include "base/alloc.h"
#include "base/deadlines.h"
#include "base/diag.h"
#include "engine/continuity_internal.h"
#include "engine/road_reach.h"

#include <stdlib.h>
#include <string.h>

/** Where a user was: the last cloak, or the one that is proposed. */
typedef struct last_cloak {
    uint64_t user;
    sc_time asked;
    size_t place;  ///< in the queue of ages
    size_t count;
    sc__road_span spans[];
} last_cloak;

/** A query that has not ended. One block: the spans and the table follow. */
typedef struct waiting_query {
    sc_query_id id;
    uint64_t user;
    sc_time asked;
    sc_time since;         ///< when the cloak was asked for that the table is from
    bool has_reached;      ///< there was such a cloak
    last_cloak *proposed;  ///< owned; NULL: no cloak is proposed
    size_t span_count;
    size_t reached_count;
    sc__road_span *spans;  ///< of segments that are reached in part
    sc_reached *reached;
} waiting_query;

_Static_assert(sizeof(waiting_query) % _Alignof(sc__road_span) == 0, "spans follow the query");
_Static_assert(sizeof(sc__road_span) % _Alignof(sc_reached) == 0, "the table follows the spans");

// --- By user, by age, by id --------------------------------------------------

typedef struct cloak_slot {
    last_cloak *cloak;  ///< NULL: free
} cloak_slot;

typedef struct query_slot {
    waiting_query *query;  ///< NULL: free
} query_slot;

// Pseudonyms and ids are keyed hashes: their own bits are as good as random.
#define SC_TABLE entries
#define SC_TABLE_SLOT cloak_slot
#define SC_TABLE_KEY uint64_t
#define SC_TABLE_IS_FREE(table, slot) ((slot)->cloak == NULL)
#define SC_TABLE_HAS(table, slot, key) ((slot)->cloak->user == (key))
#define SC_TABLE_HASH(table, key) (key)
#define SC_TABLE_HASH_OF(table, slot) ((slot)->cloak->user)
#include "base/table_template.h"

static size_t hash_of(const sc_query_id *id)
{
    size_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE queries
#define SC_TABLE_SLOT query_slot
#define SC_TABLE_KEY const sc_query_id *
#define SC_TABLE_IS_FREE(table, slot) ((slot)->query == NULL)
#define SC_TABLE_HAS(table, slot, key) (memcmp(&(slot)->query->id, key, sizeof *(key)) == 0)
#define SC_TABLE_HASH(table, key) hash_of(key)
#define SC_TABLE_HASH_OF(table, slot) hash_of(&(slot)->query->id)
#include "base/table_template.h"

struct sc_continuity {
    const sc_map *map;  ///< borrowed
    sc_continuity_options options;
    entries entries;
    sc_deadlines ages;
    queries queries;
    sc__road_reach reach;
    sc_ball *ball;
    sc_continuity_stats stats;

    // Room for one query.
    bool *is_target;  ///< by segment
    sc_seg_id *targets;
    size_t target_count;
    size_t target_capacity;
    sc__road_spans found;
};

// --- Options and life --------------------------------------------------------

sc_continuity_options sc_continuity_options_default(void)
{
    return (sc_continuity_options){
        .vmax_m_s = 33.0, .tau_us = sc_time_from_seconds(300.0), .max_users = 1000000};
}

sc_err sc_continuity_options_check(const sc_continuity_options *options, sc_diag *diag)
{
    if (!(options->vmax_m_s > 0.0 && options->vmax_m_s <= SC_VMAX_MAX_M_S)) {
        return sc_fail(diag, SC_EINVAL,
                       "continuity: vmax must be above 0 and at most %g m/s, not %g",
                       SC_VMAX_MAX_M_S, options->vmax_m_s);
    }
    if (options->tau_us <= 0 || options->tau_us > sc_time_from_seconds(SC_TAU_MAX_S)) {
        return sc_fail(diag, SC_EINVAL, "continuity: tau must be above 0 and at most %g s, not %g",
                       SC_TAU_MAX_S, (double)options->tau_us * 1e-6);
    }
    if (options->max_users < 1) {
        return sc_fail(diag, SC_EINVAL, "continuity: at least one user must be kept");
    }
    return SC_OK;
}

sc_err sc_continuity_new(const sc_map *map, const sc_continuity_options *options,
                         sc_continuity **out, sc_diag *diag)
{
    sc_err err = sc_continuity_options_check(options, diag);
    if (err) return err;
    if (!sc_map_is_in_metres(map)) {
        return sc_fail(diag, SC_EINVAL,
                       "continuity: the lengths of this map are not in metres, so a speed says "
                       "nothing of distances; import it with its unit");
    }
    sc_continuity *continuity = sc_calloc(1, sizeof *continuity);
    if (!continuity) return sc_fail_memory(diag, "preparing continuity");
    continuity->map = map;
    continuity->options = *options;
    err = sc__road_reach_init(&continuity->reach, map);
    if (!err) err = sc_ball_new(map, &continuity->ball);
    continuity->is_target = sc_calloc(sc_map_segment_count(map), sizeof *continuity->is_target);
    if (err || !continuity->is_target) {
        sc_continuity_free(continuity);
        return sc_fail_memory(diag, "preparing continuity");
    }
    *out = continuity;
    return SC_OK;
}

static size_t bytes_of_cloak(size_t count)
{
    return sizeof(last_cloak) + count * sizeof(sc__road_span);
}

static size_t bytes_of_query(const waiting_query *query)
{
    return sizeof *query + query->span_count * sizeof *query->spans +
           query->reached_count * sizeof *query->reached;
}

static void free_cloak(sc_continuity *continuity, last_cloak *cloak)
{
    if (!cloak) return;
    continuity->stats.bytes -= bytes_of_cloak(cloak->count);
    explicit_bzero(cloak, bytes_of_cloak(cloak->count));
    sc_free(cloak);
}

static void free_query(sc_continuity *continuity, waiting_query *query)
{
    free_cloak(continuity, query->proposed);
    continuity->stats.bytes -= bytes_of_query(query);
    explicit_bzero(query, bytes_of_query(query));
    sc_free(query);
}

void sc_continuity_free(sc_continuity *continuity)
{
    if (!continuity) return;
    for (size_t i = 0; i < continuity->ages.count; i++) {
        free_cloak(continuity, continuity->ages.entries[i].owner);
    }
    size_t from = 0;
    for (query_slot *slot; (slot = queries_next(&continuity->queries, &from));) {
        free_query(continuity, slot->query);
    }
    sc_deadlines_fini(&continuity->ages);
    entries_fini(&continuity->entries);
    queries_fini(&continuity->queries);
    sc__road_reach_fini(&continuity->reach);
    sc_ball_free(continuity->ball);
    sc_free(continuity->is_target);
    if (continuity->targets) {
        explicit_bzero(continuity->targets,
                       continuity->target_capacity * sizeof *continuity->targets);
    }
    sc_free(continuity->targets);
    sc__road_spans_fini(&continuity->found);
    sc_free(continuity);
}

// --- Erasing -----------------------------------------------------------------

static void remove_entry(sc_continuity *continuity, last_cloak *entry)
{
    entries_remove(&continuity->entries, entries_find(&continuity->entries, entry->user));
    sc_deadlines_cancel(&continuity->ages, &entry->place);
    free_cloak(continuity, entry);
}

/** The last time at which a cloak that was asked for at `asked` still counts. */
static sc_time counts_until(const sc_continuity *continuity, sc_time asked)
{
    sc_time until;
    return __builtin_add_overflow(asked, continuity->options.tau_us, &until) ? SC_TIME_NEVER
                                                                             : until;
}

void sc_continuity_erase(sc_continuity *continuity, sc_time now)
{
    while (continuity->ages.count > 0 &&
           counts_until(continuity, sc_deadlines_next(&continuity->ages)) < now) {
        remove_entry(continuity, sc_deadlines_first(&continuity->ages));
        continuity->stats.erased++;
    }
}

sc_time sc_continuity_next_erasure(const sc_continuity *continuity)
{
    if (continuity->ages.count == 0) return SC_TIME_NEVER;
    const sc_time until = counts_until(continuity, sc_deadlines_next(&continuity->ages));
    return until == SC_TIME_NEVER ? until : until + 1;
}

// --- Asking ------------------------------------------------------------------

/** How far a user comes in that time, in units of the map, rounded up. */
static uint64_t distance_in(const sc_continuity *continuity, sc_time dt)
{
    if (dt <= 0) return 0;
    const double units =
        continuity->options.vmax_m_s * ((double)dt * 1e-6) / sc_map_unit_m(continuity->map);
    if (units >= 0x1p62) return UINT64_C(1) << 62;
    const uint64_t whole = (uint64_t)units;
    return whole + ((double)whole < units);
}

/** Add the segments of all stars within the query's hops of one of its ends. */
static bool add_targets(sc_continuity *continuity, sc_star_id end, uint32_t max_hops)
{
    if (end == SC_NONE) return true;
    const sc_star *stars = sc_map_stars(continuity->map);
    const sc_seg_id *listed = sc_map_star_segments(continuity->map);
    size_t count = 0;
    const sc_star_id *found = sc_ball_walk(continuity->ball, end, max_hops, &count);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = stars[found[i]].first_segment; j < stars[found[i] + 1].first_segment;
             j++) {
            if (continuity->is_target[listed[j]]) continue;
            if (!sc_grow(&continuity->targets, continuity->target_count,
                         &continuity->target_capacity, sizeof *continuity->targets)) {
                return false;
            }
            continuity->is_target[listed[j]] = true;
            continuity->targets[continuity->target_count++] = listed[j];
        }
    }
    return true;
}

static void forget_targets(sc_continuity *continuity)
{
    for (size_t i = 0; i < continuity->target_count; i++) {
        continuity->is_target[continuity->targets[i]] = false;
        continuity->targets[i] = 0;
    }
    continuity->target_count = 0;
    if (continuity->found.items) {
        explicit_bzero(continuity->found.items,
                       continuity->found.capacity * sizeof *continuity->found.items);
    }
    continuity->found.count = 0;
}

static int by_number(const void *a, const void *b)
{
    const sc_seg_id left = *(const sc_seg_id *)a;
    const sc_seg_id right = *(const sc_seg_id *)b;
    return left < right ? -1 : left > right;
}

/** All that the user of `entry` can have reached by the time `asked`, of the targets: `found`. */
static sc_err find_reached(sc_continuity *continuity, const last_cloak *entry, sc_time asked,
                           const sc_seg_id *targets, size_t target_count)
{
    return sc__road_reach_find(&continuity->reach, entry->spans, entry->count,
                               distance_in(continuity, asked - entry->asked), targets, target_count,
                               &continuity->found);
}

/** The part of a segment that the spans from `*next` on cover, and how many they are. */
static uint16_t part_of(const sc_continuity *continuity, const sc__road_spans *found, size_t *next)
{
    const sc_seg_id segment = found->items[*next].segment;
    const uint64_t length = sc_map_segments(continuity->map)[segment].length;
    uint64_t covered = 0;
    for (; *next < found->count && found->items[*next].segment == segment; (*next)++) {
        covered += found->items[*next].to - found->items[*next].from;
    }
    if (length == 0) return SC_REACHED_WHOLE;
    return (uint16_t)(covered * SC_REACHED_WHOLE / length);
}

/** Make the query's block of what was found. */
static waiting_query *new_query(sc_continuity *continuity)
{
    const sc__road_spans *found = &continuity->found;
    size_t span_count = 0;
    size_t reached_count = 0;
    for (size_t next = 0; next < found->count;) {
        const size_t first = next;
        const uint16_t part = part_of(continuity, found, &next);
        if (part != SC_REACHED_WHOLE) span_count += next - first;
        reached_count += part > 0;
    }
    waiting_query *query = sc_malloc(sizeof *query + span_count * sizeof *query->spans +
                                     reached_count * sizeof *query->reached);
    if (!query) return NULL;
    *query = (waiting_query){.spans = (sc__road_span *)(query + 1)};
    query->reached = (sc_reached *)(query->spans + span_count);
    for (size_t next = 0; next < found->count;) {
        const size_t first = next;
        const uint16_t part = part_of(continuity, found, &next);
        for (size_t i = first; i < next && part != SC_REACHED_WHOLE; i++) {
            query->spans[query->span_count++] = found->items[i];
        }
        if (part > 0) {
            query->reached[query->reached_count++] =
                (sc_reached){.segment = found->items[first].segment, .part = part};
        }
    }
    continuity->stats.bytes += bytes_of_query(query);
    return query;
}

/** Find what is reached of the roads around the query, if its user has a cloak that counts. */
static sc_err look_around(sc_continuity *continuity, const sc_query *query, const last_cloak *entry,
                          sc_time asked)
{
    const sc_segment *segment = &sc_map_segments(continuity->map)[query->segment];
    if (!add_targets(continuity, segment->star_a, query->max_hops) ||
        (segment->star_b != segment->star_a &&
         !add_targets(continuity, segment->star_b, query->max_hops))) {
        return SC_ENOMEM;
    }
    qsort(continuity->targets, continuity->target_count, sizeof *continuity->targets, by_number);
    return find_reached(continuity, entry, asked, continuity->targets, continuity->target_count);
}

sc_err sc_continuity_ask(sc_continuity *continuity, const sc_query *query, sc_time asked,
                         sc_own_demands *own)
{
    if (query->segment >= sc_map_segment_count(continuity->map)) return SC_EUNKNOWN;
    if (queries_find(&continuity->queries, &query->id)) return SC_EDUPLICATE;
    if (!queries_reserve(&continuity->queries, continuity->queries.count + 1)) return SC_ENOMEM;
    cloak_slot *slot = entries_find(&continuity->entries, query->user);
    const last_cloak *entry = slot ? slot->cloak : NULL;
    if (entry && counts_until(continuity, entry->asked) < asked) entry = NULL;

    const sc_err err = entry ? look_around(continuity, query, entry, asked) : SC_OK;
    waiting_query *added = err ? NULL : new_query(continuity);
    forget_targets(continuity);
    if (!added) return SC_ENOMEM;

    added->id = query->id;
    added->user = query->user;
    added->asked = asked;
    added->since = entry ? entry->asked : 0;
    added->has_reached = entry != NULL;
    queries_put(&continuity->queries, &query->id, (query_slot){added});
    continuity->stats.asked++;
    continuity->stats.linked += added->has_reached;
    own->reached = added->reached;
    own->reached_count = added->reached_count;
    own->has_reached = added->has_reached;
    return SC_OK;
}

sc_time sc_continuity_counts_until(const sc_continuity *continuity, const sc_query_id *id)
{
    const query_slot *slot = queries_find(&continuity->queries, id);
    return slot && slot->query->has_reached ? counts_until(continuity, slot->query->since) : 0;
}

// --- Cloaks ------------------------------------------------------------------

/** Add what a query has reached of one segment to `found`; `at` and `next` go along with them. */
static bool add_reached(sc_continuity *continuity, const waiting_query *query, sc_seg_id segment,
                        size_t *at, size_t *next)
{
    sc__road_spans *found = &continuity->found;
    while (*at < query->reached_count && query->reached[*at].segment < segment) {
        (*at)++;
    }
    const bool is_whole = !query->has_reached ||
                          (*at < query->reached_count && query->reached[*at].segment == segment &&
                           query->reached[*at].part == SC_REACHED_WHOLE);
    if (is_whole) {
        if (!sc_grow(&found->items, found->count, &found->capacity, sizeof *found->items)) {
            return false;
        }
        found->items[found->count++] =
            (sc__road_span){segment, 0, sc_map_segments(continuity->map)[segment].length};
        return true;
    }
    while (*next < query->span_count && query->spans[*next].segment < segment) {
        (*next)++;
    }
    for (; *next < query->span_count && query->spans[*next].segment == segment; (*next)++) {
        if (!sc_grow(&found->items, found->count, &found->capacity, sizeof *found->items)) {
            return false;
        }
        found->items[found->count++] = query->spans[*next];
    }
    return true;
}

/** The places of the query's user on its cloak: `found`. */
static sc_err find_places(sc_continuity *continuity, const waiting_query *query,
                          const sc_seg_id *segments, size_t segment_count)
{
    // Another query of this user, asked before this one, may have got its cloak meanwhile.
    cloak_slot *slot = entries_find(&continuity->entries, query->user);
    const last_cloak *entry = slot ? slot->cloak : NULL;
    const bool is_newer = entry && entry->asked < query->asked &&
                          (!query->has_reached || entry->asked > query->since) &&
                          counts_until(continuity, entry->asked) >= query->asked;
    if (is_newer) return find_reached(continuity, entry, query->asked, segments, segment_count);
    size_t at = 0;
    size_t next = 0;
    for (size_t i = 0; i < segment_count; i++) {
        if (!add_reached(continuity, query, segments[i], &at, &next)) return SC_ENOMEM;
    }
    return SC_OK;
}

/** The same, or all of the cloak where there are none. */
static sc_err find_last_cloak(sc_continuity *continuity, const waiting_query *query,
                              const sc_seg_id *segments, size_t segment_count, last_cloak **out)
{
    const sc_err err = find_places(continuity, query, segments, segment_count);
    if (err) return err;
    const sc__road_spans *found = &continuity->found;
    const bool is_all = found->count == 0;
    const size_t count = is_all ? segment_count : found->count;
    last_cloak *cloak = sc_malloc(bytes_of_cloak(count));
    if (!cloak) return SC_ENOMEM;
    *cloak = (last_cloak){.user = query->user, .asked = query->asked, .count = count};
    for (size_t i = 0; i < count; i++) {
        cloak->spans[i] =
            is_all ? (sc__road_span){segments[i], 0,
                                     sc_map_segments(continuity->map)[segments[i]].length}
                   : found->items[i];
    }
    continuity->stats.bytes += bytes_of_cloak(count);
    *out = cloak;
    return SC_OK;
}

sc_err sc_continuity_propose(sc_continuity *continuity, const sc_query_id *id,
                             const sc_seg_id *segments, size_t segment_count)
{
    query_slot *slot = queries_find(&continuity->queries, id);
    if (!slot) return SC_EUNKNOWN;
    for (size_t i = 0; i < segment_count; i++) {
        if (segments[i] >= sc_map_segment_count(continuity->map)) return SC_EUNKNOWN;
    }
    // Members of one cloak are all proposed before the first is accepted.
    const size_t room = continuity->entries.count + continuity->queries.count;
    if (!entries_reserve(&continuity->entries, room) ||
        !sc_deadlines_reserve(&continuity->ages, room)) {
        return SC_ENOMEM;
    }
    last_cloak *proposed = NULL;
    const sc_err err = find_last_cloak(continuity, slot->query, segments, segment_count, &proposed);
    forget_targets(continuity);
    if (err) return err;
    free_cloak(continuity, slot->query->proposed);
    slot->query->proposed = proposed;
    return SC_OK;
}

static void enter(sc_continuity *continuity, last_cloak *cloak)
{
    cloak_slot *slot = entries_find(&continuity->entries, cloak->user);
    if (slot && slot->cloak->asked > cloak->asked) {
        free_cloak(continuity, cloak);
        return;
    }
    if (slot) {
        remove_entry(continuity, slot->cloak);
    } else if (continuity->ages.count >= continuity->options.max_users) {
        remove_entry(continuity, sc_deadlines_first(&continuity->ages));
        continuity->stats.crowded_out++;
    }
    entries_put(&continuity->entries, cloak->user, (cloak_slot){cloak});
    sc_deadlines_add(&continuity->ages, cloak->asked, cloak, &cloak->place);
}

void sc_continuity_accept(sc_continuity *continuity, const sc_query_id *id)
{
    query_slot *slot = queries_find(&continuity->queries, id);
    if (!slot) return;
    waiting_query *query = slot->query;
    queries_remove(&continuity->queries, slot);
    last_cloak *cloak = query->proposed;
    query->proposed = NULL;
    if (cloak) enter(continuity, cloak);
    free_query(continuity, query);
}

void sc_continuity_end(sc_continuity *continuity, const sc_query_id *id)
{
    query_slot *slot = queries_find(&continuity->queries, id);
    if (!slot) return;
    waiting_query *query = slot->query;
    queries_remove(&continuity->queries, slot);
    free_query(continuity, query);
}

const sc__road_span *sc__continuity_places(const sc_continuity *continuity, uint64_t user,
                                           size_t *count)
{
    cloak_slot *slot = entries_find(&continuity->entries, user);
    if (!slot) return NULL;
    *count = slot->cloak->count;
    return slot->cloak->spans;
}

sc_continuity_stats sc_continuity_get_stats(const sc_continuity *continuity)
{
    sc_continuity_stats stats = continuity->stats;
    stats.users = continuity->ages.count;
    stats.waiting = continuity->queries.count;
    return stats;
}
