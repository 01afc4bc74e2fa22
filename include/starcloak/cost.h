/**
 * @file cost.h
 * @brief What a cloak costs to answer and to send.
 *
 * For a request with r results and a cloak S:
 *     evaluation    = segment * |S| + border_node * |border(S)|
 *     communication = object * (r * |border(S)| + density * length of S)
 *     cost          = balance * communication + (1 - balance) * evaluation
 * where density is the map's objects per unit of length. The paper's letters are
 * Cs, Cv, Co, rho and beta.
 */
#ifndef STARCLOAK_COST_H
#define STARCLOAK_COST_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The constants. None may be negative, and a single segment must cost something. */
typedef struct sc_cost_model {
    double segment;      ///< to answer for a segment (Cs)
    double border_node;  ///< to answer for a border node (Cv)
    double object;       ///< to send an object (Co)
    double balance;      ///< weight of communication, 0 to 1 (beta)
} sc_cost_model;

/** The defaults; docs/engine.md says where they come from. */
SC_API sc_cost_model sc_cost_model_default(void);

/** Whether the constants make sense; SC_EINVAL with a reason if not. */
SC_API SC_CHECKED sc_err sc_cost_model_check(const sc_cost_model *model, sc_diag *diag);

/** What a set of roads amounts to, as far as its cost goes. */
typedef struct sc_extent {
    size_t segment_count;
    size_t border_node_count;
    double length_m;
} sc_extent;

/** The extent of all segments of one star. Time O(segments of the star and of its neighbours). */
SC_API sc_extent sc_star_extent(const sc_map *map, sc_star_id star);

/** Objects per metre of road. Time O(segments): keep it. */
SC_API double sc_map_object_density(const sc_map *map);

/** The cost of a request with `result_size` results over `extent`. */
SC_API double sc_cost_model_estimate(const sc_cost_model *model, double object_density,
                                     sc_extent extent, uint32_t result_size);

#ifdef __cplusplus
}
#endif
#endif
