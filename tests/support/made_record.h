/**
 * @file made_record.h
 * @brief Run records made up for tests: valid ones, by brute force, to be broken on purpose.
 *
 * No engine is asked. A cloak is made backwards: take some stars near each other,
 * then invent members for whom they are just right. Everything is found from the
 * map's own tables by looking at all there is, and distances by Floyd and Warshall.
 *
 * A record is a list of plain structs, so that a test can change one thing
 * and see who notices; made_text() writes it down.
 */
#ifndef SC_TESTS_SUPPORT_MADE_RECORD_H
#define SC_TESTS_SUPPORT_MADE_RECORD_H

#include <starcloak/verify.h>

enum { MADE_MAX_IDS = 160, MADE_MAX_MEMBERS = 12, MADE_MAX_RESULTS = 40, MADE_ID = 40 };

typedef enum made_kind {
    MADE_QUERY,
    MADE_CLOAK,
    MADE_DROP,
    MADE_FAILED,
    MADE_ANSWER,
    MADE_END,
} made_kind;

typedef struct made_ids {
    uint32_t at[MADE_MAX_IDS];
    size_t count;
} made_ids;

typedef struct made_member {
    char query[MADE_ID];
    sc_star_id star;  ///< SC_NONE: left out
} made_member;

typedef struct made_result {
    sc_object_id poi;
    double distance_m;
} made_result;

typedef struct made_event {
    made_kind kind;
    int64_t t_us;
    char query[MADE_ID];

    // Of a query.
    char user[16];
    sc_edge_id edge;
    sc_seg_id segment;
    double offset_m;
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    int64_t max_wait_us;
    uint32_t nearest;  ///< k of the request; 0: a range
    double radius_m;
    sc_category_id category;  ///< SC_NONE: all

    // Of a cloak.
    uint64_t cloak;
    made_ids stars;
    made_ids segments;
    made_ids border_nodes;
    made_member members[MADE_MAX_MEMBERS];
    size_t member_count;

    char reason[16];  ///< of a drop

    // Of an answer.
    made_result results[MADE_MAX_RESULTS];
    size_t result_count;

    const char *more;         ///< further fields, as `"engine":"basic",`
    const char *member_more;  ///< further fields of each member, as `,"edge":7`
} made_event;

typedef struct made_record {
    const sc_map *map;
    made_event *events;
    size_t count;
    size_t capacity;
} made_record;

typedef struct made_wishes {
    uint32_t cloaks;
    uint32_t min_members;
    bool is_starless;  ///< as methods write it that use no stars
    bool has_answers;  ///< the map must have objects, and few nodes
    bool is_in_order;  ///< members are listed as they came: P6 is broken
} made_wishes;

/** A valid record, but for what was wished otherwise. */
made_record made_record_new(const sc_map *map, uint64_t seed, const made_wishes *wishes);
made_record made_record_copy(const made_record *record);
void made_record_free(made_record *record);

/** The `number`-th event of a kind. There must be one. */
made_event *made_find(const made_record *record, made_kind kind, size_t number);

/** The query event of that id. */
made_event *made_find_query(const made_record *record, const char *id);

/** Put an event (copied) before the one at `place`, which may lie in the record. */
made_event *made_insert(made_record *record, size_t place, made_event event);
void made_remove(made_record *record, const made_event *event);

/** Where an event of the record stands. */
size_t made_place(const made_record *record, const made_event *event);

/** The record as text, ended by NUL; release with free(). */
char *made_text(const made_record *record, size_t *size);

/** What a cloak of the record claims; release with made_claim_free(). */
sc_claim made_claim(const made_record *record, const made_event *cloak);
void made_claim_free(sc_claim *claim);

/** The nodes of `segments` with more roads in the map than in them, ascending. */
void made_border(const sc_map *map, const made_ids *segments, made_ids *out);

/**
 * A town with a bit of everything: crossings, dead ends, a loop, parallel roads, an island, and
 * objects of two categories.
 */
sc_map *made_town(void);

#endif
