/**
 * @file inject.h
 * @brief An active adversary: victims among the questions of a stream, and queries of its own put
 * near them, just before they ask.
 *
 * The adversary knows roughly where its victim will be, and when: its queries go onto segments
 * drawn at random from those around the victim's, each on one of its own as long as there are
 * enough. (For that the true segment is used: it is the simulation that puts them there, and the
 * adversary learns of it only what its own queries tell.) With as many users as it needs together
 * with one stranger (k = injected + 1), they wait for exactly one more.
 *
 *     lines -> sc_injection_init() -> its lines -> any method (sim/run.h) with an sc_case_collector
 *     -> sc_injection_find() -> the cases of the victims -> sc_sighting_init() -> attack.h
 */
#ifndef SC_SCORE_INJECT_H
#define SC_SCORE_INJECT_H

#include "score/cases.h"

/** No more for one victim than this. */
enum { SC_INJECTED_MAX = 64 };

typedef struct sc_injection_options {
    uint32_t injected;     ///< for each victim; 0: victims only
    uint32_t victims;      ///< how many, at most
    sc_profile profile;    ///< of the injected; k = 0: injected + 1
    uint32_t within_hops;  ///< from a star of the victim's segment to a star of theirs
    sc_run_window window;  ///< victims ask in it; the empty one: any time
    uint64_t seed;
} sc_injection_options;

/**
 * None injected, 100 victims; k = 0, l = 1, 1 hop, 10 s; within 1 hop; any time; seed 1. Needs of
 * one hop squeeze every cloak that has such a query in it.
 */
sc_injection_options sc_injection_options_default(void);

/** A user to be found. */
typedef struct sc_victim {
    uint64_t user;  ///< sc_case_user()
    sc_time asked;
} sc_victim;

/** Zero-initialise; sc_injection_fini(), harmless twice. */
typedef struct sc_injection {
    sc_request_line
        *lines;  ///< in the order of time: those given and those injected; users are lent
    size_t line_count;
    char *names;         ///< of the injected
    sc_victim *victims;  ///< in an order drawn at random, all different users
    size_t victim_count;
    sc_hash numbers;  ///< of the victims, by user
} sc_injection;

/**
 * @param lines  in the order of time; borrowed, must outlive the injection
 * @return SC_OK, SC_EINVAL (an option out of range, or a user in the stream whose name begins with
 *         SC_INJECTED_PREFIX), SC_ELIMIT (more lines than can be numbered), SC_ENOMEM. Lines whose
 *         position cannot be snapped have no victims
 */
SC_CHECKED sc_err sc_injection_init(sc_injection *injection, const sc_map *map,
                                    const sc_request_line *lines, size_t line_count,
                                    const sc_injection_options *options, sc_diag *diag);

void sc_injection_fini(sc_injection *injection);

/**
 * The cases of the victims, in the victims' order: their places in `cases`, each once.
 *
 * @param which  room for `victim_count`
 * @return how many of them were cloaked
 */
size_t sc_injection_find(const sc_injection *injection, const sc_cases *cases, size_t *which);

#endif
