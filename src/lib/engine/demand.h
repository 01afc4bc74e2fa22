/**
 * @file demand.h
 * @brief What queries ask of the roads of their cloak, and the one place where it is tested.
 *
 * A demand is a condition on a set of roads: so many of them (the query's l, P3), none of them so
 * busy that it stands out (traffic), some besides those of any class of places. What all queries of
 * an engine ask in one way is a few numbers, sc__demand, of which two make one again
 * (sc__demand_meet()). What single queries ask besides are *specials*: the whole of a zone, and
 * roads enough that the user can have reached. docs/demands.md has the meaning of each.
 *
 * Vertices and listings, of which searches read many, keep l alone: an engine with a cloaking graph
 * has no traffic, and the listings of a patient one are asked for the rest (sc__listing_demand()).
 *
 * All share what search and pruning live by:
 *
 *   A demand is monotone: a set that fails it never recovers by getting smaller.
 *
 * So a search may throw away a combination that fails. (Strict demands are on the roads that can be
 * a member's own, which are not always fewer where there are fewer roads: settle.c.)
 */
#ifndef SC_ENGINE_DEMAND_H
#define SC_ENGINE_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <starcloak/query.h>

/** Shares of traffic that may be asked for: one of 2, of 3, ... */
#define SC__SHARES (SC_TRAFFIC_MAX - 1)

typedef struct sc__demand {
    uint32_t segments;  ///< at least as many; 0 asks for nothing
    /** [n - 2]: the largest density on the own road of those for whom no road may be more likely
     * than one of n; 0: none asks for it. */
    uint32_t exposure[SC__SHARES];
} sc__demand;

/** What is known of the roads. Zeroed: nothing, and then a demand is about numbers alone. */
typedef struct sc__demand_tables {
    const uint32_t *density;  ///< by segment, from 1; NULL: traffic is not asked
    const uint32_t *classes;  ///< by segment, a bit for each class; NULL: there are none
    uint32_t traffic;         ///< at most so many, as the option of that name
    uint32_t class_count;
} sc__demand_tables;

/** Queries that have demands of their own. */
typedef struct sc__specials {
    const sc_query *const *queries;
    size_t count;
    /** By sc__reached_stars(), for all of them; NULL: stars are looked up. */
    const uint64_t *reached_stars;
    const size_t *first_reached;  ///< by query: where its own begin
} sc__specials;

static inline bool sc__tables_are_empty(const sc__demand_tables *tables)
{
    return !tables->density && !tables->classes;
}

/** For a user who wants `l` segments, no road is more likely than one of so many; 1: not asked. */
static inline uint32_t sc__share_of(const sc__demand_tables *tables, uint32_t l)
{
    if (!tables->density) return 1;
    return l < tables->traffic ? l : tables->traffic;
}

/** What a query asks in the way that all do. */
static inline sc__demand sc__demand_of(const sc__demand_tables *tables, const sc_query *query)
{
    sc__demand demand = {.segments = query->l};
    const uint32_t share = sc__share_of(tables, query->l);
    if (share >= 2) demand.exposure[share - 2] = tables->density[query->segment];
    return demand;
}

/** The weakest demand that is met only where both are. */
static inline sc__demand sc__demand_meet(sc__demand a, sc__demand b)
{
    sc__demand both = a;
    if (b.segments > both.segments) both.segments = b.segments;
    for (int i = 0; i < SC__SHARES; i++) {
        if (b.exposure[i] > both.exposure[i]) both.exposure[i] = b.exposure[i];
    }
    return both;
}

/** Whether `segment_count` segments are enough, as far as their number goes. */
static inline bool sc__demand_is_met(sc__demand demand, size_t segment_count)
{
    return segment_count >= demand.segments;
}

// --- Sets of roads -----------------------------------------------------------

struct sc__road_set;  // covered_set.h

/** Roads that were looked at, star by star. Zero-initialise. */
typedef struct sc__tally {
    size_t count;
    uint64_t traffic;          ///< the sum of their densities
    uint64_t low[SC__SHARES];  ///< the same of those no busier than the exposure
    uint32_t busiest;
    uint32_t most_marked;                   ///< of any class
    uint32_t marked[SC_PLACE_CLASSES_MAX];  ///< by class
} sc__tally;

/** Add the roads of the star of that number that no star of `set` before it has. */
void sc__tally_add(sc__tally *tally, const sc__demand_tables *tables,
                   const struct sc__road_set *set, sc_star_id star, uint32_t number,
                   const sc__demand *demand);

/** Whether these roads meet a demand, and so all larger sets do; if not, all of a set still may. */
bool sc__tally_is_enough(const sc__tally *tally, const sc__demand_tables *tables,
                         const sc__demand *demand);

/** Whether a set meets a demand of which all its roads are in `tally`. */
bool sc__tally_meets(const sc__tally *tally, const sc__demand_tables *tables,
                     const struct sc__road_set *set, const sc__demand *demand);

/** Whether the roads of `set` meet a demand. Looks at them star by star, until there are enough. */
bool sc__roads_meet(const sc__demand_tables *tables, const struct sc__road_set *set,
                    const sc__demand *demand);

/** Whether all of a query's zone is in `set`; it may have none. */
bool sc__zone_is_inside(const struct sc__road_set *set, const sc_query *query);

/** `set` can have sc__reached_stars() if it has no more numbers than this. */
#define SC__REACHED_STARS_MAX 64

/** Note for each road that the query's user can have reached at which stars of `set` it is, as bits
 * of their numbers. Many subsets of it are tested, and looking stars up takes longest. */
void sc__reached_stars(const struct sc__road_set *set, const sc_query *query, uint64_t *out);

/** Whether the user of the i-th special can have reached enough of the roads of `set`; it may not
 * ask. */
bool sc__reached_is_enough(const sc__demand_tables *tables, const struct sc__road_set *set,
                           const sc__specials *specials, size_t i);

/** Whether `set` has all that specials ask for. */
bool sc__specials_are_met(const sc__demand_tables *tables, const struct sc__road_set *set,
                          sc__specials specials);

// --- Demands of single queries -----------------------------------------------

/** Bytes of a copy of `own`; a multiple of its alignment. */
size_t sc__own_size(const sc_own_demands *own);

/** Copy `own` to memory of that size. */
sc_own_demands *sc__own_copy(const sc_own_demands *own, void *memory);

/** Wipe and free such a copy that has memory of its own; use sc__own_free(). */
void sc__own_wipe_and_free(const sc_own_demands *own);

/** The same; NULL is fine, and what most queries have. */
static inline void sc__own_free(const sc_own_demands *own)
{
    if (own) sc__own_wipe_and_free(own);
}

/**
 * Whether `own` makes sense on a map of `segment_count` segments.
 *
 * @return SC_OK, SC_EUNKNOWN (a segment that is not there), SC_EINVAL (not ascending; a part of 0)
 */
SC_CHECKED sc_err sc__own_check(const sc_own_demands *own, size_t segment_count);

#endif
