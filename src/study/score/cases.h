/**
 * @file cases.h
 * @brief Cloaks of a run with the truth about their members: what attacks are tried and scored on.
 *
 * A *case* has two sides. What the adversary gets is made by sc_sighting_init() and holds segments
 * and needs only; true segments and users stay here and meet the adversary's guesses in score.h.
 *
 * Cases come from a run that is listened to (sc_case_collector), or from its record
 * (sc_case_record_read()).
 */
#ifndef SC_SCORE_CASES_H
#define SC_SCORE_CASES_H

#include <starcloak/attack.h>
#include <starcloak/map.h>
#include <starcloak/progress.h>
#include <starcloak/query.h>

#include "base/hash.h"
#include "record/stream.h"
#include "score/case_demands.h"
#include "sim/run.h"

/** Users whose names begin with this are the adversary's own (inject.h). */
#define SC_INJECTED_PREFIX "injected:"

/** A member of a cloak. */
typedef struct sc_case_member {
    sc_needs needs;
    sc_time asked;
    sc_time max_wait_us;
    bool is_injected;
    sc_seg_id segment;  ///< true
    uint64_t user;      ///< equal for queries of one user: sc_case_user()
} sc_case_member;

/** A cloak; all lent. */
typedef struct sc_case {
    uint64_t number;  ///< of the cloak, as a record has it
    sc_time t;        ///< when it left
    const sc_seg_id *segments;
    size_t segment_count;
    const sc_star_id *stars;        ///< T; not for the adversary, except by the rules (attack.h)
    size_t star_count;              ///< 0: the method has none, or they are not known
    const sc_case_member *members;  ///< at least one
    size_t member_count;
} sc_case;

/** What a user is called here: a hash of the name. */
uint64_t sc_case_user(const char *name, size_t size);

/** Whether a user of that name is the adversary's own. */
bool sc_case_user_is_injected(const char *name, size_t size);

/** Where a case's parts are in the lists of all. */
typedef struct sc__case_place {
    uint64_t number;
    sc_time t;
    size_t first_segment;
    size_t segment_count;
    size_t first_star;
    size_t star_count;
    size_t first_member;
    size_t member_count;
} sc__case_place;

/** Cases in the order of time. Zero-initialise; sc_cases_fini() when done, harmless twice. */
typedef struct sc_cases {
    sc__case_place *places;
    size_t count;
    size_t capacity;
    sc_seg_id *segments;
    size_t segment_count;
    size_t segment_capacity;
    sc_star_id *stars;
    size_t star_count;
    size_t star_capacity;
    sc_case_member *members;
    size_t member_count;
    size_t member_capacity;
} sc_cases;

/** Copy a case to the end. @return SC_OK, SC_ENOMEM (nothing has changed) */
SC_CHECKED sc_err sc_cases_add(sc_cases *cases, const sc_case *one);

sc_case sc_cases_at(const sc_cases *cases, size_t i);

void sc_cases_fini(sc_cases *cases);

// --- From a run ------------------------------------------------------------------

/** A listener that keeps cases. Set the window, zero the rest; sc_case_collector_fini(). */
typedef struct sc_case_collector {
    sc_run_window window;  ///< cloaks that leave in it are kept; the empty one: all
    sc_cases cases;
    uint64_t cloak_count;  ///< that have left, kept or not: their numbers

    // All who asked, until sc_case_collector_settle().
    sc_hash numbers;  ///< by query id
    sc_case_member *askers;
    size_t asker_count;
    size_t asker_capacity;
} sc_case_collector;

/** @param collector  borrowed */
sc_run_listener sc_case_collector_listener(sc_case_collector *collector);

/** The run is over: who asked is forgotten, the cases stay. */
void sc_case_collector_settle(sc_case_collector *collector);

/** Harmless twice. */
void sc_case_collector_fini(sc_case_collector *collector);

// --- From a record ---------------------------------------------------------------

/** A record, read for attacks. Zero-initialise; sc_case_record_fini(). */
typedef struct sc_case_record {
    sc_cases cases;
    bool has_engine;           ///< the record says what made it
    sc_engine_options engine;  ///< if it does
    uint64_t query_count;

    sc_case_demands demands;  ///< what the engine demanded, if the record says so

    // The questions, if they are wanted: to be asked again with others among them (inject.h).
    sc_request_line *lines;  ///< in the order of time; users are lent by `texts`
    size_t line_count;
    size_t line_capacity;
    char **texts;  ///< blocks, each filled from its end
    size_t text_count;
    size_t text_capacity;
    size_t text_left;  ///< bytes of the last one that are free
} sc_case_record;

/**
 * Read the record at `path` ("-" is standard input; xz and gzip are unpacked).
 *
 * @param wants_lines  keep the questions
 * @param progress     may be NULL; phase "reading"
 * @return SC_OK, or as sc_run_reader_next() with askers wanted; SC_EPARSE (it is not in the order
 *         of time), SC_EINVAL (there is no cloak in it). The record may be half filled then, and
 *         must be released as well
 */
SC_CHECKED sc_err sc_case_record_read(const sc_map *map, const char *path, bool wants_lines,
                                      const sc_progress *progress, sc_case_record *out,
                                      sc_diag *diag);

/** Harmless twice. */
void sc_case_record_fini(sc_case_record *record);

// --- What the adversary gets -----------------------------------------------------

/** A sighting with its own lists; its segments are the case's. Zero-initialise. */
typedef struct sc_own_sighting {
    sc_sighting sighting;
    sc_needs *strangers;
    sc_injected *injected;
} sc_own_sighting;

/**
 * What an adversary sees of a case: members that are its own with their segments, strangers
 * without. The strangers' needs are sorted, so that their order tells nothing.
 *
 * @return SC_OK, SC_EINVAL (all members are its own), SC_ENOMEM
 */
SC_CHECKED sc_err sc_sighting_init(sc_own_sighting *out, const sc_case *one);

/** Harmless twice. */
void sc_sighting_fini(sc_own_sighting *own);

#endif
