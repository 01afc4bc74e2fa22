// Settings of a provider of points: checking and copying them, and URLs made from a template. See
// point_settings.h.
#include "points/point_settings.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// === The URL of a question ======================================================================

/** What a template may have place_names for. */
enum { LON, LAT, K, CATEGORY, PLACE_COUNT };

static const char *const place_names[PLACE_COUNT] = {"{lon}", "{lat}", "{k}", "{category}"};

// Which place begins at `text`, or PLACE_COUNT.
static int place_at(const char *text)
{
    int place = 0;
    while (place < PLACE_COUNT &&
           strncmp(text, place_names[place], strlen(place_names[place])) != 0) {
        place++;
    }
    return place;
}

// --- Checking ---------------------------------------------------------------

// Where the host ends, or NULL if `url` has none that we could ask.
static const char *behind_host(const char *url)
{
    const char *host = NULL;
    if (strncasecmp(url, "http://", 7) == 0) host = url + 7;
    if (strncasecmp(url, "https://", 8) == 0) host = url + 8;
    if (!host) return NULL;
    const size_t size = strcspn(host, "/?#");
    return size > 0 ? host + size : NULL;
}

static sc_err check_letters(const char *url, sc_diag *diag)
{
    for (const char *c = url; *c; c++) {
        if (*c <= ' ' || *c == 0x7f || (unsigned char)*c >= 0x80) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has a blank or another character that must be "
                           "written as %%XX");
        }
    }
    // What follows is not sent, so a place in it would ask the same everywhere.
    if (strchr(url, '#')) {
        return sc_fail(diag, SC_EINVAL, "the provider's URL has a '#'; leave out what follows it");
    }
    return SC_OK;
}

static sc_err check_places(const char *url, const char *path, bool found[PLACE_COUNT],
                           sc_diag *diag)
{
    for (const char *c = strpbrk(url, "{}"); c; c = strpbrk(c + 1, "{}")) {
        if (c[0] == '}')
            return sc_fail(diag, SC_EINVAL, "the provider's URL has a '}' without a '{'");
        const int place = place_at(c);
        const size_t size = strcspn(c, "}") + 1;
        if (place == PLACE_COUNT) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has the unknown field %s; known fields: {lon}, "
                           "{lat}, {k} and {category}",
                           sc_quote(c, strnlen(c, size)).text);
        }
        if (c < path) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has %s in the name of the host, which is visible on "
                           "the network; put it into the path or after '?'",
                           place_names[place]);
        }
        found[place] = true;
        c += strlen(place_names[place]) - 1;
    }
    return SC_OK;
}

sc_err sc__point_url_check(const char *url, bool *has_category, sc_diag *diag)
{
    if (!url || !*url) return sc_fail(diag, SC_EINVAL, "the provider's URL is missing");
    if (strlen(url) > SC__POINT_URL_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EINVAL, "the provider's URL is longer than %d bytes",
                       SC__POINT_URL_TEMPLATE_MAX);
    }
    const char *path = behind_host(url);
    if (!path) {
        return sc_fail(diag, SC_EINVAL,
                       "the provider's URL must begin with http:// or https:// and a host");
    }
    bool found[PLACE_COUNT] = {false};
    sc_err err = check_letters(url, diag);
    if (!err) err = check_places(url, path, found, diag);
    if (err) return err;
    for (int place = LON; place <= K; place++) {
        if (!found[place]) {
            return sc_fail(diag, SC_EINVAL,
                           "the provider's URL has no %s: without it every question would be the "
                           "same",
                           place_names[place]);
        }
    }
    *has_category = found[CATEGORY];
    return SC_OK;
}

// --- Filling ----------------------------------------------------------------

/** A text that grows up to a limit. */
typedef struct url_text {
    char *bytes;
    size_t size;
    bool is_full;
} url_text;

static void put(url_text *t, const char *bytes, size_t size)
{
    if (t->is_full || size >= SC__POINT_URL_SIZE - t->size) {
        t->is_full = true;
        return;
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void put_number(url_text *t, int64_t number, int least_digits)
{
    char digits[24];
    put(t, digits, (size_t)snprintf(digits, sizeof digits, "%0*" PRId64, least_digits, number));
}

// By whole numbers: printf would write a comma in some locales.
static void put_coordinate(url_text *t, double coordinate)
{
    const int64_t per_unit = 10000000;
    const int64_t steps = llround(coordinate * (double)per_unit);
    const int64_t size = steps < 0 ? -steps : steps;
    if (steps < 0) put(t, "-", 1);
    put_number(t, size / per_unit, 1);
    put(t, ".", 1);
    put_number(t, size % per_unit, SC__POINT_URL_DECIMALS);
}

static void put_escaped(url_text *t, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char hex[] = "0123456789ABCDEF";
    for (const char *c = word; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        const char escaped[3] = {'%', hex[byte >> 4], hex[byte & 15]};
        if (strchr(plain, *c)) {
            put(t, c, 1);
        } else {
            put(t, escaped, sizeof escaped);
        }
    }
}

double sc__point_url_rounded(double coordinate)
{
    return (double)llround(coordinate * 1e7) / 1e7;
}

sc_err sc__point_url_fill(const char *url, const sc__point_url_values *values, char *out,
                          sc_diag *diag)
{
    url_text t = {.bytes = out};
    while (*url) {
        const size_t plain = strcspn(url, "{");
        put(&t, url, plain);
        url += plain;
        if (!*url) break;
        const int place = place_at(url);
        if (place == LON) put_coordinate(&t, values->x);
        if (place == LAT) put_coordinate(&t, values->y);
        if (place == K) put_number(&t, values->k, 1);
        if (place == CATEGORY) put_escaped(&t, values->category);
        url += strlen(place_names[place]);
    }
    if (t.is_full) {
        return sc_fail(diag, SC_EREQUEST,
                       "the name of a category is too long for the provider's URL");
    }
    out[t.size] = '\0';
    return SC_OK;
}

// === Settings ===================================================================================

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
                       "the time for the first question must be 0 (no limit) or more");
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
                       "the field of the %s, %s, is not a valid name; give names separated by "
                       "single dots, as properties.name",
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
    sc_err err = sc__point_url_check(options->url, &settings.has_category, diag);
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
