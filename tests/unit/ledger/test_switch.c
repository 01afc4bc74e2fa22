// Another variant while a ledger runs: any thread may ask for it, at any time. What becomes of it
// is the engine pool's affair (tests/unit/worker/test_engine_thread_switch.c).
#include "ledger/ledger.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <pthread.h>

static sc_map *draw_map(void)
{
    sketch drawn = sketch_named(small_maps[0].name);
    sc_map *map = sketch_map(&drawn);
    sketch_free(&drawn);
    return map;
}

static void free_ticket(void *context, sc_ticket *ticket)
{
    (void)context;
    sc_ticket_free(ticket);
}

typedef struct switcher {
    sc_ledger *ledger;
    uint64_t seed;
} switcher;

static void *switch_often(void *argument)
{
    const switcher *self = argument;
    sc_rng rng;
    sc_rng_seed(&rng, self->seed);
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(sc_ledger_switch(self->ledger, (sc_variant)sc_rng_below(&rng, 3)), NULL);
        assert_true(sc_variant_is_switchable(sc_ledger_variant(self->ledger)));
    }
    return NULL;
}

static void test_any_thread_may_switch_a_ledger_also_when_it_is_over(void **state)
{
    (void)state;
    sc_map *map = draw_map();
    sc_ledger_options options = sc_ledger_options_default();
    options.settled = free_ticket;
    options.max_pending = 8;
    sc_ledger *ledger = NULL;
    CHECK_OK(sc_ledger_new(map, &options, &ledger, NULL), NULL);
    assert_int_equal(sc_ledger_variant(ledger), SC_VARIANT_BASIC);
    assert_int_equal(sc_ledger_switch(ledger, SC_VARIANT_SAMPLING), SC_EINVAL);
    switcher switchers[] = {{ledger, 1}, {ledger, 2}};
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, switch_often, &switchers[i]), 0);
    }
    sc_ledger_stop(ledger);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_OK(sc_ledger_switch(ledger, SC_VARIANT_HYBRID), NULL);
    assert_int_equal(sc_ledger_variant(ledger), SC_VARIANT_HYBRID);
    sc_ledger_free(ledger);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_any_thread_may_switch_a_ledger_also_when_it_is_over),
};
SC_SUITE(tests)
