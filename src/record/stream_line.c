// One line of a stream, from JSON to a query. See stream.h; docs/records.md has the format.
//
// What is missing or of the wrong kind is refused, and so is what would be read
// otherwise than it was meant: a key that stands twice, a profile or a request
// with a key that is not known (a mistyped "sigma_s" must not become another
// wish for privacy). Whether a need is sensible is for admission to say.
//
// No sentence repeats a user or a position, nor what jansson says, which quotes the text.
#include "record/record_internal.h"

#include "base/diag.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/** No moment and no wait is longer, in seconds: as microseconds it must fit. */
#define MAX_SECONDS 1e12

/** An object of the line, with what its keys are called in messages. */
typedef struct reader {
    const sc__line *line;
    const json_t *object;
    const char *prefix;  ///< "", "profile." or "request."
} reader;

static sc_err fail(const reader *r, const char *key, const char *what)
{
    return sc_fail(r->line->diag, SC_EPARSE, "%s:%" PRIu64 ": \"%s%s\" %s", r->line->name,
                   r->line->number, r->prefix, key, what);
}

static sc_err fail_line(const sc__line *line, const char *what)
{
    return sc_fail(line->diag, SC_EPARSE, "%s:%" PRIu64 ": %s", line->name, line->number, what);
}

static bool has(const reader *r, const char *key)
{
    return json_object_get(r->object, key) != NULL;
}

// --- Values -----------------------------------------------------------------

static sc_err read_number(const reader *r, const char *key, double *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return fail(r, key, "is missing; add it");
    if (!json_is_number(value)) return fail(r, key, "is not a number; write it without quotes");
    *out = json_number_value(value);
    return SC_OK;
}

static sc_err read_whole(const reader *r, const char *key, json_int_t *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return fail(r, key, "is missing; add it");
    if (!json_is_integer(value)) {
        return fail(r, key, "is not a whole number; write it without quotes and decimals");
    }
    *out = json_integer_value(value);
    return SC_OK;
}

static sc_err read_count(const reader *r, const char *key, uint32_t *out)
{
    json_int_t count = 0;
    const sc_err err = read_whole(r, key, &count);
    if (err) return err;
    if (count < 0) return fail(r, key, "is negative; it counts something");
    if (count > UINT32_MAX) return fail(r, key, "is too large; at most 4294967295 fits");
    *out = (uint32_t)count;
    return SC_OK;
}

// A number that admission will look at. One that does not fit becomes `misfit`, which
// admission refuses: a need or an edge out of range is this query's fault, not the stream's.
static sc_err read_need(const reader *r, const char *key, uint32_t misfit, uint32_t *out)
{
    json_int_t number = 0;
    const sc_err err = read_whole(r, key, &number);
    if (!err) *out = number < 0 || number > UINT32_MAX ? misfit : (uint32_t)number;
    return err;
}

// To the nearest microsecond. The whole seconds are kept apart, since the product
// of large seconds and a million would lose what the number still tells: so
// whatever was written with six decimals reads back the same, up to 2^33 seconds.
static sc_err read_seconds(const reader *r, const char *key, sc_time *out)
{
    double seconds = 0;
    const sc_err err = read_number(r, key, &seconds);
    if (err) return err;
    if (fabs(seconds) > MAX_SECONDS) {
        return fail(r, key, "is beyond 1e12 seconds; count from a zero that is nearer");
    }
    const double whole = trunc(seconds);
    *out = (sc_time)whole * 1000000 + (sc_time)llround((seconds - whole) * 1e6);
    return SC_OK;
}

static sc_err read_object(const reader *r, const char *key, reader *out)
{
    const json_t *value = json_object_get(r->object, key);
    if (!value) return fail(r, key, "is missing; add it");
    if (!json_is_object(value)) return fail(r, key, "is not an object; write it in {...}");
    out->object = value;
    return SC_OK;
}

/** Refuse whatever is not in `known`, which NULL ends. */
static sc_err refuse_other_keys(const reader *r, const char *const *known)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)r->object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0) {
            i++;
        }
        if (known[i]) continue;
        return sc_fail(r->line->diag, SC_EPARSE,
                       "%s:%" PRIu64 ": \"%.*s\" has an unknown key %s; correct or remove it",
                       r->line->name, r->line->number, (int)strlen(r->prefix) - 1, r->prefix,
                       sc_quote(key, strlen(key)).text);
    }
    return SC_OK;
}

// --- Parts of a line --------------------------------------------------------

static sc_err read_user(const reader *r, sc_ask *ask)
{
    const json_t *value = json_object_get(r->object, "user");
    char digits[24];
    const char *text = json_string_value(value);
    size_t size = json_string_length(value);
    if (!value) return fail(r, "user", "is missing; add it");
    if (json_is_integer(value)) {
        size = (size_t)snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT,
                                json_integer_value(value));
        text = digits;
    }
    if (!text) return fail(r, "user", "is neither a text nor a whole number");
    ask->user = sc__stream_keep(r->line->stream, text, size);
    ask->user_size = size;
    return ask->user ? SC_OK : sc_fail_memory(r->line->diag, "reading the queries");
}

static sc_err read_place(const reader *r, sc_ask *ask)
{
    const bool has_position = has(r, "lon") || has(r, "lat");
    const bool has_edge = has(r, "edge") || has(r, "offset_m");
    if (has_position && has_edge) {
        return fail_line(r->line, "there are two places; give either \"lon\" and \"lat\" or "
                                  "\"edge\" and \"offset_m\"");
    }
    if (!has_position && !has_edge) {
        return fail_line(r->line, "there is no place; give either \"lon\" and \"lat\" or "
                                  "\"edge\" and \"offset_m\"");
    }
    ask->is_on_edge = has_edge;
    if (has_edge) {
        const sc_err err = read_need(r, "edge", SC_NONE, &ask->edge);
        return err ? err : read_number(r, "offset_m", &ask->offset_m);
    }
    const sc_err err = read_number(r, "lon", &ask->x);
    return err ? err : read_number(r, "lat", &ask->y);
}

static sc_err read_profile(const reader *r, sc_profile *out)
{
    static const char *const known[] = {"k", "l", "sigma_s", "sigma_t", NULL};
    reader inner = {.line = r->line, .prefix = "profile."};
    sc_err err = read_object(r, "profile", &inner);
    if (!err) err = refuse_other_keys(&inner, known);
    if (!err) err = read_need(&inner, "k", 0, &out->k);
    if (!err) err = read_need(&inner, "l", 0, &out->l);
    if (!err) err = read_need(&inner, "sigma_s", UINT32_MAX, &out->max_hops);
    if (!err) err = read_seconds(&inner, "sigma_t", &out->max_wait_us);
    return err;
}

static sc_err read_category(const reader *r, sc_category_id *out)
{
    const json_t *value = json_object_get(r->object, "category");
    *out = SC_NONE;
    if (!value || json_is_null(value)) return SC_OK;
    if (!json_is_string(value)) return fail(r, "category", "is neither a name nor null");
    *out = sc_map_category_find(r->line->map, json_string_value(value));
    if (*out != SC_NONE) return SC_OK;

    const char *source = sc_map_source(r->line->map);
    return sc_fail(r->line->diag, SC_EPARSE,
                   "%s:%" PRIu64 ": %s is no category of the map made from %s; 'starcloak map "
                   "info' lists them",
                   r->line->name, r->line->number,
                   sc_quote(json_string_value(value), json_string_length(value)).text,
                   sc_quote(source, strlen(source)).text);
}

static sc_err read_knn(const reader *r, sc_request *out)
{
    static const char *const known[] = {"type", "k", "category", NULL};
    out->type = SC_REQUEST_KNN;
    sc_err err = refuse_other_keys(r, known);
    if (!err) err = read_count(r, "k", &out->k);
    if (!err && out->k == 0) return fail(r, "k", "is 0; ask for one object at least");
    return err;
}

static sc_err read_range(const reader *r, sc_request *out)
{
    static const char *const known[] = {"type", "radius_m", "category", NULL};
    out->type = SC_REQUEST_RANGE;
    sc_err err = refuse_other_keys(r, known);
    if (!err) err = read_number(r, "radius_m", &out->radius_m);
    if (!err && out->radius_m <= 0)
        return fail(r, "radius_m", "is not above 0; write how many metres");
    return err;
}

static sc_err read_request(const reader *r, sc_request *out)
{
    if (!has(r, "request")) {
        *out = (sc_request){.type = SC_REQUEST_KNN, .k = 1, .category = SC_NONE};
        return SC_OK;
    }
    reader inner = {.line = r->line, .prefix = "request."};
    sc_err err = read_object(r, "request", &inner);
    if (err) return err;

    const char *type = json_string_value(json_object_get(inner.object, "type"));
    if (type && strcmp(type, "knn") == 0) {
        err = read_knn(&inner, out);
    } else if (type && strcmp(type, "range") == 0) {
        err = read_range(&inner, out);
    } else {
        err = fail(&inner, "type", "is not one that is known; write \"knn\" or \"range\"");
    }
    return err ? err : read_category(&inner, &out->category);
}

// --- The line ---------------------------------------------------------------

static sc_err refuse_text(const sc__line *line, const json_error_t *error)
{
    const char *what = "this is not JSON; a line is one object, {...}";
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return sc_fail_memory(line->diag, "reading the queries");
    case json_error_duplicate_key:
        what = "a key stands twice in one object; keep one of them";
        break;
    case json_error_numeric_overflow:
        what = "a number is too large to be read";
        break;
    case json_error_invalid_utf8:
        what = "this is not UTF-8";
        break;
    case json_error_null_character:
    case json_error_null_byte_in_key:
        what = "a text has the character 0 in it; leave that out";
        break;
    case json_error_stack_overflow:
        what = "objects are nested too deeply";
        break;
    case json_error_premature_end_of_input:
        what = "the line ends before its object; a line is one object, {...}";
        break;
    case json_error_end_of_input_expected:
        what = "something follows the object; a line is one object, {...}";
        break;
    default:
        break;
    }
    return sc_fail(line->diag, SC_EPARSE, "%s:%" PRIu64 ": column %d: %s", line->name, line->number,
                   error->column, what);
}

static sc_err read_query(const reader *r, sc_spoken *out)
{
    // The queries of a record have all that a stream needs; its other events name no user.
    if (has(r, "event") && !has(r, "user")) {
        return fail_line(r->line, "this is an event of a run record, not a query; 'starcloak "
                                  "verify' reads records");
    }
    sc_err err = read_user(r, &out->ask);
    if (!err) err = read_seconds(r, "t", &out->ask.t);
    if (!err) err = read_place(r, &out->ask);
    if (!err) err = read_profile(r, &out->ask.profile);
    if (!err) err = read_request(r, &out->request);
    out->ask.result_size = out->request.k;  // 0 for a range: nobody knows what it holds
    return err;
}

sc_err sc__line_read(const sc__line *line, sc_spoken *out)
{
    json_error_t error;
    json_t *object = json_loadb(line->text.text, line->text.size,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!object) return refuse_text(line, &error);

    const reader r = {.line = line, .object = object, .prefix = ""};
    *out = (sc_spoken){.line = line->number};
    const sc_err err = json_is_object(object)
                           ? read_query(&r, out)
                           : fail_line(line, "this is not an object; a line is one, {...}");
    json_decref(object);
    return err;
}
