// What came back for one cloak: collecting, checking and sorting answers. See point_reply.h.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// === Creating, settling and lending a reply =====================================================

/**
 * Metres to which a provider may round its numbers; where the unit is unknown, a share of the
 * spacing, which is in the same unit.
 */
#define GRAIN_M 1.0
#define GRAIN_SHARE 0.005

static sc_err make(sc_point_reply *reply, const sc_point_settings *settings, const sc_relay *relay,
                   sc_diag *diag)
{
    sc_err err = sc__point_cover_init(reply->map, relay->segments, relay->segment_count,
                                      &settings->options, &reply->cover, diag);
    if (!err)
        err = sc__point_topics_init(relay->requests, relay->request_count, &reply->topics, diag);
    if (err) return err;
    reply->list_count = reply->topics.count * reply->cover.point_count;
    reply->lists = sc_calloc(reply->list_count, sizeof *reply->lists);
    reply->requests = sc_malloc_array(relay->request_count, sizeof *reply->requests);
    if (!reply->lists || !reply->requests) {
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    memcpy(reply->requests, relay->requests, relay->request_count * sizeof *reply->requests);
    reply->request_count = relay->request_count;
    reply->work.points = reply->cover.point_count;
    return SC_OK;
}

sc_err sc__point_reply_new(const sc_map *map, const sc_point_settings *settings,
                           const sc_relay *relay, sc_point_reply **out, sc_diag *diag)
{
    sc_point_reply *reply = sc_calloc(1, sizeof *reply);
    if (!reply) return sc_fail_memory(diag, "preparing to ask the provider");
    reply->map = map;
    sc__point_objects_init(&reply->objects);
    reply->grain_m = sc_map_is_in_metres(map) ? GRAIN_M : GRAIN_SHARE * settings->options.spacing_m;
    const sc_err err = make(reply, settings, relay, diag);
    if (err) {
        sc_point_reply_free(reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}

void sc_point_reply_free(sc_point_reply *reply)
{
    if (!reply) return;
    for (size_t i = 0; reply->lists && i < reply->list_count; i++) {
        sc_free(reply->lists[i].nears);
    }
    sc_free(reply->lists);
    sc_free(reply->requests);
    sc__point_reply_forget(reply);
    sc__point_cover_fini(&reply->cover);
    sc__point_topics_fini(&reply->topics);
    sc__point_objects_fini(&reply->objects);
    sc_free(reply);
}

void sc__point_reply_forget(sc_point_reply *reply)
{
    if (!reply->answer) return;
    explicit_bzero(reply->answer, reply->answer_capacity * sizeof *reply->answer);
    sc_free(reply->answer);
    reply->answer = NULL;
    reply->answer_capacity = 0;
}

const sc__point *sc__point_reply_point(const sc_point_reply *reply, size_t list)
{
    return &reply->cover.points[list % reply->cover.point_count];
}

const sc__point_topic *sc__point_reply_topic(const sc_point_reply *reply, size_t list)
{
    return &reply->topics.list[list / reply->cover.point_count];
}

// --- Settling ---------------------------------------------------------------

static int compare_objects(const void *a, const void *b)
{
    const uint32_t left = ((const sc_near *)a)->object;
    const uint32_t right = ((const sc_near *)b)->object;
    return (left > right) - (left < right);
}

sc_err sc__point_reply_settle(sc_point_reply *reply, sc_diag *diag)
{
    uint32_t *new_number = NULL;
    const sc_err err = sc__point_objects_settle(&reply->objects, reply->map, &new_number, diag);
    if (err) return err;
    for (size_t i = 0; i < reply->list_count; i++) {
        const sc__point_list *list = &reply->lists[i];
        for (uint32_t j = 0; new_number && j < list->count; j++) {
            list->nears[j].object = new_number[list->nears[j].object];
        }
        if (list->count > 0) qsort(list->nears, list->count, sizeof *list->nears, compare_objects);
    }
    sc_free(new_number);
    reply->table = (sc_object_table){.objects = reply->objects.objects,
                                     .count = reply->objects.count,
                                     .strings = reply->objects.strings,
                                     .strings_size = reply->objects.strings_size,
                                     .keys = reply->objects.keys};
    return SC_OK;
}

// --- Lending ----------------------------------------------------------------

const sc_object_table *sc_point_reply_table(const sc_point_reply *reply)
{
    return &reply->table;
}

void sc_point_reply_position(const sc_point_reply *reply, uint32_t object, double *lon, double *lat)
{
    *lon = reply->objects.items[object].x;
    *lat = reply->objects.items[object].y;
}

sc_point_work sc_point_reply_work(const sc_point_reply *reply)
{
    return reply->work;
}

// === Taking one answer ==========================================================================
// Refused are: more objects than asked for, or fewer than at the time when fewer were asked for; an
// object twice, or at another place than before; an order that is not by distance; a distance that
// is not the straight one, where that is promised, or far less than the straight one.

/** What all lists of one cloak may hold: 96 MiB. */
#define NEARS_MAX ((size_t)4 << 20)

/** Ways are not much shorter than straight lines; by this much they are in other units. */
#define ROAD_LEAST_SHARE 0.5

/** An object may be so many grains from its road. */
#define OFF_ROAD_GRAINS 100.0

/** How the rows of one answer are looked at. */
typedef struct taking {
    sc_point_reply *reply;
    sc_point_distance distance;
    double radius_m;  ///< nothing farther from the point is told; 0: no such limit
    const sc__point *point;
    double farthest_m;  ///< the largest distance so far, by the provider's measure
    uint64_t answer;
    sc_diag *diag;
} taking;

static sc_err measure_straight(const taking *t, const sc__point_answer_row *row, double straight_m,
                               double *out)
{
    *out = straight_m;
    if (!row->has_distance) return SC_OK;
    const double tolerance_m =
        SC__POINT_STRAIGHT_SHARE * fmax(straight_m, row->distance_m) + t->reply->grain_m;
    if (fabs(row->distance_m - straight_m) <= tolerance_m) return SC_OK;
    return sc_fail(t->diag, SC_EREPLY,
                   "the provider's distance is not the straight line in metres; check the distance "
                   "setting and the unit");
}

static sc_err measure_road(const taking *t, const sc__point_answer_row *row, double straight_m,
                           double *out)
{
    *out = row->distance_m;
    const double least_m = ROAD_LEAST_SHARE * straight_m - OFF_ROAD_GRAINS * t->reply->grain_m;
    if (row->distance_m >= least_m || !sc_map_is_in_metres(t->reply->map)) return SC_OK;
    return sc_fail(t->diag, SC_EREPLY,
                   "the provider's distance is far shorter than the straight line; check that it "
                   "is in metres");
}

// The distance that counts, after a check of the one that the provider gives.
static sc_err measure(taking *t, const sc__point_answer_row *row, double *out)
{
    const double straight_m =
        sc__point_straight_m(t->reply->map, t->point->x, t->point->y, row->x, row->y);
    const sc_err err = t->distance == SC_POINT_ROAD ? measure_road(t, row, straight_m, out)
                                                    : measure_straight(t, row, straight_m, out);
    if (err) return err;

    // Distances that we measure may differ a little from those that the provider sorted by.
    const double said_m = row->has_distance ? row->distance_m : straight_m;
    const double tolerance_m =
        row->has_distance ? 0.0
                          : 2.0 * SC__POINT_STRAIGHT_SHARE * t->farthest_m + t->reply->grain_m;
    if (said_m + tolerance_m < t->farthest_m) {
        return sc_fail(t->diag, SC_EREPLY,
                       "an answer of the provider is not in the order of distance, nearest first; "
                       "one that lists places in any other order can be asked for areas instead "
                       "(--area-provider)");
    }
    t->farthest_m = fmax(t->farthest_m, said_m);
    return SC_OK;
}

static sc_err take_rows(taking *t, const sc__point_answer *answer, sc_near *nears)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        nears[i].duration_s = SC_UNKNOWN_S;
        sc_err err = measure(t, &answer->rows[i], &nears[i].distance_m);
        if (!err) {
            err = sc__point_objects_put(&t->reply->objects, &answer->rows[i], t->answer,
                                        &nears[i].object, t->diag);
        }
        if (err) return err;
    }
    return SC_OK;
}

// Up to where every object is in the list.
static double complete_m(const taking *t, const sc__point_list *list)
{
    const bool is_all = list->count < list->k;
    if (is_all && !(t->radius_m > 0)) return HUGE_VAL;
    // Some list nothing beyond a radius. A way along roads is no shorter than the straight line, so
    // what is nearer by road is within the radius, too.
    const double last_m = is_all ? t->radius_m : list->nears[list->count - 1].distance_m;
    const double radius_m = t->radius_m > 0 ? t->radius_m : HUGE_VAL;
    if (t->distance == SC_POINT_ROAD && !is_all && last_m <= radius_m) return last_m;
    // Left out is what the provider measures as farther than that; by our measure it may be a
    // little nearer.
    return fmin(last_m, radius_m) * (1.0 - 2.0 * SC__POINT_STRAIGHT_SHARE) - t->reply->grain_m;
}

// As many objects as the topic asks for are at most so far away: its first k. By our measure they
// need not be the nearest k, but then those are nearer still. Infinite: fewer are known.
static double kth_m(const sc__point_topic *topic, const sc__point_list *list)
{
    if (list->count < topic->k) return HUGE_VAL;
    double farthest_m = 0.0;
    for (uint32_t i = 0; i < topic->k; i++) {
        farthest_m = fmax(farthest_m, list->nears[i].distance_m);
    }
    return farthest_m;
}

static sc_err check_count(const sc_point_reply *reply, const sc__point_list *old, uint32_t count,
                          sc_diag *diag)
{
    if (count < old->count) {
        return sc_fail(diag, SC_EREPLY,
                       "the provider gave %" PRIu32 " objects when asked for more, but %" PRIu32
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

sc_err sc__point_reply_take(sc_point_reply *reply, const sc_point_settings *settings,
                            const sc_vocabulary *vocabulary, const sc__point_answer_body *body,
                            sc_diag *diag)
{
    const sc__point_topic *topic = sc__point_reply_topic(reply, body->list);
    const sc__point_answer_format format = {.settings = settings,
                                            .vocabulary = vocabulary,
                                            .coords = sc_map_coords(reply->map),
                                            .k = body->k,
                                            .category = topic->category};
    sc__point_answer answer;
    sc_err err = sc__point_answer_parse(&format, body->bytes, body->size, &answer, diag);
    if (err) return err;

    sc__point_list *old = &reply->lists[body->list];
    sc__point_list list = {.count = answer.count, .k = body->k};
    taking t = {.reply = reply,
                .distance = settings->options.distance,
                .radius_m = floor(settings->options.radius_m),
                .point = sc__point_reply_point(reply, body->list),
                .answer = ++reply->work.questions,
                .diag = diag};
    err = check_count(reply, old, answer.count, diag);
    if (err) goto done;
    list.nears = sc_malloc_array(answer.count, sizeof *list.nears);
    if (!list.nears) {
        err = sc_fail_memory(diag, "keeping the provider's answers");
        goto done;
    }
    err = take_rows(&t, &answer, list.nears);
    if (err) goto done;

    list.kth_m = kth_m(topic, &list);
    list.complete_m = complete_m(&t, &list);
    reply->near_count = reply->near_count - old->count + list.count;
    reply->work.candidates += list.count;
    reply->work.bytes_in += body->size;
    const sc__point_list replaced = *old;
    *old = list;
    list = replaced;
done:
    sc_free(list.nears);
    sc__point_answer_fini(&answer);
    return err;
}

// === How far an answer must reach ===============================================================
// Let h be the half gap of point p: every place whose nearer point is p is within h of it. Let D be
// the distance from p to the k-th nearest object of a topic. Then, by the triangle inequality
// alone,
//
//   - k objects are within D + h of the traveller q: those that are within D of p;
//   - so any of q's k nearest is within D + h of q, and within D + 2h of p;
//   - any object within radius R of q is within R + h of p.
//
// So a list that holds every object within D + 2h, or R + h, of p holds the answer of every place
// whose nearer point is p. docs/point-provider.md goes on from there.
//
// How many objects that takes depends on the provider's own answers and on nothing that it does not
// know.

/** The first question for a range, whose number of objects is unknown. */
enum { FIRST_K = 16 };

static uint32_t at_most(uint64_t k, uint32_t max_k)
{
    return k < max_k ? (uint32_t)k : max_k;
}

// How far the list must be complete, given the distance of its k-th object.
static double needed_m(const sc__point_topic *topic, const sc__point *point,
                       const sc__point_list *list)
{
    const double counted_m = topic->k > 0 ? list->kth_m + 2.0 * point->half_gap_m : 0.0;
    const double range_m = topic->radius_m >= 0.0 ? topic->radius_m + point->half_gap_m : 0.0;
    return fmax(counted_m, range_m);
}

sc_err sc__point_reply_next_k(const sc_point_reply *reply, size_t at, uint32_t max_k, uint32_t *out,
                              sc_diag *diag)
{
    const sc__point_list *list = &reply->lists[at];
    const sc__point_topic *topic = sc__point_reply_topic(reply, at);
    if (topic->k > max_k) {
        return sc_fail(diag, SC_ELIMIT,
                       "a request is for %" PRIu32
                       " objects, but the provider's largest k is %" PRIu32,
                       topic->k, max_k);
    }
    if (list->k == 0) {
        // Twice as many as wanted usually reach far enough at once.
        const uint64_t first = 2 * (uint64_t)topic->k;
        *out = at_most(first > FIRST_K ? first : FIRST_K, max_k);
        return SC_OK;
    }
    if (list->complete_m >= needed_m(topic, sc__point_reply_point(reply, at), list)) {
        *out = 0;
        return SC_OK;
    }
    if (list->count < list->k) {
        return sc_fail(
            diag, SC_ELIMIT,
            "the provider lists nothing beyond the radius of its settings, and that does "
            "not reach far enough around a point of the cloak; allow a larger radius if "
            "the provider supports it, or a narrower spacing");
    }
    if (list->k == max_k) {
        return sc_fail(diag, SC_ELIMIT,
                       "the %" PRIu32
                       " nearest objects do not reach far enough around a point of the cloak; "
                       "allow a larger k if the provider supports it, or a narrower spacing",
                       max_k);
    }
    *out = at_most(2 * (uint64_t)list->k, max_k);
    return SC_OK;
}

// === Comparing neighbouring lists ===============================================================
// A provider may leave out, move or invent objects; most of that cannot be detected here. What can:
// two points are a piece of road apart, so an object is about as far from the one as from the
// other, and one that is well within the reach of both lists is in both. This finds providers that
// return at most so many objects, or none beyond some distance, without saying so.

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
    const sc__point_object *item = &p->reply->objects.items[near->object];
    const sc__point *point = p->points[other];
    const double at_most_m =
        p->reply->cover.distance == SC_POINT_ROAD
            ? near->distance_m + p->apart_m
            : sc__point_straight_m(p->reply->map, point->x, point->y, item->x, item->y);
    if (at_most_m >= p->lists[other]->complete_m) return SC_OK;
    return sc_fail(
        p->diag, SC_EREPLY,
        "the provider leaves out an object at one point that it names at the next; check whether "
        "it gives fewer objects than asked for, or none beyond some distance");
}

static sc_err check_both(const pair *p, const sc_near *a, const sc_near *b)
{
    if (fabs(a->distance_m - b->distance_m) <= p->apart_m) return SC_OK;
    return sc_fail(
        p->diag, SC_EREPLY,
        "the provider's distances of one object from two points differ by more than the road "
        "between them; check that it measures by road, the same in both directions");
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
    const sc__point_cover *cover = &reply->cover;
    pair p = {.reply = reply,
              .points = {&cover->points[first], &cover->points[second]},
              .apart_m = length_m * (1.0 + SC__POINT_ROAD_SHARE) + 2.0 * reply->grain_m,
              .diag = diag};
    for (size_t topic = 0; topic < reply->topics.count; topic++) {
        p.lists[0] = &reply->lists[topic * cover->point_count + first];
        p.lists[1] = &reply->lists[topic * cover->point_count + second];
        const sc_err err = check_pair(&p);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__point_reply_check(const sc_point_reply *reply, sc_diag *diag)
{
    const sc__point_cover *cover = &reply->cover;
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
