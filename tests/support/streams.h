/**
 * @file streams.h
 * @brief Random towns and random streams of queries, to drive engines through.
 *
 * A stream is what the world does to an engine: queries come (some as company,
 * some that must be refused), clients go away, the clock moves on, often by
 * nothing, often to the very moment of a deadline or of a wake. All of it follows
 * from a seed. Maps are small and times are a few microseconds, so that much
 * falls together.
 *
 *     for (step now; stream_next(&s, sc_engine_next_wake(engine), &now);) ...
 *
 * It also keeps the book on how each query ended (P8).
 */
#ifndef SC_TESTS_SUPPORT_STREAMS_H
#define SC_TESTS_SUPPORT_STREAMS_H

#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "base/rng.h"

/** What kinds of maps stream_map() makes, one after the other. */
enum { STREAM_MAP_KINDS = 6 };

/**
 * A small map, by `seed` one of: a random town of 3 to 15 junctions with loops, double
 * roads and dead ends; a grid; an odd one (sketch_odd()); a long street; a circle; a
 * named picture. Some have objects on their roads, so that lengths weigh in the cost.
 */
sc_map *stream_map(uint64_t seed);

/**
 * Sixteen junctions in a row with side streets, some of them joined, so that something can be far:
 *      o     o---o---o
 *      |     |   |   |
 *    --o--o--o---o---o--o-- ...
 */
sc_map *stream_long_street(uint64_t seed);

/** Options of an engine: any variant but patient, lambda 1 to 3, any alpha, caps of 1, 2, 4 and 64,
 * k_spread 0 in two of five. */
sc_engine_options stream_options(uint64_t seed);

/** Queries of one stream, at most; most_queries is usually far less. */
enum { STREAM_QUERIES = 400 };

typedef struct stream {
    sc_rng rng;
    const sc_map *map;  ///< borrowed
    sc_time now;
    uint32_t steps_left;
    // What is drawn from.
    uint32_t user_count;
    uint32_t least_k;
    uint32_t most_k;
    uint32_t most_l;
    uint32_t most_hops;
    uint32_t segment_count;  ///< only the first ones are asked from
    sc_time longest_wait;
    bool has_company;
    bool has_switches;  ///< the engine, one of the three, is often told to search in another way
    uint32_t most_queries;
    uint32_t runs_per_time;  ///< the clock stands still in most runs if this is large
    /** What a query asks by itself; NULL: nothing. */
    const sc_own_demands *(*own_of)(void *context, const sc_query *query);
    void *own_context;
    // The book.
    uint32_t asked;
    sc_query queries[STREAM_QUERIES];
    bool is_company[STREAM_QUERIES];
    uint32_t ends[STREAM_QUERIES];  ///< how many times it has ended
} stream;

stream stream_new(uint64_t seed, const sc_map *map);

/** Let queries come from all roads: users are enough only where several of them come together. */
void stream_scatter(stream *s);

typedef enum step_kind {
    STEP_ADD,
    STEP_ADD_COMPANY,
    STEP_ADD_BAD,  ///< a query that the engine must refuse with `refusal`
    STEP_REMOVE,   ///< perhaps of something that has ended long ago
    STEP_SWITCH,   ///< to `variant`
    STEP_RUN,      ///< at `now`; then the candidates are to be answered
} step_kind;

typedef struct step {
    step_kind kind;
    sc_query query;
    sc_err refusal;
    sc_query_id id;
    sc_variant variant;
    sc_time now;
} step;

/**
 * What happens next; false at the end.
 *
 * @param wake  when the engine wants to be woken; the clock often jumps there
 */
bool stream_next(stream *s, sc_time wake, step *out);

/** What becomes of a proposal. */
typedef enum answer_kind { ANSWER_ACCEPT, ANSWER_REFUSE, ANSWER_LATER } answer_kind;

/** @param gone  room for all members; of a refusal: who has gone */
answer_kind stream_answer(stream *s, const sc_cloak *cloak, sc_query_id *gone, size_t *gone_count);

/** The query of that id has ended; it must be one of this stream that had not. */
void stream_end(stream *s, const sc_query_id *id);

/** Every query has ended exactly once; company may have ended without a word. */
void stream_check_ends(const stream *s);

/** A query as tests write it: the id is made from `number`, which is also the user. */
sc_query plain_query(uint32_t number, sc_seg_id segment, uint32_t k, uint32_t l, uint32_t max_hops,
                     sc_time deadline);

/** The id that plain_query() makes. */
sc_query_id plain_id(uint32_t number);

/** Told of each accepted cloak. */
typedef void stream_witness(void *context, const sc_cloak *cloak, sc_time now);

/**
 * Drive an engine through the whole stream, prune inline, answer every proposal, then let the clock
 * run until all have ended. Checks the book and that the engine's counts add up.
 */
void stream_drive(stream *s, sc_engine *engine, stream_witness *witness, void *context);

#endif
