// JSON text: numbers as short as they can be, in any locale; strings that cannot be mistaken.
#include "support/check.h"

#include "relay/page.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>

static const char *decimal(double number, unsigned decimals, sc_bytes *bytes)
{
    sc__page page = {.out = bytes};
    bytes->size = 0;
    sc__page_decimal(&page, number, decimals);
    sc__page_text(&page, "\n");
    assert_false(page.is_full);
    bytes->data[bytes->size - 1] = '\0';
    return (const char *)bytes->data;
}

static void test_decimals_are_rounded_and_no_more_than_needed(void **state)
{
    (void)state;
    sc_bytes b = {0};
    assert_string_equal(decimal(0.0, 6, &b), "0");
    assert_string_equal(decimal(-0.0, 6, &b), "0");
    assert_string_equal(decimal(12.5, 6, &b), "12.5");
    assert_string_equal(decimal(12.345000000000001, 6, &b), "12.345");
    assert_string_equal(decimal(-121.9041670, 7, &b), "-121.904167");
    assert_string_equal(decimal(0.0000001, 7, &b), "0.0000001");
    assert_string_equal(decimal(-0.00000004, 7, &b), "0");
    assert_string_equal(decimal(100.0, 7, &b), "100");
    assert_string_equal(decimal(0.999999999, 3, &b), "1");
    assert_string_equal(decimal(8.000000001, 9, &b), "8.000000001");
    assert_string_equal(decimal(1e15, 6, &b), "1000000000000000");
    assert_string_equal(decimal(7.0, 0, &b), "7");
    sc_bytes_fini(&b);
}

static void test_every_grid_position_is_shown_exactly(void **state)
{
    (void)state;
    sc_bytes b = {0};
    for (int64_t grid = -1800000000; grid <= 1800000000; grid += 1234577) {
        const double degrees = (double)grid / 1e7;
        CHECK_SAME(strtod(decimal(degrees, 7, &b), NULL), degrees + 0.0);
    }
    sc_bytes_fini(&b);
}

static void test_numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    // Any locale with a comma will do; where there is none, nothing can go wrong.
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < 4; i++) {
        if (setlocale(LC_NUMERIC, names[i])) break;
    }
    sc_bytes b = {0};
    sc__page page = {.out = &b};
    sc__page_exact(&page, 0.1);
    sc__page_text(&page, " ");
    sc__page_exact(&page, 1240.9334373536979);
    sc__page_text(&page, " ");
    sc__page_exact(&page, 1e-300);
    sc__page_text(&page, " ");
    sc__page_decimal(&page, 2.5, 3);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(b.size, strlen("0.1 1240.9334373536979 1e-300 2.5"));
    assert_memory_equal(b.data, "0.1 1240.9334373536979 1e-300 2.5", b.size);
    sc_bytes_fini(&b);
}

static void test_strings_read_back_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "plain", "\"quoted\" \\ back", "\x01\n\t\x1f\x7f",
                                        "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sc_bytes b = {0};
        sc__page page = {.out = &b};
        sc__page_string(&page, texts[i]);
        json_t *read = json_loadb((const char *)b.data, b.size, JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        assert_string_equal(json_string_value(read), texts[i]);
        json_decref(read);
        sc_bytes_fini(&b);
    }
}

static void test_what_is_not_utf8_becomes_something_that_is(void **state)
{
    (void)state;
    sc_bytes b = {0};
    sc__page page = {.out = &b};
    sc__page_string(&page, "a\xff\xc3");
    assert_int_equal(b.size, strlen("\"a\\ufffd\\ufffd\""));
    assert_memory_equal(b.data, "\"a\\ufffd\\ufffd\"", b.size);
    sc_bytes_fini(&b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_decimals_are_rounded_and_no_more_than_needed),
    cmocka_unit_test(test_every_grid_position_is_shown_exactly),
    cmocka_unit_test(test_numbers_do_not_depend_on_the_locale),
    cmocka_unit_test(test_strings_read_back_as_they_were),
    cmocka_unit_test(test_what_is_not_utf8_becomes_something_that_is),
};
SC_SUITE(tests)
