// The objects in a provider's reply. See provider_reply.h.
#include "adapter/provider_reply.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_pointer.h"
#include "map/geo.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** The tree of a document may take so many times the bytes that a body may have: lists of short
 * numbers take five times theirs, and what is all brackets 24 times. */
enum { TREE_TIMES = 8 };

/** Points of one geometry that are looked at for the middle of it. */
enum { POINTS_MAX = 100000 };

/** One object of the list, and what messages need. */
typedef struct reader {
    const sc_adapter_settings *settings;
    sc_coords coords;
    const sc_json_value *object;
    size_t number;  ///< from 1
    sc_diag *diag;
} reader;

sc_err sc_adapter_refuse_field(size_t number, const char *field, const char *what, sc_diag *diag)
{
    return sc_fail(diag, SC_EREPLY, "in a reply of the provider, object %zu: %s %s", number, field,
                   what);
}

static sc_err fail(const reader *r, const char *field, const char *what)
{
    return sc_adapter_refuse_field(r->number, field, what, r->diag);
}

// --- Fields -------------------------------------------------------------------------------------

const sc_json_value *sc_adapter_find(const sc_json_value *fields, const sc_texts *pointers)
{
    for (size_t i = 0; i < pointers->count; i++) {
        const sc_json_value *value = sc_json_pointer_follow(fields, pointers->items[i]);
        if (value) return value;
    }
    return NULL;
}

static const sc_json_value *find(const reader *r, const sc_texts *pointers)
{
    return sc_adapter_find(r->object, pointers);
}

// The parts of a key, joined; returns its size, or 0 after a failure.
static sc_err read_key(const reader *r, char key[SC_ADAPTER_KEY_MAX + 1])
{
    const sc_texts *parts = &r->settings->id;
    size_t size = 0;
    for (size_t i = 0; i < parts->count; i++) {
        char digits[24];
        const char *text = digits;
        const sc_json_value *value = sc_json_pointer_follow(r->object, parts->items[i]);
        if (!value) return fail(r, "id", "is missing; check the pointers of section [fields]");
        if (sc_json_is_integer(value)) {
            snprintf(digits, sizeof digits, "%" PRId64, sc_json_integer(value));
        } else if (sc_json_is_string(value)) {
            text = sc_json_text_at(value);
        } else {
            return fail(r, "id", "is neither a text nor a whole number");
        }
        const size_t more = strlen(text);
        if (more == 0) return fail(r, "id", "is empty");
        if (more + (i > 0) > SC_ADAPTER_KEY_MAX - size)
            return fail(r, "id", "is longer than 255 bytes");
        if (i > 0) key[size++] = '/';
        memcpy(key + size, text, more);
        size += more;
    }
    key[size] = '\0';
    return SC_OK;
}

static sc_err read_name(const reader *r, sc_adapter_object *row)
{
    const sc_json_value *value = find(r, &r->settings->name);
    row->name = "";
    // Some give a number as the name of a house or a gate; that is none.
    if (!sc_json_is_string(value)) return SC_OK;
    if (sc_json_text_size(value) > SC_ADAPTER_NAME_MAX) {
        return fail(r, "name", "is longer than 1023 bytes");
    }
    row->name = sc_json_text_at(value);
    return SC_OK;
}

// A word for a category: a text, or a number that has a word of ours. NULL: it is none.
static const char *word_of(const sc_adapter_settings *settings, const sc_json_value *value)
{
    char digits[24];
    if (sc_json_is_string(value)) {
        const char *word = sc_json_text_at(value);
        return *word ? sc_adapter_category(settings, word) : NULL;
    }
    if (!sc_json_is_integer(value)) return NULL;
    snprintf(digits, sizeof digits, "%" PRId64, sc_json_integer(value));
    const char *ours = sc_adapter_category(settings, digits);
    return ours == digits ? NULL : ours;
}

static sc_err read_category(const reader *r, sc_adapter_object *row)
{
    const sc_json_value *value = find(r, &r->settings->category);
    row->category = r->settings->default_category;
    if (sc_json_is_array(value)) value = sc_json_at(value, 0);
    if (!value || sc_json_is_null(value)) return SC_OK;
    if (!sc_json_is_string(value) && !sc_json_is_integer(value)) {
        return fail(r, "category", "is not a text");
    }
    if (sc_json_is_string(value) && sc_json_text_size(value) > SC_ADAPTER_WORD_MAX) {
        return fail(r, "category", "is longer than 200 bytes");
    }
    const char *word = word_of(r->settings, value);
    if (word) row->category = word;
    return SC_OK;
}

bool sc_adapter_may_be(const sc_adapter_settings *settings, const sc_adapter_object *object,
                       const char *ours)
{
    const sc_json_value *value = sc_adapter_find(object->fields, &settings->category);
    const bool is_list = sc_json_is_array(value);
    const size_t count = is_list ? sc_json_size(value) : value != NULL;
    for (size_t i = 0; i < count; i++) {
        const char *word = word_of(settings, is_list ? sc_json_at(value, i) : value);
        if (word && strcmp(word, ours) == 0) return true;
    }
    return count == 0;
}

// --- Positions ----------------------------------------------------------------------------------

/** The points of a geometry. */
typedef struct outline {
    double west, south, east, north;
    double first_x, first_y;
    size_t count;
    bool is_bad;
} outline;

static void add_point(outline *o, double x, double y)
{
    if (o->count == 0) {
        *o = (outline){.west = x, .south = y, .east = x, .north = y, .first_x = x, .first_y = y};
    }
    o->west = fmin(o->west, x);
    o->south = fmin(o->south, y);
    o->east = fmax(o->east, x);
    o->north = fmax(o->north, y);
    o->count++;
}

// Lists within lists, and in the innermost a point: GeoJSON goes four deep.
static void gather_points(outline *o, const sc_json_value *coordinates, int depth)
{
    double x = 0;
    double y = 0;
    const sc_json_value *first = sc_json_at(coordinates, 0);
    if (!sc_json_is_array(coordinates) || depth > 4) {
        o->is_bad = true;
    } else if (sc_json_size(coordinates) > 0 && !sc_json_is_array(first)) {
        const bool is_fine =
            sc_json_number_in(first, &x) && sc_json_number_in(sc_json_at(coordinates, 1), &y);
        if (is_fine) add_point(o, x, y);
        o->is_bad = o->is_bad || !is_fine;
    } else {
        for (size_t i = 0; i < sc_json_size(coordinates) && !o->is_bad && o->count < POINTS_MAX;
             i++) {
            gather_points(o, sc_json_at(coordinates, i), depth + 1);
        }
    }
}

static void gather_geometry(outline *o, const sc_json_value *geometry)
{
    const sc_json_value *parts = sc_json_member(geometry, "geometries");
    if (!parts) {
        gather_points(o, sc_json_member(geometry, "coordinates"), 1);
        return;
    }
    for (size_t i = 0; i < sc_json_size(parts) && !o->is_bad; i++) {
        gather_points(o, sc_json_member(sc_json_at(parts, i), "coordinates"), 1);
    }
}

static sc_err read_geometry(const reader *r, sc_adapter_object *row, bool *has_position)
{
    outline o = {.count = 0};
    const sc_json_value *geometry = find(r, &r->settings->geometry);
    *has_position = geometry != NULL;
    if (!geometry) return SC_OK;
    if (!sc_json_is_object(geometry)) return fail(r, "geometry", "is not an object");
    gather_geometry(&o, geometry);
    if (o.is_bad) return fail(r, "geometry", "has coordinates that are not numbers");
    *has_position = o.count > 0;
    const bool is_first = r->settings->shape == SC_SHAPE_FIRST;
    row->x = is_first ? o.first_x : (o.west + o.east) / 2;
    row->y = is_first ? o.first_y : (o.south + o.north) / 2;
    if (r->settings->axis_order == 1) {
        const double x = row->x;
        row->x = row->y;
        row->y = x;
    }
    return SC_OK;
}

static sc_err read_numbers(const reader *r, sc_adapter_object *row, bool *has_position)
{
    const sc_json_value *lon = find(r, &r->settings->lon);
    const sc_json_value *lat = find(r, &r->settings->lat);
    *has_position = lon && lat;
    if (!*has_position) return SC_OK;
    if (!sc_json_number_in(lon, &row->x)) return fail(r, "lon", "is not a number");
    if (!sc_json_number_in(lat, &row->y)) return fail(r, "lat", "is not a number");
    return SC_OK;
}

static sc_err read_position(const reader *r, sc_adapter_object *row, bool *has_position)
{
    const bool has_geometry = r->settings->geometry.count > 0;
    const sc_err err =
        has_geometry ? read_geometry(r, row, has_position) : read_numbers(r, row, has_position);
    if (err || !*has_position || sc_geo_valid(r->coords, row->x, row->y)) return err;
    return fail(r, has_geometry ? "geometry" : "lon",
                r->coords == SC_COORDS_GEOGRAPHIC ? "is not a position in degrees; check axis-order"
                                                  : "is not a position on the plane");
}

// --- The document -------------------------------------------------------------------------------

static const char *fault_text(sc_json_fault fault)
{
    switch (fault) {
    case SC_JSON_TWICE:
        return "has a key twice in one object";
    case SC_JSON_TOO_LARGE:
        return "has a number too large to be read";
    case SC_JSON_NOT_UTF8:
        return "is not UTF-8";
    case SC_JSON_HAS_NUL:
        return "has a text with the character 0 in it";
    case SC_JSON_TOO_DEEP:
        return "is nested too deeply";
    case SC_JSON_CUT_SHORT:
        return "ends too early";
    default:
        return "is not JSON";
    }
}

static sc_err read_tree(const sc_adapter_settings *settings, const char *text, size_t size,
                        sc_json_tree *out, sc_diag *diag)
{
    sc_json_error error = {.byte = 0};
    if (sc_json_tree_bytes(text, size) > TREE_TIMES * settings->max_bytes) {
        return sc_fail(
            diag, SC_EREPLY,
            "a reply of the provider has far more brackets and commas than objects need");
    }
    const sc_err err = sc_json_tree_read(text, size, out, &error);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading a reply of the provider");
    if (!err) return SC_OK;
    return sc_fail(diag, SC_EREPLY, "a reply of the provider %s (byte %zu)",
                   fault_text(error.fault), error.byte);
}

// Some say with status 200 that they have failed, and list what they had until then.
static sc_err check_error(const sc_adapter_settings *settings, const sc_json_value *document,
                          sc_diag *diag)
{
    if (!settings->error || !sc_json_pointer_follow(document, settings->error)) return SC_OK;
    return sc_fail(diag, SC_ENET,
                   "the provider says in its reply that it has failed (where 'error' of section "
                   "[fields] points)");
}

// NULL: there is none, and that is an empty one.
static sc_err find_list(const sc_adapter_settings *settings, const sc_json_value *document,
                        const sc_json_value **out, sc_diag *diag)
{
    const sc_json_value *list = sc_json_pointer_follow(document, settings->list);
    const bool may_lack = settings->no_list == SC_NO_LIST_EMPTY && sc_json_is_object(document);
    if (!sc_json_is_array(list) && (list || !may_lack)) {
        return sc_fail(diag, SC_EREPLY,
                       "a reply of the provider has no list where 'list' points; check section "
                       "[fields]");
    }
    *out = list;
    return SC_OK;
}

static sc_err read_object(const reader *r, char **end, sc_adapter_reply *reply)
{
    bool has_position = false;
    sc_adapter_object object = {.key = *end, .number = r->number, .fields = r->object};
    sc_err err = read_key(r, *end);
    if (!err) err = read_position(r, &object, &has_position);
    if (!err) err = read_name(r, &object);
    if (!err) err = read_category(r, &object);
    if (err || !has_position) return err;
    *end += strlen(*end) + 1;
    reply->objects[reply->count++] = object;
    return SC_OK;
}

// Each part of a key is from the text and has at most a separator, so all keys fit into this.
static sc_err make_room(const sc_adapter_settings *settings, size_t text_size,
                        sc_adapter_reply *reply, sc_diag *diag)
{
    const size_t per_row = settings->id.count * 24 + 2;
    const size_t bound =
        text_size * settings->id.count + reply->listed * per_row + SC_ADAPTER_KEY_MAX + 1;
    reply->keys = sc_malloc(bound);
    reply->objects = sc_malloc_array(reply->listed, sizeof *reply->objects);
    return reply->keys && reply->objects ? SC_OK
                                         : sc_fail_memory(diag, "reading a reply of the provider");
}

sc_err sc_adapter_reply_read(const sc_adapter_reading *reading, const char *bytes, size_t size,
                             sc_adapter_reply *out, sc_diag *diag)
{
    const sc_adapter_settings *settings = reading->settings;
    sc_adapter_reply reply = {.objects = NULL};
    const sc_json_value *list = NULL;
    sc_err err = read_tree(settings, size > 0 ? bytes : "", size, &reply.document, diag);
    if (!err) err = check_error(settings, reply.document.root, diag);
    if (!err) err = find_list(settings, reply.document.root, &list, diag);
    if (!err) reply.listed = list ? sc_json_size(list) : 0;
    if (!err && reply.listed > reading->most) {
        err = sc_fail(diag, SC_ELIMIT,
                      "a reply of the provider has %zu objects, and at most %" PRIu64
                      " are to be in one",
                      reply.listed, reading->most);
    }
    if (!err) err = make_room(settings, size, &reply, diag);
    char *end = reply.keys;
    for (size_t i = 0; i < reply.listed && !err; i++) {
        const reader r = {settings, reading->coords, sc_json_at(list, i), i + 1, diag};
        err = read_object(&r, &end, &reply);
    }
    if (!err && reply.listed > 0 && reply.count == 0) {
        err = sc_fail(diag, SC_EREPLY,
                      "in a reply of the provider, no object has a position; check the pointers of "
                      "section [fields]");
    }
    if (err) {
        sc_adapter_reply_fini(&reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}

void sc_adapter_reply_fini(sc_adapter_reply *reply)
{
    sc_json_tree_fini(&reply->document);
    sc_free(reply->objects);
    sc_free(reply->keys);
    *reply = (sc_adapter_reply){.objects = NULL};
}
