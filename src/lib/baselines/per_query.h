/**
 * @file per_query.h
 * @brief What the files of the per-query methods share: regions, the order of roads, and mates.
 *
 * Random sampling and network expansion cloak each query by itself (per_query.c has the idea). A
 * query's *region* is the set of roads that its cloak may have; roads of it join the cloak in an
 * order that the method defines; and *mates* are the other queries that could be members.
 */
#ifndef SC_BASELINES_PER_QUERY_H
#define SC_BASELINES_PER_QUERY_H

#include "engine/covered_set.h"
#include "engine/method.h"

// === Regions (regions.c) ========================================================================
//
// The region of a star for some hops is seg(ball(star, hops)). It is listed by hops (those of a
// segment are the fewer of its two ends'), then by id; so a region of fewer hops is a prefix of one
// of more, and a star needs one list for all queries. A small hash table beside it has the hops of
// each star. Regions are counted references: they live while a query holds them, since queries try
// many times and every try reads them.

/** A star, and how far it is. */
typedef struct sc__far {
    sc_star_id star;  ///< SC_NONE: an empty place
    uint32_t hops;
} sc__far;

typedef struct sc__region {
    uint32_t holder_count;  ///< references
    uint32_t depth;         ///< `upto` goes from 0 to depth
    bool is_complete;       ///< the whole component: reaches any number of hops
    uint32_t far_mask;      ///< places in the table less 1; they are a power of two
    sc__far *far;           ///< open addressing by the low bits of the id
    uint32_t *upto;         ///< segments within so many hops
    sc_seg_id *segments;
} sc__region;

/** The regions that are held. Zero-initialise; sc__regions_fini() when done. */
typedef struct sc__regions {
    sc__region **of_star;  ///< by star; NULL: not held
    uint32_t star_count;
    sc__numbers seen;  ///< segments of the region that is being made
} sc__regions;

SC_CHECKED sc_err sc__regions_init(sc__regions *regions, const sc_map *map);
void sc__regions_fini(sc__regions *regions);

/** Add a reference to the region of `star`, which reaches `hops` at least from then on. */
SC_CHECKED sc_err sc__region_hold(sc_engine *engine, sc__regions *regions, sc_star_id star,
                                  uint32_t hops);

/** Drop a reference; the last one frees the region. */
void sc__region_release(sc__regions *regions, sc_star_id star);

/** How many segments of `region` are within `hops`; it must reach that far. */
static inline uint32_t sc__region_count(const sc__region *region, uint32_t hops)
{
    return region->upto[hops < region->depth ? hops : region->depth];
}

/** Whether a star is within `hops`; the region must reach that far. */
static inline bool sc__region_has_star(const sc__region *region, sc_star_id star, uint32_t hops)
{
    uint32_t at = star & region->far_mask;
    while (region->far[at].star != star) {
        if (region->far[at].star == SC_NONE) return false;
        at = (at + 1) & region->far_mask;
    }
    return region->far[at].hops <= hops;
}

/** Whether a segment is within `hops`. */
static inline bool sc__region_has(const sc__region *region, const sc_segment *segment,
                                  uint32_t hops)
{
    return sc__region_has_star(region, segment->star_a, hops) ||
           (segment->star_b != SC_NONE && sc__region_has_star(region, segment->star_b, hops));
}

/** How many different end stars a segment has: star_a, and perhaps star_b. */
static inline unsigned sc__end_count(const sc_segment *segment)
{
    return segment->star_b == SC_NONE || segment->star_b == segment->star_a ? 1 : 2;
}

/** End 0 or 1 of a segment. */
static inline sc_star_id sc__end_star(const sc_segment *segment, unsigned end)
{
    return end == 0 ? segment->star_a : segment->star_b;
}

// === The order in which roads join (regions.c) ==================================================
//
// Random sampling draws roads of a region; network expansion takes those in reach of either end,
// nearest first.

/** Roads that are being drawn. Zero-initialise; sc__draw_fini() when done. */
typedef struct sc__draw {
    sc_seg_id *roads;  ///< those drawn, in the order of drawing, then the rest
    size_t capacity;
    uint32_t count;
    uint32_t drawn_count;
} sc__draw;

void sc__draw_fini(sc__draw *draw);

/** Draw from `region` within `hops`, but for one road, which is taken already. */
SC_CHECKED sc_err sc__draw_begin(sc__draw *draw, const sc__region *region, uint32_t hops,
                                 sc_seg_id taken);

/** The next road, or SC_NONE when none is left. */
sc_seg_id sc__draw_next(sc__draw *draw, sc_rng *rng);

/** Roads in reach of one query, nearest first, as far as they were needed. Zero-initialise. */
typedef struct sc__nearest {
    sc_seg_id *roads;
    size_t capacity;
    uint32_t count;
    uint32_t all_count;  ///< roads in reach, its own left out
} sc__nearest;

void sc__nearest_fini(sc__nearest *nearest);

/** Something to come to on a walk over the map. */
typedef struct sc__walk_stop {
    uint64_t distance;  ///< twice as long as it is, so that half a road is a whole number
    uint32_t id;
    bool is_road;  ///< its midpoint; else a star
} sc__walk_stop;

/** Stars before roads: behind a star there may be a road without length, no farther than it. */
static inline bool sc__walk_stop_is_before(sc__walk_stop a, sc__walk_stop b)
{
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.is_road != b.is_road) return b.is_road;
    return a.id < b.id;
}

#define SC_HEAP sc__walk_stops
#define SC_HEAP_ENTRY sc__walk_stop
#define SC_HEAP_IS_BEFORE(heap, a, b) sc__walk_stop_is_before(a, b)
#include "base/heap_template.h"

/** Working memory of walks. Zero-initialise; sc__walks_fini() when done. */
typedef struct sc__walks {
    sc__numbers stars;  ///< that the walk has seen
    uint64_t *distances;
    size_t distance_capacity;
    sc__numbers roads;  ///< of the region, that it has seen
    sc__walk_stops stops;
} sc__walks;

void sc__walks_fini(sc__walks *walks);

/** Whose roads are asked for: on which segment, and what is in reach of its ends. */
typedef struct sc__reach {
    sc_seg_id segment;
    uint32_t max_hops;
    const sc__region *regions[2];  ///< NULL where there is no second end
} sc__reach;

/**
 * The road at place `at` of all in `reach` of either end, nearest first.
 *
 * @param nearest  what is known of it; always given with the same reach
 * @param out      SC_NONE if there are not as many
 */
SC_CHECKED sc_err sc__nearest_at(const sc_engine *engine, sc__walks *walks, const sc__reach *reach,
                                 sc__nearest *nearest, uint32_t at, sc_seg_id *out);

// === Mates (mates.c) ============================================================================
//
// The asker is a query that has chosen roads S. A query can be a member of S if its own segment is
// in S, S has at least its l segments, all of S is in the region of one end of its own segment, and
// the members have at least its k different users. The last depends on the other members; so the
// members are the largest set in which all needs are met: all queries that meet the rest, without,
// again and again, those whose k is more than the users that are left.
//
// Two queries can be members together only if each one's segment is in the other's region. The
// queries for which that holds are gathered once, as *mates*, the asker among them. Then S grows
// road by road. More roads put more mates on S and lose those that do not reach them; a mate that
// is lost stays lost. So the asker *can* still become a member while all mates that are not lost,
// on S or not, would be enough; otherwise no choice of further roads helps.

/** One end of a segment or both, as bits. */
enum { SC__END_A = 1, SC__END_B = 2 };

/**
 * The queries that wait on a segment: a list with all bits inverted, so that zeroed memory is an
 * empty list.
 */
typedef struct sc__waiters {
    sc__slot not_first;
    sc__slot not_last;
} sc__waiters;

static inline sc__list sc__waiters_list(const sc__waiters *waiters)
{
    return (sc__list){~waiters->not_first, ~waiters->not_last};
}

static inline void sc__waiters_put(sc__waiters *waiters, sc__list list)
{
    *waiters = (sc__waiters){~list.first, ~list.last};
}

/** A query that could share a cloak with the asker. */
typedef struct sc__mate {
    const sc__region *regions[2];  ///< around the ends of its segment
    uint64_t user;
    uint64_t counted;  ///< of the first mate of a user: in which count it was met last
    sc__slot slot;
    sc_seg_id segment;
    uint32_t first;  ///< the first mate of the same user
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    uint8_t within;  ///< the asker's ends whose regions have this one's segment
    uint8_t from;    ///< its own ends whose regions have the asker's segment
    uint8_t alive;   ///< of them, those whose regions have all of S; 0: it is lost
    bool is_on;      ///< its segment is in S
    bool is_found;   ///< it is in the last answer; means nothing once it is lost
    bool is_helped;  ///< the asker might help it; set and read by per_query.c
} sc__mate;

/** Zero-initialise; sc__mates_fini() when done. */
typedef struct sc__mates {
    sc__mate *all;
    size_t count;
    size_t capacity;
    uint32_t *left;  ///< the mates that are not lost
    size_t left_count;
    size_t left_capacity;
    uint32_t self;         ///< the asker among the mates
    uint32_t most_l;       ///< of all mates
    uint32_t *user_table;  ///< a hash table of users
    size_t table_capacity;
    uint64_t count_number;
    uint32_t size;    ///< of S
    bool has_gained;  ///< a mate is new on S since sc__mates_suffice()
    bool has_lost;    ///< a mate was lost since sc__mates_can_suffice()
} sc__mates;

void sc__mates_fini(sc__mates *mates);

/**
 * Gather the mates of a query.
 *
 * @param regions  those of all waiting queries are held
 * @param waiting  by segment: the queries there
 */
SC_CHECKED sc_err sc__mates_gather(const sc_engine *engine, sc__mates *mates,
                                   const sc__regions *regions, const sc__waiters *waiting,
                                   sc__slot slot);

/** S is the asker's segment, and is to stay within the region of that end of it, 0 or 1. */
void sc__mates_begin(sc__mates *mates, unsigned end);

/** A road of the region joins S. */
void sc__mates_join(const sc_engine *engine, sc__mates *mates, sc_seg_id road);

/** Whether the asker can be a member now; if so, is_found marks the members. */
bool sc__mates_suffice(sc_engine *engine, sc__mates *mates);

/** Whether it still can become one, with more roads. */
bool sc__mates_can_suffice(sc__mates *mates);

/** The same; if so, is_found marks all mates that could be members with it. */
bool sc__mates_find_possible(sc__mates *mates);

#endif
