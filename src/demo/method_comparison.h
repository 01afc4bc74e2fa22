/**
 * @file method_comparison.h
 * @brief Secret: the same questions, cloaked by several methods side by side, with what came of it.
 *
 * Each method has an engine of its own. A question is added to all of them at the moment at which
 * it was asked, with the same segment, needs and deadline; so each method finds company among the
 * same questions. Cloaks are found and counted, and go nowhere.
 *
 *     err = sc_comparison_new(map, &options, now, &comparison, &diag);
 *     err = sc_comparison_ask(comparison, &query, asked);       // in the order of time
 *     err = sc_comparison_advance(comparison, now);             // now and then
 *     figures = sc_comparison_figures_of(comparison, i);        // of each method
 *
 * Time is that of the questions, not that of a clock: a comparison that is served late comes to the
 * same result. Every cloak is checked by the verifier before it counts.
 *
 * One thread at a time. After an error (SC_ENOMEM) methods may have been given different questions:
 * free the comparison.
 */
#ifndef SC_DEMO_METHOD_COMPARISON_H
#define SC_DEMO_METHOD_COMPARISON_H

#include <starcloak/cloak.h>
#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/query.h>

enum { SC_COMPARISON_METHODS_MAX = 3 };

/** Figures are those of so many seconds. */
enum { SC_COMPARISON_WINDOW_S = 60 };

/** Questions that may wait for longer are left out, and those beyond so many that wait: what is
 * kept in memory stays bounded. */
enum { SC_COMPARISON_LONGEST_WAIT_S = 600, SC_COMPARISON_PENDING_MAX = 65536 };

/** A cloak that a method has found. */
typedef struct sc_compared_cloak {
    size_t method;          ///< in the order of sc_comparison_method()
    sc_variant variant;     ///< which one it is
    const sc_cloak *cloak;  ///< lent, with its members
    uint32_t users;         ///< different ones among them
    sc_time t;              ///< when it was found
} sc_compared_cloak;

typedef struct sc_comparison_options {
    sc_variant methods[SC_COMPARISON_METHODS_MAX];  ///< all different
    size_t method_count;
    sc_engine_options engine;  ///< the operator's parameters of all methods
    sc_rng *rng;  ///< the dice of all engines are forked from it, in sc_comparison_new()
    /** A method has found a cloak, in a call of the next functions. May be NULL. */
    void (*cloaked)(void *context, const sc_compared_cloak *found);
    void *context;
} sc_comparison_options;

typedef struct sc_comparison sc_comparison;

/**
 * @param map  borrowed
 * @param now  no question is older
 * @return SC_OK; then methods that cannot keep the operator's demands (sc_engine_new(): SC_EINVAL)
 *         are left out, and there may be none; SC_EINVAL (too many methods), SC_ENOMEM
 */
SC_CHECKED sc_err sc_comparison_new(const sc_map *map, const sc_comparison_options *options,
                                    sc_time now, sc_comparison **out, sc_diag *diag);

/** Wipes the questions that wait; NULL is fine. */
void sc_comparison_free(sc_comparison *comparison);

/** The methods that there are, in the order of the options; `method` counts from 0. */
size_t sc_comparison_method_count(const sc_comparison *comparison);
sc_variant sc_comparison_method(const sc_comparison *comparison, size_t method);

/**
 * A question comes: all that happens before it, then the question.
 *
 * @param query  its id is new, its deadline not before `asked`; `owner` is not kept
 * @param asked  if it is earlier than a moment that has been, it counts as asked then
 * @return SC_OK, or what sc_engine_add() and sc_engine_run() say
 */
SC_CHECKED sc_err sc_comparison_ask(sc_comparison *comparison, const sc_query *query,
                                    sc_time asked);

/** Let the clock be `now`; earlier than before is as before. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_comparison_advance(sc_comparison *comparison, sc_time now);

/** A cloak of a method was attacked: the sum, over its members, of the probability that the
 * adversary gives to the member's true segment. Counts now. */
void sc_comparison_add_attack(sc_comparison *comparison, size_t method, double sum,
                              size_t member_count);

/** Of the last SC_COMPARISON_WINDOW_S whole seconds; an average of nothing is NAN. */
typedef struct sc_comparison_figures {
    /** Questions whose deadline was in that time, so that what became of them is certain: the same
     * for all methods. */
    uint64_t asked;
    uint64_t cloaked;     ///< of them; the others were dropped
    uint64_t pending;     ///< questions that wait now
    uint64_t cloaks;      ///< that were found in that time
    double users;         ///< of a cloak
    double segments;      ///< the same
    double border_nodes;  ///< the same
    double wait_s;        ///< of their members, from the question to the cloak
    double chance;        ///< of an adversary, on a member's true segment
    uint64_t attacked;    ///< cloaks, in that time
    uint64_t violations;  ///< cloaks that broke a promise, since the start; none of them is counted
} sc_comparison_figures;

sc_comparison_figures sc_comparison_figures_of(const sc_comparison *comparison, size_t method);

/** Questions that were left out, since the start. */
uint64_t sc_comparison_left_out(const sc_comparison *comparison);

#endif
