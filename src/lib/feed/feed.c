// Objects from a PostgreSQL table: opening a feed, loading the table, loading it again. See
// starcloak/object_feed.h.
//
// The first load is made in the thread that opens the feed, which gets its errors; later ones are
// made in the feed's own. A feed that has nothing to wait for, neither a channel nor a time, needs
// neither thread nor connection any more.
//
//  1. A set is complete, index and all, before it becomes the current one.
//  2. `current` is never NULL once the feed is open.
//  3. The lock is held for a few assignments, and never while waiting for the database.
#include <starcloak/object_feed.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"
#include "feed/feed_postgres.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct sc_object_feed {
    // Set before the thread starts, then read only.
    const sc_map *map;
    sc_feed_options options;  ///< its texts are in `texts`
    char *texts;

    // Of the thread that opens the feed, then of its own.
    sc_feed_link link;
    char *select;       ///< made with the first connection
    int64_t next_ms;    ///< when to load, after connecting if need be
    int64_t pause_ms;   ///< until then, after the next failure
    int64_t rested_ms;  ///< no notification makes it load earlier than this

    // Of the threads that open and close it.
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock;

    // Under `lock`.
    sc_objects *current;
    sc_feed_status status;
};

// === Options ====================================================================================

sc_feed_options sc_feed_options_default(void)
{
    return (sc_feed_options){
        .table = "objects",
        .key_column = "id",
        .position_column = "geom",
        .category_column = "category",
        .name_column = "name",
        .max_snap_m = 1000.0,
        .index = sc_index_options_default(),
    };
}

enum { TEXTS = 7 };

/** Where the texts of `options` are, those that may be NULL last. */
static void list_texts(sc_feed_options *options, const char **texts[TEXTS])
{
    const char **const all[TEXTS] = {
        &options->database,        &options->table,           &options->key_column,
        &options->position_column, &options->category_column, &options->name_column,
        &options->channel,
    };
    memcpy(texts, all, sizeof all);
}

static sc_err check_options(const sc_map *map, const sc_feed_options *options, sc_diag *diag)
{
    static const char *const names[TEXTS] = {
        "the database's address", "the table",         "the key's column", "the position's column",
        "the category's column",  "the name's column", "the channel",
    };
    enum { NEEDED = 5 };
    sc_feed_options copy = *options;
    const char **texts[TEXTS];
    list_texts(&copy, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        const bool is_missing = *texts[i] ? **texts[i] == '\0' : i < NEEDED;
        if (is_missing) return sc_fail(diag, SC_EINVAL, "%s is missing", names[i]);
    }
    if (!(options->refresh_s >= 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the interval between loads of the objects is %g seconds; give 0 or more",
                       options->refresh_s);
    }
    if (!(options->max_snap_m >= 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the largest distance of an object from a road is %g metres; give 0 or more",
                       options->max_snap_m);
    }
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so objects cannot be put on its roads");
    }
    return sc__feed_link_check_url(options->database, diag);
}

/** Options of our own, with all texts in one block. */
static sc_err copy_options(sc_object_feed *feed, const sc_feed_options *options, sc_diag *diag)
{
    feed->options = *options;
    const char **texts[TEXTS];
    list_texts(&feed->options, texts);
    size_t size = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        if (*texts[i]) size += strlen(*texts[i]) + 1;
    }
    feed->texts = sc_malloc(size);
    if (!feed->texts) return sc_fail_memory(diag, "opening a feed of objects");
    char *next = feed->texts;
    for (size_t i = 0; i < TEXTS; i++) {
        if (!*texts[i]) continue;
        const size_t bytes = strlen(*texts[i]) + 1;
        memcpy(next, *texts[i], bytes);
        *texts[i] = next;
        next += bytes;
    }
    return SC_OK;
}

// === Rows of the table become a set of objects ==================================================
// Rows are taken one at a time, put on the nearest road and forgotten, so that a large table needs
// memory for its objects and not for itself. A row that lacks something (a key, a position near a
// road, a category) is left out and counted. Rows that contradict each other, two with one key,
// spoil the set: answers name objects by their keys, and would name the wrong one.

typedef struct loaded_table {
    sc_objects *objects;  ///< held once
    uint64_t row_count;
    uint64_t left_out;
} loaded_table;

// --- Rows -----------------------------------------------------------------------

/** A text of the row, or NULL if it has none or an empty one. */
static const char *text_at(const PGresult *row, int column)
{
    return PQgetlength(row, 0, column) > 0 ? PQgetvalue(row, 0, column) : NULL;
}

/** A double as PostgreSQL sends it: its eight bytes, the highest first. False if it is NULL. */
static bool number_at(const PGresult *row, int column, double *out)
{
    uint64_t bits = 0;
    if (PQgetlength(row, 0, column) != (int)sizeof bits) return false;
    memcpy(&bits, PQgetvalue(row, 0, column), sizeof bits);
    bits = be64toh(bits);
    memcpy(out, &bits, sizeof bits);
    return true;
}

static sc_err fail_key(const char *table, const char *key, sc_diag *diag)
{
    return sc_fail(diag, SC_EPARSE,
                   "two rows of the table %s have the key %s; choose a key column that is "
                   "different in each row",
                   sc_quote(table, strlen(table)).text, sc_quote(key, strlen(key)).text);
}

/** Add the object of a row; *added is false if it is left out. */
static sc_err add_row(sc_objects_builder *builder, const PGresult *row, const sc_map *map,
                      const sc_feed_options *options, bool *added, sc_diag *diag)
{
    const char *key = text_at(row, SC_FEED_ROW_KEY);
    const char *category = text_at(row, SC_FEED_ROW_CATEGORY);
    double x = 0.0;
    double y = 0.0;
    sc_snap snap;
    *added = key && category && number_at(row, SC_FEED_ROW_X, &x) &&
             number_at(row, SC_FEED_ROW_Y, &y) &&
             sc_map_snap(map, x, y, options->max_snap_m, &snap) == SC_OK;
    if (!*added) return SC_OK;
    const sc_err err =
        sc_objects_builder_add(builder,
                               &(sc_object_row){.edge = snap.edge,
                                                .offset_m = snap.offset_m,
                                                .key = key,
                                                .category = category,
                                                .name = text_at(row, SC_FEED_ROW_NAME)},
                               diag);
    if (err == SC_EDUPLICATE) return fail_key(options->table, key, diag);
    // The place on the road is our own; what is wrong is wrong with the row.
    return err == SC_EINVAL ? SC_EPARSE : err;
}

static sc_err add_rows(sc_objects_builder *builder, sc_feed_link *link, const sc_map *map,
                       const sc_feed_options *options, loaded_table *loaded, sc_diag *diag)
{
    for (;;) {
        PGresult *row = NULL;
        sc_err err = sc__feed_link_row(link, &row, diag);
        if (err || !row) return err;
        bool added = false;
        err = add_row(builder, row, map, options, &added, diag);
        PQclear(row);
        if (err) {
            sc__feed_link_drain(link);
            return err;
        }
        loaded->row_count++;
        if (!added) loaded->left_out++;
    }
}

// --- The set --------------------------------------------------------------------

static sc_err finish(sc_objects_builder *builder, const sc_feed_options *options, sc_objects **out,
                     sc_diag *diag)
{
    sc_objects *objects = NULL;
    sc_err err = sc_objects_builder_finish(builder, &objects);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "putting objects on the map");
    if (err) return sc_fail(diag, err, "objects cannot be put on the map: %s", sc_err_text(err));
    err = sc_objects_build_index(objects, &options->index, diag);
    if (err) {
        sc_objects_release(objects);
        return err;
    }
    *out = objects;
    return SC_OK;
}

static sc_err load_table(sc_feed_link *link, const char *select, const sc_map *map,
                         const sc_feed_options *options, loaded_table *out, sc_diag *diag)
{
    sc_objects_builder *builder = NULL;
    if (sc_objects_builder_new(map, &builder)) return sc_fail_memory(diag, "taking in objects");
    loaded_table loaded = {.objects = NULL};
    sc_err err = sc__feed_link_ask(link, select, diag);
    if (!err) err = add_rows(builder, link, map, options, &loaded, diag);
    if (!err) err = finish(builder, options, &loaded.objects, diag);
    sc_objects_builder_free(builder);
    if (!err) *out = loaded;
    return err;
}

// === Connecting and loading =====================================================================

/** Make the session ours. A server that does not know one of these does without it. */
static sc_err prepare_session(sc_feed_link *link, sc_diag *diag)
{
    static const char *const settings[] = {
        // A large table takes its time, and a session that listens is idle.
        "SET statement_timeout = 0",
        "SET idle_session_timeout = 0",
        // If we are gone, the server need not go on.
        "SET client_connection_check_interval = 1000",
        // Whatever rights we have, nothing is changed.
        "SET default_transaction_read_only = on",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const sc_err err = sc__feed_link_run(link, settings[i], diag);
        if (err && !link->connection) return err;
    }
    return SC_OK;
}

static sc_err listen_on_channel(sc_object_feed *feed, sc_diag *diag)
{
    char *listen = NULL;
    sc_err err = sc__feed_query_listen(feed->link.connection, feed->options.channel, &listen, diag);
    if (!err) err = sc__feed_link_run(&feed->link, listen, diag);
    sc_free(listen);
    return err;
}

static sc_err connect_and_listen(sc_object_feed *feed, sc_diag *diag)
{
    sc_err err = sc__feed_link_open(&feed->link, feed->options.database, diag);
    if (!err) err = prepare_session(&feed->link, diag);
    if (!err && !feed->select) {
        err = sc__feed_query_select(feed->link.connection, &feed->options, sc_map_coords(feed->map),
                                    &feed->select, diag);
    }
    // Before the first load, so that changes during it cause a notification.
    if (!err && feed->options.channel) err = listen_on_channel(feed, diag);
    if (err) sc__feed_link_close(&feed->link);
    return err;
}

static sc_err renew(sc_object_feed *feed, sc_diag *diag)
{
    loaded_table loaded = {.objects = NULL};
    sc_err err = feed->link.connection ? SC_OK : connect_and_listen(feed, diag);
    if (!err) {
        err = load_table(&feed->link, feed->select, feed->map, &feed->options, &loaded, diag);
    }
    if (err) return err;

    pthread_mutex_lock(&feed->lock);
    sc_objects *old = feed->current;
    feed->current = loaded.objects;
    feed->status.loads++;
    feed->status.row_count = loaded.row_count;
    feed->status.left_out = loaded.left_out;
    feed->status.is_connected = true;
    feed->status.last_failure = (sc_diag){.message = ""};
    pthread_mutex_unlock(&feed->lock);
    sc_objects_release(old);
    return SC_OK;
}

static void note_failure(sc_object_feed *feed, const sc_diag *diag)
{
    pthread_mutex_lock(&feed->lock);
    feed->status.failures++;
    feed->status.is_connected = feed->link.connection != NULL;
    feed->status.last_failure = *diag;
    pthread_mutex_unlock(&feed->lock);
}

// === The thread: when to load again =============================================================
// The thread sleeps until the database sends something, until `next_ms`, or until the feed is
// closed. Then:
//
//   - A notification makes it load soon, but not at once: many come in a burst, and one load is
//     enough for all of them. Those that come during a load cause one more after it. However many
//     come, at least half of the time is left to other things.
//   - Without one, it loads when the last load is old enough (options.refresh_s).
//   - Whatever fails is tried again after 1, 2, 4, ... 60 seconds, by notification also sooner;
//     until then the last set stays. A connection that is new has missed notifications, so it
//     always begins with a load.

/** Long enough for the notifications of one change to come together, too short to notice. */
#define CALM_MS 100

#define FIRST_PAUSE_MS 1000
#define LONGEST_PAUSE_MS 60000

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** A load has succeeded that began at `begun_ms`. */
static void plan_after_load(sc_object_feed *feed, int64_t begun_ms)
{
    // More than a few centuries would not fit, and is never.
    const double longest_s = 1e10;
    const double refresh_s = feed->options.refresh_s;
    const int64_t now_ms = sc__feed_link_clock_ms();
    feed->next_ms = refresh_s > 0.0 && refresh_s < longest_s
                        ? now_ms + later_of((int64_t)(refresh_s * 1000.0), 1)
                        : SC_FEED_NEVER;
    feed->pause_ms = FIRST_PAUSE_MS;
    feed->rested_ms = now_ms + (now_ms - begun_ms);
}

static void plan_after_failure(sc_object_feed *feed, int64_t begun_ms)
{
    const int64_t now_ms = sc__feed_link_clock_ms();
    feed->next_ms = now_ms + feed->pause_ms;
    feed->pause_ms *= 2;
    if (feed->pause_ms > LONGEST_PAUSE_MS) feed->pause_ms = LONGEST_PAUSE_MS;
    feed->rested_ms = now_ms + (now_ms - begun_ms);
}

static void plan_after_notification(sc_object_feed *feed)
{
    const int64_t soon_ms = later_of(sc__feed_link_clock_ms() + CALM_MS, feed->rested_ms);
    if (soon_ms < feed->next_ms) feed->next_ms = soon_ms;
}

/** Load, if it is time; then see whether there are notifications. */
static sc_err look(sc_object_feed *feed, int64_t now_ms, sc_diag *diag)
{
    if (now_ms >= feed->next_ms) {
        const sc_err err = renew(feed, diag);
        if (err) return err;
        plan_after_load(feed, now_ms);
        if (feed->options.changed) feed->options.changed(feed->options.data);
    }
    if (!feed->link.connection) return SC_OK;
    bool notified = false;
    const sc_err err = sc__feed_link_listen(&feed->link, &notified, diag);
    if (!err && notified) plan_after_notification(feed);
    return err;
}

static void *watch(void *argument)
{
    sc_object_feed *feed = argument;
    while (!sc__feed_link_is_ending(&feed->link)) {
        sc_diag diag = {.message = ""};
        const int64_t now_ms = sc__feed_link_clock_ms();
        const sc_err err = look(feed, now_ms, &diag);
        if (err && !sc__feed_link_is_ending(&feed->link)) {
            note_failure(feed, &diag);
            plan_after_failure(feed, now_ms);
            if (feed->options.changed) feed->options.changed(feed->options.data);
        }
        sc__feed_link_wait(&feed->link, feed->next_ms);
    }
    return NULL;
}

static sc_err start_thread(sc_object_feed *feed, sc_diag *diag)
{
    // The first load was made by the thread that opened the feed.
    plan_after_load(feed, sc__feed_link_clock_ms());

    feed->has_thread = sc_thread_start(&feed->thread, watch, feed) == SC_OK;
    if (!feed->has_thread) {
        return sc_fail(diag, SC_EIO, "cannot start a thread to watch the database");
    }
    return SC_OK;
}

// === The feed ===================================================================================

static sc_err open_feed(sc_object_feed *feed, const sc_feed_options *options, sc_diag *diag)
{
    sc_err err = copy_options(feed, options, diag);
    if (err) return err;
    feed->link.end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (feed->link.end_fd < 0) {
        return sc_fail(diag, SC_EIO, "opening a feed of objects: too many open files");
    }
    err = renew(feed, diag);
    if (err) return err;
    if (options->channel || options->refresh_s > 0.0) return start_thread(feed, diag);
    sc__feed_link_close(&feed->link);
    feed->status.is_connected = false;
    return SC_OK;
}

sc_err sc_object_feed_open(const sc_map *map, const sc_feed_options *options, sc_object_feed **out,
                           sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_object_feed *feed = sc_calloc(1, sizeof *feed);
    if (!feed) return sc_fail_memory(diag, "opening a feed of objects");
    feed->map = map;
    feed->link.end_fd = -1;
    feed->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    err = open_feed(feed, options, diag);
    if (err) {
        sc_object_feed_close(feed);
        return err;
    }
    *out = feed;
    return SC_OK;
}

void sc_object_feed_close(sc_object_feed *feed)
{
    if (!feed) return;
    if (feed->has_thread) {
        eventfd_write(feed->link.end_fd, 1);
        pthread_join(feed->thread, NULL);
    }
    sc__feed_link_close(&feed->link);
    if (feed->link.end_fd >= 0) close(feed->link.end_fd);
    sc_objects_release(feed->current);
    pthread_mutex_destroy(&feed->lock);
    sc_free(feed->select);
    sc_free(feed->texts);
    sc_free(feed);
}

sc_objects *sc_object_feed_current(sc_object_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    sc_objects *objects = sc_objects_hold(feed->current);
    pthread_mutex_unlock(&feed->lock);
    return objects;
}

sc_feed_status sc_object_feed_status(sc_object_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    const sc_feed_status status = feed->status;
    pthread_mutex_unlock(&feed->lock);
    return status;
}
