// Why one reply suffices for everybody: for every point of a cloak, what the provider returned
// contains the answer, with its distances.
//
// The shortest way from a point to an object stays in the cloak, or leaves it for the last time
// through a border node. So with a plain search that may use the cloak's roads alone, and the
// provider's distances from its border nodes, the answer is found without any other object; and it
// is the one of a plain search over the whole map. Nothing of answer/ is used here.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"

#include <math.h>

enum { TOWNS = 1200, POINTS_PER_SEGMENT = 3, MOST_POINTS = 24 };

/** What a provider returned for one request, as far as it helps someone in the cloak. */
typedef struct returned {
    odd_town *town;
    const odd_cloak *cloak;
    const sc_reply *reply;
    size_t request;
    slow_nearest inside;  ///< on the cloak's roads alone
    uint64_t *distance;   ///< per object, for the point at hand
    uint64_t *other;      ///< the same ways in the other metric
    bool *is_candidate;   ///< per object: it was returned at all
} returned;

static returned returned_of(odd_town *town, const odd_cloak *cloak, const sc_reply *reply,
                            size_t request)
{
    returned r = {.town = town, .cloak = cloak, .reply = reply, .request = request};
    r.inside = slow_nearest_new(town->map, sc_objects_table(town->objects));
    r.inside.only = cloak->inside;
    r.distance = test_take(r.inside.table->count, sizeof *r.distance);
    r.other = test_take(r.inside.table->count, sizeof *r.other);
    r.is_candidate = test_take(r.inside.table->count, sizeof *r.is_candidate);
    for (uint32_t i = reply->run_start[request]; i < reply->run_start[request + 1]; i++) {
        for (uint32_t j = 0; j < reply->runs[i].count; j++) {
            r.is_candidate[reply->runs[i].first + j] = true;
        }
    }
    const size_t border = cloak->border_node_count;
    for (uint32_t i = reply->near_start[request * border];
         i < reply->near_start[(request + 1) * border]; i++) {
        r.is_candidate[reply->nears[i].object] = true;
    }
    return r;
}

static void returned_free(returned *r)
{
    slow_nearest_free(&r->inside);
    free(r->distance);
    free(r->other);
    free(r->is_candidate);
}

static uint64_t parts_of(const returned *r, const sc_near *near, sc_metric metric)
{
    // The provider's distances and durations are whole units.
    const sc_map *map = r->town->map;
    const double unit = metric == SC_METRIC_TIME ? sc_map_time_unit_s(map) : sc_map_unit_m(map);
    return (uint64_t)llround(sc_near_cost(near, metric) / unit) * SLOW_PARTS;
}

// Within the cloak, or out through border node b and then as far as the provider says.
static void combine(returned *r, odd_position at)
{
    const sc_metric metric = r->inside.metric;
    const sc_metric other = metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
    r->inside.direction = at.direction;
    slow_measure(&r->inside, at.edge, at.offset_m);
    for (uint32_t o = 0; o < r->inside.table->count; o++) {
        r->distance[o] = r->is_candidate[o] ? r->inside.object_distance[o] : SLOW_NO_WAY;
        r->other[o] = r->inside.object_other[o];
    }
    const size_t border = r->cloak->border_node_count;
    for (size_t b = 0; b < border; b++) {
        const uint64_t to_border = r->inside.node_distance[r->cloak->border_nodes[b]];
        if (to_border == SLOW_NO_WAY) continue;
        const size_t list = r->request * border + b;
        for (uint32_t i = r->reply->near_start[list]; i < r->reply->near_start[list + 1]; i++) {
            const sc_near *near = &r->reply->nears[i];
            const uint64_t way = to_border + parts_of(r, near, metric);
            const uint64_t way_other =
                r->inside.node_other[r->cloak->border_nodes[b]] + parts_of(r, near, other);
            if (way > r->distance[near->object]) continue;
            if (way == r->distance[near->object] && way_other >= r->other[near->object]) continue;
            r->distance[near->object] = way;
            r->other[near->object] = way_other;
        }
    }
}

static void check_point(returned *r, odd_position at, const sc_request *request)
{
    r->town->slow.direction = at.direction;
    slow_answer truth = slow_nearest_at(&r->town->slow, at.edge, at.offset_m, request);

    // Whatever is surely in the answer was returned. The last ones of k may tie with others.
    for (size_t i = 0; i < truth.least_count; i++) {
        const bool may_tie = request->type == SC_REQUEST_KNN &&
                             truth.nears[i].distance + 2 * SLOW_TOLERANCE >=
                                 truth.nears[truth.least_count - 1].distance &&
                             truth.near_count > truth.least_count;
        if (!may_tie) assert_true(r->is_candidate[truth.nears[i].object]);
    }

    // And the answer made of it alone is the true one.
    combine(r, at);
    slow_answer made = slow_answer_of(&r->town->slow, r->distance, r->other, request);
    sc_near *nears = test_take(made.near_count, sizeof *nears);
    const size_t count = made.most_count;
    for (size_t i = 0; i < count; i++) {
        nears[i] = slow_near_of(&r->inside, &made.nears[i]);
    }
    slow_check_answer(&r->town->slow, &truth, nears, count, "point of the cloak");
    free(nears);
    slow_answer_free(&made);
    slow_answer_free(&truth);
}

// Both ends of each segment's first and last edge, and points between.
static uint64_t check_points(returned *r, const sc_request *request)
{
    const sc_map *map = r->town->map;
    const sc_segment *segments = sc_map_segments(map);
    uint64_t points = 0;
    const size_t stride = 1 + r->cloak->segment_count * (2 + POINTS_PER_SEGMENT) / MOST_POINTS;
    for (size_t i = sc_rng_below(&r->town->rng, (uint32_t)stride); i < r->cloak->segment_count;
         i += stride) {
        const sc_seg_id s = r->cloak->segments[i];
        const sc_edge_id last = segments[s + 1].first_edge - 1;
        check_point(r, (odd_position){.edge = segments[s].first_edge}, request);
        check_point(r, (odd_position){.edge = last, .offset_m = sc_map_edge_length_m(map, last)},
                    request);
        for (int j = 0; j < POINTS_PER_SEGMENT; j++) {
            check_point(r, odd_position_on(map, s, &r->town->rng), request);
        }
        points += 2 + POINTS_PER_SEGMENT;
    }
    return points;
}

static void test_what_the_provider_returns_contains_the_answer_of_every_point(void **state)
{
    (void)state;
    uint64_t points = 0;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        if (seed / ODD_TOWN_KINDS % 2) odd_town_index(&town);
        odd_cloak cloak = odd_cloak_new(town.map, &town.rng);
        sc_request requests[2];
        const size_t count =
            odd_requests(town.map, sc_map_category_count(town.map), &town.rng, requests, 2);
        const sc_relay relay = odd_cloak_relay(&cloak, town.map, requests, count);
        sc_lbs *lbs = odd_town_lbs(&town, false);
        sc_reply reply;
        sc_reply_init(&reply);
        sc_diag diag = {""};
        CHECK_OK(sc_lbs_evaluate(lbs, town.objects, &relay, &reply, &diag), &diag);
        for (size_t i = 0; i < count; i++) {
            returned r = returned_of(&town, &cloak, &reply, i);
            r.inside.metric = requests[i].metric;
            points += check_points(&r, &requests[i]);
            returned_free(&r);
        }
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        odd_cloak_free(&cloak);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(points / 10 > TOWNS);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_the_provider_returns_contains_the_answer_of_every_point),
};
SC_SUITE(tests)
