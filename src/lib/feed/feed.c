// Objects from a PostgreSQL table: opening, closing, and what others see. See
// starcloak/object_feed.h.
//
// The first load is made in the thread that opens the feed, which so hears of all that is wrong;
// later ones are made in the feed's own. A feed that has nothing to wait for, neither a channel
// nor a time, needs neither thread nor connection any more.
//
//  1. A set is complete, index and all, before it becomes the current one.
//  2. `current` is never NULL once the feed is open.
//  3. The lock is held for a few assignments, and never while somebody waits for the database.
//
// Used by: starcloak nearest and evaluate, and whoever links us.
#include "feed/feed_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

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

// --- Options --------------------------------------------------------------------

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
        return sc_fail(diag, SC_EINVAL, "objects can be loaded every so many seconds, not %g",
                       options->refresh_s);
    }
    if (!(options->max_snap_m >= 0.0)) {
        return sc_fail(diag, SC_EINVAL, "objects can be so many metres off a road, not %g",
                       options->max_snap_m);
    }
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so objects cannot be put on its roads");
    }
    return sc__link_check_url(options->database, diag);
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

// --- Renewing -------------------------------------------------------------------

/** Make the session ours. A server that does not know one of these does without it. */
static sc_err prepare_session(sc_link *link, sc_diag *diag)
{
    static const char *const settings[] = {
        // A large table takes its time, and whoever listens is idle.
        "SET statement_timeout = 0",
        "SET idle_session_timeout = 0",
        // If we are gone, the server need not go on.
        "SET client_connection_check_interval = 1000",
        // Whatever rights we have, nothing is changed.
        "SET default_transaction_read_only = on",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const sc_err err = sc__link_run(link, settings[i], diag);
        if (err && !link->connection) return err;
    }
    return SC_OK;
}

static sc_err listen_on_channel(sc_object_feed *feed, sc_diag *diag)
{
    char *listen = NULL;
    sc_err err = sc__query_listen(feed->link.connection, feed->options.channel, &listen, diag);
    if (!err) err = sc__link_run(&feed->link, listen, diag);
    sc_free(listen);
    return err;
}

static sc_err connect_and_listen(sc_object_feed *feed, sc_diag *diag)
{
    sc_err err = sc__link_open(&feed->link, feed->options.database, diag);
    if (!err) err = prepare_session(&feed->link, diag);
    if (!err && !feed->select) {
        err = sc__query_select(feed->link.connection, &feed->options, sc_map_coords(feed->map),
                               &feed->select, diag);
    }
    // Before the first load: what changes during it is heard of.
    if (!err && feed->options.channel) err = listen_on_channel(feed, diag);
    if (err) sc__link_close(&feed->link);
    return err;
}

sc_err sc__feed_renew(sc_object_feed *feed, sc_diag *diag)
{
    sc_loaded loaded = {.objects = NULL};
    sc_err err = feed->link.connection ? SC_OK : connect_and_listen(feed, diag);
    if (!err) {
        err = sc__feed_load(&feed->link, feed->select, feed->map, &feed->options, &loaded, diag);
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

void sc__feed_note_failure(sc_object_feed *feed, const sc_diag *diag)
{
    pthread_mutex_lock(&feed->lock);
    feed->status.failures++;
    feed->status.is_connected = feed->link.connection != NULL;
    feed->status.last_failure = *diag;
    pthread_mutex_unlock(&feed->lock);
}

// --- The feed -------------------------------------------------------------------

static sc_err open_feed(sc_object_feed *feed, const sc_feed_options *options, sc_diag *diag)
{
    sc_err err = copy_options(feed, options, diag);
    if (err) return err;
    feed->link.end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (feed->link.end_fd < 0) {
        return sc_fail(diag, SC_EIO, "opening a feed of objects: no more files can be open");
    }
    err = sc__feed_renew(feed, diag);
    if (err) return err;
    if (options->channel || options->refresh_s > 0.0) return sc__feed_watch(feed, diag);
    sc__link_close(&feed->link);
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
    sc__link_close(&feed->link);
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
