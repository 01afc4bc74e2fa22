// The cache of tiles: what is found, what goes first, and that it keeps to its bytes.
#include "areas/tile_cache.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "support/check.h"

static const size_t BYTES = 100;

static sc__tile_rows *make_rows(uint32_t x, sc_category_id category, size_t bytes)
{
    sc__tile_rows *rows = sc_calloc(1, sizeof *rows);
    assert_non_null(rows);
    atomic_init(&rows->holders, 1);
    rows->tile = (sc__tile){5, x, 0};
    rows->category = category;
    rows->bytes = bytes;
    return rows;
}

static bool put(sc__tile_cache *cache, uint32_t x, sc_category_id category, size_t bytes)
{
    sc__tile_rows *rows = make_rows(x, category, bytes);
    const bool is_kept = sc__tile_cache_put(cache, rows);
    sc__tile_rows_release(rows);
    return is_kept;
}

static bool has(sc__tile_cache *cache, uint32_t x, sc_category_id category)
{
    return sc__tile_cache_find(cache, (sc__tile){5, x, 0}, category) != NULL;
}

static void test_what_was_not_used_for_the_longest_time_goes_first(void **state)
{
    (void)state;
    sc__tile_cache cache = {.max_bytes = 3 * BYTES};
    for (uint32_t x = 0; x < 3; x++) {
        assert_true(put(&cache, x, SC_NONE, BYTES));
    }
    assert_true(has(&cache, 0, SC_NONE));
    assert_true(put(&cache, 3, SC_NONE, BYTES));
    assert_false(has(&cache, 1, SC_NONE));
    assert_true(has(&cache, 0, SC_NONE) && has(&cache, 2, SC_NONE) && has(&cache, 3, SC_NONE));
    // Two for one that is as large as both: the order of use is now 0, 2, 3.
    assert_true(put(&cache, 4, SC_NONE, 2 * BYTES));
    assert_int_equal(cache.evictions, 3);
    assert_true(has(&cache, 3, SC_NONE) && has(&cache, 4, SC_NONE));
    assert_int_equal(cache.bytes, 3 * BYTES);
    sc__tile_cache_fini(&cache);
}

static void test_a_category_of_a_tile_is_kept_by_itself_and_replaced(void **state)
{
    (void)state;
    sc__tile_cache cache = {.max_bytes = 10 * BYTES};
    assert_true(put(&cache, 7, 1, BYTES));
    assert_true(put(&cache, 7, 2, BYTES));
    assert_false(has(&cache, 7, SC_NONE));
    assert_true(put(&cache, 7, 1, 3 * BYTES));
    assert_int_equal(cache.count, 2);
    assert_int_equal(cache.bytes, 4 * BYTES);
    assert_int_equal(cache.evictions, 0);
    sc__tile_cache_fini(&cache);
}

static void test_a_tile_larger_than_the_cache_is_not_kept(void **state)
{
    (void)state;
    sc__tile_cache cache = {.max_bytes = BYTES};
    assert_true(put(&cache, 0, SC_NONE, BYTES));
    assert_false(put(&cache, 1, SC_NONE, BYTES + 1));
    assert_true(has(&cache, 0, SC_NONE));
    // Nor is what it would have replaced.
    assert_false(put(&cache, 0, SC_NONE, BYTES + 1));
    assert_int_equal(cache.count, 0);
    assert_null(cache.newest);
    assert_null(cache.oldest);
    sc__tile_cache_fini(&cache);
}

// A plain list, oldest first, that is searched from its beginning.
static void test_it_does_as_a_plain_list_does(void **state)
{
    (void)state;
    enum { TILES = 40, ROOM = 11 };
    uint32_t order[ROOM + 1] = {0};
    size_t count = 0;
    sc_rng rng;
    sc_rng_seed(&rng, 11);
    sc__tile_cache cache = {.max_bytes = ROOM * BYTES};
    for (int turn = 0; turn < 5000; turn++) {
        const uint32_t x = sc_rng_below(&rng, TILES);
        size_t at = 0;
        while (at < count && order[at] != x) {
            at++;
        }
        const bool is_there = at < count;
        assert_int_equal(has(&cache, x, SC_NONE), is_there);
        if (is_there) memmove(&order[at], &order[at + 1], (--count - at) * sizeof *order);
        if (!is_there) assert_true(put(&cache, x, SC_NONE, BYTES));
        order[count++] = x;
        if (count > ROOM) memmove(&order[0], &order[1], --count * sizeof *order);
        assert_int_equal(cache.count, count);
        assert_int_equal(cache.oldest->tile.x, order[0]);
    }
    sc__tile_cache_fini(&cache);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_not_used_for_the_longest_time_goes_first),
    cmocka_unit_test(test_a_category_of_a_tile_is_kept_by_itself_and_replaced),
    cmocka_unit_test(test_a_tile_larger_than_the_cache_is_not_kept),
    cmocka_unit_test(test_it_does_as_a_plain_list_does),
};
SC_SUITE(tests)
