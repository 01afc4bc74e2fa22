/**
 * @file events.h
 * @brief A line of a record as a value, with every field seen to be of its kind.
 *
 * docs/records.md has the format. A field that is missing or of the wrong kind is
 * refused with the line and the field's name; what is of the right kind but false
 * (a segment the map does not have, a time too early) is not refused but comes
 * through, for it is what the verifier is for. Needs that
 * no admission lets pass (a k or l of 0, no time to wait) are of the wrong kind.
 * Fields that the format does not know are passed over; in a cloak they are noted.
 */
#ifndef SC_VERIFY_EVENTS_H
#define SC_VERIFY_EVENTS_H

#include <starcloak/map.h>
#include <starcloak/place_classes.h>

#include "base/json_tree.h"
#include "base/text.h"

typedef enum sc_event_kind {
    SC_EVENT_QUERY,
    SC_EVENT_CLOAK,
    SC_EVENT_DROP,
    SC_EVENT_FAILED,
    SC_EVENT_ANSWER,
    SC_EVENT_END,
    SC_EVENT_DEMANDS,
    SC_EVENT_CLASS,
    SC_EVENT_ZONE,
    SC_EVENT_KIND_COUNT
} sc_event_kind;

/** How many categories a query may name. */
enum { SC_WISH_CATEGORIES = 16 };

/** What a query asks for. */
typedef struct sc_event_request {
    bool is_range;  ///< else the k nearest
    sc_metric metric;
    uint32_t k;
    double radius;                                  ///< metres or seconds, by the metric
    uint32_t category_count;                        ///< 0: all of them
    sc_category_id categories[SC_WISH_CATEGORIES];  ///< SC_NONE: one that the map does not have
} sc_event_request;

typedef struct sc_event_query {
    sc_slice user;
    sc_edge_id edge;
    sc_seg_id segment;
    double offset_m;
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    int64_t max_wait_us;
    sc_event_request wish;
    uint32_t zone;  ///< number of the zone that it is in; SC_NONE: in none
} sc_event_query;

typedef struct sc_event_member {
    sc_slice query;
    sc_star_id star;  ///< SC_NONE if it has none
} sc_event_member;

/** An id that is too large for any map comes as SC_NONE, which no map has either. */
typedef struct sc_id_list {
    uint32_t *ids;
    size_t count;
    size_t capacity;
} sc_id_list;

typedef struct sc_event_cloak {
    sc_id_list stars;
    sc_id_list segments;
    sc_id_list border_nodes;
    sc_event_member *members;
    size_t member_count;
    size_t member_capacity;
    bool tells_more;  ///< it, or a member, has a field that the format does not give it
} sc_event_cloak;

typedef struct sc_event_result {
    sc_object_id object;
    double distance_m;
    double duration_s;  ///< NAN where a record of old does not tell it
} sc_event_result;

typedef struct sc_event_answer {
    sc_event_result *results;
    size_t result_count;
    size_t result_capacity;
    bool is_foreign;  ///< of objects that are not the map's; then there are no results here
} sc_event_answer;

/** The end tells which map the run was on, if its writer knew how. */
typedef struct sc_event_end {
    bool tells_map;
    uint64_t map_checksum;
} sc_event_end;

/** What all queries of the run ask beyond l segments. */
typedef struct sc_event_demands {
    bool is_strict;
    uint32_t traffic;  ///< 0: not asked
    uint64_t density;  ///< checksum, if there is traffic
    bool has_continuity;
    double vmax_m_s;
    int64_t tau_us;
    const char *classes[SC_PLACE_CLASSES_MAX];  ///< names
    size_t class_count;
} sc_event_demands;

/** One event. Texts are lent until the next is read, and as long as its line. */
typedef struct sc_event {
    sc_event_kind kind;
    int64_t t_us;              ///< of all but answer, class and zone
    sc_slice query;            ///< id; of query, drop, failed and answer
    uint64_t cloak;            ///< number; of cloak and answer
    sc_slice reason;           ///< of drop and failed
    sc_event_query asked;      ///< of query
    sc_event_cloak cloaked;    ///< of cloak
    sc_event_answer answer;    ///< of answer
    sc_event_end end;          ///< of end
    sc_event_demands demands;  ///< of demands
    sc_slice class_name;       ///< of class
    uint32_t zone;             ///< number; of zone
    sc_slice zone_user;        ///< of zone
    sc_id_list roads;          ///< of class and zone
} sc_event;

/** Cloak numbers share a word with other things (query_states.h), and JSON's are exact up to here.
 */
#define SC__CLOAK_NUMBER_MAX ((uint64_t)1 << 53)

/** How many names of categories a reader finds again without a search. */
enum { SC__CATEGORIES_KEPT = 64 };

/** Reads events. Zero-initialise but for `map` and `name`; release with sc__reader_fini(). */
typedef struct sc_event_reader {
    const sc_map *map;      ///< borrowed
    const char *name;       ///< of the record, for messages
    uint64_t line;          ///< number of the line at hand
    sc_json_tree document;  ///< the texts of `event` are in it, or in the line
    sc_event event;         ///< the last one read
    sc_category_id categories[SC__CATEGORIES_KEPT];  ///< by a hash of their names, or any others
} sc_event_reader;

/**
 * Read a line into reader->event.
 *
 * @return SC_OK, SC_ENOMEM, or SC_EPARSE with a message that names the line and repeats
 *         nothing of what it holds
 */
SC_CHECKED sc_err sc__reader_read(sc_event_reader *reader, uint64_t line, sc_slice text,
                                  sc_diag *diag);

/**
 * Read a line that has exactly the form in which StarCloak writes queries, cloaks, answers and
 * losses (record_lines.c). Any other is left to sc__reader_read(), which calls this.
 *
 * @param is_read  set to whether reader->event has it
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__record_line_read(sc_event_reader *reader, sc_slice line, bool *is_read);

/** Harmless twice. */
void sc__reader_fini(sc_event_reader *reader);

#endif
