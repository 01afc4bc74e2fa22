/**
 * @file made_cases.h
 * @brief Cases that no run has made: few users, so that they meet again and again.
 */
#ifndef SC_TESTS_UNIT_SCORE_MADE_CASES_H
#define SC_TESTS_UNIT_SCORE_MADE_CASES_H

#include "base/rng.h"
#include "score/cases.h"
#include "support/check.h"

/** What is drawn from. */
typedef struct made_world {
    uint32_t case_count;
    uint32_t user_count;
    uint32_t most_members;
    uint32_t segment_count;  ///< of the map; cloaks have one to five of them, next to each other
} made_world;

/** A user, whether it is the adversary's own or not; own ones are the last quarter. */
static inline bool made_is_own(const made_world *world, uint32_t user)
{
    return user >= world->user_count - world->user_count / 4;
}

static inline uint64_t made_user(uint32_t user)
{
    return 1000 + user;
}

/**
 * Random cases, a second after each other. The same user may be in a cloak twice, and at least one
 * member of each is a stranger. Release with sc_cases_fini().
 */
static inline sc_cases made_cases(const made_world *world, uint64_t seed)
{
    enum { MOST_MEMBERS = 16, MOST_SEGMENTS = 5 };
    assert_true(world->most_members <= MOST_MEMBERS);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_cases cases = {0};
    for (uint32_t c = 0; c < world->case_count; c++) {
        sc_seg_id segments[MOST_SEGMENTS];
        sc_case_member members[MOST_MEMBERS];
        const uint32_t most =
            world->segment_count < MOST_SEGMENTS ? world->segment_count : (uint32_t)MOST_SEGMENTS;
        const uint32_t segment_count = 1 + sc_rng_below(&rng, most);
        const sc_seg_id first = sc_rng_below(&rng, world->segment_count - segment_count + 1);
        for (uint32_t s = 0; s < segment_count; s++) {
            segments[s] = first + s;
        }
        const uint32_t member_count = 1 + sc_rng_below(&rng, world->most_members);
        const sc_time t = sc_time_from_seconds(c);
        for (uint32_t m = 0; m < member_count; m++) {
            const uint32_t user = m == 0 ? 0 : sc_rng_below(&rng, world->user_count);
            const sc_time waited = sc_rng_below(&rng, 3000000);
            members[m] = (sc_case_member){
                .needs = {.k = 1, .l = 1, .max_hops = 2},
                .asked = t - waited,
                .max_wait_us = waited + sc_rng_below(&rng, 1000000),
                .is_injected = made_is_own(world, user),
                .segment = first + sc_rng_below(&rng, segment_count),
                .user = made_user(user),
            };
        }
        const sc_case one = {.number = c,
                             .t = t,
                             .segments = segments,
                             .segment_count = segment_count,
                             .members = members,
                             .member_count = member_count};
        CHECK_OK(sc_cases_add(&cases, &one), NULL);
    }
    return cases;
}

#endif
