// Comparing answers with plain searches. See checks.h.
#include "sim/checks.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>

/** Distances that differ by more are different. */
#define TOLERANCE_M 1e-3

/** Where all are compared, so many at a time. */
enum { BATCH = 1024 };

static bool wants_all(const sc_checks *checks)
{
    return checks->wanted > UINT32_MAX;
}

static sc_err compare(sc_checks *checks, const sc_check *check, sc_diag *diag)
{
    const sc_near *nearest = NULL;
    size_t count = 0;
    const sc_near_query query = {{check->edge, check->offset_m}, &check->request};
    const sc_err err = sc_lbs_nearest(checks->lbs, checks->objects, &query, &nearest, &count, diag);
    if (err) return err;
    bool is_right = count == check->count;
    for (size_t i = 0; i < count && is_right; i++) {
        is_right = fabs(nearest[i].distance_m - check->distances_m[i]) <= TOLERANCE_M;
    }
    checks->checked++;
    if (is_right) return SC_OK;
    if (checks->wrong++ == 0) checks->first_wrong = check->line;
    return SC_OK;
}

static sc_err compare_kept(sc_checks *checks, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < checks->kept_count && !err; i++) {
        err = compare(checks, &checks->kept[i], diag);
    }
    for (size_t i = 0; i < checks->kept_count; i++) {
        sc_free(checks->kept[i].distances_m);
    }
    checks->kept_count = 0;
    return err;
}

// Let go of all but `wanted`, spread evenly: one wherever i * wanted / count takes a step.
static void thin_out(sc_checks *checks, uint64_t wanted)
{
    const uint64_t count = checks->kept_count;
    size_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        const bool is_kept = i * wanted / count != (i + 1) * wanted / count;
        if (is_kept) {
            checks->kept[kept++] = checks->kept[i];
        } else {
            sc_free(checks->kept[i].distances_m);
        }
    }
    checks->kept_count = kept;
}

static sc_err keep(sc_checks *checks, sc_check check, const sc_near *results)
{
    if (!sc_grow(&checks->kept, checks->kept_count, &checks->kept_capacity, sizeof check)) {
        return SC_ENOMEM;
    }
    check.distances_m = sc_malloc_array(check.count, sizeof *check.distances_m);
    if (!check.distances_m) return SC_ENOMEM;
    for (size_t i = 0; i < check.count; i++) {
        check.distances_m[i] = results[i].distance_m;
    }
    checks->kept[checks->kept_count++] = check;
    return SC_OK;
}

sc_err sc_checks_add(sc_checks *checks, sc_check check, const sc_near *results, sc_diag *diag)
{
    if (checks->wanted == 0) return SC_OK;
    if (checks->stride == 0) checks->stride = 1;
    if (checks->seen++ % checks->stride != 0) return SC_OK;
    if (keep(checks, check, results)) return sc_fail_memory(diag, "checking answers");
    if (wants_all(checks)) {
        return checks->kept_count == BATCH ? compare_kept(checks, diag) : SC_OK;
    }
    // Those at odd places go, so that the rest are at multiples of the new stride.
    if (checks->kept_count == 2 * checks->wanted) {
        for (size_t i = 0; i < checks->kept_count; i += 2) {
            sc_free(checks->kept[i + 1].distances_m);
            checks->kept[i / 2] = checks->kept[i];
        }
        checks->kept_count /= 2;
        checks->stride *= 2;
    }
    return SC_OK;
}

sc_err sc_checks_finish(sc_checks *checks, sc_diag *diag)
{
    if (checks->kept_count > checks->wanted) thin_out(checks, checks->wanted);
    return compare_kept(checks, diag);
}

void sc_checks_fini(sc_checks *checks)
{
    for (size_t i = 0; i < checks->kept_count; i++) {
        sc_free(checks->kept[i].distances_m);
    }
    sc_free(checks->kept);
    checks->kept = NULL;
    checks->kept_count = 0;
    checks->kept_capacity = 0;
}
