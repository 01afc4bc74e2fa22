// The exact answer for an exact position, from the lists of the two points beside it.
//
// The position is on a piece of road between two points, L apart, y from the first. Straight
// distances are measured from the position to every object of both lists. Distances by road are
// those of the provider from the two points, d0 and d1: who goes from a piece to an object that is
// not on it leaves it by one of its ends,
//
//     d = min(y + d0, L - y + d1),
//
// and who goes to an object on the same piece, x from the first point, may also stay on it:
//
//     d = |x - y|.
//
// An object of one list only is as far by the other as if there were no way: if there is one that
// matters, the object is in that list, too. docs/point-provider.md has the proofs.
//
// An answer reveals a position. So wherever it has been is wiped, and it is sorted where it
// is: qsort() may copy it to elsewhere.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>

/** An object is on a road if it is within so many grains of it: a house beside the street. */
#define ON_ROAD_GRAINS 30.0

/** One question for an answer. */
typedef struct asking {
    sc_point_reply *reply;
    const sc_request *request;
    sc__point_cover_place spot;
    sc_seg_id segment;
    double x;  ///< where it is
    double y;
    size_t count;  ///< of reply->answer
} asking;

// --- Distances --------------------------------------------------------------

// The way along the piece to an object on it; infinite if it is not. Two roads may lie so close
// together that the position cannot decide which one the object is on, but the provider's distances
// can: from one end of the piece at least, it must be as far as along the piece. That end also
// shows best how far along it is, and how far beside the road the provider thinks it is.
static double along_piece_m(const asking *a, uint32_t object, const double from_m[2])
{
    const sc_point_reply *reply = a->reply;
    const sc_object *o = &reply->objects.objects[object];
    const double off_road_m = reply->objects.items[object].off_road_m;
    if (sc_map_edges(reply->map)[o->edge].segment != a->segment ||
        off_road_m > ON_ROAD_GRAINS * reply->grain_m) {
        return HUGE_VAL;
    }
    const double offset_m = o->offset * sc_map_unit_m(reply->map);
    const double length_m = a->spot.length_m;
    const double at_m =
        sc__point_cover_along_m(&reply->cover, o->edge, offset_m) - a->spot.piece_at_m;
    if (at_m < 0.0 || at_m > length_m) return HUGE_VAL;
    double best_excess_m = HUGE_VAL;
    double way_m = HUGE_VAL;
    for (int end = 0; end < 2; end++) {
        const double expected_m = end == 0 ? at_m : length_m - at_m;
        const double excess_m = from_m[end] - expected_m;
        const double slack_m = SC__POINT_ROAD_SHARE * expected_m + 2.0 * reply->grain_m;
        if (excess_m < -slack_m || excess_m > off_road_m + slack_m ||
            fabs(excess_m) >= best_excess_m) {
            continue;
        }
        const double beside_m = fmax(excess_m, 0.0);
        const double here_m = end == 0 ? a->spot.along_m : length_m - a->spot.along_m;
        way_m = fabs(from_m[end] - beside_m - here_m) + beside_m;
        best_excess_m = fabs(excess_m);
    }
    return way_m;
}

// From the position to an object, given how far it is from the two points by their lists.
static double distance_m(const asking *a, uint32_t object, const double from_m[2])
{
    if (a->reply->cover.distance == SC_POINT_STRAIGHT) {
        const sc__point_object *item = &a->reply->objects.items[object];
        return sc__point_straight_m(a->reply->map, a->x, a->y, item->x, item->y);
    }
    const double by_ends_m =
        fmin(a->spot.along_m + from_m[0], a->spot.length_m - a->spot.along_m + from_m[1]);
    return fmin(by_ends_m, along_piece_m(a, object, from_m));
}

// --- Candidates -------------------------------------------------------------

static void add_candidate(asking *a, uint32_t object, const double from_m[2])
{
    const sc_near near = {
        .object = object, .distance_m = distance_m(a, object, from_m), .duration_s = SC_UNKNOWN_S};
    if (a->request->type == SC_REQUEST_RANGE && !(near.distance_m <= a->request->radius_m)) return;
    a->reply->answer[a->count++] = near;
}

// All objects of two lists, which are sorted by object.
static sc_err add_lists(asking *a, const sc__point_list *first, const sc__point_list *second,
                        sc_diag *diag)
{
    const size_t room = a->count + first->count + second->count;
    if (room > a->reply->answer_capacity) {
        sc_near *larger = sc_malloc_array(room, sizeof *larger);
        if (!larger) return sc_fail_memory(diag, "making an answer");
        if (a->count > 0) memcpy(larger, a->reply->answer, a->count * sizeof *larger);
        sc__point_reply_forget(a->reply);
        a->reply->answer = larger;
        a->reply->answer_capacity = room;
    }
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < first->count || j < second->count) {
        const uint32_t left = i < first->count ? first->nears[i].object : SC_NONE;
        const uint32_t right = j < second->count ? second->nears[j].object : SC_NONE;
        const uint32_t object = left < right ? left : right;
        const double from_m[2] = {left == object ? first->nears[i++].distance_m : HUGE_VAL,
                                  right == object ? second->nears[j++].distance_m : HUGE_VAL};
        add_candidate(a, object, from_m);
    }
    return SC_OK;
}

static sc_err add_topic(asking *a, sc_category_id category, sc_diag *diag)
{
    const sc_point_reply *reply = a->reply;
    const size_t topic = sc__point_topics_find(&reply->topics, category);
    const sc__point_list *lists = reply->lists + topic * reply->cover.point_count;
    return add_lists(a, &lists[a->spot.points[0]], &lists[a->spot.points[1]], diag);
}

// --- Sorting ----------------------------------------------------------------

// In place, so that the answer is nowhere else: heaps with the last on top.

static bool is_nearer(sc_near a, sc_near b)
{
    return a.distance_m != b.distance_m ? a.distance_m < b.distance_m : a.object < b.object;
}

static bool is_lower(sc_near a, sc_near b)
{
    return a.object != b.object ? a.object < b.object : a.distance_m < b.distance_m;
}

#define SC_HEAP by_distance
#define SC_HEAP_ENTRY sc_near
#define SC_HEAP_IS_BEFORE(heap, a, b) is_nearer(b, a)
#include "base/heap_template.h"

#define SC_HEAP by_object
#define SC_HEAP_ENTRY sc_near
#define SC_HEAP_IS_BEFORE(heap, a, b) is_lower(b, a)
#include "base/heap_template.h"

static void sort_by_distance(sc_near *nears, size_t count)
{
    by_distance heap = {.entries = nears, .count = count};
    by_distance_reorder(&heap);
    by_distance_sort(&heap);
}

static void sort_by_object(sc_near *nears, size_t count)
{
    by_object heap = {.entries = nears, .count = count};
    by_object_reorder(&heap);
    by_object_sort(&heap);
}

// --- The answer -------------------------------------------------------------

// An object of two categories that were both asked for is one object.
static void drop_repeated(asking *a)
{
    sc_near *nears = a->reply->answer;
    size_t kept = 0;
    sort_by_object(nears, a->count);
    for (size_t i = 0; i < a->count; i++) {
        if (kept == 0 || nears[kept - 1].object != nears[i].object) nears[kept++] = nears[i];
    }
    a->count = kept;
}

static sc_err find_place(asking *a, sc_edge_id edge, double offset_m, sc_diag *diag)
{
    const sc_map *map = a->reply->map;
    if (edge >= sc_map_edge_count(map)) return sc_fail(diag, SC_EINVAL, "the map has no such edge");
    // Half a unit over either end is what the map cannot resolve.
    const double length_m = sc_map_edge_length_m(map, edge);
    const double slack_m = 0.5 * sc_map_unit_m(map);
    if (!(offset_m >= -slack_m && offset_m <= length_m + slack_m)) {
        return sc_fail(diag, SC_EINVAL, "the offset lies beyond its edge");
    }
    const double inside_m = fmin(fmax(offset_m, 0.0), length_m);
    if (!sc__point_cover_find(&a->reply->cover, edge, inside_m, &a->spot)) {
        return sc_fail(diag, SC_EINVAL, "the position is not on the segments that were asked for");
    }
    a->segment = sc_map_edges(map)[edge].segment;
    sc_map_edge_position(map, edge, inside_m, &a->x, &a->y);
    return SC_OK;
}

sc_err sc_point_reply_answer(sc_point_reply *reply, sc_road_point at, size_t request,
                             const sc_near **out, size_t *count, sc_diag *diag)
{
    if (request >= reply->request_count) {
        return sc_fail(diag, SC_EINVAL, "there is no such request in what was asked");
    }
    asking a = {.reply = reply, .request = &reply->requests[request]};
    sc_err err = find_place(&a, at.edge, at.offset_m, diag);
    if (!err && a.request->category_count == 0) err = add_topic(&a, SC_NONE, diag);
    for (uint32_t i = 0; i < a.request->category_count && !err; i++) {
        err = add_topic(&a, a.request->categories[i], diag);
    }
    if (err) return err;

    if (a.count > 0) {
        if (a.request->category_count > 1) drop_repeated(&a);
        sort_by_distance(reply->answer, a.count);
    }
    const bool is_knn = a.request->type == SC_REQUEST_KNN;
    *out = reply->answer;
    *count = is_knn && a.count > a.request->k ? a.request->k : a.count;
    explicit_bzero(&a, sizeof a);
    return SC_OK;
}
