// Cases: lists that give back what was put in, and a collector that hears of a run who is in its
// cloaks.
#include "same_cases.h"

static sc_case_member member_on(sc_seg_id segment, const char *user)
{
    return (sc_case_member){
        .needs = {2, 3, 4, 5},
        .asked = 7,
        .max_wait_us = 8,
        .segment = segment,
        .user = sc_case_user(user, strlen(user)),
    };
}

// --- Lists ------------------------------------------------------------------------

static void test_what_is_added_comes_back_however_many_there_are(void **state)
{
    (void)state;
    enum { COUNT = 300, MOST = 7 };
    sc_seg_id segments[MOST];
    sc_case_member members[MOST];
    sc_cases cases = {.count = 0};
    for (size_t i = 0; i < MOST; i++) {
        segments[i] = (sc_seg_id)(10 * i);
        members[i] = member_on((sc_seg_id)(10 * i), i % 2 == 0 ? "ada" : "bob");
    }
    for (size_t i = 0; i < COUNT; i++) {
        const sc_case one = {.number = 1000 + i,
                             .t = (sc_time)i,
                             .segments = segments,
                             .segment_count = 1 + i % MOST,
                             .members = members,
                             .member_count = 1 + i % 3};
        CHECK_OK(sc_cases_add(&cases, &one), NULL);
    }
    assert_int_equal(cases.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        const sc_case wanted = {.number = 1000 + i,
                                .t = (sc_time)i,
                                .segments = segments,
                                .segment_count = 1 + i % MOST,
                                .members = members,
                                .member_count = 1 + i % 3};
        const sc_case got = sc_cases_at(&cases, i);
        check_same_case(&got, &wanted);
    }
    sc_cases_fini(&cases);
    sc_cases_fini(&cases);
    assert_int_equal(cases.count, 0);
}

static void test_users_are_told_apart_by_all_bytes_of_their_names(void **state)
{
    (void)state;
    assert_true(sc_case_user("ada", 3) == sc_case_user("adam", 3));
    assert_true(sc_case_user("ada", 3) != sc_case_user("adam", 4));
    assert_true(sc_case_user("a\0b", 3) != sc_case_user("a\0c", 3));
}

static void test_the_adversarys_own_are_known_by_how_their_names_begin(void **state)
{
    (void)state;
    assert_true(sc_case_user_is_injected("injected:1:2", 12));
    assert_true(sc_case_user_is_injected("injected:", 9));
    assert_false(sc_case_user_is_injected("injected:", 8));
    assert_false(sc_case_user_is_injected("Injected:1", 10));
    assert_false(sc_case_user_is_injected("not injected:1", 14));
}

// --- A run that is listened to ------------------------------------------------------

/** A question by hand: who, when and where. */
static void ask(const sc_run_listener *to, uint8_t id, const char *user, sc_time t,
                sc_seg_id segment)
{
    const sc_query query = {
        .id = {.bytes = {id}}, .segment = segment, .k = 2, .l = 3, .max_hops = 4, .result_size = 5};
    const sc_request_line request_line = {.ask = {.user = user,
                                                  .user_size = strlen(user),
                                                  .t = t,
                                                  .profile = {2, 3, 4, sc_time_from_seconds(6)},
                                                  .result_size = 5},
                                          .request = {.k = 5}};
    const sc_snap where = {.segment = segment};
    CHECK_OK(to->asked(to->context, &query, &request_line, &where), NULL);
}

/** A cloak by hand: of these two, on segments 1, 4 and 9. */
static sc_err leave(const sc_run_listener *to, uint8_t first, uint8_t second, sc_time t)
{
    sc_seg_id segments[] = {1, 4, 9};
    sc_member members[] = {{.query = {.id = {.bytes = {first}}}},
                           {.query = {.id = {.bytes = {second}}}}};
    const sc_cloak cloak = {
        .segments = segments, .segment_count = 3, .members = members, .member_count = 2};
    return to->cloaked(to->context, &cloak, t);
}

static void test_a_book_knows_members_from_when_they_asked(void **state)
{
    (void)state;
    sc_case_collector collector = {.asker_count = 0};
    const sc_run_listener to = sc_case_collector_listener(&collector);
    ask(&to, 1, "ada", 10, 4);
    ask(&to, 2, "injected:0:0", 11, 9);
    ask(&to, 3, "bob", 12, 1);
    CHECK_OK(leave(&to, 2, 1, 13), NULL);
    assert_int_equal(collector.cases.count, 1);
    const sc_seg_id segments[] = {1, 4, 9};
    const sc_case_member members[] = {
        {.needs = {2, 3, 4, 5},
         .asked = 11,
         .max_wait_us = sc_time_from_seconds(6),
         .is_injected = true,
         .segment = 9,
         .user = sc_case_user("injected:0:0", 12)},
        {.needs = {2, 3, 4, 5},
         .asked = 10,
         .max_wait_us = sc_time_from_seconds(6),
         .segment = 4,
         .user = sc_case_user("ada", 3)},
    };
    const sc_case wanted = {
        .t = 13, .segments = segments, .segment_count = 3, .members = members, .member_count = 2};
    const sc_case got = sc_cases_at(&collector.cases, 0);
    check_same_case(&got, &wanted);
    sc_case_collector_fini(&collector);
}

// Cloaks have the numbers that a record gives them, also those that come after some are left out.
static void test_a_window_keeps_what_leaves_in_it_under_the_numbers_of_the_run(void **state)
{
    (void)state;
    sc_case_collector collector = {.window = {.from = 20, .until = 30}};
    const sc_run_listener to = sc_case_collector_listener(&collector);
    for (uint8_t i = 0; i < 8; i++) {
        ask(&to, i, "ada", 1 + i, 4);
    }
    CHECK_OK(leave(&to, 0, 1, 19), NULL);
    CHECK_OK(leave(&to, 2, 3, 20), NULL);
    CHECK_OK(leave(&to, 4, 5, 29), NULL);
    CHECK_OK(leave(&to, 6, 7, 30), NULL);
    assert_int_equal(collector.cases.count, 2);
    assert_int_equal(sc_cases_at(&collector.cases, 0).number, 1);
    assert_int_equal(sc_cases_at(&collector.cases, 1).number, 2);

    sc_case_collector_settle(&collector);
    assert_int_equal(collector.asker_count, 0);
    assert_int_equal(sc_cases_at(&collector.cases, 1).members[1].asked, 6);
    sc_case_collector_settle(&collector);
    sc_case_collector_fini(&collector);
    sc_case_collector_fini(&collector);
    assert_int_equal(collector.cases.count, 0);
}

static void test_a_member_that_was_never_asked_breaks_the_run_and_is_no_case(void **state)
{
    (void)state;
    sc_case_collector collector = {.asker_count = 0};
    const sc_run_listener to = sc_case_collector_listener(&collector);
    ask(&to, 1, "ada", 10, 4);
    assert_int_equal(leave(&to, 1, 2, 11), SC_EBROKEN);
    assert_int_equal(collector.cases.count, 0);
    assert_int_equal(collector.cases.member_count, 0);
    sc_case_collector_fini(&collector);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_added_comes_back_however_many_there_are),
    cmocka_unit_test(test_users_are_told_apart_by_all_bytes_of_their_names),
    cmocka_unit_test(test_the_adversarys_own_are_known_by_how_their_names_begin),
    cmocka_unit_test(test_a_book_knows_members_from_when_they_asked),
    cmocka_unit_test(test_a_window_keeps_what_leaves_in_it_under_the_numbers_of_the_run),
    cmocka_unit_test(test_a_member_that_was_never_asked_breaks_the_run_and_is_no_case),
};
SC_SUITE(tests)
