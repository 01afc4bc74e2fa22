// Is it the exact answer? Compared with a plain search from where the traveller is.
//
// As many objects, as far away, and the very ones, told as the map tells them. Objects that are
// equally far may be in any order; and if one is as far as the last that was asked for but was not
// asked for any more, it may have been told instead. So the search asks for one more than the
// traveller, and the last ones count as known only if that one is farther.
#include "demo/loadgen/clients.h"

#include <starcloak/relay.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/** Positions are told rounded, and so are distances. */
#define TOLERANCE_M 0.002

/** What a plain search finds. */
typedef struct truth {
    const sc_objects *objects;
    const sc_near *nears;
    size_t count;  ///< of the answer
    double tie_m;  ///< objects from here on may be others, as far away; HUGE_VAL: none may
} truth;

static void disagree(sc_verdict *verdict, const char *how, size_t wanted)
{
    verdict->is_violated = true;
    verdict->violation = SC_VIOLATION_WRONG_ANSWER;
    snprintf(verdict->remark, sizeof verdict->remark, "%s (%zu objects, %zu by a plain search)",
             how, verdict->object_count, wanted);
}

static sc_err search(const sc__flock *flock, const sc__question *question, truth *out)
{
    sc_request request = {.type = SC_REQUEST_KNN, .k = question->nearest + 1};
    if (question->category != SC_NONE) {
        request.category_count = 1;
        request.categories[0] = question->category;
    }
    sc_edge_id edge = 0;
    double offset_m = 0;
    out->objects = flock->options->objects;
    sc_err err = sc__words_place(flock->course->words, question, &edge, &offset_m);
    if (!err) {
        err = sc_lbs_nearest(flock->lbs, out->objects, &(sc_near_query){{edge, offset_m}, &request},
                             &out->nears, &out->count, NULL);
    }
    out->tie_m = HUGE_VAL;
    if (err || out->count <= question->nearest) return err;
    const double beyond_m = out->nears[--out->count].distance_m;
    const double last_m = out->nears[out->count - 1].distance_m;
    if (beyond_m - last_m <= TOLERANCE_M) out->tie_m = last_m - TOLERANCE_M;
    return SC_OK;
}

static uint64_t mark_of(const sc_objects *objects, uint32_t number)
{
    const sc_object_table *table = sc_objects_table(objects);
    const sc_vocabulary *words = sc_objects_vocabulary(objects);
    const sc_object *object = &table->objects[number];
    char digits[16];
    const char *id = digits;
    if (table->keys) {
        id = table->strings + table->keys[number];
    } else {
        snprintf(digits, sizeof digits, "%" PRIu32, number);
    }
    const char *category = object->category < words->count ? words->names[object->category] : "";
    return sc_object_mark(id, category, table->strings ? table->strings + object->name : "");
}

/** Whether it is one of those that were found, and there: of equally far ones, any. */
static bool is_found(const truth *found, uint64_t mark, double distance_m)
{
    for (size_t i = 0; i < found->count; i++) {
        if (fabs(found->nears[i].distance_m - distance_m) <= TOLERANCE_M &&
            mark_of(found->objects, found->nears[i].object) == mark) {
            return true;
        }
    }
    return distance_m >= found->tie_m;
}

static bool is_told_before(const sc_verdict *verdict, size_t i)
{
    for (size_t before = 0; before < i; before++) {
        if (verdict->marks[before] == verdict->marks[i]) return true;
    }
    return false;
}

static void compare(sc_verdict *verdict, const truth *found)
{
    const size_t count = found->count;
    if (count != verdict->object_count) {
        disagree(verdict, "another number of objects", count);
        return;
    }
    for (size_t i = 0; i < count && !verdict->is_violated; i++) {
        const double distance_m = verdict->distances_m[i];
        if (fabs(found->nears[i].distance_m - distance_m) > TOLERANCE_M) {
            disagree(verdict, "another distance", count);
        } else if (is_told_before(verdict, i)) {
            disagree(verdict, "an object twice", count);
        } else if (!is_found(found, verdict->marks[i], distance_m)) {
            disagree(verdict, "another object, or one that is called otherwise", count);
        }
    }
}

void sc__exact_check(sc__flock *flock, const sc__call *call)
{
    truth found = {0};
    const sc_err err = search(flock, &call->question, &found);
    if (err) {
        flock->err = err;
        return;
    }
    flock->books->checked++;
    compare(flock->verdict, &found);
}
