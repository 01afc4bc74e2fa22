// How fast is a record read and verified?
//
// usage: bench_verify MAP.scm RECORD.jsonl...
//
// For each record the megabytes per CPU second, the best of several runs: its lines read into
// events and nothing more, verified without a look at answers, verified with the usual sample of
// them. A record without answers has no third.
#include "support/bench.h"

#include "base/line_reader.h"
#include "verify/record_events.h"

#include <starcloak/verify.h>

#include <stdbool.h>
#include <stdio.h>

enum { RUNS = 7 };

static void read_alone(const sc_map *map, const char *path)
{
    sc_line_reader source;
    sc_diag diag;
    if (sc_line_reader_open(&source, path, &diag)) bench_die(path, diag.message);
    sc_event_reader reader = {.map = map, .name = path};
    for (;;) {
        sc_slice line = {NULL, 0};
        if (sc_line_reader_next(&source, &line, &diag)) bench_die(path, diag.message);
        if (!line.text) break;
        if (sc__reader_read(&reader, source.line, line, &diag)) bench_die(path, diag.message);
    }
    sc__reader_fini(&reader);
    sc_line_reader_close(&source);
}

/** Verify a record; returns the answers that it has. */
static uint64_t verify(const sc_map *map, const char *path, uint64_t answer_sample)
{
    sc_verify_options options = sc_verify_options_default();
    options.answer_sample = answer_sample;
    sc_verify_report report;
    sc_diag diag;
    if (sc_record_verify(map, path, &options, &report, &diag)) bench_die(path, diag.message);
    if (report.violations > 0) bench_die(path, "it breaks promises");
    return report.answers;
}

int main(int argc, char **argv)
{
    if (argc < 3) bench_die("usage", "bench_verify MAP.scm RECORD.jsonl...");
    sc_map *map = bench_open(argv[1]);
    const uint64_t sample = sc_verify_options_default().answer_sample;
    printf("Verifying records of %s, MB per CPU second\n", bench_name(argv[1]));
    printf("%-24s %8s %10s %16s %14s\n", "record", "MB", "read only", "without answers",
           "with answers");
    for (int i = 2; i < argc; i++) {
        const char *path = argv[i];
        const double bytes = bench_file_bytes(path);
        const bool has_answers = verify(map, path, 0) > 0;
        double best_s[3] = {1e9, 1e9, 1e9};
        for (int run = 0; run < RUNS; run++) {
            for (int way = 0; way < 2 + has_answers; way++) {
                const double start = bench_cpu_s();
                if (way == 0) read_alone(map, path);
                if (way > 0) verify(map, path, way == 1 ? 0 : sample);
                const double took = bench_cpu_s() - start;
                if (took < best_s[way]) best_s[way] = took;
            }
        }
        printf("%-24s %8.1f %10.0f %16.0f", bench_name(path), bytes / 1e6, bytes / 1e6 / best_s[0],
               bytes / 1e6 / best_s[1]);
        has_answers ? printf(" %14.0f\n", bytes / 1e6 / best_s[2]) : printf(" %14s\n", "-");
    }
    sc_map_free(map);
    return 0;
}
