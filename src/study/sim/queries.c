// Travellers who wait for nothing, as a file: an open loop. See workload.h.
#include "sim/workload.h"

#include "base/diag.h"
#include "base/file.h"

/** Progress is told every so many questions. */
enum { REPORT_EVERY = 4096 };

void sc_say_position(const sc_map *map, sc_ask *ask)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) return;
    sc_map_edge_position(map, ask->edge, ask->offset_m, &ask->x, &ask->y);
    ask->is_on_edge = false;
}

// In order of time, until it is over or the disk has refused something.
static sc_err write_all(const sc_map *map, const sc_queries_options *options,
                        sc_travellers *travellers, FILE *stream, uint64_t *count)
{
    const sc_time end = sc_time_from_seconds(options->seconds);
    const sc_progress *progress = &options->progress;
    while (sc_travellers_next(travellers) < end && !ferror(stream)) {
        sc_spoken said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        // Whoever reads a stream knows positions, and edges only of a map that has nothing else.
        sc_say_position(map, &said.ask);
        sc_stream_write(stream, map, &said.ask, &said.request);
        if (++*count % REPORT_EVERY == 0 && progress->report) {
            progress->report(progress->context, "asking", (uint64_t)said.ask.t, (uint64_t)end);
        }
        const sc_err err = sc_travellers_resume(travellers, who, said.ask.t);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc_queries_write(sc_movement *movement, const sc_queries_options *options, const char *path,
                        uint64_t *written, sc_diag *diag)
{
    sc_travellers *travellers = NULL;
    sc_err err = sc_travellers_new(movement, &options->workload, options->seed, &travellers, diag);
    if (err) return err;

    sc_outfile file;
    err = sc_outfile_open(path, &file, diag);
    if (!err) {
        uint64_t count = 0;
        err = write_all(movement->map, options, travellers, file.stream, &count);
        if (err) {
            sc_outfile_abandon(&file);
            err = sc_fail_memory(diag, "moving travellers");
        } else {
            err = sc_outfile_commit(&file, diag);
        }
        if (!err) *written = count;
    }
    sc_travellers_free(travellers);
    return err;
}
