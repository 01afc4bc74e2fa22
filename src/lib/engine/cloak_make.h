/**
 * @file cloak_make.h
 * @brief Making an sc_cloak: one block with room for all that pruning will fill in, and with what
 * only the engine and pruning need to know.
 *
 * Pruning then needs no memory of its own for the result, and cannot lose a
 * candidate's members halfway.
 */
#ifndef SC_ENGINE_CLOAK_MAKE_H
#define SC_ENGINE_CLOAK_MAKE_H

#include <starcloak/cloak.h>

/** A cloak as the engine and pruning know it. Every sc_cloak of an engine is the head of one. */
typedef struct sc__candidate {
    sc_cloak cloak;
    bool is_whole;      ///< pruning must not take a star away
    uint64_t proposal;  ///< the engine knows it by this number
    sc_cloak *next;     ///< in the queue that it is in
} sc__candidate;

static inline sc__candidate *sc__candidate_of(sc_cloak *cloak)
{
    return (sc__candidate *)cloak;
}

/**
 * A cloak whose `stars` (count set) and `members` (count set) are to be filled by the
 * caller, and whose `segments` and `border_nodes` have room for `segment_room` each
 * and count 0. A border node is the far end of a segment of T, so that is enough; without T it may
 * be either end, so then there must be room for twice as many segments as there are.
 *
 * @return NULL when memory is out
 */
sc_cloak *sc_cloak_new(size_t star_count, size_t segment_room, size_t member_count);

#endif
