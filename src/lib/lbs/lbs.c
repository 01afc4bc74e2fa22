// The provider: from a relay to a reply, request after request. See starcloak/lbs.h.
//
// A relay is checked first, since it is a stranger's. Then each request gets the objects on the
// segments, and for each border node its answer, from the cheapest source there is:
//
//   1. the index, where a node's lists reach as far as the request (index_lookup.c);
//   2. else one search for all such border nodes together (shared_search.c);
//   3. or a search for each (plain_search.c), where objects are so dense that little is shared.
//
// Searches lean on the lists around where there are any.
#include <starcloak/lbs.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "lbs/lbs_search.h"
#include "map/map_tables.h"
#include "relay/relay_build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// === Which objects a request asks for ===========================================================

void sc__lbs_wanted_fini(sc_lbs_wanted_table *room)
{
    sc_free(room->is_in);
    *room = (sc_lbs_wanted_table){.capacity = 0};
}

sc_err sc__lbs_wanted_by(sc_lbs_wanted_table *room, const sc_objects_view *view,
                         const sc_request *request, sc_lbs_wanted *out)
{
    *out = (sc_lbs_wanted){.is_in = NULL, .only = SC_NONE, .mask = UINT64_MAX};
    if (request->category_count == 0) return SC_OK;

    if (!sc_reserve(&room->is_in, view->category_count, &room->capacity, 1)) return SC_ENOMEM;
    memset(room->is_in, 0, view->category_count);
    out->is_in = room->is_in;
    out->only = request->category_count == 1 ? request->categories[0] : SC_NONE;
    out->mask = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        room->is_in[request->categories[i]] = 1;
        out->mask |= UINT64_C(1) << (request->categories[i] % 64);
    }
    return SC_OK;
}

// === Checking a relay ===========================================================================
// Is this a relay of our map, and at which stars are its border nodes? Whatever is used as an index
// later is checked here, once.

/** Working memory; zero-initialise, release with border_stars_fini(). */
typedef struct border_stars {
    sc_star_id *star_of_node;  ///< of all nodes of the map; SC_NONE: no star's
    sc_star_id *stars;         ///< of the border nodes, in their order
    size_t star_capacity;
} border_stars;

static sc_err border_stars_init(border_stars *known, const sc_map *map)
{
    const uint32_t node_count = sc_map_node_count(map);
    sc_star_id *star_of_node = sc_malloc_array(node_count, sizeof *star_of_node);
    if (!star_of_node) return SC_ENOMEM;
    memset(star_of_node, 0xff, node_count * sizeof *star_of_node);  // SC_NONE
    const sc_star *stars = sc_map_stars(map);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        // A road that is all of its component borders on nothing.
        if (sc_star_is_pseudo(&stars[i])) continue;
        star_of_node[stars[i].node] = i;
    }
    *known = (border_stars){.star_of_node = star_of_node};
    return SC_OK;
}

static void border_stars_fini(border_stars *known)
{
    sc_free(known->star_of_node);
    sc_free(known->stars);
    *known = (border_stars){.star_capacity = 0};
}

static sc_err check_requests(const sc_lbs_options *options, uint32_t category_count,
                             const sc_relay *relay, sc_diag *diag)
{
    if (relay->request_count > options->max_requests) {
        return sc_fail(diag, SC_ELIMIT, "the relay has %zu requests; at most %zu are allowed",
                       relay->request_count, options->max_requests);
    }
    sc_err err = SC_OK;
    for (size_t i = 0; i < relay->request_count && !err; i++) {
        err = sc_request_check(&relay->requests[i], &options->limits, category_count, diag);
    }
    return err;
}

// Border nodes of a cloak are intersections, since segments are whole.
static sc_err find_stars(border_stars *known, const sc_relay *relay, sc_diag *diag)
{
    if (!sc_reserve(&known->stars, relay->border_node_count, &known->star_capacity,
                    sizeof *known->stars)) {
        return sc_fail_memory(diag, "answering");
    }
    for (size_t i = 0; i < relay->border_node_count; i++) {
        known->stars[i] = known->star_of_node[relay->border_nodes[i]];
        if (known->stars[i] == SC_NONE) {
            return sc_fail(diag, SC_EUNKNOWN,
                           "node %" PRIu32 " is not an intersection, so it cannot be a border node",
                           relay->border_nodes[i]);
        }
    }
    return SC_OK;
}

static sc_err check_relay(border_stars *known, const sc_map *map, const sc_lbs_options *options,
                          uint32_t category_count, const sc_relay *relay, sc_diag *diag)
{
    sc_err err = sc__relay_check(map, relay, options->max_segments, diag);
    if (!err) err = check_requests(options, category_count, relay, diag);
    if (!err) err = find_stars(known, relay, diag);
    return err;
}

// === Objects on segments ========================================================================

// Of one category: they stand beside each other among the segment's objects by category.
static bool add_only(const sc_objects_view *view, sc_category_id category, uint32_t first,
                     uint32_t end, sc_reply *reply, uint64_t *count)
{
    const uint32_t *categories = view->ordered_category;
    uint32_t low = first;
    for (uint32_t length = end - first; length > 0;) {
        const uint32_t half = length / 2;
        const bool is_before = categories[low + half] < category;
        low = is_before ? low + half + 1 : low;
        length = is_before ? length - half - 1 : half;
    }
    if (low == end) return true;
    sc_object_run *runs = sc__reply_reserve_runs(reply, end - low);
    if (!runs) return false;
    uint32_t used = 0;
    for (; low < end && categories[low] == category; low++) {
        runs[used++] = (sc_object_run){view->by_category[low], 1};
    }
    sc__reply_use_runs(reply, used);
    *count += used;
    return true;
}

// Of several: in the order of the road.
static bool add_several(const sc_objects_view *view, const uint8_t *is_in, uint32_t first,
                        uint32_t end, sc_reply *reply, uint64_t *count)
{
    for (uint32_t i = first; i < end; i++) {
        if (!is_in[view->category[i]]) continue;
        if (!sc__reply_add_run(reply, i, 1)) return false;
        ++*count;
    }
    return true;
}

bool sc__lbs_add_on_segments(const sc_objects_view *view, const sc_lbs_wanted *wanted,
                             const sc_relay *relay, sc_reply *reply, uint64_t *count)
{
    for (size_t i = 0; i < relay->segment_count; i++) {
        const sc_seg_id segment = relay->segments[i];
        if (!(view->segment_mask[segment] & wanted->mask)) continue;
        const uint32_t first = view->segment_first[segment];
        const uint32_t end = view->segment_first[segment + 1];
        bool has_room = true;
        if (!wanted->is_in) {
            has_room = sc__reply_add_run(reply, first, end - first);
            *count += end - first;
        } else if (wanted->only != SC_NONE) {
            has_room = add_only(view, wanted->only, first, end, reply, count);
        } else {
            has_room = add_several(view, wanted->is_in, first, end, reply, count);
        }
        if (!has_room) return false;
    }
    return true;
}

// === Answers of border nodes ====================================================================

/** Working memory; zero-initialise, release with border_fini(). */
typedef struct border_search {
    sc_plain_search plain;
    sc_shared_search shared;
    size_t group_count;  ///< border nodes that the last shared search was for, a lane each
    size_t group_next;   ///< the lane whose answer comes next
    sc_lbs_work work;
} border_search;

/** Stars that searches have visited, since the beginning. */
static inline uint64_t border_visits(const border_search *border)
{
    return border->plain.visited + border->shared.visited;
}

/** A request, and where it is asked. */
typedef struct border_question {
    const sc_objects_view *view;
    const sc_request *request;
    const sc_lbs_wanted *wanted;
    const sc_relay *relay;
    const sc_star_id *stars;  ///< of the border nodes
    size_t count;
    size_t place;         ///< of the request in the relay
    uint64_t max_nears;   ///< the reply may have so many in all
    uint64_t max_visits;  ///< searches may have visited so many stars in all
    bool without_index;
} border_question;

static void border_fini(border_search *border)
{
    sc__plain_search_fini(&border->plain);
    sc__shared_search_fini(&border->shared);
}

/** A question with what follows from it. */
typedef struct plan {
    const border_question *q;
    sc_lbs_reach reach;
    sc_index_lookup lists;
    const sc_index_lookup *lean;  ///< the lists, where they are to be used; else NULL
} plan;

/**
 * Whether a search is long enough to be shared. It passes about k stars for each that has an
 * object; a shared one does more at each star, which pays from a hundred on (bench_lbs, k = 20).
 */
static bool is_far(const border_question *q, sc_lbs_reach reach)
{
    enum { WORTH_SHARING = 100 };
    const sc_objects_view *view = q->view;
    uint64_t objects = q->request->category_count == 0 ? view->object_count : 0;
    for (uint32_t i = 0; i < q->request->category_count; i++) {
        objects += view->category_size[q->request->categories[i]];
    }
    // A range may hold any number; where lists are too short for it, it is more than they keep.
    const uint64_t k = reach.k == UINT32_MAX ? 8 : reach.k;
    return k * sc_map_star_count(view->map) > WORTH_SHARING * objects;
}

// --- Searches ------------------------------------------------------------------

static sc_err search_alone(border_search *border, const plan *p, size_t node, sc_reply *reply)
{
    const border_question *q = p->q;
    sc_plain_search *search = &border->plain;
    border->work.searches++;
    const sc_err err =
        sc__plain_search_star(search, q->view, q->wanted, p->lean, p->reach, q->stars[node]);
    if (err) return err;
    for (size_t i = 0; i < search->hit_count; i++) {
        const sc_lbs_hit *hit = &search->hits[i];
        const sc_near near =
            sc__lbs_near(q->view->map, p->reach.metric, hit->object, hit->way.cost, hit->way.other);
        if (!sc__reply_add_near(reply, near)) return SC_ENOMEM;
    }
    return SC_OK;
}

// One search for this border node and those behind it that need one too.
static sc_err search_together(border_search *border, const plan *p, size_t node)
{
    const border_question *q = p->q;
    sc_star_id stars[SC_LANES];
    border->group_next = 0;
    border->group_count = 0;
    for (; node < q->count && border->group_count < SC_LANES; node++) {
        if (p->lean && sc__index_lists_reach(p->lean, q->stars[node])) continue;
        stars[border->group_count++] = q->stars[node];
    }
    border->work.searches++;
    const sc_shared_question shared = {
        .view = q->view,
        .wanted = q->wanted,
        .lists = p->lean,
        .reach = p->reach,
        .segments = q->relay->segments,
        .segment_count = q->relay->segment_count,
    };
    return sc__shared_search(&border->shared, &shared, stars, border->group_count);
}

static sc_err answer_by_search(border_search *border, const plan *p, size_t node, sc_reply *reply)
{
    border->work.searched++;
    if (!is_far(p->q, p->reach)) return search_alone(border, p, node, reply);
    if (border->group_next == border->group_count) {
        const sc_err err = search_together(border, p, node);
        if (err) return err;
    }
    const size_t lane = border->group_next++;
    const sc_shared_search *found = &border->shared;
    if (found->is_unsure[lane]) return search_alone(border, p, node, reply);
    for (size_t i = found->start[lane]; i < found->start[lane + 1]; i++) {
        const double cost = (double)(found->hits[i] >> 32);
        const sc_near near =
            sc__lbs_near(p->q->view->map, p->reach.metric, (uint32_t)found->hits[i], cost,
                         sc__shared_other(found, lane, i));
        if (!sc__reply_add_near(reply, near)) return SC_ENOMEM;
    }
    return SC_OK;
}

// --- Border nodes, one after the other -------------------------------------------

static sc_err answer_node(border_search *border, const plan *p, size_t node, sc_reply *reply)
{
    if (!p->lean) return answer_by_search(border, p, node, reply);
    switch (sc__index_look_up(p->lean, p->q->stars[node], reply)) {
    case SC_LOOKED_UP:
        border->work.looked_up++;
        return SC_OK;
    case SC_LISTS_TOO_SHORT:
        return answer_by_search(border, p, node, reply);
    default:
        return SC_ENOMEM;
    }
}

// Add the answers of all border nodes to a reply. SC_ELIMIT: too many objects, or visits, which is
// noticed between searches.
static sc_err answer_border(border_search *border, const border_question *question, sc_reply *reply)
{
    const border_question *q = question;
    plan p;  // member by member: to clear its lists first would take as long as a look-up
    p.q = q;
    p.reach = sc__lbs_reach_of(q->view->map, q->request);
    sc__index_lookup_init(&p.lists, q->view, q->request, p.reach);
    p.lean = p.lists.is_possible && !(q->without_index && p.lists.count > 0) ? &p.lists : NULL;
    border->group_next = 0;
    border->group_count = 0;
    // Lists of different nodes are far apart in memory: they are asked for some nodes ahead.
    enum { AHEAD = 6 };
    for (size_t node = 0; p.lean && node < q->count && node < AHEAD; node++) {
        sc__index_lookup_fetch(p.lean, q->stars[node]);
    }
    for (size_t node = 0; node < q->count; node++) {
        if (p.lean && node + AHEAD < q->count) {
            sc__index_lookup_fetch(p.lean, q->stars[node + AHEAD]);
        }
        const sc_err err = answer_node(border, &p, node, reply);
        if (err) return err;
        sc__reply_end_nears(reply, q->place, node);
        // Here and not at the end: a wide range from many nodes would fill the memory first.
        if (reply->near_start[q->place * q->count + node + 1] > q->max_nears) return SC_ELIMIT;
        if (border_visits(border) > q->max_visits) return SC_ELIMIT;
    }
    return SC_OK;
}

// === The provider ===============================================================================

struct sc_lbs {
    const sc_map *map;
    sc_lbs_options options;

    // Working memory.
    border_stars border_stars;
    sc_lbs_wanted_table wanted;
    border_search border;
    sc_near *nearest;  ///< what sc_lbs_nearest() lends
    size_t nearest_capacity;
};

sc_lbs_options sc_lbs_options_default(void)
{
    return (sc_lbs_options){.limits = sc_request_limits_default(),
                            .max_segments = 10000,
                            .max_requests = 1000,
                            .max_objects = 1000000,
                            .max_visits = 10000000};
}

sc_err sc_lbs_new(const sc_map *map, const sc_lbs_options *options, sc_lbs **out, sc_diag *diag)
{
    sc_lbs *lbs = sc_calloc(1, sizeof *lbs);
    if (!lbs) return sc_fail_memory(diag, "making room for a provider");
    lbs->map = map;
    lbs->options = *options;
    if (border_stars_init(&lbs->border_stars, map)) {
        sc_lbs_free(lbs);
        return sc_fail_memory(diag, "making room for a provider");
    }
    *out = lbs;
    return SC_OK;
}

void sc_lbs_free(sc_lbs *lbs)
{
    if (!lbs) return;
    border_stars_fini(&lbs->border_stars);
    sc__lbs_wanted_fini(&lbs->wanted);
    border_fini(&lbs->border);
    sc_free(lbs->nearest);
    sc_free(lbs);
}

sc_lbs_work sc_lbs_get_work(const sc_lbs *lbs)
{
    sc_lbs_work work = lbs->border.work;
    work.stars_visited = border_visits(&lbs->border);
    return work;
}

static sc_err check_objects(const sc_lbs *lbs, const sc_objects_view *view, sc_diag *diag)
{
    if (view->map == lbs->map) return SC_OK;
    return sc_fail(diag, SC_EMISMATCH, "the objects are of another map than the provider's");
}

// --- A whole cloak ---------------------------------------------------------------

/** What answering one relay may take, and has taken. */
typedef struct budget {
    uint64_t visits;       ///< how many the searches may have made in all by the end
    uint64_t on_segments;  ///< objects of the reply so far that lie on the segments
} budget;

static sc_err answer_request(sc_lbs *lbs, const sc_objects_view *view, const sc_relay *relay,
                             size_t place, budget *used, sc_reply *reply)
{
    // A category that is named twice counts once.
    const sc_request *asked = &relay->requests[place];
    const sc_request request = asked->category_count > 1 ? sc_request_normalise(asked) : *asked;
    sc_lbs_wanted wanted;
    const sc_err err = sc__lbs_wanted_by(&lbs->wanted, view, &request, &wanted);
    if (err) return err;
    if (!sc__lbs_add_on_segments(view, &wanted, relay, reply, &used->on_segments)) return SC_ENOMEM;
    sc__reply_end_runs(reply, place);
    if (used->on_segments > lbs->options.max_objects) return SC_ELIMIT;

    const border_question question = {
        .view = view,
        .request = &request,
        .wanted = &wanted,
        .relay = relay,
        .stars = lbs->border_stars.stars,
        .count = relay->border_node_count,
        .place = place,
        .max_nears = lbs->options.max_objects - used->on_segments,
        .max_visits = used->visits,
        .without_index = lbs->options.without_index,
    };
    return answer_border(&lbs->border, &question, reply);
}

static sc_err fail(const sc_lbs *lbs, sc_err err, uint64_t visits, sc_diag *diag)
{
    if (err != SC_ELIMIT) return sc_fail_memory(diag, "answering");
    if (border_visits(&lbs->border) > visits) {
        return sc_fail(diag, err,
                       "the search takes more than %" PRIu64
                       " steps; ask for fewer objects, a smaller range or fewer segments, or give "
                       "the provider an index",
                       lbs->options.max_visits);
    }
    return sc_fail(diag, err,
                   "the answer has more than %zu objects; ask for fewer, or for fewer segments",
                   lbs->options.max_objects);
}

sc_err sc_lbs_evaluate(sc_lbs *lbs, const sc_objects *objects, const sc_relay *relay,
                       sc_reply *reply, sc_diag *diag)
{
    const sc_objects_view *view = sc__objects_view(objects);
    sc_err err = check_objects(lbs, view, diag);
    if (!err) {
        err = check_relay(&lbs->border_stars, lbs->map, &lbs->options, view->category_count, relay,
                          diag);
    }
    if (err) return err;

    if (!sc__reply_begin(reply, relay->request_count, relay->border_node_count)) {
        return sc_fail_memory(diag, "answering");
    }
    reply->map_checksum = relay->map_checksum;
    reply->table = *sc_objects_table(objects);
    const uint64_t visited = border_visits(&lbs->border);
    const uint64_t most = lbs->options.max_visits;
    const uint64_t visits = most < UINT64_MAX - visited ? visited + most : UINT64_MAX;
    budget used = {.visits = visits};
    for (size_t i = 0; i < relay->request_count && !err; i++) {
        err = answer_request(lbs, view, relay, i, &used, reply);
    }
    return err ? fail(lbs, err, visits, diag) : SC_OK;
}

// --- One point ---------------------------------------------------------------------

static sc_err check_place(const sc_map *map, sc_edge_id edge, double offset, sc_diag *diag)
{
    if (edge >= sc_map_edge_count(map)) {
        return sc_fail(diag, SC_EUNKNOWN, "there is no such edge; the map has %" PRIu32,
                       sc_map_edge_count(map));
    }
    // Half a unit is what rounding to the map's grid may do.
    if (!(offset >= -0.5 && offset <= sc_map_edges(map)[edge].length + 0.5)) {
        return sc_fail(diag, SC_EINVAL, "the offset is beyond the ends of the edge");
    }
    return SC_OK;
}

static sc_err lend(sc_lbs *lbs, sc_metric metric, const sc_near **out, size_t *count)
{
    const sc_plain_search *search = &lbs->border.plain;
    if (!sc_reserve(&lbs->nearest, search->hit_count, &lbs->nearest_capacity,
                    sizeof *lbs->nearest)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < search->hit_count; i++) {
        const sc_lbs_hit *hit = &search->hits[i];
        lbs->nearest[i] =
            sc__lbs_near(lbs->map, metric, hit->object, hit->way.cost, hit->way.other);
    }
    *out = lbs->nearest;
    *count = search->hit_count;
    return SC_OK;
}

sc_err sc_lbs_nearest(sc_lbs *lbs, const sc_objects *objects, const sc_near_query *query,
                      const sc_near **out, size_t *count, sc_diag *diag)
{
    const sc_objects_view *view = sc__objects_view(objects);
    const sc_edge_id edge = query->at.edge;
    const sc_request *request = query->request;
    const double offset = query->at.offset_m / sc_map_unit_m(lbs->map);
    sc_err err = check_objects(lbs, view, diag);
    if (!err) err = check_place(lbs->map, edge, offset, diag);
    if (!err) err = sc_request_check(request, &lbs->options.limits, view->category_count, diag);
    if (err) return err;

    sc_lbs_wanted wanted;
    err = sc__lbs_wanted_by(&lbs->wanted, view, request, &wanted);
    if (!err) {
        err = sc__plain_search_point(&lbs->border.plain, view, &wanted,
                                     sc__lbs_reach_of(lbs->map, request), query->at);
    }
    if (!err) err = lend(lbs, request->metric, out, count);
    return err ? sc_fail_memory(diag, "searching") : SC_OK;
}
