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

#include "base/hash.h"
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
    SC_EVENT_TILES,
    SC_EVENT_AREA,
    SC_EVENT_AREAS,
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
    sc_category_id categories[SC_WISH_CATEGORIES];  ///< those that the map lacks follow its own
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
    sc_object_id object;  ///< SC_NONE: one that is not the map's, called by a text
    double distance_m;
    double duration_s;  ///< NAN where a record of old does not tell it
} sc_event_result;

typedef struct sc_event_answer {
    sc_event_result *results;
    size_t result_count;
    size_t result_capacity;
    uint64_t *keys;  ///< of results: hashes of such texts
    size_t key_capacity;
    bool is_foreign;  ///< of objects that are not the map's
} sc_event_answer;

/** The fixed tiles of a provider of areas. */
typedef struct sc_event_tiles {
    int64_t west;  ///< corner, in ten-millionths of the map's coordinates
    int64_t south;
    int64_t side_x;  ///< of a tile of the finest level
    int64_t side_y;
    uint32_t level;  ///< the finest
    double snap_m;
    double reach_m;
    bool is_by_category;
} sc_event_tiles;

/** An object that a provider listed in an area. */
typedef struct sc_event_object {
    uint64_t key;  ///< a hash
    sc_category_id category;
    sc_edge_id edge;
    double offset_m;
} sc_event_object;

/** A tile that was fetched. */
typedef struct sc_event_area {
    uint64_t number;
    bool is_asked;  ///< because of a cloak
    bool is_same;   ///< as a line before it has it
    uint32_t level;
    uint32_t x;
    uint32_t y;
    sc_category_id category;  ///< SC_NONE: all
    sc_event_object *objects;
    size_t object_count;
    size_t object_capacity;
} sc_event_area;

/** Tiles that a round needs for a category. */
typedef struct sc_event_span {
    size_t round;  ///< from 0
    sc_category_id category;
    uint32_t level;
    uint32_t x[2];
    uint32_t y[2];
} sc_event_span;

/** An area that a round has. */
typedef struct sc_event_use {
    size_t round;
    uint64_t area;
} sc_event_use;

/** What a cloak needed, round by round. */
typedef struct sc_event_areas {
    size_t round_count;
    sc_event_span *spans;
    size_t span_count;
    size_t span_capacity;
    sc_event_use *uses;
    size_t use_count;
    size_t use_capacity;
} sc_event_areas;

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
    int64_t t_us;              ///< of query, cloak, drop, failed, end and demands
    sc_slice query;            ///< id; of query, drop, failed and answer
    uint64_t cloak;            ///< number; of cloak, answer, areas, and area if it was asked for
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
    sc_event_tiles tiles;      ///< of tiles
    sc_event_area area;        ///< of area
    sc_event_areas areas;      ///< of areas
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
    sc_hash names;          ///< of categories that the map lacks, by their hashes
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

/** Whether events of this kind have a time. */
bool sc__event_has_time(sc_event_kind kind);
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
