/**
 * @file area_server.h
 * @brief A provider that lists what is in a box: a real HTTP server on the loopback, good or bad.
 *
 * It serves /places?bbox=..&limit=..&offset=..&categories=.. as GeoJSON over the objects of an
 * area_world, in a thread of its own, and remembers what it was asked. What it does wrong is set by
 * its mode.
 */
#ifndef SC_TESTS_SUPPORT_AREA_SERVER_H
#define SC_TESTS_SUPPORT_AREA_SERVER_H

#include <starcloak/area_provider.h>

#include "base/rng.h"

/** An object: beside a road, or far from any. */
typedef struct area_object {
    double x;
    double y;
    const char *category;
} area_object;

/** Objects as a provider has them, and the set that all of them make on the map. */
typedef struct area_world {
    const sc_map *map;
    area_object *items;
    uint32_t count;
    double per_m;         ///< units of coordinates that are a metre north
    sc_objects *objects;  ///< of those within `snap_m` of a road
} area_world;

/** Objects at random around the roads of `map`, which is borrowed; some farther than `snap_m`. */
area_world area_world_new(const sc_map *map, uint32_t count, double snap_m, sc_rng *rng);
void area_world_free(area_world *world);

/** The categories of its objects, from frequent to rare. */
enum { AREA_CATEGORIES = 4 };
extern const char *const area_categories[AREA_CATEGORIES];

/** What a provider may do to its client. */
typedef enum area_mode {
    AREA_GOOD,
    AREA_EVERYTHING,   ///< all objects, whatever the box
    AREA_ROUNDS,       ///< finds objects by places that are up to 15 m from those it tells
    AREA_TWO_PLACES,   ///< the same object twice, at two places
    AREA_MOVING,       ///< one object more in every reply, each time where the first one is
    AREA_ENDLESS,      ///< every page leads to another one, with the same objects
    AREA_CAPPED,       ///< gives 20 at most, whatever it is asked for
    AREA_UNSORTED,     ///< its order changes: a page begins with an object of the one before
    AREA_FULL,         ///< more than was asked for, and no pages
    AREA_FEW_LINKS,    ///< three pages at most lead on, by addresses; of more there is the first
    AREA_FEW_CURSORS,  ///< likewise, by cursors
    AREA_ELSEWHERE,    ///< the next page is at another host
    AREA_HUGE,         ///< a body without an end
    AREA_SLOW,         ///< never answers
    AREA_DRIPS,        ///< a byte now and then
    AREA_ERROR,        ///< 500
    AREA_REDIRECT,     ///< 302
    AREA_NOT_JSON,
    AREA_WRONG_TYPES,
    AREA_NOT_A_NUMBER,
    AREA_BUSY_ONCE,  ///< 429 to every first question for a box, with Retry-After: 0
    AREA_BUSY,       ///< 503, Retry-After: 3600
    AREA_NO_STORE,
    AREA_ETAG,         ///< with an ETag, max-age=0; and 304 where it is known
    AREA_ONE_SECOND,   ///< max-age=1, stale-while-revalidate=100
    AREA_AGED,         ///< max-age=100, and an age of 1000
    AREA_LYING_TOTAL,  ///< says that there are more than it gives
} area_mode;

typedef struct area_server area_server;

/** Start it on a free port; the world is borrowed. Stop it with area_server_stop(). */
area_server *area_server_start(const area_world *world, area_mode mode);
void area_server_stop(area_server *server);

/** Settings for asking it; `more` are further lines of the file, from [provider] on. */
sc_area_settings *area_server_settings(const area_server *server, const char *more);

/** The same with every `piece` of the text left out, as "&offset={offset}". */
sc_area_settings *area_server_settings_without(area_server *server, const char *piece,
                                               const char *more);

/** The same as text, for a file; lent by the server. */
const char *area_server_text(area_server *server, const char *more);

/** What it was asked, one address per line in the order of asking; lent until the next call. */
const char *area_server_asked(area_server *server);
size_t area_server_count(area_server *server);
void area_server_forget(area_server *server);

#endif
