// What demands exclude for one who knows the rules, by the definition: a road is left if it is
// possible, and if all that is demanded would be met for a member on it (support/slow_demand.h).
// That is asked of every road by itself, with drawn densities, classes, zones and tables of what
// was reached.
#include "ruled_town.h"

#include <starcloak/attack.h>

#include "support/check.h"
#include "support/made_demands.h"

enum { TOWNS = 400, CLOAKS = 10 };

/** A cloak with one member, of whom all is known but the road. */
typedef struct drawn_cloak {
    const ruled_town *on;
    const sc_demands *demands;
    sc_query member;  ///< with its own demands, on some road
    uint32_t *segments;
    size_t segment_count;
    bool *all;       ///< roads of S, by segment
    bool *possible;  ///< those that can be the member's
} drawn_cloak;

/** How often something of interest was seen. */
typedef struct tally {
    int compared;
    int unmet;    ///< demands that no road meets
    int traffic;  ///< excludes a possible road; each of the next, one that is left by those before
    int linked;
    int zone;
    int classes;  ///< asked for, and met
    int lenient;  ///< excluded of all roads, not only of the possible ones
} tally;

static bool is_in_zone(const sc_own_demands *own, sc_seg_id segment)
{
    for (size_t i = 0; own && i < own->zone_count; i++) {
        if (own->zone[i] == segment) return true;
    }
    return false;
}

// Whether all would be met for the member if it were on that road.
static bool is_met_on(const drawn_cloak *cloak, const sc_demands *demands, sc_seg_id segment)
{
    sc_query there = cloak->member;
    sc_own_demands own = {0};
    if (there.own) {
        own = *there.own;
        if (!is_in_zone(there.own, segment)) own.zone_count = 0;
        there.own = &own;
    }
    there.segment = segment;
    const bool *counted = demands->is_strict ? cloak->possible : cloak->all;
    return slow_demand_is_met(&cloak->on->roads, demands, &there, counted) &&
           slow_continuity_is_met(&cloak->on->roads, demands, &there, cloak->all);
}

static size_t count_met(const drawn_cloak *cloak, const sc_demands *demands)
{
    size_t count = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        count += is_met_on(cloak, demands, cloak->segments[i]);
    }
    return count;
}

// l, classes, and how much can be reached: nothing of that depends on the member's own road. So
// they are met on all roads or on none, whatever is marked.
static bool check_common_demands(const drawn_cloak *cloak, tally *seen)
{
    sc_demands common = *cloak->demands;
    common.traffic = 0;
    drawn_cloak without_zone = *cloak;
    sc_own_demands own = {0};
    if (cloak->member.own) {
        own = *cloak->member.own;
        own.zone_count = 0;
        without_zone.member.own = &own;
    }
    const size_t met = count_met(&without_zone, &common);
    assert_true(met == 0 || met == cloak->segment_count);
    if (met == 0) {
        assert_int_equal(count_met(cloak, cloak->demands), 0);
        seen->unmet++;
        return false;
    }
    sc_demands unmarked = *cloak->demands;
    unmarked.classes = NULL;
    for (size_t i = 0; cloak->demands->classes && i < cloak->segment_count; i++) {
        assert_int_equal(is_met_on(cloak, cloak->demands, cloak->segments[i]),
                         is_met_on(cloak, &unmarked, cloak->segments[i]));
        seen->classes++;
    }
    return true;
}

// --- The fast way ----------------------------------------------------------------

static uint16_t *parts_of(const drawn_cloak *cloak)
{
    const sc_own_demands *own = cloak->member.own;
    if (!own || !own->has_reached) return NULL;
    uint16_t *parts = test_take(cloak->segment_count, sizeof *parts);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        for (size_t j = 0; j < own->reached_count; j++) {
            if (own->reached[j].segment == cloak->segments[i]) parts[i] = own->reached[j].part;
        }
    }
    return parts;
}

static size_t see(sc_rule *rule, const sc_ruled *ruled, bool *is_left)
{
    sc_left left;
    CHECK_OK(sc_rule_see(rule, ruled, &left, NULL), NULL);
    memcpy(is_left, left.is_left, ruled->segment_count * sizeof *is_left);
    return left.left;
}

static void compare(const drawn_cloak *cloak, sc_rule *rule, const sc_ruled *ruled, tally *seen)
{
    bool *is_left = test_take(cloak->segment_count, sizeof *is_left);
    sc_ruled less = *ruled;
    const size_t left = see(rule, ruled, is_left);
    size_t wanted = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        const sc_seg_id s = cloak->segments[i];
        const bool is_wanted = cloak->possible[s] && is_met_on(cloak, cloak->demands, s);
        assert_int_equal(is_left[i], is_wanted);
        wanted += is_wanted;
    }
    assert_int_equal(left, wanted);
    seen->compared++;
    less.zone_count = 0;
    const size_t with_zone = see(rule, &less, is_left);
    seen->zone += with_zone > left;
    less.reached = NULL;
    const size_t with_both = see(rule, &less, is_left);
    seen->linked += with_both > with_zone;
    size_t possible = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        possible += cloak->possible[cloak->segments[i]];
    }
    seen->traffic += possible > with_both;
    seen->lenient += !cloak->demands->is_strict && possible < cloak->segment_count;
    free(is_left);
}

static void compare_one(ruled_town *on, made_demands *m, sc_rule *rule, tally *seen)
{
    sc_rng *rng = &on->town.rng;
    draw_stars(on);
    drawn_cloak cloak = {.on = on, .demands = &m->of_engine};
    cloak.segments = ids_of_roads(on, &cloak.segment_count);
    cloak.all = test_take(on->roads.segment_count, sizeof *cloak.all);
    cloak.possible = test_take(on->roads.segment_count, sizeof *cloak.possible);
    for (size_t i = 0; i < cloak.segment_count; i++) {
        cloak.all[cloak.segments[i]] = true;
    }
    cloak.member = (sc_query){
        .l = 1 + sc_rng_below(rng, 4),
        .max_hops = 1 + sc_rng_below(rng, 5),
        .segment = cloak.segments[sc_rng_below(rng, (uint32_t)cloak.segment_count)],
    };
    cloak.member.own = made_own_demands(m, &cloak.member);
    slow_possible_roads(&on->roads, &cloak.member, on->stars, cloak.possible);

    if (check_common_demands(&cloak, seen)) {
        sc_ruled ruled = {.segments = cloak.segments, .segment_count = cloak.segment_count};
        uint32_t *stars = slow_ids(on->stars, on->roads.star_count, &ruled.star_count);
        uint16_t *parts = parts_of(&cloak);
        const sc_own_demands *own = cloak.member.own;
        const sc_known_zone zone = {own ? own->zone : NULL, own ? own->zone_count : 0};
        ruled.stars = stars;
        ruled.needs = (sc_needs){.k = 1, .l = cloak.member.l, .max_hops = cloak.member.max_hops};
        ruled.zones = &zone;
        ruled.zone_count = zone.count > 0;
        ruled.reached = parts;
        compare(&cloak, rule, &ruled, seen);
        free(stars);
        free(parts);
    }
    free(cloak.segments);
    free(cloak.all);
    free(cloak.possible);
}

static void test_a_road_is_left_if_the_demands_would_be_met_on_it(void **state)
{
    (void)state;
    tally seen = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        ruled_town on = ruled_town_new(seed);
        made_demands m;
        made_demands_start(&m, &on.roads, seed);
        m.zones = 50;
        m.tables = 70;
        const sc_rule_options options = {.density = m.density,
                                         .traffic = m.of_engine.traffic,
                                         .counts_all = !m.of_engine.is_strict};
        sc_rule *rule = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_rule_new(on.town.map, &options, &rule, &diag), &diag);
        for (int i = 0; i < CLOAKS && on.roads.star_count > 0; i++) {
            compare_one(&on, &m, rule, &seen);
        }
        sc_rule_free(rule);
        made_demands_end(&m);
        ruled_town_free(&on);
    }
    check_case_done();
    assert_true(seen.compared > 500);
    assert_true(seen.unmet > 100);
    assert_true(seen.traffic > 100);
    assert_true(seen.linked > 20);
    assert_true(seen.zone > 20);
    assert_true(seen.classes > 500);
    assert_true(seen.lenient > 20);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_road_is_left_if_the_demands_would_be_met_on_it),
};
SC_SUITE(tests)
