// Numbers for texts.
#include "base/string_index.h"

#include "support/check.h"

#include <stdio.h>

enum { COUNT = 5000, SIZE = 16 };

/** Texts in one array, as their owner may keep them. */
typedef struct text_list {
    char *texts;
} text_list;

static const char *text_on(const void *owner, uint32_t number)
{
    return ((const text_list *)owner)->texts + (size_t)number * SIZE;
}

static void test_texts_are_found_also_where_their_owner_moved_them(void **state)
{
    (void)state;
    text_list s = {.texts = test_take(COUNT, SIZE)};
    sc_string_index names = {.text_of = text_on, .owner = &s};
    assert_int_equal(sc_string_index_find(&names, "key 0"), UINT32_MAX);
    for (uint32_t i = 0; i < COUNT; i++) {
        char *text = s.texts + (size_t)i * SIZE;
        uint32_t number = UINT32_MAX;
        snprintf(text, SIZE, "key %u", i);
        CHECK_OK(sc_string_index_put(&names, text, i, &number), NULL);
        assert_int_equal(number, i);
    }
    char *elsewhere = test_take(COUNT, SIZE);
    memcpy(elsewhere, s.texts, (size_t)COUNT * SIZE);
    memset(s.texts, 'x', (size_t)COUNT * SIZE);
    free(s.texts);
    s.texts = elsewhere;
    for (uint32_t i = 0; i < COUNT; i++) {
        char text[SIZE];
        snprintf(text, SIZE, "key %u", i);
        assert_int_equal(sc_string_index_find(&names, text), i);
    }
    assert_int_equal(sc_string_index_find(&names, "key 5000"), UINT32_MAX);
    assert_int_equal(sc_string_index_find(&names, ""), UINT32_MAX);
    sc_string_index_fini(&names);
    assert_int_equal(sc_string_index_find(&names, "key 0"), UINT32_MAX);
    sc_string_index_fini(&names);
    free(s.texts);
}

static void test_a_text_that_comes_twice_keeps_its_number(void **state)
{
    (void)state;
    char texts[2][SIZE] = {"a", "b"};
    const text_list s = {.texts = texts[0]};
    sc_string_index names = {.text_of = text_on, .owner = &s};
    uint32_t number = UINT32_MAX;
    CHECK_OK(sc_string_index_put(&names, "a", 0, &number), NULL);
    CHECK_OK(sc_string_index_put(&names, "a", 1, &number), NULL);
    assert_int_equal(number, 0);
    CHECK_OK(sc_string_index_put(&names, "b", 1, &number), NULL);
    assert_int_equal(number, 1);
    assert_int_equal(sc_string_index_find(&names, "a"), 0);
    assert_int_equal(sc_string_index_find(&names, "b"), 1);
    // After its end it begins again.
    sc_string_index_fini(&names);
    CHECK_OK(sc_string_index_put(&names, "b", 1, &number), NULL);
    assert_int_equal(number, 1);
    assert_int_equal(sc_string_index_find(&names, "a"), UINT32_MAX);
    sc_string_index_fini(&names);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_texts_are_found_also_where_their_owner_moved_them),
    cmocka_unit_test(test_a_text_that_comes_twice_keeps_its_number),
};
SC_SUITE(tests)
