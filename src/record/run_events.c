// What each event of a run record says to a reader. See run_internal.h.
#include "record/run_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "record/request_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** How far beyond an edge an offset may be: records round, and lengths have a millimetre. */
#define OFFSET_TOLERANCE_M 1e-3

/** JSON's numbers are exact up to here. */
#define MAX_CLOAK ((json_int_t)1 << 53)

// --- Queries -------------------------------------------------------------------

static sc_err fail_other_map(const sc__place *place, const char *what)
{
    return sc_fail(place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": %s; is this the map of the run? ('starcloak map info' shows "
                   "checksums, and a record ends with that of its map)",
                   place->name, place->number, what);
}

/** The key of an id. Different ids have different ones, for all that chance can do. */
static sc_key key_of(sc_slice id)
{
    const XXH128_hash_t hash = XXH3_128bits(id.text, id.size);
    return (sc_key){hash.high64, hash.low64};
}

/** The number of a query, or SC_NONE if it was not asked. */
static uint32_t find_query(const sc_run_reader *reader, sc_slice id)
{
    return sc_hash_get(&reader->numbers, key_of(id), SC_NONE);
}

/** A query that is no longer open. */
static void end_query(sc_run_reader *reader, uint32_t number, uint32_t place)
{
    if (reader->places[number] < SC__QUERY_LOST)
        sc_pool_give(&reader->open, reader->places[number]);
    reader->places[number] = place;
}

// The edge, the segment that it is said to be on, and the offset must agree with the map.
static sc_err read_position(const sc_run_reader *reader, const sc__fields *fields,
                            sc__open_query *out)
{
    uint32_t segment = 0;
    sc_err err = sc__field_count(fields, "edge", &out->edge);
    if (!err) err = sc__field_count(fields, "segment", &segment);
    if (!err) err = sc__field_number(fields, "offset_m", &out->offset_m);
    if (err) return err;
    if (out->edge >= sc_map_edge_count(reader->map)) {
        return fail_other_map(fields->place, "a query is on an edge that the map does not have");
    }
    if (segment != sc_map_edges(reader->map)[out->edge].segment) {
        return fail_other_map(fields->place, "a query is not on the segment it names");
    }
    const double length_m = sc_map_edge_length_m(reader->map, out->edge);
    if (out->offset_m < -OFFSET_TOLERANCE_M || out->offset_m > length_m + OFFSET_TOLERANCE_M) {
        return fail_other_map(fields->place, "a query lies beyond its edge");
    }
    out->offset_m = fmin(fmax(out->offset_m, 0.0), length_m);
    return SC_OK;
}

static sc_err keep_query(sc_run_reader *reader, const sc__place *place, sc_slice id,
                         const sc__open_query *query)
{
    const uint32_t number = (uint32_t)reader->query_count;
    uint32_t holds = SC_NONE;
    if (reader->query_count >= SC_NONE) {
        return sc_fail(place->diag, SC_ELIMIT, "%s:%" PRIu64 ": more queries than can be counted",
                       place->name, place->number);
    }
    if (!sc_grow(&reader->places, reader->query_count, &reader->place_capacity,
                 sizeof *reader->places) ||
        sc_pool_reserve(&reader->open) ||
        sc_hash_put(&reader->numbers, key_of(id), number, &holds)) {
        return sc__line_fail_memory(place);
    }
    if (holds != number) return sc__line_fail(place, "a query is asked a second time");
    const uint32_t where = sc_pool_take(&reader->open);
    *(sc__open_query *)sc_pool_at(&reader->open, where) = *query;
    reader->places[reader->query_count++] = where;
    return SC_OK;
}

static sc_err read_query(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    (void)out;
    sc_slice id;
    sc__open_query query;
    const sc__words words = {.map = reader->map, .vocabulary = reader->vocabulary};
    sc_err err = sc__field_text(fields, "query", &id);
    if (!err) err = read_position(reader, fields, &query);
    if (!err) err = sc__request_read(fields, &words, &query.request);
    return err ? err : keep_query(reader, fields->place, id, &query);
}

// --- Cloaks --------------------------------------------------------------------

static sc_err read_ids(const sc__fields *fields, const char *key, uint32_t count, sc__id_list *out)
{
    const json_t *list = NULL;
    sc_err err = sc__field_list(fields, key, &list);
    out->count = 0;
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        const json_int_t id = json_integer_value(value);
        if (!json_is_integer(value) || id < 0) {
            return sc__field_fail(fields, key,
                                  "has something else in it than whole numbers from 0 on");
        }
        if (id >= count) {
            return fail_other_map(fields->place, "a cloak names a segment or a node that the map "
                                                 "does not have");
        }
        if (i > 0 && id <= out->ids[i - 1]) return sc__field_fail(fields, key, "does not ascend");
        if (!sc_grow(&out->ids, out->count, &out->capacity, sizeof *out->ids)) {
            return sc__line_fail_memory(fields->place);
        }
        out->ids[out->count++] = (uint32_t)id;
    }
    return err;
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static sc_err read_member(sc_run_reader *reader, const sc__fields *fields, const json_t *value,
                          sc_run_member *out)
{
    const sc__fields member = {.place = fields->place, .object = value, .prefix = "members."};
    if (!json_is_object(value)) {
        return sc__field_fail(fields, "members", "has something else in it than objects");
    }
    sc_slice id;
    const sc_err err = sc__field_text(&member, "query", &id);
    if (err) return err;
    const uint32_t number = find_query(reader, id);
    if (number == SC_NONE || reader->places[number] >= SC__QUERY_LOST) {
        return sc__field_fail(&member, "query",
                              "names a query that was not asked, or that had ended before");
    }
    const sc__open_query *query = sc_pool_at(&reader->open, reader->places[number]);
    *out = (sc_run_member){
        .query = id, .edge = query->edge, .offset_m = query->offset_m, .request = query->request};
    end_query(reader, number, SC__QUERY_CLOAKED);
    const sc_seg_id segment = sc_map_edges(reader->map)[out->edge].segment;
    if (!bsearch(&segment, reader->segments.ids, reader->segments.count, sizeof segment,
                 compare_ids)) {
        return sc__field_fail(&member, "query",
                              "names a query that is on none of the cloak's segments; 'starcloak "
                              "verify' tells more");
    }
    return SC_OK;
}

static sc_err read_members(sc_run_reader *reader, const sc__fields *fields, sc_run_cloak *out)
{
    const json_t *list = NULL;
    sc_err err = sc__field_list(fields, "members", &list);
    size_t count = 0;
    for (; !err && count < json_array_size(list); count++) {
        if (!sc_grow(&reader->members, count, &reader->member_capacity, sizeof *reader->members)) {
            return sc__line_fail_memory(fields->place);
        }
        err = read_member(reader, fields, json_array_get(list, count), &reader->members[count]);
    }
    if (!err && count == 0) return sc__field_fail(fields, "members", "is empty; a cloak has some");
    out->members = reader->members;
    out->member_count = count;
    return err;
}

static sc_err read_cloak(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_run_cloak *cloak = &out->cloak;
    json_int_t number = 0;
    sc_err err = sc__field_whole(fields, "cloak", &number);
    if (err) return err;
    if (number < 0 || number > MAX_CLOAK) return sc__field_fail(fields, "cloak", "is out of range");
    cloak->number = (uint64_t)number;
    err = sc__field_time(fields, "t", &cloak->t);
    if (!err) {
        err = read_ids(fields, "segments", sc_map_segment_count(reader->map), &reader->segments);
    }
    if (!err) {
        err =
            read_ids(fields, "border_nodes", sc_map_node_count(reader->map), &reader->border_nodes);
    }
    if (err) return err;
    if (reader->segments.count == 0) {
        return sc__field_fail(fields, "segments", "is empty; a cloak has some");
    }
    cloak->segments = reader->segments.ids;
    cloak->segment_count = reader->segments.count;
    cloak->border_nodes = reader->border_nodes.ids;
    cloak->border_node_count = reader->border_nodes.count;
    return read_members(reader, fields, cloak);
}

// --- Ends ------------------------------------------------------------------------

// A failure behind a cloak stands in the place of an answer; all others are passed on.
static sc_err read_loss(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_slice id;
    const sc_err err = sc__field_text(fields, "query", &id);
    if (err) return err;
    const uint32_t number = find_query(reader, id);
    if (number == SC_NONE) return SC_OK;
    if (reader->places[number] == SC__QUERY_CLOAKED) {
        out->kind = SC_RUN_ANSWER;
    } else {
        end_query(reader, number, SC__QUERY_LOST);
    }
    return SC_OK;
}

static sc_err read_answer(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    (void)reader;
    (void)fields;
    (void)out;
    return SC_OK;
}

// Others may have a "map" of their own at the end: only what looks like a checksum is one.
static sc_err read_end(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    enum { DIGITS = 16 };
    (void)out;
    reader->has_ended = true;
    const json_t *map = json_object_get(fields->object, "map");
    const char *text = json_string_value(map);
    if (!text || json_string_length(map) != DIGITS || strspn(text, "0123456789abcdef") != DIGITS) {
        return SC_OK;
    }
    const uint64_t checksum = strtoull(text, NULL, 16);
    if (checksum == sc_map_checksum(reader->map)) return SC_OK;
    return sc_fail(fields->place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": this was a run on the map with the checksum %016" PRIx64
                   ", not on this one; take that one ('starcloak map info' shows checksums)",
                   fields->place->name, fields->place->number, checksum);
}

// --- All of them -----------------------------------------------------------------

static const struct {
    const char *name;
    sc_run_kind kind;
    sc_err (*read)(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out);
} events[] = {
    {"query", SC_RUN_OTHER, read_query},    {"cloak", SC_RUN_CLOAK, read_cloak},
    {"drop", SC_RUN_OTHER, read_loss},      {"failed", SC_RUN_OTHER, read_loss},
    {"answer", SC_RUN_ANSWER, read_answer}, {"end", SC_RUN_END, read_end},
};

sc_err sc__run_event(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    if (!sc__field_exists(fields, "event") && sc__field_exists(fields, "profile")) {
        return sc__line_fail(
            fields->place, "this is a query of a stream, not an event of a run record; 'starcloak "
                           "cloak --record' makes a record of a stream");
    }
    sc_slice name;
    const sc_err err = sc__field_text(fields, "event", &name);
    if (err) return err;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (!sc_slice_is(name, events[i].name)) continue;
        out->kind = events[i].kind;
        return events[i].read(reader, fields, out);
    }
    return sc__field_fail(fields, "event", "is none of query, cloak, drop, failed, answer, end");
}
