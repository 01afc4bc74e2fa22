// One answer's JSON. See parse.h.
#include "points/parse.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/geo.h"

#include <inttypes.h>
#include <string.h>

/**
 * An answer may have so many brackets per object asked for, and so many in general. jansson takes
 * some eighty times the bytes of "{},{},{}," while it reads them; with this it is twenty.
 */
enum { BRACKETS_PER_OBJECT = 256, BRACKETS_BESIDES = 4096 };

/** One object of the list, and what messages need to speak of it. */
typedef struct reader {
    const sc_point_options *fields;
    const json_t *object;
    uint32_t number;  ///< from 1
    sc_diag *diag;
} reader;

static sc_err fail(const reader *r, const char *field, const char *what)
{
    return sc_fail(r->diag, SC_EREPLY, "an answer of the provider, object %" PRIu32 ": \"%s\" %s",
                   r->number, field, what);
}

// --- Fields -----------------------------------------------------------------

// What an entry of a list is called in a path: its number, as in "coordinates.0".
static const json_t *entry_at(const json_t *array, const char *digits, size_t size)
{
    size_t index = 0;
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9' || index > json_array_size(array)) return NULL;
        index = index * 10 + (size_t)(digits[i] - '0');
    }
    return json_array_get(array, index);
}

// Follow a path of names with dots; NULL if it leads nowhere, or to null.
static const json_t *value_at(const json_t *value, const char *path)
{
    while (value && *path) {
        const size_t size = strcspn(path, ".");
        value = json_is_array(value) ? entry_at(value, path, size)
                                     : json_object_getn(value, path, size);
        path += size + (path[size] == '.');
    }
    return json_is_null(value) ? NULL : value;
}

static sc_err read_number(const reader *r, const char *field, double *out)
{
    const json_t *value = value_at(r->object, field);
    if (!value) return fail(r, field, "is missing; are the fields named as the provider does?");
    if (!json_is_number(value)) return fail(r, field, "is not a number");
    *out = json_number_value(value);
    return SC_OK;
}

static sc_err read_key(const reader *r, sc__row *row)
{
    const char *field = r->fields->key_field;
    const json_t *value = value_at(r->object, field);
    if (!value) return fail(r, field, "is missing; are the fields named as the provider does?");
    if (json_is_integer(value)) {
        snprintf(row->digits, sizeof row->digits, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        row->key = row->digits;
        return SC_OK;
    }
    if (!json_is_string(value)) return fail(r, field, "is neither a text nor a whole number");
    if (json_string_length(value) == 0) return fail(r, field, "is empty");
    if (json_string_length(value) > SC__KEY_MAX) return fail(r, field, "is longer than 255 bytes");
    row->key = json_string_value(value);
    return SC_OK;
}

static sc_err read_name(const reader *r, sc__row *row)
{
    row->name = "";
    const char *field = r->fields->name_field;
    const json_t *value = field ? value_at(r->object, field) : NULL;
    if (!value) return SC_OK;
    if (!json_is_string(value)) return fail(r, field, "is not a text");
    if (json_string_length(value) > SC__NAME_MAX)
        return fail(r, field, "is longer than 1023 bytes");
    row->name = json_string_value(value);
    return SC_OK;
}

static sc_err read_position(const reader *r, sc_coords coords, sc__row *row)
{
    sc_err err = read_number(r, r->fields->lon_field, &row->x);
    if (!err) err = read_number(r, r->fields->lat_field, &row->y);
    if (err) return err;
    if (!sc_geo_valid(coords, row->x, row->y)) {
        return fail(r, r->fields->lon_field,
                    coords == SC_COORDS_GEOGRAPHIC
                        ? "and what belongs to it are no position in degrees"
                        : "and what belongs to it are no position on a plane of sensible size");
    }
    return SC_OK;
}

static sc_err read_distance(const reader *r, sc__row *row)
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
                            sc__row *row)
{
    row->category = asked;
    const char *field = r->fields->category_field;
    const json_t *value = field ? value_at(r->object, field) : NULL;
    if (!value) return SC_OK;
    if (!json_is_string(value)) return fail(r, field, "is not a text");
    if (asked == SC_NONE) {
        row->category = sc_vocabulary_find(vocabulary, json_string_value(value));
        return SC_OK;
    }
    if (strcmp(json_string_value(value), vocabulary->names[asked]) != 0) {
        return fail(r, field,
                    "is another category than the one asked for; if the provider has words of its "
                    "own for them, leave that field out");
    }
    return SC_OK;
}

// --- The document -----------------------------------------------------------

static sc_err refuse_document(const json_error_t *error, sc_diag *diag)
{
    const char *what = "is not JSON";
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return sc_fail_memory(diag, "reading an answer of the provider");
    case json_error_duplicate_key:
        what = "has a key twice in one object";
        break;
    case json_error_numeric_overflow:
        what = "has a number too large to be read";
        break;
    case json_error_invalid_utf8:
        what = "is not UTF-8";
        break;
    case json_error_null_character:
    case json_error_null_byte_in_key:
        what = "has a text with the character 0 in it";
        break;
    case json_error_stack_overflow:
        what = "is nested too deeply";
        break;
    case json_error_premature_end_of_input:
        what = "ends too early";
        break;
    default:
        break;
    }
    return sc_fail(diag, SC_EREPLY, "an answer of the provider %s (byte %d)", what,
                   error->position);
}

static sc_err check_brackets(const char *bytes, size_t size, uint32_t k, sc_diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == '{' || bytes[i] == '[';
    }
    if (count <= (size_t)BRACKETS_PER_OBJECT * k + BRACKETS_BESIDES) return SC_OK;
    return sc_fail(diag, SC_EREPLY,
                   "an answer of the provider has %zu lists and objects in it, far more than for "
                   "the %" PRIu32 " objects asked for",
                   count, k);
}

static sc_err find_list(const sc__point_settings *settings, uint32_t k, const json_t *document,
                        const json_t **out, sc_diag *diag)
{
    const char *field = settings->options.list_field;
    const json_t *list = value_at(document, field);
    if (!json_is_array(list)) {
        return *field ? sc_fail(diag, SC_EREPLY,
                                "an answer of the provider has no list \"%s\"; are the fields "
                                "named as the provider does?",
                                field)
                      : sc_fail(diag, SC_EREPLY, "an answer of the provider is no list of objects");
    }
    if (json_array_size(list) > k) {
        return sc_fail(diag, SC_EREPLY,
                       "an answer of the provider has %zu objects, and %" PRIu32 " were asked for",
                       json_array_size(list), k);
    }
    *out = list;
    return SC_OK;
}

sc_err sc__answer_parse(const sc__point_settings *settings, sc_coords coords,
                        const sc_vocabulary *vocabulary, sc__question question, const char *bytes,
                        size_t size, sc__answer *out, sc_diag *diag)
{
    sc_err err = check_brackets(bytes, size, question.k, diag);
    if (err) return err;
    json_error_t error;
    json_t *document = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!document) return refuse_document(&error, diag);

    sc__answer answer = {.document = document};
    const json_t *list = NULL;
    err = find_list(settings, question.k, document, &list, diag);
    if (err) goto fail;
    answer.count = (uint32_t)json_array_size(list);
    answer.rows = sc_calloc(answer.count, sizeof *answer.rows);
    if (!answer.rows) {
        err = sc_fail_memory(diag, "reading an answer of the provider");
        goto fail;
    }
    for (uint32_t i = 0; i < answer.count && !err; i++) {
        const reader r = {&settings->options, json_array_get(list, i), i + 1, diag};
        err = read_key(&r, &answer.rows[i]);
        if (!err) err = read_position(&r, coords, &answer.rows[i]);
        if (!err) err = read_distance(&r, &answer.rows[i]);
        if (!err) err = read_name(&r, &answer.rows[i]);
        if (!err) err = read_category(&r, vocabulary, question.category, &answer.rows[i]);
    }
    if (err) goto fail;
    *out = answer;
    return SC_OK;
fail:
    sc__answer_fini(&answer);
    return err;
}

void sc__answer_fini(sc__answer *answer)
{
    json_decref(answer->document);
    sc_free(answer->rows);
    *answer = (sc__answer){.document = NULL};
}
