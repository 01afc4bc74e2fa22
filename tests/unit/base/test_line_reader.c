// Lines from a file and from a pipe, packed or not, are the same lines.
#include "base/line_reader.h"

#include "support/check.h"
#include "support/place.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

enum { LONG_LINE = 1000000 };

/** A byte order mark; lines of all sizes, some longer than any block; the last has no end. */
static char *make_text(size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) abort();
    fputs("\xef\xbb\xbf", out);
    for (size_t i = 0; i < 2000; i++) {
        fprintf(out, "%zu%*s%s", i, (int)(i * 7 % 400), "x", i % 3 == 0 ? "\r\n" : "\n");
    }
    fprintf(out, "%0*d\n\n%0*d\nlast", LONG_LINE, 1, LONG_LINE / 3, 2);
    if (fclose(out) != 0) abort();
    return text;
}

/** A writer at the other end of a pipe. */
typedef struct writer {
    pthread_t thread;
    int fd;
    const char *text;
    size_t size;
} writer;

static void *write_all(void *context)
{
    const writer *w = context;
    size_t done = 0;
    while (done < w->size) {
        // In odd pieces, so that lines come in parts.
        const size_t piece = w->size - done < 4099 ? w->size - done : 4099;
        const ssize_t got = write(w->fd, w->text + done, piece);
        if (got <= 0) break;
        done += (size_t)got;
    }
    close(w->fd);
    return NULL;
}

static sc_line_reader open_pipe(writer *w, const char *text, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *w = (writer){.fd = ends[1], .text = text, .size = size};
    assert_int_equal(pthread_create(&w->thread, NULL, write_all, w), 0);
    return (sc_line_reader){.name = "standard input", .is_stream = true, .fd = ends[0]};
}

static void close_pipe(writer *w, sc_line_reader *source)
{
    close(source->fd);
    pthread_join(w->thread, NULL);
    sc_line_reader_close(source);
}

/** That `stream` gives the lines of the file at `path`, which has `size` bytes. */
static void check_lines_of(sc_line_reader *stream, const char *path, size_t size)
{
    sc_diag diag = {""};
    sc_line_reader file;
    CHECK_OK(sc_line_reader_open(&file, path, &diag), &diag);
    for (;;) {
        sc_slice a;
        sc_slice b;
        CHECK_OK(sc_line_reader_next(&file, &a, &diag), &diag);
        CHECK_OK(sc_line_reader_next(stream, &b, &diag), &diag);
        assert_int_equal(file.line, stream->line);
        assert_int_equal(file.passed, stream->passed);
        assert_true((a.text == NULL) == (b.text == NULL));
        if (!a.text) break;
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.text, b.text, a.size);
    }
    assert_int_equal(file.line, 2004);
    assert_int_equal(file.passed, size);
    assert_int_equal(file.total, size);
    sc_line_reader_close(&file);
    sc_line_reader_close(&file);
}

static void test_a_pipe_gives_the_lines_of_a_file(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = make_text(&size);
    place p = place_new();
    const char *path = place_write(&p, "lines", text, size);
    writer w;
    sc_line_reader stream = open_pipe(&w, text, size);
    check_lines_of(&stream, path, size);
    assert_int_equal(stream.total, 0);
    close_pipe(&w, &stream);
    place_free(&p);
    free(text);
}

/** `text` as a gzip file; the caller frees it. */
static char *pack(const char *text, size_t size, size_t *packed_size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    const size_t room = deflateBound(&stream, size);
    char *packed = test_take(room, 1);
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *packed_size = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

static void test_a_packed_pipe_gives_the_lines_of_what_was_packed(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = make_text(&size);
    place p = place_new();
    const char *path = place_write(&p, "lines", text, size);
    size_t packed_size = 0;
    char *packed = pack(text, size, &packed_size);
    writer w;
    sc_line_reader stream = open_pipe(&w, packed, packed_size);
    check_lines_of(&stream, path, size);
    assert_int_equal(stream.total, size);
    close_pipe(&w, &stream);
    place_free(&p);
    free(packed);
    free(text);
}

static void test_nothing_at_all_has_no_line(void **state)
{
    (void)state;
    writer w;
    sc_line_reader stream = open_pipe(&w, "", 0);
    sc_slice line;
    CHECK_OK(sc_line_reader_next(&stream, &line, NULL), NULL);
    assert_null(line.text);
    assert_int_equal(stream.line, 0);
    close_pipe(&w, &stream);
}

static void test_a_packed_pipe_that_is_cut_is_told(void **state)
{
    (void)state;
    static const char packed[] = "\xfd"
                                 "7zXZ\0 and so on";
    writer w;
    sc_line_reader stream = open_pipe(&w, packed, sizeof packed);
    sc_slice line;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_line_reader_next(&stream, &line, &diag), SC_EPARSE, &diag,
                  "standard input: byte 12: the xz data are damaged or cut short");
    close_pipe(&w, &stream);
}

static void test_a_stream_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    sc_line_reader stream = {.name = "standard input", .is_stream = true, .fd = -1};
    sc_slice line;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_line_reader_next(&stream, &line, &diag), SC_EIO, &diag,
                  "standard input: cannot read: Bad file descriptor");
    sc_line_reader_close(&stream);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_pipe_gives_the_lines_of_a_file),
    cmocka_unit_test(test_a_packed_pipe_gives_the_lines_of_what_was_packed),
    cmocka_unit_test(test_nothing_at_all_has_no_line),
    cmocka_unit_test(test_a_packed_pipe_that_is_cut_is_told),
    cmocka_unit_test(test_a_stream_that_cannot_be_read_is_told),
};
SC_SUITE(tests)
