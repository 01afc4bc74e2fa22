// Do neighbouring lists contradict each other? See reply_internal.h.
//
// A provider may leave out, move or invent objects; most of that cannot be seen from here. What
// can: two points are a piece of road apart, so an object is about as far from the one as from the
// other, and one that is well within the reach of both lists is in both. A provider that gives at
// most so many objects, or none beyond some distance, and does not say so, is found out that way.
#include "points/point_reply.h"

#include "base/diag.h"

#include <math.h>

/** Two points next to each other on a road, and their lists of one topic. */
typedef struct pair {
    const sc_point_reply *reply;
    const sc__point *points[2];
    const sc__point_list *lists[2];
    double apart_m;  ///< no object is nearer to the one than to the other by more than this
    sc_diag *diag;
} pair;

// An object that is in one list and not in the other.
static sc_err check_missing(const pair *p, const sc_near *near, int other)
{
    const sc__item *item = &p->reply->stock.items[near->object];
    const sc__point *point = p->points[other];
    const double at_most_m =
        p->reply->cover.distance == SC_POINT_ROAD
            ? near->distance_m + p->apart_m
            : sc__straight_m(p->reply->map, point->x, point->y, item->x, item->y);
    if (at_most_m >= p->lists[other]->complete_m) return SC_OK;
    return sc_fail(p->diag, SC_EREPLY,
                   "the provider leaves out an object at one point that it names at the next; does "
                   "it give fewer objects than asked for, or none beyond some distance?");
}

static sc_err check_both(const pair *p, const sc_near *a, const sc_near *b)
{
    if (fabs(a->distance_m - b->distance_m) <= p->apart_m) return SC_OK;
    return sc_fail(p->diag, SC_EREPLY,
                   "the provider's distances of one object from two points differ by more than the "
                   "road between them; does it measure by road, both ways alike?");
}

// Lists are sorted by object.
static sc_err check_pair(const pair *p)
{
    const sc_near *a = p->lists[0]->nears;
    const sc_near *b = p->lists[1]->nears;
    const sc_near *a_end = a + p->lists[0]->count;
    const sc_near *b_end = b + p->lists[1]->count;
    sc_err err = SC_OK;
    while (!err && (a < a_end || b < b_end)) {
        if (b == b_end || (a < a_end && a->object < b->object)) {
            err = check_missing(p, a++, 1);
        } else if (a == a_end || b->object < a->object) {
            err = check_missing(p, b++, 0);
        } else if (p->reply->cover.distance == SC_POINT_ROAD) {
            err = check_both(p, a++, b++);
        } else {
            // Straight distances were measured here, and agree.
            a++;
            b++;
        }
    }
    return err;
}

static sc_err check_piece(const sc_point_reply *reply, uint32_t first, uint32_t second,
                          double length_m, sc_diag *diag)
{
    const sc__cover *cover = &reply->cover;
    pair p = {.reply = reply,
              .points = {&cover->points[first], &cover->points[second]},
              .apart_m = length_m * (1.0 + SC__ROAD_SHARE) + 2.0 * reply->grain_m,
              .diag = diag};
    for (size_t topic = 0; topic < reply->topics.count; topic++) {
        p.lists[0] = &reply->lists[topic * cover->point_count + first];
        p.lists[1] = &reply->lists[topic * cover->point_count + second];
        const sc_err err = check_pair(&p);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__point_reply_believe(const sc_point_reply *reply, sc_diag *diag)
{
    const sc__cover *cover = &reply->cover;
    for (size_t i = 0; i < cover->segment_count; i++) {
        const uint32_t pieces = cover->first_stop[i + 1] - cover->first_stop[i] - 1;
        const uint32_t *stops = cover->stops + cover->first_stop[i];
        for (uint32_t piece = 0; piece < pieces; piece++) {
            const sc_err err = check_piece(reply, stops[piece], stops[piece + 1],
                                           cover->lengths_m[i] / pieces, diag);
            if (err) return err;
        }
    }
    return SC_OK;
}
