// Numbers of stars: held against a plain row of stars, set after set; with stars that
// want the same place, tables that grow in the middle of a set, and ranges that
// come to the end of 32 bits, where stars of long ago must not come back to life.
#include "support/check.h"
#include "support/oom.h"

#include "base/rng.h"
#include "engine/covered_set.h"

enum { MOST = 3000, SETS = 400 };

/** Numbers, and the row of stars that should have them: number i is that of stars[i]. */
typedef struct model {
    sc__numbers numbers;
    sc_rng rng;
    sc_star_id stars[MOST];
    uint32_t count;
} model;

static model *model_new(uint64_t seed)
{
    model *m = test_take(1, sizeof *m);
    sc_rng_seed(&m->rng, seed);
    return m;
}

static void model_free(model *m)
{
    sc__numbers_fini(&m->numbers);
    sc__numbers_fini(&m->numbers);  // harmless
    free(m);
}

static uint32_t look_up(const model *m, sc_star_id star)
{
    uint32_t at = 0;
    while (at < m->count && m->stars[at] != star) {
        at++;
    }
    return at;
}

static void begin(model *m, uint32_t count)
{
    CHECK_OK(sc__numbers_begin(&m->numbers, count), NULL);
    m->count = 0;
    assert_int_equal(m->numbers.count, 0);
}

/** A star without a number gives a number out of range. */
static void check_star(const model *m, sc_star_id star)
{
    const uint32_t wanted = look_up(m, star);
    const uint32_t got = sc__number_of(&m->numbers, star);
    if (wanted < m->count) {
        if (got != wanted) fail_msg("star %u has number %u, not %u", star, got, wanted);
    } else if (got < m->count) {
        fail_msg("star %u has number %u, but should have none", star, got);
    }
}

static void check_all(const model *m)
{
    assert_int_equal(m->numbers.count, m->count);
    assert_true(m->count <= m->numbers.capacity / 2);
    for (uint32_t i = 0; i < m->count; i++) {
        if (sc__number_of(&m->numbers, m->stars[i]) != i) check_star(m, m->stars[i]);
    }
}

/** Number a star that perhaps has a number. There must be room. */
static void reach(model *m, sc_star_id star)
{
    check_star(m, star);
    if (look_up(m, star) < m->count) return;
    sc__numbers_put(&m->numbers, sc__numbers_at(&m->numbers, star), star);
    m->stars[m->count++] = star;
    check_star(m, star);
}

/** The set ends; so many numbers have been used that the next range would begin at `first`. */
static void use_up(model *m, uint32_t first)
{
    m->numbers.first = first;
    m->numbers.count = 0;
    m->count = 0;
}

// Stars as a map has them around one place, or such as agree in their low bits.
static sc_star_id draw_star(model *m, unsigned kind)
{
    switch (kind % 4) {
    case 0:
        return sc_rng_below(&m->rng, 800);
    case 1:
        return sc_rng_below(&m->rng, 800) << 16;
    case 2:
        return UINT32_MAX - 1 - sc_rng_below(&m->rng, 50) * 1024;
    default:
        return (uint32_t)sc_rng_next(&m->rng) & 0xf00003ffu;
    }
}

static void test_stars_are_numbered_as_they_come_in_set_after_set(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_case(seed);
        model *m = model_new(seed);
        for (unsigned set = 0; set < SETS; set++) {
            const uint32_t tries = sc_rng_below(&m->rng, 300);
            // All room at once, or little by little.
            const bool is_at_once = sc_rng_below(&m->rng, 2) == 0;
            begin(m, is_at_once ? tries + 1 : 1);
            for (uint32_t i = 0; i < tries; i++) {
                if (!is_at_once) CHECK_OK(sc__numbers_reserve(&m->numbers, 1), NULL);
                reach(m, draw_star(m, (unsigned)seed + (set % 10 == 0 ? i : 0)));
            }
            check_all(m);
        }
        model_free(m);
    }
    check_case_done();
}

static void test_a_table_that_grows_in_the_middle_of_a_set_keeps_its_numbers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_case(seed);
        model *m = model_new(seed);
        // Some sets before, so that there is something to be mistaken for numbers.
        for (int set = 0; set < 3; set++) {
            begin(m, 400);
            for (int i = 0; i < 400; i++) {
                reach(m, draw_star(m, (unsigned)set));
            }
        }
        begin(m, 1);
        uint32_t growths = 0;
        for (uint32_t i = 0; i < MOST; i++) {
            const uint32_t capacity = m->numbers.capacity;
            CHECK_OK(sc__numbers_reserve(&m->numbers, 1), NULL);
            if (m->numbers.capacity != capacity) {
                growths++;
                check_all(m);
            }
            // Each star once: those of one seed in a row, those of another in one place.
            reach(m, seed % 2 == 0 ? i : i << 12);
        }
        check_all(m);
        assert_int_equal(growths, 3);
        check_star(m, MOST + 5);
        model_free(m);
    }
    check_case_done();
}

static void test_stars_of_one_place_go_round_the_end_of_the_table(void **state)
{
    (void)state;
    model *m = model_new(0);
    begin(m, 500);
    const uint32_t capacity = m->numbers.capacity;
    for (uint32_t i = 0; i < 500; i++) {
        reach(m, capacity - 1 - i % 3 + i * capacity);
    }
    check_all(m);
    check_star(m, capacity - 1 + 1000 * capacity);
    check_star(m, 0);
    // The next set finds none of them.
    begin(m, 500);
    for (uint32_t i = 0; i < 500; i++) {
        check_star(m, capacity - 1 - i % 3 + i * capacity);
        reach(m, i * capacity);
    }
    check_all(m);
    model_free(m);
}

// The end of the 32-bit range, from below it, at it, and beyond: ranges start again, and those
// who had numbers in the first ranges of all must not have them again.
static void test_ranges_start_again_before_they_run_out_of_numbers(void **state)
{
    (void)state;
    unsigned restarts = 0;
    for (uint32_t before = 0; before < 2100; before += 21) {
        check_case(before);
        model *m = model_new(before);
        begin(m, 400);
        for (sc_star_id star = 0; star < 400; star++) {
            reach(m, star);  // stored where the first ranges are
        }
        use_up(m, UINT32_MAX - before);
        for (int set = 0; set < 6; set++) {
            begin(m, 512);
            // A range that went beyond the end would hold numbers that were cleared memory.
            assert_true(m->numbers.first <= UINT32_MAX - 512);
            restarts += set == 0 && m->numbers.first < 1000;
            const uint32_t count = 100 + sc_rng_below(&m->rng, 413);
            for (uint32_t i = 0; i < count; i++) {
                // Others than before, and at the end those of before.
                reach(m, (sc_star_id)(i < 90 ? 1000 + i : 490 - i % 400));
            }
            for (sc_star_id star = 0; star < 500; star += 3) {
                check_star(m, star);
            }
            check_all(m);
        }
        model_free(m);
    }
    check_case_done();
    // Both were tried: ranges that still fit, and such that did not.
    assert_in_range(restarts, 20, 80);
}

static void test_what_was_never_numbered_has_no_number_in_cleared_memory(void **state)
{
    (void)state;
    model *m = model_new(0);
    begin(m, 1);
    check_star(m, 0);
    reach(m, 7);
    check_star(m, 0);
    check_star(m, 7 + m->numbers.capacity);
    model_free(m);
}

static void test_numbers_without_memory_are_as_they_were(void **state)
{
    (void)state;
    model *m = model_new(0);
    sc_alloc_fail_at(1);
    assert_int_equal(sc__numbers_begin(&m->numbers, 1), SC_ENOMEM);
    assert_true(oom_happened());
    begin(m, 1);
    unsigned failures = 0;
    for (sc_star_id star = 0; star < MOST; star++) {
        sc_alloc_fail_at(1);
        const sc_err err = sc__numbers_reserve(&m->numbers, 1);
        if (oom_happened()) {
            assert_int_equal(err, SC_ENOMEM);
            check_all(m);
            failures++;
            CHECK_OK(sc__numbers_reserve(&m->numbers, 1), NULL);
        } else {
            CHECK_OK(err, NULL);
        }
        reach(m, star * 64);
    }
    check_all(m);
    assert_int_equal(failures, 3);

    // A set that cannot begin is an empty one; the next may begin.
    sc_alloc_fail_at(1);
    assert_int_equal(sc__numbers_begin(&m->numbers, 1000000), SC_ENOMEM);
    assert_true(oom_happened());
    m->count = 0;
    check_star(m, 64);
    begin(m, 10);
    check_star(m, 64);
    reach(m, 64);
    check_all(m);
    model_free(m);
}

static void test_more_stars_than_a_table_can_have_are_refused(void **state)
{
    (void)state;
    model *m = model_new(0);
    begin(m, 3);
    reach(m, 5);
    reach(m, 6);
    // Not even tried; and the sum of both does not wrap.
    sc_alloc_fail_at(1);
    assert_int_equal(sc__numbers_reserve(&m->numbers, UINT32_MAX), SC_ENOMEM);
    assert_int_equal(sc__numbers_reserve(&m->numbers, UINT32_MAX - 1), SC_ENOMEM);
    assert_int_equal(sc__numbers_reserve(&m->numbers, (1u << 30) - 1), SC_ENOMEM);
    assert_false(oom_happened());
    check_all(m);
    model_free(m);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_stars_are_numbered_as_they_come_in_set_after_set),
    SC_CASES(test_a_table_that_grows_in_the_middle_of_a_set_keeps_its_numbers),
    cmocka_unit_test(test_stars_of_one_place_go_round_the_end_of_the_table),
    SC_CASES(test_ranges_start_again_before_they_run_out_of_numbers),
    cmocka_unit_test(test_what_was_never_numbered_has_no_number_in_cleared_memory),
    cmocka_unit_test(test_numbers_without_memory_are_as_they_were),
    cmocka_unit_test(test_more_stars_than_a_table_can_have_are_refused),
};
SC_SUITE(tests)
