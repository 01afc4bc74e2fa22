// The provider: from a relay to a reply, request after request. See starcloak/lbs.h.
#include <starcloak/lbs.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "lbs/border.h"
#include "lbs/intake.h"
#include "lbs/on_segments.h"

#include <inttypes.h>
#include <math.h>

struct sc_lbs {
    const sc_map *map;
    sc_lbs_options options;

    // Working memory.
    sc_intake intake;
    sc_wanted_room wanted;
    sc_border border;
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
    if (sc__intake_init(&lbs->intake, map)) {
        sc_lbs_free(lbs);
        return sc_fail_memory(diag, "making room for a provider");
    }
    *out = lbs;
    return SC_OK;
}

void sc_lbs_free(sc_lbs *lbs)
{
    if (!lbs) return;
    sc__intake_fini(&lbs->intake);
    sc__wanted_fini(&lbs->wanted);
    sc__border_fini(&lbs->border);
    sc_free(lbs->nearest);
    sc_free(lbs);
}

sc_lbs_work sc_lbs_get_work(const sc_lbs *lbs)
{
    sc_lbs_work work = lbs->border.work;
    work.stars_visited = sc__border_visits(&lbs->border);
    return work;
}

static sc_err check_objects(const sc_lbs *lbs, const sc_objects_view *view, sc_diag *diag)
{
    if (view->map == lbs->map) return SC_OK;
    return sc_fail(diag, SC_EMISMATCH, "these objects lie on another map than the provider's");
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
    // Whoever names a category twice still means it once.
    const sc_request *asked = &relay->requests[place];
    const sc_request request = asked->category_count > 1 ? sc_request_normalise(asked) : *asked;
    sc_wanted wanted;
    const sc_err err = sc__wanted_by(&lbs->wanted, view, &request, &wanted);
    if (err) return err;
    if (!sc__add_on_segments(view, &wanted, relay, reply, &used->on_segments)) return SC_ENOMEM;
    sc__reply_end_runs(reply, place);
    if (used->on_segments > lbs->options.max_objects) return SC_ELIMIT;

    const sc_border_question question = {
        .view = view,
        .request = &request,
        .wanted = &wanted,
        .relay = relay,
        .stars = lbs->intake.stars,
        .count = relay->border_node_count,
        .place = place,
        .max_nears = lbs->options.max_objects - used->on_segments,
        .max_visits = used->visits,
        .without_index = lbs->options.without_index,
    };
    return sc__border_answer(&lbs->border, &question, reply);
}

static sc_err fail(const sc_lbs *lbs, sc_err err, uint64_t visits, sc_diag *diag)
{
    if (err != SC_ELIMIT) return sc_fail_memory(diag, "answering");
    if (sc__border_visits(&lbs->border) > visits) {
        return sc_fail(diag, err,
                       "the search takes more than %" PRIu64 " steps; ask for fewer objects, a "
                       "smaller range or fewer segments, or let the provider have an index",
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
        err = sc__intake_take(&lbs->intake, lbs->map, &lbs->options, view->category_count, relay,
                              diag);
    }
    if (err) return err;

    if (!sc__reply_begin(reply, relay->request_count, relay->border_node_count)) {
        return sc_fail_memory(diag, "answering");
    }
    reply->map_checksum = relay->map_checksum;
    reply->table = *sc_objects_table(objects);
    const uint64_t visited = sc__border_visits(&lbs->border);
    const uint64_t most = lbs->options.max_visits;
    const uint64_t visits = most < UINT64_MAX - visited ? visited + most : UINT64_MAX;
    budget used = {.visits = visits};
    for (size_t i = 0; i < relay->request_count && !err; i++) {
        err = answer_request(lbs, view, relay, i, &used, reply);
    }
    return err ? fail(lbs, err, visits, diag) : SC_OK;
}

// --- One point ---------------------------------------------------------------------

/** Where an edge begins, along its segment. */
static double along_of_edge(const sc_map *map, sc_edge_id edge)
{
    const sc_edge *edges = sc_map_edges(map);
    uint64_t along = 0;
    for (sc_edge_id e = sc_map_segments(map)[edges[edge].segment].first_edge; e < edge; e++) {
        along += edges[e].length;
    }
    return (double)along;
}

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

static sc_err lend(sc_lbs *lbs, const sc_near **out, size_t *count)
{
    const sc_plain_search *search = &lbs->border.plain;
    if (!sc_reserve(&lbs->nearest, search->hit_count, &lbs->nearest_capacity,
                    sizeof *lbs->nearest)) {
        return SC_ENOMEM;
    }
    const double unit_m = sc_map_unit_m(lbs->map);
    for (size_t i = 0; i < search->hit_count; i++) {
        lbs->nearest[i] = (sc_near){search->hits[i].object, search->hits[i].distance * unit_m};
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

    const sc_edge *road = &sc_map_edges(lbs->map)[edge];
    const double along = along_of_edge(lbs->map, edge) + fmin(fmax(offset, 0.0), road->length);
    sc_wanted wanted;
    err = sc__wanted_by(&lbs->wanted, view, request, &wanted);
    if (!err) {
        err = sc__search_from_point(&lbs->border.plain, view, &wanted,
                                    sc__reach_of(lbs->map, request), road->segment, along);
    }
    if (!err) err = lend(lbs, out, count);
    return err ? sc_fail_memory(diag, "searching") : SC_OK;
}
