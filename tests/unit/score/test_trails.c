// Travellers who ask again: their trails beside a plain search, and what a tracker sees of them.
#include "score/score.h"

#include "made_cases.h"
#include "support/sketch.h"

// --- A plain search --------------------------------------------------------------------

/** Whether the user is in the case, and as which member first. */
static bool is_in(const sc_cases *cases, size_t c, uint64_t user, size_t *member)
{
    const sc_case one = sc_cases_at(cases, c);
    for (size_t m = 0; m < one.member_count; m++) {
        *member = m;
        if (one.members[m].user == user && !one.members[m].is_injected) return true;
    }
    return false;
}

static size_t count_cloaks(const sc_cases *cases, uint64_t user)
{
    size_t count = 0;
    size_t member;
    for (size_t c = 0; c < cases->count; c++) {
        count += is_in(cases, c, user, &member);
    }
    return count;
}

/** Who left a trail. */
static uint64_t user_of(const sc_cases *cases, const sc_trails *trails, size_t trail)
{
    const sc_trail_step step = trails->steps[trails->all[trail].first];
    return sc_cases_at(cases, step.which).members[step.member].user;
}

/** Every cloak of the traveller is a step, and nothing else is. */
static void check_trail(const sc_cases *cases, const sc_trails *trails, size_t trail)
{
    const uint64_t user = user_of(cases, trails, trail);
    const sc_trail_step *next = &trails->steps[trails->all[trail].first];
    size_t count = 0;
    size_t member;
    for (size_t c = 0; c < cases->count; c++) {
        if (!is_in(cases, c, user, &member)) continue;
        assert_true(count < trails->all[trail].count);
        assert_int_equal(next[count].which, c);
        assert_int_equal(next[count].member, member);
        count++;
    }
    assert_int_equal(trails->all[trail].count, count);
}

static void test_trails_are_those_of_a_plain_search(void **state)
{
    (void)state;
    size_t kept = 0;
    size_t left_out = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        check_case(seed);
        const made_world world = {.case_count = (uint32_t)seed,
                                  .user_count = 1 + (uint32_t)seed % 40,
                                  .most_members = 1 + (uint32_t)seed % 9,
                                  .segment_count = 20};
        sc_cases cases = made_cases(&world, seed);
        const size_t least = 1 + seed % 5;
        sc_trails trails = {0};
        CHECK_OK(sc_trails_init(&trails, &cases, least, seed), NULL);

        size_t wanted = 0;
        for (uint32_t user = 0; user < world.user_count; user++) {
            const size_t cloaks = count_cloaks(&cases, made_user(user));
            wanted += cloaks >= least && cloaks > 0;
            left_out += cloaks < least && cloaks > 0;
        }
        assert_int_equal(trails.count, wanted);
        kept += wanted;
        size_t step_count = 0;
        for (size_t i = 0; i < trails.count; i++) {
            check_trail(&cases, &trails, i);
            step_count += trails.all[i].count;
            for (size_t j = 0; j < i; j++) {
                assert_true(user_of(&cases, &trails, i) != user_of(&cases, &trails, j));
            }
        }
        assert_int_equal(trails.step_count, step_count);
        sc_trails_fini(&trails);
        sc_trails_fini(&trails);
        sc_cases_fini(&cases);
    }
    check_case_done();
    assert_true(kept > 300);
    assert_true(left_out > 50);
}

static void test_least_nothing_is_least_one(void **state)
{
    (void)state;
    const made_world world = {
        .case_count = 30, .user_count = 12, .most_members = 4, .segment_count = 9};
    sc_cases cases = made_cases(&world, 5);
    sc_trails all = {0};
    sc_trails once = {0};
    CHECK_OK(sc_trails_init(&all, &cases, 0, 1), NULL);
    CHECK_OK(sc_trails_init(&once, &cases, 1, 1), NULL);
    assert_true(all.count > 5);
    assert_int_equal(all.count, once.count);
    assert_memory_equal(all.all, once.all, all.count * sizeof *all.all);
    sc_trails_fini(&all);
    sc_trails_fini(&once);
    sc_cases_fini(&cases);
}

// --- Their order -------------------------------------------------------------------------

static void test_the_seed_draws_the_order_and_any_traveller_may_be_first(void **state)
{
    (void)state;
    enum { USERS = 8, STRANGERS = 6, SEEDS = 3000 };
    const made_world world = {
        .case_count = 100, .user_count = USERS, .most_members = 6, .segment_count = 9};
    sc_cases cases = made_cases(&world, 2);
    uint32_t first_count[USERS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sc_trails trails = {0};
        sc_trails again = {0};
        CHECK_OK(sc_trails_init(&trails, &cases, 2, seed), NULL);
        CHECK_OK(sc_trails_init(&again, &cases, 2, seed), NULL);
        assert_int_equal(trails.count, STRANGERS);
        assert_memory_equal(trails.all, again.all, trails.count * sizeof *trails.all);
        first_count[user_of(&cases, &trails, 0) - made_user(0)]++;
        sc_trails_fini(&trails);
        sc_trails_fini(&again);
    }
    // 500 each, give or take five deviations of 20.4.
    for (int user = 0; user < STRANGERS; user++) {
        assert_in_range(first_count[user], 398, 602);
    }
    sc_cases_fini(&cases);
}

// --- What a tracker sees -------------------------------------------------------------------

/** A long street with sixteen side streets: far enough that not all is in reach. */
static sc_map *long_street(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 16, 2);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static sc_tracker *tracker_on(const sc_map *map)
{
    const sc_tracker_options options = {.top_speed_m_s = 30};
    sc_tracker *tracker = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_tracker_new(map, &options, &tracker, &diag), &diag);
    return tracker;
}

static void check_same_belief(const sc_posterior *got, const sc_posterior *wanted)
{
    assert_int_equal(got->link_count, wanted->link_count);
    assert_int_equal(got->is_unexplained, wanted->is_unexplained);
    for (size_t i = 0; i < got->link_count; i++) {
        assert_int_equal(got->links[i].segment, wanted->links[i].segment);
        CHECK_SAME(got->links[i].linkability, wanted->links[i].linkability);
    }
}

// A cloak was asked for while its traveller still had patience when it left, and not after; and a
// new trail begins without what was believed of another.
static void test_a_tracker_is_told_of_cloaks_and_patience_and_nothing_else(void **state)
{
    (void)state;
    sc_map *map = long_street();
    const made_world world = {.case_count = 60,
                              .user_count = 8,
                              .most_members = 5,
                              .segment_count = sc_map_segment_count(map)};
    sc_cases cases = made_cases(&world, 3);
    sc_trails trails = {0};
    CHECK_OK(sc_trails_init(&trails, &cases, 3, 1), NULL);
    assert_true(trails.count >= 3);
    sc_tracker *tracker = tracker_on(map);
    size_t unlike = 0;
    for (size_t trail = 0; trail < trails.count; trail++) {
        sc_tracker *by_hand = tracker_on(map);
        for (size_t i = 0; i < trails.all[trail].count; i++) {
            const sc_trail_step step = trails.steps[trails.all[trail].first + i];
            const sc_case one = sc_cases_at(&cases, step.which);
            const sc_case_member *member = &one.members[step.member];
            const sc_tracked seen = {.segments = one.segments,
                                     .segment_count = one.segment_count,
                                     .asked_from = one.t - member->max_wait_us,
                                     .asked_until = one.t};
            sc_posterior wanted = {0};
            CHECK_OK(sc_tracker_see(by_hand, &seen, &wanted), NULL);

            sc_posterior got = {0};
            sc_score score = {-1, -1};
            sc_score *may_be_missing = i % 4 == 3 ? NULL : &score;
            CHECK_OK(sc_trail_see(tracker, NULL, &trails, trail, i, &got, may_be_missing), NULL);
            check_same_belief(&got, &wanted);
            const sc_score right = sc_score_of(&wanted, member->segment);
            if (may_be_missing) {
                CHECK_SAME(score.probability, right.probability);
                CHECK_SAME(score.rank, right.rank);
            }
            for (size_t l = 0; l < got.link_count; l++) {
                unlike += got.links[l].linkability * (double)got.link_count > 1.001;
            }
            sc_posterior_fini(&got);
            sc_posterior_fini(&wanted);
        }
        sc_tracker_free(by_hand);
    }
    // It was worth following them: some segments became likelier than others.
    assert_true(unlike > 10);
    sc_tracker_free(tracker);
    sc_trails_fini(&trails);
    sc_cases_fini(&cases);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_trails_are_those_of_a_plain_search),
    cmocka_unit_test(test_least_nothing_is_least_one),
    cmocka_unit_test(test_the_seed_draws_the_order_and_any_traveller_may_be_first),
    cmocka_unit_test(test_a_tracker_is_told_of_cloaks_and_patience_and_nothing_else),
};
SC_SUITE(tests)
