/**
 * @file patience.h
 * @brief When to stop: it has taken too long, nobody wants to know any more, or the house closes.
 *
 * A replay cannot be interrupted, but between two of them there is a chance to look up. So an
 * adversary is given a cloaker that is the engine's in all but this: it refuses to go on when
 * patience is at an end, and the whole attack fails with that reason.
 */
#ifndef SC_DEMO_PATIENCE_H
#define SC_DEMO_PATIENCE_H

#include <starcloak/attack.h>

#include <stdatomic.h>

typedef struct sc__patience {
    int64_t until_us;  ///< by sc_clock_us()
    const atomic_bool *is_unwanted;
    const atomic_bool *is_stopping;
} sc__patience;

/** @return SC_OK, SC_EINTERRUPTED (not wanted any more), SC_ELATE (it takes too long) */
SC_CHECKED sc_err sc__patience_left(const sc__patience *patience);

/** What an impatient cloaker needs to know; borrowed by it and by all it opens. */
typedef struct sc__impatient {
    sc_cloaker cloaker;  ///< who does the work
    const sc__patience *patience;
} sc__impatient;

/** One that asks sc__patience_left() before each replay. */
sc_cloaker sc__impatient_cloaker(const sc__impatient *impatient);

#endif
