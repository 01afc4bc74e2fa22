// Fields of a line of JSON, one kind after the other; the request of a query; the engine of a
// record.
//
// Whether a provider is willing to answer a request - a k or a radius within its limits - is
// decided by sc_request_check(); docs/records.md has the format.
#include "record/fields.h"

#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
        return "a key occurs twice in one object; keep one of them";
    case SC_JSON_TOO_LARGE:
        return "a number is too large to be read";
    case SC_JSON_NOT_UTF8:
        return "this is not UTF-8";
    case SC_JSON_HAS_NUL:
        return "a text contains the character 0; remove it";
    case SC_JSON_TOO_DEEP:
        return "objects are nested too deeply";
    case SC_JSON_CUT_SHORT:
        return "the line ends inside its object; a line is one object, {...}";
    case SC_JSON_FOLLOWED:
        return "there is more text after the object; a line is one object, {...}";
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
        return sc__line_fail(place, "this is not an object; a line is one object, {...}");
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
    if (count < 0) return sc__field_fail(fields, key, "is negative; write a count of 0 or more");
    if (count > UINT32_MAX) {
        return sc__field_fail(fields, key, "is too large; write at most 4294967295");
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
                              "is beyond 1e12 seconds; count seconds from a later time");
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
        return sc__field_fail(fields, key, "is not a text, or is empty; write it in quotes");
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

// --- The map ---------------------------------------------------------------------

// Others may have a "map" of their own at the end: only what looks like a checksum is one.
sc_err sc__record_check_map(const sc__fields *fields, const sc_map *map)
{
    enum { DIGITS = 16 };
    const sc_json_value *value = sc_json_member(fields->object, "map");
    const char *text = sc_json_text_at(value);
    if (!text || sc_json_text_size(value) != DIGITS || strspn(text, "0123456789abcdef") != DIGITS) {
        return SC_OK;
    }
    const uint64_t checksum = strtoull(text, NULL, 16);
    if (checksum == sc_map_checksum(map)) return SC_OK;
    return sc_fail(fields->place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": this was a run on the map with the checksum %016" PRIx64
                   ", not on this map; use that map ('starcloak map info' shows checksums)",
                   fields->place->name, fields->place->number, checksum);
}

// === Requests ===================================================================================

static sc_err fail_category(const sc__fields *request, const sc__category_names *names,
                            const char *name)
{
    const sc__place *place = request->place;
    const char *source = sc_map_source(names->map);
    return sc_fail(
        place->diag, SC_EPARSE,
        "%s:%" PRIu64
        ": %s is not a category of the map made from %s; 'starcloak map info' lists its categories",
        place->name, place->number, sc_quote(name, strlen(name)).text,
        sc_quote(source, strlen(source)).text);
}

static sc_err add_category(const sc__fields *request, const sc__category_names *names,
                           const sc_json_value *value, sc_request *out)
{
    const char *name = sc_json_text_at(value);
    if (!name) {
        return sc__field_fail(request, "category",
                              "is neither a name, nor a list of names, nor null");
    }
    const sc_category_id category = names->vocabulary ? sc_vocabulary_find(names->vocabulary, name)
                                                      : sc_map_category_find(names->map, name);
    // A table's categories come and go: a request for one that is gone is refused later.
    if (category == SC_NONE && !names->vocabulary) return fail_category(request, names, name);
    out->categories[out->category_count++] = category;
    return SC_OK;
}

static sc_err read_categories(const sc__fields *request, const sc__category_names *names,
                              sc_request *out)
{
    const sc_json_value *value = sc_json_member(request->object, "category");
    out->category_count = 0;
    if (!value || sc_json_is_null(value)) return SC_OK;
    if (!sc_json_is_array(value)) return add_category(request, names, value, out);

    const size_t count = sc_json_size(value);
    if (count == 0)
        return sc__field_fail(request, "category", "names no category; write null for all");
    if (count > SC_REQUEST_CATEGORIES) {
        return sc__field_fail(request, "category",
                              "names more than 16 categories; write null for all");
    }
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = add_category(request, names, sc_json_at(value, i), out);
    }
    return err;
}

static sc_err read_metric(const sc__fields *request, sc_metric *out)
{
    *out = SC_METRIC_DISTANCE;
    const sc_json_value *value = sc_json_member(request->object, "metric");
    if (!value) return SC_OK;
    const char *name = sc_json_text_at(value);
    *out = name ? sc_metric_find(name) : SC_METRIC_COUNT;
    if (*out != SC_METRIC_COUNT) return SC_OK;
    return sc__field_fail(request, "metric", "is unknown; write \"distance\" or \"time\"");
}

static sc_err read_knn(const sc__fields *request, sc_request *out)
{
    static const char *const known[] = {"type", "metric", "k", "category", NULL};
    out->type = SC_REQUEST_KNN;
    sc_err err = sc__fields_refuse_others(request, known);
    if (!err) err = sc__field_count(request, "k", &out->k);
    if (!err && out->k == 0) {
        return sc__field_fail(request, "k", "is 0; ask for at least one object");
    }
    return err;
}

static sc_err read_range(const sc__fields *request, sc_request *out)
{
    const bool is_by_time = out->metric == SC_METRIC_TIME;
    const char *const key = is_by_time ? "radius_s" : "radius_m";
    const char *const known[] = {"type", "metric", key, "category", NULL};
    double *const radius = is_by_time ? &out->radius_s : &out->radius_m;
    const char *const other = is_by_time ? "radius_m" : "radius_s";
    out->type = SC_REQUEST_RANGE;
    // A radius in the wrong unit is more than an unknown key.
    if (sc__field_exists(request, other)) {
        return sc__field_fail(request, other,
                              is_by_time
                                  ? "is metres, and the metric is \"time\"; write radius_s"
                                  : "is seconds; write radius_m, or add the metric \"time\"");
    }
    sc_err err = sc__fields_refuse_others(request, known);
    if (!err) err = sc__field_number(request, key, radius);
    // Written so that NaN is refused.
    if (!err && !(*radius >= 0.0)) {
        return sc__field_fail(request, key,
                              is_by_time ? "is below 0; write seconds, 0 or more"
                                         : "is below 0; write metres, 0 or more");
    }
    return err;
}

sc_err sc__request_read(const sc__fields *line, const sc__category_names *names, sc_request *out)
{
    sc_request read = {.type = SC_REQUEST_KNN, .k = 1};
    if (sc__field_exists(line, "request")) {
        sc__fields request = {.prefix = "request."};
        sc_err err = sc__field_object(line, "request", &request);
        if (err) return err;
        read.k = 0;
        err = read_metric(&request, &read.metric);
        const char *type = sc_json_text_at(sc_json_member(request.object, "type"));
        if (err) {
            return err;
        } else if (type && strcmp(type, "knn") == 0) {
            err = read_knn(&request, &read);
        } else if (type && strcmp(type, "range") == 0) {
            err = read_range(&request, &read);
        } else {
            err = sc__field_fail(&request, "type", "is unknown; write \"knn\" or \"range\"");
        }
        if (!err) err = read_categories(&request, names, &read);
        if (err) return err;
    }
    *out = sc_request_normalise(&read);
    return SC_OK;
}

// === Engines ==================================================================================

/** The largest lambda that engines take; no map is that wide. */
#define MOST_LAMBDA (1u << 30)

/** The names of all methods, each behind a comma: ", basic, bounded" and so on. */
#define X(name, value, word) ", " word
static const char methods[] = SC_VARIANT_MAP(X);
#undef X

static sc_err read_method(const sc__fields *engine, sc_variant *out)
{
    sc_slice name;
    const sc_err err = sc__field_text(engine, "method", &name);
    if (err) return err;
    for (int i = 0; i < SC_VARIANT_COUNT; i++) {
        if (!sc_slice_is(name, sc_variant_name((sc_variant)i))) continue;
        *out = (sc_variant)i;
        return SC_OK;
    }
    char why[sizeof "is not one of " + sizeof methods];
    snprintf(why, sizeof why, "is not one of %s", methods + strlen(", "));
    return sc__field_fail(engine, "method", why);
}

static sc_err read_flag(const sc__fields *engine, const char *key, bool *out)
{
    const sc_json_value *value = sc_json_member(engine->object, key);
    if (!sc_json_is_flag(value)) {
        return sc__field_fail(engine, key, "is neither true nor false, or missing");
    }
    *out = sc_json_is_true(value);
    return SC_OK;
}

static sc_err read_count(const sc__fields *engine, const char *key, uint32_t most, uint32_t *out)
{
    char range[64];
    const sc_err err = sc__field_count(engine, key, out);
    if (err || (*out >= 1 && *out <= most)) return err;
    snprintf(range, sizeof range, "is out of range; write 1 to %" PRIu32, most);
    return sc__field_fail(engine, key, range);
}

static sc_err read_cost(const sc__fields *engine, sc_cost_model *out)
{
    sc_diag why = {""};
    const sc__place *place = engine->place;
    sc__fields cost = {.prefix = "engine.cost."};
    sc_err err = sc__field_object(engine, "cost", &cost);
    if (!err) err = sc__field_number(&cost, "segment", &out->segment);
    if (!err) err = sc__field_number(&cost, "border_node", &out->border_node);
    if (!err) err = sc__field_number(&cost, "object", &out->object);
    if (!err) err = sc__field_number(&cost, "balance", &out->balance);
    if (err || !sc_cost_model_check(out, &why)) return err;
    return sc_fail(place->diag, SC_EPARSE, "%s:%" PRIu64 ": \"engine.cost\": %s", place->name,
                   place->number, why.message);
}

sc_err sc__engine_read(const sc__fields *end, sc_engine_options *out)
{
    sc_engine_options read = sc_engine_options_default();
    sc__fields engine = {.prefix = "engine."};
    sc_err err = sc__field_object(end, "engine", &engine);
    if (!err) err = read_method(&engine, &read.variant);
    if (!err) err = read_flag(&engine, "strict", &read.is_strict);
    if (!err) err = read_count(&engine, "lambda", MOST_LAMBDA, &read.compactness);
    if (!err) err = sc__field_time(&engine, "alpha_s", &read.consideration_us);
    if (!err && read.consideration_us < 0) {
        return sc__field_fail(&engine, "alpha_s", "is below 0; write seconds, 0 or more");
    }
    // Only patient engines have it.
    if (!err && sc_json_member(engine.object, "crowd")) {
        err = read_count(&engine, "crowd", SC_CROWD_MAX, &read.crowd);
    }
    if (!err && sc_json_member(engine.object, "k_spread")) {
        err = read_count(&engine, "k_spread", SC_K_SPREAD_MAX, &read.k_spread);
    }
    if (!err) err = read_count(&engine, "cap", SC_COMBINATIONS_MAX, &read.max_combinations);
    if (!err) err = read_cost(&engine, &read.cost);
    if (!err) *out = read;
    return err;
}
