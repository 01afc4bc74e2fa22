/**
 * @file cloak.h
 * @brief Secret: a cloak with its members. What may leave of it is its segments.
 *
 * A cloak is a set of stars T, their segments S, and members: queries, each with
 * the star it was assigned to. An engine finds it as a *candidate*, with all the
 * stars its members allow and no segments yet; pruning (prune.h) trims the stars
 * and fills in segments and border nodes; accepting it (engine.h) is what makes
 * it final. The promises are P1 to P8; docs/engine.md lists them.
 *
 * Of the compared methods, XStar's candidates are whole: no star of them is trimmed. Those of
 * random sampling and network expansion have no stars, but their segments from the start.
 *
 * The provider's side never includes this header.
 */
#ifndef STARCLOAK_CLOAK_H
#define STARCLOAK_CLOAK_H

#include <starcloak/map.h>
#include <starcloak/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A query that is hidden in a cloak. */
typedef struct sc_member {
    sc_query query;
    sc_star_id star;  ///< an end of the query's segment; SC_NONE in a cloak without stars
    bool is_company;  ///< it was added as company: another engine has it too
} sc_member;

/** Made by an engine, with memory that is not listed here; free with sc_cloak_free(). */
typedef struct sc_cloak {
    sc_star_id *stars;  ///< T, ascending
    size_t star_count;
    sc_seg_id *segments;  ///< S, ascending; none in a candidate that has stars
    size_t segment_count;
    sc_node_id *border_nodes;  ///< ascending: nodes of S with a road that is not in S
    size_t border_node_count;
    sc_member *members;  ///< in random order once pruned (P6)
    size_t member_count;
    bool is_pruned;                  ///< nothing is missing: it may be accepted
    sc_time deadline;                ///< the least of the members'
    const struct sc_engine *engine;  ///< opaque: the one that proposed it
} sc_cloak;

/** Wipe its members and free; NULL is fine. Accept or refuse it first. */
SC_API void sc_cloak_free(sc_cloak *cloak);

#ifdef __cplusplus
}
#endif
#endif
