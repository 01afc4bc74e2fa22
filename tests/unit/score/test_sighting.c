// What the adversary sees of a case: nothing of the truth.
#include "score/cases.h"

#include "support/check.h"

#include "base/rng.h"

enum { MOST = 9, SEGMENTS = 12 };

/** A case with members of its own to play with. */
typedef struct drawn {
    sc_seg_id segments[SEGMENTS];
    sc_case_member members[MOST];
    sc_case one;
} drawn;

static uint32_t draw(sc_rng *rng, uint32_t below)
{
    return (uint32_t)(sc_rng_next(rng) % below);
}

// The segment of every third number, and members of either kind; few needs, so that some share
// them. The first is a stranger.
static void draw_case(drawn *d, sc_rng *rng)
{
    for (uint32_t i = 0; i < SEGMENTS; i++) {
        d->segments[i] = 3 * i;
    }
    const size_t count = 1 + draw(rng, MOST);
    for (size_t i = 0; i < count; i++) {
        d->members[i] = (sc_case_member){
            .needs = {1 + draw(rng, 2), 1 + draw(rng, 2), draw(rng, 2), draw(rng, 2)},
            .asked = draw(rng, 1000),
            .max_wait_us = 1 + draw(rng, 1000),
            .is_injected = i > 0 && draw(rng, 2) == 0,
            .segment = d->segments[draw(rng, SEGMENTS)],
            .user = sc_rng_next(rng),
        };
    }
    d->one = (sc_case){.number = draw(rng, 100),
                       .t = 1000,
                       .segments = d->segments,
                       .segment_count = SEGMENTS,
                       .members = d->members,
                       .member_count = count};
}

// The same case, but for all that the adversary must not know: who and where strangers are, when
// anybody asked and how long it would have waited, and in which order members are listed.
static void change_the_truth(drawn *d, const drawn *from, sc_rng *rng)
{
    *d = *from;
    d->one.segments = d->segments;
    d->one.members = d->members;
    d->one.number++;
    d->one.t++;
    for (size_t i = 0; i < d->one.member_count; i++) {
        sc_case_member *member = &d->members[i];
        member->user = sc_rng_next(rng);
        member->asked = draw(rng, 1000);
        member->max_wait_us = 1 + draw(rng, 1000);
        if (!member->is_injected) member->segment = d->segments[draw(rng, SEGMENTS)];
        sc_case_member *other = &d->members[draw(rng, (uint32_t)(i + 1))];
        const sc_case_member kept = *other;
        *other = *member;
        *member = kept;
    }
}

static void check_same_bytes(const sc_sighting *got, const sc_sighting *wanted)
{
    assert_int_equal(got->segment_count, wanted->segment_count);
    assert_memory_equal(got->segments, wanted->segments,
                        got->segment_count * sizeof *got->segments);
    assert_int_equal(got->stranger_count, wanted->stranger_count);
    assert_memory_equal(got->strangers, wanted->strangers,
                        got->stranger_count * sizeof *got->strangers);
    assert_int_equal(got->injected_count, wanted->injected_count);
    if (got->injected_count == 0) return;
    assert_memory_equal(got->injected, wanted->injected,
                        got->injected_count * sizeof *got->injected);
}

static void test_cases_that_differ_only_in_the_truth_look_the_same_byte_for_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sc_rng *rng = NULL;
        CHECK_OK(sc_rng_new_seeded(seed, &rng), NULL);
        drawn first;
        drawn second;
        sc_own_sighting a = {.strangers = NULL};
        sc_own_sighting b = {.strangers = NULL};
        draw_case(&first, rng);
        change_the_truth(&second, &first, rng);
        CHECK_OK(sc_sighting_init(&a, &first.one), NULL);
        CHECK_OK(sc_sighting_init(&b, &second.one), NULL);
        check_same_bytes(&a.sighting, &b.sighting);
        sc_sighting_fini(&a);
        sc_sighting_fini(&b);
        sc_rng_free(rng);
    }
    check_case_done();
}

static size_t count_strangers(const sc_own_sighting *own, sc_needs needs)
{
    size_t count = 0;
    for (size_t i = 0; i < own->sighting.stranger_count; i++) {
        count += memcmp(&own->strangers[i], &needs, sizeof needs) == 0;
    }
    return count;
}

static size_t count_members(const sc_case *one, sc_needs needs)
{
    size_t count = 0;
    for (size_t i = 0; i < one->member_count; i++) {
        const sc_case_member *member = &one->members[i];
        count += !member->is_injected && memcmp(&member->needs, &needs, sizeof needs) == 0;
    }
    return count;
}

// Nothing that it may know is lost, either.
static void test_every_strangers_needs_are_seen_and_every_place_of_its_own(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng *rng = NULL;
        CHECK_OK(sc_rng_new_seeded(seed, &rng), NULL);
        drawn d;
        sc_own_sighting own = {.strangers = NULL};
        draw_case(&d, rng);
        CHECK_OK(sc_sighting_init(&own, &d.one), NULL);
        const sc_sighting *sighting = &own.sighting;
        assert_ptr_equal(sighting->segments, d.segments);
        assert_int_equal(sighting->stranger_count + sighting->injected_count, d.one.member_count);
        size_t found = 0;
        for (size_t i = 0; i < d.one.member_count; i++) {
            const sc_case_member *member = &d.members[i];
            assert_int_equal(count_strangers(&own, member->needs),
                             count_members(&d.one, member->needs));
            for (size_t j = 0; member->is_injected && j < sighting->injected_count; j++) {
                const sc_injected *injected = &sighting->injected[j];
                if (injected->segment != member->segment) continue;
                if (memcmp(&injected->needs, &member->needs, sizeof member->needs) != 0) continue;
                found++;
                break;
            }
        }
        assert_int_equal(found, sighting->injected_count);
        sc_sighting_fini(&own);
        sc_rng_free(rng);
    }
    check_case_done();
}

static void test_a_cloak_of_its_own_queries_only_shows_no_victim(void **state)
{
    (void)state;
    const sc_seg_id segment = 3;
    const sc_case_member members[] = {{.segment = 3, .is_injected = true}, {.segment = 3}};
    sc_case one = {.segments = &segment, .segment_count = 1, .members = members, .member_count = 1};
    sc_own_sighting own = {.strangers = NULL};
    assert_int_equal(sc_sighting_init(&own, &one), SC_EINVAL);
    assert_null(own.strangers);
    one.member_count = 2;
    CHECK_OK(sc_sighting_init(&own, &one), NULL);
    assert_int_equal(own.sighting.stranger_count, 1);
    sc_sighting_fini(&own);
    sc_sighting_fini(&own);
    assert_int_equal(own.sighting.stranger_count, 0);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_cases_that_differ_only_in_the_truth_look_the_same_byte_for_byte),
    SC_CASES(test_every_strangers_needs_are_seen_and_every_place_of_its_own),
    cmocka_unit_test(test_a_cloak_of_its_own_queries_only_shows_no_victim),
};
SC_SUITE(tests)
