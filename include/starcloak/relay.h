/**
 * @file relay.h
 * @brief What may leave, and what comes back: segments, requests, objects. Nothing here says who.
 *
 * A relay is the one message that a provider gets for a cloak: segments, border
 * nodes and the different requests of its members. A reply is the one message that
 * it sends back. Both are plain tables, so that a provider in the same process is
 * a function call; relay_codec.h turns them into bytes for one that is elsewhere.
 *
 * The provider's side includes this header and neither query.h nor cloak.h, so
 * that the compiler shows what it can learn (P7).
 */
#ifndef STARCLOAK_RELAY_H
#define STARCLOAK_RELAY_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- Requests --------------------------------------------------------------

typedef enum sc_request_type {
    SC_REQUEST_KNN = 0,    ///< the k nearest objects by road
    SC_REQUEST_RANGE = 1,  ///< all objects within a distance by road, or within a travel time
} sc_request_type;

/** How many categories one request may name. */
enum { SC_REQUEST_CATEGORIES = 16 };

/** What a traveller wants to know. */
typedef struct sc_request {
    sc_request_type type;
    sc_metric metric;
    uint32_t k;               ///< of SC_REQUEST_KNN, >= 1
    double radius_m;          ///< of SC_REQUEST_RANGE by distance, >= 0
    double radius_s;          ///< of SC_REQUEST_RANGE by time, >= 0
    uint32_t category_count;  ///< 0: objects of all categories
    sc_category_id categories[SC_REQUEST_CATEGORIES];
} sc_request;

/** What a provider is willing to answer. */
typedef struct sc_request_limits {
    uint32_t max_k;
    double max_radius_m;
    double max_radius_s;
} sc_request_limits;

/** The 1,000 nearest; 100 km; two hours. */
SC_API sc_request_limits sc_request_limits_default(void);

/**
 * Whether `request` makes sense: k from 1 to the limit, a radius from 0 to the limit of its metric,
 * categories below `category_count`.
 *
 * @return SC_OK, or SC_EREQUEST with a reason
 */
SC_API SC_CHECKED sc_err sc_request_check(const sc_request *request,
                                          const sc_request_limits *limits, uint32_t category_count,
                                          sc_diag *diag);

/**
 * The one form that equal requests share: categories ascending, each once, and what the type
 * does not use set to 0.
 */
SC_API sc_request sc_request_normalise(const sc_request *request);

/** Whether two requests in normal form ask for the same. */
SC_API bool sc_request_equal(const sc_request *a, const sc_request *b);

/** The names of categories that both sides use: category i is called names[i]. */
typedef struct sc_vocabulary {
    const char *const *names;  ///< UTF-8
    uint32_t count;
} sc_vocabulary;

/** The category of that name, or SC_NONE. Time O(count). */
SC_API sc_category_id sc_vocabulary_find(const sc_vocabulary *vocabulary, const char *name);

/** The categories of a map; release with sc_vocabulary_fini(). The map must outlive it. */
SC_API SC_CHECKED sc_err sc_vocabulary_init_from_map(const sc_map *map, sc_vocabulary *out);
SC_API void sc_vocabulary_fini(sc_vocabulary *vocabulary);

// --- What leaves -----------------------------------------------------------

/** All that a provider is told. A view: its maker owns the arrays. */
typedef struct sc_relay {
    uint64_t map_checksum;           ///< of the map that the ids are of
    const sc_seg_id *segments;       ///< S, ascending, each once
    size_t segment_count;            ///< >= 1
    const sc_node_id *border_nodes;  ///< ascending, each once
    size_t border_node_count;
    const sc_request *requests;  ///< different ones in normal form, in random order
    size_t request_count;        ///< >= 1

    // Opaque. Of a relay that came as GeoJSON; else NULL. There border nodes are named by their
    // order in the message, which need not be that of this map: of name i, its place in
    // border_nodes. Several names may share one place.
    const uint32_t *border_places;
    size_t border_place_count;
} sc_relay;

/** Free a relay that was made (answer.h) or decoded (relay_codec.h); NULL is fine. */
SC_API void sc_relay_free(sc_relay *relay);

// --- What comes back -------------------------------------------------------

/**
 * The objects that a reply speaks of, by number. Without keys they are the shared map's
 * own, and numbers are its sc_object_id; with keys they are the provider's, and a key is
 * how the provider calls the object.
 */
typedef struct sc_object_table {
    const sc_object *objects;
    uint32_t count;
    const char *strings;  ///< names and keys are offsets into it; each ends with NUL
    size_t strings_size;
    const uint32_t *keys;  ///< one per object, or NULL
} sc_object_table;

/** Objects first, first + 1, ..., first + count - 1. */
typedef struct sc_object_run {
    uint32_t first;
    uint32_t count;
} sc_object_run;

/** The duration of a way that is not known: providers that know points only have none. */
#define SC_UNKNOWN_S (-1.0)

/** An object, and how far it is by road: both of the one way that the metric chooses. */
typedef struct sc_near {
    uint32_t object;
    double distance_m;
    double duration_s;  ///< SC_UNKNOWN_S only from sc_point_reply_answer()
} sc_near;

/** How far it is in that metric. */
static inline double sc_near_cost(const sc_near *near, sc_metric metric)
{
    return metric == SC_METRIC_TIME ? near->duration_s : near->distance_m;
}

/**
 * A provider's reply. For request r (in the relay's order):
 *   - objects on the segments that qualify:  runs[run_start[r]] .. runs[run_start[r+1] - 1]
 *   - the own answer of border node b (its place in the relay's order), nearest in the request's
 *     metric first:
 *     with i = r * border_node_count + b,     nears[near_start[i]] .. nears[near_start[i+1] - 1]
 *
 * One reply may be filled again and again: its memory grows to what is needed and stays. Only
 * sc_lbs_evaluate() and sc_reply_decode() fill it.
 */
typedef struct sc_reply {
    uint64_t map_checksum;
    size_t request_count;
    size_t border_node_count;
    uint32_t *run_start;  ///< request_count + 1
    sc_object_run *runs;
    uint32_t *near_start;  ///< request_count * border_node_count + 1
    sc_near *nears;
    sc_object_table table;           ///< what the numbers mean; lent by what filled the reply
    struct sc_reply_memory *memory;  ///< opaque: how much room the arrays have
} sc_reply;

/** An empty reply; release with sc_reply_fini(). */
SC_API void sc_reply_init(sc_reply *reply);

/** Harmless twice. */
SC_API void sc_reply_fini(sc_reply *reply);

/** How many objects a reply has for one request, as sent: one that is listed twice counts twice. */
SC_API size_t sc_reply_candidate_count(const sc_reply *reply, size_t request);

#ifdef __cplusplus
}
#endif
#endif
