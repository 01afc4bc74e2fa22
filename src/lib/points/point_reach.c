// How far the answer at a point must reach, and how many objects to ask for until it does.
//
// Let h be the half gap of point p: whoever's nearer point p is, is within h of it. Let D be the
// distance from p to the k-th nearest object of a topic. Then, by the triangle inequality alone,
//
//   - k objects are within D + h of the traveller q: those that are within D of p;
//   - so any of q's k nearest is within D + h of q, and within D + 2h of p;
//   - any object within radius R of q is within R + h of p.
//
// So a list that holds every object within D + 2h, or R + h, of p holds the answer of every place
// whose nearer point is p. docs/point-provider.md goes on from there.
//
// How many objects that takes depends on the provider's own answers and on nothing that it
// does not know.
#include "points/point_reply.h"

#include "base/diag.h"

#include <inttypes.h>
#include <math.h>

/** The first question for a range, of which nobody knows what it holds. */
enum { FIRST_K = 16 };

static uint32_t at_most(uint64_t k, uint32_t max_k)
{
    return k < max_k ? (uint32_t)k : max_k;
}

// How far the list must be complete, given what it says of the k-th object.
static double needed_m(const sc__topic *topic, const sc__point *point, const sc__point_list *list)
{
    const double counted_m = topic->k > 0 ? list->kth_m + 2.0 * point->half_gap_m : 0.0;
    const double range_m = topic->radius_m >= 0.0 ? topic->radius_m + point->half_gap_m : 0.0;
    return fmax(counted_m, range_m);
}

sc_err sc__point_reply_next_k(const sc_point_reply *reply, size_t at, uint32_t max_k, uint32_t *out,
                              sc_diag *diag)
{
    const sc__point_list *list = &reply->lists[at];
    const sc__topic *topic = sc__asked_topic(reply, at);
    if (topic->k > max_k) {
        return sc_fail(diag, SC_ELIMIT,
                       "a request is for %" PRIu32 " objects, and the provider's largest k is "
                       "%" PRIu32,
                       topic->k, max_k);
    }
    if (list->k == 0) {
        // Twice as many as wanted usually reach far enough at once.
        const uint64_t first = 2 * (uint64_t)topic->k;
        *out = at_most(first > FIRST_K ? first : FIRST_K, max_k);
        return SC_OK;
    }
    if (list->complete_m >= needed_m(topic, sc__asked_point(reply, at), list)) {
        *out = 0;
        return SC_OK;
    }
    if (list->k == max_k) {
        return sc_fail(diag, SC_ELIMIT,
                       "the %" PRIu32 " nearest objects do not reach far enough around a point of "
                       "the cloak; allow a larger k if the provider does, or a narrower spacing",
                       max_k);
    }
    *out = at_most(2 * (uint64_t)list->k, max_k);
    return SC_OK;
}
