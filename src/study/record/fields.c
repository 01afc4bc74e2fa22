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

static const char *fault_text(sc_json_fault fault)
{
    switch (fault) {
    case SC_JSON_TWICE:
        return "a key stands twice in one object; keep one of them";
    case SC_JSON_TOO_LARGE:
        return "a number is too large to be read";
    case SC_JSON_NOT_UTF8:
        return "this is not UTF-8";
    case SC_JSON_HAS_NUL:
        return "a text has the character 0 in it; leave that out";
    case SC_JSON_TOO_DEEP:
        return "objects are nested too deeply";
    case SC_JSON_CUT_SHORT:
        return "the line ends before its object; a line is one object, {...}";
    case SC_JSON_FOLLOWED:
        return "something follows the object; a line is one object, {...}";
    default:
        return "this is not JSON; a line is one object, {...}";
    }
}

// --- The line ------------------------------------------------------------------

sc_err sc__line_load(const sc__place *place, sc_slice text, sc_json_tree *out)
{
    sc_json_tree tree = {0};
    sc_json_error error;
    const sc_err err = sc_json_tree_read(text.text, text.size, &tree, &error);
    if (err == SC_ENOMEM) return sc__line_fail_memory(place);
    if (err) {
        return sc_fail(place->diag, SC_EPARSE, "%s:%" PRIu64 ": column %zu: %s", place->name,
                       place->number, error.column, fault_text(error.fault));
    }
    if (!sc_json_is_object(tree.root)) {
        sc_json_tree_fini(&tree);
        return sc__line_fail(place, "this is not an object; a line is one, {...}");
    }
    *out = tree;
    return SC_OK;
}

// --- Fields --------------------------------------------------------------------

bool sc__field_exists(const sc__fields *fields, const char *key)
{
    return sc_json_member(fields->object, key) != NULL;
}

static sc_err find(const sc__fields *fields, const char *key, const sc_json_value **out)
{
    *out = sc_json_member(fields->object, key);
    return *out ? SC_OK : sc__field_fail(fields, key, "is missing; add it");
}

sc_err sc__field_number(const sc__fields *fields, const char *key, double *out)
{
    const sc_json_value *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!sc_json_is_number(value)) {
        return sc__field_fail(fields, key, "is not a number; write it without quotes");
    }
    *out = sc_json_number_at(value);
    return SC_OK;
}

sc_err sc__field_whole(const sc__fields *fields, const char *key, int64_t *out)
{
    const sc_json_value *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!sc_json_is_integer(value)) {
        return sc__field_fail(fields, key,
                              "is not a whole number; write it without quotes and decimals");
    }
    *out = sc_json_integer(value);
    return SC_OK;
}

sc_err sc__field_count(const sc__fields *fields, const char *key, uint32_t *out)
{
    int64_t count = 0;
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
    const sc_json_value *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (sc_json_text_size(value) == 0) {
        return sc__field_fail(fields, key, "is not a text, or an empty one; write it in quotes");
    }
    *out = (sc_slice){sc_json_text_at(value), sc_json_text_size(value)};
    return SC_OK;
}

sc_err sc__field_object(const sc__fields *fields, const char *key, sc__fields *out)
{
    const sc_json_value *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!sc_json_is_object(value)) {
        return sc__field_fail(fields, key, "is not an object; write it in {...}");
    }
    out->place = fields->place;
    out->object = value;
    return SC_OK;
}

sc_err sc__field_list(const sc__fields *fields, const char *key, const sc_json_value **out)
{
    const sc_json_value *value = NULL;
    const sc_err err = find(fields, key, &value);
    if (err) return err;
    if (!sc_json_is_array(value))
        return sc__field_fail(fields, key, "is not a list; write it in [...]");
    *out = value;
    return SC_OK;
}

sc_err sc__fields_refuse_others(const sc__fields *fields, const char *const *known)
{
    const sc__place *place = fields->place;
    if (place->passes_unknown) return SC_OK;
    for (size_t member = 0; member < sc_json_size(fields->object); member++) {
        const char *key = sc_json_member_name(fields->object, member);
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
