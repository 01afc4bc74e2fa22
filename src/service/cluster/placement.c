// Placements, and when a new one is made; placement_pack.c has how parts are packed.
//
// Of a look, in this order:
//  1. No worker is there: nothing is decided. A worker that comes back finds the parts it had.
//  2. A gateway uses a placement that is newer than any received here: it may be under way, and is
//     waited for. If it does not come (this gateway has just started, or it was lost), parts are
//     placed as if it had never been made, by one that is newer still.
//  3. Parts are without a living worker: they are placed at once if there is a worker that was here
//     before. If all have just come, the first of them is not given everything: one heartbeat is
//     waited for the others.
//  4. Workers have come and are waited for no longer: parts move to them.
//  5. Load was uneven for too long: parts move.
//
// A worker has *come* as long as it has no part and no packing took it into account. So a leader
// that has just begun to lead finds those that its predecessor had no time for.
#include "cluster/placement.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

// --- Placements --------------------------------------------------------------------------------

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
    clone->partition = placement->partition;
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

// --- The placer --------------------------------------------------------------------------------

/** A worker that does not serve all of its parts, or did not. */
typedef struct slow_worker {
    sc_peer peer;
    size_t served;   ///< of its parts, at the last look
    sc_time since;   ///< when it last served one more, or had none to serve
    sc_time until;   ///< it is passed over until then; 0: it is not
    sc_time paused;  ///< for how long it was, the last time; 0: never
} slow_worker;

/** So many are watched at a time; more are trusted. */
enum { SLOW_MAX = 256 };

/** For how long a worker is passed over: at first so many times what it has to serve a part, and
 * twice as long each time that it fails again. */
enum { PAUSES_AT_FIRST = 12 };
static const sc_time paused_at_most_us = INT64_C(3600) * 1000000;

struct sc_placer {
    sc_placer_options options;
    sc_placement *now;  ///< NULL: none yet
    sc_peer *seen;      ///< workers that the last evening out had in view, ascending
    size_t seen_count;
    sc_time behind;  ///< since when we are, by what others go by; SC_TIME_NEVER: we are not
    sc_time came;    ///< when the first worker that has come was noticed; SC_TIME_NEVER: none
    sc_time uneven;  ///< since when it is; SC_TIME_NEVER: it is not
    sc_placer_stats stats;
    slow_worker slow[SLOW_MAX];
    size_t slow_count;
};

/** Heartbeats for which a placement is waited for of which only the number is known. */
enum { HEARTBEATS_BEHIND = 2 };

/** What is seen at one look. */
typedef struct look {
    uint64_t epoch;   ///< the newest that any process uses
    bool is_behind;   ///< it is not ours
    sc_peer *owners;  ///< of the parts now
    double *loads;
    sc_placement_worker
        *workers;  ///< ascending: those that stay, or, if there are none, those that leave
    size_t worker_count;
    bool is_staying;  ///< the former
    size_t come;      ///< of them, those that have come
    size_t orphans;   ///< parts without any of them
} look;

sc_err sc_placer_new(const sc_placer_options *options, sc_placer **out)
{
    sc_placer *placer = sc_calloc(1, sizeof *placer);
    if (!placer) return SC_ENOMEM;
    placer->options = *options;
    placer->behind = SC_TIME_NEVER;
    placer->came = SC_TIME_NEVER;
    placer->uneven = SC_TIME_NEVER;
    placer->stats.imbalance = 1.0;
    *out = placer;
    return SC_OK;
}

void sc_placer_free(sc_placer *placer)
{
    if (!placer) return;
    sc_placement_free(placer->now);
    sc_free(placer->seen);
    sc_free(placer);
}

static void go_by(sc_placer *placer, sc_placement *placement)
{
    sc_placement_free(placer->now);
    placer->now = placement;
    placer->uneven = SC_TIME_NEVER;
}

bool sc_placer_receive(sc_placer *placer, sc_placement *placement)
{
    const bool counts = placement->partition == placer->options.partition &&
                        placement->parts == placer->options.parts &&
                        sc_placement_is_newer(placement, placer->now);
    if (counts) {
        go_by(placer, placement);
    } else {
        sc_placement_free(placement);
    }
    return counts;
}

const sc_placement *sc_placer_current(const sc_placer *placer)
{
    return placer->now;
}

sc_placer_stats sc_placer_stats_of(const sc_placer *placer)
{
    return placer->stats;
}

// --- Workers that do not serve -----------------------------------------------------------------

static slow_worker *find_slow(sc_placer *placer, sc_peer peer)
{
    for (size_t i = 0; i < placer->slow_count; i++) {
        if (placer->slow[i].peer == peer) return &placer->slow[i];
    }
    return NULL;
}

static bool is_passed_over(const sc_placer *placer, sc_peer peer, sc_time now)
{
    for (size_t i = 0; i < placer->slow_count; i++) {
        if (placer->slow[i].peer == peer) return now < placer->slow[i].until;
    }
    return false;
}

/** How many parts the worker has by the placement; and of them, how many it lists. */
static size_t count_parts(const sc_placement *placement, const sc_heartbeat *heartbeat,
                          size_t *served)
{
    size_t owned = 0;
    *served = 0;
    for (uint32_t p = 0; placement && p < placement->parts; p++) {
        owned += placement->owners[p] == heartbeat->peer;
    }
    for (size_t i = 0; placement && i < heartbeat->part_count; i++) {
        const uint32_t part = heartbeat->parts[i].part;
        *served += part < placement->parts && placement->owners[part] == heartbeat->peer;
    }
    return owned;
}

static void pass_over(sc_placer *placer, slow_worker *worker, sc_time bound_us, sc_time now)
{
    worker->paused = worker->paused > 0 ? 2 * worker->paused : PAUSES_AT_FIRST * bound_us;
    if (worker->paused > paused_at_most_us) worker->paused = paused_at_most_us;
    worker->until = now + worker->paused;
    placer->stats.passed_over++;
    placer->stats.last_passed_over = worker->peer;
}

static void watch(sc_placer *placer, const sc_heartbeat *heartbeat, sc_time now)
{
    const sc_time bound_us = SC_PLACER_HEARTBEATS_TO_SERVE * placer->options.heartbeat_us;
    size_t served = 0;
    const size_t owned = count_parts(placer->now, heartbeat, &served);
    slow_worker *worker = find_slow(placer, heartbeat->peer);
    if (owned > 0 && served == owned) {
        if (worker) *worker = placer->slow[--placer->slow_count];
        return;
    }
    if (!worker) {
        if (owned == 0 || placer->slow_count == SLOW_MAX) return;
        worker = &placer->slow[placer->slow_count++];
        *worker = (slow_worker){.peer = heartbeat->peer, .served = served, .since = now};
    }
    if (owned == 0 || served > worker->served) worker->since = now;
    worker->served = served;
    if (now >= worker->until && now - worker->since >= bound_us) {
        pass_over(placer, worker, bound_us, now);
    }
}

static void watch_all(sc_placer *placer, const sc_roster *roster, sc_time now)
{
    size_t kept = 0;
    for (size_t i = 0; i < placer->slow_count; i++) {
        if (sc_roster_find(roster, placer->slow[i].peer)) placer->slow[kept++] = placer->slow[i];
    }
    placer->slow_count = kept;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_heartbeat *heartbeat = sc_roster_at(roster, i)->heartbeat;
        if (heartbeat->is_worker && !heartbeat->is_leaving) watch(placer, heartbeat, now);
    }
}

// --- Looking -----------------------------------------------------------------------------------

static void look_fini(look *l)
{
    sc_free(l->owners);
    sc_free(l->loads);
    sc_free(l->workers);
}

/** Those that leave or those that stay; of these, those that are not passed over, or all. */
static void gather_workers(look *l, const sc_placer *placer, const sc_roster *roster,
                           bool is_leaving, bool is_all, sc_time now)
{
    l->worker_count = 0;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_heartbeat *heartbeat = sc_roster_at(roster, i)->heartbeat;
        if (!heartbeat->is_worker || heartbeat->is_leaving != is_leaving) continue;
        if (!is_all && is_passed_over(placer, heartbeat->peer, now)) continue;
        l->workers[l->worker_count++] =
            (sc_placement_worker){.peer = heartbeat->peer, .threads = heartbeat->threads};
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

static bool was_seen(const sc_placer *placer, sc_peer peer)
{
    for (size_t i = 0; i < placer->seen_count; i++) {
        if (placer->seen[i] == peer) return true;
    }
    return false;
}

static void count_news(look *l, const sc_placer *placer)
{
    const uint32_t parts = placer->options.parts;
    for (size_t i = 0; i < l->worker_count; i++) {
        const sc_peer peer = l->workers[i].peer;
        l->come += !has_part(l, parts, peer) && !was_seen(placer, peer);
    }
    for (uint32_t p = 0; p < parts; p++) {
        l->orphans += !is_worker(l, l->owners[p]);
    }
}

/** The owners of parts: by the placement that counts, also if there is a newer one that has not
 * arrived. What workers say of that is not believed: neither the parts that they serve, nor by
 * which placement. */
static void find_owners(look *l, const sc_placer *placer, const sc_roster *roster)
{
    const sc_placement *counts = placer->now;
    l->epoch = counts ? counts->epoch : 0;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_heartbeat *heartbeat = sc_roster_at(roster, i)->heartbeat;
        if (heartbeat->is_worker || heartbeat->epoch <= l->epoch) continue;
        l->epoch = heartbeat->epoch;
        l->is_behind = true;
    }
    if (counts) memcpy(l->owners, counts->owners, counts->parts * sizeof *l->owners);
}

/** False if memory is out. */
static bool look_init(look *l, const sc_placer *placer, const sc_roster *roster, sc_time now)
{
    const uint32_t parts = placer->options.parts;
    *l = (look){0};
    l->owners = sc_calloc(parts, sizeof *l->owners);
    l->loads = sc_malloc_array(parts, sizeof *l->loads);
    l->workers = sc_malloc_array(sc_roster_count(roster), sizeof *l->workers);
    if (!l->owners || !l->loads || !l->workers) {
        look_fini(l);
        return false;
    }
    find_owners(l, placer, roster);
    for (uint32_t p = 0; p < parts; p++) {
        l->loads[p] = sc_roster_part_load(roster, p);
    }
    gather_workers(l, placer, roster, false, false, now);
    if (l->worker_count == 0) gather_workers(l, placer, roster, false, true, now);
    l->is_staying = l->worker_count > 0;
    if (!l->is_staying) gather_workers(l, placer, roster, true, true, now);
    count_news(l, placer);
    return true;
}

// --- Deciding ----------------------------------------------------------------------------------

/** Forget workers that are gone: one that comes back is treated as a new one. */
static void forget_gone(sc_placer *placer, const look *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < placer->seen_count; i++) {
        if (is_worker(l, placer->seen[i])) placer->seen[kept++] = placer->seen[i];
    }
    placer->seen_count = kept;
}

/** Remember the workers that were taken into account. False if memory is out. */
static bool remember(sc_placer *placer, const look *l)
{
    sc_peer *seen = sc_malloc_array(l->worker_count, sizeof *seen);
    if (!seen) return false;
    for (size_t i = 0; i < l->worker_count; i++) {
        seen[i] = l->workers[i].peer;
    }
    sc_free(placer->seen);
    placer->seen = seen;
    placer->seen_count = l->worker_count;
    placer->came = SC_TIME_NEVER;
    return true;
}

/** Pack; returns whether there is a new placement. */
static bool pack(sc_placer *placer, const look *l, bool balance)
{
    sc_placement *next = sc_placement_new(placer->options.parts);
    if (!next) return false;
    next->epoch = l->epoch + 1;
    next->leader = placer->options.self;
    next->partition = placer->options.partition;
    memcpy(next->owners, l->owners, next->parts * sizeof *next->owners);
    const size_t moved = sc_placement_pack(l->loads, next->parts, next->owners, l->workers,
                                           l->worker_count, balance);
    if (moved == SIZE_MAX || (balance && !remember(placer, l)) || (moved == 0 && !l->is_behind)) {
        sc_placement_free(next);
        return false;
    }
    go_by(placer, next);
    placer->stats.placements++;
    placer->stats.moved += moved;
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
static void measure(sc_placer *placer, const look *l, sc_time now)
{
    const double imbalance = sc_placement_imbalance(l->loads, placer->options.parts, l->owners,
                                                    l->workers, l->worker_count);
    if (isnan(imbalance)) return;  // memory is out: the next look decides
    placer->stats.imbalance = imbalance;
    note(&placer->uneven, imbalance > placer->options.uneven, now);
}

static bool has_lasted(sc_time since, sc_time how_long, sc_time now)
{
    return since != SC_TIME_NEVER && now - since >= how_long;
}

static bool decide(sc_placer *placer, const look *l, sc_time now)
{
    const sc_time heartbeat_us = placer->options.heartbeat_us;
    if (l->worker_count == 0) return false;
    note(&placer->behind, l->is_behind, now);
    note(&placer->came, l->come > 0, now);
    if (l->is_behind) {
        return has_lasted(placer->behind, HEARTBEATS_BEHIND * heartbeat_us, now) &&
               pack(placer, l, l->is_staying && l->come > 0);
    }
    const bool waits = l->come > 0 && !has_lasted(placer->came, heartbeat_us, now);
    if (l->orphans > 0 && !(waits && l->come == l->worker_count)) {
        return pack(placer, l, l->is_staying && l->come > 0);
    }
    // A leaving worker is given parts without owner, for as long as it is there, and nothing more.
    if (!l->is_staying) return false;
    if (l->come > 0) return !waits && pack(placer, l, true);
    if (!has_lasted(placer->uneven, placer->options.patience_us, now)) return false;
    // From here on it must be uneven for as long again, also if nothing can be done about it.
    placer->uneven = now;
    return pack(placer, l, true);
}

bool sc_placer_decide(sc_placer *placer, const sc_roster *roster, sc_time now)
{
    look l;
    watch_all(placer, roster, now);
    if (!look_init(&l, placer, roster, now)) return false;
    measure(placer, &l, now);
    forget_gone(placer, &l);
    const bool is_new = decide(placer, &l, now);
    look_fini(&l);
    return is_new;
}
