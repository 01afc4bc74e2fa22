// The laboratory from end to end: plan the points, do the missing ones, write all files.
//
// Of the files, the numbers come first; then files of earlier runs are removed; report.json comes
// last, so that a folder with it is whole.
#include "lab/lab.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lab/child_processes.h"
#include "lab/lab_output.h"
#include "lab/results.h"
#include "lab/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// === Files of earlier runs ======================================================================
// Such files describe other points than those of this run. A file is removed if it is an ordinary
// one and is named as a figure that this run has not written (MAP-METRIC-AXIS.csv), as a plot of
// any figure (.svg), or report.html. Plots and report are made from the files of this run
// afterwards. Nothing else is touched.

/** What the name of a file says. */
typedef struct named_figure {
    char map[SC_LAB_NAME_MAX + 1];
    sc_lab_metric metric;
    sc_lab_axis axis;
    bool is_plot;
} named_figure;

// Whether the name is that of a map and then `ending`; if so, the map is copied to `out`.
static bool ends_in(const char *file, const char *ending, named_figure *out)
{
    const size_t size = strlen(file);
    const size_t tail = strlen(ending);
    if (size <= tail || size - tail > SC_LAB_NAME_MAX) return false;
    if (strcmp(file + size - tail, ending) != 0) return false;
    memcpy(out->map, file, size - tail);
    out->map[size - tail] = '\0';
    return sc_lab_is_name(out->map);
}

static bool read_name(const char *file, named_figure *out)
{
    for (out->metric = 0; out->metric < SC_LAB_METRIC_COUNT; out->metric++) {
        for (out->axis = 0; out->axis < SC_LAB_AXIS_COUNT; out->axis++) {
            for (int i = 0; i < 2; i++) {
                char ending[64];
                out->is_plot = i == 1;
                snprintf(ending, sizeof ending, "-%s-%s.%s", sc_lab_metric_name(out->metric),
                         sc_lab_axis_name(out->axis), out->is_plot ? "svg" : "csv");
                if (ends_in(file, ending, out)) return true;
            }
        }
    }
    return false;
}

static bool is_written(const sc_lab_findings *findings, const named_figure *named)
{
    const sc_lab_options *options = findings->results->options;
    for (size_t i = 0; i < findings->figures->count; i++) {
        const sc_lab_figure *figure = &findings->figures->all[i];
        if (figure->metric == named->metric && figure->axis == named->axis &&
            strcmp(options->maps[figure->map].name, named->map) == 0) {
            return !named->is_plot;
        }
    }
    return false;
}

static bool is_stale(const sc_lab_findings *findings, int directory, const char *file)
{
    named_figure named;
    struct stat status;
    const bool is_old = strcmp(file, "report.html") == 0 ||
                        (read_name(file, &named) && !is_written(findings, &named));
    return is_old && fstatat(directory, file, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode);
}

/** Remove files of an earlier run. This run has written all of its figures. */
static sc_err remove_stale(const sc_lab_findings *findings, sc_diag *diag)
{
    const char *path = findings->results->options->directory;
    DIR *directory = opendir(path);
    if (!directory)
        return sc_fail(diag, SC_EIO, "%s: cannot read the directory: %s", path, strerror(errno));
    sc_err err = SC_OK;
    const struct dirent *entry;
    while (!err && (entry = readdir(directory))) {
        if (is_stale(findings, dirfd(directory), entry->d_name) &&
            unlinkat(dirfd(directory), entry->d_name, 0) != 0) {
            err = sc_fail(diag, SC_EIO, "%s/%s: cannot remove this file of an earlier run: %s",
                          path, entry->d_name, strerror(errno));
        }
    }
    closedir(directory);
    return err;
}

// === Writing all files ==========================================================================

sc_err sc__lab_file_open(sc_lab_file *file, const sc_lab_options *options, const char *name,
                         sc_diag *diag)
{
    *file = (sc_lab_file){0};
    const size_t size = strlen(options->directory) + strlen(name) + 2;
    file->path = sc_malloc(size);
    if (!file->path) return sc_fail_memory(diag, "writing the results");
    snprintf(file->path, size, "%s/%s", options->directory, name);
    const sc_err err = sc_outfile_open(file->path, &file->out, diag);
    if (err) sc_free(file->path);
    return err;
}

sc_err sc__lab_file_commit(sc_lab_file *file, sc_diag *diag)
{
    const sc_err err = sc_outfile_commit(&file->out, diag);
    sc_free(file->path);
    return err;
}

void sc__lab_file_abandon(sc_lab_file *file)
{
    sc_outfile_abandon(&file->out);
    sc_free(file->path);
}

static sc_err write_numbers(const sc_lab_findings *findings, sc_diag *diag)
{
    sc_err err = sc__csv_write_points(findings->results, diag);
    for (size_t i = 0; i < findings->figures->count && !err; i++) {
        err = sc__csv_write_figure(findings->table, &findings->figures->all[i], diag);
    }
    if (!err) err = sc__csv_write_measures(findings->results, diag);
    if (!err) err = sc__csv_write_claims(findings->results->options, findings->claims, diag);
    return err;
}

/** What is made on the way. */
typedef struct work {
    sc_lab_table table;
    sc_lab_figures figures;
    sc_lab_claims claims;
} work;

static sc_err write_all(const sc_lab_results *results, work *w, sc_diag *diag)
{
    const sc_lab_findings findings = {
        .results = results, .table = &w->table, .figures = &w->figures, .claims = &w->claims};
    sc__figures_list(results->options, &w->figures);
    sc_err err = sc__table_init(&w->table, results, diag);
    if (!err) err = sc__claims_init(&w->claims, &w->table, diag);
    if (!err) err = write_numbers(&findings, diag);
    if (!err) err = remove_stale(&findings, diag);
    if (!err) err = sc__report_data_write(&findings, diag);
    return err;
}

static void sum_up_readings(const sc_lab_claims *claims, const sc_lab_options *options,
                            sc_lab_summary *summary)
{
    summary->reading_count = 0;
    for (sc_lab_reading reading = 0; reading < SC_LAB_READING_COUNT; reading++) {
        if (!claims->has_reading[reading]) continue;
        const sc_lab_verdicts all = sc__paper_claims_by_verdict(claims, reading);
        sc_lab_reading_summary *one = &summary->readings[summary->reading_count++];
        *one = (sc_lab_reading_summary){
            .reading = sc__reading_name(reading),
            .held = all.by_verdict[SC_LAB_HOLDS],
            .mostly_held = all.by_verdict[SC_LAB_MOSTLY_HOLDS],
            .failed = all.by_verdict[SC_LAB_FAILS],
            .untold = all.by_verdict[SC_LAB_UNTOLD],
        };
        for (size_t i = 0; i < SC_LAB_PAPER_CLAIMS; i++) {
            if (sc__paper_claim_verdict(claims, i, reading) != SC_LAB_MOSTLY_HOLDS) continue;
            one->exceptions[i] = sc__paper_claim_exceptions(claims, options, i, reading);
        }
    }
}

sc_err sc_lab_write(const sc_lab_results *results, sc_lab_summary *summary, sc_diag *diag)
{
    work *w = sc_calloc(1, sizeof *w);
    if (!w) return sc_fail_memory(diag, "writing the results");
    const sc_err err = write_all(results, w, diag);
    if (!err) {
        summary->figure_count = w->figures.count;
        summary->claims_held = w->claims.by_verdict[SC_LAB_HOLDS];
        summary->claims_failed = w->claims.by_verdict[SC_LAB_FAILS];
        summary->claims_untold = w->claims.by_verdict[SC_LAB_UNTOLD];
        sum_up_readings(&w->claims, results->options, summary);
    }
    sc__claims_fini(&w->claims);
    sc__table_fini(&w->table);
    sc_free(w);
    return err;
}

// === Running ====================================================================================

/** An experiment on its way. */
typedef struct experiment {
    const sc_lab_options *options;
    sc__store store;
    sc__plan plan;
    sc_lab_result *results;  ///< by point of the plan
    sc_lab_point *missing;   ///< points that are still to be done
    size_t missing_count;
} experiment;

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/** Take in what is there; the rest is missing. */
static sc_err load(experiment *x, sc_diag *diag)
{
    sc_err err = SC_OK;
    x->missing_count = 0;
    for (size_t i = 0; i < x->plan.count && !err; i++) {
        bool is_there = false;
        const sc_lab_point *point = &x->plan.points[i];
        err = sc__store_load(&x->store, point, &x->results[i], &is_there, diag);
        if (!is_there) x->missing[x->missing_count++] = *point;
    }
    return err;
}

static sc_err do_missing(experiment *x, const volatile sig_atomic_t *stop, sc_diag *diag)
{
    const sc__task task = {
        .store = &x->store,
        .points = x->missing,
        .count = x->missing_count,
        .done_before = x->plan.count - x->missing_count,
        .stop = stop,
    };
    sc_err err = sc__work(&task, diag);
    if (!err) err = load(x, diag);
    if (err || x->missing_count == 0) return err;
    char name[SC__POINT_NAME];
    return sc_fail(diag, SC_EIO, "%s: the point %s was written but cannot be read again",
                   x->options->directory, sc__point_name(x->options, &x->missing[0], name));
}

static sc_err run(experiment *x, const volatile sig_atomic_t *stop, sc_lab_summary *summary,
                  sc_diag *diag)
{
    if (sc__plan_init(&x->plan, x->options)) return SC_ENOMEM;
    x->results = sc_calloc(x->plan.count, sizeof *x->results);
    x->missing = sc_malloc_array(x->plan.count, sizeof *x->missing);
    if (!x->results || !x->missing) return SC_ENOMEM;
    sc_err err = load(x, diag);
    if (err) return err;
    summary->point_count = x->plan.count;
    summary->done_before = x->plan.count - x->missing_count;
    if (x->missing_count > 0) err = do_missing(x, stop, diag);
    if (err) return err;
    const sc_lab_results results = {
        .options = x->options, .all = x->results, .count = x->plan.count};
    return sc_lab_write(&results, summary, diag);
}

sc_err sc_lab_run(const sc_lab_options *options, const volatile sig_atomic_t *stop,
                  sc_lab_summary *summary, sc_diag *diag)
{
    const double start = wall_s();
    sc_diag why = {""};
    experiment x = {.options = options};
    sc_lab_summary so_far = {0};
    sc_err err = sc_lab_options_check(options, &why);
    if (!err) err = sc__store_open(&x.store, options, &why);
    if (!err) {
        err = run(&x, stop, &so_far, &why);
        sc__store_close(&x.store);
    }
    sc__plan_fini(&x.plan);
    sc_free(x.results);
    sc_free(x.missing);
    so_far.wall_s = wall_s() - start;
    if (!err) *summary = so_far;
    if (err == SC_ENOMEM && why.message[0] == '\0') sc_fail_memory(&why, "running the experiment");
    if (err && diag) *diag = why;
    return err;
}
