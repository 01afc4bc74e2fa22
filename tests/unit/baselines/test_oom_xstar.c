// Every allocation of an XStar engine's life fails once, in turn: groups form, grow together,
// are loosened by an expiry and by a removal, and one super-star is refused. A call that fails
// says so, and the same call again succeeds; as no star is left to chance, everything then comes
// out as if nothing had been. Nothing leaks (the address sanitizer looks).
#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/streams.h"

enum { DIARY = 400 };

/** One engine's life. */
typedef struct life {
    sc_rng rng;
    sc_rng prune_rng;
    sc_engine *engine;
    sc_pruner *pruner;
    uint64_t diary[DIARY];  ///< what came out, number by number
    size_t noted;
    bool has_failed;
} life;

static void note(life *l, uint64_t what)
{
    assert_true(l->noted < DIARY);
    l->diary[l->noted++] = what;
}

/** Make a call, and if memory was out, once more with all there is. */
#define INSIST(l, call)                  \
    do {                                 \
        sc_err err_ = (call);            \
        if (err_ == SC_ENOMEM) {         \
            assert_true(oom_happened()); \
            (l)->has_failed = true;      \
            err_ = (call);               \
        }                                \
        CHECK_OK(err_, NULL);            \
    } while (0)

// Junctions in a row, each with a dead end on either side; star `at` is the `at`-th from the left.
static sc_map *long_street(void)
{
    enum { JUNCTIONS = 90 };  // more than one word of bits
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t i = 0; i < JUNCTIONS; i++) {
        const uint32_t junction = sketch_add_node(&s, 100.0 * i, 0);
        const uint32_t up = sketch_add_node(&s, 100.0 * i, 50);
        const uint32_t down = sketch_add_node(&s, 100.0 * i, -50);
        sketch_add_edge(&s, junction, up, 50);
        sketch_add_edge(&s, junction, down, 50);
        if (i > 0) sketch_add_edge(&s, junction, junction - 3, 100);
    }
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

// A dead end of the `at`-th junction.
static sc_seg_id dead_end(const sc_map *map, uint32_t at)
{
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        if (segments[s].star_b != SC_NONE) continue;
        if (sc_map_stars(map)[segments[s].star_a].node == 3 * at) return s;
    }
    fail_msg("no such junction");
    return SC_NONE;
}

static void run(life *l, sc_time now, bool is_refused)
{
    INSIST(l, sc_engine_run(l->engine, now));
    for (sc_drop drop; sc_engine_take_drop(l->engine, &drop);) {
        note(l, drop.query.user);
        note(l, drop.reason);
    }
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(l->engine));) {
        INSIST(l, sc_pruner_prune(l->pruner, cloak, &l->prune_rng));
        note(l, cloak->star_count);
        note(l, cloak->segment_count);
        for (size_t i = 0; i < cloak->member_count; i++) {
            note(l, cloak->members[i].query.user);
        }
        if (is_refused) {
            CHECK_OK(sc_engine_refuse(l->engine, cloak, NULL, 0), NULL);
        } else {
            INSIST(l, sc_engine_accept(l->engine, cloak, now, NULL));
        }
        sc_cloak_free(cloak);
    }
}

/** A query of the script: at time `t`, from the `at`-th junction. */
typedef struct line {
    sc_time t;
    uint32_t at;
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    sc_time deadline;
} line;

static void live(life *l, const sc_map *map, uint32_t k_spread)
{
    static const line script[] = {
        {0, 30, 3, 200, 80, 900},                        // wants most of the street
        {0, 31, 2, 5, 3, 900},                           // is in its way
        {1, 44, 3, 5, 8, 900},    {1, 44, 2, 5, 2, 50},  // holds its group back until it expires
        {2, 46, 2, 5, 8, 900},    {3, 47, 3, 9, 8, 900},
        {60, 10, 2, 30, 80, 900}, {61, 12, 2, 1, 80, 900},  // both are refused once
        {62, 33, 3, 1, 80, 900},  {63, 30, 1, 1, 80, 900},  // by now no query is in the way
    };
    enum { LINES = sizeof script / sizeof *script, REFUSED = 7, IN_THE_WAY = 1, LEAVES_BEFORE = 8 };
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_XSTAR;
    options.is_paranoid = true;
    options.k_spread = k_spread;
    *l = (life){0};
    sc_rng_seed(&l->rng, 1);
    sc_rng_seed(&l->prune_rng, 2);
    INSIST(l, sc_engine_new(map, &options, &l->rng, &l->engine, NULL));
    INSIST(l, sc_pruner_new(map, &l->pruner));
    for (uint32_t i = 0; i < LINES; i++) {
        const line *q = &script[i];
        const sc_query query =
            plain_query(i + 1, dead_end(map, q->at), q->k, q->l, q->max_hops, q->deadline);
        const sc_query_id in_the_way = plain_id(IN_THE_WAY + 1);
        if (i == LEAVES_BEFORE) CHECK_OK(sc_engine_remove(l->engine, &in_the_way), NULL);
        INSIST(l, sc_engine_add(l->engine, &query));
        run(l, q->t, i == REFUSED);
    }
    run(l, 901, false);
    assert_int_equal(sc_engine_next_wake(l->engine), SC_TIME_NEVER);
    note(l, sc_engine_get_stats(l->engine).accepted);
    note(l, sc_engine_get_stats(l->engine).refused);
    sc_engine_free(l->engine);
    sc_pruner_free(l->pruner);
}

/** Compare all lives with a failure to one without; `accepted` of the ten queries are cloaked. */
static void compare_lives(uint32_t k_spread, uint64_t accepted)
{
    sc_map *map = long_street();
    life untroubled;
    live(&untroubled, map, k_spread);
    print_message("# %lu of 10 cloaked\n", untroubled.diary[untroubled.noted - 2]);
    assert_int_equal(untroubled.diary[untroubled.noted - 2], accepted);
    assert_int_equal(untroubled.diary[untroubled.noted - 1], 1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        life l;
        live(&l, map, k_spread);
        const bool has_failed = oom_happened() || l.has_failed;
        assert_int_equal(l.noted, untroubled.noted);
        assert_memory_equal(l.diary, untroubled.diary, l.noted * sizeof *l.diary);
        if (!has_failed) break;
        failures++;
    }
    print_message("# %lu allocations failed\n", failures);
    assert_true(failures > 30);
    sc_map_free(map);
}

static void test_a_failed_allocation_makes_no_difference(void **state)
{
    (void)state;
    compare_lives(0, 8);
}

// Groups that come along are listed in memory of their own. Those who want three are not taken
// along by those who want one.
static void test_nor_does_one_with_a_spread_of_k(void **state)
{
    (void)state;
    compare_lives(2, 6);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_failed_allocation_makes_no_difference),
    cmocka_unit_test(test_nor_does_one_with_a_spread_of_k),
};
SC_SUITE(tests)
