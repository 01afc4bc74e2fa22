// When a new placement is made. See placing.h; pack.c says what it is.
//
// Of a look, in this order:
//  1. No worker is there: nothing is decided. Whoever comes back finds its parts as they were.
//  2. Somebody goes by a placement that is newer than any we have heard: it may be under way, and
//     is waited for. If it does not come (we have just started, or it was lost), whoever serves a
//     part has it, and we tell that anew.
//  3. Parts are without a living worker: they are placed at once if there is a worker that was here
//     before. If all have just come, the first of them is not given everything: one beat is waited
//     for the others.
//  4. Workers have come and are waited for no longer: parts move to them.
//  5. It was uneven for too long: parts move.
//
// A worker is one who has *come* as long as it has no part and no packing was made with it in view.
// So a leader that has just begun to lead knows those whom its predecessor had no time for.
#include "cluster/placement.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

// --- Placements -------------------------------------------------------------------------------

sc_placement *sc_placement_new(uint32_t parts)
{
    if (parts > SC_PARTITION_PARTS_MAX) return NULL;
    sc_placement *placement = sc_calloc(1, sizeof *placement + parts * sizeof *placement->owners);
    if (!placement) return NULL;
    placement->parts = parts;
    placement->owners = (sc_peer *)(void *)(placement + 1);
    return placement;
}

sc_placement *sc_placement_clone(const sc_placement *placement)
{
    sc_placement *clone = sc_placement_new(placement->parts);
    if (!clone) return NULL;
    clone->epoch = placement->epoch;
    clone->leader = placement->leader;
    clone->cut = placement->cut;
    memcpy(clone->owners, placement->owners, placement->parts * sizeof *clone->owners);
    return clone;
}

void sc_placement_free(sc_placement *placement)
{
    sc_free(placement);
}

bool sc_placement_is_newer(const sc_placement *a, const sc_placement *b)
{
    if (!b) return true;
    return a->epoch != b->epoch ? a->epoch > b->epoch : a->leader > b->leader;
}

// --- Deciding
// -------------------------------------------------------------------------------------

struct sc_placing {
    sc_placing_options options;
    sc_placement *now;  ///< NULL: none yet
    sc_peer *seen;      ///< workers that the last evening out had in view, ascending
    size_t seen_count;
    sc_time behind;  ///< since when we are, by what others go by; SC_TIME_NEVER: we are not
    sc_time came;    ///< when the first was noticed of those who have come; SC_TIME_NEVER: none
    sc_time uneven;  ///< since when it is; SC_TIME_NEVER: it is not
    sc_placing_stats stats;
};

/** Beats that a placement is waited for of which only the number is known. */
enum { BEATS_BEHIND = 2 };

/** What is seen at one look. */
typedef struct look {
    uint64_t epoch;   ///< the newest that anybody goes by
    bool is_behind;   ///< it is not ours
    sc_peer *owners;  ///< who has which part now
    double *loads;
    sc_pack_worker *workers;  ///< ascending: those who stay, or, if there are none, those who leave
    size_t worker_count;
    bool is_staying;  ///< the former
    size_t come;      ///< of them, those who have come
    size_t orphans;   ///< parts without any of them
} look;

sc_err sc_placing_new(const sc_placing_options *options, sc_placing **out)
{
    sc_placing *placing = sc_calloc(1, sizeof *placing);
    if (!placing) return SC_ENOMEM;
    placing->options = *options;
    placing->behind = SC_TIME_NEVER;
    placing->came = SC_TIME_NEVER;
    placing->uneven = SC_TIME_NEVER;
    placing->stats.imbalance = 1.0;
    *out = placing;
    return SC_OK;
}

void sc_placing_free(sc_placing *placing)
{
    if (!placing) return;
    sc_placement_free(placing->now);
    sc_free(placing->seen);
    sc_free(placing);
}

static void go_by(sc_placing *placing, sc_placement *placement)
{
    sc_placement_free(placing->now);
    placing->now = placement;
    placing->uneven = SC_TIME_NEVER;
}

bool sc_placing_hear(sc_placing *placing, sc_placement *placement)
{
    const bool counts = placement->cut == placing->options.cut &&
                        placement->parts == placing->options.parts &&
                        sc_placement_is_newer(placement, placing->now);
    if (counts) {
        go_by(placing, placement);
    } else {
        sc_placement_free(placement);
    }
    return counts;
}

const sc_placement *sc_placing_now(const sc_placing *placing)
{
    return placing->now;
}

sc_placing_stats sc_placing_stats_of(const sc_placing *placing)
{
    return placing->stats;
}

// --- Looking -------------------------------------------------------------------------------------

static void look_fini(look *l)
{
    sc_free(l->owners);
    sc_free(l->loads);
    sc_free(l->workers);
}

static void gather_workers(look *l, const sc_roster *roster, bool is_leaving)
{
    l->worker_count = 0;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_beat *beat = sc_roster_at(roster, i)->beat;
        if (!beat->is_worker || beat->is_leaving != is_leaving) continue;
        l->workers[l->worker_count++] =
            (sc_pack_worker){.peer = beat->peer, .threads = beat->threads};
    }
}

static bool is_worker(const look *l, sc_peer peer)
{
    for (size_t i = 0; i < l->worker_count; i++) {
        if (l->workers[i].peer == peer) return true;
    }
    return false;
}

static bool has_part(const look *l, uint32_t parts, sc_peer peer)
{
    for (uint32_t p = 0; p < parts; p++) {
        if (l->owners[p] == peer) return true;
    }
    return false;
}

static bool was_seen(const sc_placing *placing, sc_peer peer)
{
    for (size_t i = 0; i < placing->seen_count; i++) {
        if (placing->seen[i] == peer) return true;
    }
    return false;
}

static void count_news(look *l, const sc_placing *placing)
{
    const uint32_t parts = placing->options.parts;
    for (size_t i = 0; i < l->worker_count; i++) {
        const sc_peer peer = l->workers[i].peer;
        l->come += !has_part(l, parts, peer) && !was_seen(placing, peer);
    }
    for (uint32_t p = 0; p < parts; p++) {
        l->orphans += !is_worker(l, l->owners[p]);
    }
}

/** Who has which part: by the placement that counts, or, if there is a newer one that we do not
 * know, by what the workers say. */
static void find_owners(look *l, const sc_placing *placing, const sc_roster *roster)
{
    const sc_placement *counts = placing->now;
    l->epoch = counts ? counts->epoch : 0;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_beat *beat = sc_roster_at(roster, i)->beat;
        if (beat->epoch <= l->epoch) continue;
        l->epoch = beat->epoch;
        l->is_behind = true;
    }
    if (!l->is_behind) {
        if (counts) memcpy(l->owners, counts->owners, counts->parts * sizeof *l->owners);
        return;
    }
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_beat *beat = sc_roster_at(roster, i)->beat;
        for (size_t j = 0; j < beat->part_count; j++) {
            const uint32_t part = beat->parts[j].part;
            if (part < placing->options.parts) l->owners[part] = beat->peer;
        }
    }
}

/** False if memory is out. */
static bool look_init(look *l, const sc_placing *placing, const sc_roster *roster)
{
    const uint32_t parts = placing->options.parts;
    *l = (look){0};
    l->owners = sc_calloc(parts, sizeof *l->owners);
    l->loads = sc_malloc_array(parts, sizeof *l->loads);
    l->workers = sc_malloc_array(sc_roster_count(roster), sizeof *l->workers);
    if (!l->owners || !l->loads || !l->workers) {
        look_fini(l);
        return false;
    }
    find_owners(l, placing, roster);
    for (uint32_t p = 0; p < parts; p++) {
        l->loads[p] = sc_roster_part_load(roster, p);
    }
    gather_workers(l, roster, false);
    l->is_staying = l->worker_count > 0;
    if (!l->is_staying) gather_workers(l, roster, true);
    count_news(l, placing);
    return true;
}

// --- Deciding ------------------------------------------------------------------------------------

/** Who is gone is forgotten: if it comes back, it is as welcome as one who was never there. */
static void forget_gone(sc_placing *placing, const look *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < placing->seen_count; i++) {
        if (is_worker(l, placing->seen[i])) placing->seen[kept++] = placing->seen[i];
    }
    placing->seen_count = kept;
}

/** Remember who was in view. False if memory is out. */
static bool remember(sc_placing *placing, const look *l)
{
    sc_peer *seen = sc_malloc_array(l->worker_count, sizeof *seen);
    if (!seen) return false;
    for (size_t i = 0; i < l->worker_count; i++) {
        seen[i] = l->workers[i].peer;
    }
    sc_free(placing->seen);
    placing->seen = seen;
    placing->seen_count = l->worker_count;
    placing->came = SC_TIME_NEVER;
    return true;
}

/** Pack; returns whether there is a new placement. */
static bool pack(sc_placing *placing, const look *l, bool balance)
{
    sc_placement *next = sc_placement_new(placing->options.parts);
    if (!next) return false;
    next->epoch = l->epoch + 1;
    next->leader = placing->options.self;
    next->cut = placing->options.cut;
    memcpy(next->owners, l->owners, next->parts * sizeof *next->owners);
    const size_t moved =
        sc_pack(l->loads, next->parts, next->owners, l->workers, l->worker_count, balance);
    if (moved == SIZE_MAX || (balance && !remember(placing, l)) || (moved == 0 && !l->is_behind)) {
        sc_placement_free(next);
        return false;
    }
    go_by(placing, next);
    placing->stats.placements++;
    placing->stats.moved += moved;
    return true;
}

/** Since when something is so, given that it is or is not now. */
static void note(sc_time *since, bool is_so, sc_time now)
{
    if (!is_so) {
        *since = SC_TIME_NEVER;
    } else if (*since == SC_TIME_NEVER) {
        *since = now;
    }
}

/** How uneven it is, and since when. */
static void measure(sc_placing *placing, const look *l, sc_time now)
{
    const double imbalance =
        sc_pack_imbalance(l->loads, placing->options.parts, l->owners, l->workers, l->worker_count);
    if (isnan(imbalance)) return;  // memory is out: the next look will tell
    placing->stats.imbalance = imbalance;
    note(&placing->uneven, imbalance > placing->options.uneven, now);
}

static bool has_lasted(sc_time since, sc_time how_long, sc_time now)
{
    return since != SC_TIME_NEVER && now - since >= how_long;
}

static bool decide(sc_placing *placing, const look *l, sc_time now)
{
    const sc_time beat_us = placing->options.beat_us;
    if (l->worker_count == 0) return false;
    note(&placing->behind, l->is_behind, now);
    note(&placing->came, l->come > 0, now);
    if (l->is_behind) {
        return has_lasted(placing->behind, BEATS_BEHIND * beat_us, now) &&
               pack(placing, l, l->is_staying && l->come > 0);
    }
    const bool waits = l->come > 0 && !has_lasted(placing->came, beat_us, now);
    if (l->orphans > 0 && !(waits && l->come == l->worker_count)) {
        return pack(placing, l, l->is_staying && l->come > 0);
    }
    // Who leaves is given what is nobody's, for as long as it is there, and nothing more.
    if (!l->is_staying) return false;
    if (l->come > 0) return !waits && pack(placing, l, true);
    if (!has_lasted(placing->uneven, placing->options.patience_us, now)) return false;
    // From here on it must be uneven for as long again, also if nothing can be done about it.
    placing->uneven = now;
    return pack(placing, l, true);
}

bool sc_placing_decide(sc_placing *placing, const sc_roster *roster, sc_time now)
{
    look l;
    if (!look_init(&l, placing, roster)) return false;
    measure(placing, &l, now);
    forget_gone(placing, &l);
    const bool is_new = decide(placing, &l, now);
    look_fini(&l);
    return is_new;
}
