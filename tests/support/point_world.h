/**
 * @file point_world.h
 * @brief Objects as a provider of points has them, and its answers, true or false.
 */
#ifndef SC_TESTS_SUPPORT_POINT_WORLD_H
#define SC_TESTS_SUPPORT_POINT_WORLD_H

#include <starcloak/map.h>
#include <starcloak/point_provider.h>

#include "support/made_distances.h"

/** Objects as a provider has them: those of a map, at places that may be beside the road. */
typedef struct point_world {
    const sc_map *map;
    sc_point_distance distance;
    uint32_t count;
    double *x;
    double *y;
    made_distances roads;  ///< of SC_POINT_ROAD
} point_world;

/** The objects of `map`, which is borrowed, where they are. Release with point_world_free(). */
point_world point_world_new(const sc_map *map, sc_point_distance distance);
void point_world_free(point_world *world);

/** From a point of an edge to an object, in the world's distance. */
double point_world_distance(const point_world *world, sc_edge_id edge, double offset_m,
                            uint32_t object);

/**
 * The exact answer, by measuring every object.
 *
 * @param request  categories are those of the map
 * @param out      room for all objects; nearest first
 */
size_t point_world_answer(const point_world *world, sc_edge_id edge, double offset_m,
                          const sc_request *request, sc_near *out);

/** What a provider may do to its client. */
typedef enum point_mode {
    POINT_GOOD,
    POINT_SLOW,            ///< never answers
    POINT_ERROR,           ///< 500
    POINT_MISSING,         ///< 404
    POINT_REDIRECT,        ///< 302, to a place of its own
    POINT_CLOSED,          ///< closes the connection instead of answering
    POINT_TRUNCATED,       ///< closes it in the middle of the body
    POINT_HUGE,            ///< announces a body of a megabyte
    POINT_HUGE_IN_CHUNKS,  ///< sends one without saying so
    POINT_NO_BODY,
    POINT_NOT_JSON,
    POINT_HALF_JSON,
    POINT_NO_LIST,
    POINT_NOT_A_NUMBER,
    POINT_NEGATIVE,
    POINT_OFF_THE_GLOBE,
    POINT_TWICE,     ///< names the nearest object twice
    POINT_UNSORTED,  ///< the nearest last
    POINT_TOO_MANY,  ///< one more than asked for
    POINT_CAPPED,    ///< never more than three
    POINT_FORGETS,   ///< leaves out the nearest object at every other question
    POINT_MOVES,     ///< objects are elsewhere at every question
    POINT_IN_KM,     ///< distances in kilometres
    POINT_LIES,      ///< distances of every other question are twice as long
    POINT_SHRINKS,   ///< the more are asked for, the fewer come
    POINT_LONG_KEY,  ///< of a thousand letters
    POINT_NOT_UTF8,
    POINT_OTHER_CATEGORY,
} point_mode;

/**
 * The body of an answer at a position; release with free().
 *
 * @param question  how many were asked before
 */
char *point_world_tell(const point_world *world, point_mode mode, size_t question, double x,
                       double y, uint32_t k, const char *category);

#endif
