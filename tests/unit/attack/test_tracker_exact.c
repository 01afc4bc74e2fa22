// Following a traveller from cloak to cloak: its definition, written down slowly, says the same.
#include "tracking.h"

#include "slow_reach.h"

#include "support/odd_town.h"

/** What the definition says, over all segments of the map. */
typedef struct slow_tracker {
    const slow_reach *reach;
    const sc_density *density;
    double *p;  ///< by segment
    bool has_seen;
    bool is_unexplained;
    sc_time asked_from;
} slow_tracker;

/** Whether a traveller on `s` may be on `to` within that time. */
static bool slow_may_be(const slow_tracker *slow, sc_seg_id s, sc_seg_id to, double within_us)
{
    return slow_us(slow->reach, s, to) <= within_us;
}

/** The share of those leaving `s` that are on `to`. */
static double slow_share(const slow_tracker *slow, sc_seg_id s, sc_seg_id to, double within_us)
{
    double all = 0;
    for (sc_seg_id x = 0; x < sc_map_segment_count(slow->reach->map); x++) {
        if (slow_may_be(slow, s, x, within_us)) all += sc_density_weight(slow->density, x);
    }
    const bool may_be = slow_may_be(slow, s, to, within_us);
    return may_be ? sc_density_weight(slow->density, to) / all : 0;
}

static void slow_see(slow_tracker *slow, const sc_tracked *cloak)
{
    const uint32_t segment_count = sc_map_segment_count(slow->reach->map);
    const double within_us = (double)(cloak->asked_until - slow->asked_from);
    double *next = test_take(segment_count, sizeof *next);
    double sum = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        const sc_seg_id to = cloak->segments[i];
        if (!cloak->is_left[i]) continue;
        if (!slow->has_seen) next[to] = sc_density_weight(slow->density, to);
        for (sc_seg_id s = 0; s < segment_count && slow->has_seen; s++) {
            if (slow->p[s] > 0) next[to] += slow->p[s] * slow_share(slow, s, to, within_us);
        }
        sum += next[to];
    }
    slow->is_unexplained = sum == 0;
    if (sum == 0) {
        for (size_t i = 0; i < cloak->segment_count; i++) {
            const sc_seg_id to = cloak->segments[i];
            next[to] = sc_density_weight(slow->density, to);
            sum += next[to];
        }
    }
    for (sc_seg_id s = 0; s < segment_count; s++) {
        slow->p[s] = next[s] / sum;
    }
    slow->has_seen = true;
    slow->asked_from = cloak->asked_from;
    free(next);
}

enum { MOST = 12, CLOAKS = 8 };

/** Let both see one traveller's cloaks; how many of them made sense after the ones before. */
static int compare_trackers(sc_tracker *tracker, slow_tracker *slow, sc_rng *rng, double pace_us)
{
    int explained = 0;
    sc_time t = (sc_time)sc_rng_below(rng, 1000);
    sc_tracker_forget(tracker);
    slow->has_seen = false;
    for (int i = 0; i < CLOAKS; i++) {
        sc_seg_id segments[MOST];
        const uint32_t segment_count = sc_map_segment_count(slow->reach->map);
        const size_t count =
            draw_segments(rng, segment_count, 1 + sc_rng_below(rng, MOST), segments);
        t += (sc_time)(sc_rng_unit(rng) * pace_us);
        const sc_time patience = sc_rng_below(rng, 2) ? 0 : (sc_time)(sc_rng_unit(rng) * pace_us);
        // Where the rules exclude nothing, they need not be told.
        bool is_left[MOST];
        const bool has_rules = sc_rng_below(rng, 3) == 0;
        for (size_t s = 0; s < count; s++) {
            is_left[s] = !has_rules || sc_rng_below(rng, 3) > 0;
        }
        const sc_tracked known = {segments, count, t - patience, t, is_left};
        sc_tracked cloak = known;
        if (!has_rules) cloak.is_left = NULL;
        sc_posterior posterior = {0};
        CHECK_OK(sc_tracker_see(tracker, &cloak, &posterior), NULL);
        check_identities(&posterior, segments, count);
        slow_see(slow, &known);
        assert_int_equal(posterior.is_unexplained, slow->is_unexplained);
        for (size_t s = 0; s < count; s++) {
            CHECK_CLOSE(posterior.links[s].linkability, slow->p[segments[s]], 1e-9);
        }
        explained += i > 0 && !posterior.is_unexplained && posterior.ruled_out > 0;
        sc_posterior_fini(&posterior);
    }
    return explained;
}

// At a speed of 1 all times are whole microseconds, so that both agree about what is just in reach.
static void test_beliefs_are_those_of_the_definition(void **state)
{
    (void)state;
    int explained = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        slow_reach reach = slow_reach_new(town.map, 1.0);
        sc_density *density = draw_density(&town.rng, town.map);
        sc_tracker *tracker = tracker_on(town.map, density, 1.0);
        const uint32_t segment_count = sc_map_segment_count(town.map);
        slow_tracker slow = {
            .reach = &reach, .density = density, .p = test_take(segment_count, sizeof *slow.p)};
        for (int i = 0; i < 4; i++) {
            // About as long as it takes from somewhere to somewhere else.
            double pace_us = slow_us(&reach, sc_rng_below(&town.rng, segment_count),
                                     sc_rng_below(&town.rng, segment_count));
            if (!isfinite(pace_us) || pace_us < 1) pace_us = 1e8;
            explained += compare_trackers(tracker, &slow, &town.rng, pace_us);
        }
        free(slow.p);
        sc_tracker_free(tracker);
        sc_density_free(density);
        slow_reach_free(&reach);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(explained > 300);
}

// --- The first cloak -----------------------------------------------------------------------

static void test_a_first_cloak_tells_no_more_than_the_density(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_density *density = draw_density(&town.rng, town.map);
        sc_tracker *tracker = tracker_on(town.map, density, 0);
        for (int i = 0; i < 10; i++) {
            sc_seg_id segments[MOST];
            const size_t count =
                draw_segments(&town.rng, sc_map_segment_count(town.map), MOST, segments);
            sc_tracker_forget(tracker);
            // Earlier than the last one: forgotten is forgotten.
            sc_posterior posterior = see(tracker, segments, count, -i, -i);
            check_identities(&posterior, segments, count);
            assert_false(posterior.is_unexplained);
            CHECK_CLOSE(posterior.effective, sc_density_effective(density, segments, count), 1e-9);
            const double first = sc_density_weight(density, segments[0]);
            for (size_t s = 0; s < count; s++) {
                const double weight = sc_density_weight(density, segments[s]);
                CHECK_CLOSE(posterior.links[s].linkability * first,
                            posterior.links[0].linkability * weight, 1e-9 * weight);
            }
            sc_posterior_fini(&posterior);
        }
        sc_tracker_free(tracker);
        sc_density_free(density);
        odd_town_free(&town);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_beliefs_are_those_of_the_definition),
    SC_CASES(test_a_first_cloak_tells_no_more_than_the_density),
};
SC_SUITE(tests)
