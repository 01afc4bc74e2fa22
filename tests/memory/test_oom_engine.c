// Every allocation of an engine's life fails once, in turn: queries come, find cloaks, expire, are
// removed and refused. A call that fails for lack of memory says so, and the same call again
// succeeds; in the end every query has ended once. Nothing leaks (the address sanitizer looks).
//
// Where no star is left to chance everything comes out as if nothing had been. Elsewhere it need
// not: a star that was drawn before memory ran out is drawn again.
#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/streams.h"

/** What came out, number by number. Not from the library's allocator: that one is failing. */
typedef struct diary {
    uint64_t *at;
    size_t count;
} diary;

static void note(diary *d, uint64_t what)
{
    d->at = realloc(d->at, (d->count + 1) * sizeof *d->at);
    if (!d->at) abort();
    d->at[d->count++] = what;
}

static void note_cloak(diary *d, const sc_cloak *cloak)
{
    for (size_t i = 0; i < cloak->star_count; i++) {
        note(d, cloak->stars[i]);
    }
    for (size_t i = 0; i < cloak->segment_count; i++) {
        note(d, cloak->segments[i]);
    }
    for (size_t i = 0; i < cloak->border_node_count; i++) {
        note(d, cloak->border_nodes[i]);
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        note(d, cloak->members[i].query.user);
        note(d, cloak->members[i].star);
    }
}

/** One engine's life. */
typedef struct life {
    stream s;
    sc_rng rng;
    sc_rng prune_rng;
    sc_engine *engine;
    sc_pruner *pruner;
    bool has_no_choice;  ///< queries come from dead ends alone
    diary told;
    unsigned failures;  ///< calls that had to be made again
} life;

// Whether a call failed because the allocator did: then memory is there again, and it is called
// once more.
static bool must_try_again(life *l, sc_err err)
{
    if (err != SC_ENOMEM) return false;
    assert_true(oom_happened());
    assert_int_equal(l->failures++, 0);
    return true;
}

/** The result of a call that is made again if memory was out. */
#define INSIST(l, err, call)                    \
    do {                                        \
        (err) = (call);                         \
        if (must_try_again((l), (err))) {       \
            (err) = (call);                     \
        }                                       \
        assert_int_not_equal((err), SC_ENOMEM); \
    } while (0)

static void answer(life *l, sc_cloak *cloak)
{
    sc_err err = SC_OK;
    sc_query_id gone[STREAM_QUERIES];
    size_t gone_count = 0;
    // A proposal that waits holds no memory that matters here: it is accepted.
    if (stream_answer(&l->s, cloak, gone, &gone_count) == ANSWER_REFUSE) {
        CHECK_OK(sc_engine_refuse(l->engine, cloak, gone, gone_count), NULL);
        for (size_t i = 0; i < gone_count; i++) {
            stream_end(&l->s, &gone[i]);
        }
    } else {
        INSIST(l, err, sc_engine_accept(l->engine, cloak, l->s.now, NULL));
        CHECK_OK(err, NULL);
        note_cloak(&l->told, cloak);
        for (size_t i = 0; i < cloak->member_count; i++) {
            stream_end(&l->s, &cloak->members[i].query.id);
        }
    }
    sc_cloak_free(cloak);
}

static void run(life *l)
{
    sc_err err = SC_OK;
    INSIST(l, err, sc_engine_run(l->engine, l->s.now));
    CHECK_OK(err, NULL);
    for (sc_drop drop; sc_engine_take_drop(l->engine, &drop);) {
        stream_end(&l->s, &drop.query.id);
        note(&l->told, drop.query.user);
        note(&l->told, drop.reason);
        note(&l->told, (uint64_t)drop.t);
    }
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(l->engine));) {
        note_cloak(&l->told, cloak);
        INSIST(l, err, sc_prune(l->pruner, cloak, &l->prune_rng));
        CHECK_OK(err, NULL);
        answer(l, cloak);
    }
}

// The dead end at or after a segment.
static sc_seg_id next_dead_end(const sc_map *map, sc_seg_id segment)
{
    while (sc_map_segments(map)[segment].star_b != SC_NONE) {
        segment = (segment + 1) % sc_map_segment_count(map);
    }
    return segment;
}

static void add(life *l, sc_query query, bool is_company)
{
    sc_err err = SC_OK;
    if (l->has_no_choice) query.segment = next_dead_end(l->s.map, query.segment);
    if (is_company) {
        INSIST(l, err, sc_engine_add_company(l->engine, &query));
    } else {
        INSIST(l, err, sc_engine_add(l->engine, &query));
    }
    CHECK_OK(err, NULL);
}

static void take_step(life *l, const step *now)
{
    switch (now->kind) {
    case STEP_ADD:
        add(l, now->query, false);
        break;
    case STEP_ADD_COMPANY:
        add(l, now->query, true);
        break;
    case STEP_ADD_BAD:
        assert_int_equal(sc_engine_add(l->engine, &now->query), now->refusal);
        break;
    case STEP_REMOVE:
        if (sc_engine_remove(l->engine, &now->id) == SC_OK) stream_end(&l->s, &now->id);
        break;
    case STEP_RUN:
        run(l);
        break;
    }
}

static void live(life *l, uint64_t seed, const sc_map *map, const sc_engine_options *options,
                 bool has_no_choice)
{
    sc_err err = SC_OK;
    *l = (life){.s = stream_new(seed, map), .has_no_choice = has_no_choice};
    l->s.user_count = 12;
    l->s.least_k = 1;
    l->s.most_k = 3;
    l->s.most_hops = 4;
    l->s.longest_wait = 60;
    sc_rng_seed(&l->rng, seed);
    sc_rng_seed(&l->prune_rng, seed + 1);
    INSIST(l, err, sc_engine_new(map, options, &l->rng, &l->engine, NULL));
    CHECK_OK(err, NULL);
    INSIST(l, err, sc_pruner_new(map, &l->pruner));
    CHECK_OK(err, NULL);
    for (step now; stream_next(&l->s, sc_engine_next_wake(l->engine), &now);) {
        take_step(l, &now);
    }
    for (sc_time wake; (wake = sc_engine_next_wake(l->engine)) != SC_TIME_NEVER;) {
        if (wake > l->s.now) l->s.now = wake;
        run(l);
    }
    stream_check_ends(&l->s);
    const sc_engine_stats stats = sc_engine_stats_of(l->engine);
    assert_int_equal(stats.pending + stats.proposed + stats.company_held + stats.vertices, 0);
    note(&l->told, stats.added);
    note(&l->told, stats.accepted);
    note(&l->told, stats.removed);
    sc_engine_free(l->engine);
    sc_pruner_free(l->pruner);
}

// One life after the other; in the n-th the n-th allocation fails. Returns how many there were.
static unsigned long fail_each(uint64_t seed, const sc_engine_options *options, bool has_no_choice)
{
    sc_map *map = stream_long_street(seed);
    life untroubled;
    live(&untroubled, seed, map, options, has_no_choice);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        life l;
        live(&l, seed, map, options, has_no_choice);
        // An allocation may fail without a call that does, where it could be done without.
        const bool has_failed = oom_happened() || l.failures > 0;
        if (has_no_choice || !has_failed) {
            assert_int_equal(l.told.count, untroubled.told.count);
            assert_memory_equal(l.told.at, untroubled.told.at, l.told.count * sizeof *l.told.at);
        }
        free(l.told.at);
        if (!has_failed) break;
        failures++;
    }
    free(untroubled.told.at);
    sc_map_free(map);
    return failures;
}

static void fail_in_every_variant(bool has_no_choice)
{
    for (uint64_t seed = 0; seed < 9; seed++) {
        check_case(seed);
        sc_engine_options options = sc_engine_options_default();
        options.variant = (sc_variant)(seed % 3);
        options.consideration_us = 20;
        options.is_paranoid = seed < 3;
        const unsigned long failures = fail_each(seed, &options, has_no_choice);
        print_message("# %s: %lu\n", sc_variant_name(options.variant), failures);
        assert_true(failures > 15);  // an engine takes about ten, and each candidate one
    }
    check_case_done();
}

static void test_without_chance_a_failed_allocation_makes_no_difference(void **state)
{
    (void)state;
    fail_in_every_variant(true);
}

static void test_with_chance_every_query_still_ends_once(void **state)
{
    (void)state;
    fail_in_every_variant(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SC_CASES(test_without_chance_a_failed_allocation_makes_no_difference),
        SC_CASES(test_with_chance_every_query_still_ends_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
