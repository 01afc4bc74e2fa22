// Demands on the roads of a cloak, by their definitions (support/slow_demand.h): what the search of
// an engine may rely on. The core is one set however it is found, the demands of many are those of
// a few numbers, and what fails on all roads in reach fails on any part of them.
#include <starcloak/map.h>

#include "support/check.h"
#include "support/made_demands.h"
#include "support/slow_demand.h"
#include "support/streams.h"

enum { SETS = 4000, MOST_ROADS = 12, TOWNS = 600, MOST_STARS = 12, MOST_MEMBERS = 3 };

/** A set of weights to choose roads from. */
typedef struct weighted {
    size_t count;
    uint64_t weights[MOST_ROADS];
    bool all[MOST_ROADS];
} weighted;

// Small numbers, so that many are equal, some busy roads, and some that no traveller can have come
// to; now and then large ones.
static weighted draw_weights(sc_rng *rng)
{
    weighted w = {.count = 1 + sc_rng_below(rng, MOST_ROADS)};
    const uint32_t most = sc_rng_below(rng, 4) == 0 ? UINT32_C(1) << 30 : 12;
    for (size_t i = 0; i < w.count; i++) {
        w.weights[i] = 1 + sc_rng_below(rng, most);
        if (sc_rng_below(rng, 4) == 0) w.weights[i] *= 7;
        if (sc_rng_below(rng, 12) == 0) w.weights[i] = 0;
        w.all[i] = true;
    }
    return w;
}

static void check_same(const bool *a, const bool *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a[i], b[i]);
    }
}

static void test_the_core_is_one_set_however_it_is_found(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    size_t partial = 0;
    for (uint64_t i = 0; i < SETS; i++) {
        check_case(i);
        const weighted w = draw_weights(&rng);
        const uint32_t n = 1 + sc_rng_below(&rng, 5);
        bool sorted[MOST_ROADS];
        bool trimmed[MOST_ROADS];
        bool joined[MOST_ROADS];
        memcpy(sorted, w.all, sizeof sorted);
        memcpy(trimmed, w.all, sizeof trimmed);
        memcpy(joined, w.all, sizeof joined);
        slow_core(w.weights, w.count, n, sorted);
        slow_core_by_trimming(w.weights, w.count, n, trimmed);
        slow_core_by_subsets(w.weights, w.count, n, joined);
        check_same(sorted, trimmed, w.count);
        check_same(sorted, joined, w.count);
        size_t size = 0;
        for (size_t j = 0; j < w.count; j++) {
            size += sorted[j];
        }
        partial += size > 0 && size < w.count;
    }
    check_case_done();
    assert_true(partial > SETS / 20);
}

static void test_cores_grow_with_the_roads_and_shrink_with_n(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (uint64_t i = 0; i < SETS; i++) {
        check_case(i);
        const weighted w = draw_weights(&rng);
        const uint32_t n = 1 + sc_rng_below(&rng, 4);
        bool whole[MOST_ROADS];
        bool stricter[MOST_ROADS];
        bool part[MOST_ROADS];
        for (size_t j = 0; j < w.count; j++) {
            part[j] = sc_rng_below(&rng, 3) > 0;
        }
        memcpy(whole, w.all, sizeof whole);
        memcpy(stricter, w.all, sizeof stricter);
        slow_core(w.weights, w.count, n, whole);
        slow_core(w.weights, w.count, n + 1, stricter);
        slow_core(w.weights, w.count, n, part);
        for (size_t j = 0; j < w.count; j++) {
            assert_true(whole[j] || !part[j]);
            assert_true(whole[j] || !stricter[j]);
        }
    }
    check_case_done();
}

// Of the members that want the n-th part, the one on the busiest road stands for all.
static void test_one_number_for_each_n_stands_for_all_members(void **state)
{
    (void)state;
    enum { MOST_N = 4 };
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    uint32_t met = 0;
    for (uint64_t i = 0; i < SETS; i++) {
        check_case(i);
        const weighted w = draw_weights(&rng);
        uint64_t exposure[MOST_N + 1] = {0};
        bool each = true;
        for (uint32_t member = 0; member < 1 + i % 4; member++) {
            const uint32_t own = sc_rng_below(&rng, (uint32_t)w.count);
            const uint32_t n = 2 + sc_rng_below(&rng, MOST_N - 1);
            bool core[MOST_ROADS];
            memcpy(core, w.all, sizeof core);
            slow_core(w.weights, w.count, n, core);
            each = each && core[own];
            if (w.weights[own] > exposure[n]) exposure[n] = w.weights[own];
        }
        bool all = true;
        for (uint32_t n = 2; n <= MOST_N; n++) {
            bool core[MOST_ROADS];
            uint64_t heaviest = 0;
            memcpy(core, w.all, sizeof core);
            slow_core(w.weights, w.count, n, core);
            for (size_t j = 0; j < w.count; j++) {
                if (core[j] && w.weights[j] > heaviest) heaviest = w.weights[j];
            }
            all = all && exposure[n] <= heaviest;
        }
        assert_int_equal(all, each);
        met += each;
    }
    check_case_done();
    assert_in_range(met, SETS / 10, SETS * 9 / 10);
}

static void test_a_busy_road_is_hidden_by_as_much_traffic_as_its_own(void **state)
{
    (void)state;
    const uint64_t hidden[] = {2, 3, 4, 9};
    const uint64_t exposed[] = {2, 3, 4, 10};
    bool core[] = {true, true, true, true};
    slow_core(hidden, 4, 2, core);
    check_same(core, (const bool[]){true, true, true, true}, 4);
    slow_core(exposed, 4, 2, core);
    check_same(core, (const bool[]){true, true, true, false}, 4);
}

// --- On towns --------------------------------------------------------------------

/** Some who might be in one cloak, and the stars that all of them reach. */
typedef struct party {
    slow_roads roads;
    made_demands demands;
    sc_member members[MOST_MEMBERS];
    size_t count;
    bool *in_reach;
    size_t star_count;  ///< of those in reach
} party;

static bool is_near(const slow_roads *roads, sc_star_id a, sc_star_id b, uint32_t max_hops)
{
    const uint32_t hops = slow_hops(roads, a, b);
    return hops != SC_NONE && hops <= max_hops;
}

// Members at random roads; false if they do not reach each other.
static bool draw_members(party *p, sc_rng *rng)
{
    p->count = 1 + sc_rng_below(rng, MOST_MEMBERS);
    for (size_t i = 0; i < p->count; i++) {
        const sc_seg_id own = sc_rng_below(rng, p->roads.segment_count);
        const sc_segment *segment = &sc_map_segments(p->roads.map)[own];
        const bool is_second = segment->star_b != SC_NONE && sc_rng_below(rng, 2) == 0;
        const uint32_t l = 1 + sc_rng_below(rng, 5);
        const uint32_t max_hops = sc_rng_below(rng, 5);
        p->members[i] = (sc_member){
            .query = plain_query((uint32_t)i, own, 1, l, max_hops, 0),
            .star = is_second ? segment->star_b : segment->star_a,
        };
    }
    bool do_meet = true;
    for (size_t i = 0; i < p->count * p->count; i++) {
        const sc_member *a = &p->members[i / p->count];
        const sc_member *b = &p->members[i % p->count];
        do_meet = do_meet && is_near(&p->roads, a->star, b->star, a->query.max_hops);
    }
    return do_meet;
}

static void gather(party *p, const sc_map *map, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    *p = (party){.roads = slow_roads_new(map)};
    made_demands_start(&p->demands, &p->roads, seed);
    while (!draw_members(p, &rng)) {
    }
    for (size_t i = 0; i < p->count; i++) {
        sc_query *query = &p->members[i].query;
        query->own = made_own_demands(&p->demands, query);
    }
    p->in_reach = test_take(p->roads.star_count, sizeof *p->in_reach);
    for (sc_star_id x = 0; x < p->roads.star_count; x++) {
        p->in_reach[x] = true;
        for (size_t i = 0; i < p->count; i++) {
            const sc_member *m = &p->members[i];
            p->in_reach[x] = p->in_reach[x] && is_near(&p->roads, m->star, x, m->query.max_hops);
        }
        p->star_count += p->in_reach[x];
    }
}

static void part(party *p)
{
    made_demands_end(&p->demands);
    free(p->in_reach);
    slow_roads_free(&p->roads);
}

static bool is_good(const party *p, const bool *stars)
{
    return slow_is_good(&p->roads, &p->demands.of_engine, p->members, p->count, stars);
}

// Whether all roads in reach are what every member asks for.
static bool all_roads_do(const party *p)
{
    bool do_all = true;
    for (size_t i = 0; i < p->count; i++) {
        do_all = do_all && slow_stars_may_do(&p->roads, &p->demands.of_engine, &p->members[i].query,
                                             p->in_reach);
    }
    return do_all;
}

// Whether some T within `in_reach`, with the members' stars in it, is good.
static bool has_good_part(const party *p)
{
    size_t count = 0;
    uint32_t *stars = slow_ids(p->in_reach, p->roads.star_count, &count);
    bool *tried = test_take(p->roads.star_count, sizeof *tried);
    bool has_good = false;
    for (uint32_t bits = 0; bits < UINT32_C(1) << count && !has_good; bits++) {
        for (size_t i = 0; i < count; i++) {
            tried[stars[i]] = bits >> i & 1;
        }
        bool has_all = true;
        for (size_t i = 0; i < p->count; i++) {
            has_all = has_all && tried[p->members[i].star];
        }
        has_good = has_all && is_good(p, tried);
    }
    free(tried);
    free(stars);
    return has_good;
}

// The members' possible roads are good in what is left, which holds their stars.
static void check_settled(const party *p, const bool *stars)
{
    assert_true(is_good(p, stars));
    for (size_t i = 0; i < p->count; i++) {
        assert_true(stars[p->members[i].star]);
    }
    for (sc_star_id x = 0; x < p->roads.star_count; x++) {
        assert_true(p->in_reach[x] || !stars[x]);
    }
}

// Whether settling takes something away and succeeds.
static bool is_settled(const party *p, bool has_good, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    bool *stars = test_take(p->roads.star_count, sizeof *stars);
    memcpy(stars, p->in_reach, p->roads.star_count * sizeof *stars);
    const bool was_good = is_good(p, stars);
    const bool settled =
        slow_settle(&p->roads, &p->demands.of_engine, p->members, p->count, stars, &rng);
    if (settled) check_settled(p, stars);
    assert_true(has_good || !settled);
    assert_true(settled || !was_good);
    free(stars);
    return settled && !was_good;
}

static void test_what_fails_on_all_roads_in_reach_fails_on_any_part(void **state)
{
    (void)state;
    uint32_t good = 0;
    uint32_t hopeless = 0;
    uint32_t settled = 0;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        party p;
        gather(&p, map, seed);
        if (p.star_count <= MOST_STARS) {
            const bool has_good = has_good_part(&p);
            const bool may_be = all_roads_do(&p);
            assert_true(may_be || !has_good);
            good += has_good;
            hopeless += !may_be;
            settled += is_settled(&p, has_good, seed);
        }
        part(&p);
        sc_map_free(map);
    }
    check_case_done();
    print_message("# %u of %d have a good part, %u are hopeless, %u were settled\n", good, TOWNS,
                  hopeless, settled);
    assert_true(good > TOWNS / 10);
    assert_true(hopeless > TOWNS / 10);
    assert_true(settled > 0);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_core_is_one_set_however_it_is_found),
    SC_CASES(test_cores_grow_with_the_roads_and_shrink_with_n),
    SC_CASES(test_one_number_for_each_n_stands_for_all_members),
    SC_CASES(test_a_busy_road_is_hidden_by_as_much_traffic_as_its_own),
    SC_CASES(test_what_fails_on_all_roads_in_reach_fails_on_any_part),
};
SC_SUITE(tests)
