// Traces from a file or from all files of a folder. See traces.h.
//
// In a folder, what looks like none of the formats is passed over (published sets come with a list
// of their files, or with terms of use) unless the caller said which format it is; and then it is
// counted. Whatever looks like traces must be sound to its end: half a fleet would be a different
// simulation, and nobody would notice.
#include "traces/traces.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "traces/traces_internal.h"

#include <math.h>
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
        return sc_fail(diag, SC_EINVAL, "no such format of traces");
    }
    if (!(options->step_s > 0.0) || !isfinite(options->step_s)) {
        return sc_fail(diag, SC_EINVAL, "not a number of seconds per step: %g", options->step_s);
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
    if (input->size == 0) return sc_fail(r->diag, SC_EINVAL, "%s: is empty", input->name);
    return sc_fail(r->diag, SC_EPARSE,
                   "%s:1: not traces; a file begins with `latitude longitude occupancy time` "
                   "(cabspotting), <fcd-export> (SUMO), newpoint (Brinkhoff), or a header "
                   "id,t,lon,lat (CSV)",
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
        err = sc_fail(r->diag, SC_EINVAL, "%s: no traces in this folder; it holds %zu other files",
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
        return sc_fail(r->diag, SC_EINVAL, "%s: nobody is anywhere in it: it holds no fix", name);
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
