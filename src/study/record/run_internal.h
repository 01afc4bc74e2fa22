/**
 * @file run_internal.h
 * @brief Inside a reader of run records: what it remembers, and what each event says to it.
 *
 * Queries are numbered as they come. By its number, a query is open and has a place in
 * the pool, or it is in a cloak, or has come to another end.
 *
 * Used by: run_reader.c, run_query.c, run_events.c.
 */
#ifndef SC_RECORD_RUN_INTERNAL_H
#define SC_RECORD_RUN_INTERNAL_H

#include "base/hash.h"
#include "base/item_pool.h"
#include "base/line_reader.h"
#include "record/fields.h"
#include "record/run_reader.h"

/** What is kept of a query while it is open. */
typedef struct sc__open_query {
    sc_edge_id edge;
    double offset_m;
    sc_request request;

    // 0 unless they are wanted.
    sc_time asked;
    sc_profile profile;
    uint64_t user;
} sc__open_query;

/** What a query has instead of a place in the pool when it is not open. */
#define SC__QUERY_LOST (SC_ITEM_POOL_NONE - 1)
#define SC__QUERY_CLOAKED SC_ITEM_POOL_NONE

/** Ids of segments or nodes. */
typedef struct sc__id_list {
    uint32_t *ids;
    size_t count;
    size_t capacity;
} sc__id_list;

struct sc_run_reader {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc_line_reader source;
    sc_json_tree document;  ///< of the line at hand; ids of members are in it
    bool wants_askers;
    bool has_ended;

    sc_hash numbers;   ///< from the hash of an id to the query's number
    uint32_t *places;  ///< by number: where it lies in the pool, or what became of it
    size_t query_count;
    size_t place_capacity;
    sc_item_pool open;  ///< of sc__open_query

    // Of the query at hand.
    sc_spoken spoken;
    char *name;  ///< of its user, if that is not as it stands in the line
    size_t name_capacity;

    // Of the cloak at hand.
    sc__id_list segments;
    sc__id_list border_nodes;
    sc_run_member *members;
    size_t member_capacity;
};

/** The number of a query, or SC_NONE if it was not asked. */
uint32_t sc__run_find(const sc_run_reader *reader, sc_slice id);

/** A query is no longer open: `place` says why. */
void sc__run_end(sc_run_reader *reader, uint32_t number, uint32_t place);

/** Take in a query. */
SC_CHECKED sc_err sc__run_query(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out);

/** What a line says does not fit the map. Returns SC_EMISMATCH. */
sc_err sc__run_fail_map(const sc__place *place, const char *what);

/** Take in the event that `fields` are; sets the kind of `out`, and what it says. */
SC_CHECKED sc_err sc__run_event(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out);

#endif
