/**
 * @file engine.h
 * @brief The cloaking engine: queries in, candidates and drops out, on a clock handed in.
 *
 *     err = sc_engine_add(engine, &query);        // as they come
 *     err = sc_engine_run(engine, now);           // then, and at sc_engine_next_wake()
 *     while ((cloak = sc_engine_take_candidate(engine))) {
 *         err = sc_pruner_prune(pruner, cloak, rng);     // here, or in a pool
 *         if (!err) err = sc_engine_accept(engine, cloak, now, &diag);
 *         if (!err) ...                           // its segments may leave
 *         else err = sc_engine_refuse(engine, cloak, NULL, 0);  // its members go on
 *         sc_cloak_free(cloak);
 *     }
 *     while (sc_engine_take_drop(engine, &drop)) ...
 *
 * What an engine promises:
 *  1. Every query added ends in exactly one way: in an accepted cloak, as a drop,
 *     or by sc_engine_remove() (P8).
 *  2. A cloak is a proposal until it is accepted. Refused, its members that are not
 *     gone go on with their deadlines.
 *  3. It never reads a clock and draws random numbers only from the generator it
 *     was given: the same calls give the same answers.
 *  4. A call that fails for lack of memory has changed nothing, or, for
 *     sc_engine_run(), has stopped between two steps and goes on when called again (a
 *     random number drawn before it stopped is then drawn again).
 *  5. It knows segments, not positions, and pseudonyms, not users.
 *
 * Engines share nothing but the map: any number of them may live in one process.
 * One engine belongs to one thread at a time. docs/engine.md tells the algorithm.
 */
#ifndef STARCLOAK_ENGINE_H
#define STARCLOAK_ENGINE_H

#include <starcloak/cloak.h>
#include <starcloak/cost.h>
#include <starcloak/rng.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The ways of cloaking: the three of the paper, three to compare them with (docs/methods.md), and
 * one that waits for a choice of company (docs/engine.md, "Patient"). */
#define SC_VARIANT_MAP(X)                                                             \
    X(BASIC, 0, "basic")                                                              \
    X(BOUNDED, 1, "bounded")     /* spatially bounded: level by level */              \
    X(HYBRID, 2, "hybrid")       /* bounded first, basic when the deadline is near */ \
    X(XSTAR, 3, "xstar")         /* all of a star together, as a super-star grows */  \
    X(SAMPLING, 4, "sampling")   /* roads around a query, drawn at random */          \
    X(EXPANSION, 5, "expansion") /* roads around a query, nearest first */            \
    X(PATIENT, 6, "patient")     /* at both ends of a road; the most urgent first */

typedef enum sc_variant {
#define X(name, value, word) SC_VARIANT_##name = (value),
    SC_VARIANT_MAP(X)
#undef X
        SC_VARIANT_COUNT
} sc_variant;

/** "basic", "bounded", ... */
SC_API const char *sc_variant_name(sc_variant variant);

/**
 * How many combinations a search of that variant should keep, or others try: 64, and 8 with
 * sampling, expansion and patient. More brought no success in measurements (docs/engine.md,
 * docs/methods.md).
 */
SC_API uint32_t sc_variant_cap(sc_variant variant);

/** The most combinations that a search may keep: more would take minutes, and all memory. */
#define SC_COMBINATIONS_MAX (1u << 20)

/** The largest crowd that a patient engine may wait for. */
#define SC_CROWD_MAX 1000u

/** The largest k_spread. */
#define SC_K_SPREAD_MAX 1000u

typedef struct sc_engine_options {
    sc_variant variant;
    uint32_t compactness;      ///< hops per level of a bounded search, >= 1 (lambda)
    bool is_strict;            ///< bounded: every member star within 2*lambda-1 hops of another
    sc_time consideration_us;  ///< hybrid, patient: how near a deadline is near (alpha), >= 0
    /** Patient: a newcomer starts a search once so many times its k are in reach of it, or once a
     * deadline is near; 1 to SC_CROWD_MAX. */
    uint32_t crowd;
    /** Basic, bounded, hybrid, XStar: queries gather at a star only if the largest k among them is
     * at most so many times the least, 1 to SC_K_SPREAD_MAX; patient: the search from a query, and
     * its crowd, are of those whose k is at most so many times its own, and so is XStar's
     * super-star; 0: whatever their k, as in the paper. It means nothing to the other variants. */
    uint32_t k_spread;
    /** Kept in one search, 1 to SC_COMBINATIONS_MAX. With sampling and expansion: how many others
     * try for each newcomer; with patient: dead ends of one search; with XStar it means nothing. */
    uint32_t max_combinations;
    sc_cost_model cost;
    /** Beyond l segments: traffic and strict are patient's; classes basic's, bounded's and hybrid's
     * too. An engine that cannot keep a demand is not made (SC_EINVAL). */
    sc_demands demands;
    bool is_paranoid;  ///< check every promise again when a cloak is accepted
} sc_engine_options;

/** basic; lambda 1, alpha 2 s, crowd 4, no k_spread, the 64 combinations of sc_variant_cap(),
 * default costs, not paranoid. */
SC_API sc_engine_options sc_engine_options_default(void);

/** An engine. Opaque. */
typedef struct sc_engine sc_engine;

/**
 * @param map  borrowed; must outlive the engine
 * @param rng  borrowed; the engine draws from it when it selects stars, and for sampling
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (an option out of range)
 */
SC_API SC_CHECKED sc_err sc_engine_new(const sc_map *map, const sc_engine_options *options,
                                       sc_rng *rng, sc_engine **out, sc_diag *diag);

/** Wipe the queries it holds, and free; NULL is fine. */
SC_API void sc_engine_free(sc_engine *engine);

/**
 * Put a query into the queue.
 *
 * @return SC_OK, SC_EDUPLICATE (an id that is pending or proposed), SC_EPROFILE (k or l is
 *         0), SC_EUNKNOWN (no such segment), SC_ELATE (past its deadline by the clock of
 *         the last run), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_engine_add(sc_engine *engine, const sc_query *query);

/** How many queries ahead it is best to call sc_engine_prefetch(). */
#define SC_ENGINE_PREFETCH_AHEAD 8

/**
 * Prefetch the roads around a query that will be added a few queries later. For callers that know
 * their next queries, on maps that no cache can hold; it changes nothing but the time that adding
 * takes. The engine does it by itself for queries in its queue.
 */
SC_API void sc_engine_prefetch(sc_engine *engine, const sc_query *query);

/**
 * Add a query that another engine answers for: it can be a member of a
 * cloak but starts no search, and its end here is not reported as a drop.
 *
 * @return as sc_engine_add()
 */
SC_API SC_CHECKED sc_err sc_engine_add_company(sc_engine *engine, const sc_query *query);

/**
 * Take a query out: its client went away, or it was cloaked elsewhere. Of one that
 * is in a proposal, the refusal will find it gone; an accepted proposal keeps it.
 *
 * @return SC_OK, SC_EUNKNOWN (never added, ended, or removed before)
 */
SC_API SC_CHECKED sc_err sc_engine_remove(sc_engine *engine, const sc_query_id *id);

/**
 * Let the clock be `now`: drop what has expired, search again where that helps, then
 * take the queue in order.
 *
 * @return SC_OK, SC_ETIME (earlier than the last run: nothing is done), SC_ENOMEM (call again)
 */
SC_API SC_CHECKED sc_err sc_engine_run(sc_engine *engine, sc_time now);

/** Whether a variant has a k_spread: all but sampling and expansion. */
static inline bool sc_variant_has_k_spread(sc_variant variant)
{
    return variant != SC_VARIANT_SAMPLING && variant != SC_VARIANT_EXPANSION;
}

/** Whether sc_engine_switch() knows a variant: basic, bounded or hybrid. */
static inline bool sc_variant_is_switchable(sc_variant variant)
{
    return variant == SC_VARIANT_BASIC || variant == SC_VARIANT_BOUNDED ||
           variant == SC_VARIANT_HYBRID;
}

/**
 * Search in another way from now on: basic, bounded or hybrid. Queries that wait keep their place
 * and their deadlines; they are searched for in the new way when their turn comes next. To hybrid:
 * those whose deadline is near are searched for without bounds as if they had been hybrid's from
 * the start, in the next run. Needs no memory. Time: the queries that wait.
 *
 * @return SC_OK, SC_EINVAL (not one of the three, or the engine was not made as one: nothing is
 *         done)
 */
SC_API SC_CHECKED sc_err sc_engine_switch(sc_engine *engine, sc_variant variant);

/**
 * When sc_engine_run() has something to do next: a time that may already be past if
 * there is work waiting, SC_TIME_NEVER if there is nothing.
 */
SC_API sc_time sc_engine_next_wake(const sc_engine *engine);

/** The oldest candidate not yet taken, or NULL. The caller owns it, and owes an answer. */
SC_API sc_cloak *sc_engine_take_candidate(sc_engine *engine);

/**
 * A pruned cloak leaves: its members are done. Does not free it. If `now` is before the
 * last run, the time of that run counts.
 *
 * @return SC_OK; SC_ELATE (a member's deadline has passed), SC_EBROKEN (paranoid: it breaks a
 *         promise; `diag` has which), SC_ENOMEM (paranoid: it could not be checked), SC_EINVAL
 *         (not pruned): it is still a proposal, and must be refused if it is not accepted later;
 *         SC_EINVAL (not a proposal of this engine: there is nothing to refuse)
 */
SC_API SC_CHECKED sc_err sc_engine_accept(sc_engine *engine, const sc_cloak *cloak, sc_time now,
                                          sc_diag *diag);

/**
 * A proposal is off. Its members go back into the queue with their deadlines, in the
 * order in which they were first added, except `gone` of them. Does not free it.
 *
 * @return SC_OK, SC_EINVAL (not a proposal of this engine: nothing is done)
 */
SC_API SC_CHECKED sc_err sc_engine_refuse(sc_engine *engine, const sc_cloak *cloak,
                                          const sc_query_id *gone, size_t gone_count);

/** Why a query was dropped. */
#define SC_DROP_MAP(X)                                                                         \
    X(EXPIRED, 0, "expired")       /* too few others in time */                                \
    X(INFEASIBLE, 1, "infeasible") /* l exceeds all roads in reach */                          \
    X(EXPOSED, 2, "exposed")       /* roads in reach are enough, but not as its demands ask */ \
    X(RARE_REQUEST, 3,                                                                         \
      "rare-request") /* asked before, and by too few others: it would link two cloaks */

typedef enum sc_drop_reason {
#define X(name, value, word) SC_DROP_##name = (value),
    SC_DROP_MAP(X)
#undef X
        SC_DROP_REASON_COUNT
} sc_drop_reason;

/** The word that records and metrics use: "expired". */
SC_API const char *sc_drop_reason_name(sc_drop_reason reason);

/** The end of a query that found no cloak. */
typedef struct sc_drop {
    sc_query query;
    sc_drop_reason reason;
    sc_time t;  ///< of the run that dropped it
} sc_drop;

/** The oldest drop not yet taken; false if there is none. */
SC_API bool sc_engine_take_drop(sc_engine *engine, sc_drop *out);

/** What an engine has done and holds. */
typedef struct sc_engine_stats {
    uint64_t added;  ///< queries; company is not in this and the next five
    uint64_t accepted;
    uint64_t dropped[SC_DROP_REASON_COUNT];
    uint64_t removed;           ///< by sc_engine_remove(), or gone when a proposal was refused
    uint64_t pending;           ///< in the queue or the graph now
    uint64_t proposed;          ///< in candidates not yet accepted or refused
    uint64_t company;           ///< added as company
    uint64_t company_accepted;  ///< of them, those in accepted cloaks
    uint64_t company_held;      ///< in the queue, the graph or a proposal now
    uint64_t cloaks;            ///< accepted
    uint64_t refused;           ///< cloaks
    uint64_t broken;            ///< of them, those that verification found (is_paranoid)
    uint64_t searches;          ///< from a vertex, or from a query with patient; or tries of
                                ///< single queries
    uint64_t checks;            ///< of combinations, of super-stars or of sets of segments
    uint64_t cap_hits;          ///< searches that could not keep all their combinations, or, with
                                ///< patient, ends at which all dead ends were met; or
                                ///< newcomers for which not all queries tried that it might help
    uint64_t settled;           ///< strict demands: sets of stars that were settled
    uint64_t settle_failures;   ///< of them, those that could not be
    uint64_t ends_taken_back;   ///< strict demands: cloaks whose members kept the ends of the
                                ///< search, since others could not be settled
    uint64_t vertices;          ///< of the cloaking graph now; patient has none
    uint64_t active_stars;      ///< now
} sc_engine_stats;

/** All of it, as of now. */
SC_API sc_engine_stats sc_engine_get_stats(const sc_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
