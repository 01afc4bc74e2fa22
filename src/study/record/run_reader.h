/**
 * @file run_reader.h
 * @brief A run record, read for its cloaks: which roads, which members, where they are and what
 * they ask for; and, on request, the user, time and profile of each query.
 *
 * Every line also comes as it is, so that a caller that adds to a record can write the rest of it
 * unchanged. A record is a stranger's file: what is missing, of the wrong kind or not of this map
 * is refused with file, line and field, and without a user or a position. Whether promises
 * are kept is for `starcloak verify` to say; here it is made sure that a cloak can be worked with:
 * its segments and border nodes exist and ascend, and its members have asked before, are in no
 * other cloak, and are on one of its segments.
 *
 * Memory: some 50 bytes per query of the record, and 150 more while it is open.
 */
#ifndef SC_RECORD_RUN_READER_H
#define SC_RECORD_RUN_READER_H

#include <starcloak/engine.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "base/file.h"
#include "base/text.h"
#include "record/run_demands.h"
#include "record/stream.h"
#include "record/zone_table.h"

/** What a line is to a caller that adds answers. */
typedef enum sc_run_kind {
    SC_RUN_OTHER,   ///< to be passed on
    SC_RUN_QUERY,   ///< a question; to be passed on
    SC_RUN_CLOAK,   ///< to be passed on, and answered
    SC_RUN_ANSWER,  ///< an answer, or the failure of a query in a cloak: from an earlier time
    SC_RUN_AREAS,   ///< what a provider was asked for areas: from an earlier time
    SC_RUN_END,     ///< the end; nothing follows
} sc_run_kind;

/** A query in a cloak. */
typedef struct sc_run_member {
    sc_slice query;   ///< its id, as the record has it
    uint32_t number;  ///< among the queries of the record, from 0
    sc_edge_id edge;
    double offset_m;     ///< within the edge
    sc_request request;  ///< in normal form; of an unknown category, SC_NONE is among its own
    sc_seg_id segment;
    uint32_t result_size;  ///< objects it asks for; 0 if not known
    uint32_t zone;         ///< that it is in, for sc_run_reader_zone(); SC_NONE: in none

    // After sc_run_reader_want_users(); else 0.
    sc_time asked;
    sc_profile profile;
    uint64_t user;  ///< sc_run_user() of its name
} sc_run_member;

/** A cloak; there is at least one segment and one member. */
typedef struct sc_run_cloak {
    uint64_t number;
    sc_time t;
    const sc_seg_id *segments;  ///< ascending, each once
    size_t segment_count;
    const sc_node_id *border_nodes;  ///< ascending, each once
    size_t border_node_count;
    const sc_star_id *stars;  ///< ascending, each once; none without sc_run_reader_want_users()
    size_t star_count;        ///< 0 too if the method has none, or the record does not tell
    const sc_run_member *members;
    size_t member_count;
} sc_run_cloak;

/** A line of a record. All is lent until the next one is read. */
typedef struct sc_run_line {
    sc_run_kind kind;
    sc_slice text;  ///< as it is, without its line end
    uint64_t number;
    sc_run_cloak cloak;  ///< of SC_RUN_CLOAK

    // Of SC_RUN_QUERY.
    sc_seg_id segment;
    /** Its names, on their edge; the user as it was before it was written down. NULL without
     * sc_run_reader_want_users(). */
    const sc_request_line *asked;

    /** Of SC_RUN_QUERY its number among the queries of the record, from 0. After
     * sc_run_reader_want_ends() also of a line that ends a query without an answer: a drop or a
     * failure (SC_RUN_OTHER), or a failure behind its cloak (SC_RUN_ANSWER). Else SC_NONE. */
    uint32_t query;
    sc_slice reason;  ///< of such an end; its text is NULL in all other lines
    bool is_drop;     ///< such an end is a drop
    sc_time t;        ///< of such an end, and of SC_RUN_END after sc_run_reader_want_ends()

    /** The zone that a line tells, its user as before it was written down; NULL: it tells none, or
     * without sc_run_reader_want_users(). */
    const sc_user_zone *zone;

    // Of SC_RUN_END, after sc_run_reader_want_users().
    bool has_engine;           ///< it says which engine made the cloaks
    sc_engine_options engine;  ///< if it does
} sc_run_line;

typedef struct sc_run_reader sc_run_reader;

/**
 * Open the record at `path` (borrowed; "-" is standard input; xz and gzip are unpacked).
 *
 * @param map         of the run; borrowed, as the vocabulary
 * @param vocabulary  the names of categories; NULL: the map's own, and others are refused
 * @return SC_OK, or as sc_line_reader_open()
 */
SC_CHECKED sc_err sc_run_reader_open(const sc_map *map, const sc_vocabulary *vocabulary,
                                     const char *path, sc_run_reader **out, sc_diag *diag);

/** The same from memory (borrowed, also where `input` points to). */
SC_CHECKED sc_err sc_run_reader_of(const sc_map *map, const sc_vocabulary *vocabulary,
                                   const sc_input *input, sc_run_reader **out, sc_diag *diag);

/**
 * Also give the user, time and profile of queries, the stars of cloaks, and the engine; to be
 * called before the first line. Queries that lack one of the first three are refused then, and so
 * is an engine with a field that is missing, unknown or out of range. Without this call, records
 * without them are read, too.
 */
void sc_run_reader_want_users(sc_run_reader *reader);

/**
 * Also give how and when queries end that have no answer, and when the run ended; to be called
 * before the first line. Ends that lack the reason or the time are refused then. Without this call,
 * records without them are read, too.
 */
void sc_run_reader_want_ends(sc_run_reader *reader);

/** What a user is called in sc_run_member: a hash of the name, which is bytes of any kind. */
uint64_t sc_run_user(const char *name, size_t size);

/** What all queries ask beyond l segments, as far as lines have told; NULL: nothing. */
const sc_run_demands *sc_run_reader_demands(const sc_run_reader *reader);

/** The classes that lines have told, now the caller's, who frees them; NULL: none, or taken before.
 * To be called behind the last line: the reader needs them before. */
sc_place_classes *sc_run_reader_take_classes(sc_run_reader *reader);

/** The segments of a member's zone, ascending; lent until the next line. */
const sc_seg_id *sc_run_reader_zone(const sc_run_reader *reader, uint32_t zone, size_t *count);

/** What messages call it: its path, or standard input. */
const char *sc_run_reader_name(const sc_run_reader *reader);

/** NULL is fine. */
void sc_run_reader_free(sc_run_reader *reader);

/**
 * The next line; empty ones are passed over.
 *
 * @param line  its `text` is set to no text at all (NULL) behind the end
 * @return SC_OK, SC_EIO, SC_EPARSE (not a record, or one that is cut short), SC_EMISMATCH (of
 *         another map), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_run_reader_next(sc_run_reader *reader, sc_run_line *line, sc_diag *diag);

/** How many bytes have been read; *total is 0 if it is not known how many there are. */
uint64_t sc_run_reader_passed(const sc_run_reader *reader, uint64_t *total);

#endif
