// Demands of several queries as one: on any set of roads it is met exactly where each of them is,
// by the definitions (support/slow_demand.h). What single queries ask besides is met likewise.
#include <starcloak/map.h>

#include "engine/covered_set.h"
#include "engine/demand.h"
#include "support/check.h"
#include "support/made_demands.h"
#include "support/slow_demand.h"
#include "support/streams.h"

enum { TOWNS = 1200, SETS_PER_TOWN = 12, MOST_QUERIES = 4 };

/** How many sets met a demand, and of how many. */
typedef struct verdicts {
    uint32_t met;
    uint32_t special;  ///< met but for what single queries ask
    uint32_t all;
} verdicts;

static sc__demand_tables tables_of(const sc_demands *demands)
{
    sc__demand_tables tables = {0};
    if (demands->traffic >= 2) {
        tables.density = sc_density_numbers(demands->density);
        tables.traffic = demands->traffic;
    }
    if (demands->classes) {
        tables.classes = sc_place_classes_bits(demands->classes);
        tables.class_count = sc_place_classes_count(demands->classes);
    }
    return tables;
}

/** Some stars with numbers, and of these some that count. */
typedef struct numbered_set {
    sc_star_id *stars;
    uint32_t *places;
    uint64_t *mask;
    bool *flags;  ///< of those that count, by star
    sc__road_set set;
} numbered_set;

// Most stars have a number, and most of them count; all do in every third set.
static numbered_set draw_set(const slow_roads *roads, sc_rng *rng)
{
    const uint32_t n = roads->star_count;
    const size_t words = n / 64 + 1;
    numbered_set s = {
        .stars = test_take(n, sizeof *s.stars),
        .places = test_take(n, sizeof *s.places),
        .mask = test_take(words, sizeof *s.mask),
        .flags = test_take(n, sizeof *s.flags),
    };
    const bool has_mask = sc_rng_below(rng, 3) > 0;
    uint32_t count = 0;
    for (sc_star_id x = 0; x < n; x++) {
        if (sc_rng_below(rng, 5) == 0) continue;
        s.stars[count] = x;
        s.flags[x] = !has_mask || sc_rng_below(rng, 3) > 0;
        if (s.flags[x]) s.mask[count / 64] |= UINT64_C(1) << count % 64;
        s.places[x] = ++count;
    }
    s.set = (sc__road_set){
        .map_stars = sc_map_stars(roads->map),
        .star_segments = sc_map_star_segments(roads->map),
        .segments = sc_map_segments(roads->map),
        .stars = s.stars,
        .mask = has_mask ? s.mask : NULL,
        .words = words,
        .count = count,
        .places = s.places,
    };
    return s;
}

static void free_set(numbered_set *s)
{
    free(s->stars);
    free(s->places);
    free(s->mask);
    free(s->flags);
}

/** Queries on roads of the set, which is not empty; gives how many. */
static size_t draw_queries(made_demands *m, const bool *roads_in, sc_query *out, sc_rng *rng)
{
    size_t count = 0;
    uint32_t *in = slow_ids(roads_in, m->roads->segment_count, &count);
    const size_t query_count = 1 + sc_rng_below(rng, MOST_QUERIES);
    for (size_t i = 0; i < query_count; i++) {
        const sc_seg_id own = in[sc_rng_below(rng, (uint32_t)count)];
        const uint32_t l = 1 + sc_rng_below(rng, 5);
        out[i] = plain_query((uint32_t)i, own, 1, l, 1 + sc_rng_below(rng, 3), 0);
        out[i].own = made_own_demands(m, &out[i]);
    }
    free(in);
    return query_count;
}

/** sc__specials_are_met() by the stars that are noted, where there are few enough; else as it is.
 */
static bool are_met_as_noted(const sc__demand_tables *tables, const sc__road_set *set,
                             sc__specials specials)
{
    if (!set->mask || set->count > SC__REACHED_STARS_MAX) {
        return sc__specials_are_met(tables, set, specials);
    }
    size_t firsts[MOST_QUERIES];
    size_t count = 0;
    for (size_t i = 0; i < specials.count; i++) {
        firsts[i] = count;
        count += specials.queries[i]->own->reached_count;
    }
    uint64_t *stars = test_take(count + 1, sizeof *stars);
    for (size_t i = 0; i < specials.count; i++) {
        sc__reached_stars(set, specials.queries[i], stars + firsts[i]);
    }
    specials.reached_stars = stars;
    specials.first_reached = firsts;
    const bool are_met = sc__specials_are_met(tables, set, specials);
    free(stars);
    return are_met;
}

static void check_set(made_demands *m, sc_rng *rng, verdicts *v)
{
    const sc_demands *demands = &m->of_engine;
    const sc__demand_tables tables = tables_of(demands);
    numbered_set s = draw_set(m->roads, rng);
    bool *roads_in = test_take(m->roads->segment_count, sizeof *roads_in);
    bool is_empty = true;
    for (sc_seg_id segment = 0; segment < m->roads->segment_count; segment++) {
        roads_in[segment] = slow_touches(m->roads, s.flags, segment);
        is_empty = is_empty && !roads_in[segment];
    }
    if (!is_empty) {
        sc_query queries[MOST_QUERIES];
        const sc_query *lent[MOST_QUERIES];
        const size_t count = draw_queries(m, roads_in, queries, rng);
        size_t special_count = 0;
        sc__demand all = {0};
        bool each = true;
        bool each_special = true;
        for (size_t i = 0; i < count; i++) {
            sc_query plain = queries[i];
            plain.own = NULL;
            if (queries[i].own) lent[special_count++] = &queries[i];
            all = sc__demand_meet(all, sc__demand_of(&tables, &queries[i]));
            each = each && slow_demand_is_met(m->roads, demands, &plain, roads_in);
            each_special =
                each_special && slow_stars_may_do(m->roads, demands, &queries[i], s.flags);
        }
        const bool is_met = sc__roads_meet(&tables, &s.set, &all);
        const sc__specials specials = {.queries = lent, .count = special_count};
        assert_int_equal(is_met, each);
        assert_int_equal(is_met && sc__specials_are_met(&tables, &s.set, specials), each_special);
        assert_int_equal(is_met && are_met_as_noted(&tables, &s.set, specials), each_special);
        v->met += each_special;
        v->special += each && !each_special;
        v->all++;
    }
    free(roads_in);
    free_set(&s);
}

static void test_one_demand_stands_for_those_of_all_queries(void **state)
{
    (void)state;
    verdicts v = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_map *map = stream_map(seed);
        slow_roads roads = slow_roads_new(map);
        made_demands m;
        made_demands_start(&m, &roads, seed);
        for (int i = 0; i < SETS_PER_TOWN; i++) {
            check_set(&m, &rng, &v);
        }
        made_demands_end(&m);
        slow_roads_free(&roads);
        sc_map_free(map);
    }
    check_case_done();
    print_message("# %u of %u meet all, %u all but what single queries ask\n", v.met, v.all,
                  v.special);
    assert_in_range(v.met, v.all / 10, v.all * 9 / 10);
    assert_true(v.special > v.all / 50);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_one_demand_stands_for_those_of_all_queries),
};
SC_SUITE(tests)
