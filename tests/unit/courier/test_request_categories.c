// Words: a vocabulary of several, and requests put from one into another.
#include "courier/request_categories.h"

#include "support/check.h"

static const char *const ours[] = {"cafe", "fuel", "zoo"};
static const char *const theirs[] = {"cafe", "zoo", "bank", "fuel"};
static const sc_vocabulary our_categories = {ours, 3};
static const sc_vocabulary their_categories = {theirs, 4};

static sc_relay relay_of(const sc_request *requests, size_t count)
{
    return (sc_relay){.requests = requests, .request_count = count, .map_checksum = 42};
}

static void test_a_vocabulary_has_each_message_once_in_the_order_of_their_coming(void **state)
{
    (void)state;
    const sc_vocabulary parts[] = {our_categories, {.count = 0}, their_categories, our_categories};
    sc__categories categories;
    CHECK_OK(sc__categories_init(&categories, parts, 4), NULL);
    const char *const wanted[] = {"cafe", "fuel", "zoo", "bank"};
    assert_int_equal(categories.vocabulary.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(categories.vocabulary.names[i], wanted[i]);
        // They are its own.
        assert_ptr_not_equal(categories.vocabulary.names[i], wanted[i]);
    }
    sc__categories_fini(&categories);
    sc__categories_fini(&categories);
    CHECK_OK(sc__categories_init(&categories, NULL, 0), NULL);
    assert_int_equal(categories.vocabulary.count, 0);
    sc__categories_fini(&categories);
}

static void test_the_same_messages_leave_a_relay_as_it_is(void **state)
{
    (void)state;
    const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {0}},
        {.type = SC_REQUEST_KNN, .k = 2},
    };
    const sc_relay relay = relay_of(requests, 2);
    sc__category_translation r = {.requests = NULL};
    CHECK_OK(sc__translate_categories(&r, &our_categories, &their_categories, &relay), NULL);
    assert_false(r.is_different);
    assert_ptr_equal(r.relay.requests, requests);
    assert_int_equal(sc__translated_place(&r, 1), 1);
    sc__category_translation_fini(&r);
}

static void test_other_numbers_for_the_same_messages_are_looked_up(void **state)
{
    (void)state;
    const sc_request requests[] = {
        {.type = SC_REQUEST_RANGE, .radius_m = 7.0, .category_count = 2, .categories = {1, 2}},
        {.type = SC_REQUEST_KNN, .k = 3},
    };
    const sc_relay relay = relay_of(requests, 2);
    sc__category_translation r = {.requests = NULL};
    CHECK_OK(sc__translate_categories(&r, &our_categories, &their_categories, &relay), NULL);
    assert_true(r.is_different);
    assert_int_equal(r.relay.map_checksum, 42);
    assert_int_equal(r.relay.request_count, 2);
    const sc_request *first = &r.relay.requests[0];
    CHECK_SAME(first->radius_m, 7.0);
    assert_int_equal(first->category_count, 2);
    assert_int_equal(first->categories[0], 1);  // in normal form: ascending
    assert_int_equal(first->categories[1], 3);
    assert_true(sc_request_equal(&r.relay.requests[1], &requests[1]));
    assert_int_equal(sc__translated_place(&r, 0), 0);
    assert_int_equal(sc__translated_place(&r, 1), 1);
    sc__category_translation_fini(&r);
}

static void test_a_request_that_no_message_is_left_of_is_left_out(void **state)
{
    (void)state;
    // The other way round: "bank" is unknown to us.
    const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {2}},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 2, .categories = {2, 3}},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {99}},
    };
    const sc_relay relay = relay_of(requests, 3);
    sc__category_translation r = {.requests = NULL};
    CHECK_OK(sc__translate_categories(&r, &their_categories, &our_categories, &relay), NULL);
    assert_int_equal(r.relay.request_count, 1);
    assert_int_equal(sc__translated_place(&r, 0), SC_NONE);
    assert_int_equal(sc__translated_place(&r, 1), 0);
    assert_int_equal(sc__translated_place(&r, 2), SC_NONE);
    assert_int_equal(r.relay.requests[0].category_count, 1);
    assert_int_equal(r.relay.requests[0].categories[0], 1);
    // And again with the same memory, when nothing is to be changed.
    const sc_relay plain = relay_of(requests, 0);
    CHECK_OK(sc__translate_categories(&r, &their_categories, &our_categories, &plain), NULL);
    assert_false(r.is_different);
    sc__category_translation_fini(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_vocabulary_has_each_message_once_in_the_order_of_their_coming),
    cmocka_unit_test(test_the_same_messages_leave_a_relay_as_it_is),
    cmocka_unit_test(test_other_numbers_for_the_same_messages_are_looked_up),
    cmocka_unit_test(test_a_request_that_no_message_is_left_of_is_left_out),
};
SC_SUITE(tests)
