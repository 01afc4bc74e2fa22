// The engine of a record, from JSON. See engine_read.h; docs/records.md has the format.
#include "record/engine_read.h"

#include "base/diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** The largest lambda that engines take; no map is that wide. */
#define MOST_LAMBDA (1u << 30)

/** The words for all methods, each behind a comma: ", basic, bounded" and so on. */
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
    char why[sizeof "is none of " + sizeof methods];
    snprintf(why, sizeof why, "is none of %s", methods + strlen(", "));
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
    snprintf(range, sizeof range, "is out of range; it is from 1 to %" PRIu32, most);
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
        return sc__field_fail(&engine, "alpha_s", "is below 0; write how many seconds");
    }
    if (!err) err = read_count(&engine, "cap", SC_COMBINATIONS_MAX, &read.max_combinations);
    if (!err) err = read_cost(&engine, &read.cost);
    if (!err) *out = read;
    return err;
}
