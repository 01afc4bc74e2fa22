/**
 * @file feed_postgres.h
 * @brief The database of an object feed: a connection that can be interrupted, and its statements.
 *
 * For: feed.c.
 */
#ifndef SC_FEED_FEED_POSTGRES_H
#define SC_FEED_FEED_POSTGRES_H

#include <libpq-fe.h>

#include <starcloak/object_feed.h>

// --- The link ----------------------------------------------------------------------

/**
 * A connection to the database. Nothing here waits without also waiting for the end of the feed,
 * which then fails with SC_EIO: on that error, check sc__feed_link_is_ending() first.
 */
typedef struct sc_feed_link {
    PGconn *connection;  ///< NULL: there is none, or none any more
    int end_fd;          ///< readable from the moment the feed shall end; never read
} sc_feed_link;

/** A clock that never goes back. */
int64_t sc__feed_link_clock_ms(void);

/** For waiting without an end. */
#define SC_FEED_NEVER INT64_MAX

/** Whether `url` is one; the complaint does not repeat it, for it may hold a password. */
SC_CHECKED sc_err sc__feed_link_check_url(const char *url, sc_diag *diag);

/** Connect. On failure there is no connection. */
SC_CHECKED sc_err sc__feed_link_open(sc_feed_link *link, const char *url, sc_diag *diag);

/** Harmless twice. */
void sc__feed_link_close(sc_feed_link *link);

bool sc__feed_link_is_ending(const sc_feed_link *link);

/** Run a statement and drop what it gives. */
SC_CHECKED sc_err sc__feed_link_run(sc_feed_link *link, const char *statement, sc_diag *diag);

/** Begin a statement whose rows are taken one by one, in binary. */
SC_CHECKED sc_err sc__feed_link_ask(sc_feed_link *link, const char *statement, sc_diag *diag);

/**
 * The next row, to be freed by PQclear(); NULL after the last, when the link is free for the
 * next statement. Once it has failed there are no more.
 */
SC_CHECKED sc_err sc__feed_link_row(sc_feed_link *link, PGresult **row, sc_diag *diag);

/** Let the remaining rows pass. */
void sc__feed_link_drain(sc_feed_link *link);

/** Take in what has come by itself, without waiting; whether notifications were among it. */
SC_CHECKED sc_err sc__feed_link_listen(sc_feed_link *link, bool *notified, sc_diag *diag);

/** Wait until something comes, it is `until_ms` by the clock above, or the feed shall end. */
void sc__feed_link_wait(const sc_feed_link *link, int64_t until_ms);

// --- The statements ----------------------------------------------------------------------

/** The columns of the rows. */
enum {
    SC_FEED_ROW_KEY,
    SC_FEED_ROW_X,
    SC_FEED_ROW_Y,
    SC_FEED_ROW_CATEGORY,
    SC_FEED_ROW_NAME,
    SC_FEED_ROW_COLUMNS
};

/** The statement that reads the table, all of it in one view. Free with sc_free(). */
SC_CHECKED sc_err sc__feed_query_select(PGconn *connection, const sc_feed_options *options,
                                        sc_coords coords, char **out, sc_diag *diag);

/** The statement that asks for notifications. Free with sc_free(). */
SC_CHECKED sc_err sc__feed_query_listen(PGconn *connection, const char *channel, char **out,
                                        sc_diag *diag);

#endif
