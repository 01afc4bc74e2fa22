// What a client accepts and what it has, by its headers: a stranger's text.
#include "api/response_cache.h"

#include "support/check.h"

static void test_gzip_is_sent_to_those_who_say_so(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "gzip",
        "GZIP",
        "x-gzip",
        "gzip, deflate, br",
        "deflate, gzip;q=1.0, *;q=0.5",
        "br;q=1.0,gzip;q=0.8",
        "gzip;q=0.001",
        "gzip ; q=0.5",
        "identity;q=0, gzip",
        "*",
        "*;q=0.1",
        "gzip;level=9;q=0.2",
        "*;q=0, gzip",
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!sc__accepts_gzip(yes[i])) fail_msg("accepts gzip: %s", yes[i]);
    }
}

static void test_gzip_is_not_sent_to_those_who_do_not(void **state)
{
    (void)state;
    static const char *const no[] = {
        "",           "identity",         "deflate",  "br",    "gzip;q=0",
        "gzip;q=0.0", "gzip; q=0.000, *", "GZIP;Q=0", "*;q=0", "gzipped",
        "not-gzip",   "deflate;q=gzip",   ",,,",      ";q=1",
    };
    assert_false(sc__accepts_gzip(NULL));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (sc__accepts_gzip(no[i])) fail_msg("does not accept gzip: %s", no[i]);
    }
}

static void test_a_weight_belongs_to_its_own_item(void **state)
{
    (void)state;
    assert_true(sc__accepts_gzip("gzip, br;q=0"));
    assert_true(sc__accepts_gzip("br;q=0, gzip"));
    assert_false(sc__accepts_gzip("gzip;q=0, br;q=1"));
}

static void test_a_tag_is_found_in_a_list(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "\"abc\"", "W/\"abc\"", "\"x\", \"abc\"",  "\"x\",W/\"y\" ,\t\"abc\"  ",
        "*",       " * ",       "\"a,b\",\"abc\"",
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!sc__etag_matches(yes[i], "\"abc\"")) fail_msg("names it: %s", yes[i]);
    }
    static const char *const no[] = {
        "",        "abc", "\"abcd\"",           "\"ab\"",    "\"abc-gzip\"", "\"abc",
        "\"ABC\"", "*x",  "\"x\" junk \"abc\"", "w/\"abc\"", "\"x, \"abc",
    };
    assert_false(sc__etag_matches(NULL, "\"abc\""));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (sc__etag_matches(no[i], "\"abc\"")) fail_msg("does not name it: %s", no[i]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gzip_is_sent_to_those_who_say_so),
    cmocka_unit_test(test_gzip_is_not_sent_to_those_who_do_not),
    cmocka_unit_test(test_a_weight_belongs_to_its_own_item),
    cmocka_unit_test(test_a_tag_is_found_in_a_list),
};
SC_SUITE(tests)
