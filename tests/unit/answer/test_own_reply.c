// Replies that were made in this process: read as all others are, and compared with the roads once
// in a while.
#include "answer/own_reply.h"

#include "spoilt.h"

static sc_err take_in(sc_filter *filter, drawn_cloak *c)
{
    return sc_filter_open_own(filter, &c->relay, &c->reply, NULL);
}

static void test_an_own_reply_is_answered_from_as_any_other(void **state)
{
    (void)state;
    for (int has_keys = 0; has_keys <= 1; has_keys++) {
        drawn_cloak *c = honest(has_keys);
        sc_filter *filter = filter_with(c, 1000, 0.0);
        double offset_m = 0.0;
        const sc_edge_id edge = drawn_place(c, "FG", 10.0, &offset_m);
        const sc_road_point at = {.edge = edge, .offset_m = offset_m};
        for (size_t request = 0; request < c->relay.request_count; request++) {
            const sc_near *got = NULL;
            size_t count = 0;
            CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, NULL), NULL);
            CHECK_OK(sc_filter_answer(filter, at, request, &got, &count, NULL), NULL);
            sc_near strangers[8];
            const size_t strangers_count = count;
            assert_in_range(count, 1, 8);
            memcpy(strangers, got, count * sizeof *got);
            // The second of them is not compared with the roads.
            for (int turn = 0; turn < 2; turn++) {
                CHECK_OK(take_in(filter, c), NULL);
                CHECK_OK(sc_filter_answer(filter, at, request, &got, &count, NULL), NULL);
                assert_int_equal(count, strangers_count);
                for (size_t i = 0; i < count; i++) {
                    assert_int_equal(got[i].object, strangers[i].object);
                    assert_true(got[i].distance_m == strangers[i].distance_m);
                    assert_true(got[i].duration_s == strangers[i].duration_s);
                }
            }
        }
        sc_filter_free(filter);
        drawn_cloak_free(c);
    }
}

// A reply is spoilt after the first: that is noticed at the next turn, and each time from then on
// until it is mended.
static void test_one_own_reply_of_64_is_compared_with_the_roads(void **state)
{
    (void)state;
    drawn_cloak *c = honest(false);
    sc_filter *filter = filter_with(c, 1000, 0.0);
    sc_near *entry = entry_of(c, THREE_NEAREST, 'J', "on FG");
    const double right_m = entry->distance_m;
    for (int turn = 0; turn < 2; turn++) {
        entry->distance_m = right_m;
        CHECK_OK(take_in(filter, c), NULL);
        entry->distance_m = 22.0;
        for (int i = 1; i < SC_OWN_REPLIES_PER_CHECK; i++) {
            CHECK_OK(take_in(filter, c), NULL);
        }
        for (int i = 0; i < 3; i++) {
            assert_int_equal(take_in(filter, c), SC_EREPLY);
        }
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_the_first_own_reply_is_compared_with_the_roads(void **state)
{
    (void)state;
    drawn_cloak *c = honest(false);
    sc_filter *filter = filter_with(c, 1000, 0.0);
    entry_of(c, THREE_NEAREST, 'J', "on FG")->distance_m = 22.0;
    for (int i = 0; i < 130; i++) {
        assert_int_equal(take_in(filter, c), SC_EREPLY);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

// Whatever is used as a number of something is checked each time.
static void test_an_own_reply_that_leads_nowhere_is_always_refused(void **state)
{
    (void)state;
    drawn_cloak *c = honest(false);
    sc_filter *filter = filter_with(c, 1000, 0.0);
    entry_of(c, THREE_NEAREST, 'J', "on FG")->object = UINT32_MAX;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(take_in(filter, c), SC_EREPLY);
    }
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_own_reply_is_answered_from_as_any_other),
    cmocka_unit_test(test_the_first_own_reply_is_compared_with_the_roads),
    cmocka_unit_test(test_one_own_reply_of_64_is_compared_with_the_roads),
    cmocka_unit_test(test_an_own_reply_that_leads_nowhere_is_always_refused),
};
SC_SUITE(tests)
