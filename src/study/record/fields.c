// Fields of JSON, one kind after the other. See fields.h.
#include "record/fields.h"

#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/** No moment and no wait is longer, in seconds: as microseconds it must fit. */
#define MAX_SECONDS 1e12

// --- Complaints --------------------------------------------------------------

sc_err sc__field_fail(const sc__fields *fields, const char *key, const char *what)
{
    const sc__place *place = fields->place;
    return sc_fail(place->diag, SC_EPARSE, "%s:%" PRIu64 ": \"%s%s\" %s", place->name,
                   place->number, fields->prefix, key, what);
}

sc_err sc__line_fail(const sc__place *place, const char *what)
{
    return sc_fail(place->diag, SC_EPARSE, "%s:%" PRIu64 ": %s", place->name, place->number, what);
}

sc_err sc__line_fail_memory(const sc__place *place)
{
    return sc_fail_memory(place->diag, place->doing);
}

static sc_err refuse_text(const sc__place *place, const json_error_t *error)
{
    const char *what = "this is not JSON; a line is one object, {...}";
    switch (json_error_code(error)) {
    case json_error_out_of_memory:
        return sc__line_fail_memory(place);
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
    return sc_fail(place->diag, SC_EPARSE, "%s:%" PRIu64 ": column %d: %s", place->name,
                   place->number, error->column, what);
}

// --- The line ------------------------------------------------------------------

sc_err sc__line_load(const sc__place *place, sc_slice text, json_t **out)
{
    json_error_t error;
    json_t *object =
        json_loadb(text.text, text.size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!object) return refuse_text(place, &error);
    if (!json_is_object(object)) {
        json_decref(object);
        return sc__line_fail(place, "this is not an object; a line is one, {...}");
    }
    *out = object;
    return SC_OK;
}

// --- Fields --------------------------------------------------------------------

bool sc__field_exists(const sc__fields *fields, const char *key)
{
    return json_object_get(fields->object, key) != NULL;
}

static sc_err find(const sc__fields *fields, const char *key, const json_t **out)
{
    *out = json_object_get(fields->object, key);
    return *out ? SC_OK : sc__field_fail(fields, key, "is missing; add it");
}

sc_err sc__field_number(const sc__fields *fields, const char *key, double *out)
{
    const json_t *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!json_is_number(value)) {
        return sc__field_fail(fields, key, "is not a number; write it without quotes");
    }
    *out = json_number_value(value);
    return SC_OK;
}

sc_err sc__field_whole(const sc__fields *fields, const char *key, json_int_t *out)
{
    const json_t *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!json_is_integer(value)) {
        return sc__field_fail(fields, key,
                              "is not a whole number; write it without quotes and decimals");
    }
    *out = json_integer_value(value);
    return SC_OK;
}

sc_err sc__field_count(const sc__fields *fields, const char *key, uint32_t *out)
{
    json_int_t count = 0;
    const sc_err err = sc__field_whole(fields, key, &count);
    if (err) return err;
    if (count < 0) return sc__field_fail(fields, key, "is negative; it counts something");
    if (count > UINT32_MAX) {
        return sc__field_fail(fields, key, "is too large; at most 4294967295 fits");
    }
    *out = (uint32_t)count;
    return SC_OK;
}

// The whole seconds are kept apart, since the product of large seconds and a million
// would lose what the number still tells: so whatever was written with six decimals
// reads back the same, up to 2^33 seconds.
sc_err sc__field_time(const sc__fields *fields, const char *key, sc_time *out)
{
    double seconds = 0;
    const sc_err err = sc__field_number(fields, key, &seconds);
    if (err) return err;
    if (fabs(seconds) > MAX_SECONDS) {
        return sc__field_fail(fields, key,
                              "is beyond 1e12 seconds; count from a zero that is nearer");
    }
    const double whole = trunc(seconds);
    *out = (sc_time)whole * 1000000 + (sc_time)llround((seconds - whole) * 1e6);
    return SC_OK;
}

sc_err sc__field_text(const sc__fields *fields, const char *key, sc_slice *out)
{
    const json_t *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (json_string_length(value) == 0) {
        return sc__field_fail(fields, key, "is not a text, or an empty one; write it in quotes");
    }
    *out = (sc_slice){json_string_value(value), json_string_length(value)};
    return SC_OK;
}

sc_err sc__field_object(const sc__fields *fields, const char *key, sc__fields *out)
{
    const json_t *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!json_is_object(value)) {
        return sc__field_fail(fields, key, "is not an object; write it in {...}");
    }
    out->place = fields->place;
    out->object = value;
    return SC_OK;
}

sc_err sc__field_list(const sc__fields *fields, const char *key, const json_t **out)
{
    const json_t *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!json_is_array(value))
        return sc__field_fail(fields, key, "is not a list; write it in [...]");
    *out = value;
    return SC_OK;
}

sc_err sc__fields_refuse_others(const sc__fields *fields, const char *const *known)
{
    const sc__place *place = fields->place;
    const char *key;
    const json_t *value;
    if (place->passes_unknown) return SC_OK;
    json_object_foreach((json_t *)(uintptr_t)fields->object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0) {
            i++;
        }
        if (known[i]) continue;
        return sc_fail(place->diag, SC_EPARSE,
                       "%s:%" PRIu64 ": \"%.*s\" has an unknown key %s; correct or remove it",
                       place->name, place->number, (int)strlen(fields->prefix) - 1, fields->prefix,
                       sc_quote(key, strlen(key)).text);
    }
    return SC_OK;
}
