/**
 * @file slow_nearest.h
 * @brief The nearest objects by road: a plain Dijkstra over the nodes and edges of the whole map.
 *
 * What every answer must equal, ties aside. It knows nothing of segments, stars, indexes, cloaks or
 * borders: only which nodes an edge joins, how long it is, in which directions it is open and how
 * long it takes, and which objects lie on it.
 *
 * A search goes by distance or by time. Of ways that cost the same in its metric, the one counts
 * that costs less in the other. Costs are whole numbers of *parts*, a millionth (2^-20) of the
 * map's unit of length or of time: so sums are exact, also from a position between two units, and
 * equal ways cost the same. The time to an object is a whole number of units from either end of its
 * edge. With a direction, a search goes on along the road until it may turn: where roads meet, the
 * road ends, or it is closed ahead. On large maps a search pauses at a limit, and goes on to twice
 * the limit if that was not enough.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_NEAREST_H
#define SC_TESTS_SUPPORT_SLOW_NEAREST_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

/** Parts per unit of length. */
#define SLOW_PARTS (UINT64_C(1) << 20)

/** No way leads there. */
#define SLOW_NO_WAY UINT64_MAX

/** What floating-point numbers may be off by, and no more: 2^-10 units, usually a micrometre. */
#define SLOW_TOLERANCE (UINT64_C(1) << 10)

/** An object and how far it is. */
typedef struct slow_near {
    uint64_t distance;  ///< in parts, of the search's metric
    uint32_t object;
    uint64_t other;  ///< in parts, of the other metric
} slow_near;

/**
 * The right answer. Objects that tie with the last one are in it too, so it may be longer than
 * what was asked for; so are objects whose distance is the radius, to within the tolerance.
 */
typedef struct slow_answer {
    slow_near *nears;  ///< nearest first
    size_t near_count;
    size_t least_count;  ///< an answer has at least so many objects
    size_t most_count;   ///< and at most so many
} slow_answer;

void slow_answer_free(slow_answer *answer);

/** Where a search begins: at a position, or at a node. */
typedef struct slow_begin {
    sc_edge_id edge;
    uint64_t offset;  ///< in parts
    sc_node_id node;  ///< SC_NONE: at the position
} slow_begin;

/** A map with objects, ready to be searched. */
typedef struct slow_nearest {
    const sc_map *map;             ///< borrowed
    const sc_object_table *table;  ///< borrowed
    const sc_edge *edges;          ///< the map's
    sc_metric metric;              ///< of slow_measure(), and of the last search
    sc_direction direction;        ///< in which searches from a position begin
    const bool *only;              ///< roads that may be used, a flag per segment; NULL: all
    uint64_t tolerance;            ///< SLOW_TOLERANCE, unless a test knows of more
    uint32_t *first_at_node;       ///< nodes + 1, into `edges_at_node`
    sc_edge_id *edges_at_node;     ///< every edge twice: at both of its ends
    uint32_t *first_on_edge;       ///< edges + 1, into `objects_on_edge`
    uint32_t *objects_on_edge;
    uint64_t *node_distance;    ///< of the last search; SLOW_NO_WAY where it did not come
    uint64_t *object_distance;  ///< likewise
    uint64_t *node_other;       ///< the same ways in the other metric
    uint64_t *object_other;
    bool *may_turn;   ///< per node: more or fewer than two roads meet, or a ring begins
    slow_begin from;  ///< where the last search began
    // A heap of nodes to look at, each perhaps several times; and what to clear afterwards.
    struct slow_stop *stops;
    size_t stop_count;
    size_t stop_capacity;
    sc_node_id *seen_nodes;
    size_t seen_node_count;
    uint32_t *seen_objects;
    size_t seen_object_count;
} slow_nearest;

slow_nearest slow_nearest_new(const sc_map *map, const sc_object_table *table);
void slow_nearest_free(slow_nearest *slow);

/** The answer for a position; release with slow_answer_free(). */
slow_answer slow_nearest_at(slow_nearest *slow, sc_edge_id edge, double offset_m,
                            const sc_request *request);

/** The answer for a node. */
slow_answer slow_nearest_at_node(slow_nearest *slow, sc_node_id node, const sc_request *request);

/**
 * How far everything is from a position: node_distance and object_distance are filled, until the
 * next search.
 */
void slow_measure(slow_nearest *slow, sc_edge_id edge, double offset_m);
void slow_measure_from_node(slow_nearest *slow, sc_node_id node);

/** The same once more from where the last search began; one way only, from a position. */
void slow_measure_again(slow_nearest *slow);
void slow_measure_one_way(slow_nearest *slow, bool backward);

/** Whether `request` asks for objects of that category. */
bool slow_is_wanted(const sc_request *request, sc_category_id category);

/** The answer made of costs known for objects, SLOW_NO_WAY for those that are not in it. */
slow_answer slow_answer_of(const slow_nearest *slow, const uint64_t *object_distance,
                           const uint64_t *object_other, const sc_request *request);

/**
 * Whether a way that leaves the position of the last search the other way round, and costs the same
 * up to the tolerance, has that cost in the other metric: then either may count. Searches again.
 */
bool slow_node_may_have(slow_nearest *slow, sc_node_id node, double other);
bool slow_object_may_have(slow_nearest *slow, uint32_t object, double other);

/** An object of an answer to the last request, in metres and seconds. */
sc_near slow_near_of(const slow_nearest *slow, const slow_near *near);

/** Parts as metres; slow_amount(): as metres or seconds. */
double slow_metres(const slow_nearest *slow, uint64_t parts);
double slow_amount(const slow_nearest *slow, sc_metric metric, uint64_t parts);

/**
 * `got` is that answer: as many objects, each at the distance it is said to have, nearest first,
 * none twice, and place by place as far as the right ones. `what` says whose answer it is.
 */
void slow_check_answer(slow_nearest *slow, const slow_answer *wanted, const sc_near *got,
                       size_t got_count, const char *what);

#endif
