// All engine rooms of a process. See crew.h.
//
// Which room has which part is read by whoever brings a word, without a lock: an atomic number per
// part. A part is in that table only while its room knows of it: it is put there after the room was
// told, and taken out before. So a query that is handed to the room of its home is never lost there
// for want of an engine, unless the part goes at that moment.
#include "worker/engine_pool.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "engine/options.h"
#include "worker/engine_thread.h"
#include "worker/parts.h"

#include <string.h>

/** More rooms than any machine has cores. */
enum { ROOMS_MAX = 4096 };

/** "In no room". */
#define NOWHERE UINT16_MAX

struct sc_crew {
    const sc_map *map;
    const sc_partition *cut;
    uint32_t part_count;
    size_t room_count;
    sc__room **rooms;
    _Atomic uint16_t *room_of;  ///< by part
    atomic_ullong lost;
    atomic_ullong misdirected;
    pthread_mutex_t switching;  ///< so that all rooms get the same variant
};

// --- Life ----------------------------------------------------------------------------------

static sc_err check_options(const sc_map *map, const sc_crew_options *options, sc_diag *diag)
{
    if (!options->cut || sc_partition_map(options->cut) != map) {
        return sc_fail(diag, SC_EINVAL, "engines: the cut is of another map");
    }
    if (options->rooms < 1 || options->rooms > ROOMS_MAX) {
        return sc_fail(diag, SC_EINVAL, "engines: threads must be 1 to %d", ROOMS_MAX);
    }
    if (options->is_in_place && (options->rooms > 1 || options->prune_threads > 0)) {
        return sc_fail(diag, SC_EINVAL, "engines: in place there is one thread, the caller's");
    }
    if (options->max_queries < 1 || options->max_queries > UINT32_MAX) {
        return sc_fail(diag, SC_EINVAL, "engines: queries at once must be 1 to 2^32-1");
    }
    if (options->patience_us < 1) {
        return sc_fail(diag, SC_EINVAL, "engines: patience must be above 0");
    }
    return sc__options_check(&options->engine, diag);
}

static sc_err make_rooms(sc_crew *crew, const sc_crew_options *options, sc_rng *rng, sc_diag *diag)
{
    crew->rooms = sc_calloc(options->rooms, sizeof(sc__room *));
    crew->room_of = sc_malloc_array(crew->part_count, sizeof *crew->room_of);
    if (!crew->rooms || !crew->room_of) return sc_fail_memory(diag, "making room for engines");
    for (uint32_t i = 0; i < crew->part_count; i++) {
        atomic_init(&crew->room_of[i], NOWHERE);
    }
    sc_err err = SC_OK;
    while (!err && crew->room_count < options->rooms) {
        const uint32_t number = (uint32_t)crew->room_count;
        err = sc__room_new(crew->map, options, number, rng, &crew->rooms[number], diag);
        if (!err) crew->room_count++;
    }
    return err;
}

sc_err sc_crew_new(const sc_map *map, const sc_crew_options *options, sc_rng *rng, sc_crew **out,
                   sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_crew *crew = sc_calloc(1, sizeof *crew);
    if (!crew) return sc_fail_memory(diag, "making room for engines");
    pthread_mutex_init(&crew->switching, NULL);
    crew->map = map;
    crew->cut = options->cut;
    crew->part_count = sc_partition_part_count(options->cut);
    err = make_rooms(crew, options, rng, diag);
    if (err) {
        sc_crew_free(crew);
        return err;
    }
    *out = crew;
    return SC_OK;
}

sc_err sc_crew_start(sc_crew *crew)
{
    for (size_t i = 0; i < crew->room_count; i++) {
        const sc_err err = sc__room_start(crew->rooms[i]);
        if (err) {
            sc_crew_end(crew);
            return err;
        }
    }
    return SC_OK;
}

void sc_crew_end(sc_crew *crew)
{
    for (size_t i = 0; i < crew->room_count; i++) {
        sc__room_end(crew->rooms[i]);
    }
}

void sc_crew_free(sc_crew *crew)
{
    if (!crew) return;
    for (size_t i = 0; i < crew->room_count; i++) {
        sc__room_free(crew->rooms[i]);
    }
    sc_free(crew->rooms);
    sc_free((void *)crew->room_of);
    pthread_mutex_destroy(&crew->switching);
    sc_free(crew);
}

// --- Words ---------------------------------------------------------------------------------

/** What the word owns is the room's then, or freed. */
static void tell(sc_crew *crew, size_t room, sc_word *word)
{
    if (sc__room_hear(crew->rooms[room], word)) {
        explicit_bzero(word, sizeof *word);
    } else {
        atomic_fetch_add(&crew->lost, 1);
    }
}

/** A word about a query owns nothing: each room can have a copy. */
static void tell_all(sc_crew *crew, const sc_word *word)
{
    for (size_t i = 0; i < crew->room_count; i++) {
        sc_word copy = *word;
        tell(crew, i, &copy);
        explicit_bzero(&copy, sizeof copy);
    }
}

static void hear_of_query(sc_crew *crew, sc_word *word)
{
    const sc_query *query = &word->query;
    // Whoever speaks may have another map than we.
    const bool is_known = query->segment < sc_map_segment_count(crew->map);
    const uint32_t home = is_known ? sc_partition_home(crew->cut, query->segment) : 0;
    const uint16_t room = is_known ? atomic_load(&crew->room_of[home]) : NOWHERE;
    if (room == NOWHERE && word->kind == SC_WORD_ADD) atomic_fetch_add(&crew->misdirected, 1);
    if (!is_known) return;
    if (sc_partition_is_near(crew->cut, query->segment, query->max_hops)) {
        tell_all(crew, word);
    } else if (room != NOWHERE) {
        tell(crew, room, word);
    }
}

void sc_crew_hear(sc_crew *crew, sc_word *word)
{
    switch (word->kind) {
    case SC_WORD_ADD:
    case SC_WORD_COMPANY:
    case SC_WORD_REMOVE:
        hear_of_query(crew, word);
        break;
    case SC_WORD_OK:
    case SC_WORD_NO:
    case SC_WORD_PUBLISHED:
    case SC_WORD_DEAD:
        if (word->room < crew->room_count) tell(crew, word->room, word);
        break;
    default:
        break;
    }
    sc_word_fini(word);
}

bool sc_crew_is_behind(sc_crew *crew)
{
    for (size_t i = 0; i < crew->room_count; i++) {
        if (sc__room_is_behind(crew->rooms[i])) return true;
    }
    return false;
}

void sc_crew_prefetch(const sc_crew *crew, const sc_query *query)
{
    sc__room_prefetch(crew->rooms[0], query);
}

// --- Parts ---------------------------------------------------------------------------------

static size_t emptiest(const size_t *counts, size_t rooms)
{
    size_t best = 0;
    for (size_t i = 1; i < rooms; i++) {
        if (counts[i] < counts[best]) best = i;
    }
    return best;
}

/** Where each part shall be: those that stay where they are, the others wherever there are fewest.
 * False: there is no such part, or it is named twice. */
static bool plan(const sc_crew *crew, const uint16_t *parts, size_t count, uint16_t *room_of,
                 size_t *counts)
{
    for (uint32_t i = 0; i < crew->part_count; i++) {
        room_of[i] = NOWHERE;
    }
    for (size_t i = 0; i < count; i++) {
        if (parts[i] >= crew->part_count || room_of[parts[i]] != NOWHERE) return false;
        // Named, and in some room: which one is seen to below.
        room_of[parts[i]] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        const uint16_t room = atomic_load(&crew->room_of[parts[i]]);
        if (room == NOWHERE) continue;
        room_of[parts[i]] = room;
        counts[room]++;
    }
    for (size_t i = 0; i < count; i++) {
        if (atomic_load(&crew->room_of[parts[i]]) != NOWHERE) continue;
        const size_t room = emptiest(counts, crew->room_count);
        room_of[parts[i]] = (uint16_t)room;
        counts[room]++;
    }
    return true;
}

/** The parts of one room; returns how many. */
static size_t list(const sc_crew *crew, const uint16_t *room_of, size_t room, uint16_t *parts)
{
    size_t count = 0;
    for (uint32_t i = 0; i < crew->part_count; i++) {
        if (room_of[i] == room) parts[count++] = (uint16_t)i;
    }
    return count;
}

static void carry_out(sc_crew *crew, const uint16_t *room_of, uint16_t *parts)
{
    for (uint32_t i = 0; i < crew->part_count; i++) {
        if (room_of[i] == NOWHERE) atomic_store(&crew->room_of[i], NOWHERE);
    }
    for (size_t i = 0; i < crew->room_count; i++) {
        sc__room_set_parts(crew->rooms[i], parts, list(crew, room_of, i, parts));
    }
    for (uint32_t i = 0; i < crew->part_count; i++) {
        atomic_store(&crew->room_of[i], room_of[i]);
    }
}

sc_err sc_crew_set_parts(sc_crew *crew, const uint16_t *parts, size_t count)
{
    uint16_t *room_of = sc_malloc_array(crew->part_count, sizeof *room_of);
    uint16_t *of_room = sc_malloc_array(crew->part_count, sizeof *of_room);
    size_t *counts = sc_calloc(crew->room_count, sizeof *counts);
    sc_err err = SC_ENOMEM;
    if (room_of && of_room && counts) {
        err = plan(crew, parts, count, room_of, counts) ? SC_OK : SC_EINVAL;
    }
    if (!err) carry_out(crew, room_of, of_room);
    sc_free(room_of);
    sc_free(of_room);
    sc_free(counts);
    return err;
}

// --- All rooms -----------------------------------------------------------------------------

sc_err sc_crew_switch(sc_crew *crew, sc_variant variant)
{
    sc_err err = SC_OK;
    pthread_mutex_lock(&crew->switching);
    // They are of one kind: what the first refuses, all do.
    for (size_t i = 0; !err && i < crew->room_count; i++) {
        err = sc__room_switch(crew->rooms[i], variant);
    }
    pthread_mutex_unlock(&crew->switching);
    return err;
}

sc_variant sc_crew_variant(const sc_crew *crew)
{
    return sc__room_variant(crew->rooms[0]);
}

sc_crew_stats sc_crew_stats_of(sc_crew *crew, sc_part_load *loads)
{
    sc_crew_stats stats = {
        .lost = atomic_load(&crew->lost),
        .misdirected = atomic_load(&crew->misdirected),
    };
    if (loads) memset(loads, 0, crew->part_count * sizeof *loads);
    for (size_t i = 0; i < crew->room_count; i++) {
        sc__room_add_stats(crew->rooms[i], &stats, loads);
    }
    return stats;
}

sc_time sc_crew_round(sc_crew *crew, sc_time now)
{
    sc_time wake = SC_TIME_NEVER;
    for (size_t i = 0; i < crew->room_count; i++) {
        const sc_time one = sc__room_round(crew->rooms[i], now);
        if (one < wake) wake = one;
    }
    return wake;
}
