// Memory for balls: cells that do not overlap, each beginning a line, taken again once given back.
#include "engine/ball_store.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"

/** A piece that is out, full of its number. */
typedef struct piece {
    uint8_t *memory;
    size_t size;
    uint8_t number;
} piece;

static void give(sc__ball_store *store, piece *p)
{
    for (size_t i = 0; i < p->size; i++) {
        assert_int_equal(p->memory[i], p->number);
    }
    sc__ball_store_give(store, p->memory, p->size);
    *p = (piece){.size = 0};
}

static void test_pieces_keep_what_is_written_whatever_comes_and_goes(void **state)
{
    (void)state;
    enum { PIECES = 300, ROUNDS = 20000, LARGEST = 3000 };
    static piece pieces[PIECES];
    sc__ball_store store = {.rest = NULL};
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        piece *p = &pieces[sc_rng_below(&rng, PIECES)];
        if (p->memory) {
            give(&store, p);
            continue;
        }
        p->size = sc_rng_below(&rng, LARGEST);
        p->number = (uint8_t)round;
        p->memory = sc__ball_store_take(&store, p->size);
        assert_non_null(p->memory);
        memset(p->memory, p->number, p->size);
        if (p->size <= (size_t)SC__BALL_CELLS * SC__BALL_LINE) {
            assert_int_equal((uintptr_t)p->memory % SC__BALL_LINE, 0);
        }
    }
    for (size_t i = 0; i < PIECES; i++) {
        if (pieces[i].memory) give(&store, &pieces[i]);
    }
    assert_int_equal(store.large_count, 0);
    sc__ball_store_fini(&store);
    sc__ball_store_fini(&store);
}

static void test_what_is_given_back_is_taken_again(void **state)
{
    (void)state;
    sc__ball_store store = {.rest = NULL};
    void *first = sc__ball_store_take(&store, 190);
    sc__ball_store_give(&store, first, 190);
    assert_ptr_not_equal(sc__ball_store_take(&store, 100), first);
    assert_ptr_equal(sc__ball_store_take(&store, 150), first);  // as many lines
    for (uint32_t i = 0; i < 100000; i++) {
        void *memory = sc__ball_store_take(&store, 64 + i % 900);
        assert_non_null(memory);
        sc__ball_store_give(&store, memory, 64 + i % 900);
    }
    assert_in_range(store.slab_count, 1, 2);
    sc__ball_store_give(&store, NULL, 7);
    sc__ball_store_fini(&store);
}

/** Returns whether an allocation failed. */
static bool store_without_memory(unsigned long n)
{
    enum { PIECES = 40 };
    void *pieces[PIECES];
    sc__ball_store store = {.rest = NULL};
    sc_alloc_fail_at(n);
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = sc__ball_store_take(&store, 100 * i);
    }
    for (size_t i = 0; i < PIECES; i++) {
        sc__ball_store_give(&store, pieces[i], 100 * i);
    }
    const bool has_failed = oom_happened();
    assert_int_equal(store.large_count, 0);
    sc__ball_store_fini(&store);
    return has_failed;
}

static void test_a_store_without_memory_loses_nothing(void **state)
{
    (void)state;
    unsigned long n = 1;
    while (store_without_memory(n)) {
        n++;
    }
    // Two slabs and their list, 29 large pieces, ten stacks.
    assert_in_range(n, 30, 60);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pieces_keep_what_is_written_whatever_comes_and_goes),
    cmocka_unit_test(test_what_is_given_back_is_taken_again),
    cmocka_unit_test(test_a_store_without_memory_loses_nothing),
};
SC_SUITE(tests)
