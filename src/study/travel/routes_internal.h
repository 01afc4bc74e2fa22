/**
 * @file routes_internal.h
 * @brief The parts that fastest ways are made of.
 *
 * How the files share the work:
 *   routes.c          times of segments; makes the whole
 *   routes_parts.c    connected parts, and how far it is across them
 *   routes_net.c      the star graph while stars are taken out of it and shortcuts put in
 *   routes_witness.c  which shortcuts a star must leave behind
 *   routes_order.c    which star goes next; the finished hierarchy
 *   routes_find.c     climbing from both ends, and spelling out the way found
 *
 * What always holds:
 *  1. An arc's time is that of a way in the star graph, spelled out by following `via`; so no
 *     search can find a time that is too small.
 *  2. When a star is taken out, each two of its neighbours keep among the stars that are left a way
 *     as fast as the one over it; so no search misses the least time.
 *  3. The arcs that a star has when it is taken out are those that remain of it. They lead to stars
 *     taken out later, of higher rank, and between two stars there is one at most.
 *  4. No fastest way takes longer than `longest_ms`, which fits in 32 bits. What would take longer
 *     is left out, and so no sum overflows that is made in 64 bits.
 *
 * Used by: travel/routes*.c and their tests.
 */
#ifndef SC_TRAVEL_ROUTES_INTERNAL_H
#define SC_TRAVEL_ROUTES_INTERNAL_H

#include "travel/routes.h"
#include "travel/routes_turns.h"

/** A road from a star to another, of one segment or a shortcut. */
typedef struct sc__arc {
    uint32_t to;   ///< a star; in the finished hierarchy its rank
    uint32_t ms;   ///< at least 1
    uint32_t via;  ///< a segment, or SC__SHORTCUT and the star (its rank) in the middle
} sc__arc;

#define SC__SHORTCUT 0x80000000u

/** In the finished hierarchy, with a segment: driven from its last node to its first. */
#define SC__BACKWARDS 0x40000000u

/** There are fewer segments, and fewer stars. */
#define SC__MOST_IDS SC__BACKWARDS

/** Larger than any time. */
#define SC__NEVER UINT32_MAX

/** No segment takes longer, nor does the fastest way from some star of a part to any other; so that
 * a way there and on to somewhere else fits in 32 bits with its ends. Twelve days. */
#define SC__MOST_MS 0x3fffffffu

struct sc_routes {
    const sc_map *map;  ///< borrowed
    double ms_per_unit[SC_ROAD_CLASS_COUNT];
    uint32_t *segment_ms;
    uint32_t *parts;  ///< by star
    uint32_t part_count;
    uint32_t longest_ms;

    // The hierarchy: stars by rank, each with its arcs to those above.
    uint32_t *rank_of;    ///< by star
    uint32_t *first_arc;  ///< by rank, one more
    sc__arc *arcs;
};

/** How long it takes from the first node of its segment to a place; at most the segment's time. */
uint32_t sc__place_ms(const sc_routes *routes, sc_place place);

// --- The star graph, shrinking ------------------------------------------------

/** Arcs of one star: a block of the pool, with room for SC__LEAST_ROOM << size of them. */
typedef struct sc__arc_list {
    uint32_t first;
    uint32_t count;
    uint32_t size;
} sc__arc_list;

enum { SC__LEAST_ROOM = 4, SC__ROOM_SIZES = 28 };

/** Zero-initialise; sc__net_fini() when done. */
typedef struct sc__net {
    sc__arc_list *lists;  ///< by star
    uint32_t star_count;

    // One pool for all lists; blocks that became too small wait to be used again.
    sc__arc *pool;
    size_t pool_count;
    size_t pool_capacity;
    uint32_t idle[SC__ROOM_SIZES];  ///< by size, the first idle block and one more, 0: none; each
                                    ///< names the next in the `to` of its first arc
} sc__net;

/** Of several segments between two stars the fastest counts; of equally fast ones the first. */
SC_CHECKED sc_err sc__net_init(sc__net *net, const sc_map *map, const uint32_t *segment_ms);
void sc__net_fini(sc__net *net);

/** The arcs of a star; lent until the next sc__net_link(). */
static inline const sc__arc *sc__net_arcs(const sc__net *net, sc_star_id star, uint32_t *count)
{
    *count = net->lists[star].count;
    return net->pool + net->lists[star].first;
}

/** Join two different stars, unless an arc as fast is there; a slower one is replaced. */
SC_CHECKED sc_err sc__net_link(sc__net *net, sc_star_id a, sc_star_id b, uint32_t ms, uint32_t via);

/** Let no other star know of this one. It keeps its own arcs. */
void sc__net_take_out(sc__net *net, sc_star_id star);

// --- Parts ----------------------------------------------------------------------

/** Number the parts, and find the time that no way exceeds. SC_ELIMIT if it is too long. */
SC_CHECKED sc_err sc__find_parts(sc_routes *routes, const sc__net *net);

// --- Shortcuts ----------------------------------------------------------------

typedef struct sc__shortcut {
    sc_star_id a;
    sc_star_id b;
    uint32_t ms;
} sc__shortcut;

/** Working memory. Zero-initialise; sc__witness_fini() when done. */
typedef struct sc__witness {
    uint32_t longest_ms;
    uint32_t *ms;         ///< by star, from where the search began; SC__NEVER: not reached
    uint32_t *wanted_ms;  ///< by star: a way as fast as this is looked for; 0: none
    sc_star_id *reached;
    size_t reached_count;
    size_t reached_capacity;
    sc__turns turns;

    // What was found.
    sc__shortcut *shortcuts;
    size_t shortcut_count;
    size_t shortcut_capacity;
} sc__witness;

SC_CHECKED sc_err sc__witness_init(sc__witness *witness, uint32_t star_count, uint32_t longest_ms);
void sc__witness_fini(sc__witness *witness);

/**
 * Find the shortcuts that must be there once `star` is gone: between two neighbours, unless another
 * way is as fast. Searches give up early, which only leaves more shortcuts than are needed.
 */
SC_CHECKED sc_err sc__witness_shortcuts(sc__witness *witness, const sc__net *net, sc_star_id star);

// --- The hierarchy ------------------------------------------------------------

/** Take out all stars, and keep the hierarchy in `routes`, which has all but that. */
SC_CHECKED sc_err sc__order(sc_routes *routes, sc__net *net, const sc_progress *progress);

#endif
