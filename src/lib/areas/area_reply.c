// One page of a provider's reply. See area_reply.h.
#include "areas/area_reply.h"

#include "base/json_pointer.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
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
    const sc_area_settings *settings;
    sc_coords coords;
    const sc_json_value *object;
    size_t number;  ///< from 1
    sc_diag *diag;
} reader;

static sc_err fail(const reader *r, const char *field, const char *what)
{
    return sc_fail(r->diag, SC_EREPLY, "in a reply of the provider, object %zu: %s %s", r->number,
                   field, what);
}

// --- Fields -------------------------------------------------------------------------------------

// What the first pointer that leads to something leads to, unless it is null.
static const sc_json_value *find(const reader *r, const sc__area_texts *pointers)
{
    for (size_t i = 0; i < pointers->count; i++) {
        const sc_json_value *value = sc_json_pointer_follow(r->object, pointers->items[i]);
        if (value) return value;
    }
    return NULL;
}

// The parts of a key, joined; returns its size, or 0 after a failure.
static sc_err read_key(const reader *r, char key[SC__AREA_KEY_MAX + 1])
{
    const sc__area_texts *parts = &r->settings->id;
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
        if (more + 1 > SC__AREA_KEY_MAX - size) return fail(r, "id", "is longer than 255 bytes");
        if (i > 0) key[size++] = '/';
        memcpy(key + size, text, more);
        size += more;
    }
    key[size] = '\0';
    return SC_OK;
}

static sc_err read_name(const reader *r, sc__area_row *row)
{
    const sc_json_value *value = find(r, &r->settings->name);
    row->name = "";
    // Some give a number as the name of a house or a gate; that is none.
    if (!sc_json_is_string(value)) return SC_OK;
    if (sc_json_text_size(value) > SC__AREA_NAME_MAX) {
        return fail(r, "name", "is longer than 1023 bytes");
    }
    row->name = sc_json_text_at(value);
    return SC_OK;
}

const char *sc__area_category(const sc_area_settings *settings, const char *theirs)
{
    for (size_t i = 0; i < settings->word_count; i++) {
        if (strcmp(settings->words[i].theirs, theirs) == 0) return settings->words[i].ours;
    }
    return theirs;
}

static sc_err read_category(const reader *r, sc__area_row *row)
{
    const sc_json_value *value = find(r, &r->settings->category);
    row->category = r->settings->default_category;
    if (sc_json_is_array(value)) value = sc_json_at(value, 0);
    if (!value || sc_json_is_null(value)) return SC_OK;
    if (!sc_json_is_string(value)) return fail(r, "category", "is not a text");
    if (sc_json_text_size(value) == 0) return SC_OK;
    if (sc_json_text_size(value) > SC__AREA_WORD_MAX) {
        return fail(r, "category", "is longer than 200 bytes");
    }
    row->category = sc__area_category(r->settings, sc_json_text_at(value));
    return SC_OK;
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

static sc_err read_geometry(const reader *r, sc__area_row *row, bool *has_position)
{
    outline o = {.count = 0};
    const sc_json_value *geometry = find(r, &r->settings->geometry);
    *has_position = geometry != NULL;
    if (!geometry) return SC_OK;
    if (!sc_json_is_object(geometry)) return fail(r, "geometry", "is not an object");
    gather_geometry(&o, geometry);
    if (o.is_bad) return fail(r, "geometry", "has coordinates that are not numbers");
    *has_position = o.count > 0;
    const bool is_first = r->settings->shape == SC__AREA_FIRST;
    row->x = is_first ? o.first_x : (o.west + o.east) / 2;
    row->y = is_first ? o.first_y : (o.south + o.north) / 2;
    if (r->settings->axis_order == 1) {
        const double x = row->x;
        row->x = row->y;
        row->y = x;
    }
    return SC_OK;
}

static sc_err read_numbers(const reader *r, sc__area_row *row, bool *has_position)
{
    const sc_json_value *lon = find(r, &r->settings->lon);
    const sc_json_value *lat = find(r, &r->settings->lat);
    *has_position = lon && lat;
    if (!*has_position) return SC_OK;
    if (!sc_json_number_in(lon, &row->x)) return fail(r, "lon", "is not a number");
    if (!sc_json_number_in(lat, &row->y)) return fail(r, "lat", "is not a number");
    return SC_OK;
}

static sc_err read_position(const reader *r, sc__area_row *row, bool *has_position)
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

static sc_err read_tree(const sc_area_settings *settings, const sc_bytes *body, sc_json_tree *out,
                        sc_diag *diag)
{
    sc_json_error error = {.byte = 0};
    const char *text = body->size > 0 ? (const char *)body->data : "";
    if (sc_json_tree_bytes(text, body->size) > TREE_TIMES * settings->max_bytes) {
        return sc_fail(
            diag, SC_EREPLY,
            "a reply of the provider has far more brackets and commas than objects need");
    }
    const sc_err err = sc_json_tree_read(text, body->size, out, &error);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading a reply of the provider");
    if (!err) return SC_OK;
    return sc_fail(diag, SC_EREPLY,
                   error.fault == SC_JSON_CUT_SHORT
                       ? "a reply of the provider ends too early (byte %zu)"
                       : "a reply of the provider is not JSON in UTF-8 with finite numbers, or has "
                         "a name twice in one object (byte %zu)",
                   error.byte);
}

// Some say with status 200 that they have failed, and list what they had until then.
static sc_err check_error(const sc_area_settings *settings, const sc_json_value *document,
                          sc_diag *diag)
{
    if (!settings->error || !sc_json_pointer_follow(document, settings->error)) return SC_OK;
    return sc_fail(diag, SC_ENET,
                   "the provider says in its reply that it has failed (where 'error' of section "
                   "[fields] points)");
}

static sc_err find_list(const sc_area_settings *settings, const sc_json_value *document,
                        const sc_json_value **out, sc_diag *diag)
{
    const sc_json_value *list = sc_json_pointer_follow(document, settings->list);
    if (!sc_json_is_array(list)) {
        return sc_fail(diag, SC_EREPLY,
                       "a reply of the provider has no list where 'list' points; check section "
                       "[fields]");
    }
    if (sc_json_size(list) > settings->max_objects) {
        return sc_fail(diag, SC_ELIMIT,
                       "a reply of the provider has more than %" PRIu64
                       " objects (max-objects, section [limits])",
                       settings->max_objects);
    }
    *out = list;
    return SC_OK;
}

// The address of the link that is called the next one.
static const sc_json_value *next_link(const sc_json_value *links)
{
    for (size_t i = 0; i < sc_json_size(links); i++) {
        const sc_json_value *link = sc_json_at(links, i);
        const char *rel = sc_json_text_at(sc_json_member(link, "rel"));
        if (rel && strcmp(rel, "next") == 0) return sc_json_member(link, "href");
    }
    return NULL;
}

static sc_err find_next(const sc_area_settings *settings, sc__area_reply *reply, sc_diag *diag)
{
    const sc_json_value *root = reply->document.root;
    const sc_json_value *value = NULL;
    if (settings->cursor) value = sc_json_pointer_follow(root, settings->cursor);
    if (settings->next) value = sc_json_pointer_follow(root, settings->next);
    if (settings->links) value = next_link(sc_json_pointer_follow(root, settings->links));
    if (!value || sc_json_is_null(value)) return SC_OK;
    if (!sc_json_is_string(value) || sc_json_text_size(value) > SC__AREA_TEMPLATE_MAX) {
        return sc_fail(diag, SC_EREPLY,
                       "in a reply of the provider, what leads to the next page is not a text, or "
                       "longer than %d bytes",
                       SC__AREA_TEMPLATE_MAX);
    }
    reply->next = sc_json_text_size(value) > 0 ? sc_json_text_at(value) : NULL;
    return SC_OK;
}

static uint64_t total_of(const sc_area_settings *settings, const sc_json_value *root)
{
    const sc_json_value *value =
        settings->total ? sc_json_pointer_follow(root, settings->total) : NULL;
    // Some say "unknown".
    return sc_json_is_integer(value) && sc_json_integer(value) >= 0
               ? (uint64_t)sc_json_integer(value)
               : UINT64_MAX;
}

static sc_err read_row(const reader *r, char **end, sc__area_reply *reply)
{
    bool has_position = false;
    sc__area_row row = {.key = *end};
    sc_err err = read_key(r, *end);
    if (!err) err = read_position(r, &row, &has_position);
    if (!err) err = read_name(r, &row);
    if (!err) err = read_category(r, &row);
    if (err || !has_position) return err;
    *end += strlen(*end) + 1;
    reply->rows[reply->count++] = row;
    return SC_OK;
}

// Each part of a key is from the text and has at most a separator, so all keys fit into this.
static sc_err make_room(const sc_area_settings *settings, size_t text_size, sc__area_reply *reply,
                        sc_diag *diag)
{
    const size_t per_row = settings->id.count * 24 + 2;
    const size_t bound =
        text_size * settings->id.count + reply->listed * per_row + SC__AREA_KEY_MAX + 1;
    reply->keys = sc_malloc(bound);
    reply->rows = sc_malloc_array(reply->listed, sizeof *reply->rows);
    return reply->keys && reply->rows ? SC_OK
                                      : sc_fail_memory(diag, "reading a reply of the provider");
}

sc_err sc__area_reply_read(const sc_area_settings *settings, sc_coords coords, const sc_bytes *body,
                           sc__area_reply *out, sc_diag *diag)
{
    sc__area_reply reply = {.rows = NULL};
    const sc_json_value *list = NULL;
    sc_err err = read_tree(settings, body, &reply.document, diag);
    if (!err) err = check_error(settings, reply.document.root, diag);
    if (!err) err = find_list(settings, reply.document.root, &list, diag);
    if (!err) reply.listed = sc_json_size(list);
    if (!err) err = make_room(settings, body->size, &reply, diag);
    char *end = reply.keys;
    for (size_t i = 0; i < reply.listed && !err; i++) {
        const reader r = {settings, coords, sc_json_at(list, i), i + 1, diag};
        err = read_row(&r, &end, &reply);
    }
    if (!err && reply.listed > 0 && reply.count == 0) {
        err = sc_fail(diag, SC_EREPLY,
                      "in a reply of the provider, no object has a position; check the pointers of "
                      "section [fields]");
    }
    if (!err) err = find_next(settings, &reply, diag);
    if (!err) reply.total = total_of(settings, reply.document.root);
    if (err) {
        sc__area_reply_fini(&reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}

void sc__area_reply_fini(sc__area_reply *reply)
{
    sc_json_tree_fini(&reply->document);
    sc_free(reply->rows);
    sc_free(reply->keys);
    *reply = (sc__area_reply){.rows = NULL};
}
