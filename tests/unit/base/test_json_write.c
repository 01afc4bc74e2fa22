// Writing JSON: strings and numbers read back as what they were, commas stand where they must.
#include "base/json_write.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/rng.h"
#include "support/check.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>

// --- Strings alone -------------------------------------------------------------------------------

// What is written for `text`; release with free().
static char *written(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    sc_json_string(stream, text);
    fclose(stream);
    return out;
}

static void check_written(const char *text, const char *wanted)
{
    char *got = written(text);
    assert_string_equal(got, wanted);
    free(got);
}

static void test_plain_text_is_only_quoted(void **state)
{
    (void)state;
    check_written("", "\"\"");
    check_written("cafe / bar", "\"cafe / bar\"");
    check_written("Stra\xc3\x9f"
                  "e \xf0\x9f\x8c\x9f",
                  "\"Stra\xc3\x9f"
                  "e \xf0\x9f\x8c\x9f\"");
}

static void test_quotes_backslashes_and_control_characters_are_escaped(void **state)
{
    (void)state;
    check_written("a\"b\\c", "\"a\\\"b\\\\c\"");
    check_written("\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\\u007f\"");
    check_written("\xc2\x80\xc2\x9b\xc2\xa0", "\"\\u0080\\u009b\xc2\xa0\"");
}

static void test_every_byte_alone_gives_a_string_of_clean_characters(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 256; byte++) {
        const char text[] = {(char)byte, '\0'};
        char *got = written(text);
        for (const char *at = got; *at; at++) {
            assert_true((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f);
        }
        if (byte >= 0x80) assert_string_equal(got, "\"\\ufffd\"");
        free(got);
    }
}

static void test_broken_utf8_is_replaced_byte_by_byte(void **state)
{
    (void)state;
    check_written("a\xc3(", "\"a\\ufffd(\"");
    check_written("\xe2\x82", "\"\\ufffd\\ufffd\"");
    check_written("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    check_written("\xc0\xaf", "\"\\ufffd\\ufffd\"");
}

static void test_bytes_with_a_size_need_no_end_and_may_hold_a_nul(void **state)
{
    (void)state;
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    // A cut character at the end of what was handed in, whole in what lies behind it.
    sc_json_text(stream, "a\0b\"c\xc3\x9f", 6);
    sc_json_text(stream, "", 0);
    fclose(stream);
    assert_string_equal(out, "\"a\\u0000b\\\"c\\ufffd\"\"\"");
    free(out);
}

// --- The writer ----------------------------------------------------------------------------------

// Ended by NUL, for cmocka.
static const char *text_of(sc_bytes *bytes)
{
    assert_true(sc_bytes_reserve(bytes, 1));
    bytes->data[bytes->size] = '\0';
    return (const char *)bytes->data;
}

static void test_a_string_is_written_as_streams_get_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char text[40];
        const size_t size = sc_rng_below(&rng, sizeof text);
        for (size_t i = 0; i < size; i++) {
            // Half of them bytes of any kind, but no NUL.
            text[i] = (char)(1 + sc_rng_below(&rng, sc_rng_below(&rng, 2) ? 255 : 126));
        }
        text[size] = '\0';

        char *wanted = NULL;
        size_t wanted_size = 0;
        FILE *stream = open_memstream(&wanted, &wanted_size);
        assert_non_null(stream);
        sc_json_string(stream, text);
        fclose(stream);

        sc_bytes got = {0};
        sc_json_writer json = sc_json_writer_of(&got);
        sc_json_put_string(&json, NULL, text);
        assert_false(json.has_failed);
        assert_true(got.size <= SC_JSON_ESCAPED(size));
        assert_string_equal(text_of(&got), wanted);
        sc_bytes_fini(&got);
        free(wanted);
    }
    check_case_done();
}

static void check_fixed(double value, unsigned decimals, const char *wanted)
{
    sc_bytes got = {0};
    sc_json_writer json = sc_json_writer_of(&got);
    sc_json_put_fixed(&json, NULL, value, decimals);
    assert_string_equal(text_of(&got), wanted);
    sc_bytes_fini(&got);
}

static void test_a_fixed_number_has_no_more_digits_than_it_needs(void **state)
{
    (void)state;
    check_fixed(0.0, 3, "0");
    check_fixed(-0.0, 3, "0");
    check_fixed(10.0, 3, "10");
    check_fixed(1.284, 3, "1.284");
    check_fixed(1.2, 3, "1.2");
    check_fixed(0.0004, 3, "0");
    check_fixed(-0.0004, 3, "0");
    check_fixed(0.0006, 3, "0.001");
    check_fixed(0.9999, 3, "1");
    check_fixed(-84.38799, 8, "-84.38799");
    check_fixed(-0.05, 8, "-0.05");
    check_fixed(33.358, 6, "33.358");
    check_fixed(7.0, 0, "7");
    check_fixed(123456789.123456789, 9, "123456789.12345679");
    check_fixed(12.5, 6, "12.5");
    check_fixed(12.345000000000001, 6, "12.345");
    check_fixed(-121.9041670, 7, "-121.904167");
    check_fixed(0.0000001, 7, "0.0000001");
    check_fixed(-0.00000004, 7, "0");
    check_fixed(100.0, 7, "100");
    check_fixed(0.999999999, 3, "1");
    check_fixed(8.000000001, 9, "8.000000001");
    check_fixed(0.00000001, 8, "0.00000001");
    check_fixed(-99999999.0, 0, "-99999999");
    check_fixed(99999999.0625, 8, "99999999.0625");
    check_fixed(100000000.0, 0, "100000000");
    check_fixed(100000000.0625, 6, "100000000.0625");
    check_fixed(99999999.96, 1, "100000000");
    check_fixed(1e15, 6, "1000000000000000");
    check_fixed(-1e15, 6, "-1000000000000000");
    check_fixed(1e300, 3, "1e+300");
    check_fixed(HUGE_VAL, 3, "null");
    check_fixed(NOT_A_NUMBER, 3, "null");
}

static void test_a_fixed_number_is_off_by_half_of_its_last_digit_at_most(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < 20000; i++) {
        const double value = (sc_rng_unit(&rng) - 0.5) * pow(10.0, sc_rng_below(&rng, 6));
        const unsigned decimals = sc_rng_below(&rng, 10);
        sc_bytes got = {0};
        sc_json_writer json = sc_json_writer_of(&got);
        sc_json_put_fixed(&json, NULL, value, decimals);
        const double half = 0.5 * pow(10.0, -(double)decimals);
        CHECK_CLOSE(strtod(text_of(&got), NULL), value, half * (1.0 + 1e-9) + 1e-12);
        sc_bytes_fini(&got);
    }
}

static void test_a_number_reads_back_as_the_same_double(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (int i = 0; i < 5000; i++) {
        uint64_t bits = sc_rng_next(&rng);
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) value = sc_rng_below(&rng, 100000) / 1000.0;
        sc_bytes got = {0};
        sc_json_writer json = sc_json_writer_of(&got);
        sc_json_put_number(&json, NULL, value);
        if (isfinite(value)) {
            CHECK_SAME(strtod(text_of(&got), NULL), value);
        } else {
            assert_string_equal(text_of(&got), "null");
        }
        sc_bytes_fini(&got);
    }
}

static void test_every_grid_position_is_shown_exactly(void **state)
{
    (void)state;
    sc_bytes b = {0};
    for (int64_t grid = -1800000000; grid <= 1800000000; grid += 1234577) {
        const double degrees = (double)grid / 1e7;
        sc_json_writer json = sc_json_writer_of(&b);
        b.size = 0;
        sc_json_put_fixed(&json, NULL, degrees, 7);
        CHECK_SAME(strtod(text_of(&b), NULL), degrees + 0.0);
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
    sc_json_writer json = sc_json_writer_of(&b);
    sc_json_open_array(&json, NULL);
    sc_json_put_number(&json, NULL, 0.1);
    sc_json_put_number(&json, NULL, 1240.9334373536979);
    sc_json_put_number(&json, NULL, 1e-300);
    sc_json_put_fixed(&json, NULL, 2.5, 3);
    sc_json_close_array(&json);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text_of(&b), "[0.1,1240.9334373536979,1e-300,2.5]");
    sc_bytes_fini(&b);
}

static void test_strings_read_back_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "plain", "\"quoted\" \\ back", "\x01\n\t\x1f\x7f",
                                        "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sc_bytes b = {0};
        sc_json_writer json = sc_json_writer_of(&b);
        sc_json_put_string(&json, NULL, texts[i]);
        json_t *read = json_loadb((const char *)b.data, b.size, JSON_DECODE_ANY, NULL);
        assert_non_null(read);
        assert_string_equal(json_string_value(read), texts[i]);
        json_decref(read);
        sc_bytes_fini(&b);
    }
}

// All there is to write, with every bracket empty once and filled once.
static void write_all(sc_json_writer *json)
{
    sc_json_open_object(json, NULL);
    sc_json_put_count(json, "most", UINT64_MAX);
    sc_json_put_signed(json, "least", INT64_MIN);
    sc_json_open_object(json, "empty");
    sc_json_close_object(json);
    sc_json_open_array(json, "list");
    sc_json_open_array(json, NULL);
    sc_json_close_array(json);
    sc_json_open_object(json, NULL);
    sc_json_put_flag(json, "a", true);
    sc_json_put_flag(json, "b", false);
    sc_json_close_object(json);
    sc_json_break_line(json);
    sc_json_put_null(json, NULL);
    sc_json_put_signed(json, NULL, 5);
    sc_json_close_array(json);
    sc_json_break_line(json);
    sc_json_put_string(json, "text", "x\"y");
    sc_json_put_number(json, "number", 0.1);
    sc_json_put_fixed(json, "fixed", 2.0, 3);
    sc_json_put_hex(json, "id", 10);
    sc_json_put_base64(json, "bytes", "\xff\xfe\xfd\0", 4);
    sc_json_close_object(json);
    sc_json_put_text(json, "\n");
}

static const char all[] =
    "{\"most\":18446744073709551615,\"least\":-9223372036854775808,\"empty\":{},"
    "\"list\":[[],{\"a\":true,\"b\":false},\nnull,5],\n\"text\":\"x\\\"y\",\"number\":0.1,"
    "\"fixed\":2,\"id\":\"000000000000000a\",\"bytes\":\"//79AA==\"}\n";

static void test_blanks_follow_commas_and_colons_if_wished(void **state)
{
    (void)state;
    sc_bytes got = {0};
    sc_json_writer json = sc_json_writer_of(&got);
    json.is_spaced = true;
    sc_json_open_object(&json, NULL);
    sc_json_put_count(&json, "a", 1);
    sc_json_open_array(&json, "b");
    sc_json_put_decimals(&json, NULL, 2.5, 4);
    sc_json_put_decimals(&json, NULL, -1e15, 1);
    sc_json_put_decimals(&json, NULL, (double)INFINITY, 1);
    sc_json_put_rounded(&json, NULL, 2.0 / 3, 3);
    sc_json_put_rounded(&json, NULL, 1e20, 10);
    sc_json_put_rounded(&json, NULL, (double)NAN, 10);
    sc_json_close_array(&json);
    sc_json_break_line(&json);
    sc_json_put_flag(&json, "c", true);
    sc_json_close_object(&json);
    assert_string_equal(
        text_of(&got),
        "{\"a\": 1, \"b\": [2.5000, -1000000000000000.0, null, 0.667, 1e+20, null],\n\"c\": true}");
    sc_bytes_fini(&got);
}

static void test_commas_stand_between_values_and_nowhere_else(void **state)
{
    (void)state;
    sc_bytes got = {0};
    sc_json_writer json = sc_json_writer_of(&got);
    write_all(&json);
    assert_false(json.has_failed);
    assert_string_equal(text_of(&got), all);
    sc_bytes_fini(&got);

    json = sc_json_writer_of_secret(&got);
    write_all(&json);
    assert_string_equal(text_of(&got), all);
    sc_bytes_fini(&got);

    char *streamed = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&streamed, &size);
    assert_non_null(stream);
    json = sc_json_writer_of_stream(stream);
    write_all(&json);
    fclose(stream);
    assert_string_equal(streamed, all);
    free(streamed);
}

static void test_without_memory_the_failure_is_remembered(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        sc_bytes got = {0};
        sc_json_writer json = n % 2 ? sc_json_writer_of(&got) : sc_json_writer_of_secret(&got);
        sc_alloc_fail_at(n / 2 + 1);
        write_all(&json);
        const bool has_failed = sc_alloc_has_failed();
        sc_alloc_fail_at(0);
        assert_int_equal(json.has_failed, has_failed);
        sc_bytes_fini(&got);
        if (!has_failed) break;
    }
}

static void test_an_id_has_sixteen_digits_whatever_its_value(void **state)
{
    (void)state;
    sc_bytes got = {0};
    sc_json_writer json = sc_json_writer_of(&got);
    sc_json_put_hex(&json, NULL, 0);
    sc_json_put_hex(&json, NULL, UINT64_C(0x9f86d081884c7d65));
    assert_string_equal(text_of(&got), "\"0000000000000000\",\"9f86d081884c7d65\"");
    sc_bytes_fini(&got);
}

static void test_bytes_are_written_in_base64(void **state)
{
    (void)state;
    // More than are encoded at once, and of every size around that.
    unsigned char bytes[2000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * 37);
    }
    for (size_t size = 0; size < sizeof bytes; size += 1 + size / 7) {
        sc_bytes got = {0};
        sc_json_writer json = sc_json_writer_of(&got);
        sc_json_put_base64(&json, NULL, bytes, size);
        const char *text = text_of(&got);
        unsigned char back[sizeof bytes];
        size_t back_size = 0;
        assert_int_equal(got.size, 2 + (size + 2) / 3 * 4);
        assert_int_equal(sodium_base642bin(back, sizeof back, text + 1, got.size - 2, NULL,
                                           &back_size, NULL, sodium_base64_VARIANT_ORIGINAL),
                         0);
        assert_int_equal(back_size, size);
        assert_memory_equal(back, bytes, size);
        sc_bytes_fini(&got);
    }
}

// Memory takes eight plain bytes at once, streams one: both write the same.
static void test_every_byte_at_every_place_of_a_word_is_written_as_streams_get_it(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 256; byte++) {
        for (size_t place = 0; place < 17; place++) {
            char text[] = "abcdefgh~ ijklmno";
            text[place] = (char)byte;
            char *streamed = written(text);
            char got[SC_JSON_ESCAPED(sizeof text) + 1] = {0};
            got[sc_json_escape(text, sizeof text - 1, got)] = '\0';
            assert_string_equal(got, streamed);
            free(streamed);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_byte_at_every_place_of_a_word_is_written_as_streams_get_it),
    cmocka_unit_test(test_plain_text_is_only_quoted),
    cmocka_unit_test(test_quotes_backslashes_and_control_characters_are_escaped),
    cmocka_unit_test(test_every_byte_alone_gives_a_string_of_clean_characters),
    cmocka_unit_test(test_broken_utf8_is_replaced_byte_by_byte),
    cmocka_unit_test(test_bytes_with_a_size_need_no_end_and_may_hold_a_nul),
    SC_CASES(test_a_string_is_written_as_streams_get_it),
    cmocka_unit_test(test_a_fixed_number_has_no_more_digits_than_it_needs),
    cmocka_unit_test(test_a_fixed_number_is_off_by_half_of_its_last_digit_at_most),
    cmocka_unit_test(test_a_number_reads_back_as_the_same_double),
    cmocka_unit_test(test_every_grid_position_is_shown_exactly),
    cmocka_unit_test(test_numbers_do_not_depend_on_the_locale),
    cmocka_unit_test(test_strings_read_back_as_they_were),
    cmocka_unit_test(test_blanks_follow_commas_and_colons_if_wished),
    cmocka_unit_test(test_commas_stand_between_values_and_nowhere_else),
    cmocka_unit_test(test_without_memory_the_failure_is_remembered),
    cmocka_unit_test(test_an_id_has_sixteen_digits_whatever_its_value),
    cmocka_unit_test(test_bytes_are_written_in_base64),
};
SC_SUITE(tests)
