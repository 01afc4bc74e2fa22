/**
 * @file traces.h
 * @brief Recorded movement, read from files: who was where, when.
 *
 * Four formats, told apart by what is in the file unless the caller says which it is:
 *  - cabspotting: one file per cab (its name without "new_" and ".txt" is the cab's), lines of
 *    `latitude longitude occupancy unix-time`;
 *  - fcd: SUMO's floating-car data, XML:
 *    `<timestep time="..."><vehicle id="..." x="..." y="..."/>`;
 *  - brinkhoff: the text output of Brinkhoff's generator, lines of
 *    `newpoint|point|disappearpoint id sequence class time x y speed next-x next-y`;
 *  - csv: `id,t,lon,lat` with that header (or id,t,x,y), columns in any order, others ignored.
 *
 * A path may be a file (plain, xz or gzip) or a folder, of which every file is read, in order of
 * their names. Traces are a stranger's bytes and movements of people: what is wrong is refused
 * with file and line, and no message repeats an id or a position (but for the names of cabspotting
 * files, which are those of cabs).
 *
 * Fixes of a track are put in order of time; of several at one moment the first is kept.
 */
#ifndef SC_TRACES_TRACES_H
#define SC_TRACES_TRACES_H

#include <starcloak/err.h>
#include <starcloak/progress.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sc_trace_format {
    SC_TRACE_ANY = 0,  ///< find out
    SC_TRACE_CABSPOTTING,
    SC_TRACE_FCD,
    SC_TRACE_BRINKHOFF,
    SC_TRACE_CSV,
    SC_TRACE_FORMAT_COUNT
} sc_trace_format;

/** "any", "cabspotting", "fcd", "brinkhoff", "csv". */
const char *sc_trace_format_name(sc_trace_format format);

/** A position at a moment. */
typedef struct sc_fix {
    double t_s;  ///< seconds, from whatever zero the source has
    double x;    ///< longitude, or x of a plane
    double y;
} sc_fix;

/** The fixes of one traveller, in order of time. */
typedef struct sc_track {
    const char *name;  ///< as the source has it, UTF-8
    const sc_fix *fixes;
    size_t count;  ///< at least 1
} sc_track;

typedef struct sc_traces_options {
    sc_trace_format format;
    double step_s;  ///< brinkhoff: seconds per step of its time, > 0
    sc_progress progress;
} sc_traces_options;

/** Any format, steps of one second. */
sc_traces_options sc_traces_options_default(void);

typedef struct sc_traces sc_traces;

/**
 * @return SC_OK, SC_EIO, SC_EPARSE (not traces; `diag` has file and line), SC_ELIMIT (more than
 *         2^32 - 2 fixes or tracks), SC_EINVAL (no fix at all), SC_ENOMEM
 */
SC_CHECKED sc_err sc_traces_read(const char *path, const sc_traces_options *options,
                                 sc_traces **out, sc_diag *diag);

/** One file from memory; `name` is what messages call it. */
SC_CHECKED sc_err sc_traces_parse(const char *bytes, size_t size, const char *name,
                                  const sc_traces_options *options, sc_traces **out, sc_diag *diag);

/** NULL is fine. */
void sc_traces_free(sc_traces *traces);

/** The tracks, by name; lent until sc_traces_free(). */
const sc_track *sc_traces_tracks(const sc_traces *traces, size_t *count);

/** What was read. */
typedef struct sc_traces_summary {
    sc_trace_format format;  ///< of the last file
    size_t file_count;
    size_t other_file_count;  ///< of a folder: no traces, passed over
    size_t track_count;
    size_t fix_count;
    size_t same_time_count;  ///< fixes left out: another of the track has the same time
    double first_s;
    double last_s;
} sc_traces_summary;

sc_traces_summary sc_traces_summary_of(const sc_traces *traces);

#endif
