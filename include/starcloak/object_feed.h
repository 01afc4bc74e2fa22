/**
 * @file object_feed.h
 * @brief Objects from a PostgreSQL/PostGIS table, kept current.
 *
 * A feed loads the table once when it is opened, and again when a notification comes on its
 * channel or its time has come; in a thread of its own, into a new set of objects with an index of
 * its own, which then takes the place of the old one at once. Users of the current set
 * keep it until done: half of a change is never visible, and a database that is away leaves the
 * last set in use.
 *
 * In libstarcloak-io.
 */
#ifndef STARCLOAK_OBJECT_FEED_H
#define STARCLOAK_OBJECT_FEED_H

#include <starcloak/map.h>
#include <starcloak/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_feed_options {
    const char *database;         ///< postgresql://..., as libpq takes it
    const char *table;            ///< name, or schema.name
    const char *key_column;       ///< what the object is called by; any type
    const char *position_column;  ///< geometry or geography; the centroid of lines and areas
    const char *category_column;  ///< any type that is text when cast
    const char *name_column;      ///< may be NULL: objects have no names
    const char *channel;          ///< LISTEN on it; NULL: do not
    double refresh_s;             ///< load again after so long without; 0: never
    double max_snap_m;            ///< objects farther from any road are left out and counted
    sc_index_options index;
    /** Called in the feed's thread after each new set or failure; may be NULL. It must not close
     * the feed. */
    void (*changed)(void *data);
    void *data;
} sc_feed_options;

/** Table "objects" with columns id, geom, category, name; no channel, no refresh; 1,000 m. */
SC_API sc_feed_options sc_feed_options_default(void);

typedef struct sc_object_feed sc_object_feed;

/**
 * Open the database and load the table. Blocks until it is loaded.
 *
 * @param map      borrowed; must outlive the feed. Positions are turned into degrees for geographic
 *                 maps, and taken as they are for planar ones
 * @param options  copied, texts too
 * @return SC_OK, SC_EIO (the database says no; `diag` has its words, without the password),
 *         SC_EINVAL, SC_ENOCOORDS, SC_EPARSE (a text that is not UTF-8, two rows with one key),
 *         SC_ELIMIT, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_object_feed_open(const sc_map *map, const sc_feed_options *options,
                                             sc_object_feed **out, sc_diag *diag);

/** Stop the thread and free; NULL is fine. Sets that others hold live on. */
SC_API void sc_object_feed_close(sc_object_feed *feed);

/** The current set, held for the caller: release it. Any thread; never waits for the database. */
SC_API sc_objects *sc_object_feed_current(sc_object_feed *feed);

/** How it is doing. */
typedef struct sc_feed_status {
    uint64_t loads;      ///< sets loaded, the first included
    uint64_t failures;   ///< attempts that failed since the beginning
    uint64_t row_count;  ///< rows of the current set's table
    uint64_t left_out;   ///< of them, too far from any road, or without key, category or position
    bool is_connected;
    sc_diag last_failure;  ///< empty if there was none since the last load
} sc_feed_status;

SC_API sc_feed_status sc_object_feed_status(sc_object_feed *feed);

#ifdef __cplusplus
}
#endif
#endif
