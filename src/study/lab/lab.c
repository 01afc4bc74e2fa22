// The laboratory from end to end. See lab.h.
#include "lab/lab.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lab/output.h"
#include "lab/plan.h"
#include "lab/store.h"
#include "lab/workers.h"

#include <time.h>

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
    return sc_fail(diag, SC_EIO, "%s: the point %s was written and cannot be read again",
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
