/**
 * @file feeds.h
 * @brief What tests of the object feed share: a town, a database, and looking things up in sets.
 */
#ifndef SC_TESTS_SUPPORT_FEEDS_H
#define SC_TESTS_SUPPORT_FEEDS_H

#include <starcloak/object_feed.h>

#include "support/postgres.h"

/** A town on the globe, and the database of what is in it. */
typedef struct town {
    sc_map *map;  ///< 4 x 4 crossings; its south-west corner is at TOWN_LON, TOWN_LAT
    postgres server;
    bool has_server;
} town;

// In zone 16 of UTM.
#define TOWN_LON (-84.4)
#define TOWN_LAT 33.75
#define TOWN_STEP 0.001  ///< degrees from one crossing to the next

/** Before the first test, which may then call need_server(). */
void town_begin(town *t);
void town_end(town *t);

/** Skip the test where there is no server to be had. */
void need_server(const town *t);

/** An empty table "objects" as feeds expect it by default, in place of what was there. */
void make_table(const town *t);

/** Objects for it, all at the south-west corner: keys from..to, called "no. 1" and so on. */
void add_rows(const town *t, int from, int to, const char *category);

/** Options for the town's table "objects", with a small index. */
sc_feed_options town_options(const town *t);

/** Open a feed, which must succeed. */
sc_object_feed *open_feed(const town *t, const sc_feed_options *options);

/** The same with the options above, listening on a channel. */
sc_object_feed *open_channel(const town *t, const char *channel);

/** Load once; what comes of it is held for the caller. Must succeed. */
sc_objects *load_objects(const sc_map *map, const sc_feed_options *options, sc_feed_status *status);

/** Try to load; the diagnosis says why not. */
sc_err try_to_load(const sc_map *map, const sc_feed_options *options, sc_diag *diag);

/** The object of that key, or SC_NONE. */
uint32_t find_key(const sc_objects *objects, const char *key);

/**
 * The set has an object of that key where the position falls on the map, give or take
 * `tolerance_m` along the road, with this category and name ("": none).
 */
void check_object(const sc_objects *objects, const char *key, double x, double y,
                  const char *category, const char *name, double tolerance_m);

/** Wait until the feed has loaded so often, or failed so often; a minute at most. */
void await_loads(sc_object_feed *feed, uint64_t loads);
void await_failures(sc_object_feed *feed, uint64_t failures);

/** Wait until the current set has, or has not, an object of that key. */
void await_key(sc_object_feed *feed, const char *key, bool is_wanted);

/** Wait until so many sessions of feeds meet a condition; see postgres_sessions(). */
void await_sessions(const town *t, const char *condition, int wanted);

#endif
