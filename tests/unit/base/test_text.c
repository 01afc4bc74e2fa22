// Lines, fields and numbers: read as the C library reads them, whole or not at
// all, from bytes that end nowhere.
#include "support/check.h"

#include "base/rng.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

// Text in memory of exactly its own size: a sanitizer sees each step beyond.
static sc_slice tight(const char *text)
{
    const size_t size = strlen(text);
    char *bytes = test_take(size, 1);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = text[i];
    }
    return (sc_slice){bytes, size};
}

static void tight_free(sc_slice slice)
{
    free((void *)(uintptr_t)slice.text);
}

// --- Lines ---------------------------------------------------------------------------

// The lines of `text`, each in brackets.
static void check_lines(const char *text, const char *wanted)
{
    const sc_slice bytes = tight(text);
    const sc_input input = {"f.txt", (const uint8_t *)bytes.text, bytes.size};
    sc_lines lines = sc_lines_of(&input);
    sc_slice line;
    char got[256] = "";
    uint64_t count = 0;
    while (sc_lines_next(&lines, &line)) {
        assert_int_equal(lines.line, ++count);
        snprintf(got + strlen(got), sizeof got - strlen(got), "[%.*s]", (int)line.size, line.text);
    }
    assert_false(sc_lines_next(&lines, &line));
    assert_string_equal(got, wanted);
    tight_free(bytes);
}

static void test_lines_end_in_lf_or_cr_lf_or_with_the_text(void **state)
{
    (void)state;
    check_lines("", "");
    check_lines("a", "[a]");
    check_lines("a\n", "[a]");
    check_lines("a\nb", "[a][b]");
    check_lines("a\r\nb\r\n", "[a][b]");
    check_lines("a\r", "[a]");
    check_lines("\n", "[]");
    check_lines("\r\n\r\n", "[][]");
    check_lines("a\n\nb\n", "[a][][b]");
    check_lines("a\rb\n", "[a\rb]");
    check_lines("a\r\r\n", "[a\r]");
}

static void test_a_byte_order_mark_is_passed_over_at_the_beginning_only(void **state)
{
    (void)state;
    check_lines("\xef\xbb\xbf"
                "a\nb",
                "[a][b]");
    check_lines("\xef\xbb\xbf", "");
    check_lines("a\n\xef\xbb\xbf"
                "b",
                "[a][\xef\xbb\xbf"
                "b]");
    check_lines("\xef\xbb", "[\xef\xbb]");
}

static void test_complaints_name_file_line_and_value(void **state)
{
    (void)state;
    const sc_input input = {"dir/f.txt",
                            (const uint8_t *)"a\nb\x01"
                                             "c\n",
                            6};
    sc_lines lines = sc_lines_of(&input);
    sc_slice line;
    assert_true(sc_lines_next(&lines, &line) && sc_lines_next(&lines, &line));
    sc_diag diag = {""};
    assert_int_equal(sc_lines_fail(&lines, &diag, "not a number", line), SC_EPARSE);
    assert_string_equal(diag.message, "dir/f.txt:2: not a number: 'b\\x01c'");
    assert_int_equal(sc_lines_fail_line(&lines, &diag, "too short"), SC_EPARSE);
    assert_string_equal(diag.message, "dir/f.txt:2: too short");
    assert_int_equal(sc_lines_fail(&lines, NULL, "not a number", line), SC_EPARSE);
}

// --- Fields --------------------------------------------------------------------------

static void test_fields_are_parted_by_blanks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"1 22 333", "[1][22][333]"},
                                           {"  1\t 22  ", "[1][22]"},
                                           {"", ""},
                                           {" \t ", ""},
                                           {"one", "[one]"},
                                           {"a,b c", "[a,b][c]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sc_slice whole = tight(cases[i][0]);
        sc_slice line = whole;
        sc_slice field;
        char got[64] = "";
        while (sc_slice_field(&line, &field)) {
            snprintf(got + strlen(got), sizeof got - strlen(got), "[%.*s]", (int)field.size,
                     field.text);
        }
        assert_string_equal(got, cases[i][1]);
        assert_false(sc_slice_field(&line, &field));
        tight_free(whole);
    }
}

// The CSV fields of a line, each in brackets; "!" where it is broken.
static void check_csv(const char *text, const char *wanted)
{
    const sc_slice whole = tight(text);
    char *buffer = test_take(whole.size, 1);
    sc_slice line = whole;
    sc_slice field;
    bool more = true;
    bool broken = false;
    char *room = buffer;
    char got[128] = "";
    while (sc_slice_csv_field(&line, room, &field, &more, &broken)) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "[%.*s]", (int)field.size,
                 field.text);
        if (field.text == room) room += field.size;
    }
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s", broken ? "!" : "");
    assert_string_equal(got, wanted);
    free(buffer);
    tight_free(whole);
}

static void test_csv_fields_are_parted_by_commas_and_protected_by_quotes(void **state)
{
    (void)state;
    check_csv("a,b,c", "[a][b][c]");
    check_csv("a,,c,", "[a][][c][]");
    check_csv("", "[]");
    check_csv(",", "[][]");
    check_csv("\"a,b\",c", "[a,b][c]");
    check_csv("\"say \"\"hi\"\"\",c", "[say \"hi\"][c]");
    check_csv("\"\"", "[]");
    check_csv("\"\",\"\"", "[][]");
    check_csv("\"\"\"\"", "[\"]");
    check_csv("a \"b\" c,d", "[a \"b\" c][d]");
    check_csv(" a , b ", "[ a ][ b ]");
    check_csv("\"a\",\"b\",\"c\"", "[a][b][c]");
}

static void test_csv_quotes_that_are_not_closed_are_broken(void **state)
{
    (void)state;
    check_csv("\"", "!");
    check_csv("\"a", "!");
    check_csv("a,\"b", "[a]!");
    check_csv("\"a\"b,c", "!");
    check_csv("\"a\"\"", "!");
    check_csv("\"a\" ,b", "!");
}

static void test_a_slice_is_a_text_or_not(void **state)
{
    (void)state;
    assert_true(sc_slice_is((sc_slice){"lon,lat", 3}, "lon"));
    assert_false(sc_slice_is((sc_slice){"lon,lat", 2}, "lon"));
    assert_false(sc_slice_is((sc_slice){"lon,lat", 4}, "lon"));
    assert_true(sc_slice_is((sc_slice){"", 0}, ""));
}

// --- Whole numbers -------------------------------------------------------------------

static void test_whole_numbers_are_read_up_to_their_limits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {{"0", true, 0},
                 {"007", true, 7},
                 {"18446744073709551615", true, UINT64_MAX},
                 {"18446744073709551616", false, 0},
                 {"99999999999999999999999", false, 0},
                 {"0000000000000000000000000000000001", true, 1},
                 {"", false, 0},
                 {"-1", false, 0},
                 {"+1", false, 0},
                 {" 1", false, 0},
                 {"1 ", false, 0},
                 {"12x", false, 0},
                 {"0x10", false, 0},
                 {"1.0", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sc_slice text = tight(cases[i].text);
        uint64_t value = 4711;
        assert_int_equal(sc_slice_u64(text, &value), cases[i].good);
        assert_true(value == (cases[i].good ? cases[i].value : 4711));
        tight_free(text);
    }
}

static void test_signed_numbers_are_read_up_to_their_limits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {{"0", true, 0},
                 {"-0", true, 0},
                 {"+5", true, 5},
                 {"-5", true, -5},
                 {"9223372036854775807", true, INT64_MAX},
                 {"9223372036854775808", false, 0},
                 {"-9223372036854775808", true, INT64_MIN},
                 {"-9223372036854775809", false, 0},
                 {"-18446744073709551615", false, 0},
                 {"", false, 0},
                 {"-", false, 0},
                 {"+", false, 0},
                 {"+-1", false, 0},
                 {"--1", false, 0},
                 {"1-", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sc_slice text = tight(cases[i].text);
        int64_t value = 4711;
        assert_int_equal(sc_slice_i64(text, &value), cases[i].good);
        assert_true(value == (cases[i].good ? cases[i].value : 4711));
        tight_free(text);
    }
}

// --- Decimal numbers -----------------------------------------------------------------

// As strtod reads it, to the last bit.
static void check_number(const char *text)
{
    const sc_slice slice = tight(text);
    double value = 0.0;
    const double wanted = strtod(text, NULL);
    const bool good = sc_slice_double(slice, &value);
    if (good != isfinite(wanted)) print_error("'%s' is read as %g, good %d\n", text, value, good);
    assert_int_equal(good, isfinite(wanted) ? 1 : 0);
    if (good) CHECK_SAME(value, wanted);
    tight_free(slice);
}

static void test_numbers_of_every_shape_are_read_as_strtod_does(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0.0",
        ".5",
        "5.",
        "-.5",
        "+5.",
        "00012",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1.5e3",
        ".5e1",
        "5.e1",
        "-1.25E-2",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e-400",
        "5e-324",
        "2e-324",
        "4.9406564584124654e-324",
        "2.2250738585072011e-308",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "123456789012345678901234567890",
        "0.1234567890123456789012345",
        "0.3",
        "0.1",
        "1e999",
        "-122.419415",
        "37.7749295",
        "1.00000000000000000000000000000000000000001",
        "0.000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000",
        "8.5e0000000000000000003",
        "1e-0",
        "179.9999999",
        "9999999999999999999",
        "9223372036854775808.5e-3",
        "3.141592653589793238462643383279502884197169399375105820974"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_number(texts[i]);
    }
}

static void test_what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",         "-",     "+",     ".",     "-.",     "e5",   ".e5",   "1e",      "1e+",
        "1e-",      "1e5.5", "1.2.3", "12x",   "x12",    "0x10", "0x1p3", "nan",     "NaN",
        "inf",      "-inf",  "+-1",   "--1",   "-+1",    "1 ",   " 1",    "1,5",     "1_000",
        "infinity", "1e5e5", "1f",    "1e999", "-1e999", "1..2", "1e 5",  "\xd9\xa1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const sc_slice slice = tight(texts[i]);
        double value = 4711.0;
        if (sc_slice_double(slice, &value)) fail_msg("'%s' was read as %g", texts[i], value);
        CHECK_SAME(value, 4711.0);
        tight_free(slice);
    }
}

// Digits, a point somewhere or nowhere, sometimes an exponent.
static void write_random_number(sc_rng *rng, char *out, size_t size)
{
    const uint32_t digits = 1 + sc_rng_below(rng, sc_rng_below(rng, 4) == 0 ? 40 : 18);
    const uint32_t point = sc_rng_below(rng, 3) == 0 ? digits + 1 : sc_rng_below(rng, digits + 1);
    size_t used = 0;
    if (sc_rng_below(rng, 3) == 0) out[used++] = sc_rng_below(rng, 4) == 0 ? '+' : '-';
    for (uint32_t i = 0; i < digits; i++) {
        if (i == point) out[used++] = '.';
        // Many zeros and nines: where rounding is close.
        static const char drawn[] = "0123456789000999";
        out[used++] = drawn[sc_rng_below(rng, sizeof drawn - 1)];
    }
    if (point == digits) out[used++] = '.';
    out[used] = '\0';
    if (sc_rng_below(rng, 3) == 0) {
        const int reach = sc_rng_below(rng, 4) == 0 ? 400 : 30;
        const int exponent = (int)sc_rng_below(rng, 2 * (uint32_t)reach + 1) - reach;
        snprintf(out + used, size - used, sc_rng_below(rng, 2) ? "e%d" : "E%+d", exponent);
    }
}

static void test_200000_random_numbers_are_read_as_strtod_does(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 8);
    for (uint64_t i = 0; i < 200000; i++) {
        check_case(i);
        char text[96] = "";
        write_random_number(&rng, text, sizeof text);
        check_number(text);
    }
    check_case_done();
}

static void test_doubles_that_were_printed_are_read_back_exactly(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 9);
    for (uint64_t i = 0; i < 50000; i++) {
        check_case(i);
        const uint64_t bits = sc_rng_next(&rng);
        double wanted = 0.0;
        memcpy(&wanted, &bits, sizeof wanted);
        if (!isfinite(wanted)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", wanted);
        double got = 0.0;
        assert_true(sc_slice_double((sc_slice){text, strlen(text)}, &got));
        CHECK_SAME(got, wanted);
    }
    check_case_done();
}

static void test_a_very_long_number_is_refused_and_not_misread(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *digits = test_take(SIZE + 1, 1);
    memset(digits, '1', SIZE);
    double value = 0.0;
    assert_false(sc_slice_double((sc_slice){digits, SIZE}, &value));
    digits[1] = '.';
    assert_false(sc_slice_double((sc_slice){digits, SIZE}, &value));
    // Up to some hundred digits it is read.
    assert_true(sc_slice_double((sc_slice){digits, 300}, &value));
    CHECK_CLOSE(value, 1.0 + 1.0 / 9, 1e-15);
    free(digits);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines_end_in_lf_or_cr_lf_or_with_the_text),
    cmocka_unit_test(test_a_byte_order_mark_is_passed_over_at_the_beginning_only),
    cmocka_unit_test(test_complaints_name_file_line_and_value),
    cmocka_unit_test(test_fields_are_parted_by_blanks),
    cmocka_unit_test(test_csv_fields_are_parted_by_commas_and_protected_by_quotes),
    cmocka_unit_test(test_csv_quotes_that_are_not_closed_are_broken),
    cmocka_unit_test(test_a_slice_is_a_text_or_not),
    cmocka_unit_test(test_whole_numbers_are_read_up_to_their_limits),
    cmocka_unit_test(test_signed_numbers_are_read_up_to_their_limits),
    cmocka_unit_test(test_numbers_of_every_shape_are_read_as_strtod_does),
    cmocka_unit_test(test_what_is_no_number_is_refused),
    SC_CASES(test_200000_random_numbers_are_read_as_strtod_does),
    SC_CASES(test_doubles_that_were_printed_are_read_back_exactly),
    cmocka_unit_test(test_a_very_long_number_is_refused_and_not_misread),
};
SC_SUITE(tests)
