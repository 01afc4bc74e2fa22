// Whatever becomes of a query, its slot does not tell of it afterwards; and when an engine is
// freed, its working memory does not tell who was where.
#include "engine/engine_internal.h"
#include "engine/patient.h"

#include "support/check.h"
#include "support/stage.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAN_SEE_FREES 1
#include <sanitizer/allocator_interface.h>
#endif
#endif

static const char street[] = "o   o\n"
                             "|   |\n"
                             "A---B\n"
                             "|   |\n"
                             "o   o\n";

static void open_street(stage *st)
{
    const sc_engine_options options = sc_engine_options_default();
    stage_open(st, street, "", &options);
}

// Every slot that was ever used is wiped, but for the link to the next spare one at its beginning.
static void check_forgotten(const stage *st, uint32_t used)
{
    const sc_item_pool *pool = &st->engine->pending;
    assert_int_equal(pool->count, 0);
    assert_int_equal(pool->made, used);
    for (sc__slot slot = 0; slot < used; slot++) {
        const unsigned char *bytes = sc_item_pool_at(pool, slot);
        for (size_t i = sizeof pool->spare; i < sizeof(sc_query); i++) {
            if (bytes[i] != 0) fail_msg("byte %zu of slot %u is left", i, slot);
        }
    }
}

static void test_a_removed_query_is_forgotten(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query query = stage_query(&st, 7, 'A', 2, 500);
    stage_ask(&st, &query, 100);
    const sc__pending *slot = sc__pending_at(st.engine, 0);
    assert_memory_equal(&slot->query, &query, sizeof query);
    CHECK_OK(sc_engine_remove(st.engine, &query.id), NULL);
    check_forgotten(&st, 1);
    stage_close(&st);
}

static void test_a_dropped_query_is_forgotten_once_its_drop_is_taken(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query query = stage_query(&st, 7, 'A', 2, 500);
    stage_ask(&st, &query, 100);
    stage_run(&st, 501);
    check_drop(&st, 7, SC_DROP_EXPIRED, 501);
    check_forgotten(&st, 1);
    stage_close(&st);
}

static void test_members_of_an_accepted_cloak_are_forgotten(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query one = stage_query(&st, 7, 'A', 2, 500);
    const sc_query two = stage_query(&st, 8, 'A', 2, 500);
    stage_ask(&st, &one, 100);
    stage_ask(&st, &two, 100);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    CHECK_OK(sc_engine_accept(st.engine, cloak, 100, NULL), NULL);
    check_forgotten(&st, 2);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_query_removed_while_proposed_is_forgotten_with_the_refusal(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    const sc_query one = stage_query(&st, 7, 'A', 2, 500);
    const sc_query two = stage_query(&st, 8, 'A', 2, 500);
    stage_ask(&st, &one, 100);
    stage_ask(&st, &two, 100);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    CHECK_OK(sc_engine_remove(st.engine, &one.id), NULL);
    CHECK_OK(sc_engine_remove(st.engine, &two.id), NULL);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    check_forgotten(&st, 2);
    sc_cloak_free(cloak);
    stage_close(&st);
}

// --- Working memory ---------------------------------------------------------------

#ifdef CAN_SEE_FREES
enum { WATCHED_MAX = 32 };

/** Blocks that are about to be freed. */
static struct {
    const void *block;
    bool is_freed;
    bool is_wiped;
} watched[WATCHED_MAX];
static size_t watched_count;

static bool is_zero(const void *block)
{
    const unsigned char *bytes = block;
    const size_t size = __sanitizer_get_allocated_size(block);
    size_t i = 0;
    while (i < size && bytes[i] == 0) {
        i++;
    }
    return i == size;
}

static void see_malloc(const volatile void *block, size_t size)
{
    (void)block;
    (void)size;
}

static void see_free(const volatile void *block)
{
    const void *freed = (const void *)(uintptr_t)block;
    for (size_t i = 0; i < watched_count; i++) {
        if (watched[i].block != freed || watched[i].is_freed) continue;
        watched[i].is_freed = true;
        watched[i].is_wiped = is_zero(freed);
    }
}

/** @param must_tell  there is something in it that must not stay */
static void watch(const void *block, bool must_tell)
{
    if (must_tell) {
        assert_non_null(block);
        assert_false(is_zero(block));
    }
    if (!block) return;
    assert_true(watched_count < WATCHED_MAX);
    watched[watched_count].block = block;
    watched[watched_count].is_freed = false;
    watched[watched_count].is_wiped = false;
    watched_count++;
}
#endif

//   A   B   C      One at B whose cloak may reach 1 hop, one at C with 2, who both want five roads
//   |   |   |      that can be their own. They share D, E and F; but D is too far from F for the
//   D---E---F      first, so settling takes it away.
//   |   |   |
//   G   H   I
static void test_the_memory_of_settling_is_wiped_when_it_is_freed(void **state)
{
    (void)state;
#ifdef CAN_SEE_FREES
    static bool is_installed;
    if (!is_installed && !__sanitizer_install_malloc_and_free_hooks(see_malloc, see_free)) skip();
    is_installed = true;
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = 1;
    options.demands.is_strict = true;
    stage st;
    stage_open(&st, small_maps[0].picture, small_maps[0].more, &options);
    for (uint32_t i = 0; i < 2; i++) {
        sc_query query = stage_query(&st, 7 + i, i == 0 ? 'E' : 'F', 2, 500);
        query.l = 5;
        query.max_hops = 1 + i;
        stage_ask(&st, &query, 100);
    }
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    assert_int_equal(cloak->star_count, 2);
    CHECK_OK(sc_engine_accept(st.engine, cloak, 100, NULL), NULL);
    sc_cloak_free(cloak);

    const sc__patient *own = st.engine->method_state;
    watched_count = 0;
    watch(own->reach_demands, true);
    watch(own->far, false);
    watch(own->trial_masks, true);
    watch(own->equals, false);
    watch(own->places, false);
    watch(own->around.near, true);
    watch(own->around.stars, true);
    watch(own->around.ids, true);
    watch(own->around.roads, true);
    watch(own->around.number_of, true);
    watch(own->joiners, true);
    watch(own->reaches, false);
    watch(own->extensions, false);
    watch(own->shared, false);
    watch(own->masks, false);
    watch(own->settlers, true);
    watch(own->settled, false);
    watch(own->stars, false);
    watch(own->found_mask, false);
    watch(own->found_ends, false);
    stage_close(&st);
    for (size_t i = 0; i < watched_count; i++) {
        assert_true(watched[i].is_freed);
        if (!watched[i].is_wiped) fail_msg("block %zu was freed as it was", i);
    }
    watched_count = 0;
#else
    skip();
#endif
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_removed_query_is_forgotten),
    cmocka_unit_test(test_a_dropped_query_is_forgotten_once_its_drop_is_taken),
    cmocka_unit_test(test_members_of_an_accepted_cloak_are_forgotten),
    cmocka_unit_test(test_a_query_removed_while_proposed_is_forgotten_with_the_refusal),
    cmocka_unit_test(test_the_memory_of_settling_is_wiped_when_it_is_freed),
};
SC_SUITE(tests)
