/**
 * @file area_check.h
 * @brief What a provider of areas was asked: do its tiles follow from roads and requests, and are
 * they enough for every place of the cloak?
 *
 * Shares nothing with src/lib/areas. That reckons with straight lines; here roads are followed:
 * from each border node as far as the last object of its list, and no place so far may be nearer to
 * the outside of the tiles than objects can be from their roads. docs/verify.md has the rules.
 */
#ifndef SC_VERIFY_AREA_CHECK_H
#define SC_VERIFY_AREA_CHECK_H

#include "base/hash.h"
#include "verify/answer_check.h"
#include "verify/record_events.h"
#include "verify/verifier.h"

/** Quickest roads that are usual, metres per second: 130 km/h. */
#define SC__USUAL_M_S (130 / 3.6)

/** An area that lines have told. */
typedef struct sc_known_area {
    uint64_t number;  ///< of the latest of its tile and category
    uint32_t level;
    uint32_t x;
    uint32_t y;
    sc_category_id category;
    sc_event_object *objects;
    size_t object_count;
} sc_known_area;

/** A member of the last cloak, and its answer. */
typedef struct sc_area_member {
    uint32_t number;  ///< in the table of queries
    sc_quoted name;
    sc_edge_id edge;
    double offset_m;
    sc_event_request wish;
    bool is_answered;
    uint64_t line;
    size_t first_result;  ///< in `results`
    size_t result_count;
} sc_area_member;

/** Zero-initialise but for the first four; release with sc__area_states_fini(). */
struct sc_area_states {
    const sc_map *map;
    sc_findings *findings;
    uint64_t *line;           ///< where a finding is told; set for answers
    uint64_t answers_wanted;  ///< answers to compare, at most

    bool has_tiles;
    sc_event_tiles tiles;
    sc_verify_box roads;    ///< around all nodes
    double lost_m[2];       ///< by metric: what all edges together lack of their straight lines
    double least_share[2];  ///< by metric: the least share of its straight line that an edge has
    sc_answers answers;     ///< with the plain search, once there are tiles

    sc_known_area *areas;
    size_t area_count;
    size_t area_capacity;
    sc_hash by_number;
    sc_hash by_tile;

    // The last cloak.
    bool has_cloak;
    bool is_told;  ///< its areas are
    uint64_t cloak;
    uint64_t cloak_line;
    uint64_t answer_count;
    sc_id_list segments;
    sc_id_list border_nodes;
    sc_area_member *members;
    size_t member_count;
    size_t member_capacity;
    sc_event_result *results;
    size_t result_count;
    size_t result_capacity;
    uint64_t *result_keys;
    size_t result_key_capacity;
    size_t *asked;  ///< places in `areas`
    size_t asked_count;
    size_t asked_capacity;

    // The objects that a round has, by edge, and their keys.
    sc_object *objects;
    uint64_t *keys;
    size_t object_count;
    size_t object_capacity;
    size_t key_capacity;
    uint64_t *used;  ///< numbers of areas that they are of, ascending
    size_t used_count;
    size_t used_capacity;
    struct sc_gathered *gathered;
    size_t gathered_capacity;
};

/** Harmless twice. */
void sc__area_states_fini(sc_area_states *states);

/** The fixed tiles are told. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__area_tiles(sc_area_states *states, const sc_event *event, bool is_first);

/** A cloak comes; its members follow. What the one before it lacks is found wrong. */
SC_CHECKED sc_err sc__area_cloak(sc_area_states *states, const sc_event *event, uint64_t line);

/** A member of it. */
SC_CHECKED sc_err sc__area_member(sc_area_states *states, const sc_area_member *member);

/** An answer that is not about the map's objects. */
SC_CHECKED sc_err sc__area_answer(sc_area_states *states, uint32_t number, uint64_t line,
                                  const sc_event *event);

/** An area is told. */
SC_CHECKED sc_err sc__area_fetched(sc_area_states *states, const sc_event *event);

/** What the last cloak needed is told. */
SC_CHECKED sc_err sc__area_needed(sc_area_states *states, const sc_event *event);

/** The record is over. */
void sc__area_states_end(sc_area_states *states);

#endif
