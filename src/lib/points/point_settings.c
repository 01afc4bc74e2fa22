// Settings of a provider of points: from a file, or from options; and its questions. See
// point_settings.h.
#include "points/point_settings.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char memory_for[] = "preparing to ask the provider";

// === The list of settings =======================================================================

#define AT(field) offsetof(sc_point_settings, field)

static const sc_adapter_row point_rows[] = {
    {"fields", "distance", SC_VALUE_POINTERS, AT(distance), 0, 0, NULL},
    {"points", "measure", SC_VALUE_WORD, AT(measure), 0, 0, "straight road"},
    {"points", "spacing", SC_VALUE_NUMBER, AT(spacing_m), 1, 100000, NULL},
    {"points", "radius", SC_VALUE_NUMBER, AT(radius_m), 1, 1e8, NULL},
    {"points", "max-k", SC_VALUE_COUNT, AT(max_k), 1, 1000000, NULL},
    {"points", "max-points", SC_VALUE_COUNT, AT(max_points), 1, 1000000, NULL},
};

static const char *const place_names[SC__POINT_PLACE_COUNT] = {"lon",      "lat",    "k",
                                                               "category", "radius", "key"};

static const int needed_places[] = {SC__POINT_LON, SC__POINT_LAT, SC__POINT_K};

static const sc_adapter_kind point_kind = {
    .option = "--point-provider",
    .rows = point_rows,
    .row_count = sizeof point_rows / sizeof point_rows[0],
    .sections = "provider, headers, fields, categories, points and limits",
    .places = {place_names, SC__POINT_PLACE_COUNT},
    .key = SC__POINT_KEY,
    .categories = SC__POINT_CATEGORY,
    .needed = needed_places,
    .needed_count = sizeof needed_places / sizeof needed_places[0],
    // Where all are wanted, {category} is replaced by nothing.
    .needs_all = false,
    .preset = sc__point_preset,
    .presets = SC__POINT_PRESETS,
    .other_presets = "; overpass and others that list what is in a box are for --area-provider",
};

/** Longer names of fields are mistakes. */
#define FIELD_MAX 200

/** Parsers count bytes in an int. */
#define BYTES_MAX ((size_t)1 << 30)

/** A day to answer, a thousand of them at once: more is most likely a wrong unit. */
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

static sc_point_settings defaults(void)
{
    const sc_point_options o = sc_point_options_default();
    return (sc_point_settings){
        .common = {.kind = &point_kind,
                   .parallel = o.parallel,
                   .timeout_s = o.timeout_s,
                   .deadline_s = o.deadline_s,
                   .max_bytes = o.max_bytes},
        .measure = o.distance,
        .spacing_m = o.spacing_m,
        .max_k = o.max_k,
        .max_points = o.max_points,
    };
}

void sc_point_settings_free(sc_point_settings *settings)
{
    if (!settings) return;
    sc_adapter_settings_fini(&settings->common);
    if (settings->pace) sc_http_pace_fini(settings->pace);
    sc_free(settings->pace);
    sc_free(settings);
}

const char *sc_point_settings_url(const sc_point_settings *settings)
{
    return settings->common.url;
}

const char *const *sc_point_settings_categories(const sc_point_settings *settings, size_t *count)
{
    *count = settings->common.ours.count;
    return (const char *const *)settings->common.ours.items;
}

// === The whole ==================================================================================

// What only points have.
static sc_err check_points(const sc_point_settings *s, sc_diag *diag)
{
    const sc_adapter_settings *c = &s->common;
    if (s->options.distance == SC_POINT_ROAD && s->distance.count == 0) {
        return sc_adapter_refuse(c, "measure",
                                 "distances are by road, and nothing says where they are in a "
                                 "reply; give distance in section [fields]",
                                 diag);
    }
    if (c->has[SC__POINT_RADIUS] && !(s->options.radius_m > 0)) {
        return sc_adapter_refuse(c, "url",
                                 "url or body has {radius}; give radius, in metres, in section "
                                 "[points]",
                                 diag);
    }
    return SC_OK;
}

// A file limits questions at once for all who ask together; options do so for each.
static sc_err start_pace(sc_point_settings *s, sc_diag *diag)
{
    const uint64_t parallel = s->common.file ? s->options.parallel : UINT64_MAX;
    s->pace = sc_malloc(sizeof *s->pace);
    if (!s->pace) return sc_fail_memory(diag, memory_for);
    sc_http_pace_init(s->pace, s->options.rate_per_s, parallel, s->options.deadline_s);
    return SC_OK;
}

static sc_err finish(sc_point_settings *settings, sc_err err, sc_point_settings **out,
                     sc_diag *diag)
{
    if (!err) err = check_points(settings, diag);
    if (!err) err = start_pace(settings, diag);
    if (err) {
        sc_point_settings_free(settings);
        return err;
    }
    *out = settings;
    return SC_OK;
}

// --- From a file --------------------------------------------------------------------------------

sc_err sc__point_settings_read(const sc_input *input, sc_point_settings **out, sc_diag *diag)
{
    sc_point_settings *s = sc_malloc(sizeof *s);
    if (!s) return sc_fail_memory(diag, memory_for);
    *s = defaults();
    const sc_err err = sc_adapter_settings_read(input, &s->common, diag);
    s->options = (sc_point_options){
        .distance = s->measure == SC_POINT_ROAD ? SC_POINT_ROAD : SC_POINT_STRAIGHT,
        .spacing_m = s->spacing_m,
        .radius_m = s->radius_m,
        .max_k = (uint32_t)s->max_k,
        .max_points = (size_t)s->max_points,
        .max_bytes = (size_t)s->common.max_bytes,
        .timeout_s = s->common.timeout_s,
        .deadline_s = s->common.deadline_s,
        .rate_per_s = s->common.rate_per_s,
        .parallel = (unsigned)s->common.parallel,
    };
    return finish(s, err, out, diag);
}

sc_err sc_point_settings_read(const char *path, sc_point_settings **out, sc_diag *diag)
{
    sc_file file = {.memory = NULL};
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    err = sc__point_settings_read(&file.input, out, diag);
    sc_file_close(&file);
    return err;
}

// --- From options -------------------------------------------------------------------------------

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
    if (!(o->radius_m >= 0.0 && o->radius_m <= 1e9)) {
        return sc_fail(diag, SC_EINVAL, "the radius must be 0 (no limit) to 1e9 metres");
    }
    if (!(o->rate_per_s >= 0.0 && o->rate_per_s <= 1e6)) {
        return sc_fail(diag, SC_EINVAL, "the rate must be 0 (no limit) to 1e6 per second");
    }
    if (o->max_k < 1 || o->max_points < 1) {
        return sc_fail(diag, SC_EINVAL,
                       "the largest k and the number of points must be at least 1");
    }
    if (o->max_bytes < 1 || o->max_bytes > BYTES_MAX) {
        return sc_fail(diag, SC_EINVAL, "the size of an answer must be 1 to %zu bytes", BYTES_MAX);
    }
    if (o->parallel < 1 || o->parallel > PARALLEL_MAX) {
        return sc_fail(diag, SC_EINVAL, "the number of questions at once must be 1 to %d",
                       PARALLEL_MAX);
    }
    if (o->distance != SC_POINT_STRAIGHT && o->distance != SC_POINT_ROAD) {
        return sc_fail(diag, SC_EINVAL, "the provider's distance is neither straight nor road");
    }
    return SC_OK;
}

/** The name of a field, where its pointer goes, and whether one can do without it. */
typedef struct field {
    const char *what;
    const char *name;
    sc_texts *out;
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
                       "the field of the %s, %s, is not a valid name; give names separated by "
                       "single dots, as properties.name",
                       f->what, sc_quote(f->name, size).text);
    }
    return SC_OK;
}

// "properties.name" as "/properties/name".
static size_t write_pointer(const char *name, char out[2 * FIELD_MAX + 2])
{
    size_t size = 0;
    out[size++] = '/';
    for (const char *c = name; *c; c++) {
        const bool is_escaped = *c == '~' || *c == '/';
        out[size++] = *c == '.' ? '/' : is_escaped ? '~' : *c;
        if (is_escaped) out[size++] = *c == '~' ? '0' : '1';
    }
    out[size] = '\0';
    return size;
}

static sc_err take_fields(const sc_point_options *o, sc_point_settings *s, sc_diag *diag)
{
    sc_texts list = {.items = NULL};
    const field fields[] = {
        {"list of objects", o->list_field, &list, false},
        {"key", o->key_field, &s->common.id, true},
        {"longitude", o->lon_field, &s->common.lon, true},
        {"latitude", o->lat_field, &s->common.lat, true},
        // Straight lines can be measured here; ways along the provider's roads cannot.
        {"distance", o->distance_field, &s->distance, o->distance == SC_POINT_ROAD},
        {"category", o->category_field, &s->common.category, false},
        {"name", o->name_field, &s->common.name, false},
    };
    sc_err err = SC_OK;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !err; i++) {
        char pointer[2 * FIELD_MAX + 2] = "";
        const char *name = fields[i].name;
        err = check_field(&fields[i], diag);
        if (err || !name || !*name) continue;
        const size_t size = write_pointer(name, pointer);
        if (!sc_texts_add(fields[i].out, pointer, size)) err = sc_fail_memory(diag, memory_for);
    }
    if (!err) {
        const char *pointer = list.count > 0 ? list.items[0] : "";
        s->common.list = sc_malloc(strlen(pointer) + 1);
        if (s->common.list) memcpy(s->common.list, pointer, strlen(pointer) + 1);
        if (!s->common.list) err = sc_fail_memory(diag, memory_for);
    }
    sc_texts_clear(&list);
    return err;
}

static sc_err take_url(const sc_point_options *o, sc_point_settings *s, sc_diag *diag)
{
    const char *url = o->url ? o->url : "";
    s->common.url = sc_malloc(strlen(url) + 1);
    if (!s->common.url) return sc_fail_memory(diag, memory_for);
    memcpy(s->common.url, url, strlen(url) + 1);
    return sc_adapter_settings_check(&s->common, diag);
}

sc_err sc_point_settings_new(const sc_point_options *options, sc_point_settings **out,
                             sc_diag *diag)
{
    sc_point_settings *s = sc_malloc(sizeof *s);
    if (!s) return sc_fail_memory(diag, memory_for);
    *s = defaults();
    s->common.max_bytes = options->max_bytes;
    sc_err err = check_numbers(options, diag);
    if (!err) err = take_fields(options, s, diag);
    if (!err) err = take_url(options, s, diag);
    s->options = *options;
    s->options.url = NULL;
    s->options.list_field = s->options.key_field = s->options.lon_field = NULL;
    s->options.lat_field = s->options.distance_field = NULL;
    s->options.category_field = s->options.name_field = NULL;
    return finish(s, err, out, diag);
}

sc_err sc__point_fields_read(char *text, sc_point_options *options, sc_diag *diag)
{
    const struct {
        const char *name;
        const char **field;
    } fields[] = {
        {"list", &options->list_field},         {"key", &options->key_field},
        {"lon", &options->lon_field},           {"lat", &options->lat_field},
        {"distance", &options->distance_field}, {"category", &options->category_field},
        {"name", &options->name_field},
    };
    enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]) };
    char *rest = text;
    for (char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
        char *value = part;
        const char *name = strsep(&value, "=");
        size_t i = 0;
        while (value && i < FIELD_COUNT && strcmp(fields[i].name, name) != 0) {
            i++;
        }
        if (!value || i == FIELD_COUNT) {
            return sc_fail(diag, SC_EINVAL,
                           "%s is not NAME=FIELD, with a name of: list, key, lon, lat, distance, "
                           "category, name",
                           sc_quote(name, strlen(name)).text);
        }
        *fields[i].field = value;
    }
    return SC_OK;
}

// === Questions ==================================================================================

/** What is put into a template. */
typedef struct values {
    const sc_point_settings *settings;
    const sc__point_question *question;
} values;

static void put_place(sc_template_pen *pen, const void *context, int place)
{
    const values *v = context;
    const sc__point_question *q = v->question;
    switch (place) {
    case SC__POINT_LON:
        sc_pen_coordinate(pen, q->x);
        break;
    case SC__POINT_LAT:
        sc_pen_coordinate(pen, q->y);
        break;
    case SC__POINT_K:
        sc_pen_number(pen, q->k);
        break;
    case SC__POINT_RADIUS:
        sc_pen_number(pen, (uint64_t)v->settings->options.radius_m);
        break;
    case SC__POINT_KEY:
        sc_pen_word(pen, v->settings->common.key);
        break;
    default:
        sc_adapter_put_categories(pen, &v->settings->common, &q->category, q->category != NULL);
        break;
    }
}

sc_err sc__point_question_fill(const sc_point_settings *settings,
                               const sc__point_question *question, sc_bytes *url, sc_bytes *body,
                               sc_diag *diag)
{
    const values v = {settings, question};
    const sc_template_values all = {&point_kind.places, put_place, &v};
    return sc_adapter_fill(&settings->common, &all, !question->category, url, body, diag);
}
