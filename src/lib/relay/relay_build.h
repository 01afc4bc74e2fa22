/**
 * @file relay_build.h
 * @brief Allocating, checking and filling relays and replies.
 *
 * The trusted side (answer) allocates relays, decoders allocate both, providers (lbs) fill replies.
 * Everything that accepts a relay from outside checks it with sc__relay_check() first.
 */
#ifndef SC_RELAY_RELAY_BUILD_H
#define SC_RELAY_RELAY_BUILD_H

#include <starcloak/relay.h>

// === Relays =====================================================================================

/**
 * A relay with these counts, and where its tables are to be written. All zero but for the counts
 * and pointers.
 *
 * @return NULL when memory is out, or the counts are beyond any
 */
sc_relay *sc__relay_alloc(size_t segment_count, size_t border_node_count, size_t request_count,
                          sc_seg_id **segments, sc_node_id **border_nodes, sc_request **requests);

/** How many entries the tables of a relay have. */
typedef struct sc__relay_counts {
    size_t segments;
    size_t border_nodes;
    size_t requests;
    size_t places;  ///< of sc_relay.border_places
} sc__relay_counts;

/** The tables of a relay, to be written. */
typedef struct sc__relay_tables {
    sc_seg_id *segments;
    sc_node_id *border_nodes;
    sc_request *requests;
    uint32_t *places;
} sc__relay_tables;

/** The same with room for sc_relay.border_places. */
sc_relay *sc__relay_alloc_placed(const sc__relay_counts *counts, sc__relay_tables *tables);

// === Checking a relay ===========================================================================

/**
 * Whether `relay` is of `map` and its ids lead nowhere outside of the map's tables. After this,
 * segments and border nodes are known to ascend, each once, and there is one segment and one
 * request at least. Requests are not looked at. Time O(segments); takes no memory.
 *
 * @param max_segments  SIZE_MAX: as many as the map has
 * @return SC_OK, SC_EMISMATCH (another map), SC_ELIMIT (too many segments), SC_EUNKNOWN (no such
 *         segment or node), SC_EINVAL (not ascending; no segment, or no request; more border nodes
 *         than ends)
 */
SC_CHECKED sc_err sc__relay_check(const sc_map *map, const sc_relay *relay, size_t max_segments,
                                  sc_diag *diag);

// === Filling a reply ============================================================================
//  sc__reply_begin(reply, requests, border_nodes)
//  for each request r:
//      sc__reply_add_run() for its objects on segments, then sc__reply_end_runs(reply, r)
//      for each border node b:
//          sc__reply_add_near() for its answer, then sc__reply_end_nears(reply, r, b)
//
// Runs and nears may also be filled one kind after the other, each in this order.
//
// While a reply is being filled, the last entry of run_start, and of near_start, is the number of
// entries so far; so it is right by itself when the last list ends. Adding is the inner loop of a
// provider, and is therefore inline.

/** How much room the arrays of a reply have. Made by sc__reply_begin(). */
struct sc_reply_memory {
    size_t run_start_capacity;
    size_t run_capacity;
    size_t near_start_capacity;
    size_t near_capacity;
    void *owned;  ///< what a decoder made for `table`; NULL if it is lent by others
};

/**
 * Empty the reply, keeping its memory, for so many requests and border nodes. Its table is empty
 * and its checksum 0; the caller sets both.
 *
 * @return false when memory is out; the reply is then empty and can be begun again or released
 */
SC_CHECKED bool sc__reply_begin(sc_reply *reply, size_t request_count, size_t border_node_count);

/** More room; false when memory is out, or there are more entries than 32 bits count. */
SC_CHECKED bool sc__reply_grow_runs(sc_reply *reply);
SC_CHECKED bool sc__reply_grow_nears(sc_reply *reply);

/** Add objects first .. first + count - 1; count >= 1. False when memory is out. */
SC_CHECKED static inline bool sc__reply_add_run(sc_reply *reply, uint32_t first, uint32_t count)
{
    uint32_t *total = &reply->run_start[reply->request_count];
    if (*total == reply->memory->run_capacity && !sc__reply_grow_runs(reply)) return false;
    reply->runs[(*total)++] = (sc_object_run){first, count};
    return true;
}

/** Room for `count` runs, one at least, to be written in place; NULL when memory is out. */
static inline sc_object_run *sc__reply_reserve_runs(sc_reply *reply, uint32_t count)
{
    const uint32_t total = reply->run_start[reply->request_count];
    while (reply->memory->run_capacity - total < count) {
        if (!sc__reply_grow_runs(reply)) return NULL;
    }
    return reply->runs + total;
}

/** So many of them were written. */
static inline void sc__reply_use_runs(sc_reply *reply, uint32_t count)
{
    reply->run_start[reply->request_count] += count;
}

/** The runs of request `r` are complete. */
static inline void sc__reply_end_runs(sc_reply *reply, size_t r)
{
    reply->run_start[r + 1] = reply->run_start[reply->request_count];
}

/** Add an object to a border node's answer. False when memory is out. */
SC_CHECKED static inline bool sc__reply_add_near(sc_reply *reply, sc_near near)
{
    uint32_t *total = &reply->near_start[reply->request_count * reply->border_node_count];
    if (*total == reply->memory->near_capacity && !sc__reply_grow_nears(reply)) return false;
    reply->nears[(*total)++] = near;
    return true;
}

/** Room for `count` objects, one at least, to be written in place; NULL when memory is out. */
static inline sc_near *sc__reply_reserve_nears(sc_reply *reply, uint32_t count)
{
    const uint32_t total = reply->near_start[reply->request_count * reply->border_node_count];
    while (reply->memory->near_capacity - total < count) {
        if (!sc__reply_grow_nears(reply)) return NULL;
    }
    return reply->nears + total;
}

/** So many of them were written. */
static inline void sc__reply_use_nears(sc_reply *reply, uint32_t count)
{
    reply->near_start[reply->request_count * reply->border_node_count] += count;
}

/** The answer of border node `b` to request `r` is complete. */
static inline void sc__reply_end_nears(sc_reply *reply, size_t r, size_t b)
{
    const size_t list = r * reply->border_node_count + b;
    reply->near_start[list + 1] =
        reply->near_start[reply->request_count * reply->border_node_count];
}

#endif
