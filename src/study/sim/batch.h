/**
 * @file batch.h
 * @brief Some cloaks, evaluated together, and the lines of a record between them.
 *
 * A clock costs as much as half a cloak, so cloaks are taken in batches, and time is taken around
 * one step of all of them. Until a batch is done its lines wait here, and answers are written
 * behind their cloaks.
 *
 * Everything is kept and used again from one batch to the next.
 *
 * Uses: record, relay. Used by: sim/evaluation, sim/exchange, sim/point_exchange.
 */
#ifndef SC_SIM_BATCH_H
#define SC_SIM_BATCH_H

#include <starcloak/point_provider.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include "record/record_write.h"
#include "record/run_reader.h"

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
    sc_relay *heard;  ///< the same as the provider reads it
    sc_reply said;    ///< what the provider answers
    sc_bytes bytes_in;
    sc_reply reply;                ///< the same as it is read here
    sc_point_reply *points;        ///< instead of the last five, from a provider that knows points
    const sc_object_table *table;  ///< what the numbers of results mean
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

#endif
