/**
 * @file evaluate.h
 * @brief Answering cloaks by a provider: those of a run record, or any others.
 *
 * Each cloak goes the whole way: its members' requests become a relay, the relay becomes bytes,
 * the provider reads these and answers, its reply becomes bytes, and out of these the exact
 * answer of every member is made.
 *
 * CPU time is taken around batches of cloaks, separately for the provider, for the two
 * directions of the encoding, and for the trusted side (making relays, checking replies,
 * filtering). Reading and writing records is not in it.
 */
#ifndef SC_SIM_EVALUATE_H
#define SC_SIM_EVALUATE_H

#include <starcloak/answer.h>
#include <starcloak/area_provider.h>
#include <starcloak/lbs.h>
#include <starcloak/point_provider.h>
#include <starcloak/progress.h>
#include <starcloak/relay_codec.h>

#include "record/record_write.h"
#include "record/run_reader.h"
#include "sim/run.h"

/** For `check_count`: every answer. */
#define SC_CHECK_ALL UINT64_MAX

typedef struct sc_evaluate_options {
    // Who answers: the built-in provider from these objects, or one that knows points, or
    // one that knows areas.
    const sc_objects *objects;  ///< of the map, or of a database
    sc_lbs_options lbs;
    sc_encoding encoding;
    sc_point_provider *points;  ///< instead of objects, encoding and filter; or
    sc_area_asker *areas;       ///< instead of objects and encoding; and its provider
    const sc_area_provider *area_provider;
    const sc_vocabulary *vocabulary;  ///< the words for categories of these two

    sc_filter_options filter;
    uint64_t check_count;  ///< answers to compare with a plain search, spread evenly; 0: none
    bool is_seeded;        ///< draw the order of requests from `seed`, else as a service would
    uint64_t seed;
    sc_progress progress;
} sc_evaluate_options;

/** No provider yet; the defaults of lbs.h and answer.h; compact; no checks. */
sc_evaluate_options sc_evaluate_options_default(void);

typedef struct sc_evaluate_report {
    uint64_t cloaks;
    uint64_t queries;  ///< their members
    uint64_t answered;
    uint64_t refused;       ///< requests for too much, or of a category that there is not:
                            ///< "failed" with reason "request"
    uint64_t failed;        ///< no answer, or none to believe: with reason "provider"
    uint64_t replaced;      ///< answers and failures that the record had before
    sc_diag first_failure;  ///< of the provider; empty: none

    sc_summary requests;   ///< per cloak: different ones
    sc_summary bytes_out;  ///< per cloak
    sc_summary bytes_in;
    sc_summary candidates;  ///< per query: objects, as they were sent
    sc_summary distinct;    ///< of them, different ones
    sc_summary results;     ///< per query

    double provider_cpu_s;
    double codec_cpu_s;
    double trusted_cpu_s;
    double provider_wall_s;  ///< with waiting, if the provider is elsewhere
    sc_lbs_work work;        ///< of the built-in provider
    uint64_t points;         ///< places asked at; of one that knows areas: tiles needed
    uint64_t questions;

    uint64_t checked;
    uint64_t wrong;        ///< of them
    uint64_t first_wrong;  ///< the line of its cloak
} sc_evaluate_report;

/** CPU seconds per cloak, all parts together; 0 if there was none. */
double sc_evaluate_cpu_per_cloak_s(const sc_evaluate_report *report);

/** There was something to answer, and nothing was. */
bool sc_evaluate_is_fruitless(const sc_evaluate_report *report);

/** Cloaks on their way. */
typedef struct sc_evaluation sc_evaluation;

/**
 * @param map  borrowed, as `options` and what they point to; all must outlive the result
 * @return SC_OK, SC_EINVAL, SC_EIO (no randomness), SC_ENOMEM
 */
SC_CHECKED sc_err sc_evaluation_new(const sc_map *map, const sc_evaluate_options *options,
                                    sc_evaluation **out, sc_diag *diag);

/** NULL is fine. */
void sc_evaluation_free(sc_evaluation *evaluation);

/** The category names of the provider; lent. */
const sc_vocabulary *sc_evaluation_vocabulary(const sc_evaluation *evaluation);

/**
 * What follows are lines of a record.
 *
 * @param name  what messages call it; borrowed, as `copy`
 * @param copy  lines are written to it, and answers behind their cloaks; NULL: nowhere
 */
void sc_evaluation_of_record(sc_evaluation *evaluation, const char *name, sc_record *copy);

/**
 * The next line of a record. Cloaks are answered when there are enough for a batch.
 *
 * @return SC_OK, also if the provider does not answer, or as sc_evaluate()
 */
SC_CHECKED sc_err sc_evaluation_add_line(sc_evaluation *evaluation, const sc_run_line *line,
                                         sc_diag *diag);

/** The same with a cloak that is on no line; its members need no ids. */
SC_CHECKED sc_err sc_evaluation_add(sc_evaluation *evaluation, const sc_run_cloak *cloak,
                                    sc_diag *diag);

/** Whether nothing waits: all that was added has been answered, and written. */
bool sc_evaluation_is_idle(const sc_evaluation *evaluation);

/** There is no more: answer what waits, finish the checks and fill in `report`. */
SC_CHECKED sc_err sc_evaluation_finish(sc_evaluation *evaluation, sc_evaluate_report *report,
                                       sc_diag *diag);

// === A whole record =============================================================================

/**
 * Evaluate the record at `path` ("-" is standard input; xz and gzip are unpacked). The new record
 * has the answers right behind their cloaks; answers and failures that were there before are left
 * out.
 *
 * @param output  where the new record goes, as sc_record_open(); may be `path`. NULL: nowhere. On
 *                failure, and if the evaluation was fruitless, it is as it was
 * @return SC_OK, also if queries fail or answers are wrong; SC_EIO, SC_EPARSE (not a record),
 *         SC_EMISMATCH (of another map), SC_EINVAL (options), SC_ENET (the provider was never
 *         reached), SC_ELIMIT, SC_ENOCOORDS, SC_ENOMEM
 */
SC_CHECKED sc_err sc_evaluate(const sc_map *map, const char *path, const char *output,
                              const sc_evaluate_options *options, sc_evaluate_report *report,
                              sc_diag *diag);

#endif
