// Travellers who do as recorded ones did: options, and what becomes of them. See follow.h;
// follow_internal.h says what the other files do.
#include "traces/follow.h"

#include "base/diag.h"
#include "traces/follow_internal.h"

#include <math.h>

sc_follow_options sc_follow_options_default(void)
{
    return (sc_follow_options){.max_snap_m = 100, .max_gap_s = 300, .seed = 1, .end_s = HUGE_VAL};
}

// Conditions are such that what is not a number fails them.
static sc_err check_options(const sc_follow_options *options, sc_diag *diag)
{
    if (!(options->max_snap_m >= 0)) {
        return sc_fail(diag, SC_EINVAL, "a fix may be 0 m or more from a road, not %g m",
                       options->max_snap_m);
    }
    if (!(options->max_gap_s > 0)) {
        return sc_fail(diag, SC_EINVAL, "fixes may be more than 0 s apart, not %g s",
                       options->max_gap_s);
    }
    if (options->fold_s != 0 && !(options->fold_s >= 1 && isfinite(options->fold_s))) {
        return sc_fail(diag, SC_EINVAL,
                       "windows to fold recorded time into must last 1 s or more, not %g s",
                       options->fold_s);
    }
    if (options->has_start && !isfinite(options->start_s)) {
        return sc_fail(diag, SC_EINVAL, "the start must be a moment, not %g", options->start_s);
    }
    if (isnan(options->end_s) || (options->has_start && options->end_s <= options->start_s)) {
        return sc_fail(diag, SC_EINVAL, "recorded time must end after its start");
    }
    return SC_OK;
}

static void count_fixes(sc__gathering *g)
{
    sc_follow_summary *summary = &g->maker.summary;
    const sc__fixes *fixes = &g->maker.fixes;
    summary->fix_count = fixes->fix_count;
    summary->outside_count = fixes->fix_count;
    for (uint32_t i = 0; i < fixes->track_count; i++) {
        const size_t first = sc__fix_search(fixes, i, 0);
        const size_t end = sc__fix_search(fixes, i, fixes->frame.end);
        if (end > first) summary->outside_count -= end - first;
    }
}

static sc_err fail_nobody(const sc_follow_summary *summary, const sc_follow_options *options,
                          sc_diag *diag)
{
    return sc_fail(diag, SC_EINVAL,
                   "nobody in the traces is ever on the roads; fixes: %zu in all, %zu before the "
                   "start or after the end, %zu more than %g m from any road; pairs of the others: "
                   "%zu more than %g s apart, %zu without a way between them; movement needs two "
                   "fixes of a track, "
                   "and traces and map that show the same place in the same coordinates",
                   summary->fix_count, summary->outside_count, summary->far_count,
                   options->max_snap_m, summary->gap_count, options->max_gap_s,
                   summary->no_way_count);
}

static sc_err make(sc__gathering *g, const sc_map *map, const sc_routes *routes,
                   const sc_traces *traces, const sc_follow_options *options,
                   const sc_progress *progress, sc_movement **out, sc_diag *diag)
{
    sc__maker *maker = &g->maker;
    maker->unit_m = sc_map_unit_m(map);
    sc_err err = sc__way_finder_init(&maker->finder, map, routes);
    if (!err) err = sc__fixes_init(&maker->fixes, map, traces, options);
    if (err) return err;
    count_fixes(g);
    err = sc__episodes_list(&g->episodes, &maker->fixes);
    if (err == SC_ELIMIT) {
        return sc_fail(diag, SC_EINVAL,
                       "folding makes more than %u travellers; choose longer windows",
                       SC_TRAVELLERS_MAX);
    }
    if (!err) err = sc__gather(g, options->max_count, options->seed, progress);
    if (err) return err;
    maker->summary.far_count = maker->fixes.far_count;
    maker->summary.traveller_count = g->count;
    if (g->count == 0) return fail_nobody(&maker->summary, options, diag);
    return sc__gathering_finish(g, out);
}

sc_err sc_follow_new(const sc_map *map, const sc_routes *routes, const sc_traces *traces,
                     const sc_follow_options *options, const sc_progress *progress,
                     sc_movement **out, sc_follow_summary *summary, sc_diag *diag)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so traces cannot be put on its roads");
    }
    sc_err err = check_options(options, diag);
    if (err) return err;
    sc__gathering g = {0};
    err = make(&g, map, routes, traces, options, progress, out, diag);
    if (err == SC_ENOMEM) err = sc_fail_memory(diag, "following traces");
    if (!err && summary) *summary = g.maker.summary;
    sc__gathering_fini(&g);
    return err;
}
