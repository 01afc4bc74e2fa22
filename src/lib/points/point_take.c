// One answer goes into its list, if it makes sense by itself. See reply_internal.h.
//
// Refused are: more objects than asked for, or fewer than at the time when fewer were asked for;
// an object twice, or at another place than before; an order that is not by distance; a distance
// that is not the straight one, where that is promised, or far less than the straight one.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <math.h>

/** What all lists of one cloak may hold: 64 MiB. */
#define NEARS_MAX ((size_t)4 << 20)

/** Ways are not much shorter than straight lines; by this much they are in other units. */
#define ROAD_LEAST_SHARE 0.5

/** An object may be so many grains from its road. */
#define OFF_ROAD_GRAINS 100.0

/** How the rows of one answer are looked at. */
typedef struct taking {
    sc_point_reply *reply;
    sc_point_distance distance;
    const sc__point *point;
    double farthest_m;  ///< the largest distance so far, as the provider says
    uint64_t answer;
    sc_diag *diag;
} taking;

static sc_err measure_straight(const taking *t, const sc__row *row, double straight_m, double *out)
{
    *out = straight_m;
    if (!row->has_distance) return SC_OK;
    const double tolerance_m =
        SC__STRAIGHT_SHARE * fmax(straight_m, row->distance_m) + t->reply->grain_m;
    if (fabs(row->distance_m - straight_m) <= tolerance_m) return SC_OK;
    return sc_fail(t->diag, SC_EREPLY,
                   "the provider's distance is not as the crow flies; is it by road, or not in "
                   "metres?");
}

static sc_err measure_road(const taking *t, const sc__row *row, double straight_m, double *out)
{
    *out = row->distance_m;
    const double least_m = ROAD_LEAST_SHARE * straight_m - OFF_ROAD_GRAINS * t->reply->grain_m;
    if (row->distance_m >= least_m || !sc_map_is_in_metres(t->reply->map)) return SC_OK;
    return sc_fail(t->diag, SC_EREPLY,
                   "the provider's distance is far shorter than the straight line; is it in "
                   "metres?");
}

// The distance that counts, after a look at what the provider says it is.
static sc_err measure(taking *t, const sc__row *row, double *out)
{
    const double straight_m =
        sc__straight_m(t->reply->map, t->point->x, t->point->y, row->x, row->y);
    const sc_err err = t->distance == SC_POINT_ROAD ? measure_road(t, row, straight_m, out)
                                                    : measure_straight(t, row, straight_m, out);
    if (err) return err;

    // Distances that we measure may differ a little from those that the provider sorted by.
    const double said_m = row->has_distance ? row->distance_m : straight_m;
    const double tolerance_m =
        row->has_distance ? 0.0 : 2.0 * SC__STRAIGHT_SHARE * t->farthest_m + t->reply->grain_m;
    if (said_m + tolerance_m < t->farthest_m) {
        return sc_fail(t->diag, SC_EREPLY,
                       "an answer of the provider is not in the order of distance, nearest first");
    }
    t->farthest_m = fmax(t->farthest_m, said_m);
    return SC_OK;
}

static sc_err take_rows(taking *t, const sc__answer *answer, sc_near *nears)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        sc_err err = measure(t, &answer->rows[i], &nears[i].distance_m);
        if (!err) {
            err = sc__stock_put(&t->reply->stock, &answer->rows[i], t->answer, &nears[i].object,
                                t->diag);
        }
        if (err) return err;
    }
    return SC_OK;
}

// Up to where every object is in the list.
static double complete_m(const taking *t, const sc__point_list *list)
{
    if (list->count < list->k) return HUGE_VAL;
    const double last_m = list->nears[list->count - 1].distance_m;
    if (t->distance == SC_POINT_ROAD) return last_m;
    // Left out is what the provider measures as farther than its last; by our measure that
    // may be a little nearer.
    return last_m * (1.0 - 2.0 * SC__STRAIGHT_SHARE) - t->reply->grain_m;
}

// As many objects as the topic asks for are at most so far away: its first k. By our measure they
// need not be the nearest k, but then those are nearer still.
static double kth_m(const sc__topic *topic, const sc__point_list *list)
{
    double farthest_m = 0.0;
    for (uint32_t i = 0; i < topic->k && i < list->count; i++) {
        farthest_m = fmax(farthest_m, list->nears[i].distance_m);
    }
    return farthest_m;
}

static sc_err check_count(const sc_point_reply *reply, const sc__point_list *old, uint32_t count,
                          sc_diag *diag)
{
    if (count < old->count) {
        return sc_fail(diag, SC_EREPLY,
                       "the provider has %" PRIu32 " objects when asked for more, and had %" PRIu32
                       " before",
                       count, old->count);
    }
    if (reply->near_count - old->count + count > NEARS_MAX) {
        return sc_fail(diag, SC_ELIMIT,
                       "the answers for one cloak hold more than %zu objects together; allow a "
                       "wider spacing, or ask for fewer",
                       NEARS_MAX);
    }
    return SC_OK;
}

sc_err sc__point_reply_take(sc_point_reply *reply, const sc__point_settings *settings,
                            const sc_vocabulary *vocabulary, size_t at, uint32_t k,
                            const char *bytes, size_t size, sc_diag *diag)
{
    const sc__topic *topic = sc__asked_topic(reply, at);
    sc__answer answer;
    sc_err err = sc__answer_parse(settings, sc_map_coords(reply->map), vocabulary,
                                  (sc__question){k, topic->category}, bytes, size, &answer, diag);
    if (err) return err;

    sc__point_list *old = &reply->lists[at];
    sc__point_list list = {.count = answer.count, .k = k};
    taking t = {.reply = reply,
                .distance = settings->options.distance,
                .point = sc__asked_point(reply, at),
                .answer = ++reply->work.questions,
                .diag = diag};
    err = check_count(reply, old, answer.count, diag);
    if (err) goto done;
    list.nears = sc_malloc_array(answer.count, sizeof *list.nears);
    if (!list.nears) {
        err = sc_fail_memory(diag, "keeping what the provider said");
        goto done;
    }
    err = take_rows(&t, &answer, list.nears);
    if (err) goto done;

    list.kth_m = kth_m(topic, &list);
    list.complete_m = complete_m(&t, &list);
    reply->near_count = reply->near_count - old->count + list.count;
    reply->work.candidates += list.count;
    reply->work.bytes_in += size;
    const sc__point_list replaced = *old;
    *old = list;
    list = replaced;
done:
    sc_free(list.nears);
    sc__answer_fini(&answer);
    return err;
}
