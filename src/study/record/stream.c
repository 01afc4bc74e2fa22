// Reading streams: the lines, and the users they name. See stream.h.
//
// A line takes sizeof(sc_spoken), 192 bytes, and its user's bytes; while the
// table of lines grows, it is there twice for a moment.
#include "record/stream.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/line_reader.h"
#include "record/record_internal.h"

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
    sc_spoken *lines;
    size_t count;
    size_t capacity;
    text_block *texts;  ///< the newest block first
};

const char *sc__stream_keep(sc_stream *stream, const char *text, size_t size)
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
        err = sc__stream_line_read(stream, map, &place, text, &stream->lines[stream->count]);
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

const sc_spoken *sc_stream_lines(const sc_stream *stream, size_t *count)
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
