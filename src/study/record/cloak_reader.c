// Cloaks of logs and records. See cloak_reader.h.
#include "record/cloak_reader.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_tree.h"
#include "base/line_reader.h"
#include "record/fields.h"

#include <inttypes.h>
#include <string.h>

struct sc_cloak_reader {
    const sc_map *map;
    sc_line_reader source;
    sc_json_tree document;  ///< of the line at hand
    bool is_log;            ///< it has a `start`
    bool has_queries;       ///< and so is a whole record, which must have an end
    bool has_ended;
    bool is_cut;   ///< the line before was cut off, if what follows does not say otherwise
    sc_diag torn;  ///< what is wrong with it
    uint64_t cut_lines;
    uint32_t traffic;
    sc_seg_id *segments;
    size_t segment_count;
    size_t segment_capacity;
};

// --- Which map --------------------------------------------------------------------

static sc_err fail_map(const sc__place *place)
{
    return sc_fail(place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": a cloak names a segment that the map does not have; check that "
                   "this is the map of the cloaks ('starcloak map info' shows checksums)",
                   place->name, place->number);
}

// --- Cloaks -----------------------------------------------------------------------

static sc_err read_segments(sc_cloak_reader *reader, const sc__fields *fields)
{
    const sc_json_value *list = NULL;
    const sc_err err = sc__field_list(fields, "segments", &list);
    if (err) return err;
    const size_t count = sc_json_size(list);
    if (count == 0) {
        return sc__field_fail(fields, "segments", "is empty; a cloak has at least one");
    }
    if (!sc_reserve(&reader->segments, count, &reader->segment_capacity,
                    sizeof *reader->segments)) {
        return sc__line_fail_memory(fields->place);
    }
    int64_t before = -1;
    for (size_t i = 0; i < count; i++) {
        const sc_json_value *value = sc_json_at(list, i);
        const int64_t id = sc_json_integer(value);
        if (!sc_json_is_integer(value) || id < 0) {
            return sc__field_fail(fields, "segments",
                                  "contains something other than whole numbers of 0 or more");
        }
        if (id <= before) return sc__field_fail(fields, "segments", "does not ascend");
        if (id >= sc_map_segment_count(reader->map)) return fail_map(fields->place);
        reader->segments[i] = (sc_seg_id)id;
        before = id;
    }
    reader->segment_count = count;
    return SC_OK;
}

static sc_err read_cloak(sc_cloak_reader *reader, const sc__fields *fields, sc_seen_cloak *out)
{
    sc_err err = read_segments(reader, fields);
    if (err) return err;
    uint32_t users = 0;
    const char *key = "users";
    if (sc__field_exists(fields, key)) {
        err = sc__field_count(fields, key, &users);
    } else {
        const sc_json_value *members = NULL;
        key = "members";
        err = sc__field_list(fields, key, &members);
        users = (uint32_t)sc_json_size(members);
    }
    if (err) return err;
    if (users == 0) return sc__field_fail(fields, key, "has none; a cloak hides at least one");
    *out = (sc_seen_cloak){
        .segments = reader->segments, .segment_count = reader->segment_count, .user_count = users};
    return SC_OK;
}

// --- Other lines ------------------------------------------------------------------

static sc_err read_traffic(sc_cloak_reader *reader, const sc__fields *fields)
{
    uint32_t traffic = 0;
    if (!sc__field_exists(fields, "traffic")) return SC_OK;
    const sc_err err = sc__field_count(fields, "traffic", &traffic);
    if (!err && traffic > reader->traffic) reader->traffic = traffic;
    return err;
}

/** What is in a record and says nothing of cloaks. */
static bool is_passed_over(sc_slice event)
{
    static const char *const events[] = {"query", "drop",  "failed", "answer", "class",
                                         "zone",  "tiles", "area",   "areas"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (sc_slice_is(event, events[i])) return true;
    }
    return false;
}

static sc_err read_event(sc_cloak_reader *reader, const sc__fields *fields, sc_seen_cloak *out)
{
    if (!sc__field_exists(fields, "event") && sc__field_exists(fields, "profile")) {
        return sc__line_fail(
            fields->place, "this is a query of a stream, not an event of a run record; 'starcloak "
                           "cloak --record' makes a record of a stream");
    }
    sc_slice event;
    sc_err err = sc__field_text(fields, "event", &event);
    if (err) return err;
    if (sc_slice_is(event, "cloak")) return read_cloak(reader, fields, out);
    if (sc_slice_is(event, "demands")) return read_traffic(reader, fields);
    if (sc_slice_is(event, "start") || sc_slice_is(event, "end")) {
        reader->is_log = reader->is_log || sc_slice_is(event, "start");
        reader->has_ended = sc_slice_is(event, "end");
        err = sc__record_check_map(fields, reader->map);
        return err ? err : read_traffic(reader, fields);
    }
    reader->has_queries = reader->has_queries || sc_slice_is(event, "query");
    if (is_passed_over(event)) return SC_OK;
    return sc__field_fail(fields, "event",
                          "is not one of start, query, cloak, drop, failed, answer, end, demands, "
                          "class, zone");
}

/** Whether a service has started at the line at hand, which was read without an error. */
static bool is_start(const sc__fields *fields)
{
    const sc_json_value *event = sc_json_member(fields->object, "event");
    const char *text = sc_json_text_at(event);
    return text && strcmp(text, "start") == 0;
}

static sc_err read_line(sc_cloak_reader *reader, sc_slice text, sc_seen_cloak *out, sc_diag *diag)
{
    const sc__place place = {.name = reader->source.name,
                             .number = reader->source.line,
                             .doing = "reading cloaks",
                             .passes_unknown = true,
                             .diag = diag};
    if (reader->has_ended) return sc__line_fail(&place, "is after the end event of the record");
    sc_json_tree_fini(&reader->document);
    sc_diag torn = {.message = ""};
    sc__place loading = place;
    loading.diag = &torn;
    const sc_err err = sc__line_load(&loading, text, &reader->document);
    const sc__fields fields = {.place = &place, .object = reader->document.root, .prefix = ""};
    if (err && err != SC_EPARSE) return sc_fail(diag, err, "%s", torn.message);
    if (reader->is_cut) {
        if (err || !is_start(&fields)) {
            return sc_fail(diag, SC_EPARSE, "%s", reader->torn.message);
        }
        reader->is_cut = false;
        reader->cut_lines++;
    }
    if (!err) return read_event(reader, &fields, out);
    if (!reader->is_log) return sc_fail(diag, err, "%s", torn.message);
    reader->is_cut = true;
    reader->torn = torn;
    return SC_OK;
}

// --- The reader -------------------------------------------------------------------

static sc_err make_reader(const sc_map *map, sc_cloak_reader **out, sc_diag *diag)
{
    sc_cloak_reader *reader = sc_calloc(1, sizeof *reader);
    if (!reader) return sc_fail_memory(diag, "opening cloaks");
    reader->map = map;
    *out = reader;
    return SC_OK;
}

sc_err sc_cloak_reader_open(const sc_map *map, const char *path, sc_cloak_reader **out,
                            sc_diag *diag)
{
    sc_cloak_reader *reader = NULL;
    sc_err err = make_reader(map, &reader, diag);
    if (err) return err;
    err = sc_line_reader_open(&reader->source, path, diag);
    if (err) {
        sc_free(reader);
        return err;
    }
    *out = reader;
    return SC_OK;
}

sc_err sc_cloak_reader_of(const sc_map *map, const sc_input *input, sc_cloak_reader **out,
                          sc_diag *diag)
{
    const sc_err err = make_reader(map, out, diag);
    if (!err) sc_line_reader_of(&(*out)->source, input);
    return err;
}

void sc_cloak_reader_free(sc_cloak_reader *reader)
{
    if (!reader) return;
    sc_line_reader_close(&reader->source);
    sc_json_tree_fini(&reader->document);
    sc_free(reader->segments);
    sc_free(reader);
}

sc_err sc_cloak_reader_next(sc_cloak_reader *reader, sc_seen_cloak *cloak, sc_diag *diag)
{
    *cloak = (sc_seen_cloak){0};
    for (;;) {
        sc_slice text = {NULL, 0};
        sc_err err = sc_line_reader_next(&reader->source, &text, diag);
        if (err) return err;
        if (!text.text) break;
        if (text.size > 0) err = read_line(reader, text, cloak, diag);
        if (err || cloak->segments) return err;
    }
    reader->cut_lines += reader->is_cut;
    reader->is_cut = false;
    const bool is_empty = reader->source.line == 0;
    if (reader->has_ended || (!reader->has_queries && !is_empty)) return SC_OK;
    return sc_fail(diag, SC_EPARSE, "%s: %s", reader->source.name,
                   is_empty ? "the file is empty"
                            : "the record has no end event: the file is cut short");
}

uint32_t sc_cloak_reader_traffic(const sc_cloak_reader *reader)
{
    return reader->traffic;
}

uint64_t sc_cloak_reader_cut_lines(const sc_cloak_reader *reader)
{
    return reader->cut_lines;
}

uint64_t sc_cloak_reader_lines(const sc_cloak_reader *reader)
{
    return reader->source.line;
}

const char *sc_cloak_reader_name(const sc_cloak_reader *reader)
{
    return reader->source.name;
}

uint64_t sc_cloak_reader_passed(const sc_cloak_reader *reader, uint64_t *total)
{
    *total = reader->source.total;
    return reader->source.passed;
}
