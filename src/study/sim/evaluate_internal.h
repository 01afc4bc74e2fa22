/**
 * @file evaluate_internal.h
 * @brief Inside an evaluation: batches of cloaks, the way to the provider and back, and checks.
 */
#ifndef SC_SIM_EVALUATE_INTERNAL_H
#define SC_SIM_EVALUATE_INTERNAL_H

#include <starcloak/lbs.h>
#include <starcloak/point_provider.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include "record/record_write.h"
#include "record/run_reader.h"
#include "sim/evaluate.h"

// === Batches (batch.c) ==========================================================================
// A clock reading costs as much as half a cloak, so cloaks are taken in batches, and time is taken
// around one step of all of them. Until a batch is done its lines are kept, and answers are written
// behind their cloaks. Memory is used again from one batch to the next.

/** Cloaks in a batch: enough that reading the clock costs nothing. */
enum { SC_BATCH_CLOAKS = 64 };

/** A batch ends, too, when its lines are that many bytes: a record may have few cloaks. */
#define SC_BATCH_BYTES ((size_t)1 << 20)

/** What became of a member. */
typedef enum sc_batch_end {
    SC_BATCH_ANSWERED,
    SC_BATCH_REFUSED,  ///< a request that no provider is asked for
    SC_BATCH_FAILED,   ///< the provider gave no answer, or none that can be believed
} sc_batch_end;

/** A member of a cloak, and its answer. */
typedef struct sc_batch_member {
    size_t query;  ///< its id: where in `texts`, and how long
    size_t query_size;
    sc_edge_id edge;
    double offset_m;
    sc_request request;

    sc_batch_end end;
    uint32_t which;  ///< the place of its request in the relay
    size_t candidates;
    size_t distinct;
    size_t first_result;  ///< in `results`
    size_t result_count;
} sc_batch_member;

/** A cloak on its way to the provider and back. */
typedef struct sc_batch_cloak {
    uint64_t number;
    sc_time t;
    uint64_t line;
    size_t text_end;  ///< the lines up to its own are [0, text_end) of `text`
    size_t first_id;  ///< in `ids`: segments, then border nodes
    size_t segment_count;
    size_t border_node_count;
    size_t first_member;
    size_t member_count;

    sc_err failure;   ///< SC_OK: all members that are not refused are answered
    sc_relay *relay;  ///< what leaves; NULL if there is nothing to ask for
    sc_bytes bytes_out;
    sc_relay *received;  ///< the same as the provider reads it
    sc_reply said;       ///< what the provider answers
    sc_bytes bytes_in;
    sc_reply reply;                ///< the same as it is read here
    sc_point_reply *points;        ///< instead of the last five, from a provider that knows points
    sc_objects *areas;             ///< what a provider of areas listed; held
    const sc_object_table *table;  ///< what the numbers of results mean
    size_t area_bytes_out;         ///< of questions to a provider of areas
    size_t area_bytes_in;
    sc_bytes area_lines;  ///< what was asked for, as lines of a record
} sc_batch_cloak;

/** Zero-initialise; release with sc_batch_fini(). */
typedef struct sc_batch {
    sc_batch_cloak cloaks[SC_BATCH_CLOAKS];
    size_t cloak_count;
    size_t ready_count;  ///< cloaks whose replies have been initialised
    char *text;          ///< lines, each with its line end
    size_t text_size;
    size_t text_capacity;
    char *texts;  ///< ids of members
    size_t texts_size;
    size_t texts_capacity;
    uint32_t *ids;
    size_t id_count;
    size_t id_capacity;
    sc_batch_member *members;
    size_t member_count;
    size_t member_capacity;
    sc_near *results;
    size_t result_count;
    size_t result_capacity;
    sc_request *requests;  ///< of one cloak's members, as the relay wants them
    size_t request_capacity;
    uint32_t *which;
    size_t which_capacity;
    uint32_t *objects;  ///< candidates of one request, to be counted
    size_t object_capacity;
} sc_batch;

/** Harmless twice. */
void sc_batch_fini(sc_batch *batch);

/** Nothing is in it any more; memory is kept. */
void sc_batch_clear(sc_batch *batch);

static inline bool sc_batch_is_full(const sc_batch *batch)
{
    return batch->cloak_count == SC_BATCH_CLOAKS || batch->text_size >= SC_BATCH_BYTES;
}

/** Take in a line; if it is a cloak, the batch must not be full. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_batch_add(sc_batch *batch, const sc_run_line *line);

/** The same with a cloak that is on no line of a record. */
SC_CHECKED sc_err sc_batch_add_cloak(sc_batch *batch, const sc_run_cloak *told);

/**
 * Make the relay of a cloak out of the requests that `limits` allow; the others are refused.
 *
 * @param category_count  how many categories there are
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_batch_make_relay(sc_batch *batch, sc_batch_cloak *cloak, const sc_map *map,
                                      const sc_request_limits *limits, uint32_t category_count,
                                      sc_rng *rng);

/** Keep the answer to a member (results are copied). @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_batch_keep_answer(sc_batch *batch, sc_batch_member *member,
                                       const sc_near *results, size_t count);

/** How many different objects a reply has for one request. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_batch_count_distinct(sc_batch *batch, const sc_reply *reply, size_t request,
                                          size_t *out);

/** Write the lines, and behind each cloak what became of its members. */
void sc_batch_write(const sc_batch *batch, sc_record *record, bool are_foreign);

// === Checks (evaluate.c) ========================================================================
// Answers put aside, evenly spread over a record, to be compared with a plain search.
//
// How many answers a record has is known only at its end. So every one is put aside at first;
// when there are twice as many as wanted, every second is let go, and from then on every second is
// put aside; and so on. Where all are wanted, they are compared as soon as there are some.
//
// The plain search is sc_lbs_nearest(): from the exact position over the whole map, without
// cloak or index. Distances must be equal to a millimetre, rank by rank.

/** An answer. */
typedef struct sc_check {
    sc_edge_id edge;
    double offset_m;
    sc_request request;
    uint64_t line;  ///< of its cloak
    double *costs;  ///< of its results, nearest first
    size_t count;
} sc_check;

/** Zero-initialise but for what comes first; release with sc_checks_fini(). */
typedef struct sc_checks {
    sc_lbs *lbs;
    const sc_objects *objects;
    uint64_t wanted;  ///< answers; UINT64_MAX: all

    uint64_t checked;
    uint64_t wrong;
    uint64_t first_wrong;  ///< the line of its cloak

    sc_check *kept;
    size_t kept_count;
    size_t kept_capacity;
    uint64_t seen;
    uint64_t stride;  ///< one of so many is put aside; 0 before the first
} sc_checks;

/**
 * The next answer: put it aside if it is one to be compared.
 *
 * @param check  its distances are made from `results`
 */
SC_CHECKED sc_err sc_checks_add(sc_checks *checks, sc_check check, const sc_near *results,
                                sc_diag *diag);

/** There are no more: compare those that are left. */
SC_CHECKED sc_err sc_checks_finish(sc_checks *checks, sc_diag *diag);

/** Harmless twice. */
void sc_checks_fini(sc_checks *checks);

// === What a provider of areas was asked (area_lines.c) ==========================================
// Lines of a record that tell which tiles a cloak needed, which were asked for because of it, and
// what the provider listed there. docs/records.md has their form.

typedef struct sc_area_lines sc_area_lines;

/** @param asker  borrowed, as `vocabulary` */
SC_CHECKED sc_err sc_area_lines_new(const sc_area_provider *provider, sc_area_asker *asker,
                                    const sc_vocabulary *vocabulary, sc_area_lines **out,
                                    sc_diag *diag);

/** NULL is fine. */
void sc_area_lines_free(sc_area_lines *lines);

/** From now on there is a record. Returns the line with the fixed tiles for its beginning; lent. */
sc_slice sc_area_lines_start(sc_area_lines *lines);

/** The next that is asked for is this cloak. */
void sc_area_lines_begin(sc_area_lines *lines, uint64_t cloak);

/** It has been asked for: append its lines, if there is a record. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_area_lines_end(sc_area_lines *lines, sc_bytes *out);

// === Exchanges (exchange.c) =====================================================================
// A batch of cloaks goes to a provider and comes back as answers.
//
// Three kinds: the built-in provider, through the real bytes of an encoding, one that knows points
// only, and one that knows areas. The first two take time around each step of the whole batch.
//
// A cloak that the provider cannot answer, or answers in a way that cannot be believed, is marked
// as failed and the batch goes on. What is wrong with a cloak itself ends it.

/** Zero-initialise, then sc_exchange_init(); release with sc_exchange_fini(). */
typedef struct sc_exchange {
    const sc_map *map;
    const sc_evaluate_options *options;  ///< borrowed
    const sc_vocabulary *vocabulary;     ///< of the provider
    sc_rng *rng;
    sc_lbs *lbs;        ///< of the built-in provider; else NULL
    sc_filter *filter;  ///< NULL if the provider knows points only
    sc_codec_limits limits;
    bool are_foreign;           ///< the objects are not the map's own
    sc_area_lines *area_lines;  ///< NULL: no provider of areas
    sc_batch *batch;            ///< at hand
    sc_evaluate_report *report;
    bool was_reached;         ///< a provider elsewhere has answered at least once
    const char *record_name;  ///< for messages; NULL: the cloaks are of no record
} sc_exchange;

/** @param report  told of times, work and failures; borrowed */
SC_CHECKED sc_err sc_exchange_init(sc_exchange *exchange, const sc_map *map,
                                   const sc_evaluate_options *options, sc_evaluate_report *report,
                                   sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_exchange_fini(sc_exchange *exchange);

/** Send the batch to the provider and read its answers. */
SC_CHECKED sc_err sc_exchange_run(sc_exchange *exchange, sc_batch *batch, sc_diag *diag);

#endif
