/**
 * @file attack_on_demand.h
 * @brief An attack: what would an adversary make of this cloak? Worked on in a thread of its own.
 *
 * Two kinds of attack. Of a *cloak* that was seen: its segments, and what its members asked for. Or
 * of a *method*: it cloaks some queries, which come one after the other and are alone in town, and
 * the attack is about the cloak that the first of them is in.
 *
 * The adversary is attack.h's, with correlation-based replay and a modest number of replays, so
 * that one attack takes a second or two at most, and odd ones ten (attack_on_demand.c has the
 * measurements). It knows nothing but what the attack has: no record, no user, and no position but
 * the segments that the request names.
 */
#ifndef SC_DEMO_ATTACK_ON_DEMAND_H
#define SC_DEMO_ATTACK_ON_DEMAND_H

#include <starcloak/attack.h>

#include <stdatomic.h>

/** At most so many segments of a cloak, and members or queries: with all of them, an attack still
 * fits into the body that a service takes by default (16 KiB). */
enum { SC_ATTACK_REQUEST_SEGMENTS_MAX = 1000, SC_ATTACK_REQUEST_MEMBERS_MAX = 64 };

/** At most so many replays may be asked for; more would take too long. */
enum { SC_ATTACK_REQUEST_SAMPLES_MAX = 1000000 };

typedef struct sc_attack_request {
    // From the request.
    sc_variant method;
    sc_seg_id *segments;  ///< of the cloak, ascending, each once; NULL: the method is to make one
    size_t segment_count;
    sc_needs *members;  ///< of a cloak: what they asked for; of a method: the same of its queries
    sc_seg_id *places;  ///< of a method: where each of these is; NULL otherwise
    size_t member_count;
    unsigned loop;  ///< whose request it is; never looked at here
    void *context;
    atomic_bool is_unwanted;  ///< sc_attack_give_up()

    /** What came of it; `segments` are then the cloak's in both kinds. SC_EINTERRUPTED: given up;
     * SC_ELATE: a handful of replays already takes too long; SC_ELIMIT: the method's cloak has
     * more than SC_ATTACK_REQUEST_SEGMENTS_MAX; SC_ENOMEM. */
    sc_err err;
    sc_diag diag;
    bool is_found;  ///< a method may find no cloak for its first query
    size_t found_members;
    sc_posterior posterior;
    struct sc_attack_request *next;  ///< for its owner
} sc_attack_request;

/** A zeroed one, or NULL. */
sc_attack_request *sc_attack_request_new(void);

/** With all it has; wiped. NULL is fine. */
void sc_attack_request_free(sc_attack_request *attack);

/** The result is not wanted any more: no more work is put into it, and it comes back as
 * SC_EINTERRUPTED if that was in time. Any thread, as long as it is not freed. */
void sc_attack_give_up(sc_attack_request *attack);

typedef struct sc_attack_thread sc_attack_thread;

typedef struct sc_attack_thread_options {
    sc_engine_options engine;   ///< all but the variant, which each attack has
    const sc_density *density;  ///< borrowed; NULL: uniform
    size_t max_waiting;         ///< beside the one that is worked on, >= 1
    /** Replays of one attack, SC_ATTACK_BATCHES to SC_ATTACK_REQUEST_SAMPLES_MAX; more where few of
     * them say anything, fewer where they take long. */
    uint64_t samples;
    /** An attack is done, or was given up (err); in the attack thread, must be quick. */
    void (*done)(void *context, sc_attack_request *attack);
    void *context;
} sc_attack_thread_options;

/** The default engine, 8 that wait, 4,096 samples. */
sc_attack_thread_options sc_attack_thread_options_default(void);

/** Start its thread, all signals blocked in it, at a low priority: queries come first. Waits until
 * it has that priority, so that a sandbox may be entered next. The dice are libsodium's.
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc_attack_thread_new(const sc_map *map, const sc_attack_thread_options *options,
                                       sc_attack_thread **out, sc_diag *diag);

/** No more attacks: those that wait are given up (SC_EINTERRUPTED), and so is one that is worked
 * on, at its next replay; all of them come back soon. Any thread; does not wait for that. */
void sc_attack_thread_stop(sc_attack_thread *attacker);

/** Stop, and wait until all have come back. NULL is fine. */
void sc_attack_thread_free(sc_attack_thread *attacker);

/**
 * Take an attack. Any thread; never waits.
 *
 * @return SC_OK: `done` will be called once; SC_EBUSY (too many wait), SC_EINTERRUPTED (it has been
 * stopped), SC_EINVAL (none or too many members or segments, a need of 0), SC_EUNKNOWN (no such
 * segment): it is still the caller's
 */
SC_CHECKED sc_err sc_attack_thread_submit(sc_attack_thread *attacker, sc_attack_request *attack,
                                          sc_diag *diag);

#endif
