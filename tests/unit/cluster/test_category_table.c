// A worker's table of categories: each has one number, whichever threads meet it.
#include "support/check.h"

#include <pthread.h>

#include "cluster/cluster_codec_internal.h"

#include <stdio.h>

static void test_a_worker_numbers_each_word_once_and_at_most_so_many(void **state)
{
    (void)state;
    struct sc_category_table *table = NULL;
    assert_int_equal(sc_category_table_new(&table), SC_OK);
    char name[16];
    uint32_t number = 0;
    for (uint32_t i = 0; i < 65536; i++) {
        snprintf(name, sizeof name, "w%u", i);
        assert_int_equal(sc__category_table_number(table, name, &number), SC_OK);
        assert_int_equal(number, i);
    }
    assert_int_equal(sc__category_table_number(table, "one more", &number), SC_ELIMIT);
    assert_int_equal(sc__category_table_number(table, "w17", &number), SC_OK);
    assert_int_equal(number, 17);
    assert_string_equal(sc__category_table_at(table, 65535), "w65535");
    assert_null(sc__category_table_at(table, 65536));
    sc_category_table_free(table);
}

enum { THREADS = 4, NAMES = 500 };

typedef struct reader {
    pthread_t thread;
    struct sc_category_table *table;
    uint32_t numbers[NAMES];
    bool is_fine;
} reader;

static void *meet_names(void *context)
{
    reader *r = context;
    r->is_fine = true;
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%u", i);
        r->is_fine &= !sc__category_table_number(r->table, name, &r->numbers[i]);
        const char *text = sc__category_table_at(r->table, r->numbers[i]);
        r->is_fine &= text && strcmp(text, name) == 0;
    }
    return NULL;
}

static void test_threads_that_meet_the_same_words_agree_on_their_numbers(void **state)
{
    (void)state;
    struct sc_category_table *table = NULL;
    assert_int_equal(sc_category_table_new(&table), SC_OK);
    reader *readers = test_take(THREADS, sizeof *readers);
    for (int i = 0; i < THREADS; i++) {
        readers[i].table = table;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, meet_names, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_true(readers[i].is_fine);
        assert_memory_equal(readers[i].numbers, readers[0].numbers, sizeof readers[0].numbers);
    }
    assert_null(sc__category_table_at(table, NAMES));
    free(readers);
    sc_category_table_free(table);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_worker_numbers_each_word_once_and_at_most_so_many),
    cmocka_unit_test(test_threads_that_meet_the_same_words_agree_on_their_numbers),
};
SC_SUITE(tests)
