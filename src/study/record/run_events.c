// What each event of a run record says to a reader; queries are in run_query.c. See run_internal.h.
#include "record/run_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "record/engine_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** JSON's numbers are exact up to here. */
#define MAX_CLOAK ((int64_t)1 << 53)

// --- Cloaks --------------------------------------------------------------------

static sc_err read_ids(const sc__fields *fields, const char *key, uint32_t count, sc__id_list *out)
{
    const sc_json_value *list = NULL;
    sc_err err = sc__field_list(fields, key, &list);
    out->count = 0;
    for (size_t i = 0; !err && i < sc_json_size(list); i++) {
        const sc_json_value *value = sc_json_at(list, i);
        const int64_t id = sc_json_integer(value);
        if (!sc_json_is_integer(value) || id < 0) {
            return sc__field_fail(fields, key,
                                  "has something else in it than whole numbers from 0 on");
        }
        if (id >= count) {
            return sc__run_fail_map(fields->place, "a cloak names a segment or a node that the map "
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

static sc_err read_member(sc_run_reader *reader, const sc__fields *fields,
                          const sc_json_value *value, sc_run_member *out)
{
    const sc__fields member = {.place = fields->place, .object = value, .prefix = "members."};
    if (!sc_json_is_object(value)) {
        return sc__field_fail(fields, "members", "has something else in it than objects");
    }
    sc_slice id;
    const sc_err err = sc__field_text(&member, "query", &id);
    if (err) return err;
    const uint32_t number = sc__run_find(reader, id);
    if (number == SC_NONE || reader->places[number] >= SC__QUERY_LOST) {
        return sc__field_fail(&member, "query",
                              "names a query that was not asked, or that had ended before");
    }
    const sc__open_query *query = sc_item_pool_at(&reader->open, reader->places[number]);
    *out = (sc_run_member){.query = id,
                           .edge = query->edge,
                           .offset_m = query->offset_m,
                           .request = query->request,
                           .segment = sc_map_edges(reader->map)[query->edge].segment,
                           .result_size = query->request.k,
                           .asked = query->asked,
                           .profile = query->profile,
                           .user = query->user};
    sc__run_end(reader, number, SC__QUERY_CLOAKED);
    if (!bsearch(&out->segment, reader->segments.ids, reader->segments.count, sizeof out->segment,
                 compare_ids)) {
        return sc__field_fail(&member, "query",
                              "names a query that is on none of the cloak's segments; 'starcloak "
                              "verify' tells more");
    }
    return SC_OK;
}

static sc_err read_members(sc_run_reader *reader, const sc__fields *fields, sc_run_cloak *out)
{
    const sc_json_value *list = NULL;
    sc_err err = sc__field_list(fields, "members", &list);
    size_t count = 0;
    for (; !err && count < sc_json_size(list); count++) {
        if (!sc_grow(&reader->members, count, &reader->member_capacity, sizeof *reader->members)) {
            return sc__line_fail_memory(fields->place);
        }
        err = read_member(reader, fields, sc_json_at(list, count), &reader->members[count]);
    }
    if (!err && count == 0) return sc__field_fail(fields, "members", "is empty; a cloak has some");
    out->members = reader->members;
    out->member_count = count;
    return err;
}

static sc_err read_cloak(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_run_cloak *cloak = &out->cloak;
    int64_t number = 0;
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
    const uint32_t number = sc__run_find(reader, id);
    if (number == SC_NONE) return SC_OK;
    if (reader->places[number] == SC__QUERY_CLOAKED) {
        out->kind = SC_RUN_ANSWER;
    } else {
        sc__run_end(reader, number, SC__QUERY_LOST);
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
static sc_err check_map(const sc_run_reader *reader, const sc__fields *fields)
{
    enum { DIGITS = 16 };
    const sc_json_value *map = sc_json_member(fields->object, "map");
    const char *text = sc_json_text_at(map);
    if (!text || sc_json_text_size(map) != DIGITS || strspn(text, "0123456789abcdef") != DIGITS) {
        return SC_OK;
    }
    const uint64_t checksum = strtoull(text, NULL, 16);
    if (checksum == sc_map_checksum(reader->map)) return SC_OK;
    return sc_fail(fields->place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": this was a run on the map with the checksum %016" PRIx64
                   ", not on this one; take that one ('starcloak map info' shows checksums)",
                   fields->place->name, fields->place->number, checksum);
}

static sc_err read_end(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    reader->has_ended = true;
    const sc_err err = check_map(reader, fields);
    if (err || !reader->wants_askers || !sc__field_exists(fields, "engine")) return err;
    out->has_engine = true;
    return sc__engine_read(fields, &out->engine);
}

// --- All of them -----------------------------------------------------------------

static const struct {
    const char *name;
    sc_run_kind kind;
    sc_err (*read)(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out);
} events[] = {
    {"query", SC_RUN_QUERY, sc__run_query}, {"cloak", SC_RUN_CLOAK, read_cloak},
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
