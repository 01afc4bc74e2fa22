/**
 * @file density_learner.h
 * @brief A density learnt from cloaks alone: from which roads they have and how many members.
 *
 * A cloak says that its members are on its roads, not on which. Many cloaks that overlap in other
 * ways say more: a road that is in all of them is likely where the members were. The weights that
 * explain all cloaks best, if each member is on a road of its cloak in proportion to them, are
 * found by expectation and maximisation: deal out the members of each cloak over its roads by the
 * present weights, take what each road got for its new weight, and again.
 *
 * Every road has one more than it got (as counted densities have), so that none comes to 0. Rounds
 * end long before nothing changes: further ones follow chance, and give a few roads nearly all.
 *
 * No position is needed, so none is taken. Memory: four bytes for each road of each cloak, and
 * eight for each cloak.
 */
#ifndef SC_TRAVEL_DENSITY_LEARNER_H
#define SC_TRAVEL_DENSITY_LEARNER_H

#include <starcloak/map.h>
#include <starcloak/progress.h>

/** Rounds end when the changes of all roads add up to less than this share of all members. */
#define SC_LEARNER_CHANGE 0.08

/** And after so many. */
#define SC_LEARNER_ROUNDS_MAX 100

typedef struct sc_density_learner sc_density_learner;

/** One that has seen no cloak, of a map with so many segments. */
SC_CHECKED sc_err sc_density_learner_new(uint32_t segment_count, sc_density_learner **out);

/** NULL is fine. */
void sc_density_learner_free(sc_density_learner *learner);

/**
 * See a cloak.
 *
 * @param segments  each once, below the map's count; copied
 * @return SC_OK, SC_EINVAL (no segment, or none or more than UINT32_MAX members), SC_ENOMEM
 *         (nothing has changed)
 */
SC_CHECKED sc_err sc_density_learner_see(sc_density_learner *learner, const sc_seg_id *segments,
                                         size_t segment_count, size_t member_count);

/** How many cloaks it has seen. */
size_t sc_density_learner_cloaks(const sc_density_learner *learner);

/**
 * Set `counts`, one per segment, to how many members of the cloaks were likely there, in whole
 * numbers. The same cloaks in the same order give the same counts.
 *
 * @param progress  NULL: not told
 * @return SC_OK, SC_ENOMEM (`counts` are as they were)
 */
SC_CHECKED sc_err sc_density_learner_learn(const sc_density_learner *learner,
                                           const sc_progress *progress, uint64_t *counts);

#endif
