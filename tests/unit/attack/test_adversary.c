// The adversary from outside: what it can be told and shown, and what its answers always are. What
// it believes is tested in test_adversary_beliefs.c, threads in test_adversary_threads.c.
#include <starcloak/attack.h>

#include "attack/placements.h"
#include "sighted.h"

#include <math.h>
#include <unistd.h>

// --- What it can be told -----------------------------------------------------------

static void test_the_defaults_are_those_that_are_promised(void **state)
{
    (void)state;
    const sc_adversary_options options = sc_adversary_options_default();
    assert_int_equal(options.engine.variant, SC_VARIANT_BASIC);
    assert_null(options.density);
    assert_int_equal(options.likeness, SC_LIKENESS_OVERLAP);
    assert_int_equal(options.max_placements, 20000);
    assert_int_equal(options.runs, 4);
    assert_int_equal(options.samples, 20000);
    assert_int_equal(options.fruitful, 300);
    assert_int_equal(options.seed, 1);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    assert_int_equal(options.threads,
                     processors < SC_ATTACK_THREADS_MAX ? processors : SC_ATTACK_THREADS_MAX);
}

static void refuse_options(const sc_map *map, const sc_adversary_options *options, const char *part)
{
    sc_diag diag = {""};
    sc_adversary *adversary = NULL;
    CHECK_REFUSED(sc_adversary_new(map, options, NULL, &adversary, &diag), SC_EINVAL, &diag, part);
    assert_null(adversary);
    assert_int_equal(sc_adversary_new(map, options, NULL, &adversary, NULL), SC_EINVAL);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    sc_map *map = stream_map(3);
    sc_map *other = stream_map(4);
    assert_int_not_equal(sc_map_segment_count(map), sc_map_segment_count(other));
    const sc_adversary_options good = sighted_options(SC_VARIANT_BASIC);

    sc_adversary_options options = good;
    options.likeness = (sc_likeness)2;
    refuse_options(map, &options, "unknown likeness: 2");
    options = good;
    options.runs = 1;
    refuse_options(map, &options, "at least 2 times, not 1");
    options = good;
    options.samples = SC_ATTACK_BATCHES - 1;
    refuse_options(map, &options, "at least 32 samples, not 31");
    options = good;
    options.threads = 0;
    refuse_options(map, &options, "from 1 to 256, not 0");
    options = good;
    options.threads = SC_ATTACK_THREADS_MAX + 1;
    refuse_options(map, &options, "from 1 to 256, not 257");
    options = good;
    options.engine.compactness = 0;
    refuse_options(map, &options, "lambda must be from 1");
    options = good;
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_uniform(other, &density), NULL);
    options.density = density;
    refuse_options(map, &options, "use a density of this map");
    sc_density_free(density);
    sc_adversary_free(NULL);
    sc_map_free(map);
    sc_map_free(other);
}

// --- What it can be shown ----------------------------------------------------------

static void refuse_sighting(sc_adversary *adversary, const sc_sighting *sighting, sc_err wanted,
                            const char *part)
{
    sc_diag diag = {""};
    sc_posterior posterior;
    memset(&posterior, 0x5a, sizeof posterior);
    uint8_t before[sizeof posterior];
    memcpy(before, &posterior, sizeof posterior);
    CHECK_REFUSED(sc_adversary_correlate(adversary, 1, sighting, &posterior, &diag), wanted, &diag,
                  part);
    CHECK_REFUSED(sc_adversary_replay(adversary, 1, sighting, &posterior, &diag), wanted, &diag,
                  part);
    assert_int_equal(sc_adversary_replay(adversary, 1, sighting, &posterior, NULL), wanted);
    assert_memory_equal(&posterior, before, sizeof posterior);
}

static void test_sightings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    sc_map *map = stream_map(3);
    const sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    sc_adversary *adversary = adversary_on(map, &options);
    static const sc_seg_id segments[] = {1, 2, 5};
    static const sc_needs needs[SC_ATTACK_MEMBERS_MAX + 1] = {{1, 1, 1, 0}, {1, 1, 1, 0}};
    const sc_injected own = {.segment = 2, .needs = needs[0]};
    const sc_sighting good = {segments, 3, needs, 2, &own, 1};

    sc_sighting bad = good;
    bad.segment_count = 0;
    refuse_sighting(adversary, &bad, SC_EINVAL, "no segment");
    bad = good;
    bad.segments = (const sc_seg_id[]){1, 2, sc_map_segment_count(map)};
    refuse_sighting(adversary, &bad, SC_EUNKNOWN, "check that it is of this map");
    bad = good;
    bad.segments = (const sc_seg_id[]){1, 5, 2};
    refuse_sighting(adversary, &bad, SC_EINVAL, "do not ascend");
    bad = good;
    bad.segments = (const sc_seg_id[]){1, 2, 2};
    refuse_sighting(adversary, &bad, SC_EINVAL, "do not ascend");
    bad = good;
    bad.stranger_count = 0;
    refuse_sighting(adversary, &bad, SC_EINVAL, "no member to look for");
    bad = good;
    bad.stranger_count = SC_ATTACK_MEMBERS_MAX;
    refuse_sighting(adversary, &bad, SC_EINVAL, "more than 10000 members");
    bad = good;
    bad.stranger_count = SC_ATTACK_MEMBERS_MAX + 1;
    bad.injected_count = 0;
    refuse_sighting(adversary, &bad, SC_EINVAL, "more than 10000 members");
    bad = good;
    bad.injected_count = SIZE_MAX;
    refuse_sighting(adversary, &bad, SC_EINVAL, "more than 10000 members");
    bad = good;
    bad.injected = &(const sc_injected){.segment = 3, .needs = needs[0]};
    refuse_sighting(adversary, &bad, SC_EINVAL, "injected query is not on the cloak");
    bad = good;
    bad.strangers = (const sc_needs[]){{1, 1, 1, 0}, {0, 1, 1, 0}};
    refuse_sighting(adversary, &bad, SC_EINVAL, "0 users and 1 segments");
    bad = good;
    bad.injected = &(const sc_injected){.segment = 2, .needs = {1, 0, 1, 0}};
    refuse_sighting(adversary, &bad, SC_EINVAL, "1 users and 0 segments");

    // And the good one is not.
    sc_posterior posterior = correlate(adversary, 1, &good);
    sc_posterior_fini(&posterior);
    sc_adversary_free(adversary);
    sc_map_free(map);
}

// --- What its answers always are -----------------------------------------------------

static void check_identities(const sc_posterior *posterior, const sc_sighting *sighting)
{
    double sum = 0;
    double entropy = 0;
    size_t ruled_out = 0;
    assert_int_equal(posterior->link_count, sighting->segment_count);
    for (size_t i = 0; i < posterior->link_count; i++) {
        const sc_link *link = &posterior->links[i];
        assert_int_equal(link->segment, sighting->segments[i]);
        assert_true(link->linkability >= 0.0 && link->linkability <= 1.0);
        assert_true(link->error >= 0.0 && link->error <= 1.0);
        sum += link->linkability;
        if (link->linkability > 0.0) entropy -= link->linkability * log2(link->linkability);
        ruled_out += link->linkability <= 0.0;
    }
    CHECK_CLOSE(sum, 1.0, 1e-12);
    CHECK_CLOSE(posterior->entropy, entropy, 1e-9);
    CHECK_CLOSE(posterior->normalised_entropy, entropy / log2((double)posterior->link_count), 1e-9);
    CHECK_CLOSE(posterior->effective, exp2(entropy), 1e-9 * exp2(entropy));
    assert_int_equal(posterior->ruled_out, ruled_out);
    assert_true(posterior->fruitful <= posterior->replays);
    assert_int_equal(posterior->is_unexplained, posterior->fruitful == 0);
}

// Each as often as asked for, or while samples are not used up; in whole rounds of 32 batches.
static uint64_t replays_of_all(uint64_t placements, uint64_t runs, uint64_t samples)
{
    uint64_t rounds = runs;
    while (rounds * placements < samples)
        rounds++;
    while (rounds > 32 && rounds % 32 != 0)
        rounds++;
    return placements * rounds;
}

static void test_answers_obey_their_identities_in_all_methods(void **state)
{
    (void)state;
    enum { CASES = 2 * SC_VARIANT_COUNT };
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        sc_adversary_options options = sighted_options((sc_variant)(seed % SC_VARIANT_COUNT));
        options.runs = 3;
        sighted s;
        sighted_new(&s, &options.engine, 100 * seed);
        const sc_sighting *sighting = &s.sighting;
        sc_adversary *adversary = adversary_on(s.map, &options);
        const uint64_t placements =
            sc__placement_count(sighting->segment_count, sighting->stranger_count);

        sc_posterior posterior = correlate(adversary, seed, sighting);
        check_identities(&posterior, sighting);
        assert_true(posterior.is_enumerated);
        assert_int_equal(posterior.placements, placements);
        assert_int_equal(posterior.replays, replays_of_all(placements, 3, 1600));
        assert_false(posterior.is_unexplained);  // it was seen, so it can come about
        sc_posterior_fini(&posterior);

        // Alone: on each segment, as often as the samples allow.
        posterior = replay(adversary, seed, sighting);
        check_identities(&posterior, sighting);
        assert_true(posterior.is_enumerated);
        assert_int_equal(posterior.placements, sighting->segment_count);
        assert_int_equal(posterior.replays,
                         1600 / 32 / sighting->segment_count * 32 * sighting->segment_count);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);

        options.max_placements = placements - 1;
        options.samples = 1600 + 31;
        adversary = adversary_on(s.map, &options);
        posterior = correlate(adversary, seed, sighting);
        check_identities(&posterior, sighting);
        assert_false(posterior.is_enumerated);
        assert_int_equal(posterior.placements, placements);
        assert_int_equal(posterior.replays, 1600);
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
        sighted_free(&s);
    }
    check_case_done();
}

static void test_few_placements_are_run_as_often_as_there_are_samples(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    sighted s;
    sighted_new(&s, &options.engine, 0);
    const uint64_t placements =
        sc__placement_count(s.sighting.segment_count, s.sighting.stranger_count);
    double errors[2];
    for (size_t i = 0; i < 2; i++) {
        options.runs = 2;
        options.samples = i == 0 ? SC_ATTACK_BATCHES : 200 * placements;
        sc_adversary *adversary = adversary_on(s.map, &options);
        sc_posterior posterior = correlate(adversary, 1, &s.sighting);
        assert_true(posterior.is_enumerated);
        assert_int_equal(posterior.replays, replays_of_all(placements, 2, options.samples));
        errors[i] = posterior.normalised_error;
        sc_posterior_fini(&posterior);
        sc_adversary_free(adversary);
    }
    assert_true(errors[1] < errors[0]);
    sighted_free(&s);
}

static void test_each_segment_is_replayed_in_every_batch_however_few_the_samples(void **state)
{
    (void)state;
    sc_adversary_options options = sighted_options(SC_VARIANT_BASIC);
    options.samples = SC_ATTACK_BATCHES;
    sighted s;
    sighted_new(&s, &options.engine, 0);
    sc_adversary *adversary = adversary_on(s.map, &options);
    sc_posterior posterior = replay(adversary, 1, &s.sighting);
    assert_int_equal(posterior.replays, SC_ATTACK_BATCHES * s.sighting.segment_count);
    sc_posterior_fini(&posterior);
    sc_adversary_free(adversary);
    sighted_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_that_are_promised),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_sightings_that_make_no_sense_are_refused),
    SC_CASES(test_answers_obey_their_identities_in_all_methods),
    cmocka_unit_test(test_few_placements_are_run_as_often_as_there_are_samples),
    cmocka_unit_test(test_each_segment_is_replayed_in_every_batch_however_few_the_samples),
};
SC_SUITE(tests)
