// Linkabilities and entropy obey their identities; errors and bias are those of plain leaving-out,
// and agree with what simulations spread.
#include "attack/belief.h"

#include "base/rng.h"
#include "support/check.h"

#include <math.h>

enum { MOST_PLACES = 24, MOST_BATCHES = 40, MOST_NUMBERS = MOST_PLACES * MOST_BATCHES };

/** Rows of a made-up attack. */
typedef struct world {
    double rows[MOST_NUMBERS];
    double prior[MOST_PLACES];
    sc_seg_id segments[MOST_PLACES];
    sc__likelihoods likelihoods;
} world;

static void world_open(world *w, size_t batches, size_t places)
{
    memset(w, 0, sizeof *w);
    for (size_t i = 0; i < places; i++) {
        w->prior[i] = 1 / (double)places;
        w->segments[i] = (sc_seg_id)(100 + 3 * i);
    }
    w->likelihoods = (sc__likelihoods){w->rows, batches, places};
}

// Some places are impossible, some rows are empty, sizes differ by a lot.
static void world_make(world *w, sc_rng *rng)
{
    const size_t places = 1 + sc_rng_below(rng, MOST_PLACES);
    const size_t batches = 1 + sc_rng_below(rng, MOST_BATCHES);
    world_open(w, batches, places);
    double sum = 0;
    for (size_t i = 0; i < places; i++) {
        w->prior[i] = 0.01 + sc_rng_unit(rng);
        sum += w->prior[i];
    }
    for (size_t i = 0; i < places; i++) {
        w->prior[i] /= sum;
        if (sc_rng_below(rng, 4) == 0) continue;
        for (size_t b = 0; b < batches; b++) {
            if (sc_rng_below(rng, 3) == 0) continue;
            w->rows[b * places + i] = w->prior[i] * exp(10 * sc_rng_unit(rng));
        }
    }
}

static sc_posterior believe(const world *w)
{
    sc_posterior posterior;
    assert_int_equal(sc__posterior_init(&posterior, w->segments, &w->likelihoods, w->prior), SC_OK);
    assert_int_equal(posterior.link_count, w->likelihoods.place_count);
    return posterior;
}

static void check_numbers(const sc_posterior *p)
{
    const double n = (double)p->link_count;
    double sum = 0;
    size_t ruled_out = 0;
    for (size_t i = 0; i < p->link_count; i++) {
        assert_true(p->links[i].linkability >= 0 && p->links[i].linkability <= 1);
        assert_true(p->links[i].error >= 0 && isfinite(p->links[i].error));
        sum += p->links[i].linkability;
        ruled_out += p->links[i].linkability == 0;
    }
    CHECK_CLOSE(sum, 1, 1e-12);
    assert_int_equal(p->ruled_out, ruled_out);
    assert_true(p->entropy >= 0 && p->entropy <= log2(n));
    assert_true(p->normalised_entropy >= 0 && p->normalised_entropy <= 1);
    assert_true(p->effective >= 1 && p->effective <= n);
    CHECK_CLOSE(p->effective, exp2(p->entropy), 1e-9);
    if (n > 1) CHECK_CLOSE(p->normalised_entropy * log2(n), p->entropy, 1e-12);
    assert_true(p->normalised_error >= 0 && isfinite(p->normalised_error));
    assert_true(isfinite(p->normalised_bias));
    assert_int_equal(p->placements + p->replays + p->fruitful, 0);
    assert_false(p->is_enumerated);
}

// --- Entropy ------------------------------------------------------------------------------

static void test_entropy_is_that_of_coins_and_dice(void **state)
{
    (void)state;
    const double coin[] = {0.5, 0.5};
    const double sure[] = {0, 1, 0};
    const double skew[] = {0.5, 0.25, 0.125, 0.125};
    CHECK_SAME(sc__entropy(coin, 2), 1);
    CHECK_SAME(sc__entropy(sure, 3), 0);
    CHECK_SAME(sc__entropy(skew, 4), 1.75);
    CHECK_SAME(sc__entropy(sure + 1, 1), 0);
    CHECK_SAME(sc__entropy(NULL, 0), 0);
    CHECK_SAME(sc__entropy_normalised(1.75, 4), 0.875);
    CHECK_SAME(sc__entropy_normalised(0, 1), 0);
    CHECK_SAME(sc__entropy_normalised(0, 0), 0);
}

// For many of these the plain sum is a little above log2 n.
static void test_no_die_has_more_than_all_entropy(void **state)
{
    (void)state;
    static double fair[1000];
    for (size_t n = 2; n <= 1000; n++) {
        for (size_t i = 0; i < n; i++) {
            fair[i] = 1 / (double)n;
        }
        const double entropy = sc__entropy(fair, n);
        assert_true(entropy <= log2((double)n));
        assert_true(sc__entropy_normalised(entropy, n) <= 1);
        CHECK_CLOSE(sc__entropy_normalised(entropy, n), 1, 1e-12);
    }
}

// --- Beliefs ------------------------------------------------------------------------------

static void test_linkabilities_are_shares_of_the_sum_of_all_rows(void **state)
{
    (void)state;
    world w;
    world_open(&w, 2, 4);
    const double rows[] = {1, 0, 2, 0, 1, 0, 2, 2};
    memcpy(w.rows, rows, sizeof rows);
    sc_posterior p = believe(&w);
    static const double wanted[] = {0.25, 0, 0.5, 0.25};
    for (size_t i = 0; i < 4; i++) {
        CHECK_CLOSE(p.links[i].linkability, wanted[i], 1e-15);
        assert_int_equal(p.links[i].segment, w.segments[i]);
    }
    CHECK_CLOSE(p.entropy, 1.5, 1e-14);
    CHECK_CLOSE(p.normalised_entropy, 0.75, 1e-14);
    assert_int_equal(p.ruled_out, 1);
    assert_false(p.is_unexplained);
    sc_posterior_fini(&p);
    sc_posterior_fini(&p);
    assert_null(p.links);
}

static void test_what_cannot_be_told_apart_has_all_entropy_and_what_is_certain_none(void **state)
{
    (void)state;
    world w;
    world_open(&w, 3, 7);
    for (size_t i = 0; i < MOST_NUMBERS; i++) {
        w.rows[i] = 0.3;
    }
    sc_posterior p = believe(&w);
    CHECK_CLOSE(p.normalised_entropy, 1, 1e-12);
    CHECK_CLOSE(p.effective, 7, 1e-9);
    CHECK_CLOSE(p.normalised_error, 0, 1e-9);
    sc_posterior_fini(&p);

    memset(w.rows, 0, sizeof w.rows);
    w.rows[2] = w.rows[9] = w.rows[16] = 0.1;
    p = believe(&w);
    CHECK_SAME(p.links[2].linkability, 1);
    CHECK_SAME(p.entropy, 0);
    CHECK_SAME(p.normalised_entropy, 0);
    CHECK_SAME(p.effective, 1);
    CHECK_SAME(p.normalised_error, 0);
    assert_int_equal(p.ruled_out, 6);
    sc_posterior_fini(&p);
}

static void test_a_cloak_of_one_segment_hides_nothing(void **state)
{
    (void)state;
    world w;
    world_open(&w, 2, 1);
    w.rows[0] = 0.2;
    sc_posterior p = believe(&w);
    check_numbers(&p);
    CHECK_SAME(p.links[0].linkability, 1);
    CHECK_SAME(p.normalised_entropy, 0);
    CHECK_SAME(p.effective, 1);
    sc_posterior_fini(&p);
}

static void test_a_cloak_that_nothing_explains_leaves_the_prior(void **state)
{
    (void)state;
    for (size_t batches = 0; batches <= 3; batches++) {
        world w;
        world_open(&w, batches, 3);
        w.prior[0] = 0.5;
        w.prior[1] = w.prior[2] = 0.25;
        sc_posterior p = believe(&w);
        check_numbers(&p);
        assert_true(p.is_unexplained);
        CHECK_SAME(p.links[0].linkability, 0.5);
        CHECK_SAME(p.links[2].linkability, 0.25);
        CHECK_SAME(p.entropy, 1.5);
        CHECK_SAME(p.normalised_error, 0);
        CHECK_SAME(p.normalised_bias, 0);
        assert_int_equal(p.ruled_out, 0);
        sc_posterior_fini(&p);
    }
}

static void check_equal(const sc_posterior *a, const sc_posterior *b)
{
    for (size_t i = 0; i < a->link_count; i++) {
        CHECK_CLOSE(a->links[i].linkability, b->links[i].linkability, 1e-12);
        CHECK_CLOSE(a->links[i].error, b->links[i].error, 1e-9);
    }
    CHECK_CLOSE(a->entropy, b->entropy, 1e-11);
    CHECK_CLOSE(a->normalised_error, b->normalised_error, 1e-9);
    CHECK_CLOSE(a->normalised_bias, b->normalised_bias, 1e-9);
    assert_int_equal(a->ruled_out, b->ruled_out);
    assert_int_equal(a->is_unexplained, b->is_unexplained);
}

static void test_only_how_likelihoods_compare_matters(void **state)
{
    (void)state;
    // The last two go to the ends of what a double can hold; the smallest are rounded there.
    static const double factors[] = {2, 1e-3, 1e200, 1e-300, 1e303, 1e-305};
    sc_rng rng;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng_seed(&rng, seed);
        world w;
        world_make(&w, &rng);
        sc_posterior p = believe(&w);
        check_numbers(&p);
        const double factor = factors[seed % (sizeof factors / sizeof *factors)];
        for (size_t i = 0; i < MOST_NUMBERS; i++) {
            w.rows[i] *= factor;
        }
        sc_posterior scaled = believe(&w);
        check_equal(&p, &scaled);
        sc_posterior_fini(&p);
        sc_posterior_fini(&scaled);
    }
    check_case_done();
}

static void test_the_order_of_places_and_of_rows_does_not_matter(void **state)
{
    (void)state;
    sc_rng rng;
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        sc_rng_seed(&rng, seed);
        static world w;
        static world turned;
        world_make(&w, &rng);
        turned = w;
        turned.likelihoods.rows = turned.rows;
        const size_t places = w.likelihoods.place_count;
        const size_t batches = w.likelihoods.batch_count;
        for (size_t i = 0; i < places * batches; i++) {
            turned.rows[i] = w.rows[places * batches - 1 - i];
        }
        for (size_t i = 0; i < places; i++) {
            turned.prior[i] = w.prior[places - 1 - i];
        }
        sc_posterior p = believe(&w);
        sc_posterior q = believe(&turned);
        for (size_t i = 0; i < places / 2; i++) {
            const sc_link first = q.links[i];
            q.links[i] = q.links[places - 1 - i];
            q.links[places - 1 - i] = first;
        }
        check_equal(&p, &q);
        sc_posterior_fini(&p);
        sc_posterior_fini(&q);
    }
    check_case_done();
}

// --- Errors and bias ----------------------------------------------------------------------

/** Sums of estimates, each made without one of the rows. */
typedef struct slow_jackknife {
    double links[MOST_PLACES];
    double link_squares[MOST_PLACES];
    double normalised;
    double normalised_squares;
    double drift;  ///< of those that say something, from the whole
} slow_jackknife;

static slow_jackknife leave_each_out(const world *w)
{
    slow_jackknife sums = {.normalised = 0};
    const size_t places = w->likelihoods.place_count;
    const size_t batches = w->likelihoods.batch_count;
    sc_posterior whole = believe(w);
    for (size_t without = 0; without < batches; without++) {
        static world fewer;
        fewer = *w;
        fewer.likelihoods = (sc__likelihoods){fewer.rows, batches - 1, places};
        memmove(fewer.rows + without * places, fewer.rows + (without + 1) * places,
                (batches - 1 - without) * places * sizeof *fewer.rows);
        sc_posterior p = believe(&fewer);
        for (size_t i = 0; i < places; i++) {
            sums.links[i] += p.links[i].linkability;
            sums.link_squares[i] += p.links[i].linkability * p.links[i].linkability;
        }
        sums.normalised += p.normalised_entropy;
        sums.normalised_squares += p.normalised_entropy * p.normalised_entropy;
        if (!p.is_unexplained) sums.drift += p.normalised_entropy - whole.normalised_entropy;
        sc_posterior_fini(&p);
    }
    sc_posterior_fini(&whole);
    return sums;
}

static double slow_error(double sum, double squares, double n)
{
    return sqrt((n - 1) * fmax(squares / n - sum / n * (sum / n), 0));
}

static void check_by_leaving_out(const world *w)
{
    const double n = (double)w->likelihoods.batch_count;
    const slow_jackknife slow = leave_each_out(w);
    sc_posterior p = believe(w);
    check_numbers(&p);
    for (size_t i = 0; i < p.link_count; i++) {
        CHECK_CLOSE(p.links[i].error, slow_error(slow.links[i], slow.link_squares[i], n), 2e-7);
    }
    CHECK_CLOSE(p.normalised_error, slow_error(slow.normalised, slow.normalised_squares, n), 2e-7);
    CHECK_CLOSE(p.normalised_bias, (n - 1) / n * slow.drift, 1e-10);
    sc_posterior_fini(&p);
}

static void test_errors_and_bias_are_those_of_leaving_out_each_row(void **state)
{
    (void)state;
    sc_rng rng;
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        sc_rng_seed(&rng, seed);
        world w;
        world_make(&w, &rng);
        if (w.likelihoods.batch_count >= 2) check_by_leaving_out(&w);
    }
    check_case_done();
}

// Without the one fruitful row nothing is known but the prior.
static void test_a_single_row_that_says_something_is_not_trusted(void **state)
{
    (void)state;
    for (size_t fruitful = 0; fruitful < 8; fruitful++) {
        world w;
        world_open(&w, 8, 4);
        w.rows[fruitful * 4 + 1] = 0.7;
        check_by_leaving_out(&w);
        sc_posterior p = believe(&w);
        assert_false(p.is_unexplained);
        CHECK_SAME(p.links[1].linkability, 1);
        assert_true(p.links[1].error > 0.5);
        assert_true(p.normalised_error > 0.5);
        CHECK_SAME(p.normalised_bias, 0);
        sc_posterior_fini(&p);
    }
}

static void test_one_row_has_no_errors(void **state)
{
    (void)state;
    world w;
    world_open(&w, 1, 3);
    w.rows[0] = 1;
    w.rows[1] = 2;
    sc_posterior p = believe(&w);
    check_numbers(&p);
    CHECK_SAME(p.links[0].error, 0);
    CHECK_SAME(p.normalised_error, 0);
    CHECK_SAME(p.normalised_bias, 0);
    sc_posterior_fini(&p);
}

/** What many attacks on one cloak came to, beside what each of them said of itself. */
typedef struct outcome {
    double link_deviation[MOST_PLACES];  ///< as observed
    double link_error[MOST_PLACES];      ///< as stated: the root of the mean square
    double deviation;                    ///< of the normalised entropy
    double error;
    double bias;         ///< mean less truth
    double stated_bias;  ///< the mean
} outcome;

static size_t draw(sc_rng *rng, const double *p, size_t places)
{
    double left = sc_rng_unit(rng);
    size_t i = 0;
    for (; i + 1 < places && left >= p[i]; i++) {
        left -= p[i];
    }
    return i;
}

// Each attack is a multinomial: 32 batches of `draws` replays, each for one place by `truth`.
static outcome simulate(const double *truth, size_t places, size_t draws, uint64_t seed)
{
    enum { ATTACKS = 1500, BATCHES = 32 };
    outcome o = {.deviation = 0};
    double mean = 0;
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (size_t attack = 0; attack < ATTACKS; attack++) {
        world w;
        world_open(&w, BATCHES, places);
        for (size_t i = 0; i < BATCHES * draws; i++) {
            w.rows[i % BATCHES * places + draw(&rng, truth, places)] += 1;
        }
        sc_posterior p = believe(&w);
        for (size_t i = 0; i < places; i++) {
            o.link_deviation[i] += pow(p.links[i].linkability - truth[i], 2) / ATTACKS;
            o.link_error[i] += pow(p.links[i].error, 2) / ATTACKS;
        }
        mean += p.normalised_entropy / ATTACKS;
        o.deviation += pow(p.normalised_entropy, 2) / ATTACKS;
        o.error += pow(p.normalised_error, 2) / ATTACKS;
        o.stated_bias += p.normalised_bias / ATTACKS;
        sc_posterior_fini(&p);
    }
    for (size_t i = 0; i < places; i++) {
        o.link_deviation[i] = sqrt(o.link_deviation[i]);
        o.link_error[i] = sqrt(o.link_error[i]);
    }
    o.deviation = sqrt(o.deviation - mean * mean);
    o.error = sqrt(o.error);
    o.bias = mean - sc__entropy_normalised(sc__entropy(truth, places), places);
    return o;
}

// 1,500 attacks tell a deviation to within 2 % (one in sqrt(2 * 1,500)), and what is stated comes
// from 32 batches; the jackknife errs on the large side where there are few replays.
static void check_stated(const double *truth, size_t places, size_t draws, uint64_t seed)
{
    const outcome o = simulate(truth, places, draws, seed);
    for (size_t i = 0; i < places; i++) {
        CHECK_CLOSE(o.link_error[i] / o.link_deviation[i], 1, 0.10);
    }
    CHECK_CLOSE(o.error / o.deviation, 1.05, 0.15);
    assert_true(o.bias < 0);
    CHECK_CLOSE(o.stated_bias / o.bias, 1, 0.25);
}

static void test_stated_errors_and_bias_are_what_simulations_show(void **state)
{
    (void)state;
    static const double even[] = {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125};
    static const double uneven[] = {0.4, 0.3, 0.1, 0.1, 0.05, 0.05};
    static const double lopsided[] = {0.9, 0.05, 0.05};
    check_stated(uneven, 6, 4, 1);
    check_stated(uneven, 6, 20, 2);
    check_stated(lopsided, 3, 10, 3);

    // Where all are alike the entropy is all there is, every estimate is below it, and its spread
    // is no bell: the links are as before, and the bias is what matters.
    const outcome o = simulate(even, 8, 10, 4);
    CHECK_CLOSE(o.link_error[3] / o.link_deviation[3], 1, 0.10);
    assert_true(o.bias < 0);
    CHECK_CLOSE(o.stated_bias / o.bias, 1, 0.25);
    // (places - 1) / (2 replays ln 2) bits, by the books.
    CHECK_CLOSE(o.bias / (-7 / (2 * 320 * log(2)) / log2(8)), 1, 0.10);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_entropy_is_that_of_coins_and_dice),
    cmocka_unit_test(test_no_die_has_more_than_all_entropy),
    cmocka_unit_test(test_linkabilities_are_shares_of_the_sum_of_all_rows),
    cmocka_unit_test(test_what_cannot_be_told_apart_has_all_entropy_and_what_is_certain_none),
    cmocka_unit_test(test_a_cloak_of_one_segment_hides_nothing),
    cmocka_unit_test(test_a_cloak_that_nothing_explains_leaves_the_prior),
    SC_CASES(test_only_how_likelihoods_compare_matters),
    SC_CASES(test_the_order_of_places_and_of_rows_does_not_matter),
    SC_CASES(test_errors_and_bias_are_those_of_leaving_out_each_row),
    cmocka_unit_test(test_a_single_row_that_says_something_is_not_trusted),
    cmocka_unit_test(test_one_row_has_no_errors),
    cmocka_unit_test(test_stated_errors_and_bias_are_what_simulations_show),
};
SC_SUITE(tests)
