/**
 * @file anonymizer.h
 * @brief Positions in, cloaks out: the engine with all that it needs.
 *
 *     err = sc_anonymizer_new(map, NULL, &anonymizer, &diag);
 *     err = sc_anonymizer_ask(anonymizer, &ask, tag, NULL, &diag);  // for each query
 *     err = sc_anonymizer_run(anonymizer, now, &diag);  // then, and at sc_anonymizer_next_wake()
 *     while (sc_anonymizer_take(anonymizer, &outcome)) ...
 *
 * An anonymizer admits queries (query.h), runs an engine (engine.h), prunes what the engine finds
 * (prune.h), accepts every cloak that keeps its promises and puts the members of every other one
 * back in the queue. A program that needs more control, such as pruning in threads or several
 * engines that share queries, uses these parts directly.
 *
 * What it promises:
 *  1. Every query that was admitted ends exactly once: in a cloak, as a drop, or by
 *     sc_anonymizer_cancel().
 *  2. A call that fails for lack of memory can be repeated and loses no query. What
 *     sc_anonymizer_run() had finished before it failed can be taken.
 *  3. It reads no clock: time is what `ask.t` and `now` say.
 *  4. Random choices come from libsodium unless a seed is given. With the same seed, the same
 *     calls give the same cloaks, and those of `starcloak cloak --seed`.
 *  5. Users and positions are read during sc_anonymizer_ask() and not kept; what is kept of a
 *     query (segment, needs, keyed hashes) is wiped when the query ends, and when the anonymizer
 *     is freed. With continuity the last cloak of each user is kept, by pseudonym; it is wiped by
 *     the first sc_anonymizer_ask() or sc_anonymizer_run() at a time when it is older than tau.
 *
 * One anonymizer belongs to one thread at a time; any number of them may share one map.
 */
#ifndef STARCLOAK_ANONYMIZER_H
#define STARCLOAK_ANONYMIZER_H

#include <starcloak/admit.h>
#include <starcloak/continuity.h>
#include <starcloak/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How to anonymize. Start from sc_anonymizer_options_default(). */
typedef struct sc_anonymizer_options {
    sc_engine_options engine;
    sc_limits limits;    ///< what a query may ask for
    sc_profile profile;  ///< of queries whose own profile is all zero; within the limits
    /** Patient: queries count roads by the part of them that their user can have reached since its
     * last cloak. */
    bool has_continuity;
    sc_continuity_options continuity;  ///< used only if has_continuity
    const uint8_t *key;  ///< SC_KEY_SIZE secret bytes for ids and pseudonyms, read only by
                         ///< sc_anonymizer_new(); NULL: drawn at random
    bool is_seeded;      ///< for tests and simulations: `seed` determines all random choices
    uint64_t seed;       ///< used only if is_seeded
} sc_anonymizer_options;

/**
 * The defaults of the engine and of the limits; a profile of 5 users, 5 segments, 8 hops and 10
 * seconds; no continuity, but its defaults; a key drawn at random; randomness of libsodium.
 */
SC_API sc_anonymizer_options sc_anonymizer_options_default(void);

/** An anonymizer. Opaque. */
typedef struct sc_anonymizer sc_anonymizer;

/**
 * @param map      borrowed; must outlive the result
 * @param options  copied, the key too; NULL: the defaults
 * @param out      set on success; free with sc_anonymizer_free()
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (an option of the engine or a limit out of range, continuity
 *         with another engine than patient or on a map that is not in metres), SC_EPROFILE (the
 * profile is beyond the limits), SC_EIO (the system gives no randomness)
 */
SC_API SC_CHECKED sc_err sc_anonymizer_new(const sc_map *map, const sc_anonymizer_options *options,
                                           sc_anonymizer **out, sc_diag *diag);

/** Wipe and free, with the queries and outcomes it holds; NULL is fine. */
SC_API void sc_anonymizer_free(sc_anonymizer *anonymizer);

/** What a caller may want to keep of a query. Secret: it has the position. */
typedef struct sc_anonymizer_ticket {
    sc_query_id id;    ///< for sc_anonymizer_cancel()
    sc_time deadline;  ///< the query has ended by then
    sc_snap where;     ///< the position on the road, for sc_filter_answer()
} sc_anonymizer_ticket;

/**
 * Admit a query. Its outcome comes with a later sc_anonymizer_run(). A query that is refused
 * changes nothing, and the sentence in `diag` repeats neither its user nor its position.
 *
 * @param ask     read only during this call. A profile that is all zero stands for that of the
 *                options. Times must not decrease from one query to the next
 * @param tag     the caller's, returned with the outcome: an index, or a pointer as a number
 * @param ticket  set on success; may be NULL
 * @return SC_OK, or why not: as sc_admission_admit(); SC_ELATE (the deadline is before the time of
 *         the last run)
 */
SC_API SC_CHECKED sc_err sc_anonymizer_ask(sc_anonymizer *anonymizer, const sc_ask *ask,
                                           uint64_t tag, sc_anonymizer_ticket *ticket,
                                           sc_diag *diag);

/**
 * Withdraw a query: it then has no outcome.
 *
 * @return SC_OK, SC_EUNKNOWN (it has ended, or was never admitted)
 */
SC_API SC_CHECKED sc_err sc_anonymizer_cancel(sc_anonymizer *anonymizer, const sc_query_id *id);

/**
 * Let the clock be `now`: find cloaks, and drop queries whose deadline has passed. SC_TIME_NEVER
 * runs at every sc_anonymizer_next_wake() that is left, until all queries have ended: for the end
 * of a file, where no clock is waited for.
 *
 * @return SC_OK, SC_ETIME (earlier than the last run: nothing is done), SC_ENOMEM (call again)
 */
SC_API SC_CHECKED sc_err sc_anonymizer_run(sc_anonymizer *anonymizer, sc_time now, sc_diag *diag);

/**
 * When sc_anonymizer_run() has something to do next if no query comes before; SC_TIME_NEVER if
 * there is nothing. Later than the last run.
 */
SC_API sc_time sc_anonymizer_next_wake(const sc_anonymizer *anonymizer);

/** What became of a query, or of several that share a cloak. */
typedef struct sc_anonymizer_outcome {
    sc_time t;              ///< of the run that decided it
    const sc_cloak *cloak;  ///< NULL: a query was dropped. The tags of its members are
                            ///< members[i].query.owner
    uint64_t dropped_tag;   ///< of the query that was dropped
    sc_drop_reason reason;  ///< why it was
} sc_anonymizer_outcome;

/**
 * The oldest outcome not yet taken; false if there is none.
 *
 * @param out  set if there is one. Its cloak is lent until the next call of this function or of
 *             sc_anonymizer_free()
 */
SC_API bool sc_anonymizer_take(sc_anonymizer *anonymizer, sc_anonymizer_outcome *out);

/** Counts since the beginning. Cloaks that broke a promise and were not let out are `broken`. */
SC_API sc_engine_stats sc_anonymizer_get_stats(const sc_anonymizer *anonymizer);

/** Of what is kept for continuity; all 0 without it. */
SC_API sc_continuity_stats sc_anonymizer_get_continuity_stats(const sc_anonymizer *anonymizer);

#ifdef __cplusplus
}
#endif
#endif
