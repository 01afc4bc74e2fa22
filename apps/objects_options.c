// Where objects come from.
#include "objects_options.h"

#include "format.h"
#include "points/point_settings.h"
#include "progress_bar.h"
#include "values.h"

#include <math.h>
#include <string.h>

/** If building an index takes longer, a note tells how to store it. */
#define LONG_S 2.0

sc_objects_options sc_objects_options_default(void)
{
    return (sc_objects_options){.feed = sc_feed_options_default()};
}

// --- Options --------------------------------------------------------------------------

static const char *name_of(const struct argp_state *state, const char *option, const char *argument)
{
    if (argument[0] == '\0') sc_usage_error(state, "%s: the name is empty", option);
    return argument;
}

/** What can be seen from the address alone. It is not repeated: it may have a password. */
static const char *database_of(const struct argp_state *state, const char *argument)
{
    static const char *const schemes[] = {"postgresql://", "postgres://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        if (strncmp(argument, schemes[i], strlen(schemes[i])) == 0) return argument;
    }
    sc_usage_error(state, "--objects: the address of a database must begin with postgresql://, as "
                          "in postgresql://user@host/database");
}

/** Take one of the options that say how to use a database; NULL if `key` is none of them. */
static const char *take_detail(int key, const char *argument, const struct argp_state *state,
                               sc_feed_options *feed)
{
    const char *option = NULL;
    switch (key) {
    case SC_KEY_OBJECTS_TABLE:
        option = "--objects-table";
        feed->table = name_of(state, option, argument);
        break;
    case SC_KEY_OBJECTS_KEY:
        option = "--objects-key";
        feed->key_column = name_of(state, option, argument);
        break;
    case SC_KEY_OBJECTS_POSITION:
        option = "--objects-position";
        feed->position_column = name_of(state, option, argument);
        break;
    case SC_KEY_OBJECTS_CATEGORY:
        option = "--objects-category";
        feed->category_column = name_of(state, option, argument);
        break;
    case SC_KEY_OBJECTS_NAME:
        option = "--objects-name";
        feed->name_column = argument[0] != '\0' ? argument : NULL;
        break;
    case SC_KEY_OBJECTS_SNAP:
        option = "--objects-snap";
        feed->max_snap_m = sc_value_number(state, option, argument, 0, HUGE_VAL);
        break;
    case SC_KEY_OBJECTS_CHANNEL:
        option = "--objects-channel";
        feed->channel = name_of(state, option, argument);
        break;
    case SC_KEY_OBJECTS_REFRESH:
        option = "--objects-refresh";
        feed->refresh_s = sc_value_number(state, option, argument, 0, HUGE_VAL);
        break;
    default:
        break;
    }
    return option;
}

bool sc_objects_option(int key, char *argument, const struct argp_state *state,
                       sc_objects_options *options)
{
    if (key == SC_KEY_OBJECTS) {
        options->feed.database = database_of(state, argument);
        return true;
    }
    const char *option = take_detail(key, argument, state, &options->feed);
    if (option && !options->first_detail) options->first_detail = option;
    return option != NULL;
}

void sc_objects_options_check(const struct argp_state *state, const sc_objects_options *options)
{
    if (options->first_detail && !options->feed.database) {
        sc_usage_error(
            state, "%s is about a table of objects; add --objects postgresql://user@host/database",
            options->first_detail);
    }
}

// --- The way there --------------------------------------------------------------------

/** The map's own objects, with an index that was stored or is built now. */
static sc_err open_own(const sc_call *call, const sc_objects_options *options, const sc_map *map,
                       sc_opened_objects *out, sc_diag *diag)
{
    sc_objects *objects = NULL;
    sc_err err = sc_objects_new_from_map(map, &objects);
    if (err || options->no_index || sc_objects_index_info(objects).k > 0) {
        if (!err) out->objects = objects;
        return err;
    }
    sc_bar bar;
    sc_bar_init(&bar, options->is_quiet);
    sc_index_options index = sc_index_options_default();
    index.progress = sc_bar_listen(&bar);
    const double begun_s = sc_clock_s();
    err = sc_objects_build_index(objects, &index, diag);
    sc_bar_clear(&bar);
    if (err) {
        sc_objects_release(objects);
        return err;
    }
    const double took_s = sc_clock_s() - begun_s;
    if (took_s > LONG_S && !options->is_quiet) {
        sc_call_note(call,
                     "building the index of nearest objects took %.0f s; 'starcloak map index' "
                     "stores it in the map",
                     took_s);
    }
    out->objects = objects;
    return SC_OK;
}

static void tell_left_out(const sc_call *call, const sc_objects_options *options,
                          const sc_feed_status *status, const sc_map *map)
{
    if (status->left_out == 0 || options->is_quiet) return;
    char left_out[SC_FORMAT_SIZE];
    char rows[SC_FORMAT_SIZE];
    sc_call_note(call,
                 "%s of %s rows left out: more than %g %s from any road (--objects-snap), or "
                 "without a key, position or category",
                 sc_format_count(left_out, status->left_out),
                 sc_format_count(rows, status->row_count), options->feed.max_snap_m,
                 sc_map_is_in_metres(map) ? "m" : "units");
}

/** Say when newer objects fail to come, once however often they do, and when they come again. */
static void tell_whether_stale(void *data)
{
    sc_opened_objects *opened = data;
    pthread_mutex_lock(&opened->lock);
    // The feed's thread may come here before the feed is stored; then the opening thread reports.
    if (opened->feed) {
        const sc_feed_status status = sc_object_feed_status(opened->feed);
        const bool is_stale = status.last_failure.message[0] != '\0';
        if (is_stale && !opened->is_stale) {
            sc_call_note(
                opened->call,
                "the objects could not be loaded again, and those of the last load stay: %.900s",
                status.last_failure.message);
        } else if (!is_stale && opened->is_stale) {
            sc_call_note(opened->call, "the objects were loaded again");
        }
        opened->is_stale = is_stale;
    }
    pthread_mutex_unlock(&opened->lock);
}

/** Those of a database. */
static sc_err open_feed(const sc_call *call, const sc_objects_options *options, const sc_map *map,
                        sc_opened_objects *out, sc_diag *diag)
{
    sc_bar bar;
    sc_bar_init(&bar, options->is_quiet);
    sc_feed_options feed = options->feed;
    // A feed that stays reports from its own thread, long after this bar is gone.
    if (!feed.channel && !(feed.refresh_s > 0.0)) feed.index.progress = sc_bar_listen(&bar);
    if (options->no_index) feed.index.max_bytes = 0;
    feed.changed = tell_whether_stale;
    feed.data = out;
    sc_object_feed *opened = NULL;
    const sc_err err = sc_object_feed_open(map, &feed, &opened, diag);
    sc_bar_clear(&bar);
    if (err) return err;
    pthread_mutex_lock(&out->lock);
    out->feed = opened;
    pthread_mutex_unlock(&out->lock);
    tell_whether_stale(out);
    out->objects = sc_object_feed_current(out->feed);
    const sc_feed_status status = sc_object_feed_status(out->feed);
    tell_left_out(call, options, &status, map);
    return SC_OK;
}

sc_err sc_objects_open(const sc_call *call, const sc_objects_options *options, const sc_map *map,
                       sc_opened_objects *out, sc_diag *diag)
{
    *out = (sc_opened_objects){.call = call, .lock = PTHREAD_MUTEX_INITIALIZER};
    return options->feed.database ? open_feed(call, options, map, out, diag)
                                  : open_own(call, options, map, out, diag);
}

void sc_objects_close(sc_opened_objects *opened)
{
    sc_objects_release(opened->objects);
    sc_object_feed_close(opened->feed);
    *opened = (sc_opened_objects){.objects = NULL};
}

// --- Providers that answer points only ----------------------------------------------------------

/** A millimetre: narrower spacings are mistakes, and would take points without end. */
#define SPACING_MIN_M 0.001
#define SPACING_MAX_M 1e9

/** A day. */
#define DEADLINE_MAX_S 86400.0

sc_points_options sc_points_options_default(void)
{
    return (sc_points_options){.options = sc_point_options_default()};
}

// --- Options ----------------------------------------------------------------

/** Take one of the options that say how to ask; NULL if `key` is none of them. */
static const char *take_point_detail(int key, char *argument, const struct argp_state *state,
                                     sc_point_options *options)
{
    static const char *const distances[] = {
        [SC_POINT_STRAIGHT] = "straight", [SC_POINT_ROAD] = "road", [SC_POINT_ROAD + 1] = NULL};
    sc_diag diag = {.message = ""};
    switch (key) {
    case SC_KEY_POINT_DISTANCE:
        options->distance =
            (sc_point_distance)sc_value_word(state, "--point-distance", argument, distances);
        return "--point-distance";
    case SC_KEY_POINT_SPACING:
        options->spacing_m =
            sc_value_number(state, "--point-spacing", argument, SPACING_MIN_M, SPACING_MAX_M);
        return "--point-spacing";
    case SC_KEY_POINT_MAX_K:
        options->max_k = (uint32_t)sc_value_count(state, "--point-max-k", argument, 1, UINT32_MAX);
        return "--point-max-k";
    case SC_KEY_POINT_DEADLINE:
        options->deadline_s =
            sc_value_number(state, "--point-deadline", argument, 0.0, DEADLINE_MAX_S);
        return "--point-deadline";
    case SC_KEY_POINT_FIELDS:
        if (sc__point_fields_read(argument, options, &diag)) {
            sc_usage_error(state, "--point-fields: %s", diag.message);
        }
        return "--point-fields";
    default:
        return NULL;
    }
}

bool sc_points_option(int key, char *argument, const struct argp_state *state,
                      sc_points_options *options)
{
    if (key == SC_KEY_POINT_PROVIDER) {
        if (argument[0] == '\0') sc_usage_error(state, "--point-provider: the name is empty");
        const bool is_url = strstr(argument, "://") != NULL;
        options->options.url = is_url ? argument : NULL;
        options->file = is_url ? NULL : argument;
        return true;
    }
    const char *option = take_point_detail(key, argument, state, &options->options);
    if (option && !options->first_detail) options->first_detail = option;
    return option != NULL;
}

// A URL is looked at by itself first, so that messages name the option that is wrong.
static void check_point_url(const struct argp_state *state, const sc_point_options *options,
                            const char *option)
{
    sc_point_settings *settings = NULL;
    sc_diag diag = {.message = ""};
    if (sc_point_settings_new(options, &settings, &diag) == SC_EINVAL) {
        sc_usage_error(state, "%s: %s", option, diag.message);
    }
    sc_point_settings_free(settings);
}

void sc_points_options_check(const struct argp_state *state, const sc_points_options *options)
{
    if (options->first_detail && !options->options.url && !options->file) {
        sc_usage_error(state,
                       "%s is about a provider that knows points only; add --point-provider URL",
                       options->first_detail);
    }
    if (options->first_detail && options->file) {
        sc_usage_error(state,
                       "%s goes with --point-provider URL; what --point-provider FILE.ini names is "
                       "asked as the file says: give the setting there",
                       options->first_detail);
    }
    if (!options->options.url) return;
    sc_point_options url = sc_point_options_default();
    url.url = options->options.url;
    check_point_url(state, &url, "--point-provider");
    // The numbers were looked at when they were given: what is left are the fields.
    check_point_url(state, &options->options, "--point-fields");
}

bool sc_points_are_wanted(const sc_points_options *options)
{
    return options->file || options->options.url;
}

sc_err sc_points_settings(const sc_points_options *options, sc_point_settings **out, sc_diag *diag)
{
    return options->file ? sc_point_settings_read(options->file, out, diag)
                         : sc_point_settings_new(&options->options, out, diag);
}

// --- Providers that list what is in a box -------------------------------------------------------

sc_err sc_areas_open(const char *path, const sc_map *map, sc_opened_areas *out, sc_diag *diag)
{
    sc_err err = sc_area_settings_read(path, &out->settings, diag);
    if (!err) err = sc_area_provider_new(map, NULL, out->settings, &out->provider, diag);
    if (!err) err = sc_area_asker_new(out->provider, &out->asker, diag);
    return err;
}

void sc_areas_close(sc_opened_areas *opened)
{
    sc_area_asker_free(opened->asker);
    sc_area_provider_free(opened->provider);
    sc_area_settings_free(opened->settings);
    *opened = (sc_opened_areas){.settings = NULL};
}
