// The objects of a provider that serves. See served_objects.h.
#include "served_objects.h"

#include "inputs.h"

/** A load that failed, the first time; and every load that did not. */
static void tell_load(void *data)
{
    sc_served_objects *objects = data;
    sc_object_feed *feed = atomic_load(&objects->feed);
    // The feed's thread may be here before whoever opens the feed knows it, and then looks itself.
    if (!feed) return;
    const sc_feed_status status = sc_object_feed_status(feed);
    const bool is_stale = status.last_failure.message[0] != '\0';
    const bool was_stale = atomic_exchange(&objects->is_stale, is_stale);
    sc_log_line line;
    if (is_stale && !was_stale) {
        sc_log_message(objects->log, SC_LOG_WARNING, "objects_stale", status.last_failure.message);
    } else if (!is_stale && sc_log_begin(objects->log, &line, SC_LOG_INFO, "objects_loaded")) {
        sc_log_count(&line, "rows", status.row_count);
        sc_log_count(&line, "left_out", status.left_out);
        sc_log_end(&line);
    }
}

sc_err sc_served_objects_open(const sc_call *call, const sc_objects_options *options,
                              const sc_map *map, const char *path, sc_log *log,
                              sc_served_objects *out, sc_diag *diag)
{
    out->log = log;
    if (!options->feed.database) {
        const sc_err err = sc_input_need_objects(map, path, diag);
        return err ? err : sc_objects_open(call, options, map, &out->own, diag);
    }
    sc_feed_options how = options->feed;
    how.changed = tell_load;
    how.data = out;
    sc_object_feed *feed = NULL;
    const sc_err err = sc_object_feed_open(map, &how, &feed, diag);
    if (err) return err;
    atomic_store(&out->feed, feed);
    tell_load(out);
    return SC_OK;
}

void sc_served_objects_close(sc_served_objects *objects)
{
    sc_objects_close(&objects->own);
    sc_object_feed_close(atomic_exchange(&objects->feed, NULL));
}
