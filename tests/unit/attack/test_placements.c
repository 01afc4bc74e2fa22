// Placements against plain recursion, and draws against the frequencies they should have.
#include "attack/placements.h"

#include "support/check.h"

#include <math.h>

enum { MOST_STRANGERS = 6 };

// --- The slow way -------------------------------------------------------------------------

/** All placements of some strangers on some places, one behind the other. */
typedef struct listed {
    size_t places;
    size_t strangers;
    uint32_t *all;
    size_t count;
    uint32_t at[MOST_STRANGERS];  ///< the one that is being made
} listed;

// Put the strangers from `next` on wherever they may be.
static void list_from(listed *l, size_t next, uint32_t least)
{
    if (next == l->strangers) {
        memcpy(l->all + l->count * MOST_STRANGERS, l->at, sizeof l->at);
        l->count++;
        return;
    }
    for (uint32_t place = least; place < l->places; place++) {
        l->at[next] = place;
        list_from(l, next + 1, place);
    }
}

static listed list_all(size_t places, size_t strangers)
{
    listed l = {.places = places, .strangers = strangers, .all = test_take(1 << 15, sizeof l.at)};
    list_from(&l, 0, 0);
    return l;
}

// The probability that travellers, each put down by itself, stand as in `at`: the sum over all ways
// to put them down one by one.
static double slow_weight(const double *w, size_t places, size_t strangers, const uint32_t *at)
{
    enum { MOST_PLACES = 8 };
    size_t ways = 1;
    int wanted[MOST_PLACES] = {0};
    for (size_t i = 0; i < strangers; i++) {
        ways *= places;
        wanted[at[i]]++;
    }
    double sum = 0;
    for (size_t way = 0; way < ways; way++) {
        int stand[MOST_PLACES] = {0};
        double product = 1;
        size_t rest = way;
        for (size_t i = 0; i < strangers; i++, rest /= places) {
            stand[rest % places]++;
            product *= w[rest % places];
        }
        if (memcmp(stand, wanted, sizeof stand) == 0) sum += product;
    }
    return sum;
}

// --- How many -----------------------------------------------------------------------------

// Either the first place is empty, or a traveller is there and is taken away.
static void test_counts_are_those_of_plain_recursion_until_they_are_too_large(void **state)
{
    (void)state;
    enum { MOST = 90 };
    uint64_t slow[MOST][MOST];
    size_t saturated = 0;
    for (size_t places = 0; places < MOST; places++) {
        for (size_t strangers = 0; strangers < MOST; strangers++) {
            uint64_t *count = &slow[places][strangers];
            if (strangers == 0 || places == 0) {
                *count = strangers == 0;
            } else if (__builtin_add_overflow(slow[places - 1][strangers],
                                              slow[places][strangers - 1], count)) {
                *count = UINT64_MAX;
            }
            assert_int_equal(sc__placement_count(places, strangers), *count);
            saturated += *count == UINT64_MAX;
        }
    }
    assert_in_range(saturated, 1000, 7000);  // both sides of the border were seen
}

static void test_counts_of_absurd_sizes_do_not_wrap_round(void **state)
{
    (void)state;
    assert_int_equal(sc__placement_count(1, SIZE_MAX), 1);
    assert_int_equal(sc__placement_count(2, SIZE_MAX - 1), SIZE_MAX);
    assert_int_equal(sc__placement_count(SIZE_MAX, 1), SIZE_MAX);
    assert_int_equal(sc__placement_count(SIZE_MAX - 1, 1), SIZE_MAX - 1);
    assert_int_equal(sc__placement_count(SIZE_MAX, 0), 1);
    assert_int_equal(sc__placement_count(SIZE_MAX, 2), UINT64_MAX);
    assert_int_equal(sc__placement_count(SIZE_MAX, SIZE_MAX), UINT64_MAX);
    // 2^32 (2^32 + 1) / 2 fits, and with one more place it does too.
    assert_int_equal(sc__placement_count((size_t)1 << 32, 2), 0x8000000080000000u);
    assert_int_equal(sc__placement_count(((size_t)1 << 32) + 1, 2), 0x8000000180000001u);
}

// --- One after the other ------------------------------------------------------------------

static void test_all_placements_come_in_order_and_by_their_number(void **state)
{
    (void)state;
    for (size_t places = 1; places <= 8; places++) {
        for (size_t strangers = 0; strangers <= MOST_STRANGERS; strangers++) {
            listed l = list_all(places, strangers);
            assert_int_equal(sc__placement_count(places, strangers), l.count);
            uint32_t walked[MOST_STRANGERS] = {0};
            for (size_t rank = 0; rank < l.count; rank++) {
                const uint32_t *wanted = l.all + rank * MOST_STRANGERS;
                uint32_t at[MOST_STRANGERS] = {0};
                sc__placement_at(rank, places, strangers, at);
                assert_memory_equal(at, wanted, sizeof at);
                assert_memory_equal(walked, wanted, sizeof walked);
                assert_int_equal(sc__placement_next(places, strangers, walked), rank + 1 < l.count);
            }
            assert_memory_equal(walked, l.all, sizeof walked);  // the first again
            free(l.all);
        }
    }
}

static void check_neighbours(uint64_t rank, size_t places, size_t strangers)
{
    uint32_t *at = test_take(strangers, sizeof *at);
    uint32_t *after = test_take(strangers, sizeof *after);
    sc__placement_at(rank, places, strangers, at);
    sc__placement_at(rank + 1, places, strangers, after);
    for (size_t i = 0; i < strangers; i++) {
        assert_true(after[i] < places);
        assert_true(i == 0 || after[i - 1] <= after[i]);
    }
    assert_true(sc__placement_next(places, strangers, at));
    assert_memory_equal(at, after, strangers * sizeof *at);
    free(at);
    free(after);
}

static void test_numbers_and_steps_agree_where_they_cannot_all_be_listed(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 6);
    for (size_t i = 0; i < 2000; i++) {
        check_case(i);
        const size_t places = 2 + sc_rng_below(&rng, 300);
        const size_t strangers = 1 + sc_rng_below(&rng, 12);
        const uint64_t count = sc__placement_count(places, strangers);
        check_neighbours(sc_rng_next(&rng) % (count - 1), places, strangers);
    }
    check_case_done();
    // More than can be numbered: the first 2^64 - 1 still have their numbers.
    check_neighbours(UINT64_MAX - 2, 10000, 10000);
    check_neighbours(UINT64_MAX - 2, 2000000, 5);
}

// --- Weights ------------------------------------------------------------------------------

static void make_weights(sc_rng *rng, double *w, size_t places)
{
    double sum = 0;
    for (size_t i = 0; i < places; i++) {
        w[i] = sc_rng_below(rng, 4) == 0 ? 0 : sc_rng_unit(rng);
        sum += w[i];
    }
    for (size_t i = 0; i < places; i++) {
        w[i] = sum > 0 ? w[i] / sum : 1 / (double)places;
    }
}

static void test_weights_are_probabilities_of_travellers_put_down_one_by_one(void **state)
{
    (void)state;
    sc_rng rng;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng_seed(&rng, seed);
        const size_t places = 1 + sc_rng_below(&rng, 5);
        const size_t strangers = sc_rng_below(&rng, 6);
        double w[8];
        make_weights(&rng, w, places);
        listed l = list_all(places, strangers);
        double sum = 0;
        for (size_t rank = 0; rank < l.count; rank++) {
            const uint32_t *at = l.all + rank * MOST_STRANGERS;
            const double weight = sc__placement_weight(w, strangers, at);
            CHECK_CLOSE(weight, slow_weight(w, places, strangers, at), 1e-14);
            sum += weight;
        }
        CHECK_CLOSE(sum, 1, 1e-13);
        free(l.all);
    }
    check_case_done();
}

static void test_weights_sum_to_one_for_many_strangers(void **state)
{
    (void)state;
    enum { STRANGERS = 1500 };
    const double w[] = {0.3, 0.7};
    uint32_t at[STRANGERS] = {0};
    double sum = 0;
    do {
        sum += sc__placement_weight(w, STRANGERS, at);
    } while (sc__placement_next(2, STRANGERS, at));
    CHECK_CLOSE(sum, 1, 1e-11);
}

// On the way to the middle weight the product is far below what a double can hold.
static void test_ten_thousand_strangers_have_a_weight(void **state)
{
    (void)state;
    enum { STRANGERS = 10000 };
    uint32_t *at = test_take(STRANGERS, sizeof *at);
    const double half[] = {0.5, 0.5};
    CHECK_SAME(sc__placement_weight(half, STRANGERS, at), 0);  // 2^-10000 is 0 to a double
    for (size_t i = STRANGERS / 2; i < STRANGERS; i++) {
        at[i] = 1;
    }
    // By Stirling's formula: sqrt(2 / (pi n)), less a part in 4 n.
    const double wanted = sqrt(2 / (M_PI * STRANGERS)) * (1 - 1.0 / (4 * STRANGERS));
    CHECK_CLOSE(sc__placement_weight(half, STRANGERS, at), wanted, 1e-10);

    // All on places of their own, each with the smallest weight there is.
    const double certain[] = {1, 0x1p-1074};
    CHECK_SAME(sc__placement_weight(certain, STRANGERS / 2, at), 1);
    CHECK_SAME(sc__placement_weight(certain, STRANGERS, at), 0);
    CHECK_SAME(sc__placement_weight(certain, 1, at + STRANGERS - 1), 0x1p-1074);
    free(at);
}

static void test_a_place_without_weight_makes_a_placement_impossible(void **state)
{
    (void)state;
    const double w[] = {0.5, 0, 0.5};
    const uint32_t at[] = {0, 1, 2};
    CHECK_SAME(sc__placement_weight(w, 3, at), 0);
    CHECK_SAME(sc__placement_weight(w, 0, at), 1);
}

// --- Draws --------------------------------------------------------------------------------

static void check_frequencies(const double *w, size_t places, uint64_t seed)
{
    enum { DRAWS = 20000, MOST_PLACES = 64 };
    size_t seen[MOST_PLACES] = {0};
    sc__draws draws;
    assert_true(sc__draws_init(&draws, w, places));
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (size_t i = 0; i < DRAWS; i++) {
        const uint32_t place = sc__draw(&draws, &rng);
        assert_true(place < places);
        seen[place]++;
    }
    sc__draws_fini(&draws);
    sc__draws_fini(&draws);
    for (size_t i = 0; i < places; i++) {
        // Five standard deviations: one in a million tests of a right one would fail by chance.
        const double deviation = sqrt(DRAWS * w[i] * (1 - w[i]));
        CHECK_CLOSE((double)seen[i], DRAWS * w[i], 5 * deviation + 1e-9);
        if (w[i] == 0) assert_int_equal(seen[i], 0);
    }
}

static void test_places_are_drawn_as_often_as_they_weigh(void **state)
{
    (void)state;
    const double one[] = {1};
    const double lopsided[] = {0, 0.9, 0, 0, 0.09, 0.01, 0};
    check_frequencies(one, 1, 1);
    check_frequencies(lopsided, 7, 2);
    for (uint64_t seed = 0; seed < 40; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        double w[64];
        const size_t places = 1 + sc_rng_below(&rng, 64);
        make_weights(&rng, w, places);
        check_frequencies(w, places, seed + 100);
    }
    check_case_done();
}

/** What is drawn when the dice show exactly this. */
static uint32_t draw_with(const sc__draws *draws, uint64_t number)
{
    sc_rng_reserve reserve = {.left = 1, .numbers = {number}};
    sc_rng rng = {.reserve = &reserve};
    return sc__draw(draws, &rng);
}

static void test_a_place_without_weight_is_not_drawn_by_the_rarest_dice(void **state)
{
    (void)state;
    // Ten tenths are a little less than 1, and the little must not be the last one's.
    double w[13] = {0};
    for (size_t i = 1; i <= 10; i++) {
        w[i] = 0.1;
    }
    sc__draws draws;
    assert_true(sc__draws_init(&draws, w, 13));
    assert_int_equal(draw_with(&draws, 0), 1);
    assert_int_equal(draw_with(&draws, UINT64_MAX), 10);
    sc__draws_fini(&draws);

    // Here the sum is 1 before the last one comes.
    const double early[] = {0, 1, 0x1p-80, 0};
    assert_true(sc__draws_init(&draws, early, 4));
    assert_int_equal(draw_with(&draws, 0), 1);
    assert_int_equal(draw_with(&draws, UINT64_MAX), 1);
    sc__draws_fini(&draws);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counts_are_those_of_plain_recursion_until_they_are_too_large),
    cmocka_unit_test(test_counts_of_absurd_sizes_do_not_wrap_round),
    cmocka_unit_test(test_all_placements_come_in_order_and_by_their_number),
    SC_CASES(test_numbers_and_steps_agree_where_they_cannot_all_be_listed),
    SC_CASES(test_weights_are_probabilities_of_travellers_put_down_one_by_one),
    cmocka_unit_test(test_weights_sum_to_one_for_many_strangers),
    cmocka_unit_test(test_ten_thousand_strangers_have_a_weight),
    cmocka_unit_test(test_a_place_without_weight_makes_a_placement_impossible),
    SC_CASES(test_places_are_drawn_as_often_as_they_weigh),
    cmocka_unit_test(test_a_place_without_weight_is_not_drawn_by_the_rarest_dice),
};
SC_SUITE(tests)
