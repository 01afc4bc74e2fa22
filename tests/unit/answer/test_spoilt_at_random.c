// Replies that are spoilt at random, on odd maps and cloaks: each is refused, or makes answers that
// hold together, and nothing is read outside of where it is (the sanitizers look).
#include "base/rng.h"
#include "relay/relay_build.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"

#include <starcloak/answer.h>

#include <math.h>

// A number that is likely to do harm.
static uint32_t harmful_number(sc_rng *rng, uint32_t near)
{
    switch (sc_rng_below(rng, 5)) {
    case 0:
        return UINT32_MAX - sc_rng_below(rng, 3);
    case 1:
        return 0;
    case 2:
        return (uint32_t)sc_rng_next(rng);
    default:
        return near + sc_rng_below(rng, 7) - 3;
    }
}

static double harmful_distance(sc_rng *rng, double near)
{
    switch (sc_rng_below(rng, 8)) {
    case 0:
        return NOT_A_NUMBER;
    case 1:
        return HUGE_VAL;
    case 2:
        return 0.0;
    case 3:
        return 1e300;
    default:
        return near * (0.9 + 0.2 * sc_rng_unit(rng));
    }
}

/** What an honest reply has, as far as it may be spoilt; memory itself is the decoder's promise. */
typedef struct extent {
    uint32_t run_count;
    uint32_t near_count;
} extent;

static void spoil_runs(sc_reply *reply, const extent *size, sc_rng *rng)
{
    if (size->run_count == 0) return;
    sc_object_run *run = &reply->runs[sc_rng_below(rng, size->run_count)];
    uint32_t *field = sc_rng_below(rng, 2) ? &run->first : &run->count;
    *field = harmful_number(rng, *field);
}

static void spoil_lists(sc_reply *reply, const extent *size, sc_rng *rng)
{
    if (size->near_count == 0) return;
    sc_near *near = &reply->nears[sc_rng_below(rng, size->near_count)];
    if (sc_rng_below(rng, 2)) {
        near->object = harmful_number(rng, near->object);
    } else {
        near->distance_m = harmful_distance(rng, near->distance_m);
    }
}

static void spoil_starts(sc_reply *reply, sc_rng *rng)
{
    const bool of_runs = sc_rng_below(rng, 2);
    uint32_t *starts = of_runs ? reply->run_start : reply->near_start;
    const size_t count =
        of_runs ? reply->memory->run_start_capacity : reply->memory->near_start_capacity;
    uint32_t *start = &starts[sc_rng_below(rng, (uint32_t)count)];
    *start = harmful_number(rng, *start);
}

static void spoil_objects(const sc_reply *reply, sc_object *objects, sc_rng *rng)
{
    if (!objects || reply->table.count == 0) return;
    sc_object *object = &objects[sc_rng_below(rng, reply->table.count)];
    uint32_t *fields[] = {&object->edge, &object->offset, &object->category, &object->name};
    uint32_t *field = fields[sc_rng_below(rng, 4)];
    *field = harmful_number(rng, *field);
}

static void spoil(sc_reply *reply, const extent *size, sc_object *objects, sc_rng *rng)
{
    switch (sc_rng_below(rng, 8)) {
    case 0:
    case 1:
        spoil_runs(reply, size, rng);
        break;
    case 2:
        spoil_starts(reply, rng);
        break;
    case 3:
        spoil_objects(reply, objects, rng);
        break;
    default:
        spoil_lists(reply, size, rng);
        break;
    }
}

// An answer that holds together: finite, nearest first, nothing twice, no more than asked for.
static void check_holds_together(const sc_reply *reply, const sc_request *request,
                                 const sc_near *got, size_t count)
{
    if (request->type == SC_REQUEST_KNN) assert_true(count <= request->k);
    bool *is_taken = test_take(reply->table.count, sizeof *is_taken);
    for (size_t i = 0; i < count; i++) {
        assert_true(got[i].object < reply->table.count);
        assert_true(isfinite(got[i].distance_m) && got[i].distance_m >= 0.0);
        assert_true(isfinite(got[i].duration_s) && got[i].duration_s >= 0.0);
        assert_true(i == 0 || sc_near_cost(&got[i], request->metric) >=
                                  sc_near_cost(&got[i - 1], request->metric));
        assert_false(is_taken[got[i].object]);
        is_taken[got[i].object] = true;
        if (request->type == SC_REQUEST_RANGE) {
            const double radius =
                request->metric == SC_METRIC_TIME ? request->radius_s : request->radius_m;
            assert_true(sc_near_cost(&got[i], request->metric) <= radius * (1.0 + 1e-9) + 1e-6);
        }
    }
    free(is_taken);
}

/** The objects of a town as a provider's own, which may be spoilt. */
typedef struct own_objects {
    sc_object *objects;
    uint32_t *keys;
} own_objects;

static own_objects make_own(sc_reply *reply)
{
    const uint32_t count = reply->table.count;
    own_objects own = {test_take(count, sizeof *own.objects), test_take(count, sizeof *own.keys)};
    if (count > 0) memcpy(own.objects, reply->table.objects, count * sizeof *own.objects);
    for (uint32_t i = 0; i < count; i++) {
        own.objects[i].name = 0;
    }
    reply->table.objects = own.objects;
    reply->table.keys = own.keys;
    reply->table.strings = "";
    reply->table.strings_size = 1;
    return own;
}

/** A cloak of a town, its honest provider, and what came of spoilt replies. */
typedef struct scene {
    odd_town town;
    odd_cloak cloak;
    sc_lbs *lbs;
    sc_filter *filter;
    size_t refused;
    size_t believed;
} scene;

static void check_answers(scene *s, const sc_reply *reply, const sc_relay *relay)
{
    sc_diag diag = {""};
    for (size_t r = 0; r < relay->request_count; r++) {
        const uint32_t which = sc_rng_below(&s->town.rng, (uint32_t)s->cloak.segment_count);
        const odd_position at =
            odd_position_on(s->town.map, s->cloak.segments[which], &s->town.rng);
        const sc_near *got = NULL;
        size_t count = 0;
        CHECK_OK(sc_filter_answer(s->filter,
                                  (sc_road_point){.edge = at.edge, .offset_m = at.offset_m}, r,
                                  &got, &count, &diag),
                 &diag);
        check_holds_together(reply, &relay->requests[r], got, count);
    }
}

static void ask_and_spoil(scene *s, bool has_keys)
{
    sc_rng *rng = &s->town.rng;
    sc_request requests[3];
    const size_t count =
        odd_requests(s->town.map, sc_map_category_count(s->town.map), rng, requests, 3);
    const sc_relay relay = odd_cloak_relay(&s->cloak, s->town.map, requests, count);
    sc_reply reply;
    sc_diag diag = {""};
    sc_reply_init(&reply);
    CHECK_OK(sc_lbs_evaluate(s->lbs, s->town.objects, &relay, &reply, &diag), &diag);
    own_objects own = {NULL, NULL};
    if (has_keys) own = make_own(&reply);
    const extent size = {reply.run_start[count], reply.near_start[count * relay.border_node_count]};
    for (uint32_t n = 1 + sc_rng_below(rng, 3); n > 0; n--) {
        spoil(&reply, &size, own.objects, rng);
    }
    const sc_err err = sc_filter_open(s->filter, &relay, &reply, &diag);
    assert_true(err == SC_OK || err == SC_EREPLY);
    *(err ? &s->refused : &s->believed) += 1;
    if (!err) check_answers(s, &reply, &relay);
    free(own.objects);
    free(own.keys);
    sc_reply_fini(&reply);
}

static void test_what_is_spoilt_at_random_is_refused_or_holds_together(void **state)
{
    (void)state;
    enum { TOWNS = 300, TIMES = 20 };
    scene s = {.refused = 0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        s.town = odd_town_new(seed);
        s.cloak = odd_cloak_new(s.town.map, &s.town.rng);
        s.lbs = odd_town_lbs(&s.town, true);
        const sc_filter_options options = {100000, seed % 3 == 0 ? 0.1 : 0.0};
        CHECK_OK(sc_filter_new(s.town.map, &options, &s.filter, NULL), NULL);
        for (int i = 0; i < TIMES; i++) {
            ask_and_spoil(&s, i % 2);
        }
        sc_filter_free(s.filter);
        sc_lbs_free(s.lbs);
        odd_cloak_free(&s.cloak);
        odd_town_free(&s.town);
    }
    check_case_done();
    print_message("# %zu refused, %zu believed\n", s.refused, s.believed);
    // Much of what is spoilt a little, or where there is nothing, is as good as before.
    assert_true(s.refused > 1000 && s.believed > 500);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_spoilt_at_random_is_refused_or_holds_together),
};
SC_SUITE(tests)
