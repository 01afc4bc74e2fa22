// The pool: held against a plain list of what is out. Nothing moves, nothing is
// lent twice, and what is written into a thing stays there.
#include "support/check.h"
#include "support/oom.h"

#include "base/item_pool.h"
#include "base/rng.h"

// More than three chunks of things.
enum { MOST = 3 * SC_ITEM_POOL_CHUNK + 100, STEPS = 8000 };

/** What a thing should hold: its last writer's number in every byte. */
typedef struct expectation {
    uint32_t item;
    uint8_t byte;
} expectation;

/** A pool, and what should be in it. */
typedef struct model {
    sc_item_pool pool;
    sc_rng rng;
    expectation out[MOST];
    uint32_t count;
    uint32_t peak;
    void *place[MOST];  ///< where each item was first seen
} model;

static void check_content(const model *m, const expectation *wanted)
{
    const uint8_t *bytes = sc_item_pool_at(&m->pool, wanted->item);
    assert_ptr_equal(bytes, m->place[wanted->item]);
    for (size_t i = 0; i < m->pool.item_size; i++) {
        if (bytes[i] != wanted->byte) assert_int_equal(bytes[i], wanted->byte);
    }
}

static void check_all(const model *m)
{
    assert_int_equal(m->pool.count, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        check_content(m, &m->out[i]);
    }
    // Never more than one chunk to spare.
    assert_true(m->pool.chunk_count * SC_ITEM_POOL_CHUNK < (size_t)m->peak + SC_ITEM_POOL_CHUNK);
}

static void take(model *m)
{
    CHECK_OK(sc_item_pool_reserve(&m->pool), NULL);
    const uint32_t item = sc_item_pool_take(&m->pool);
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->out[i].item == item) fail_msg("item %u was lent twice", item);
    }
    // Numbers are small: none is made while one is to spare.
    assert_true(item <= m->peak);
    if (!m->place[item]) m->place[item] = sc_item_pool_at(&m->pool, item);
    m->out[m->count] = (expectation){item, (uint8_t)sc_rng_next(&m->rng)};
    memset(sc_item_pool_at(&m->pool, item), m->out[m->count].byte, m->pool.item_size);
    m->count++;
    if (m->count > m->peak) m->peak = m->count;
}

static void give(model *m)
{
    const uint32_t at = sc_rng_below(&m->rng, m->count);
    check_content(m, &m->out[at]);
    sc_item_pool_give(&m->pool, m->out[at].item);
    m->out[at] = m->out[--m->count];
}

static void test_a_pool_lends_what_a_plain_list_would(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 5, 24, 200};
    for (uint64_t seed = 0; seed < sizeof sizes / sizeof *sizes; seed++) {
        check_case(seed);
        model *m = test_take(1, sizeof *m);
        sc_item_pool_init(&m->pool, sizes[seed]);
        sc_rng_seed(&m->rng, seed);
        // Rises, then falls, then rises again.
        for (uint32_t step = 0; step < STEPS; step++) {
            const bool is_rising = step < STEPS / 2 || step > STEPS * 3 / 4;
            const bool is_taking = sc_rng_below(&m->rng, 10) < (is_rising ? 8u : 2u);
            if (is_taking && m->count < MOST) {
                take(m);
            } else if (m->count > 0) {
                give(m);
            }
            if (step % 100 == 0) check_all(m);
        }
        check_all(m);
        assert_int_equal(m->peak, MOST);
        sc_item_pool_fini(&m->pool);
        free(m);
    }
    check_case_done();
}

static void test_what_was_given_back_last_is_taken_first(void **state)
{
    (void)state;
    sc_item_pool pool;
    sc_item_pool_init(&pool, sizeof(uint64_t));
    for (uint32_t i = 0; i < SC_ITEM_POOL_CHUNK; i++) {
        CHECK_OK(sc_item_pool_reserve(&pool), NULL);
        assert_int_equal(sc_item_pool_take(&pool), i);
    }
    sc_item_pool_give(&pool, 1);
    sc_item_pool_give(&pool, 4);
    sc_item_pool_give(&pool, 0);
    assert_int_equal(pool.count, SC_ITEM_POOL_CHUNK - 3);
    // The chunk is used up, but for these no memory is needed.
    static const uint32_t wanted[] = {0, 4, 1};
    for (size_t i = 0; i < 3; i++) {
        sc_alloc_fail_at(1);
        CHECK_OK(sc_item_pool_reserve(&pool), NULL);
        assert_false(oom_happened());
        assert_int_equal(sc_item_pool_take(&pool), wanted[i]);
    }
    CHECK_OK(sc_item_pool_reserve(&pool), NULL);
    assert_int_equal(sc_item_pool_take(&pool), SC_ITEM_POOL_CHUNK);
    assert_int_equal(pool.count, SC_ITEM_POOL_CHUNK + 1);
    sc_item_pool_fini(&pool);
}

static void test_to_reserve_twice_is_to_reserve_once(void **state)
{
    (void)state;
    sc_item_pool pool;
    sc_item_pool_init(&pool, 8);
    for (uint32_t i = 0; i < 2 * SC_ITEM_POOL_CHUNK; i++) {
        CHECK_OK(sc_item_pool_reserve(&pool), NULL);
        CHECK_OK(sc_item_pool_reserve(&pool), NULL);
        assert_int_equal(pool.chunk_count, i / SC_ITEM_POOL_CHUNK + 1);
        assert_int_equal(sc_item_pool_take(&pool), i);
    }
    sc_item_pool_fini(&pool);
}

/** Take one and write `value` into it. */
static sc_err take_and_write(sc_item_pool *pool, uint32_t value)
{
    const sc_err err = sc_item_pool_reserve(pool);
    if (err) return err;
    memcpy(sc_item_pool_at(pool, sc_item_pool_take(pool)), &value, sizeof value);
    return SC_OK;
}

static void test_a_pool_without_memory_is_as_it_was(void **state)
{
    (void)state;
    // Many chunks, so that the list of chunks grows too.
    enum { MANY = 20 * SC_ITEM_POOL_CHUNK };
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_item_pool pool;
        sc_item_pool_init(&pool, sizeof(uint32_t));
        sc_err err = SC_OK;
        uint32_t taken = 0;
        while (taken < MANY && !(err = take_and_write(&pool, taken))) {
            taken++;
        }
        const bool has_failed = oom_happened();
        assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
        assert_int_equal(pool.count, taken);
        // With memory it goes on where it was.
        CHECK_OK(take_and_write(&pool, taken), NULL);
        for (uint32_t i = 0; i <= taken; i++) {
            assert_memory_equal(sc_item_pool_at(&pool, i), &i, sizeof i);
        }
        sc_item_pool_fini(&pool);
        if (!has_failed) break;
        failures++;
    }
    assert_true(failures > 20);
}

// There is not enough memory to try; so the pool is told that it has made them all.
static void test_a_pool_never_lends_the_number_of_no_thing(void **state)
{
    (void)state;
    sc_item_pool pool;
    sc_item_pool_init(&pool, 4);
    pool.chunk_count = UINT32_MAX / SC_ITEM_POOL_CHUNK;
    pool.made = (uint32_t)(pool.chunk_count * SC_ITEM_POOL_CHUNK);
    assert_true(pool.made > SC_ITEM_POOL_NONE - SC_ITEM_POOL_CHUNK);
    assert_int_equal(sc_item_pool_reserve(&pool), SC_ENOMEM);
    assert_null(pool.chunks);
}

static void test_a_released_pool_can_be_used_again(void **state)
{
    (void)state;
    sc_item_pool pool;
    sc_item_pool_init(&pool, 16);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 700; i++) {
            CHECK_OK(sc_item_pool_reserve(&pool), NULL);
            assert_int_equal(sc_item_pool_take(&pool), i);
            memset(sc_item_pool_at(&pool, i), 0xff, 16);
        }
        sc_item_pool_give(&pool, 5);
        sc_item_pool_fini(&pool);
        sc_item_pool_fini(&pool);
        assert_int_equal(pool.count, 0);
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_pool_lends_what_a_plain_list_would),
    cmocka_unit_test(test_what_was_given_back_last_is_taken_first),
    cmocka_unit_test(test_to_reserve_twice_is_to_reserve_once),
    cmocka_unit_test(test_a_pool_without_memory_is_as_it_was),
    cmocka_unit_test(test_a_pool_never_lends_the_number_of_no_thing),
    cmocka_unit_test(test_a_released_pool_can_be_used_again),
};
SC_SUITE(tests)
