/**
 * @file feed_internal.h
 * @brief What the files of the object feed share.
 *
 * From the bottom up:
 *
 *   feed_link.c    a connection that can be interrupted, and whose words are fit to be repeated
 *   feed_query.c   the statements, with every name quoted
 *   feed_load.c    rows become a set of objects
 *   feed_watch.c   the thread: when to load, when to connect again
 *   feed.c         opening, closing, and what others see
 *
 * Used by: these files.
 */
#ifndef SC_OBJECTS_FEED_INTERNAL_H
#define SC_OBJECTS_FEED_INTERNAL_H

#include <libpq-fe.h>
#include <pthread.h>

#include <starcloak/object_feed.h>

// --- The link (feed_link.c) ---------------------------------------------------

/**
 * A connection to the database. Nothing here waits without also waiting for the end of the feed,
 * which then fails with SC_EIO: whoever is told so asks sc__link_is_ending() first.
 */
typedef struct sc_link {
    PGconn *connection;  ///< NULL: there is none, or none any more
    int end_fd;          ///< readable from the moment the feed shall end; never read
} sc_link;

/** A clock that never goes back. */
int64_t sc__link_clock_ms(void);

/** For waiting without an end. */
#define SC_LINK_NEVER INT64_MAX

/** Whether `url` is one; the complaint does not repeat it, for it may hold a password. */
SC_CHECKED sc_err sc__link_check_url(const char *url, sc_diag *diag);

/** Connect. On failure there is no connection. */
SC_CHECKED sc_err sc__link_open(sc_link *link, const char *url, sc_diag *diag);

/** Harmless twice. */
void sc__link_close(sc_link *link);

bool sc__link_is_ending(const sc_link *link);

/** Run a statement and drop what it gives. */
SC_CHECKED sc_err sc__link_run(sc_link *link, const char *statement, sc_diag *diag);

/** Begin a statement whose rows are taken one by one, in binary. */
SC_CHECKED sc_err sc__link_ask(sc_link *link, const char *statement, sc_diag *diag);

/**
 * The next row, to be freed by PQclear(); NULL after the last, when the link is free for the
 * next statement. Once it has failed there are no more.
 */
SC_CHECKED sc_err sc__link_row(sc_link *link, PGresult **row, sc_diag *diag);

/** Let the remaining rows pass. */
void sc__link_drain(sc_link *link);

/** Take in what has come by itself, without waiting; whether notifications were among it. */
SC_CHECKED sc_err sc__link_listen(sc_link *link, bool *notified, sc_diag *diag);

/** Wait until something comes, it is `until_ms` by the clock above, or the feed shall end. */
void sc__link_wait(const sc_link *link, int64_t until_ms);

// --- The statements (feed_query.c) --------------------------------------------

/** The columns of the rows. */
enum { SC_ROW_KEY, SC_ROW_X, SC_ROW_Y, SC_ROW_CATEGORY, SC_ROW_NAME, SC_ROW_COLUMNS };

/** The statement that reads the table, all of it in one view. Free with sc_free(). */
SC_CHECKED sc_err sc__query_select(PGconn *connection, const sc_feed_options *options,
                                   sc_coords coords, char **out, sc_diag *diag);

/** The statement that asks for notifications. Free with sc_free(). */
SC_CHECKED sc_err sc__query_listen(PGconn *connection, const char *channel, char **out,
                                   sc_diag *diag);

// --- Loading (feed_load.c) ----------------------------------------------------

typedef struct sc_loaded {
    sc_objects *objects;  ///< held once
    uint64_t row_count;
    uint64_t left_out;
} sc_loaded;

/** Read the table by `select` into a new set with its index. */
SC_CHECKED sc_err sc__feed_load(sc_link *link, const char *select, const sc_map *map,
                                const sc_feed_options *options, sc_loaded *out, sc_diag *diag);

// --- The feed (feed.c, feed_watch.c) ------------------------------------------

struct sc_object_feed {
    // Set before the thread starts, then read only.
    const sc_map *map;
    sc_feed_options options;  ///< its texts are in `texts`
    char *texts;

    // Of whoever opens the feed, then of its thread.
    sc_link link;
    char *select;       ///< made with the first connection
    int64_t next_ms;    ///< when to load, after connecting if need be
    int64_t pause_ms;   ///< until then, after the next failure
    int64_t rested_ms;  ///< no notification makes it load earlier than this

    // Of whoever opens and closes it.
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock;

    // Under `lock`.
    sc_objects *current;
    sc_feed_status status;
};

/** Connect if need be, load, and put the new set in the place of the old one. */
SC_CHECKED sc_err sc__feed_renew(sc_object_feed *feed, sc_diag *diag);

/** Keep in mind that something failed, and whether there is a connection. */
void sc__feed_note_failure(sc_object_feed *feed, const sc_diag *diag);

/** Start the thread. */
SC_CHECKED sc_err sc__feed_watch(sc_object_feed *feed, sc_diag *diag);

#endif
