// Checking the lists of a reply against the roads, against each other, and against how many objects
// there are.
//
// What is known is the map, and that one provider answered for places that are
// connected by known roads:
//
//   a. No object is nearer to a border node than the straight line allows, and none takes less time
//      (reply_bounds.h).
//   b. A known way is an upper bound. If there is a way of cost w, in the request's metric, from
//   border node b to object o,
//      then o is in b's list, at no more than w, unless the list is full of nearer ones or w is
//      beyond the radius. Ways are known
//        - through the cloak, to objects on its segments;
//        - along its own segment, to an object on a road that ends at b;
//        - through the cloak to another border node, and on from there by that one's list.
//   c. If the objects are the map's own, it is known how many of them can be reached, at least and
//      at most, and so how long a list of nearest ones is.
//
// The last of the known ways is the triangle inequality: from every border node to those that one
// may drive to through the cloak. An honest reply always passes: its distances are those of
// shortest ways. docs/trust.md has what cannot be detected.
#include "answer/answer_internal.h"
#include "base/diag.h"

#include <inttypes.h>

/** The list of one border node for one request. */
typedef struct list {
    size_t request;
    sc_metric metric;
    uint32_t border;
    const sc_border_claim *claims;
    size_t count;
    sc_candidate *candidates;  ///< of the request
    size_t stamp;              ///< candidates that bear it are in the list
    double reach;              ///< what is nearer than this must be in the list
} list;

static const sc_border_claim *claims_of(const sc_filter *f, size_t request, size_t border,
                                        size_t *count)
{
    const uint32_t *starts = f->reply->near_start + sc__filter_list_of(f, request, border);
    *count = starts[1] - starts[0];
    // A reply without any near objects has no room for them either.
    return *count > 0 ? f->claims + starts[0] : NULL;
}

// What is nearer than this must be in a border node's list: one with room to spare holds all.
static double reach_of(const sc_filter *f, size_t request, size_t border)
{
    size_t count = 0;
    const sc_border_claim *claims = claims_of(f, request, border, &count);
    const sc_request_candidates *taken = &f->taken[request];
    return count > 0 && count == taken->k ? claims[count - 1].reach.cost : taken->radius;
}

// Look a list up and stamp what is in it.
static list open_list(sc_filter *f, size_t request, uint32_t border)
{
    const size_t all_lists = f->relay->request_count * f->relay->border_node_count;
    list l = {
        .request = request,
        .metric = f->taken[request].metric,
        .border = border,
        .candidates = sc__filter_candidates_of(f, request),
        // Those below were used while taking in.
        .stamp = all_lists + sc__filter_list_of(f, request, border) + 1,
        .reach = reach_of(f, request, border),
    };
    l.claims = claims_of(f, request, border, &l.count);
    for (size_t i = 0; i < l.count; i++) {
        sc_candidate *candidate = &l.candidates[l.claims[i].candidate];
        candidate->listed = l.stamp;
        candidate->cost = l.claims[i].reach.cost;
    }
    return l;
}

// Whether something that a known way of length `way` leads to must be in the list.
static bool must_hold(const sc_filter *f, const list *l, double way)
{
    return way + sc__filter_tolerance(f, l->metric, way) < l->reach;
}

// Whether an object agrees with a known way to it.
static bool agrees(const sc_filter *f, const list *l, const sc_candidate *candidate, double way)
{
    if (candidate->listed != l->stamp) return !must_hold(f, l, way);
    return candidate->cost <= way + sc__filter_tolerance(f, l->metric, way);
}

// --- The list and the map ----------------------------------------------------

// How an object can be approached; found when it is first asked for. NULL when memory is out.
static const sc_approach *approach_of(sc_filter *f, sc_candidate *candidate)
{
    if (candidate->approach == SC_NONE) {
        if (!sc_grow(&f->approaches, f->approach_count, &f->approach_capacity,
                     sizeof *f->approaches)) {
            return NULL;
        }
        const sc_object *object = &f->objects[candidate->object];
        // The roads of a provider with another map may lead there in other ways.
        f->approaches[f->approach_count] =
            f->options.slack == 0.0
                ? sc__approach_by_road(&f->known_spots, f->map, object->edge, object->offset)
                : sc__approach_by_position(f->map, object->edge, object->offset);
        candidate->approach = (uint32_t)f->approach_count++;
    }
    return &f->approaches[candidate->approach];
}

// A way from the border node of star `star`, where the last search began, that the map alone
// proves.
static double known_way(const sc_filter *f, const sc_candidate *candidate,
                        const sc_approach *approach, sc_star_id star)
{
    if (candidate->segment != SC_NONE) {
        return sc__inside_reach(&f->inside, candidate->segment, &candidate->spot).cost;
    }
    double way = HUGE_VAL;
    for (int side = 0; side < 2; side++) {
        if (approach->star[side] == star) way = fmin(way, approach->way[f->inside.metric][side]);
    }
    return way;
}

// Whether a way may cost so little in a metric, within what rounding and slack allow.
static bool is_possible(const sc_filter *f, sc_metric metric, const sc_approach *approach,
                        sc_space_point spot, double cost)
{
    return sc__approach_allows(&f->bounds[metric], approach, spot,
                               cost + sc__filter_tolerance(f, metric, cost));
}

static sc_err check_with_map(sc_filter *f, const list *l, sc_space_point spot, sc_diag *diag)
{
    const sc_star_id star = f->inside.stars[f->inside.border_vertex[l->border]];
    for (size_t i = 0; i < l->count; i++) {
        sc_candidate *candidate = &l->candidates[l->claims[i].candidate];
        const sc_reach reach = l->claims[i].reach;
        const sc_approach *approach = approach_of(f, candidate);
        if (!approach) return SC_ENOMEM;
        const char *flaw = NULL;
        if (!is_possible(f, l->metric, approach, spot, reach.cost)) {
            flaw = l->metric == SC_METRIC_TIME ? "is reached sooner than the roads allow"
                                               : "is nearer than the roads allow";
        } else if (!is_possible(f, sc__other_metric(l->metric), approach, spot, reach.other)) {
            flaw = l->metric == SC_METRIC_TIME ? "is reached by a shorter way than the roads allow"
                                               : "is reached by a quicker way than the roads allow";
        } else if (!agrees(f, l, candidate, known_way(f, candidate, approach, star))) {
            flaw = "is farther than a known route to it";
        }
        if (!flaw) continue;
        const sc_reply_entry at = {l->request, l->border, candidate->object};
        return sc__reply_refuse(f, diag, at, "%s", flaw);
    }
    return SC_OK;
}

// No way to anything on a segment costs less than that to the nearer of its ends.
static double least_on_segment(const sc_filter *f, const sc_inside_segment *road)
{
    const double by_a = sc__inside_span_reach(f->inside.spans[road->end_a]).cost;
    if (road->end_b == SC_NONE) return by_a;
    return fmin(by_a, sc__inside_span_reach(f->inside.spans[road->end_b]).cost);
}

static sc_err check_on_segments(const sc_filter *f, const list *l, sc_diag *diag)
{
    const sc_request_candidates *taken = &f->taken[l->request];
    const sc_strip *strips = f->strips + taken->first_strip;
    for (size_t i = 0; i < taken->strip_count; i++) {
        const sc_strip *strip = &strips[i];
        const double least = least_on_segment(f, &f->inside.segments[strip->segment]);
        if (!must_hold(f, l, least)) continue;
        for (uint32_t j = strip->first; j < strip->first + strip->count; j++) {
            const sc_candidate *candidate = &l->candidates[j];
            const double way = sc__inside_reach(&f->inside, strip->segment, &candidate->spot).cost;
            if (agrees(f, l, candidate, way)) continue;
            return sc__reply_refuse(f, diag,
                                    (sc_reply_entry){l->request, l->border, candidate->object},
                                    "is missing, though it is near on the segments");
        }
    }
    return SC_OK;
}

// --- The list and the other lists --------------------------------------------

static sc_err check_with_others(const sc_filter *f, const list *l, sc_diag *diag)
{
    for (size_t i = 0; i < f->inside.met_count; i++) {
        const sc_inside_met *met = &f->inside.met[i];
        size_t count = 0;
        const sc_border_claim *claims = claims_of(f, l->request, met->border, &count);
        for (size_t j = 0; j < count; j++) {
            const double way = met->cost + claims[j].reach.cost;
            // Nearest first: what follows is out of reach too.
            if (!must_hold(f, l, way)) break;
            const sc_candidate *candidate = &l->candidates[claims[j].candidate];
            if (agrees(f, l, candidate, way)) continue;
            return sc__reply_refuse(f, diag,
                                    (sc_reply_entry){l->request, l->border, candidate->object},
                                    "is %s, though border node %" PRIu32 " is near and lists it",
                                    candidate->listed == l->stamp ? "too far" : "missing",
                                    f->relay->border_nodes[met->border]);
        }
    }
    return SC_OK;
}

// --- The list and what there is ----------------------------------------------

// The last check of a list: those above can name the object that is wrong, this one cannot.
static sc_err check_length(const sc_filter *f, const list *l, sc_diag *diag)
{
    const sc_request *request = &f->relay->requests[l->request];
    // On a map of the provider's own, roads may lead to other places.
    const bool is_known = !f->reply->table.keys && f->options.slack == 0.0;
    if (!is_known || request->type != SC_REQUEST_KNN) return SC_OK;
    const sc_star_id star = f->inside.stars[f->inside.border_vertex[l->border]];
    const uint64_t least = sc__object_counts_least(&f->counts, star, request);
    const uint64_t most = sc__object_counts_most(&f->counts, star, request);
    if (l->count >= (least < request->k ? least : request->k) && l->count <= most) return SC_OK;
    const sc_node_id node = f->relay->border_nodes[l->border];
    if (least == most) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu, border node %" PRIu32
                       ": %zu objects are listed, but %" PRIu64 " can be reached",
                       l->request + 1, node, l->count, least);
    }
    return sc_fail(diag, SC_EREPLY,
                   "reply: request %zu, border node %" PRIu32
                   ": %zu objects are listed, but %" PRIu64 " to %" PRIu64 " can be reached",
                   l->request + 1, node, l->count, least, most);
}

// --- All of it ---------------------------------------------------------------

// Find the ways through the cloak from a border node, as far as they can matter to its lists in a
// metric; false if it has none.
static bool search_from(sc_filter *f, sc_metric metric, uint32_t border)
{
    double limit = -1.0;
    for (size_t r = 0; r < f->relay->request_count; r++) {
        if (f->taken[r].metric == metric) limit = fmax(limit, reach_of(f, r, border));
    }
    if (limit < 0.0) return false;
    sc__inside_search_border(&f->inside, metric, border, limit);
    return true;
}

static sc_err check_border_node(sc_filter *f, sc_metric metric, uint32_t border, sc_diag *diag)
{
    if (!search_from(f, metric, border)) return SC_OK;
    const sc_space_point spot =
        sc__known_spot(&f->known_spots, f->map, f->relay->border_nodes[border]);
    sc_err err = SC_OK;
    for (size_t r = 0; r < f->relay->request_count && !err; r++) {
        if (f->taken[r].metric != metric) continue;
        const list l = open_list(f, r, border);
        err = check_with_map(f, &l, spot, diag);
        if (!err) err = check_on_segments(f, &l, diag);
        if (!err) err = check_with_others(f, &l, diag);
        if (!err) err = check_length(f, &l, diag);
    }
    return err;
}

sc_err sc__reply_check_agreement(sc_filter *filter, sc_diag *diag)
{
    sc_err err = SC_OK;
    filter->approach_count = 0;
    for (uint32_t b = 0; b < filter->relay->border_node_count && !err; b++) {
        for (unsigned metric = 0; metric < SC_METRIC_COUNT && !err; metric++) {
            err = check_border_node(filter, (sc_metric)metric, b, diag);
        }
    }
    return err == SC_ENOMEM ? sc_fail_memory(diag, "checking a reply") : err;
}
