/*
 * The files of a map that a service serves. A reload opens them again, beside those that are in
 * use: what is mapped into memory is the file that had the name when it was opened, whatever has
 * the name now.
 */
#include "serve_map.h"

#include "cluster/demand_digest.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

/** NULL instead of "". */
static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static sc_err read_files(sc_serve_map *served, sc_diag *diag)
{
    const sc_settings *s = &served->settings;
    sc_err err = sc_settings_parts(s->categories, &served->categories, &served->category_count);
    if (!err) err = sc_input_open_map(s->map, NULL, &served->map, diag);
    if (!err && *s->partition)
        err = sc_partition_read(s->partition, served->map, &served->partition, diag);
    if (!err) err = sc_served_demands_open(s, served->map, &served->demands, diag);
    return err;
}

sc_err sc_serve_map_open(const sc_settings *settings, const sc_settings *next, sc_serve_map **out,
                         sc_diag *diag)
{
    sc_serve_map *served = calloc(1, sizeof *served);
    if (!served) return SC_ENOMEM;
    served->settings = *settings;
    sc_settings_lend_map(&served->settings, next);
    const sc_err err = read_files(served, diag);
    if (err) {
        sc_serve_map_close(served);
        return err;
    }
    *out = served;
    return SC_OK;
}

sc_err sc_serve_map_open_objects(const sc_call *call, sc_serve_map *served, sc_log *log,
                                 sc_diag *diag)
{
    const sc_settings *s = &served->settings;
    if (*s->provider || *s->area_provider || *s->point_provider) return SC_OK;
    sc_objects_options options = sc_objects_options_default();
    sc_feed_options *feed = &options.feed;
    feed->database = or_null(s->objects);
    feed->table = s->objects_table;
    feed->key_column = s->objects_key;
    feed->position_column = s->objects_position;
    feed->category_column = s->objects_category;
    feed->name_column = or_null(s->objects_name);
    feed->channel = or_null(s->objects_channel);
    feed->refresh_s = s->objects_refresh_s;
    feed->max_snap_m = s->objects_snap_m;
    served->objects.log = log;
    return sc_served_objects_open(call, &options, served->map, s->map, &served->objects, diag);
}

void sc_serve_map_close(void *context)
{
    sc_serve_map *served = context;
    if (!served) return;
    sc_served_objects_close(&served->objects);
    sc_served_demands_close(&served->demands);
    sc_partition_free(served->partition);
    sc_map_free(served->map);
    sc_settings_parts_free(served->categories);
    sc_settings_free(served->lent);
    free(served);
}

// --- What a reload finds ------------------------------------------------------------------------

static uint64_t partition_checksum(const sc_serve_map *served)
{
    return served->partition ? sc_partition_checksum(served->partition) : 0;
}

static uint64_t density_checksum(const sc_serve_map *served)
{
    return served->demands.density ? sc_density_checksum(served->demands.density) : 0;
}

static bool ask_the_same(const sc_serve_map *a, const sc_serve_map *b)
{
    // Of continuity the settings tell, which do not change.
    const sc_continuity_digest none = {.is_asked = false};
    const sc_demand_digest then = sc_demand_digest_of(&a->demands.asked, &none);
    const sc_demand_digest now = sc_demand_digest_of(&b->demands.asked, &none);
    return density_checksum(a) == density_checksum(b) && !sc_demand_digest_difference(&then, &now);
}

static bool has_word(const sc_vocabulary *vocabulary, const char *word)
{
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        if (strcmp(vocabulary->names[i], word) == 0) return true;
    }
    return false;
}

/** Whether the database has a category by now that no request may name yet. */
static bool has_new_category(const sc_serve_map *served, const sc_vocabulary *vocabulary)
{
    sc_object_feed *feed = atomic_load(&served->objects.feed);
    if (!feed) return false;
    sc_objects *objects = sc_object_feed_current(feed);
    const sc_vocabulary *own = sc_objects_vocabulary(objects);
    bool is_new = false;
    for (uint32_t i = 0; i < own->count && !is_new; i++) {
        is_new = !has_word(vocabulary, own->names[i]);
    }
    sc_objects_release(objects);
    return is_new;
}

bool sc_serve_map_is_same(const sc_serve_map *now, const sc_serve_map *next,
                          const sc_vocabulary *vocabulary)
{
    return sc_map_checksum(now->map) == sc_map_checksum(next->map) &&
           partition_checksum(now) == partition_checksum(next) && ask_the_same(now, next) &&
           strcmp(now->settings.provider, next->settings.provider) == 0 &&
           strcmp(now->settings.categories, next->settings.categories) == 0 &&
           !has_new_category(now, vocabulary);
}
