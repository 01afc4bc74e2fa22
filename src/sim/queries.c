// Travellers who wait for nothing, as a file: an open loop. See workload.h.
#include "sim/workload.h"

#include "base/file.h"

/** Progress is told every so many questions. */
enum { REPORT_EVERY = 4096 };

// In order of time, until it is over or the disk has refused something.
static uint64_t write_all(const sc_map *map, const sc_queries_options *options,
                          sc_travellers *travellers, FILE *stream)
{
    const sc_time end = sc_seconds(options->seconds);
    const sc_progress *progress = &options->progress;
    uint64_t count = 0;
    while (sc_travellers_next(travellers) < end && !ferror(stream)) {
        sc_spoken said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        sc_travellers_resume(travellers, who, said.ask.t);
        sc_stream_write(stream, map, &said.ask, &said.request);
        if (++count % REPORT_EVERY == 0 && progress->report) {
            progress->report(progress->context, "asking", (uint64_t)said.ask.t, (uint64_t)end);
        }
    }
    return count;
}

sc_err sc_queries_write(const sc_map *map, const sc_queries_options *options, const char *path,
                        uint64_t *written, sc_diag *diag)
{
    sc_travellers *travellers = NULL;
    sc_err err = sc_travellers_new(map, &options->workload, options->count, options->seed,
                                   &travellers, diag);
    if (err) return err;

    sc_outfile file;
    err = sc_outfile_open(path, &file, diag);
    if (!err) {
        const uint64_t count = write_all(map, options, travellers, file.stream);
        err = sc_outfile_commit(&file, diag);
        if (!err) *written = count;
    }
    sc_travellers_free(travellers);
    return err;
}
