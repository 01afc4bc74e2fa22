// What an adapter may be told. See settings.h.
#include "points/point_settings.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "points/point_url.h"

#include <string.h>

/** Longer names of fields are mistakes. */
#define FIELD_MAX 200

/** Parsers count bytes in an int. */
#define BYTES_MAX ((size_t)1 << 30)

/** A day to answer, a thousand of them at once: whoever asks for more mistook a unit. */
#define TIMEOUT_MAX_S 86400.0
#define PARALLEL_MAX 1000

sc_point_options sc_point_options_default(void)
{
    return (sc_point_options){
        .distance = SC_POINT_STRAIGHT,
        .spacing_m = 200.0,
        .max_k = 1000,
        .max_points = 10000,
        .max_bytes = (size_t)4 << 20,
        .timeout_s = 10.0,
        .deadline_s = 60.0,
        .parallel = 8,
        .list_field = "results",
        .key_field = "id",
        .lon_field = "lon",
        .lat_field = "lat",
        .distance_field = "distance_m",
        .category_field = "category",
        .name_field = "name",
    };
}

// --- Checks -----------------------------------------------------------------

static sc_err check_numbers(const sc_point_options *o, sc_diag *diag)
{
    // Written so that NaN is refused.
    if (!(o->spacing_m > 0.0 && o->spacing_m <= 1e9)) {
        return sc_fail(diag, SC_EINVAL,
                       "the spacing of points must be above 0, and at most 1e9 metres");
    }
    if (!(o->timeout_s > 0.0 && o->timeout_s <= TIMEOUT_MAX_S)) {
        return sc_fail(diag, SC_EINVAL, "the timeout must be above 0, and at most %g seconds",
                       TIMEOUT_MAX_S);
    }
    if (!(o->deadline_s >= 0.0 && o->deadline_s <= TIMEOUT_MAX_S)) {
        return sc_fail(diag, SC_EINVAL, "the deadline must be 0 (none) to %g seconds",
                       TIMEOUT_MAX_S);
    }
    if (!(o->leave_s >= 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the time for the first question to leave must be 0 (any) or more");
    }
    if (o->max_k < 1 || o->max_points < 1) {
        return sc_fail(diag, SC_EINVAL,
                       "the largest k and the number of points must be at least 1");
    }
    if (o->max_bytes < 1 || o->max_bytes > BYTES_MAX) {
        return sc_fail(diag, SC_EINVAL, "the size of an answer must be 1 to %zu bytes", BYTES_MAX);
    }
    if (o->parallel < 1 || o->parallel > PARALLEL_MAX) {
        return sc_fail(diag, SC_EINVAL, "questions under way at once must be 1 to %d",
                       PARALLEL_MAX);
    }
    if (o->distance != SC_POINT_STRAIGHT && o->distance != SC_POINT_ROAD) {
        return sc_fail(diag, SC_EINVAL, "the provider's distance is neither straight nor road");
    }
    return SC_OK;
}

/** The name of a field, and whether one can do without it. */
typedef struct field {
    const char *what;
    const char *name;
    bool is_needed;
} field;

static sc_err check_field(const field *f, sc_diag *diag)
{
    const size_t size = f->name ? strlen(f->name) : 0;
    if (size == 0) {
        return f->is_needed ? sc_fail(diag, SC_EINVAL, "the field of the %s has no name", f->what)
                            : SC_OK;
    }
    if (size > FIELD_MAX || f->name[0] == '.' || f->name[size - 1] == '.' ||
        strstr(f->name, "..")) {
        return sc_fail(diag, SC_EINVAL,
                       "the field of the %s, %s, is no name: give names parted by single dots, "
                       "as properties.name",
                       f->what, sc_quote(f->name, size).text);
    }
    return SC_OK;
}

static sc_err check_fields(const sc_point_options *o, sc_diag *diag)
{
    const field fields[] = {
        {"list of objects", o->list_field, false},
        {"key", o->key_field, true},
        {"longitude", o->lon_field, true},
        {"latitude", o->lat_field, true},
        // Straight lines can be measured here; ways along the provider's roads cannot.
        {"distance", o->distance_field, o->distance == SC_POINT_ROAD},
        {"category", o->category_field, false},
        {"name", o->name_field, false},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const sc_err err = check_field(&fields[i], diag);
        if (err) return err;
    }
    return SC_OK;
}

// --- The copy ---------------------------------------------------------------

// All texts of `o`, in one order; the same function finds them for counting and for copying.
static void texts_of(sc_point_options *o, const char **out[8])
{
    const char **texts[8] = {&o->url,       &o->list_field,     &o->key_field,      &o->lon_field,
                             &o->lat_field, &o->distance_field, &o->category_field, &o->name_field};
    memcpy(out, texts, sizeof texts);
}

static sc_err copy_texts(sc__point_settings *settings, sc_diag *diag)
{
    const char **texts[8];
    texts_of(&settings->options, texts);
    size_t size = 0;
    for (size_t i = 0; i < 8; i++) {
        size += *texts[i] ? strlen(*texts[i]) + 1 : 1;
    }
    settings->texts = sc_malloc(size);
    if (!settings->texts) return sc_fail_memory(diag, "preparing to ask the provider");

    char *end = settings->texts;
    for (size_t i = 0; i < 8; i++) {
        const char *text = *texts[i] ? *texts[i] : "";
        const size_t bytes = strlen(text) + 1;
        memcpy(end, text, bytes);
        // What is left out and what is empty are the same from here on.
        *texts[i] = bytes > 1 ? end : NULL;
        end += bytes;
    }
    if (!settings->options.list_field) settings->options.list_field = "";
    return SC_OK;
}

sc_err sc__point_settings_init(const sc_point_options *options, sc__point_settings *out,
                               sc_diag *diag)
{
    sc__point_settings settings = {.options = *options};
    sc_err err = sc__url_check(options->url, &settings.has_category, diag);
    if (!err) err = check_numbers(options, diag);
    if (!err) err = check_fields(options, diag);
    if (!err) err = copy_texts(&settings, diag);
    if (!err) *out = settings;
    return err;
}

void sc__point_settings_fini(sc__point_settings *settings)
{
    sc_free(settings->texts);
    *settings = (sc__point_settings){.texts = NULL};
}

sc_err sc__point_fields_read(char *text, sc_point_options *options, sc_diag *diag)
{
    const struct {
        const char *name;
        const char **place;
    } places[] = {
        {"list", &options->list_field},         {"key", &options->key_field},
        {"lon", &options->lon_field},           {"lat", &options->lat_field},
        {"distance", &options->distance_field}, {"category", &options->category_field},
        {"name", &options->name_field},
    };
    enum { PLACES = sizeof(places) / sizeof(places[0]) };
    char *rest = text;
    for (char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
        char *value = part;
        const char *name = strsep(&value, "=");
        size_t i = 0;
        while (value && i < PLACES && strcmp(places[i].name, name) != 0) {
            i++;
        }
        if (!value || i == PLACES) {
            return sc_fail(diag, SC_EINVAL,
                           "%s is not NAME=FIELD, with a name of: list, key, lon, lat, distance, "
                           "category, name",
                           sc_quote(name, strlen(name)).text);
        }
        *places[i].place = value;
    }
    return SC_OK;
}
