// All files of an experiment. See output.h.
//
// First the numbers; then what an earlier run left is removed; report.json comes last, so that a
// folder with it is whole.
#include "lab/output.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lab/lab_output.h"

#include <stdio.h>
#include <string.h>

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
    if (!err) err = sc__output_remove_stale(&findings, diag);
    if (!err) err = sc__report_data_write(&findings, diag);
    return err;
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
        const sc_lab_tally paper = sc__paper_claims_by_verdict(&w->claims);
        summary->paper_claims_held = paper.by_verdict[SC_LAB_HOLDS];
        summary->paper_claims_failed = paper.by_verdict[SC_LAB_FAILS];
        summary->paper_claims_untold = paper.by_verdict[SC_LAB_UNTOLD];
    }
    sc__claims_fini(&w->claims);
    sc__table_fini(&w->table);
    sc_free(w);
    return err;
}
