// Names and categories of OpenStreetMap objects, each kept once.
#include "import/osm_internal.h"
#include "support/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t put(sc__osm_texts *texts, const char *text, size_t size)
{
    uint32_t number = SC_NONE;
    assert_int_equal(sc__osm_texts_put(texts, (sc_slice){text, size}, &number), SC_OK);
    return number;
}

static void test_texts_are_numbered_as_they_come_and_kept_once(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    sc__osm_texts texts = {0};
    char text[32];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            const int size = snprintf(text, sizeof text, "name %u", i);
            assert_int_equal(put(&texts, text, (size_t)size), i);
        }
    }
    assert_int_equal(texts.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text, sizeof text, "name %u", i);
        const sc_slice kept = sc__osm_texts_at(&texts, i);
        assert_int_equal(kept.size, size);
        assert_memory_equal(kept.text, text, kept.size);
    }
    sc__osm_texts_fini(&texts);
}

static void test_the_empty_text_is_one_of_them(void **state)
{
    (void)state;
    sc__osm_texts texts = {0};
    assert_int_equal(put(&texts, "", 0), 0);
    assert_int_equal(put(&texts, "a", 1), 1);
    assert_int_equal(put(&texts, "", 0), 0);
    assert_int_equal(sc__osm_texts_at(&texts, 0).size, 0);
    sc__osm_texts_fini(&texts);
}

static void test_what_could_steer_a_terminal_becomes_blank(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *kept;
    } cases[] = {
        {"a\x1b[2Jb", "a [2Jb"},
        {"a\x7f\nb", "a  b"},
        {"a\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "a   \xc2\xa0"},
        {"\xc2\xa9 \xc3\x9b", "\xc2\xa9 \xc3\x9b"},
        {"a\x9b\xc2", "a\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc__osm_texts texts = {0};
        put(&texts, cases[i].text, strlen(cases[i].text));
        const sc_slice kept = sc__osm_texts_at(&texts, 0);
        assert_int_equal(kept.size, strlen(cases[i].kept));
        assert_memory_equal(kept.text, cases[i].kept, kept.size);
        sc__osm_texts_fini(&texts);
    }
}

static void test_long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const char car[] = {'\xf0', '\x9f', '\x9a', '\x97'};
    char text[sizeof car * 300];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = car[i % sizeof car];
    }
    sc__osm_texts texts = {0};
    put(&texts, text, sizeof text);
    const sc_slice kept = sc__osm_texts_at(&texts, 0);
    assert_int_equal(kept.size, sizeof car * 255);
    assert_memory_equal(kept.text, text, kept.size);
    sc__osm_texts_fini(&texts);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_texts_are_numbered_as_they_come_and_kept_once),
    cmocka_unit_test(test_the_empty_text_is_one_of_them),
    cmocka_unit_test(test_what_could_steer_a_terminal_becomes_blank),
    cmocka_unit_test(test_long_texts_are_cut_between_characters),
};
SC_SUITE(tests)
