/**
 * @file point_reply.h
 * @brief What came back for one cloak, while it comes in and afterwards.
 *
 * For each topic and each point there is a list: the last, and longest, answer of the provider
 * there. The life of a reply:
 *
 *   1. sc__point_reply_new()      the cover, the topics, empty lists
 *   2. sc__point_reply_take()     an answer is checked by itself and becomes a list
 *      sc__point_reply_next_k()   does it reach, or is more to be asked for?
 *   3. sc__point_reply_settle()   objects are numbered by key, lists sorted by object
 *      sc__point_reply_check()    do neighbouring lists contradict each other?
 *   4. sc_point_reply_answer()    exact answers for exact positions (point_answer.c)
 *
 * Nothing in steps 1 to 3 knows a position of a traveller.
 *
 * For: this folder, its tests and its fuzzer.
 */
#ifndef SC_POINTS_POINT_REPLY_H
#define SC_POINTS_POINT_REPLY_H

#include <starcloak/map.h>
#include <starcloak/point_provider.h>
#include <starcloak/relay.h>

#include "adapter/provider_reply.h"
#include "base/string_index.h"
#include "points/point_settings.h"

// === The points at which a provider is asked (point_cover.c) ====================================
// They are a function of the segments alone: the ends of every segment, and on longer ones points
// in between, evenly, so that two neighbours along a road are never farther apart than the spacing.
// A stretch of road between two neighbours is a *piece*. Every place on a segment is on one of its
// pieces, and within half of it of one of its two points.
//
//     A------p------p------p------B      a segment in four pieces, five points
//
// Lengths are measured as the provider's distance requires: along the road as the map has it, or
// over ground along the straight lines between its nodes. The latter is rounded up where the globe
// makes it uneven, so that no place is ever farther from a point than half of its piece.

/** A point to ask at: exactly as it will be asked, rounded to the decimals of an address. */
typedef struct sc__point {
    double x;
    double y;
    double half_gap_m;  ///< no place whose nearer point this is can be farther from it
} sc__point;

typedef struct sc__point_cover {
    const sc_map *map;
    sc_point_distance distance;
    sc_seg_id *segments;  ///< ascending
    size_t segment_count;
    double *lengths_m;     ///< of each segment, as measured here
    uint32_t *first_stop;  ///< segment_count + 1
    uint32_t *stops;       ///< points along segment i: stops[first_stop[i]] .. [first_stop[i+1]-1]
    sc__point *points;
    uint32_t point_count;
} sc__point_cover;

/** A place on a road of the cloak, by the piece it is on. */
typedef struct sc__point_cover_place {
    uint32_t points[2];  ///< at the ends of the piece; they may be the same
    double length_m;     ///< of the piece
    double along_m;      ///< from the first of them
    double piece_at_m;   ///< where the piece begins, from the beginning of its segment
} sc__point_cover_place;

/**
 * @param segments  ascending, each once, at least one; copied
 * @param out       set on success; release with sc__point_cover_fini()
 * @return SC_OK, SC_ELIMIT (more than `max_points`), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_cover_init(const sc_map *map, const sc_seg_id *segments, size_t count,
                                       const sc_point_options *options, sc__point_cover *out,
                                       sc_diag *diag);

/** Harmless twice. */
void sc__point_cover_fini(sc__point_cover *cover);

/** How far a place on an edge is from the beginning of its segment, as the cover measures. */
double sc__point_cover_along_m(const sc__point_cover *cover, sc_edge_id edge, double offset_m);

/** Where on the cloak a place on an edge is; false if its segment is none of the cloak's. */
bool sc__point_cover_find(const sc__point_cover *cover, sc_edge_id edge, double offset_m,
                          sc__point_cover_place *out);

/** As the crow flies, by the map's own coordinates. */
double sc__point_straight_m(const sc_map *map, double x_a, double y_a, double x_b, double y_b);

// === Topics: what is asked at every point (point_cover.c) =======================================
// A topic is a category, or all of them. Requests that differ only in how many or how far share it:
// the longest list serves all. A request for several categories is one topic each.

typedef struct sc__point_topic {
    sc_category_id category;  ///< SC_NONE: all
    uint32_t k;               ///< the most objects that a request asks for; 0: none counts them
    double radius_m;          ///< the widest range; negative: there is none
} sc__point_topic;

typedef struct sc__point_topics {
    sc__point_topic *list;
    size_t count;
    size_t capacity;
} sc__point_topics;

/**
 * The topics of some requests.
 *
 * @param out  set on success; release with sc__point_topics_fini()
 */
SC_CHECKED sc_err sc__point_topics_init(const sc_request *requests, size_t count,
                                        sc__point_topics *out, sc_diag *diag);

/** Harmless twice. */
void sc__point_topics_fini(sc__point_topics *topics);

/** The place of a category's topic; `count` if it has none. */
size_t sc__point_topics_find(const sc__point_topics *topics, sc_category_id category);

// === One answer as rows (point_json.c) ==========================================================
// A stranger's JSON, read as that of any provider (adapter/provider_reply.h). Each row by itself is
// sound: it has a key, a valid position, a distance that is a number and not negative, texts that
// are not too long. Whether the rows make sense together is checked in point_reply.c.

/** An object of one answer. Texts are lent by the answer. */
typedef struct sc__point_answer_row {
    const char *key;
    const char *name;  ///< "" if it has none
    double x;
    double y;
    bool has_distance;
    double distance_m;
    sc_category_id category;  ///< SC_NONE: not given, or unknown
} sc__point_answer_row;

/** The rows of one answer, in its order. */
typedef struct sc__point_answer {
    sc_adapter_reply reply;  ///< the texts of the rows are in it
    sc__point_answer_row *rows;
    uint32_t count;
} sc__point_answer;

/** What an answer is read with. */
typedef struct sc__point_answer_format {
    const sc_point_settings *settings;
    const sc_vocabulary *vocabulary;
    sc_coords coords;         ///< what a position is
    uint32_t k;               ///< how many objects were asked for
    sc_category_id category;  ///< of which category; SC_NONE: all
} sc__point_answer_format;

/**
 * Read an answer.
 *
 * @param out  set on success; release with sc__point_answer_fini()
 * @return SC_OK, SC_EREPLY with a reason, SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_answer_parse(const sc__point_answer_format *format, const char *bytes,
                                         size_t size, sc__point_answer *out, sc_diag *diag);

/** Harmless twice. */
void sc__point_answer_fini(sc__point_answer *answer);

// === All objects of one cloak, each once (point_reply.c) ========================================
// Objects are told apart by their keys. While answers come in they are numbered as they come; in
// the end by key, so that neither the order of the questions nor the network decides which of two
// equally far objects comes first.

/** One object. */
typedef struct sc__point_object {
    double x;  ///< its position by the provider
    double y;
    double off_road_m;  ///< how far that is from the nearest road, once settled
    uint32_t key;       ///< into the strings
    uint32_t name;
    sc_category_id category;
    uint32_t number;  ///< in the order of coming
    uint64_t answer;  ///< the last one that named it
} sc__point_object;

/** sc__point_objects_init() it, and leave it where it is; release with sc__point_objects_fini(). */
typedef struct sc__point_objects {
    sc__point_object *items;
    uint32_t count;
    size_t capacity;
    char *strings;  ///< begins with an empty one
    size_t strings_size;
    size_t strings_capacity;
    sc_string_index by_key;

    // Once settled: the items by key, and these for sc_object_table.
    sc_object *objects;
    uint32_t *keys;
} sc__point_objects;

void sc__point_objects_init(sc__point_objects *all);

/**
 * The number of an object, which is added if it is new.
 *
 * @param answer  which answer the row is of, from 1; no answer may name an object twice
 * @return SC_OK, SC_EREPLY (it was elsewhere before, or is named twice), SC_ELIMIT (more than
 *         can be kept), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_objects_put(sc__point_objects *all, const sc__point_answer_row *row,
                                        uint64_t answer, uint32_t *out, sc_diag *diag);

/**
 * Number the objects by key, and find the road that each is nearest to. Once, and nothing is put
 * in afterwards.
 *
 * @param new_number  set: a number for each old one; sc_free() it
 */
SC_CHECKED sc_err sc__point_objects_settle(sc__point_objects *all, const sc_map *map,
                                           uint32_t **new_number, sc_diag *diag);

/** Harmless twice. */
void sc__point_objects_fini(sc__point_objects *all);

// === The reply ==================================================================================

/** What the provider knows of one topic at one point. */
typedef struct sc__point_list {
    sc_near *nears;  ///< nearest first; once settled by object
    uint32_t count;
    uint32_t k;         ///< how many were asked for; 0: not asked yet
    double kth_m;       ///< as many objects as the topic asks for are within this
    double complete_m;  ///< every object that is nearer is in the list; infinite: all there are
} sc__point_list;

struct sc_point_reply {
    const sc_map *map;
    double grain_m;  ///< by how much the provider's numbers may be rounded
    sc_request *requests;
    size_t request_count;
    sc__point_cover cover;
    sc__point_topics topics;
    sc__point_list *lists;  ///< of topic t at point p: lists[t * point_count + p]
    size_t list_count;
    size_t near_count;  ///< of all lists
    sc__point_objects objects;
    sc_object_table table;
    sc_point_work work;
    sc_near *answer;  ///< the last one, lent to the caller
    size_t answer_capacity;
};

/**
 * Rounding, as a share: the earth is a sphere here and may be an ellipsoid there, which is within
 * 0.6 % of it.
 */
#define SC__POINT_STRAIGHT_SHARE 0.006

/** Roads of the provider may be longer or shorter than ours by this share, plus two grains. */
#define SC__POINT_ROAD_SHARE 0.05

/**
 * @param relay  checked; what is needed of it is copied
 * @return SC_OK, SC_ELIMIT (too many points, or k), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_reply_new(const sc_map *map, const sc_point_settings *settings,
                                      const sc_relay *relay, sc_point_reply **out, sc_diag *diag);

/** The point and the topic of a list. */
const sc__point *sc__point_reply_point(const sc_point_reply *reply, size_t list);
const sc__point_topic *sc__point_reply_topic(const sc_point_reply *reply, size_t list);

/** The body that a provider returned for one question. */
typedef struct sc__point_answer_body {
    size_t list;  ///< that was asked for
    uint32_t k;   ///< how many objects were asked for
    const char *bytes;
    size_t size;
} sc__point_answer_body;

/**
 * Check an answer, and put it into its list in place of the one before.
 *
 * @return SC_OK, SC_EREPLY, SC_ELIMIT (more than can be kept), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_reply_take(sc_point_reply *reply, const sc_point_settings *settings,
                                       const sc_vocabulary *vocabulary,
                                       const sc__point_answer_body *body, sc_diag *diag);

/**
 * How many objects to ask for next.
 *
 * @param out  0: the list reaches far enough
 * @return SC_OK, or SC_ELIMIT: it does not, and more than `max_k` cannot be asked for
 */
SC_CHECKED sc_err sc__point_reply_next_k(const sc_point_reply *reply, size_t list, uint32_t max_k,
                                         uint32_t *out, sc_diag *diag);

/** Number the objects by key and sort the lists by object. */
SC_CHECKED sc_err sc__point_reply_settle(sc_point_reply *reply, sc_diag *diag);

/** Wipe and free the last answer: distances to a few objects reveal a position. */
void sc__point_reply_forget(sc_point_reply *reply);

/** Whether neighbouring lists can both be true. @return SC_OK, or SC_EREPLY with a reason */
SC_CHECKED sc_err sc__point_reply_check(const sc_point_reply *reply, sc_diag *diag);

#endif
