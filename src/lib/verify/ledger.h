/**
 * @file ledger.h
 * @brief Every query of a record, and what has become of it (P8).
 *
 * A record may be far larger than memory, so what is known of a query shrinks as
 * it ends: all of it while it is open, one word afterwards. That word and a
 * 128-bit hash of the id stay for good, for else a second end, or an id that comes again,
 * would go unnoticed: 40 to 80 bytes per query of the record, depending on when the tables
 * last doubled, and 216 more per open one.
 *
 * Queries are numbered as they come, which is also the order of their arrival.
 *
 * Uses: base, events. Used by: follow, sample.
 */
#ifndef SC_VERIFY_LEDGER_H
#define SC_VERIFY_LEDGER_H

#include "base/diag.h"
#include "base/hash.h"
#include "base/pool.h"
#include "verify/record_events.h"

/** What is known of a query while it is open. */
typedef struct sc_open_query {
    sc_quoted name;   ///< its id, for sentences
    uint64_t line;    ///< where it was asked
    uint64_t listed;  ///< the last line at which a cloak lists it; 0: none
    uint64_t user;    ///< a hash
    int64_t deadline_us;
    sc_edge_id edge;
    sc_seg_id segment;  ///< that of the edge, whatever the record says
    double offset_m;
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    sc_wish wish;
} sc_open_query;

/** What has become of a query. */
typedef enum sc_fate {
    SC_FATE_OPEN,      ///< the word: where it lies among the open ones
    SC_FATE_CLOAKED,   ///< the number of its cloak
    SC_FATE_WATCHED,   ///< the same, but its answer is wanted: where it lies in the sample
    SC_FATE_ANSWERED,  ///< nothing
    SC_FATE_LOST,      ///< dropped or failed: nothing
} sc_fate;

typedef struct sc_ledger {
    sc_hash numbers;  ///< from the hash of an id to its number
    uint64_t *fates;  ///< by number: sc_fate and its word
    size_t count;
    size_t fate_capacity;
    sc_pool open;  ///< of sc_open_query
} sc_ledger;

void sc__ledger_init(sc_ledger *ledger);

/** The key of an id. Different ids have different ones, for all that chance can do. */
sc_key sc__ledger_key(sc_slice id);

/** The number of a query, or SC_NONE if it is not known. */
uint32_t sc__ledger_find(const sc_ledger *ledger, sc_key key);

/**
 * A new query, open.
 *
 * @param out  set to where to write what is known of it, lent until it ends; or to
 *             NULL if there was one of that key
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (thousands of millions)
 */
SC_CHECKED sc_err sc__ledger_add(sc_ledger *ledger, sc_key key, sc_open_query **out);

static inline sc_fate sc__ledger_fate(const sc_ledger *ledger, uint32_t number)
{
    return (sc_fate)(ledger->fates[number] & 7);
}

static inline uint64_t sc__ledger_word(const sc_ledger *ledger, uint32_t number)
{
    return ledger->fates[number] >> 3;
}

/** What is known of an open query; lent until it ends. */
static inline sc_open_query *sc__ledger_open(const sc_ledger *ledger, uint32_t number)
{
    return sc_pool_at(&ledger->open, (uint32_t)sc__ledger_word(ledger, number));
}

/** Give a query another fate. If it was open, what was known of it is gone. */
void sc__ledger_settle(sc_ledger *ledger, uint32_t number, sc_fate fate, uint64_t word);

/** Harmless twice. */
void sc__ledger_fini(sc_ledger *ledger);

#endif
