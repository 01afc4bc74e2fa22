/**
 * @file line_reader.h
 * @brief Reads the lines of a text, from a file or as they come from standard input.
 *
 * A file is mapped (or unpacked as a whole); standard input is read in blocks
 * and only the line at hand is kept, so that a pipe of any length passes through.
 * One that turns out to be packed is taken in and unpacked as a whole, too.
 */
#ifndef SC_BASE_LINE_READER_H
#define SC_BASE_LINE_READER_H

#include "base/file.h"
#include "base/text.h"

typedef struct sc_line_reader {
    const char *name;  ///< as messages call it
    uint64_t line;     ///< number of the current line, from 1
    uint64_t passed;   ///< bytes up to the end of that line
    uint64_t total;    ///< bytes in all; 0 if that is not known

    // A file, or memory.
    sc_file file;
    sc_lines lines;

    // A stream: the bytes [begin, end) of `buffer` are read and not yet passed.
    bool is_stream;
    bool is_over;
    int fd;
    char *buffer;
    size_t capacity;
    size_t begin;
    size_t end;
} sc_line_reader;

/**
 * Open `path` (borrowed); "-" is standard input. Fails like sc_file_open(). The result must
 * not be moved.
 */
SC_CHECKED sc_err sc_line_reader_open(sc_line_reader *source, const char *path, sc_diag *diag);

/** The same for bytes in memory (borrowed; also where `input` points to). */
void sc_line_reader_of(sc_line_reader *source, const sc_input *input);

/**
 * The next line without its line end; valid until the next call.
 *
 * @param line  set to no text at all (NULL) at the end
 * @return SC_OK, SC_EIO, SC_ENOMEM, and of a packed stream SC_EPARSE, SC_ELIMIT
 */
SC_CHECKED sc_err sc_line_reader_next(sc_line_reader *source, sc_slice *line, sc_diag *diag);

/** Harmless twice. */
void sc_line_reader_close(sc_line_reader *source);

#endif
