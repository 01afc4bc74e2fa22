// Counts of a day: their bins, their JSON, and days in UTC.
#include "report/day_counts.h"

#include "base/bytes.h"
#include "support/check.h"

#include <string.h>

static void test_every_count_has_a_name_of_its_own(void **state)
{
    (void)state;
    size_t all = 0;
    for (unsigned g = 0; g < SC_COUNT_GROUPS; g++) {
        const sc_count_group_names *group = sc_count_group_of((sc_count_group)g);
        assert_int_equal(group->first, all);
        all += group->count;
        for (size_t i = 0; i < group->count; i++) {
            for (size_t j = 0; j < i; j++) {
                assert_string_not_equal(group->bins[i], group->bins[j]);
            }
        }
    }
    assert_int_equal(all, SC_COUNTS);
}

static void check_size(uint32_t number, const char *name)
{
    assert_string_equal(sc_count_group_of(SC_COUNT_K_ASKED)->bins[sc_count_size_bin(number)], name);
}

static void check_effective(double number, const char *name)
{
    const size_t bin = sc_count_effective_bin(number);
    assert_string_equal(sc_count_group_of(SC_COUNT_EFFECTIVE)->bins[bin], name);
}

static void test_numbers_are_counted_in_the_bin_that_names_them(void **state)
{
    (void)state;
    check_size(0, "1");
    check_size(1, "1");
    check_size(5, "5");
    check_size(6, "6-10");
    check_size(10, "6-10");
    check_size(11, "11-20");
    check_size(100, "51-100");
    check_size(101, "101-");
    check_size(UINT32_MAX, "101-");
    check_effective(1.0, "1-2");
    check_effective(1.999, "1-2");
    check_effective(2.0, "2-3");
    check_effective(99.9, "50-100");
    check_effective(1e9, "100-");
}

static sc_day_counts some_counts(void)
{
    sc_day_counts counts;
    for (size_t i = 0; i < SC_COUNTS; i++) {
        counts.of[i] = i * 37;
    }
    return counts;
}

static sc_bytes written(const sc_day_counts *counts)
{
    sc_bytes out = {0};
    sc_json_writer json = sc_json_writer_of(&out);
    sc_day_counts_write(&json, NULL, counts);
    assert_false(json.has_failed);
    return out;
}

static bool reads(const char *text, size_t size, sc_day_counts *out)
{
    sc_json_tree tree;
    sc_json_error error;
    if (sc_json_tree_read(text, size, &tree, &error)) return false;
    const bool is_read = sc_day_counts_read(tree.root, out);
    sc_json_tree_fini(&tree);
    return is_read;
}

static void test_counts_are_read_as_they_were_written(void **state)
{
    (void)state;
    const sc_day_counts counts = some_counts();
    sc_day_counts again = {{0}};
    sc_bytes text = written(&counts);
    assert_true(reads((const char *)text.data, text.size, &again));
    assert_memory_equal(&counts, &again, sizeof counts);
    assert_int_equal(sc_day_counts_sum(&counts, SC_COUNT_QUERIES), 37 * (11 * 12 / 2));
    sc_day_counts_add(&again, &counts);
    assert_int_equal(again.of[7], 2 * 7 * 37);
    sc_bytes_fini(&text);
}

/** The text with the first `from` replaced; whether that is read. */
static bool reads_with(const char *from, const char *to)
{
    const sc_day_counts counts = some_counts();
    sc_bytes text = written(&counts);
    char changed[4096];
    char whole[4096];
    snprintf(whole, sizeof whole, "%.*s", (int)text.size, (const char *)text.data);
    sc_bytes_fini(&text);
    const char *at = strstr(whole, from);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from));
    sc_day_counts ignored;
    return reads(changed, strlen(changed), &ignored);
}

static void test_other_counts_are_refused(void **state)
{
    (void)state;
    assert_true(reads_with("\"withdrawn\":37", "\"withdrawn\":38"));
    assert_false(reads_with("\"withdrawn\":37", "\"withdrawn\":-1"));
    assert_false(reads_with("\"withdrawn\":37", "\"withdrawn\":1.5"));
    assert_false(reads_with("\"withdrawn\":37", "\"withdrawn\":\"37\""));
    assert_false(reads_with("\"withdrawn\":37", "\"withdrawn\":9007199254740992"));
    assert_false(reads_with("\"withdrawn\":37", "\"undrawn\":37"));
    assert_false(reads_with("\"withdrawn\":37,", ""));
    assert_false(reads_with("\"withdrawn\":37", "\"withdrawn\":37,\"more\":1"));
    assert_false(reads_with("\"k_asked\":", "\"k_asks\":"));
    sc_day_counts ignored;
    assert_false(reads("[]", 2, &ignored));
    assert_false(reads("{}", 2, &ignored));
}

static void test_days_are_those_of_utc(void **state)
{
    (void)state;
    char text[SC_DAY_TEXT_SIZE];
    int64_t day = 0;
    assert_int_equal(sc_day_of(0), 0);
    assert_int_equal(sc_day_of(-5), 0);
    assert_int_equal(sc_day_of(86399), 0);
    assert_int_equal(sc_day_of(86400), 1);
    assert_string_equal(sc_day_text(sc_day_of(1795046399), text), "2026-11-18");
    assert_string_equal(sc_day_text(sc_day_of(1795046400), text), "2026-11-19");
    assert_true(sc_day_read("2026-11-18", &day));
    assert_int_equal(day, sc_day_of(1795046399));
    assert_true(sc_day_read("2024-02-29", &day));
    static const char *const bad[] = {"2026-11-31", "2026-2-018", "26-11-18",   "2026-11-18 ",
                                      "",           "2026/11/18", "1969-12-31", "2025-02-29"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(sc_day_read(bad[i], &day));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_count_has_a_name_of_its_own),
    cmocka_unit_test(test_numbers_are_counted_in_the_bin_that_names_them),
    cmocka_unit_test(test_counts_are_read_as_they_were_written),
    cmocka_unit_test(test_other_counts_are_refused),
    cmocka_unit_test(test_days_are_those_of_utc),
};
SC_SUITE(tests)
