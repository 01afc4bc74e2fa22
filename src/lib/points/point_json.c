// One answer's JSON. See point_reply.h.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/geo.h"

#include <inttypes.h>
#include <string.h>

/** An answer may have so many brackets per object asked for, and so many in general. */
enum { BRACKETS_PER_OBJECT = 256, BRACKETS_BESIDES = 4096 };

/** One object of the list, and what error messages need. */
typedef struct reader {
    const sc_point_options *fields;
    const sc_json_value *object;
    uint32_t number;  ///< from 1
    sc_diag *diag;
} reader;

static sc_err fail(const reader *r, const char *field, const char *what)
{
    return sc_fail(r->diag, SC_EREPLY,
                   "in an answer of the provider, object %" PRIu32 ": \"%s\" %s", r->number, field,
                   what);
}

// --- Fields -----------------------------------------------------------------

// What an entry of a list is called in a path: its number, as in "coordinates.0".
static const sc_json_value *entry_at(const sc_json_value *array, const char *digits, size_t size)
{
    size_t index = 0;
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9' || index > sc_json_size(array)) return NULL;
        index = index * 10 + (size_t)(digits[i] - '0');
    }
    return sc_json_at(array, index);
}

// Follow a path of names with dots; NULL if it leads nowhere, or to null.
static const sc_json_value *value_at(const sc_json_value *value, const char *path)
{
    while (value && *path) {
        const size_t size = strcspn(path, ".");
        value = sc_json_is_array(value) ? entry_at(value, path, size)
                                        : sc_json_member_n(value, path, size);
        path += size + (path[size] == '.');
    }
    return sc_json_is_null(value) ? NULL : value;
}

static sc_err read_number(const reader *r, const char *field, double *out)
{
    const sc_json_value *value = value_at(r->object, field);
    if (!value) return fail(r, field, "is missing; check the names of the fields");
    return sc_json_number_in(value, out) ? SC_OK : fail(r, field, "is not a number");
}

static sc_err read_key(const reader *r, sc__point_answer_row *row)
{
    const char *field = r->fields->key_field;
    const sc_json_value *value = value_at(r->object, field);
    if (!value) return fail(r, field, "is missing; check the names of the fields");
    if (sc_json_is_integer(value)) {
        snprintf(row->digits, sizeof row->digits, "%" PRId64, sc_json_integer(value));
        row->key = row->digits;
        return SC_OK;
    }
    if (!sc_json_is_string(value)) return fail(r, field, "is neither a text nor a whole number");
    if (sc_json_text_size(value) == 0) return fail(r, field, "is empty");
    if (sc_json_text_size(value) > SC__POINT_KEY_MAX)
        return fail(r, field, "is longer than 255 bytes");
    row->key = sc_json_text_at(value);
    return SC_OK;
}

static sc_err read_name(const reader *r, sc__point_answer_row *row)
{
    row->name = "";
    const char *field = r->fields->name_field;
    const sc_json_value *value = field ? value_at(r->object, field) : NULL;
    if (!value) return SC_OK;
    if (!sc_json_is_string(value)) return fail(r, field, "is not a text");
    if (sc_json_text_size(value) > SC__POINT_NAME_MAX)
        return fail(r, field, "is longer than 1023 bytes");
    row->name = sc_json_text_at(value);
    return SC_OK;
}

static sc_err read_position(const reader *r, sc_coords coords, sc__point_answer_row *row)
{
    sc_err err = read_number(r, r->fields->lon_field, &row->x);
    if (!err) err = read_number(r, r->fields->lat_field, &row->y);
    if (err) return err;
    if (!sc_geo_valid(coords, row->x, row->y)) {
        return fail(r, r->fields->lon_field,
                    coords == SC_COORDS_GEOGRAPHIC
                        ? "and the other coordinate are not a position in degrees"
                        : "and the other coordinate are not a position on the plane");
    }
    return SC_OK;
}

static sc_err read_distance(const reader *r, sc__point_answer_row *row)
{
    const char *field = r->fields->distance_field;
    const bool is_needed = r->fields->distance == SC_POINT_ROAD;
    row->has_distance = field && (is_needed || value_at(r->object, field));
    if (!row->has_distance) return SC_OK;
    const sc_err err = read_number(r, field, &row->distance_m);
    if (!err && row->distance_m < 0.0) return fail(r, field, "is negative");
    return err;
}

static sc_err read_category(const reader *r, const sc_vocabulary *vocabulary, sc_category_id asked,
                            sc__point_answer_row *row)
{
    row->category = asked;
    const char *field = r->fields->category_field;
    const sc_json_value *value = field ? value_at(r->object, field) : NULL;
    if (!value) return SC_OK;
    if (!sc_json_is_string(value)) return fail(r, field, "is not a text");
    if (asked == SC_NONE) {
        row->category = sc_vocabulary_find(vocabulary, sc_json_text_at(value));
        return SC_OK;
    }
    if (strcmp(sc_json_text_at(value), vocabulary->names[asked]) != 0) {
        return fail(r, field,
                    "is not the category asked for; if the provider names categories differently, "
                    "leave the field category empty");
    }
    return SC_OK;
}

// --- The document -----------------------------------------------------------

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

static sc_err check_brackets(const char *bytes, size_t size, uint32_t k, sc_diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == '{' || bytes[i] == '[';
    }
    if (count <= (size_t)BRACKETS_PER_OBJECT * k + BRACKETS_BESIDES) return SC_OK;
    return sc_fail(
        diag, SC_EREPLY,
        "an answer of the provider has %zu lists and objects in it, far more than %" PRIu32
        " objects need",
        count, k);
}

static sc_err find_list(const sc__point_settings *settings, uint32_t k,
                        const sc_json_value *document, const sc_json_value **out, sc_diag *diag)
{
    const char *field = settings->options.list_field;
    const sc_json_value *list = value_at(document, field);
    if (!sc_json_is_array(list)) {
        return *field
                   ? sc_fail(diag, SC_EREPLY,
                             "an answer of the provider has no list \"%s\"; check the names of "
                             "the fields",
                             field)
                   : sc_fail(diag, SC_EREPLY, "an answer of the provider is not a list of objects");
    }
    if (sc_json_size(list) > k) {
        return sc_fail(diag, SC_EREPLY,
                       "an answer of the provider has %zu objects, but only %" PRIu32
                       " were asked for",
                       sc_json_size(list), k);
    }
    *out = list;
    return SC_OK;
}

sc_err sc__point_answer_parse(const sc__point_answer_format *format, const char *bytes, size_t size,
                              sc__point_answer *out, sc_diag *diag)
{
    sc_err err = check_brackets(bytes, size, format->k, diag);
    if (err) return err;
    sc__point_answer answer = {.rows = NULL};
    sc_json_error error;
    err = sc_json_tree_read(bytes, size, &answer.document, &error);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading an answer of the provider");
    if (err) {
        return sc_fail(diag, SC_EREPLY, "an answer of the provider %s (byte %zu)",
                       fault_text(error.fault), error.byte);
    }
    const sc_json_value *list = NULL;
    err = find_list(format->settings, format->k, answer.document.root, &list, diag);
    if (err) goto fail;
    answer.count = (uint32_t)sc_json_size(list);
    answer.rows = sc_calloc(answer.count, sizeof *answer.rows);
    if (!answer.rows) {
        err = sc_fail_memory(diag, "reading an answer of the provider");
        goto fail;
    }
    for (uint32_t i = 0; i < answer.count && !err; i++) {
        const reader r = {&format->settings->options, sc_json_at(list, i), i + 1, diag};
        err = read_key(&r, &answer.rows[i]);
        if (!err) err = read_position(&r, format->coords, &answer.rows[i]);
        if (!err) err = read_distance(&r, &answer.rows[i]);
        if (!err) err = read_name(&r, &answer.rows[i]);
        if (!err) err = read_category(&r, format->vocabulary, format->category, &answer.rows[i]);
    }
    if (err) goto fail;
    *out = answer;
    return SC_OK;
fail:
    sc__point_answer_fini(&answer);
    return err;
}

void sc__point_answer_fini(sc__point_answer *answer)
{
    sc_json_tree_fini(&answer->document);
    sc_free(answer->rows);
    *answer = (sc__point_answer){.rows = NULL};
}
