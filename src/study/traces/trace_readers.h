/**
 * @file trace_readers.h
 * @brief What the readers of traces share.
 *
 * A reader takes the bytes of one file and hands fixes to a track builder. It knows its format and
 * nothing of other files. Whatever it refuses, it names file, line and field; never what stands in
 * the field, for that is a user or a position.
 */
#ifndef SC_TRACES_TRACE_READERS_H
#define SC_TRACES_TRACE_READERS_H

#include "base/string_index.h"
#include "base/text.h"
#include "traces/traces.h"

// === Fixes come in as files have them, and go out as tracks =====================================
// A file may tell of all travellers at one moment and then of the next moment (FCD, Brinkhoff), or
// of one traveller after the other. So each track gathers its fixes by itself, and when all are in,
// they are put in order and moved together.
//
//  1. A *traveller* is a kind and an id. A vehicle and a person may share an id and are two.
//  2. A traveller has one track after the other, and at most one that takes fixes.
//  3. A track has at least one fix: the first one makes it.

/** Ids are a few letters; what is longer is no id. */
#define SC__TRACE_MAX_ID 255

typedef enum sc__trace_kind { SC__TRACE_VEHICLE = 'v', SC__TRACE_PERSON = 'p' } sc__trace_kind;

typedef struct sc__traveller {
    size_t key;      ///< where its kind and its id begin in `texts`
    uint32_t track;  ///< that takes its fixes, or UINT32_MAX
} sc__traveller;

typedef struct sc__open_track {
    sc_fix *fixes;  ///< as they came
    size_t count;
    size_t capacity;
    uint32_t traveller;
} sc__open_track;

/** sc__tracks_init(), then sc__tracks_fini() in any case. It must not be moved meanwhile. */
typedef struct sc__tracks {
    sc_diag *diag;          ///< borrowed; may be NULL
    size_t most;            ///< fixes there may be, and travellers
    sc_string_index names;  ///< the traveller of each key
    char *texts;            ///< keys, each ended by NUL
    size_t texts_size;
    size_t texts_capacity;
    sc__traveller *travellers;
    size_t traveller_count;
    size_t traveller_capacity;
    sc__open_track *tracks;
    size_t track_count;
    size_t track_capacity;
    size_t fix_count;
} sc__tracks;

/** What was gathered, put together: memory that tracks and their names point into. */
typedef struct sc__gathered {
    sc_track *tracks;  ///< by name; no two are equal
    size_t track_count;
    sc_fix *fixes;
    size_t fix_count;
    size_t same_time_count;
    char *texts;
    char *more_texts;
} sc__gathered;

void sc__tracks_init(sc__tracks *tracks, sc_diag *diag);

/** Harmless twice. */
void sc__tracks_fini(sc__tracks *tracks);

/** What is wrong with an id, to follow "field 'id' "; NULL if nothing is. */
const char *sc__trace_id_problem(sc_slice id);

/** The traveller with that id, which has no problem; it need not be known before. */
SC_CHECKED sc_err sc__tracks_traveller(sc__tracks *tracks, sc__trace_kind kind, sc_slice id,
                                       uint32_t *out);

/** It was here; the numbers are finite. */
SC_CHECKED sc_err sc__tracks_add(sc__tracks *tracks, uint32_t traveller, sc_fix fix);

/** The next fix of that traveller begins another track. */
void sc__tracks_part(sc__tracks *tracks, uint32_t traveller);

/**
 * Put fixes in order of time and tracks in order of their names. Names that are equal so far (an id
 * used again, a person called like a vehicle) get "/2", "/3", ... in the order in which they came.
 *
 * @param tracks  left without tracks, also on failure
 * @param out     its parts are the caller's to free
 */
SC_CHECKED sc_err sc__tracks_finish(sc__tracks *tracks, sc__gathered *out);

void sc__gathered_fini(sc__gathered *gathered);

// ================================================================================================

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

// --- Lines and fields (traces.c) ---------------------------------------------------------------

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

// --- Folders (traces.c) ------------------------------------------------------------------------

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
