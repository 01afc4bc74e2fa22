// The words for categories.
#include "support/check.h"
#include "support/sketch.h"

#include <starcloak/relay.h>

static void test_a_word_is_found_and_an_unknown_one_is_not(void **state)
{
    (void)state;
    const char *const words[] = {"cafe", "", "caf\xc3\xa9"};
    const sc_vocabulary vocabulary = {words, 3};
    assert_int_equal(sc_vocabulary_find(&vocabulary, "cafe"), 0);
    assert_int_equal(sc_vocabulary_find(&vocabulary, ""), 1);
    assert_int_equal(sc_vocabulary_find(&vocabulary, "caf\xc3\xa9"), 2);
    assert_int_equal(sc_vocabulary_find(&vocabulary, "caf"), SC_NONE);
    assert_int_equal(sc_vocabulary_find(&(sc_vocabulary){0}, "cafe"), SC_NONE);
}

static void test_a_map_lends_its_words(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_vocabulary vocabulary = {0};
    CHECK_OK(sc_vocabulary_init_from_map(map, &vocabulary), NULL);
    assert_int_equal(vocabulary.count, sc_map_category_count(map));
    assert_true(vocabulary.count >= 2);
    for (sc_category_id i = 0; i < vocabulary.count; i++) {
        assert_string_equal(vocabulary.names[i], sc_map_category_name(map, i));
        assert_int_equal(sc_vocabulary_find(&vocabulary, vocabulary.names[i]), i);
    }
    sc_vocabulary_fini(&vocabulary);
    assert_int_equal(vocabulary.count, 0);
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_word_is_found_and_an_unknown_one_is_not),
    cmocka_unit_test(test_a_map_lends_its_words),
};
SC_SUITE(tests)
