// Comparing an answer with a plain search. See answers.h.
#include "verify/answer_check.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/**
 * How far two distances may differ and still be the same: a millimetre, what rounding to four
 * decimals can do to a position and a distance, and the last digits of long sums.
 */
static double tolerance_m(double distance_m)
{
    return 1e-3 + 1e-4 + 1e-9 * distance_m;
}

static bool is_same(double a_m, double b_m)
{
    return fabs(a_m - b_m) <= tolerance_m(a_m);
}

// --- The plain search ------------------------------------------------------------------

static bool is_wanted(const sc_map *map, const sc_wish *wish, sc_object_id object)
{
    const sc_category_id category = sc_map_objects(map)[object].category;
    for (uint32_t i = 0; i < wish->category_count; i++) {
        if (wish->categories[i] == category) return true;
    }
    return wish->category_count == 0;
}

/** No object farther than this can be in an answer, by what is found so far. */
static double limit_m(const sc_answers *a, const sc_wish *wish)
{
    if (wish->is_range) return wish->radius_m + tolerance_m(wish->radius_m);
    if (wish->k == 0) return -HUGE_VAL;
    if (a->found_count < wish->k) return HUGE_VAL;
    const double last_m = a->found[wish->k - 1].distance_m;
    return last_m + tolerance_m(last_m);
}

// All objects that the answer may name, nearest first.
static sc_err search(sc_answers *a, const sc_watched *watched)
{
    a->found_count = 0;
    sc_err err = sc__distances_from(&a->distances, watched->edge, watched->offset_m);
    while (!err) {
        sc_found next = {SC_NONE, 0.0};
        err = sc__distances_next(&a->distances, limit_m(a, &watched->wish), &next.object,
                                 &next.distance_m);
        if (err || next.object == SC_NONE) break;
        if (!is_wanted(a->distances.map, &watched->wish, next.object)) continue;
        if (!sc_grow(&a->found, a->found_count, &a->found_capacity, sizeof *a->found)) {
            return SC_ENOMEM;
        }
        a->found[a->found_count++] = next;
    }
    return err;
}

// --- The comparison --------------------------------------------------------------------

static int compare_results_by_object(const void *a, const void *b)
{
    const sc_object_id left = ((const sc_event_result *)a)->object;
    const sc_object_id right = ((const sc_event_result *)b)->object;
    return (left > right) - (left < right);
}

static int compare_results_by_distance(const void *a, const void *b)
{
    const double left = ((const sc_event_result *)a)->distance_m;
    const double right = ((const sc_event_result *)b)->distance_m;
    return (left > right) - (left < right);
}

static int compare_found_by_object(const void *a, const void *b)
{
    const sc_object_id left = ((const sc_found *)a)->object;
    const sc_object_id right = ((const sc_found *)b)->object;
    return (left > right) - (left < right);
}

/** The order in which they were told: none is nearer than one before it. */
static bool is_nearest_first(const sc_watched *watched)
{
    double farthest_m = 0.0;
    for (size_t i = 0; i < watched->result_count; i++) {
        const double distance_m = watched->results[i].distance_m;
        if (distance_m < farthest_m - tolerance_m(farthest_m)) return false;
        farthest_m = fmax(farthest_m, distance_m);
    }
    return true;
}

/** How many objects an answer must name; for a range, those on its very rim are left open. */
static size_t count_due(const sc_answers *a, const sc_wish *wish)
{
    if (!wish->is_range) return a->found_count < wish->k ? a->found_count : wish->k;
    const double safe_m = wish->radius_m - tolerance_m(wish->radius_m);
    size_t count = 0;
    while (count < a->found_count && a->found[count].distance_m <= safe_m) {
        count++;
    }
    return count;
}

static bool has_right_count(const sc_answers *a, const sc_watched *watched, sc_findings *findings)
{
    const size_t due = count_due(a, &watched->wish);
    const size_t most = watched->wish.is_range ? a->found_count : due;
    if (watched->result_count >= due && watched->result_count <= most) return true;
    sc__wrong(findings, SC_PROMISE_ANSWERS, "query %s has %zu results, a plain search finds %zu",
              watched->name.text, watched->result_count, due);
    return false;
}

// The objects that must be named are named, as far as distances tell: the i-th nearest of
// the answer is as far as the i-th nearest there is. What lies on the rim comes last.
static bool has_right_distances(const sc_answers *a, const sc_watched *watched,
                                sc_findings *findings)
{
    if (watched->result_count == 0) return true;
    qsort(watched->results, watched->result_count, sizeof *watched->results,
          compare_results_by_distance);
    const size_t due = count_due(a, &watched->wish);
    for (size_t i = 0; i < due; i++) {
        if (is_same(a->found[i].distance_m, watched->results[i].distance_m)) continue;
        sc__wrong(findings, SC_PROMISE_ANSWERS,
                  "query %s: a plain search finds another distance for number %zu",
                  watched->name.text, i + 1);
        return false;
    }
    return true;
}

// Each object named is one that may be, at the distance it has, and is named once. Sorts
// what was found.
static bool has_right_objects(sc_answers *a, const sc_watched *watched, sc_findings *findings)
{
    if (watched->result_count == 0) return true;
    qsort(a->found, a->found_count, sizeof *a->found, compare_found_by_object);
    qsort(watched->results, watched->result_count, sizeof *watched->results,
          compare_results_by_object);
    for (size_t i = 0; i < watched->result_count; i++) {
        const sc_event_result *result = &watched->results[i];
        const sc_found key = {result->object, 0.0};
        const sc_found *found =
            bsearch(&key, a->found, a->found_count, sizeof *a->found, compare_found_by_object);
        const char *what = NULL;
        if (!found) what = "not among what a plain search finds";
        if (found && !is_same(found->distance_m, result->distance_m)) what = "not as far as told";
        if (i > 0 && result->object == result[-1].object) what = "named twice";
        if (!what) continue;
        // Which object is not said: it is near the traveller.
        sc__wrong(findings, SC_PROMISE_ANSWERS, "query %s: an object of the answer is %s",
                  watched->name.text, what);
        return false;
    }
    return true;
}

sc_err sc__answers_look(sc_answers *answers, sc_watched *watched, sc_findings *findings)
{
    const sc_map *map = answers->distances.map;
    sc__looked_at(findings, SC_PROMISE_ANSWERS);
    if (watched->edge >= sc_map_edge_count(map)) {
        sc__wrong(findings, SC_PROMISE_ANSWERS, "query %s is on no edge of the map",
                  watched->name.text);
        return SC_OK;
    }
    const sc_err err = search(answers, watched);
    if (err) return err;
    const bool is_in_order = is_nearest_first(watched);  // asked first: the others sort
    // Each stops at its first complaint: an answer is wrong once.
    if (has_right_count(answers, watched, findings) &&
        has_right_distances(answers, watched, findings) &&
        has_right_objects(answers, watched, findings) && !is_in_order) {
        sc__wrong(findings, SC_PROMISE_ANSWERS,
                  "query %s: the answer is not in order, nearest first", watched->name.text);
    }
    return SC_OK;
}

sc_err sc__answers_init(sc_answers *answers, const sc_map *map)
{
    *answers = (sc_answers){.found = NULL};
    return sc__distances_init(&answers->distances, map);
}

void sc__answers_fini(sc_answers *answers)
{
    sc__distances_fini(&answers->distances);
    sc_free(answers->found);
    *answers = (sc_answers){.found = NULL};
}
