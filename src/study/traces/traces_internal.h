/**
 * @file traces_internal.h
 * @brief What the readers of traces share.
 *
 * A reader takes the bytes of one file and hands fixes to a track builder. It knows its format and
 * nothing of other files. Whatever it refuses, it names file, line and field; never what stands in
 * the field, for that is who somebody is or where.
 *
 * Uses: base. Used by: the readers beside it, traces.c.
 */
#ifndef SC_TRACES_TRACES_INTERNAL_H
#define SC_TRACES_TRACES_INTERNAL_H

#include "traces/track_builder.h"

#include "base/text.h"

/** No honest line of a trace comes near; a file without line ends is no trace. */
#define SC__TRACE_MAX_LINE ((size_t)1 << 16)

/** What is reported while traces are read. */
#define SC__TRACE_PHASE "reading traces"

/** One file, as a reader gets it. */
typedef struct sc__trace_file {
    const sc_input *input;
    const sc_traces_options *options;
    const sc_progress *progress;  ///< told of the bytes of this file; NULL: files are counted
    sc__tracks *tracks;
    sc_diag *diag;
} sc__trace_file;

// --- The formats -------------------------------------------------------------------------------

/** What the file looks like; SC_TRACE_ANY: like none of them. */
sc_trace_format sc__trace_detect(const sc_input *input);

typedef sc_err sc__trace_reader(const sc__trace_file *file);

sc__trace_reader sc__cabspotting_read;
sc__trace_reader sc__fcd_read;
sc__trace_reader sc__brinkhoff_read;
sc__trace_reader sc__csv_read;

/** Whether the line is a header of traces: two of its titles at least are such. */
bool sc__csv_is_header(sc_slice line);

/** Seconds, or a time of UTC as in 2008-06-04T00:00:00Z, which is Unix time then. */
bool sc__csv_time(sc_slice text, double *out);

// --- Lines and fields (traces_lines.c) ---------------------------------------------------------

/** The lines of a file that are not blank. */
typedef struct sc__trace_lines {
    const sc__trace_file *file;
    sc_lines lines;
} sc__trace_lines;

sc__trace_lines sc__trace_lines_of(const sc__trace_file *file);

/**
 * @param line  set to no text at all (NULL) at the end
 * @return SC_OK, SC_EPARSE (too long, or it holds a NUL byte)
 */
SC_CHECKED sc_err sc__trace_line_next(sc__trace_lines *lines, sc_slice *line);

/** "FILE:LINE: <what>". Returns SC_EPARSE, as the next one. */
sc_err sc__trace_fail_line(const sc__trace_lines *lines, const char *what);

/** "FILE:LINE: field 'name' <what>". */
sc_err sc__trace_fail_field(const sc__trace_lines *lines, const char *name, const char *what);

/** Cut the next blank-separated field off the front of `line`; there must be one. */
SC_CHECKED sc_err sc__trace_field(const sc__trace_lines *lines, sc_slice *line, const char *name,
                                  sc_slice *out);

/** The same, and it must be a number. */
SC_CHECKED sc_err sc__trace_number(const sc__trace_lines *lines, sc_slice *line, const char *name,
                                   double *out);

// --- Folders (traces_folder.c) -----------------------------------------------------------------

/** The files of a folder: zero it; sc__folder_fini() in any case. */
typedef struct sc__folder {
    char **paths;  ///< in order of their names, byte by byte
    size_t count;
    size_t capacity;
} sc__folder;

/** List the files in `path`, hidden ones and sub-folders left out. SC_OK, SC_EIO, SC_ENOMEM. */
SC_CHECKED sc_err sc__folder_list(const char *path, sc__folder *folder, sc_diag *diag);

void sc__folder_fini(sc__folder *folder);

#endif
