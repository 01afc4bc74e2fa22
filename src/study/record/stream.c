// Streams of queries, read and written: one JSON object per line (docs/records.md).
//
// A line that is read takes sizeof(sc_request_line), 192 bytes, and its user's bytes; while the
// table of lines grows, it is in memory twice for a moment.
//
// What is missing or of the wrong kind is refused, and so is what would be read otherwise than it
// was meant: a key that stands twice, a profile or a request with an unknown key (a mistyped
// "sigma_s" must not become another profile). Whether a need is sensible is decided by admission. A
// line that was written reads back equal.
#include "record/stream.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "base/line_reader.h"
#include "record/fields.h"
#include "record/record_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** Texts stay where they are, so they are kept in blocks and not in one growing piece. */
typedef struct text_block {
    struct text_block *older;
    size_t used;
    size_t size;
    char text[];
} text_block;

/** Room for the users of some ten thousand lines. */
enum { BLOCK_SIZE = 1 << 16 };

struct sc_stream {
    sc_request_line *lines;
    size_t count;
    size_t capacity;
    text_block *texts;  ///< the newest block first
};

/** Keep a text as long as `stream` lives, with a NUL behind it; NULL when memory is out. */
static const char *keep_text(sc_stream *stream, const char *text, size_t size)
{
    text_block *block = stream->texts;
    if (!block || block->size - block->used <= size) {
        const size_t room = size < BLOCK_SIZE ? BLOCK_SIZE : size + 1;
        block = sc_malloc(sizeof *block + room);
        if (!block) return NULL;
        *block = (text_block){.older = stream->texts, .size = room};
        stream->texts = block;
    }
    char *kept = block->text + block->used;
    memcpy(kept, text, size);
    kept[size] = '\0';
    block->used += size + 1;
    return kept;
}

// === One line, from JSON to a query =============================================================

/** A line, and the stream that keeps its user. */
typedef struct reader {
    sc__fields fields;
    sc__category_names names;
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
    ask->user = keep_text(r->stream, text, size);
    ask->user_size = size;
    return ask->user ? SC_OK : sc__line_fail_memory(r->fields.place);
}

static sc_err read_place(const sc__fields *fields, sc_ask *ask)
{
    const bool has_position = sc__field_exists(fields, "lon") || sc__field_exists(fields, "lat");
    const bool has_edge = sc__field_exists(fields, "edge") || sc__field_exists(fields, "offset_m");
    if (has_position && has_edge) {
        return sc__line_fail(fields->place, "the query has two positions; give either \"lon\" and "
                                            "\"lat\" or \"edge\" and \"offset_m\"");
    }
    if (!has_position && !has_edge) {
        return sc__line_fail(fields->place, "the query has no position; give either \"lon\" and "
                                            "\"lat\" or \"edge\" and \"offset_m\"");
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

static sc_err read_query(const reader *r, sc_request_line *out)
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
    if (!err) err = sc__request_read(fields, &r->names, &out->request);
    out->ask.result_size = out->request.k;  // 0 for a range: what it holds is unknown
    return err;
}

/** Read the line `text`, which is not empty, into `out`; `stream` keeps the user. */
static sc_err read_line(sc_stream *stream, const sc_map *map, const sc__place *place, sc_slice text,
                        sc_request_line *out)
{
    sc_json_tree tree = {0};
    sc_err err = sc__line_load(place, text, &tree);
    if (err) return err;
    const reader r = {.fields = {.place = place, .object = tree.root, .prefix = ""},
                      .names = {.map = map},
                      .stream = stream};
    *out = (sc_request_line){.line = place->number};
    err = read_query(&r, out);
    sc_json_tree_fini(&tree);
    return err;
}

// === All lines ==================================================================================

static bool is_blank(sc_slice line)
{
    sc_slice field;
    return !sc_slice_field(&line, &field);
}

static sc_err read_lines(sc_stream *stream, const sc_map *map, sc_line_reader *source,
                         sc_diag *diag)
{
    for (;;) {
        sc_slice text = {NULL, 0};
        sc_err err = sc_line_reader_next(source, &text, diag);
        if (err || !text.text) return err;
        if (is_blank(text)) continue;
        if (!sc_grow(&stream->lines, stream->count, &stream->capacity, sizeof *stream->lines)) {
            return sc_fail_memory(diag, "reading the queries");
        }
        const sc__place place = {.name = source->name,
                                 .number = source->line,
                                 .doing = "reading the queries",
                                 .diag = diag};
        err = read_line(stream, map, &place, text, &stream->lines[stream->count]);
        if (err) return err;
        stream->count++;
    }
}

// Closes the source in any case.
static sc_err read_source(const sc_map *map, sc_line_reader *source, sc_stream **out, sc_diag *diag)
{
    sc_stream *stream = sc_calloc(1, sizeof *stream);
    sc_err err = stream ? read_lines(stream, map, source, diag)
                        : sc_fail_memory(diag, "reading the queries");
    sc_line_reader_close(source);
    if (err) {
        sc_stream_free(stream);
        return err;
    }
    *out = stream;
    return SC_OK;
}

sc_err sc_stream_parse(const sc_map *map, const char *text, size_t size, const char *name,
                       sc_stream **out, sc_diag *diag)
{
    const sc_input input = {.name = name, .data = (const uint8_t *)text, .size = size};
    sc_line_reader source;
    sc_line_reader_of(&source, &input);
    return read_source(map, &source, out, diag);
}

sc_err sc_stream_read(const sc_map *map, const char *path, sc_stream **out, sc_diag *diag)
{
    sc_line_reader source;
    const sc_err err = sc_line_reader_open(&source, path, diag);
    return err ? err : read_source(map, &source, out, diag);
}

const sc_request_line *sc_stream_lines(const sc_stream *stream, size_t *count)
{
    *count = stream->count;
    return stream->lines;
}

void sc_stream_free(sc_stream *stream)
{
    if (!stream) return;
    for (text_block *block = stream->texts; block;) {
        text_block *older = block->older;
        sc_free(block);
        block = older;
    }
    sc_free(stream->lines);
    sc_free(stream);
}

// === Writing ====================================================================================

void sc_stream_write(FILE *out, const sc_map *map, const sc_ask *ask, const sc_request *request)
{
    sc__put(out, "{\"user\":");
    sc_json_text(out, ask->user, ask->user_size);
    sc__put(out, ",\"t\":");
    sc_time_write(out, ask->t);
    if (ask->is_on_edge) {
        sc__put(out, ",\"edge\":");
        sc__put_count(out, ask->edge);
        sc__put(out, ",\"offset_m\":");
        sc__put_exactly(out, ask->offset_m);
    } else {
        sc__put(out, ",\"lon\":");
        sc__put_exactly(out, ask->x);
        sc__put(out, ",\"lat\":");
        sc__put_exactly(out, ask->y);
    }
    sc__put(out, ",\"profile\":");
    sc__put_profile(out, &ask->profile);
    sc__put(out, ",\"request\":");
    sc_request_write(out, map, request);
    sc__put(out, "}\n");
}
