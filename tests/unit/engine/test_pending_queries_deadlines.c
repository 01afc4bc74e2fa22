// The heap of deadlines: compared with a plain list, with many deadlines at the same
// time and removals from anywhere. Each query knows its place after every step.
#include "support/check.h"
#include "support/oom.h"

#include "base/rng.h"
#include "engine/engine_internal.h"

enum { MOST = 300, STEPS = 3000 };

/** An entry that should be in the heap. */
typedef struct entry {
    sc_time t;
    sc_time deadline;
    uint64_t order;
    uint32_t slot;
} entry;

/** A heap, the queries it is about, and what should be in it. */
typedef struct model {
    sc__engine_deadlines heap;
    sc_item_pool pending;
    sc_rng rng;
    uint64_t next_order;
    uint32_t deadlines;  ///< how many different ones there are
    entry entries[MOST];
    size_t count;
} model;

static model *model_new(uint64_t seed)
{
    model *m = test_take(1, sizeof *m);
    sc_item_pool_init(&m->pending, sizeof(sc__pending));
    m->heap.context = &m->pending;
    sc_rng_seed(&m->rng, seed);
    m->deadlines = 1;
    return m;
}

static void model_free(model *m)
{
    sc__engine_deadlines_fini(&m->heap);
    sc__engine_deadlines_fini(&m->heap);  // harmless
    sc_item_pool_fini(&m->pending);
    free(m);
}

static sc__pending *query_at(const model *m, uint32_t slot)
{
    return sc_item_pool_at(&m->pending, slot);
}

static bool is_before(const entry *a, const entry *b)
{
    if (a->t != b->t) return a->t < b->t;
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}

static const entry *first_of(const model *m)
{
    const entry *first = NULL;
    for (size_t i = 0; i < m->count; i++) {
        if (!first || is_before(&m->entries[i], first)) first = &m->entries[i];
    }
    return first;
}

// What is on top, how many there are, and where each of them says it is.
static void check_heap(const model *m)
{
    assert_int_equal(m->heap.count, m->count);
    for (size_t i = 0; i < m->count; i++) {
        const entry *wanted = &m->entries[i];
        const uint32_t at = query_at(m, wanted->slot)->heap_at;
        if (at >= m->count) fail_msg("place %u of %zu", at, m->count);
        if (m->heap.entries[at].slot != wanted->slot) {
            assert_int_equal(m->heap.entries[at].slot, wanted->slot);
        }
        if (m->heap.entries[at].t != wanted->t) fail_msg("slot %u has another time", wanted->slot);
    }
    const entry *first = first_of(m);
    const sc__engine_deadline *top = m->heap.count > 0 ? m->heap.entries : NULL;
    if (!first) {
        assert_null(top);
        return;
    }
    assert_non_null(top);
    if (!top) return;
    assert_int_equal(top->slot, first->slot);
    assert_true(top->t == first->t);
}

/** A query comes, and its next time is `t`. */
static void push(model *m, sc_time t)
{
    CHECK_OK(sc_item_pool_reserve(&m->pending), NULL);
    assert_true(sc__engine_deadlines_reserve(&m->heap, (size_t)m->pending.count + 1));
    const uint32_t slot = sc_item_pool_take(&m->pending);
    const sc_time deadline = sc_rng_below(&m->rng, m->deadlines);
    *query_at(m, slot) =
        (sc__pending){.query.deadline = deadline, .order = m->next_order++, .heap_at = UINT32_MAX};
    sc__engine_deadlines_push(&m->heap, (sc__engine_deadline){t, slot});
    m->entries[m->count++] = (entry){t, deadline, query_at(m, slot)->order, slot};
}

/** It goes; the next to come may have its slot, but not its order. */
static void pull(model *m, size_t which)
{
    sc__engine_deadlines_remove(&m->heap, query_at(m, m->entries[which].slot)->heap_at);
    sc_item_pool_give(&m->pending, m->entries[which].slot);
    m->entries[which] = m->entries[--m->count];
}

/** Its time becomes another one, as when a query has become urgent. */
static void move(model *m, size_t which, sc_time t)
{
    sc__engine_deadlines_remove(&m->heap, query_at(m, m->entries[which].slot)->heap_at);
    sc__engine_deadlines_push(&m->heap, (sc__engine_deadline){t, m->entries[which].slot});
    m->entries[which].t = t;
}

// Few different times, so that many are equal; the ends of time among them.
static sc_time draw_time(model *m, uint32_t different)
{
    switch (sc_rng_below(&m->rng, 50)) {
    case 0:
        return INT64_MIN;
    case 1:
        return INT64_MAX;
    default:
        return (sc_time)sc_rng_below(&m->rng, different) - (sc_time)(different / 2);
    }
}

static void test_the_earliest_is_on_top_after_every_step(void **state)
{
    (void)state;
    static const uint32_t different[] = {1, 3, 40, 1000000};
    for (uint64_t seed = 0; seed < 12; seed++) {
        check_case(seed);
        model *m = model_new(seed);
        const uint32_t times = different[seed % 4];
        m->deadlines = 1 + (uint32_t)seed % 3;
        check_heap(m);
        for (uint32_t step = 0; step < STEPS; step++) {
            // Grows for a while, then shrinks, down to nothing.
            const bool is_rising = step / 500 % 2 == 0;
            const uint32_t what = sc_rng_below(&m->rng, 10);
            if (m->count == 0 || (what < (is_rising ? 7u : 3u) && m->count < MOST)) {
                push(m, draw_time(m, times));
            } else if (what == 9) {
                move(m, sc_rng_below(&m->rng, (uint32_t)m->count), draw_time(m, times));
            } else {
                pull(m, sc_rng_below(&m->rng, (uint32_t)m->count));
            }
            check_heap(m);
        }
        model_free(m);
    }
    check_case_done();
}

// After any history: an entry may be in a wrong place for long before it shows on top.
static void test_what_is_taken_from_the_top_comes_in_the_order_of_a_sorted_list(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        check_case(seed);
        model *m = model_new(seed);
        const uint32_t pushes = 1 + sc_rng_below(&m->rng, 60);
        for (uint32_t i = 0; i < pushes; i++) {
            push(m, draw_time(m, 1 + pushes / 2));
        }
        for (uint32_t pulls = sc_rng_below(&m->rng, pushes); pulls > 0; pulls--) {
            pull(m, sc_rng_below(&m->rng, (uint32_t)m->count));
        }
        while (m->count > 0) {
            check_heap(m);
            pull(m, (size_t)(first_of(m) - m->entries));
        }
        check_heap(m);
        model_free(m);
    }
    check_case_done();
}

static void test_all_deadlines_may_change_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        check_case(seed);
        model *m = model_new(seed);
        m->deadlines = 2;
        const uint32_t count = (uint32_t)(seed % 70);
        for (uint32_t i = 0; i < count; i++) {
            push(m, draw_time(m, 1 + count));
        }
        for (uint32_t i = 0; i < count; i++) {
            entry *changed = &m->entries[i];
            changed->t = draw_time(m, 1 + count / 3);
            m->heap.entries[query_at(m, changed->slot)->heap_at].t = changed->t;
        }
        sc__engine_deadlines_reorder(&m->heap);
        check_heap(m);
        while (m->count > 0) {
            pull(m, (size_t)(first_of(m) - m->entries));
            check_heap(m);
        }
        model_free(m);
    }
    check_case_done();
}

static void test_equal_deadlines_go_by_the_order_of_adding_and_not_by_slot(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    model *m = model_new(1);
    for (uint32_t i = 0; i < COUNT; i++) {
        push(m, 7);
    }
    // The older half goes; those that come now get its slots, lower than those that stayed.
    for (uint32_t i = 0; i < COUNT / 2; i++) {
        pull(m, (size_t)(first_of(m) - m->entries));
    }
    for (uint32_t i = 0; i < COUNT / 2; i++) {
        push(m, 7);
    }
    for (uint64_t order = COUNT / 2; m->count > 0; order++) {
        const uint32_t slot = m->heap.entries[0].slot;
        assert_int_equal(query_at(m, slot)->order, order);
        pull(m, (size_t)(first_of(m) - m->entries));
    }
    model_free(m);
}

static void test_a_heap_without_memory_is_as_it_was(void **state)
{
    (void)state;
    model *m = model_new(2);
    unsigned long failures = 0;
    while (m->count < MOST) {
        sc_alloc_fail_at(1);
        const size_t capacity = m->heap.capacity;
        const bool has_room = sc__engine_deadlines_reserve(&m->heap, m->count + 1);
        if (oom_happened()) {
            assert_false(has_room);
            assert_int_equal(m->heap.capacity, capacity);
            check_heap(m);
            failures++;
        } else {
            assert_true(has_room);
        }
        push(m, draw_time(m, 20));
        check_heap(m);
    }
    // It grows by a share of its size, not by one.
    assert_in_range(failures, 5, 20);
    model_free(m);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_earliest_is_on_top_after_every_step),
    SC_CASES(test_what_is_taken_from_the_top_comes_in_the_order_of_a_sorted_list),
    SC_CASES(test_all_deadlines_may_change_at_once),
    cmocka_unit_test(test_equal_deadlines_go_by_the_order_of_adding_and_not_by_slot),
    cmocka_unit_test(test_a_heap_without_memory_is_as_it_was),
};
SC_SUITE(tests)
