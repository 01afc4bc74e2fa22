/**
 * @file star_choice.h
 * @brief Which of a segment's two end stars a query is assigned to.
 */
#ifndef SC_ENGINE_STAR_CHOICE_H
#define SC_ENGINE_STAR_CHOICE_H

#include "engine/engine_internal.h"

/**
 * Select the star of `query`; changes nothing but the generator.
 *
 * @param out  the star, or SC_NONE if neither end's ball has the roads it asks for
 */
SC_CHECKED sc_err sc__select_star(sc_engine *engine, const sc_query *query, sc_star_id *out);

/** No ball of an end has the roads that `query` asks for: too few for its l (infeasible), or enough
 * but not as it asks (exposed). */
SC_CHECKED sc_err sc__why_no_end(sc_engine *engine, const sc_query *query, sc_drop_reason *out);

/** Draw one of two ends of the query's road, the one that is cheaper to answer for with the higher
 * probability. */
sc_star_id sc__draw_end(sc_engine *engine, const sc_query *query, sc_star_id a, sc_star_id b);

/** Whether `star` has queries. */
static inline bool sc__is_active(const sc_engine *engine, sc_star_id star)
{
    return sc__first_vertex(engine, star) != SC_NONE;
}

/** Assign the segment of `query` to its end `star`, unless it is assigned to one that counts as
 * active for the query. */
void sc__assign(sc_engine *engine, const sc_query *query, sc_star_id star);

/** End all assignments to `star`. */
void sc__unassign(sc_engine *engine, sc_star_id star);

#endif
