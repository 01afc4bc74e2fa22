/**
 * @file demand_states.h
 * @brief What a record says of demands: its `demands`, `class` and `zone` lines, and where users
 * can be since their last cloak.
 *
 * The places R of a user after a cloak with the segments S, for which it asked at time t: all of S
 * if the user had no cloak before that it asked for within tau before t; else what of S is within
 * vmax times the time between both askings of the R before, by road, and all of S if that is
 * nothing. Of several queries that wait together, each goes by the cloaks that had left when it was
 * asked, and what stays is of the one that was asked last.
 */
#ifndef SC_VERIFY_DEMAND_STATES_H
#define SC_VERIFY_DEMAND_STATES_H

#include <starcloak/verify.h>

#include "base/hash.h"
#include "verify/reached_roads.h"
#include "verify/record_events.h"

/** Where a user can have been when it asked for a cloak. */
typedef struct sc_past {
    struct sc_past *previous;  ///< in the list of all
    struct sc_past *next;
    uint32_t use_count;  ///< by its user and by queries
    int64_t asked_us;
    size_t count;
    sc_edge_part parts[];  ///< by edge and then along it
} sc_past;

/** What a query has of it while it is open. */
typedef struct sc_open_demands {
    uint32_t zone;     ///< in the list of zones; SC_NONE: it is in none
    sc_past *past;     ///< of its user, when it was asked; NULL: none that counts
    int64_t asked_us;  ///< when
    uint64_t user;     ///< a hash
} sc_open_demands;

typedef struct sc_zone_line {
    uint64_t user;
    uint32_t next;  ///< of the same user; SC_NONE: none
    sc_seg_id *segments;
    size_t count;
} sc_zone_line;

/** What a member of the cloak at hand asks, and where its user can be after it. */
typedef struct sc_member_demands {
    sc_claim_own own;
    sc_past *past;  ///< after the cloak
    uint64_t user;
} sc_member_demands;

typedef struct sc_demand_states {
    const sc_map *map;
    const sc_density *density;  ///< that was given; NULL: none
    char refusal[200];          ///< why a line is refused

    bool has_demands;  ///< a line has said what is demanded
    bool has_queries;  ///< there was a query
    sc_claim_demands demands;
    uint64_t density_checksum;  ///< of the run's, if it asks for traffic
    sc_place_classes *classes;
    uint32_t class_lines;  ///< a bit for each class whose segments are known

    sc_hash zone_numbers;  ///< from numbers of the record to places in the list
    sc_hash zone_users;    ///< from users to the first of their zones
    sc_zone_line *zones;
    size_t zone_count;
    size_t zone_capacity;

    bool has_continuity;
    double vmax_m_s;
    int64_t tau_us;
    sc_reached_roads reached;
    sc_past *first_past;
    size_t past_count;
    size_t sweep_count;  ///< so many pasts make it worth while to look for old ones
    sc_hash past_users;  ///< from users to places in the next
    sc_past **last;      ///< by place: the last of the user; NULL: none
    size_t last_count;
    size_t last_capacity;

    // Of the cloak at hand.
    sc_seg_id *segments;  ///< ascending, each once; those that exist
    size_t segment_count;
    size_t segment_capacity;
    sc_member_demands *members;
    size_t member_count;
    size_t member_capacity;
    sc_claim_part *parts;  ///< of each member, as many as there are segments
    size_t part_capacity;
    sc_edge_parts found;
} sc_demand_states;

/** @param density  borrowed; NULL: none was given */
void sc__demand_states_init(sc_demand_states *states, const sc_map *map, const sc_density *density);

/** Harmless twice. */
void sc__demand_states_fini(sc_demand_states *states);

/** A `demands`, `class` or `zone` line comes next.
 *
 * @return SC_OK, SC_ENOMEM, or with a refusal: SC_EPARSE (it contradicts lines before it),
 *         SC_EMISMATCH (the run was with another density)
 */
SC_CHECKED sc_err sc__demand_states_event(sc_demand_states *states, const sc_event *event);

/**
 * A query comes next.
 *
 * @param user     a hash
 * @param segment  where it is, by the map
 * @param out      to be released with sc__demand_states_release() when the query ends
 * @return SC_OK, or SC_EPARSE with a refusal (its zone is not what the lines say)
 */
SC_CHECKED sc_err sc__demand_states_query(sc_demand_states *states, const sc_event *event,
                                          uint64_t user, sc_seg_id segment, sc_open_demands *out);

/** The query ends. */
void sc__demand_states_release(sc_demand_states *states, sc_open_demands *open);

/** A cloak comes next; any list of ids. */
SC_CHECKED sc_err sc__demand_states_cloak(sc_demand_states *states, const sc_id_list *segments);

/** A member of it. */
SC_CHECKED sc_err sc__demand_states_member(sc_demand_states *states, const sc_open_demands *open);

/** What the members ask themselves, lent until the next cloak; NULL if the record has no demands.
 * All members must be known. */
const sc_claim_own *sc__demand_states_own(const sc_demand_states *states, size_t member);

/** The cloak has left: its members' users can be there. */
SC_CHECKED sc_err sc__demand_states_left(sc_demand_states *states);

/** Whether the run asks for traffic by a density that was not given: P14 is not checked. */
bool sc__demand_states_lack_density(const sc_demand_states *states);

/** The record is over: say what was demanded, and whether it could be checked. */
void sc__demand_states_report(const sc_demand_states *states, sc_verify_report *report);

/** What a query asks itself of these roads, ascending: lent as that of a member. */
SC_CHECKED sc_err sc__demand_states_around(sc_demand_states *states, const sc_open_demands *open,
                                           const sc_seg_id *roads, size_t count,
                                           const sc_claim_own **out);

#endif
