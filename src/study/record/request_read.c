// Requests from JSON. See request_read.h; docs/records.md has the format.
//
// Whether a provider is willing to answer - a k or a radius within its limits - is for
// sc_request_check() to say.
#include "record/request_read.h"

#include "base/diag.h"

#include <inttypes.h>
#include <string.h>

static sc_err fail_category(const sc__fields *request, const sc__words *words, const char *name)
{
    const sc__place *place = request->place;
    const char *source = sc_map_source(words->map);
    return sc_fail(place->diag, SC_EPARSE,
                   "%s:%" PRIu64 ": %s is no category of the map made from %s; 'starcloak map "
                   "info' lists them",
                   place->name, place->number, sc_quote(name, strlen(name)).text,
                   sc_quote(source, strlen(source)).text);
}

static sc_err add_category(const sc__fields *request, const sc__words *words,
                           const sc_json_value *value, sc_request *out)
{
    const char *name = sc_json_text_at(value);
    if (!name) {
        return sc__field_fail(request, "category",
                              "is neither a name, nor a list of names, nor null");
    }
    const sc_category_id category = words->vocabulary ? sc_vocabulary_find(words->vocabulary, name)
                                                      : sc_map_category_find(words->map, name);
    // A table's words come and go: a request for one that is gone is refused when it is its turn.
    if (category == SC_NONE && !words->vocabulary) return fail_category(request, words, name);
    out->categories[out->category_count++] = category;
    return SC_OK;
}

static sc_err read_categories(const sc__fields *request, const sc__words *words, sc_request *out)
{
    const sc_json_value *value = sc_json_member(request->object, "category");
    out->category_count = 0;
    if (!value || sc_json_is_null(value)) return SC_OK;
    if (!sc_json_is_array(value)) return add_category(request, words, value, out);

    const size_t count = sc_json_size(value);
    if (count == 0) return sc__field_fail(request, "category", "names none; write null for all");
    if (count > SC_REQUEST_CATEGORIES) {
        return sc__field_fail(request, "category", "names more than 16; write null for all");
    }
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = add_category(request, words, sc_json_at(value, i), out);
    }
    return err;
}

static sc_err read_knn(const sc__fields *request, sc_request *out)
{
    static const char *const known[] = {"type", "k", "category", NULL};
    out->type = SC_REQUEST_KNN;
    sc_err err = sc__fields_refuse_others(request, known);
    if (!err) err = sc__field_count(request, "k", &out->k);
    if (!err && out->k == 0) {
        return sc__field_fail(request, "k", "is 0; ask for one object at least");
    }
    return err;
}

static sc_err read_range(const sc__fields *request, sc_request *out)
{
    static const char *const known[] = {"type", "radius_m", "category", NULL};
    out->type = SC_REQUEST_RANGE;
    sc_err err = sc__fields_refuse_others(request, known);
    if (!err) err = sc__field_number(request, "radius_m", &out->radius_m);
    // Written so that NaN is refused.
    if (!err && !(out->radius_m >= 0.0)) {
        return sc__field_fail(request, "radius_m", "is below 0; write how many metres");
    }
    return err;
}

sc_err sc__request_read(const sc__fields *line, const sc__words *words, sc_request *out)
{
    sc_request read = {.type = SC_REQUEST_KNN, .k = 1};
    if (sc__field_exists(line, "request")) {
        sc__fields request = {.prefix = "request."};
        sc_err err = sc__field_object(line, "request", &request);
        if (err) return err;
        read.k = 0;
        const char *type = sc_json_text_at(sc_json_member(request.object, "type"));
        if (type && strcmp(type, "knn") == 0) {
            err = read_knn(&request, &read);
        } else if (type && strcmp(type, "range") == 0) {
            err = read_range(&request, &read);
        } else {
            err = sc__field_fail(&request, "type",
                                 "is not one that is known; write \"knn\" or \"range\"");
        }
        if (!err) err = read_categories(&request, words, &read);
        if (err) return err;
    }
    *out = sc_request_normalise(&read);
    return SC_OK;
}
