// A worker's table of words: each has one number, whichever threads meet it.
#include "support/check.h"

#include <pthread.h>

#include "cluster/cluster_codec_internal.h"

#include <stdio.h>

static void test_a_worker_numbers_each_word_once_and_at_most_so_many(void **state)
{
    (void)state;
    struct sc_category_table *words = NULL;
    assert_int_equal(sc_category_table_new(&words), SC_OK);
    char word[16];
    uint32_t number = 0;
    for (uint32_t i = 0; i < 65536; i++) {
        snprintf(word, sizeof word, "w%u", i);
        assert_int_equal(sc__category_table_number(words, word, &number), SC_OK);
        assert_int_equal(number, i);
    }
    assert_int_equal(sc__category_table_number(words, "one more", &number), SC_ELIMIT);
    assert_int_equal(sc__category_table_number(words, "w17", &number), SC_OK);
    assert_int_equal(number, 17);
    assert_string_equal(sc__category_table_at(words, 65535), "w65535");
    assert_null(sc__category_table_at(words, 65536));
    sc_category_table_free(words);
}

enum { THREADS = 4, WORDS = 500 };

typedef struct reader {
    pthread_t thread;
    struct sc_category_table *words;
    uint32_t numbers[WORDS];
    bool is_fine;
} reader;

static void *meet_words(void *context)
{
    reader *r = context;
    r->is_fine = true;
    for (uint32_t i = 0; i < WORDS; i++) {
        char word[16];
        snprintf(word, sizeof word, "w%u", i);
        r->is_fine &= !sc__category_table_number(r->words, word, &r->numbers[i]);
        const char *text = sc__category_table_at(r->words, r->numbers[i]);
        r->is_fine &= text && strcmp(text, word) == 0;
    }
    return NULL;
}

static void test_threads_that_meet_the_same_words_agree_on_their_numbers(void **state)
{
    (void)state;
    struct sc_category_table *words = NULL;
    assert_int_equal(sc_category_table_new(&words), SC_OK);
    reader *readers = test_take(THREADS, sizeof *readers);
    for (int i = 0; i < THREADS; i++) {
        readers[i].words = words;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, meet_words, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_true(readers[i].is_fine);
        assert_memory_equal(readers[i].numbers, readers[0].numbers, sizeof readers[0].numbers);
    }
    assert_null(sc__category_table_at(words, WORDS));
    free(readers);
    sc_category_table_free(words);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_worker_numbers_each_word_once_and_at_most_so_many),
    cmocka_unit_test(test_threads_that_meet_the_same_words_agree_on_their_numbers),
};
SC_SUITE(tests)
