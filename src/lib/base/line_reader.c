// Lines from a file or a stream.
#include "base/line_reader.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/unpack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/** What is asked of a stream at once; also the first size of the buffer. */
enum { BLOCK_SIZE = 1 << 18 };

sc_err sc_line_reader_open(sc_line_reader *source, const char *path, sc_diag *diag)
{
    if (strcmp(path, "-") == 0) {
        *source = (sc_line_reader){.name = "standard input", .is_stream = true, .fd = STDIN_FILENO};
        return SC_OK;
    }
    sc_line_reader opened = {.name = path};
    const sc_err err = sc_file_open(path, &opened.file, diag);
    if (err) return err;
    *source = opened;
    // The lines refer to the file, so they begin where it has come to stay.
    source->total = source->file.input.size;
    source->lines = sc_lines_of(&source->file.input);
    return SC_OK;
}

void sc_line_reader_of(sc_line_reader *source, const sc_input *input)
{
    *source =
        (sc_line_reader){.name = input->name, .total = input->size, .lines = sc_lines_of(input)};
}

// Make room behind what is not yet passed: by moving it to the front, or by growing.
static bool make_room(sc_line_reader *s)
{
    if (s->begin > 0) {
        memmove(s->buffer, s->buffer + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
    }
    if (s->end < s->capacity) return true;
    if (s->capacity > SIZE_MAX / 2) return false;
    const size_t capacity = s->capacity > 0 ? 2 * s->capacity : BLOCK_SIZE;
    char *moved = sc_realloc(s->buffer, capacity);
    if (!moved) return false;
    s->buffer = moved;
    s->capacity = capacity;
    return true;
}

static sc_err read_block(sc_line_reader *s, sc_diag *diag)
{
    if (!make_room(s)) return sc_fail_memory(diag, "reading lines");
    ssize_t got = 0;
    do {
        got = read(s->fd, s->buffer + s->end, s->capacity - s->end);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return sc_fail(diag, SC_EIO, "%s: cannot read: %s", s->name, strerror(errno));
    }
    s->is_over = got == 0;
    s->end += (size_t)got;
    return SC_OK;
}

static bool begins_packed(const sc_line_reader *s)
{
    const sc_input start = {s->name, (const uint8_t *)s->buffer, s->end};
    return s->line == 0 && s->end > 0 && sc_unpack_needed(&start);
}

// From here on the stream is memory. Before its first line nothing is passed.
static sc_err unpack(sc_line_reader *s, sc_diag *diag)
{
    sc_err err = SC_OK;
    while (!s->is_over && !err) {
        err = read_block(s, diag);
    }
    const sc_input packed = {s->name, (const uint8_t *)s->buffer, s->end};
    sc_input plain = {.name = s->name};
    void *memory = NULL;
    if (!err) err = sc_unpack(&packed, &memory, &plain.size, diag);
    if (err) return err;

    sc_free(s->buffer);
    s->buffer = NULL;
    s->is_stream = false;
    plain.data = memory;
    s->file = (sc_file){.input = plain, .memory = memory};
    s->total = plain.size;
    s->lines = sc_lines_of(&s->file.input);
    return SC_OK;
}

static sc_err next_of_file(sc_line_reader *s, sc_slice *line)
{
    if (!sc_lines_next(&s->lines, line)) *line = (sc_slice){NULL, 0};
    s->line = s->lines.line;
    s->passed = (uint64_t)(s->lines.next - (const char *)s->lines.input->data);
    return SC_OK;
}

static sc_err next_of_stream(sc_line_reader *s, sc_slice *line, sc_diag *diag)
{
    size_t searched = s->begin;
    const char *stop = NULL;
    for (;;) {
        // Before the first block there is no buffer to look into.
        if (s->end > searched) stop = memchr(s->buffer + searched, '\n', s->end - searched);
        if (stop || s->is_over) break;
        searched = s->end - s->begin;  // where it will be once room is made
        sc_err err = read_block(s, diag);
        if (!err && begins_packed(s)) {
            err = unpack(s, diag);
            return err ? err : next_of_file(s, line);
        }
        if (err) return err;
    }
    if (!stop && s->begin == s->end) {
        *line = (sc_slice){NULL, 0};
        return SC_OK;
    }
    const char *start = s->buffer + s->begin;
    size_t size = stop ? (size_t)(stop - start) : s->end - s->begin;
    s->begin += size + (stop != NULL);
    s->passed += size + (stop != NULL);
    s->line++;
    // As sc_lines_of() does for a file.
    if (s->line == 1 && size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
        start += 3;
        size -= 3;
    }
    if (size > 0 && start[size - 1] == '\r') size--;
    *line = (sc_slice){start, size};
    return SC_OK;
}

sc_err sc_line_reader_next(sc_line_reader *source, sc_slice *line, sc_diag *diag)
{
    return source->is_stream ? next_of_stream(source, line, diag) : next_of_file(source, line);
}

void sc_line_reader_close(sc_line_reader *source)
{
    sc_file_close(&source->file);
    sc_free(source->buffer);
    *source = (sc_line_reader){.name = source->name};
}
