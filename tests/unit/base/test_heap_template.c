// Heaps against a plain list that is searched from end to end: with two, three and four children,
// with keys that are mostly equal, and with entries that are told where they are.
#include "support/check.h"

#include "base/rng.h"

/** As assert_true(), but static analysis knows, too, that it does not come back. */
static void must(bool is_so)
{
    if (is_so) return;
    fail();
    abort();
}

typedef struct entry {
    uint64_t key;
    uint32_t item;
} entry;

enum { ITEMS = 120 };
#define NOWHERE UINT32_MAX

/** Where each item is, as the heap that keeps places tells. */
typedef struct places {
    uint32_t at[ITEMS];
    uint64_t told;
} places;

static void place(places *all, uint32_t item, size_t at)
{
    all->at[item] = (uint32_t)at;
    all->told++;
}

#define SC_HEAP pairs
#define SC_HEAP_ENTRY entry
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).key < (b).key)
#include "base/heap_template.h"

#define SC_HEAP triples
#define SC_HEAP_ENTRY entry
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).key < (b).key)
#define SC_HEAP_CHILDREN 3
#include "base/heap_template.h"

// The greatest first, of equal ones the least item: a total order.
#define SC_HEAP placed
#define SC_HEAP_ENTRY entry
#define SC_HEAP_CHILDREN 4
#define SC_HEAP_CONTEXT places *
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).key != (b).key ? (a).key > (b).key : (a).item < (b).item)
#define SC_HEAP_PLACE(heap, entry, where) place((heap)->context, (entry).item, (where))
#include "base/heap_template.h"

/** A plain list of entries. */
typedef struct list {
    entry entries[ITEMS];
    size_t count;
} list;

/** Keys of few values, of many, and near the ends of the range. */
static uint64_t draw_key(sc_rng *rng, uint64_t round)
{
    switch (round % 4) {
    case 0:
        return sc_rng_below(rng, 3);
    case 1:
        return sc_rng_below(rng, 1000);
    case 2:
        return UINT64_MAX - sc_rng_below(rng, 5);
    default:
        return sc_rng_next(rng);
    }
}

static uint64_t least_key(const list *plain)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < plain->count; i++) {
        if (plain->entries[i].key < least) least = plain->entries[i].key;
    }
    return least;
}

/** Where the plain list has an entry; it must be there. */
static size_t find(const list *plain, entry wanted)
{
    size_t at = 0;
    while (at < plain->count &&
           (plain->entries[at].item != wanted.item || plain->entries[at].key != wanted.key)) {
        at++;
    }
    assert_true(at < plain->count);
    return at;
}

static void take(list *plain, size_t at)
{
    plain->entries[at] = plain->entries[--plain->count];
}

#define CHECK_AGAINST_LIST(heap_type)                                                     \
    static void check_##heap_type(uint64_t round)                                         \
    {                                                                                     \
        sc_rng rng;                                                                       \
        sc_rng_seed(&rng, round);                                                         \
        heap_type heap = {0};                                                             \
        list plain = {.count = 0};                                                        \
        for (uint32_t step = 0; step < 500; step++) {                                     \
            const bool grows = sc_rng_below(&rng, step < 250 ? 3 : 2) > 0;                \
            if (plain.count == 0 || (grows && plain.count < ITEMS)) {                     \
                const entry added = {draw_key(&rng, round), step};                        \
                must(heap_type##_reserve(&heap, heap.count + 1));                         \
                heap_type##_push(&heap, added);                                           \
                plain.entries[plain.count++] = added;                                     \
            } else if (sc_rng_below(&rng, 4) == 0) {                                      \
                const entry other = {draw_key(&rng, round), step};                        \
                plain.entries[find(&plain, heap.entries[0])] = other;                     \
                heap_type##_replace_top(&heap, other);                                    \
            } else if (sc_rng_below(&rng, 4) == 0) {                                      \
                const size_t at = sc_rng_below(&rng, (uint32_t)heap.count);               \
                take(&plain, find(&plain, heap.entries[at]));                             \
                heap_type##_remove(&heap, at);                                            \
            } else {                                                                      \
                const uint64_t least = least_key(&plain);                                 \
                const entry top = heap_type##_pop(&heap);                                 \
                assert_int_equal(top.key, least);                                         \
                take(&plain, find(&plain, top));                                          \
            }                                                                             \
            assert_int_equal(heap.count, plain.count);                                    \
            if (heap.count > 0) assert_int_equal(heap.entries[0].key, least_key(&plain)); \
        }                                                                                 \
        heap_type##_fini(&heap);                                                          \
        heap_type##_fini(&heap);                                                          \
    }

CHECK_AGAINST_LIST(pairs)
CHECK_AGAINST_LIST(triples)

static void test_the_least_comes_out_first_whatever_was_done_before(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        check_case(round);
        check_pairs(round);
        check_triples(round);
    }
    check_case_done();
}

static bool is_first(const list *plain, size_t at)
{
    const entry e = plain->entries[at];
    for (size_t i = 0; i < plain->count; i++) {
        const entry other = plain->entries[i];
        if (other.key > e.key || (other.key == e.key && other.item < e.item)) return false;
    }
    return true;
}

static void check_places(const placed *heap)
{
    for (size_t at = 0; at < heap->count; at++) {
        assert_int_equal(heap->context->at[heap->entries[at].item], at);
    }
}

// Items join and leave at random, wherever they are; keys are changed in place now and
// then, after which it is put in order as a whole.
static void test_an_entry_that_knows_its_place_can_be_removed(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 100; round++) {
        check_case(round);
        sc_rng rng;
        sc_rng_seed(&rng, round);
        places where = {.told = 0};
        memset(where.at, 0xff, sizeof where.at);
        placed heap = {.context = &where};
        list plain = {.count = 0};
        must(placed_reserve(&heap, ITEMS));
        const entry *room = heap.entries;
        for (uint32_t step = 0; step < 600; step++) {
            const uint32_t item = sc_rng_below(&rng, ITEMS);
            if (where.at[item] == NOWHERE) {
                const entry added = {draw_key(&rng, round), item};
                placed_push(&heap, added);
                plain.entries[plain.count++] = added;
            } else {
                take(&plain, find(&plain, heap.entries[where.at[item]]));
                placed_remove(&heap, where.at[item]);
                where.at[item] = NOWHERE;
            }
            if (step % 50 == 49) {
                for (size_t at = 0; at < heap.count; at++) {
                    const size_t in_list = find(&plain, heap.entries[at]);
                    heap.entries[at].key = draw_key(&rng, round);
                    plain.entries[in_list] = heap.entries[at];
                }
                placed_reorder(&heap);
            }
            check_places(&heap);
            if (heap.count > 0) assert_true(is_first(&plain, find(&plain, heap.entries[0])));
        }
        assert_ptr_equal(heap.entries, room);  // there was room for all from the start
        assert_true(where.told > 0);
        while (heap.count > 0) {
            assert_true(is_first(&plain, find(&plain, heap.entries[0])));
            take(&plain, find(&plain, placed_pop(&heap)));
            check_places(&heap);
        }
        placed_fini(&heap);
        assert_ptr_equal(heap.context, &where);
    }
    check_case_done();
}

// The way the k nearest are found: an array of the caller's, the farthest on top.
static void test_an_array_of_the_callers_is_sorted_in_place(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        check_case(round);
        sc_rng rng;
        sc_rng_seed(&rng, round);
        places where = {.told = 0};
        entry entries[ITEMS];
        const size_t count = sc_rng_below(&rng, ITEMS + 1);
        placed heap = {.entries = entries, .count = count, .context = &where};
        uint64_t sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            entries[i] = (entry){draw_key(&rng, round), i};
            sum += entries[i].key;
        }
        placed_reorder(&heap);
        placed_sort(&heap);
        assert_int_equal(heap.count, 0);
        for (size_t i = 0; i < count; i++) {
            sum -= entries[i].key;
            if (i == 0) continue;
            const entry a = entries[i - 1];
            const entry b = entries[i];
            assert_true(a.key < b.key || (a.key == b.key && a.item > b.item));
        }
        assert_int_equal(sum, 0);
    }
    check_case_done();
}

static void test_without_memory_a_heap_is_as_it_was(void **state)
{
    (void)state;
    pairs heap = {0};
    sc_alloc_fail_at(1);
    assert_false(pairs_reserve(&heap, 1));
    sc_alloc_fail_at(0);
    assert_null(heap.entries);
    must(pairs_reserve(&heap, 1));
    const size_t capacity = heap.capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        pairs_push(&heap, (entry){capacity - i, i});
    }
    sc_alloc_fail_at(1);
    must(pairs_reserve(&heap, capacity));
    assert_false(pairs_reserve(&heap, capacity + 1));
    assert_false(pairs_reserve(&heap, SIZE_MAX / sizeof(entry)));
    sc_alloc_fail_at(0);
    assert_int_equal(heap.capacity, capacity);
    for (uint64_t key = 1; key <= capacity; key++) {
        assert_int_equal(pairs_pop(&heap).key, key);
    }
    pairs_fini(&heap);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_least_comes_out_first_whatever_was_done_before),
    SC_CASES(test_an_entry_that_knows_its_place_can_be_removed),
    SC_CASES(test_an_array_of_the_callers_is_sorted_in_place),
    cmocka_unit_test(test_without_memory_a_heap_is_as_it_was),
};
SC_SUITE(tests)
