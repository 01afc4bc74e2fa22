/**
 * @file ledger_internal.h
 * @brief Secret: what the files of the ledger share; and the ledger without its threads, its clock
 * and its courier, for tests that put something else in their place.
 *
 *     ledger.c  its life, and what any thread may call
 *     ledger_thread.c  the ledger's thread, and its end
 */
#ifndef SC_LEDGER_LEDGER_INTERNAL_H
#define SC_LEDGER_LEDGER_INTERNAL_H

#include "base/handover.h"
#include "base/pace.h"
#include "ledger/ledger.h"
#include "ledger/release.h"
#include "worker/engine_pool.h"

#include <pthread.h>
#include <stdatomic.h>

/** Between two rounds of a busy ledger, and of its engine threads if it has any (base/pace.h). */
enum { SC__LEDGER_ROUND_US = 2000 };

/** What other threads hand to the ledger's thread. */
typedef struct sc__ledger_input {
    enum {
        SC__LEDGER_INPUT_TICKET,
        SC__LEDGER_INPUT_WITHDRAWAL,  ///< of `id`
        SC__LEDGER_INPUT_RESEND,      ///< the parts that `must_resend` says are to be sent again
        SC__LEDGER_INPUT_WAKE,        ///< nothing: the engines in place are to look up
    } kind;
    sc_ticket *ticket;
    sc_query_id id;
} sc__ledger_input;

/** Things taken from a handover at once. */
enum { SC__LEDGER_BATCH = SC_ENGINE_POOL_BATCH };

struct sc_ledger {
    // Set before the threads start.
    sc_ledger_options options;  ///< `partition` is there in any case
    sc_partition *whole;        ///< our own partition, if none was given
    sc_handover *incoming;
    sc_handover *messages;  ///< sc_msg
    sc_handover *back;
    sc_engine_pool *engines;  ///< NULL: the engines are elsewhere
    bool is_in_place;         ///< the engine pool's engines run in the ledger's thread
    sc_port port;             ///< of the ledger state
    _Atomic(sc_courier *)
        courier;  ///< one that works in place, and so in the ledger's thread; or NULL
    pthread_t thread;
    bool has_thread;

    // Any thread.
    atomic_size_t pending;
    atomic_bool is_closed;      ///< no more tickets
    atomic_bool is_ending;      ///< sc_ledger_end() was called
    atomic_bool is_over;        ///< all is settled, and nothing is read any more
    atomic_bool *must_resend;   ///< for each part: its queries are to be sent again
    atomic_bool is_resend_due;  ///< an input about that is on its way
    atomic_bool must_wake;      ///< an input that wakes the thread is on its way
    atomic_ullong lost;         ///< messages for which there was no room

    // Of the ledger's thread; once that has ended, of the thread that ends it.
    sc_rng *rng;
    sc_continuity *continuity;  ///< NULL: not wanted
    sc__ledger_state *state;
    sc__publisher publisher;
    int64_t (*clock)(void);
    bool is_in_turn;  ///< the courier in place works: what is back is entered at once
    bool is_telling;  ///< the ledger state sends to engines in place: what these send has to wait
    bool has_more;    ///< a batch of the last round was full: the next need not wait
    bool must_end;
    uint32_t *resent;                        ///< room for all parts
    sc__ledger_input own[SC__LEDGER_BATCH];  ///< hosted: since the last round
    size_t own_count;

    pthread_mutex_t lock;
    sc_ledger_stats stats;  ///< under `lock`
};

/** An errand is back: its members have their answers, or have failed; it is freed. The ledger's
 * thread. */
void sc__ledger_enter(sc_ledger *ledger, sc_errand *errand, sc_time now);

/** Hosted: enter what `own` has. */
void sc__ledger_read_own(sc_ledger *ledger);

/** Settle all that is there, and what HTTP loops are just handing over; nothing is read after that.
 */
void sc__ledger_finish(sc_ledger *ledger);

/** Start the ledger's thread, all signals blocked in it. SC_OK, SC_EIO */
SC_CHECKED sc_err sc__ledger_start(sc_ledger *ledger);

// --- For tests ------------------------------------------------------------------------------

/**
 * As sc_ledger_new(), but with a clock and a generator that one may choose, and nothing happens by
 * itself: see the next, and sc_engine_pool_round().
 *
 * @param rng  the ledger's from now on, also if this fails
 */
SC_CHECKED sc_err sc__ledger_new_idle(const sc_map *map, const sc_ledger_options *options,
                                      int64_t (*clock)(void), sc_rng *rng, sc_ledger **out,
                                      sc_diag *diag);

/** One round, without waiting: what came in is read, and what is due leaves. Returns when there is
 * something to do even if nothing comes in. */
sc_time sc__ledger_round(sc_ledger *ledger);

/** As sc_ledger_set_courier(). `vocabulary` is for results of other gateways: without them, NULL.
 */
void sc__ledger_set_sender(sc_ledger *ledger, sc__sender *send, void *context,
                           const sc_vocabulary *vocabulary);

#endif
