// Writing JSON into memory: strings and numbers read back as what they were.
#include "api/json_write.h"

#include "base/json.h"
#include "base/rng.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>

// Ended by NUL, for cmocka.
static const char *text_of(sc_bytes *bytes)
{
    assert_true(sc_json_reserve(bytes, 1));
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
        assert_true(sc_json_append_string(&got, text));
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
    assert_true(sc_json_append_fixed(&got, value, decimals));
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
        assert_true(sc_json_append_fixed(&got, value, decimals));
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
        assert_true(sc_json_append_number(&got, value));
        if (isfinite(value)) {
            CHECK_SAME(strtod(text_of(&got), NULL), value);
        } else {
            assert_string_equal(text_of(&got), "null");
        }
        sc_bytes_fini(&got);
    }
}

static void test_pieces_follow_each_other(void **state)
{
    (void)state;
    sc_bytes got = {0};
    assert_true(sc_json_append_text(&got, "{\"a\":"));
    assert_true(sc_json_append_whole(&got, UINT64_MAX));
    assert_true(sc_json_append_text(&got, ",\"b\":"));
    assert_true(sc_json_append_whole(&got, 0));
    assert_true(sc_json_append_text(&got, ",\"c\":"));
    assert_true(sc_json_append_number(&got, 0.1));
    assert_true(sc_json_append_text(&got, "}"));
    assert_string_equal(text_of(&got), "{\"a\":18446744073709551615,\"b\":0,\"c\":0.1}");
    sc_bytes_fini(&got);
}

static void test_room_that_was_reserved_is_not_asked_for_again(void **state)
{
    (void)state;
    sc_bytes got = {0};
    assert_true(sc_json_reserve(&got, 1000));
    const uint8_t *data = got.data;
    for (int i = 0; i < 100; i++) {
        assert_true(sc_json_append_text(&got, "0123456789"));
    }
    assert_ptr_equal(got.data, data);
    assert_int_equal(got.size, 1000);
    assert_false(sc_json_reserve(&got, SIZE_MAX - 10));
    sc_bytes_fini(&got);
}

static void test_an_id_has_sixteen_digits_whatever_its_value(void **state)
{
    (void)state;
    sc_bytes got = {0};
    assert_true(sc_json_append_hex(&got, 0));
    assert_true(sc_json_append_hex(&got, UINT64_C(0x9f86d081884c7d65)));
    static const char want[] = "\"0000000000000000\"\"9f86d081884c7d65\"";
    assert_int_equal(got.size, sizeof want - 1);
    assert_memory_equal(got.data, want, sizeof want - 1);
    sc_bytes_fini(&got);
}

static void test_bytes_are_written_in_base64(void **state)
{
    (void)state;
    sc_bytes got = {0};
    assert_true(sc_json_append_base64(&got, "", 0));
    assert_true(sc_json_append_base64(&got, "\xff\xfe\xfd\0", 4));
    static const char want[] = "\"\"\"//79AA==\"";
    assert_int_equal(got.size, sizeof want - 1);
    assert_memory_equal(got.data, want, sizeof want - 1);
    sc_bytes_fini(&got);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_string_is_written_as_streams_get_it),
    cmocka_unit_test(test_a_fixed_number_has_no_more_digits_than_it_needs),
    cmocka_unit_test(test_a_fixed_number_is_off_by_half_of_its_last_digit_at_most),
    cmocka_unit_test(test_a_number_reads_back_as_the_same_double),
    cmocka_unit_test(test_pieces_follow_each_other),
    cmocka_unit_test(test_room_that_was_reserved_is_not_asked_for_again),
    cmocka_unit_test(test_an_id_has_sixteen_digits_whatever_its_value),
    cmocka_unit_test(test_bytes_are_written_in_base64),
};
SC_SUITE(tests)
