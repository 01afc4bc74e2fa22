// Is it the exact answer? Compared with a plain search from where the traveller is.
//
// As many objects, as far away, and the very ones, told as the map tells them. Objects that are
// equally far may be in any order; and if one is as far as the last that was asked for but was not
// asked for any more, it may have been told instead. So the search asks for one more than the
// traveller, and the last ones count as known only if that one is farther.
//
// A service may change its map during the run: then the answer is that of one of them.
#include <starcloak/relay.h>

#include "demo/loadgen/clients.h"
#include "demo/loadgen/reply_checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** Positions are told rounded, and so are distances and times: metres, or seconds. */
#define TOLERANCE 0.002

/** What a plain search finds. */
typedef struct truth {
    const sc_objects *objects;
    const sc_near *nears;
    size_t count;  ///< of the answer
    sc_metric metric;
    double tie;  ///< objects from here on may be others, as far away; HUGE_VAL: none may
} truth;

static void disagree(sc_reply_check *check, const char *how, size_t wanted)
{
    check->is_violated = true;
    check->violation = SC_VIOLATION_WRONG_ANSWER;
    snprintf(check->remark, sizeof check->remark, "%s (%zu objects, %zu by a plain search)", how,
             check->object_count, wanted);
}

/** The number of a category of the run's map among the objects of another; SC_NONE: they have none
 * of it. */
static sc_category_id category_among(const sc_objects *objects, const sc_objects *of_run,
                                     sc_category_id category)
{
    const sc_vocabulary *words = sc_objects_vocabulary(objects);
    const char *wanted = sc_objects_vocabulary(of_run)->names[category];
    for (uint32_t i = 0; i < words->count; i++) {
        if (strcmp(words->names[i], wanted) == 0) return i;
    }
    return SC_NONE;
}

/** @param place  of the map: 0 is that of the run */
static sc_err search(const sc__client_group *group, const sc__client_query *question, size_t place,
                     truth *out)
{
    const sc_load_options *options = group->options;
    const sc_map *map = place == 0 ? group->shared->map : options->others[place - 1].map;
    sc_request request = {
        .type = SC_REQUEST_KNN, .metric = question->metric, .k = question->nearest + 1};
    out->objects = place == 0 ? options->objects : options->others[place - 1].objects;
    out->metric = question->metric;
    out->tie = HUGE_VAL;
    out->count = 0;
    if (question->category != SC_NONE) {
        request.category_count = 1;
        request.categories[0] = category_among(out->objects, options->objects, question->category);
        if (request.categories[0] == SC_NONE) return SC_OK;
    }
    sc_edge_id edge = 0;
    double offset_m = 0;
    sc_err err =
        sc__request_writer_position(group->shared->writer, map, question, &edge, &offset_m);
    if (!err) {
        err = sc_lbs_nearest(group->lbs[place], out->objects,
                             &(sc_near_query){{.edge = edge, .offset_m = offset_m}, &request},
                             &out->nears, &out->count, NULL);
    }
    if (err || out->count <= question->nearest) return err;
    const double beyond = sc_near_cost(&out->nears[--out->count], out->metric);
    const double last = sc_near_cost(&out->nears[out->count - 1], out->metric);
    if (beyond - last <= TOLERANCE) out->tie = last - TOLERANCE;
    return SC_OK;
}

static uint64_t mark_of(const sc_objects *objects, uint32_t number)
{
    const sc_object_table *table = sc_objects_table(objects);
    const sc_vocabulary *vocabulary = sc_objects_vocabulary(objects);
    const sc_object *object = &table->objects[number];
    char digits[16];
    const char *id = digits;
    if (table->keys && table->strings) {
        id = table->strings + table->keys[number];
    } else {
        snprintf(digits, sizeof digits, "%" PRIu32, number);
    }
    const char *category =
        object->category < vocabulary->count ? vocabulary->names[object->category] : "";
    return sc_object_digest(id, category, table->strings ? table->strings + object->name : "");
}

/** Whether `near` is as far as object `i` of the reply: in both measures, which are of one way. */
static bool is_as_far(const sc_near *near, const sc_reply_check *check, size_t i)
{
    return fabs(near->distance_m - check->distances_m[i]) <= TOLERANCE &&
           (check->durations_s[i] == SC_UNKNOWN_S ||
            fabs(near->duration_s - check->durations_s[i]) <= TOLERANCE);
}

/** Whether it is one of those that were found, and there: of equally far ones, any. */
static bool is_found(const truth *found, const sc_reply_check *check, size_t i)
{
    for (size_t n = 0; n < found->count; n++) {
        if (is_as_far(&found->nears[n], check, i) &&
            mark_of(found->objects, found->nears[n].object) == check->digests[i]) {
            return true;
        }
    }
    return sc__reply_cost(check, i, found->metric) >= found->tie;
}

static bool is_told_before(const sc_reply_check *check, size_t i)
{
    for (size_t before = 0; before < i; before++) {
        if (check->digests[before] == check->digests[i]) return true;
    }
    return false;
}

static void compare(sc_reply_check *check, const truth *found)
{
    const size_t count = found->count;
    if (count != check->object_count) {
        disagree(check, "another number of objects", count);
        return;
    }
    for (size_t i = 0; i < count && !check->is_violated; i++) {
        const double wanted = sc_near_cost(&found->nears[i], found->metric);
        if (fabs(wanted - sc__reply_cost(check, i, found->metric)) > TOLERANCE) {
            disagree(check, found->metric == SC_METRIC_TIME ? "another time" : "another distance",
                     count);
        } else if (is_told_before(check, i)) {
            disagree(check, "an object twice", count);
        } else if (!is_found(found, check, i)) {
            disagree(check, "another object, another way or another name", count);
        }
    }
}

/** Of several the remark is about the map of the run. */
void sc__reply_check_exact(sc__client_group *group, const sc__client *client)
{
    sc_reply_check *check = group->check;
    char remark[sizeof check->remark] = "";
    group->counts->checked++;
    for (size_t i = 0; i <= group->options->other_count; i++) {
        truth found = {0};
        const sc_err err = search(group, &client->question, i, &found);
        if (err) {
            group->err = err;
            return;
        }
        check->is_violated = false;
        compare(check, &found);
        if (!check->is_violated) {
            group->counts->exact_on[i]++;
            return;
        }
        if (i == 0) memcpy(remark, check->remark, sizeof remark);
    }
    memcpy(check->remark, remark, sizeof remark);
}
