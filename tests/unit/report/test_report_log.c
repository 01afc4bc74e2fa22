// The report log: days in a file, which survive restarts and are counted once.
#include "report/report_log.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOON = 1795003200, DAY_S = 86400 };  // 2026-11-18

static sc_report_log *opened(const char *path, unsigned days)
{
    sc_report_log *log = NULL;
    size_t damaged = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_report_log_new(path, days, &log), NULL);
    CHECK_OK(sc_report_log_open(log, &damaged, &diag), &diag);
    assert_int_equal(damaged, 0);
    return log;
}

static void answer(sc_report_log *log, unsigned times)
{
    const sc_report_query query = {
        .outcome = SC_REPORT_ANSWERED, .k = 5, .l = 3, .users = 6, .segments = 14};
    for (unsigned i = 0; i < times; i++) {
        sc_report_log_query(log, &query);
        sc_report_log_cloak(log, 7.5);
    }
}

static sc_report_days read_days(const char *path)
{
    sc_report_days days = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_report_days_read(path, &days, &diag), &diag);
    return days;
}

/** Answered queries of a day in the file, as often as it stands there; -1: it does not. */
static int64_t answered(const char *path, int64_t day)
{
    sc_report_days days = read_days(path);
    int64_t sum = -1;
    for (size_t i = 0; i < days.count; i++) {
        if (days.days[i].day != day) continue;
        sum = (sum < 0 ? 0 : sum) + (int64_t)days.days[i].counts.of[SC_REPORT_ANSWERED];
    }
    sc_report_days_fini(&days);
    return sum;
}

static void test_a_query_is_counted_by_what_it_asked_and_got(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "days");
    sc_report_log *log = opened(path, 10);
    sc__report_log_collect(log, NOON);
    answer(log, 3);
    const sc_report_query expired = {.outcome = SC_REPORT_EXPIRED, .k = 20, .l = 1};
    sc_report_log_query(log, &expired);
    const sc_report_query less = {
        .outcome = SC_REPORT_ANSWERED, .k = 5, .l = 3, .users = 4, .segments = 2};
    sc_report_log_query(log, &less);
    sc__report_log_collect(log, NOON + 60);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    assert_int_equal(about.st_size, 2 * SC_REPORT_SLOT);
    sc_report_days days = read_days(path);
    assert_int_equal(days.count, 1);
    const sc_day_counts *counts = &days.days[0].counts;
    assert_int_equal(counts->of[SC_REPORT_ANSWERED], 4);
    assert_int_equal(counts->of[SC_REPORT_EXPIRED], 1);
    const size_t k_asked = sc_count_group_of(SC_COUNT_K_ASKED)->first;
    const size_t k_given = sc_count_group_of(SC_COUNT_K_GIVEN)->first;
    const size_t l_given = sc_count_group_of(SC_COUNT_L_GIVEN)->first;
    const size_t below = sc_count_group_of(SC_COUNT_BELOW)->first;
    assert_int_equal(counts->of[k_asked + 4], 4);  // 5
    assert_int_equal(counts->of[k_asked + sc_count_size_bin(20)], 1);
    assert_int_equal(counts->of[k_given + sc_count_size_bin(6)], 3);
    assert_int_equal(counts->of[k_given + 3], 1);
    assert_int_equal(counts->of[l_given + sc_count_size_bin(14)], 3);
    assert_int_equal(counts->of[below + SC_COUNT_BELOW_K], 1);
    assert_int_equal(counts->of[below + SC_COUNT_BELOW_L], 1);
    assert_int_equal(sc_day_counts_sum(counts, SC_COUNT_EFFECTIVE), 3);
    sc_report_days_fini(&days);
    sc_report_log_free(log);
    place_free(&p);
}

static void test_at_midnight_a_new_day_begins(void **state)
{
    (void)state;
    enum { MIDNIGHT = NOON + DAY_S / 2 };
    place p = place_new();
    const char *path = place_path(&p, "days");
    sc_report_log *log = opened(path, 10);
    sc__report_log_collect(log, MIDNIGHT - 60);
    answer(log, 3);
    sc__report_log_collect(log, MIDNIGHT);  // what came in the last minute is of the day that ends
    answer(log, 4);
    sc__report_log_collect(log, MIDNIGHT + 60);
    assert_int_equal(answered(path, sc_day_of(NOON)), 3);
    assert_int_equal(answered(path, sc_day_of(MIDNIGHT)), 4);
    // A clock that is set back goes on with the day that is there.
    sc__report_log_collect(log, MIDNIGHT - 30);
    answer(log, 10);
    sc__report_log_collect(log, MIDNIGHT - 20);
    assert_int_equal(answered(path, sc_day_of(NOON)), 13);
    assert_int_equal(answered(path, sc_day_of(MIDNIGHT)), 4);
    sc_report_log_free(log);
    place_free(&p);
}

static void test_a_restart_goes_on_and_counts_nothing_twice(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "days");
    for (unsigned i = 1; i <= 3; i++) {
        sc_report_log *log = opened(path, 10);
        sc__report_log_collect(log, NOON + i);
        answer(log, 5);
        sc__report_log_collect(log, NOON + i + 60);
        sc__report_log_collect(log, NOON + i + 120);  // nothing has come
        sc_report_log_free(log);
        assert_int_equal(answered(path, sc_day_of(NOON)), 5 * i);
    }
    sc_report_days days = read_days(path);
    assert_int_equal(days.count, 1);
    sc_report_days_fini(&days);
    place_free(&p);
}

static void test_the_oldest_day_makes_room(void **state)
{
    (void)state;
    enum { KEPT = 3, DAYS = 8 };
    place p = place_new();
    const char *path = place_path(&p, "days");
    sc_report_log *log = opened(path, KEPT);
    for (int i = 0; i < DAYS; i++) {
        sc__report_log_collect(log, NOON + i * DAY_S);
        answer(log, (unsigned)i + 1);
        sc__report_log_collect(log, NOON + i * DAY_S + 60);
    }
    sc_report_log_free(log);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, (KEPT + 1) * SC_REPORT_SLOT);
    for (int i = 0; i < DAYS; i++) {
        assert_int_equal(answered(path, sc_day_of(NOON) + i), i < DAYS - KEPT ? -1 : i + 1);
    }
    place_free(&p);
}

/** A log of two days. */
static const char *two_days(const place *p)
{
    const char *path = place_path(p, "days");
    sc_report_log *log = opened(path, 10);
    for (int i = 0; i < 2; i++) {
        sc__report_log_collect(log, NOON + i * DAY_S);
        answer(log, 7);
        sc__report_log_collect(log, NOON + i * DAY_S + 60);
    }
    sc_report_log_free(log);
    return path;
}

static void test_a_piece_at_the_end_and_a_damaged_day_are_noticed(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = two_days(&p);
    assert_int_equal(truncate(path, 2 * SC_REPORT_SLOT + 100), 0);
    sc_report_days days = read_days(path);
    assert_int_equal(days.count, 1);
    assert_int_equal(days.damaged, 1);
    sc_report_days_fini(&days);
    // The service cuts it off, and goes on behind what is whole.
    sc_report_log *log = opened(path, 10);
    sc__report_log_collect(log, NOON + DAY_S);
    answer(log, 2);
    sc__report_log_collect(log, NOON + DAY_S + 60);
    sc_report_log_free(log);
    assert_int_equal(answered(path, sc_day_of(NOON)), 7);
    assert_int_equal(answered(path, sc_day_of(NOON) + 1), 2);

    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, SC_REPORT_SLOT + 20, SEEK_SET), 0);
    fputs("#####", file);
    fclose(file);
    days = read_days(path);
    assert_int_equal(days.count, 1);
    assert_int_equal(days.damaged, 1);
    sc_report_days_fini(&days);
    size_t damaged = 0;
    CHECK_OK(sc_report_log_new(path, 10, &log), NULL);
    CHECK_OK(sc_report_log_open(log, &damaged, NULL), NULL);
    assert_int_equal(damaged, 1);
    sc__report_log_collect(log, NOON + 2 * DAY_S);
    answer(log, 1);
    sc__report_log_collect(log, NOON + 2 * DAY_S + 60);  // in its place
    sc_report_log_free(log);
    days = read_days(path);
    assert_int_equal(days.count, 2);
    assert_int_equal(days.damaged, 0);
    sc_report_days_fini(&days);
    place_free(&p);
}

static void check_refused(const char *path, sc_err wanted, const char *why)
{
    sc_report_log *log = NULL;
    size_t damaged = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_report_log_new(path, 10, &log), NULL);
    CHECK_REFUSED(sc_report_log_open(log, &damaged, &diag), wanted, &diag, why);
    sc_report_log_free(log);
}

static void test_what_is_no_log_of_ours_is_left_alone(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "letter", "Dear Sirs,\n");
    check_refused(path, SC_EPARSE, "is not a report log");
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "Dear Sirs,\n");
    free(text);
    sc_diag diag = {""};
    sc_report_days days = {0};
    CHECK_REFUSED(sc_report_days_read(path, &days, &diag), SC_EPARSE, &diag, "not a report log");
    CHECK_REFUSED(sc_report_log_check(path, &diag), SC_EPARSE, &diag, "not a report log");
    CHECK_OK(sc_report_log_check(place_path(&p, "new"), &diag), &diag);
    CHECK_REFUSED(sc_report_log_check(place_path(&p, "no/such/folder"), &diag), SC_EIO, &diag,
                  "report-log");
    check_refused(p.path, SC_EIO, "report-log");
    const char *link = place_path(&p, "link");
    assert_int_equal(symlink(path, link), 0);
    check_refused(link, SC_EIO, "report-log");
    place_free(&p);
}

static void test_two_cannot_share_a_log(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "days");
    sc_report_log *log = opened(path, 10);
    check_refused(path, SC_EBUSY, "another process writes");
    sc_report_log_free(log);
    sc_report_log_free(opened(path, 10));
    place_free(&p);
}

static void test_what_cannot_be_written_is_counted_and_written_later(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "days");
    sc_report_log *log = opened(path, 10);
    sc_diag why = {""};
    sc__report_log_collect(log, NOON);
    answer(log, 2);
    assert_false(sc_report_log_is_failing(log, &why));
    oom_arm(1);
    sc__report_log_collect(log, NOON + 60);
    assert_true(oom_happened());
    assert_true(sc_report_log_is_failing(log, &why));
    CHECK_CONTAINS(why.message, "days");
    assert_int_equal(sc_report_log_failures(log), 1);
    sc__report_log_collect(log, NOON + 120);
    assert_false(sc_report_log_is_failing(log, &why));
    assert_int_equal(answered(path, sc_day_of(NOON)), 2);
    sc_report_log_free(log);
    place_free(&p);
}

static void test_the_thread_writes_what_is_left_at_the_end(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "days");
    sc_report_log *log = opened(path, 10);
    sc_diag diag = {""};
    CHECK_OK(sc_report_log_start(log, &diag), &diag);
    answer(log, 9);
    sc_report_log_free(log);
    sc_report_days days = read_days(path);
    int64_t sum = 0;
    for (size_t i = 0; i < days.count; i++) {
        sum += (int64_t)days.days[i].counts.of[SC_REPORT_ANSWERED];
    }
    assert_int_equal(sum, 9);
    sc_report_days_fini(&days);
    sc_report_log_free(NULL);
    place_free(&p);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = two_days(&p);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_report_log *log = NULL;
        sc_report_days days = {0};
        size_t damaged = 0;
        sc_diag diag = {""};
        sc_err err = sc_report_log_new(path, 10, &log);
        if (!err) err = sc_report_log_open(log, &damaged, &diag);
        if (!err) err = sc_report_days_read(path, &days, &diag);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        assert_int_equal(damaged, 0);  // a day that was not read is not damaged
        sc_report_days_fini(&days);
        sc_report_log_free(log);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 5);
    assert_int_equal(answered(path, sc_day_of(NOON)), 7);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_is_counted_by_what_it_asked_and_got),
    cmocka_unit_test(test_at_midnight_a_new_day_begins),
    cmocka_unit_test(test_a_restart_goes_on_and_counts_nothing_twice),
    cmocka_unit_test(test_the_oldest_day_makes_room),
    cmocka_unit_test(test_a_piece_at_the_end_and_a_damaged_day_are_noticed),
    cmocka_unit_test(test_what_is_no_log_of_ours_is_left_alone),
    cmocka_unit_test(test_two_cannot_share_a_log),
    cmocka_unit_test(test_what_cannot_be_written_is_counted_and_written_later),
    cmocka_unit_test(test_the_thread_writes_what_is_left_at_the_end),
    cmocka_unit_test(test_every_allocation_may_fail),
};
SC_SUITE(tests)
