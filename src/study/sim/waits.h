/**
 * @file waits.h
 * @brief Queries that wait for their outcome: since when, and who asked.
 *
 * The engine knows deadlines and pseudonyms only; how long a query waited and which
 * traveller may go on is for the runner to remember. A hash table with removal, so
 * that a run of any length needs memory only for what is open.
 */
#ifndef SC_SIM_WAITS_H
#define SC_SIM_WAITS_H

#include <starcloak/query.h>

/** A query without an outcome. */
typedef struct sc_wait {
    sc_time since;
    uint32_t traveller;  ///< whatever the caller calls it
} sc_wait;

typedef struct sc_waits_slot sc_waits_slot;

/** Zero-initialise; sc_waits_fini() when done. */
typedef struct sc_waits {
    sc_waits_slot *slots;
    size_t capacity;  ///< a power of two, or 0
    size_t count;
} sc_waits;

/** Enter `id`, which must not be there yet. Fails with SC_ENOMEM and has then changed nothing. */
SC_CHECKED sc_err sc_waits_put(sc_waits *waits, const sc_query_id *id, sc_wait wait);

/** Take `id` out; false if it is not there. */
bool sc_waits_take(sc_waits *waits, const sc_query_id *id, sc_wait *out);

/** Release the memory; harmless twice. */
void sc_waits_fini(sc_waits *waits);

#endif
