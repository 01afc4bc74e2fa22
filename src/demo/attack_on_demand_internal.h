/**
 * @file doubt_internal.h
 * @brief What the doubter's files share: whether a doubt makes sense, and how it is settled.
 *
 *     doubter.c   a thread, and who waits for it
 *       -> examine.c      one doubt from its words to what came of it
 *            -> made.c         a cloak, where the doubt is of a method
 *            -> patience.c     when it has taken long enough, or nobody wants it any more
 *
 * Used by: the files of this folder, their tests, a fuzzer.
 */
#ifndef SC_DOUBT_DOUBT_INTERNAL_H
#define SC_DOUBT_DOUBT_INTERNAL_H

#include "demo/attack_on_demand.h"

/** For sc_doubter_submit(). No sentence repeats a segment. @return SC_OK, SC_EINVAL, SC_EUNKNOWN */
SC_CHECKED sc_err sc__doubt_check(const sc_map *map, const sc_doubt *doubt, sc_diag *diag);

/** Wipe what an adversary believes, and release it: it says where somebody may be. As harmless as
 * sc_posterior_fini(). */
void sc__posterior_wipe(sc_posterior *posterior);

/** What is the same for all doubts. */
typedef struct sc__examiner {
    const sc_map *map;
    const sc_doubter_options *options;
    sc_rng *rng;  ///< the dice of engines, and seeds of adversaries
    const atomic_bool *is_stopping;
} sc__examiner;

/** Settle a doubt that was checked: all but `err`, which is returned, is filled in. */
SC_CHECKED sc_err sc__doubt_examine(const sc__examiner *examiner, sc_doubt *doubt);

#endif
