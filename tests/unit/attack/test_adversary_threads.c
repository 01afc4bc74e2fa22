// The adversary's threads and dice: neither their number nor who does what changes an answer, and
// where one fails nothing is left behind.
#include <starcloak/attack.h>

#include "base/sort.h"
#include "sighted.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

// --- The same answer ---------------------------------------------------------------

static void check_same(const sc_posterior *a, const sc_posterior *b)
{
    assert_int_equal(a->link_count, b->link_count);
    for (size_t i = 0; i < a->link_count; i++) {
        assert_int_equal(a->links[i].segment, b->links[i].segment);
        CHECK_SAME(a->links[i].linkability, b->links[i].linkability);
        CHECK_SAME(a->links[i].error, b->links[i].error);
    }
    CHECK_SAME(a->normalised_entropy, b->normalised_entropy);
    CHECK_SAME(a->normalised_error, b->normalised_error);
    CHECK_SAME(a->normalised_bias, b->normalised_bias);
    assert_int_equal(a->replays, b->replays);
    assert_int_equal(a->fruitful, b->fruitful);
}

/** Three ways of attacking, with some threads; released by the caller. */
static void attack_in_all_ways(const sighted *s, sc_adversary_options options, unsigned threads,
                               sc_posterior out[3])
{
    options.threads = threads;
    sc_adversary *adversary = adversary_on(s->map, &options);
    out[0] = replay(adversary, 5, &s->sighting);
    out[1] = correlate(adversary, 5, &s->sighting);
    assert_true(out[1].is_enumerated);
    sc_adversary_free(adversary);
    options.max_placements = 0;
    adversary = adversary_on(s->map, &options);
    out[2] = correlate(adversary, 5, &s->sighting);
    assert_false(out[2].is_enumerated);
    sc_adversary_free(adversary);
}

static void test_the_number_of_threads_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SC_VARIANT_COUNT; seed++) {
        check_case(seed);
        sc_adversary_options options = sighted_options((sc_variant)seed);
        options.runs = 2;
        // Where batches have several chunks, these are added up.
        if (seed == 0) options.samples = 20000;
        if (seed % 2 > 0) options.likeness = SC_LIKENESS_EXACT;
        sighted s;
        sighted_new(&s, &options.engine, 100 * seed);
        sc_posterior alone[3];
        attack_in_all_ways(&s, options, 1, alone);
        static const unsigned threads[] = {2, 5};
        for (size_t t = 0; t < 2; t++) {
            sc_posterior together[3];
            attack_in_all_ways(&s, options, threads[t], together);
            for (size_t i = 0; i < 3; i++) {
                check_same(&together[i], &alone[i]);
                sc_posterior_fini(&together[i]);
            }
        }
        for (size_t i = 0; i < 3; i++) {
            sc_posterior_fini(&alone[i]);
        }
        sighted_free(&s);
    }
    check_case_done();
}

static void test_the_dice_depend_on_seed_and_number_alone(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    sighted s;
    sighted_new(&s, &options.engine, 0);
    sc_adversary *adversary = adversary_on(s.map, &options);
    sc_posterior first = correlate(adversary, 7, &s.sighting);
    sc_posterior other = correlate(adversary, 8, &s.sighting);
    sc_posterior again = correlate(adversary, 7, &s.sighting);
    check_same(&again, &first);
    assert_true(other.normalised_entropy != first.normalised_entropy);
    sc_adversary_free(adversary);
    options.seed = 2;
    adversary = adversary_on(s.map, &options);
    sc_posterior elsewhere = correlate(adversary, 7, &s.sighting);
    assert_true(elsewhere.normalised_entropy != first.normalised_entropy);
    sc_adversary_free(adversary);
    sc_posterior_fini(&first);
    sc_posterior_fini(&other);
    sc_posterior_fini(&again);
    sc_posterior_fini(&elsewhere);
    sighted_free(&s);
}

/** A cloaker that cloaks no query and notes what its dice show. */
typedef struct gambler {
    sc_rng *rng;
    uint64_t *shown;
    size_t count;
    size_t capacity;
} gambler;

static sc_err gambler_open(void *context, const sc_map *map, sc_rng *rng, void **opened,
                           sc_diag *diag)
{
    gambler *g = context;
    (void)map;
    (void)diag;
    g->rng = rng;
    *opened = g;
    return SC_OK;
}

static sc_err gambler_replay(void *opened, const sc_query *queries, size_t count,
                             sc_replayed *replayed)
{
    gambler *g = opened;
    (void)queries;
    (void)count;
    (void)replayed;
    if (g->count < g->capacity) g->shown[g->count] = sc_rng_next(g->rng);
    g->count++;
    return SC_OK;
}

static void gambler_close(void *opened)
{
    (void)opened;
}

static void test_no_two_replays_have_the_same_dice(void **state)
{
    (void)state;
    enum { REPLAYS = 40000 };
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.max_placements = 0;
    options.samples = REPLAYS / 2;  // several chunks in each of several batches
    sighted s;
    sighted_new(&s, &options.engine, 0);
    gambler g = {.shown = test_take(REPLAYS, sizeof *g.shown), .capacity = REPLAYS};
    const sc_cloaker cloaker = {&g, gambler_open, gambler_replay, gambler_close};
    sc_adversary *adversary = NULL;
    CHECK_OK(sc_adversary_new(s.map, &options, &cloaker, &adversary, NULL), NULL);
    for (uint64_t number = 0; number < 2; number++) {
        sc_posterior posterior = correlate(adversary, number, &s.sighting);
        sc_posterior_fini(&posterior);
    }
    assert_int_equal(g.count, REPLAYS);
    assert_int_equal(sc_sort_count_different(g.shown, REPLAYS), REPLAYS);
    free(g.shown);
    sc_adversary_free(adversary);
    sighted_free(&s);
}

// --- Cloakers that fail --------------------------------------------------------------

/** A cloaker that cloaks no query, and fails when it is told to. */
typedef struct frail {
    unsigned opened;
    unsigned closed;
    unsigned fail_open;         ///< at this one, counted from 1; 0: never
    atomic_ulong replays;       ///< of all threads
    unsigned long fail_replay;  ///< at this one, counted from 1; 0: never
    bool is_alone;              ///< only the opener may replay
    pthread_t opener;
    atomic_bool has_strayed;
} frail;

static sc_err frail_open(void *context, const sc_map *map, sc_rng *rng, void **opened,
                         sc_diag *diag)
{
    frail *f = context;
    (void)map;
    (void)rng;
    if (f->opened + 1 == f->fail_open) {
        snprintf(diag->message, sizeof diag->message, "it is too frail");
        return SC_EBROKEN;
    }
    f->opened++;
    *opened = f;
    return SC_OK;
}

static sc_err frail_replay(void *opened, const sc_query *queries, size_t count,
                           sc_replayed *replayed)
{
    frail *f = opened;
    (void)queries;
    (void)count;
    (void)replayed;
    if (f->is_alone && !pthread_equal(pthread_self(), f->opener)) f->has_strayed = true;
    return atomic_fetch_add(&f->replays, 1) + 1 == f->fail_replay ? SC_EREPLY : SC_OK;
}

static void frail_close(void *opened)
{
    frail *f = opened;
    f->closed++;
}

static sc_cloaker frail_cloaker(frail *f)
{
    f->opener = pthread_self();
    return (sc_cloaker){f, frail_open, frail_replay, frail_close};
}

static void test_a_cloaker_that_cannot_be_opened_is_told(void **state)
{
    (void)state;
    sc_map *map = stream_map(3);
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.threads = 3;
    for (unsigned at = 1; at <= 3; at++) {
        frail f = {.fail_open = at};
        const sc_cloaker cloaker = frail_cloaker(&f);
        sc_diag diag = {""};
        sc_adversary *adversary = NULL;
        CHECK_REFUSED(sc_adversary_new(map, &options, &cloaker, &adversary, &diag), SC_EBROKEN,
                      &diag, "it is too frail");
        assert_null(adversary);
        assert_int_equal(f.opened, at - 1);
        assert_int_equal(f.closed, at - 1);
    }
    sc_map_free(map);
}

static void test_a_replay_that_fails_ends_the_attack_and_not_the_adversary(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.max_placements = 0;
    options.samples = 40000;
    sighted s;
    sighted_new(&s, &options.engine, 0);
    for (unsigned threads = 1; threads <= 4; threads++) {
        options.threads = threads;
        frail f = {.fail_replay = 1000};
        const sc_cloaker cloaker = frail_cloaker(&f);
        sc_diag diag = {""};
        sc_adversary *adversary = NULL;
        CHECK_OK(sc_adversary_new(s.map, &options, &cloaker, &adversary, &diag), &diag);
        assert_int_equal(f.opened, threads);
        sc_posterior posterior;
        CHECK_REFUSED(sc_adversary_correlate(adversary, 1, &s.sighting, &posterior, &diag),
                      SC_EREPLY, &diag, "a replay failed: the reply failed its checks");
        if (threads == 1) assert_int_equal(f.replays, 1000);
        CHECK_OK(sc_adversary_replay(adversary, 1, &s.sighting, &posterior, &diag), &diag);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
        assert_int_equal(f.closed, threads);
    }
    sighted_free(&s);
}

static void test_one_thread_is_the_callers_own(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    sighted s;
    sighted_new(&s, &options.engine, 0);
    frail f = {.is_alone = true};
    const sc_cloaker cloaker = frail_cloaker(&f);
    sc_adversary *adversary = NULL;
    CHECK_OK(sc_adversary_new(s.map, &options, &cloaker, &adversary, NULL), NULL);
    sc_posterior posterior = correlate(adversary, 1, &s.sighting);
    sc_posterior_fini(&posterior);
    posterior = replay(adversary, 1, &s.sighting);
    sc_posterior_fini(&posterior);
    assert_true(f.replays > 0);
    assert_false(f.has_strayed);
    sc_adversary_free(adversary);
    sighted_free(&s);
}

static void test_a_thread_that_cannot_be_started_is_told(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.threads = 4;
    sighted s;
    sighted_new(&s, &options.engine, 0);
    sc_adversary *adversary = adversary_on(s.map, &options);
    // A stack that no machine has room for.
    pthread_attr_t before;
    pthread_attr_t huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    sc_diag diag = {""};
    sc_posterior posterior;
    const sc_err err = sc_adversary_replay(adversary, 1, &s.sighting, &posterior, &diag);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
    CHECK_REFUSED(err, SC_EIO, &diag, "use fewer threads");
    // And when there is room again, it goes on.
    posterior = replay(adversary, 1, &s.sighting);
    sc_posterior_fini(&posterior);
    sc_adversary_free(adversary);
    sighted_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_number_of_threads_changes_nothing),
    cmocka_unit_test(test_the_dice_depend_on_seed_and_number_alone),
    cmocka_unit_test(test_no_two_replays_have_the_same_dice),
    cmocka_unit_test(test_a_cloaker_that_cannot_be_opened_is_told),
    cmocka_unit_test(test_a_replay_that_fails_ends_the_attack_and_not_the_adversary),
    cmocka_unit_test(test_one_thread_is_the_callers_own),
    cmocka_unit_test(test_a_thread_that_cannot_be_started_is_told),
};
SC_SUITE(tests)
