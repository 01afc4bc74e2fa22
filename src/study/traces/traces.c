// Traces from a file or from all files of a folder.
//
// In a folder, what looks like none of the formats is passed over (published sets come with a list
// of their files, or with terms of use) unless the caller said which format it is; and then it is
// counted. Whatever looks like traces must be sound to its end: half a fleet would be a different
// simulation unnoticed.
#include "traces/traces.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "traces/trace_readers.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct sc_traces {
    sc__gathered gathered;
    sc_traces_summary summary;
};

static const char *const format_names[] = {
    [SC_TRACE_ANY] = "any", [SC_TRACE_CABSPOTTING] = "cabspotting",
    [SC_TRACE_FCD] = "fcd", [SC_TRACE_BRINKHOFF] = "brinkhoff",
    [SC_TRACE_CSV] = "csv",
};

static sc__trace_reader *const readers[] = {
    [SC_TRACE_CABSPOTTING] = sc__cabspotting_read,
    [SC_TRACE_FCD] = sc__fcd_read,
    [SC_TRACE_BRINKHOFF] = sc__brinkhoff_read,
    [SC_TRACE_CSV] = sc__csv_read,
};

const char *sc_trace_format_name(sc_trace_format format)
{
    return (unsigned)format < SC_TRACE_FORMAT_COUNT ? format_names[format] : NULL;
}

sc_traces_options sc_traces_options_default(void)
{
    return (sc_traces_options){.format = SC_TRACE_ANY, .step_s = 1.0};
}

/** Reading under way. */
typedef struct reading {
    const sc_traces_options *options;
    sc_diag *diag;
    sc__tracks tracks;
    sc_traces_summary summary;
} reading;

static sc_err check_options(const sc_traces_options *options, sc_diag *diag)
{
    if (!sc_trace_format_name(options->format)) {
        return sc_fail(diag, SC_EINVAL, "unknown format of traces");
    }
    if (!(options->step_s > 0.0) || !isfinite(options->step_s)) {
        return sc_fail(diag, SC_EINVAL, "the number of seconds per step must be above 0, not %g",
                       options->step_s);
    }
    return SC_OK;
}

// --- Files -------------------------------------------------------------------------------------

static sc_err read_as(reading *r, const sc_input *input, sc_trace_format format, bool is_alone)
{
    const sc__trace_file file = {.input = input,
                                 .options = r->options,
                                 .progress = is_alone ? &r->options->progress : NULL,
                                 .tracks = &r->tracks,
                                 .diag = r->diag};
    r->summary.format = format;
    r->summary.file_count++;
    return readers[format](&file);
}

static sc_err fail_unknown(const reading *r, const sc_input *input)
{
    if (input->size == 0) return sc_fail(r->diag, SC_EINVAL, "%s: the file is empty", input->name);
    return sc_fail(
        r->diag, SC_EPARSE,
        "%s:1: these are not traces; a file must begin with `latitude longitude occupancy time` "
        "(cabspotting), <fcd-export> (SUMO), newpoint (Brinkhoff), or a header id,t,lon,lat (CSV)",
        input->name);
}

static sc_err read_alone(reading *r, const sc_input *input)
{
    sc_trace_format format = r->options->format;
    if (format == SC_TRACE_ANY) format = sc__trace_detect(input);
    return format == SC_TRACE_ANY ? fail_unknown(r, input) : read_as(r, input, format, true);
}

static sc_err read_among_others(reading *r, const sc_input *input)
{
    sc_trace_format format = r->options->format;
    if (format == SC_TRACE_ANY) format = sc__trace_detect(input);
    if (format != SC_TRACE_ANY) return read_as(r, input, format, false);
    r->summary.other_file_count++;
    return SC_OK;
}

static sc_err read_file(reading *r, const char *path,
                        sc_err (*read)(reading *r, const sc_input *input))
{
    sc_file file = {0};
    sc_err err = sc_file_open(path, &file, r->diag);
    if (err) return err;
    err = read(r, &file.input);
    sc_file_close(&file);
    return err;
}

static sc_err read_folder(reading *r, const char *path)
{
    sc__folder folder = {0};
    const sc_progress *progress = &r->options->progress;
    sc_err err = sc__folder_list(path, &folder, r->diag);
    for (size_t i = 0; i < folder.count && !err; i++) {
        if (progress->report) progress->report(progress->context, SC__TRACE_PHASE, i, folder.count);
        err = read_file(r, folder.paths[i], read_among_others);
    }
    if (!err && r->summary.file_count == 0) {
        err = sc_fail(r->diag, SC_EINVAL, "%s: no traces in this folder, which has %zu other files",
                      path, folder.count);
    }
    sc__folder_fini(&folder);
    return err;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// --- Tracks ------------------------------------------------------------------------------------

static sc_traces_summary summary_of(const reading *r, const sc__gathered *gathered)
{
    sc_traces_summary s = r->summary;
    s.track_count = gathered->track_count;
    s.fix_count = gathered->fix_count;
    s.same_time_count = gathered->same_time_count;
    s.first_s = HUGE_VAL;
    s.last_s = -HUGE_VAL;
    for (size_t i = 0; i < gathered->track_count; i++) {
        const sc_track *track = &gathered->tracks[i];
        s.first_s = fmin(s.first_s, track->fixes[0].t_s);
        s.last_s = fmax(s.last_s, track->fixes[track->count - 1].t_s);
    }
    return s;
}

static sc_err finish(reading *r, const char *name, sc_traces **out)
{
    if (r->tracks.fix_count == 0) {
        return sc_fail(r->diag, SC_EINVAL, "%s: the traces have no fix", name);
    }
    sc_traces *traces = sc_calloc(1, sizeof *traces);
    if (!traces) return sc_fail_memory(r->diag, "reading traces");
    const sc_err err = sc__tracks_finish(&r->tracks, &traces->gathered);
    if (err) {
        sc_traces_free(traces);
        return err;
    }
    traces->summary = summary_of(r, &traces->gathered);
    *out = traces;
    return SC_OK;
}

sc_err sc_traces_read(const char *path, const sc_traces_options *options, sc_traces **out,
                      sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    reading r = {.options = options, .diag = diag};
    sc__tracks_init(&r.tracks, diag);
    err = is_folder(path) ? read_folder(&r, path) : read_file(&r, path, read_alone);
    if (!err) err = finish(&r, path, out);
    sc__tracks_fini(&r.tracks);
    return err;
}

sc_err sc_traces_parse(const char *bytes, size_t size, const char *name,
                       const sc_traces_options *options, sc_traces **out, sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    const sc_input input = {.name = name, .data = (const uint8_t *)bytes, .size = size};
    reading r = {.options = options, .diag = diag};
    sc__tracks_init(&r.tracks, diag);
    err = read_alone(&r, &input);
    if (!err) err = finish(&r, name, out);
    sc__tracks_fini(&r.tracks);
    return err;
}

void sc_traces_free(sc_traces *traces)
{
    if (!traces) return;
    sc__gathered_fini(&traces->gathered);
    sc_free(traces);
}

const sc_track *sc_traces_tracks(const sc_traces *traces, size_t *count)
{
    *count = traces->gathered.track_count;
    return traces->gathered.tracks;
}

sc_traces_summary sc_traces_summary_of(const sc_traces *traces)
{
    return traces->summary;
}

// === Which files a folder holds =================================================================

static sc_err fail_errno(sc_diag *diag, const char *path)
{
    const int why = errno;
    return sc_fail(diag, SC_EIO, "%s: cannot read the folder: %s%s", path, strerror(why),
                   why == EACCES ? "; you do not have permission to read it" : "");
}

// What cannot be looked at is taken for a file: opening it will tell why.
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static sc_err add_entry(sc__folder *folder, const char *path, const char *name, sc_diag *diag)
{
    const size_t path_size = strlen(path);
    const char *slash = path_size > 0 && path[path_size - 1] == '/' ? "" : "/";
    const size_t size = path_size + 1 + strlen(name) + 1;
    char *full = sc_malloc(size);
    if (!full || !sc_grow(&folder->paths, folder->count, &folder->capacity, sizeof full)) {
        sc_free(full);
        return sc_fail_memory(diag, "listing a folder");
    }
    snprintf(full, size, "%s%s%s", path, slash, name);
    if (is_file(full)) {
        folder->paths[folder->count++] = full;
    } else {
        sc_free(full);
    }
    return SC_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

sc_err sc__folder_list(const char *path, sc__folder *folder, sc_diag *diag)
{
    DIR *entries = opendir(path);
    if (!entries) return fail_errno(diag, path);

    sc_err err = SC_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            if (errno != 0) err = fail_errno(diag, path);
            break;
        }
        if (entry->d_name[0] == '.') continue;
        err = add_entry(folder, path, entry->d_name, diag);
        if (err) break;
    }
    closedir(entries);
    if (!err && folder->count > 0) {
        qsort(folder->paths, folder->count, sizeof *folder->paths, compare_paths);
    }
    return err;
}

void sc__folder_fini(sc__folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        sc_free(folder->paths[i]);
    }
    sc_free(folder->paths);
    *folder = (sc__folder){0};
}

// === Lines and fields of the formats that are text ==============================================

enum { LINES_PER_PROGRESS = 1 << 16 };

sc__trace_lines sc__trace_lines_of(const sc__trace_file *file)
{
    return (sc__trace_lines){.file = file, .lines = sc_lines_of(file->input)};
}

static void report_progress(const sc__trace_lines *lines)
{
    const sc_progress *progress = lines->file->progress;
    if (!progress || !progress->report || lines->lines.line % LINES_PER_PROGRESS != 0) return;
    const sc_input *input = lines->file->input;
    progress->report(progress->context, SC__TRACE_PHASE,
                     (uint64_t)(lines->lines.next - (const char *)input->data), input->size);
}

static bool is_blank(sc_slice line)
{
    sc_slice field;
    return !sc_slice_field(&line, &field);
}

sc_err sc__trace_line_next(sc__trace_lines *lines, sc_slice *line)
{
    while (sc_lines_next(&lines->lines, line)) {
        report_progress(lines);
        if (line->size > SC__TRACE_MAX_LINE) {
            return sc__trace_fail_line(lines, "the line is too long for a trace");
        }
        if (line->size > 0 && memchr(line->text, '\0', line->size)) {
            return sc__trace_fail_line(lines, "the line contains a NUL byte");
        }
        if (!is_blank(*line)) return SC_OK;
    }
    *line = (sc_slice){NULL, 0};
    return SC_OK;
}

sc_err sc__trace_fail_line(const sc__trace_lines *lines, const char *what)
{
    return sc_lines_fail_line(&lines->lines, lines->file->diag, what);
}

sc_err sc__trace_fail_field(const sc__trace_lines *lines, const char *name, const char *what)
{
    return sc_fail(lines->file->diag, SC_EPARSE, "%s:%llu: field '%s' %s", lines->file->input->name,
                   (unsigned long long)lines->lines.line, name, what);
}

sc_err sc__trace_field(const sc__trace_lines *lines, sc_slice *line, const char *name,
                       sc_slice *out)
{
    return sc_slice_field(line, out) ? SC_OK : sc__trace_fail_field(lines, name, "is missing");
}

sc_err sc__trace_number(const sc__trace_lines *lines, sc_slice *line, const char *name, double *out)
{
    sc_slice field = {0};
    const sc_err err = sc__trace_field(lines, line, name, &field);
    if (err) return err;
    return sc_slice_double(field, out) ? SC_OK
                                       : sc__trace_fail_field(lines, name, "is not a number");
}

// === Telling the formats apart by how a file begins =============================================
// Only the first line that is not blank counts, and of XML the outermost element. No file looks
// like two of the formats: a tag, an event's word, four numbers, a header.

static bool begins_with(sc_slice text, const char *start)
{
    const size_t size = strlen(start);
    return text.size >= size && memcmp(text.text, start, size) == 0;
}

/** `text` from the next `mark` on; nothing if there is none. */
static sc_slice from(sc_slice text, const char *mark)
{
    const char *found = text.size > 0 ? memmem(text.text, text.size, mark, strlen(mark)) : NULL;
    if (!found) return (sc_slice){text.text, 0};
    return (sc_slice){found, text.size - (size_t)(found - text.text)};
}

// What may stand before the outermost element is passed over as far as it takes to find that; the
// reader will look at it properly.
static bool is_fcd(sc_slice text)
{
    for (;;) {
        text = from(text, "<");
        if (begins_with(text, "<!--")) {
            text = from(text, "-->");
        } else if (begins_with(text, "<?") || begins_with(text, "<!")) {
            text = from(text, ">");
        } else {
            return begins_with(text, "<fcd-export");
        }
    }
}

static bool is_brinkhoff(sc_slice line)
{
    sc_slice word = {0};
    return sc_slice_field(&line, &word) &&
           (sc_slice_is(word, "newpoint") || sc_slice_is(word, "point") ||
            sc_slice_is(word, "disappearpoint"));
}

static bool is_cabspotting(sc_slice line)
{
    enum { FIELDS = 4 };
    sc_slice field = {0};
    double number = 0.0;
    for (int i = 0; i < FIELDS; i++) {
        if (!sc_slice_field(&line, &field) || !sc_slice_double(field, &number)) return false;
    }
    return !sc_slice_field(&line, &field);
}

sc_trace_format sc__trace_detect(const sc_input *input)
{
    sc_lines lines = sc_lines_of(input);
    sc_slice line = {0};
    sc_slice first = {0};
    bool is_blank = true;
    while (is_blank && sc_lines_next(&lines, &line)) {
        sc_slice rest = line;
        is_blank = !sc_slice_field(&rest, &first);
    }
    if (is_blank) return SC_TRACE_ANY;
    if (first.text[0] == '<') {
        const sc_slice whole = {first.text, (size_t)(lines.end - first.text)};
        return is_fcd(whole) ? SC_TRACE_FCD : SC_TRACE_ANY;
    }
    if (is_brinkhoff(line)) return SC_TRACE_BRINKHOFF;
    if (is_cabspotting(line)) return SC_TRACE_CABSPOTTING;
    return sc__csv_is_header(line) ? SC_TRACE_CSV : SC_TRACE_ANY;
}
