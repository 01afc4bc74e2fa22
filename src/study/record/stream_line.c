// One line of a stream, from JSON to a query. See stream.h; docs/records.md has the format.
//
// What is missing or of the wrong kind is refused, and so is what would be read
// otherwise than it was meant: a key that stands twice, a profile or a request
// with a key that is not known (a mistyped "sigma_s" must not become another
// wish for privacy). Whether a need is sensible is for admission to say.
#include "record/record_internal.h"

#include "record/request_read.h"

#include <inttypes.h>
#include <stdio.h>

/** A line, and the stream that keeps its user. */
typedef struct reader {
    sc__fields fields;
    sc__words words;
    sc_stream *stream;
} reader;

// A number that admission will look at. One that does not fit becomes `misfit`, which
// admission refuses: a need or an edge out of range is this query's fault, not the stream's.
static sc_err read_need(const sc__fields *fields, const char *key, uint32_t misfit, uint32_t *out)
{
    int64_t number = 0;
    const sc_err err = sc__field_whole(fields, key, &number);
    if (!err) *out = number < 0 || number > UINT32_MAX ? misfit : (uint32_t)number;
    return err;
}

static sc_err read_user(const reader *r, sc_ask *ask)
{
    const sc_json_value *value = sc_json_member(r->fields.object, "user");
    char digits[24];
    const char *text = sc_json_text_at(value);
    size_t size = sc_json_text_size(value);
    if (!value) return sc__field_fail(&r->fields, "user", "is missing; add it");
    if (sc_json_is_integer(value)) {
        size = (size_t)snprintf(digits, sizeof digits, "%" PRId64, sc_json_integer(value));
        text = digits;
    }
    if (!text) return sc__field_fail(&r->fields, "user", "is neither a text nor a whole number");
    ask->user = sc__stream_keep(r->stream, text, size);
    ask->user_size = size;
    return ask->user ? SC_OK : sc__line_fail_memory(r->fields.place);
}

static sc_err read_place(const sc__fields *fields, sc_ask *ask)
{
    const bool has_position = sc__field_exists(fields, "lon") || sc__field_exists(fields, "lat");
    const bool has_edge = sc__field_exists(fields, "edge") || sc__field_exists(fields, "offset_m");
    if (has_position && has_edge) {
        return sc__line_fail(fields->place, "there are two places; give either \"lon\" and \"lat\" "
                                            "or \"edge\" and \"offset_m\"");
    }
    if (!has_position && !has_edge) {
        return sc__line_fail(fields->place, "there is no place; give either \"lon\" and \"lat\" or "
                                            "\"edge\" and \"offset_m\"");
    }
    ask->is_on_edge = has_edge;
    if (has_edge) {
        const sc_err err = read_need(fields, "edge", SC_NONE, &ask->edge);
        return err ? err : sc__field_number(fields, "offset_m", &ask->offset_m);
    }
    const sc_err err = sc__field_number(fields, "lon", &ask->x);
    return err ? err : sc__field_number(fields, "lat", &ask->y);
}

static sc_err read_profile(const sc__fields *fields, sc_profile *out)
{
    static const char *const known[] = {"k", "l", "sigma_s", "sigma_t", NULL};
    sc__fields inner = {.prefix = "profile."};
    sc_err err = sc__field_object(fields, "profile", &inner);
    if (!err) err = sc__fields_refuse_others(&inner, known);
    if (!err) err = read_need(&inner, "k", 0, &out->k);
    if (!err) err = read_need(&inner, "l", 0, &out->l);
    if (!err) err = read_need(&inner, "sigma_s", UINT32_MAX, &out->max_hops);
    if (!err) err = sc__field_time(&inner, "sigma_t", &out->max_wait_us);
    return err;
}

static sc_err read_query(const reader *r, sc_spoken *out)
{
    const sc__fields *fields = &r->fields;
    // The queries of a record have all that a stream needs; its other events name no user.
    if (sc__field_exists(fields, "event") && !sc__field_exists(fields, "user")) {
        return sc__line_fail(fields->place, "this is an event of a run record, not a query; "
                                            "'starcloak verify' reads records");
    }
    sc_err err = read_user(r, &out->ask);
    if (!err) err = sc__field_time(fields, "t", &out->ask.t);
    if (!err) err = read_place(fields, &out->ask);
    if (!err) err = read_profile(fields, &out->ask.profile);
    if (!err) err = sc__request_read(fields, &r->words, &out->request);
    out->ask.result_size = out->request.k;  // 0 for a range: nobody knows what it holds
    return err;
}

sc_err sc__stream_line_read(sc_stream *stream, const sc_map *map, const sc__place *place,
                            sc_slice text, sc_spoken *out)
{
    sc_json_tree tree = {0};
    sc_err err = sc__line_load(place, text, &tree);
    if (err) return err;
    const reader r = {.fields = {.place = place, .object = tree.root, .prefix = ""},
                      .words = {.map = map},
                      .stream = stream};
    *out = (sc_spoken){.line = place->number};
    err = read_query(&r, out);
    sc_json_tree_fini(&tree);
    return err;
}
