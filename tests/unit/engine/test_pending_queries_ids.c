// The query map: held against a plain list, with ids that all want the same place,
// at the end of the table too, where rows of them go round to its beginning.
#include "support/check.h"
#include "support/oom.h"

#include "base/rng.h"
#include "engine/engine_internal.h"
#include "engine/pending_queries.h"

enum { MOST = 400, STEPS = 4000, LEAST_CAPACITY = 64 };

/** A table, the queries it is about, and the plain list: their slots. */
typedef struct model {
    sc__ids ids;
    sc_item_pool pending;
    sc_rng rng;
    uint32_t slots[MOST];
    size_t count;
} model;

static model *model_new(uint64_t seed)
{
    model *m = test_take(1, sizeof *m);
    sc_item_pool_init(&m->pending, sizeof(sc__pending));
    sc_rng_seed(&m->rng, seed);
    return m;
}

static void model_free(model *m)
{
    sc__ids_fini(&m->ids);
    sc__ids_fini(&m->ids);  // harmless
    sc_item_pool_fini(&m->pending);
    free(m);
}

static sc_query_id *id_at(const model *m, uint32_t slot)
{
    sc__pending *query = sc_item_pool_at(&m->pending, slot);
    return &query->query.id;
}

/** Where an id is in the plain list; its length if it is not. */
static size_t look_up(const model *m, const sc_query_id *id)
{
    size_t at = 0;
    while (at < m->count && memcmp(id_at(m, m->slots[at]), id, sizeof *id) != 0) {
        at++;
    }
    return at;
}

static void put(model *m, const sc_query_id *id)
{
    CHECK_OK(sc_item_pool_reserve(&m->pending), NULL);
    CHECK_OK(sc__ids_reserve(&m->ids), NULL);
    const uint32_t slot = sc_item_pool_take(&m->pending);
    *(sc__pending *)sc_item_pool_at(&m->pending, slot) = (sc__pending){.query.id = *id};
    sc__ids_put(&m->ids, &m->pending, slot);
    m->slots[m->count++] = slot;
}

static void pull(model *m, size_t which)
{
    sc__ids_remove(&m->ids, &m->pending, m->slots[which]);
    sc_item_pool_give(&m->pending, m->slots[which]);
    m->slots[which] = m->slots[--m->count];
}

/** Everything that was put in is found, and nothing else is in the table. */
static void check_table(const model *m)
{
    assert_int_equal(m->ids.count, m->count);
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t found = sc__ids_find(&m->ids, &m->pending, id_at(m, m->slots[i]));
        if (found != m->slots[i]) assert_int_equal(found, m->slots[i]);
    }
    size_t taken = 0;
    for (size_t i = 0; i < m->ids.capacity; i++) {
        taken += m->ids.slots[i].slot != SC_NONE;
    }
    assert_int_equal(taken, m->count);
    // There is always an empty place, or a probe would never end.
    if (m->count > 0) assert_true(m->ids.capacity > m->count);
}

// --- Ids that collide ---------------------------------------------------------

static sc_query_id numbered_id(uint64_t number)
{
    sc_query_id id = {{0}};
    memcpy(id.bytes, &number, sizeof number);
    return id;
}

/** The place an id gets in the smallest table while it is alone there. */
static size_t home_of(const sc_query_id *id)
{
    model *m = model_new(0);
    put(m, id);
    assert_int_equal(m->ids.capacity, LEAST_CAPACITY);
    size_t at = 0;
    while (m->ids.slots[at].slot == SC_NONE) {
        at++;
    }
    model_free(m);
    return at;
}

/** Fill `out` with ids whose homes are in `count` places from `first` on, round the end. */
static void find_crowd(size_t first, size_t count, sc_query_id *out, size_t out_count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < out_count; number++) {
        const sc_query_id id = numbered_id(number);
        if ((home_of(&id) + LEAST_CAPACITY - first) % LEAST_CAPACITY < count) out[i++] = id;
    }
}

// --- Tests ----------------------------------------------------------------------

/** Put, find and remove ids at random: those of a crowd, or any. */
static void play(model *m, uint32_t steps, size_t most, const sc_query_id *crowd,
                 uint32_t crowd_count)
{
    for (uint32_t step = 0; step < steps; step++) {
        const sc_query_id id = crowd ? crowd[sc_rng_below(&m->rng, crowd_count)]
                                     : numbered_id(sc_rng_below(&m->rng, 3 * MOST));
        const size_t at = look_up(m, &id);
        const uint32_t wanted = at < m->count ? m->slots[at] : SC_NONE;
        sc__ids_prefetch(&m->ids, &id);
        assert_int_equal(sc__ids_find(&m->ids, &m->pending, &id), wanted);
        if (wanted != SC_NONE) {
            pull(m, at);
        } else if (m->count < most) {
            put(m, &id);
        }
        check_table(m);
    }
}

static void test_it_has_what_a_plain_list_has(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        check_case(seed);
        model *m = model_new(seed);
        play(m, STEPS, MOST, NULL, 0);
        assert_true(m->ids.capacity > LEAST_CAPACITY);
        while (m->count > 0) {
            pull(m, sc_rng_below(&m->rng, (uint32_t)m->count));
            check_table(m);
        }
        model_free(m);
    }
    check_case_done();
}

// Twenty-four ids for two or six places, in the middle of the table, across its end, and at
// its beginning; the table stays small, so that they stay in each other's way.
static void test_ids_that_want_the_same_places_find_others_and_make_room_again(void **state)
{
    (void)state;
    enum { CROWD = 24, MOST_OF_THEM = 20 };
    static const size_t firsts[] = {20, 62, 63, 0, 60};
    static const size_t counts[] = {2, 2, 1, 2, 6};
    for (uint64_t seed = 0; seed < 5; seed++) {
        check_case(seed);
        sc_query_id crowd[CROWD];
        find_crowd(firsts[seed], counts[seed], crowd, CROWD);
        model *m = model_new(seed);
        play(m, STEPS, MOST_OF_THEM, crowd, CROWD);
        assert_int_equal(m->ids.capacity, LEAST_CAPACITY);
        model_free(m);
    }
    check_case_done();
}

// Three of one home and one of the next, in all orders of coming, and each of them the first to
// go: what moves into the gap must still be found, and what is at home must stay there.
static void test_a_gap_is_closed_at_the_end_of_the_table(void **state)
{
    (void)state;
    enum { ROW = 4 };
    for (size_t home = LEAST_CAPACITY - ROW; home < LEAST_CAPACITY + 1; home++) {
        sc_query_id row[ROW];
        find_crowd(home % LEAST_CAPACITY, 1, row, ROW - 1);
        find_crowd((home + 1) % LEAST_CAPACITY, 1, &row[ROW - 1], 1);
        for (size_t last = 0; last < ROW; last++) {      // when the one of the next home comes
            for (size_t gone = 0; gone < ROW; gone++) {  // who goes
                model *m = model_new(0);
                for (size_t i = 0, others = 0; i < ROW; i++) {
                    put(m, i == last ? &row[ROW - 1] : &row[others++]);
                }
                check_table(m);
                pull(m, gone);
                check_table(m);
                model_free(m);
            }
        }
    }
}

// The table looks at the hash first; ids that agree in it differ in their bytes, be it the
// first eight or the last. That they do agree is checked, should the mixing ever change.
static void test_ids_with_the_same_hash_are_different_ids(void **state)
{
    (void)state;
    enum { SAME = 3 };
    static const uint64_t halves[SAME][2] = {
        {42, 0},
        {42 ^ (UINT64_C(0xabcdef) << 17), 0xabcdef},
        {42, UINT64_C(1) << 47 | 2},
    };
    sc_query_id same[SAME];
    memcpy(same, halves, sizeof same);
    const size_t home = home_of(&same[0]);
    model *m = model_new(0);
    for (size_t first = 0; first < SAME; first++) {
        for (size_t i = 0; i < SAME; i++) {
            const sc_query_id *id = &same[(first + i) % SAME];
            assert_int_equal(sc__ids_find(&m->ids, &m->pending, id), SC_NONE);
            put(m, id);
            assert_int_equal(m->ids.slots[home + i].hash, m->ids.slots[home].hash);
            check_table(m);
        }
        while (m->count > 0) {
            const sc_query_id gone = *id_at(m, m->slots[0]);
            pull(m, 0);
            assert_int_equal(sc__ids_find(&m->ids, &m->pending, &gone), SC_NONE);
            check_table(m);
        }
    }
    model_free(m);
}

static void test_an_empty_table_has_nothing(void **state)
{
    (void)state;
    model *m = model_new(0);
    const sc_query_id id = numbered_id(0);
    sc__ids_prefetch(&m->ids, &id);
    assert_int_equal(sc__ids_find(&m->ids, &m->pending, &id), SC_NONE);
    CHECK_OK(sc__ids_reserve(&m->ids), NULL);
    assert_int_equal(sc__ids_find(&m->ids, &m->pending, &id), SC_NONE);
    model_free(m);
}

static void test_a_table_without_memory_is_as_it_was(void **state)
{
    (void)state;
    model *m = model_new(0);
    unsigned failures = 0;
    for (uint64_t number = 0; number < MOST; number++) {
        sc_alloc_fail_at(1);
        const size_t capacity = m->ids.capacity;
        const sc_err err = sc__ids_reserve(&m->ids);
        if (oom_happened()) {
            assert_int_equal(err, SC_ENOMEM);
            assert_int_equal(m->ids.capacity, capacity);
            check_table(m);
            failures++;
        } else {
            CHECK_OK(err, NULL);
        }
        const sc_query_id id = numbered_id(number);
        put(m, &id);
    }
    check_table(m);
    // It doubles: 64, 128, 256, 512, 1024 at most.
    assert_in_range(failures, 4, 5);
    model_free(m);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_it_has_what_a_plain_list_has),
    SC_CASES(test_ids_that_want_the_same_places_find_others_and_make_room_again),
    cmocka_unit_test(test_a_gap_is_closed_at_the_end_of_the_table),
    cmocka_unit_test(test_ids_with_the_same_hash_are_different_ids),
    cmocka_unit_test(test_an_empty_table_has_nothing),
    cmocka_unit_test(test_a_table_without_memory_is_as_it_was),
};
SC_SUITE(tests)
