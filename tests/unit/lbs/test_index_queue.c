// The queue of a sweep: whatever is put comes out, stride by stride, and in the order in which it
// was put.
#include "lbs/nearest_sweep.h"

#include "base/rng.h"
#include "support/check.h"

static void put(sc_index_queue *queue, uint32_t stride, sc_star_id star)
{
    CHECK_OK(sc__index_queue_put(queue, (sc_index_due){stride, star}), NULL);
}

static size_t take(sc_index_queue *queue, const sc_index_due **due)
{
    size_t count = 0;
    CHECK_OK(sc__index_queue_take(queue, due, &count), NULL);
    return count;
}

static void test_an_empty_queue_gives_nothing_as_often_as_it_is_asked(void **state)
{
    (void)state;
    sc_index_queue queue = {0};
    const sc_index_due *due = NULL;
    assert_int_equal(take(&queue, &due), 0);
    put(&queue, 7, 1);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(take(&queue, &due), 0);
    assert_int_equal(take(&queue, &due), 0);
    sc__index_queue_fini(&queue);
    sc__index_queue_fini(&queue);
}

static void test_what_is_put_into_the_stride_at_hand_comes_next(void **state)
{
    (void)state;
    sc_index_queue queue = {0};
    const sc_index_due *due = NULL;
    put(&queue, 5, 10);
    put(&queue, 6, 11);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 10);
    put(&queue, 5, 12);
    put(&queue, UINT32_MAX, 13);
    // What was taken stays where it is while others are put.
    assert_int_equal(due[0].star, 10);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 12);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 11);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 13);
    assert_int_equal(due[0].stride, UINT32_MAX);
    sc__index_queue_fini(&queue);
}

static void test_a_cleared_queue_begins_anew(void **state)
{
    (void)state;
    sc_index_queue queue = {0};
    const sc_index_due *due = NULL;
    put(&queue, 1000, 1);
    assert_int_equal(take(&queue, &due), 1);
    put(&queue, 2000, 2);
    sc__index_queue_clear(&queue);
    assert_int_equal(take(&queue, &due), 0);
    put(&queue, 3, 4);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].stride, 3);
    sc__index_queue_fini(&queue);
}

// Strides near and far, put while others are taken; each star bears the number of its putting.
static void test_stars_come_out_by_stride_and_then_as_they_were_put(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_index_queue queue = {0};
        uint32_t put_count = 0;
        uint32_t taken_count = 0;
        uint32_t now = 0;
        uint64_t stars = 0;  // a sum of those inside, so that none is exchanged for another
        for (uint32_t i = 0; i < 20; i++) {
            put(&queue, sc_rng_below(&rng, 50), put_count);
            stars += put_count++;
        }
        for (;;) {
            const sc_index_due *due = NULL;
            const size_t count = take(&queue, &due);
            if (count == 0) break;
            assert_true(due[0].stride >= now);
            now = due[0].stride;
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(due[i].stride, now);
                if (i > 0) assert_true(due[i].star > due[i - 1].star);
                stars -= due[i].star;
                taken_count++;
            }
            for (uint32_t more = sc_rng_below(&rng, 4); more > 0 && put_count < 2000; more--) {
                const uint32_t reach = 1u << sc_rng_below(&rng, 31);
                const uint32_t ahead = sc_rng_below(&rng, reach);
                put(&queue, ahead < UINT32_MAX - now ? now + ahead : now, put_count);
                stars += put_count++;
            }
        }
        assert_int_equal(taken_count, put_count);
        assert_int_equal(stars, 0);
        sc__index_queue_fini(&queue);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_empty_queue_gives_nothing_as_often_as_it_is_asked),
    cmocka_unit_test(test_what_is_put_into_the_stride_at_hand_comes_next),
    cmocka_unit_test(test_a_cleared_queue_begins_anew),
    SC_CASES(test_stars_come_out_by_stride_and_then_as_they_were_put),
};
SC_SUITE(tests)
