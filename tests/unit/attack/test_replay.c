// One replay: who is put where with which needs, in which order, and how like S the outcome is.
//
// A cloaker that only looks (`spy`) counts what it is given; what comes of a replay is what a test
// tells it to say.
#include "attack/replay.h"

#include "support/check.h"

#include <math.h>

enum { PLACES = 6, STRANGERS = 3, INJECTED = 2, MEMBERS = STRANGERS + INJECTED };

static const sc_seg_id segments[PLACES] = {3, 5, 64, 70, 127, 128};
static const sc_needs strangers[STRANGERS] = {{2, 11, 1, 0}, {3, 12, 2, 10}, {4, 13, 3, 20}};
static const sc_injected injected[INJECTED] = {{64, {5, 14, 4, 30}}, {128, {6, 15, 5, 40}}};

static const sc_sighting sighting = {segments, PLACES, strangers, STRANGERS, injected, INJECTED};

/** Where the strangers of these tests are put. */
static const uint32_t at[STRANGERS] = {0, 1, 3};

/** What a spy has seen, and what it says came of it. */
typedef struct spy {
    uint64_t replays;
    uint64_t dealt[STRANGERS][STRANGERS];  ///< needs by stranger
    uint64_t came[MEMBERS][MEMBERS];       ///< turns by member, strangers first
    uint64_t orders[120];                  ///< of all members
    // What it says: one cloak of the first `member_count` to come.
    const sc_seg_id *segments;
    size_t segment_count;
    size_t member_count;
    sc_err err;
} spy;

/** Which member a query is, by where it is. */
static size_t member_at(sc_seg_id segment)
{
    for (size_t i = 0; i < STRANGERS; i++) {
        if (segments[at[i]] == segment) return i;
    }
    for (size_t i = 0; i < INJECTED; i++) {
        if (injected[i].segment == segment) return STRANGERS + i;
    }
    fail_msg("no traveller should be on segment %u", segment);
    return 0;
}

static bool has_needs(const sc_query *query, const sc_needs *needs)
{
    return query->k == needs->k && query->l == needs->l && query->max_hops == needs->max_hops &&
           query->result_size == needs->result_size;
}

/** The number of an order of all members. */
static size_t order_of(const size_t *members)
{
    size_t number = 0;
    for (size_t i = 0; i < MEMBERS; i++) {
        size_t smaller = 0;
        for (size_t j = i + 1; j < MEMBERS; j++) {
            smaller += members[j] < members[i];
        }
        number = number * (MEMBERS - i) + smaller;
    }
    return number;
}

static sc_err look(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed)
{
    spy *s = opened;
    size_t members[MEMBERS] = {0};
    size_t places[MEMBERS] = {0, 1, 2, 3, 4};
    assert_int_equal(count, MEMBERS);
    for (size_t i = 0; i < count; i++) {
        members[i] = member_at(queries[i].segment);
        s->came[members[i]][i]++;
        assert_int_equal(queries[i].deadline, queries[0].deadline);
        for (size_t j = 0; j < i; j++) {
            assert_true(queries[i].user != queries[j].user);
            assert_memory_not_equal(&queries[i].id, &queries[j].id, sizeof queries[i].id);
        }
        if (members[i] >= STRANGERS) {
            assert_true(has_needs(&queries[i], &injected[members[i] - STRANGERS].needs));
            continue;
        }
        size_t found = 0;
        for (size_t j = 0; j < STRANGERS; j++) {
            if (!has_needs(&queries[i], &strangers[j])) continue;
            s->dealt[members[i]][j]++;
            found++;
        }
        assert_int_equal(found, 1);
    }
    s->orders[order_of(members)]++;
    s->replays++;
    if (s->member_count > 0) {
        sc_replayed_add(replayed, s->segments, s->segment_count, places, s->member_count);
    }
    return s->err;
}

/** One who replays with a spy. */
typedef struct fixture {
    spy spy;
    sc_cloaker cloaker;
    sc__segment_set cloak_set;
    sc__replay_setup setup;
    sc__replayer replayer;
} fixture;

static void fixture_open(fixture *f, sc_likeness likeness)
{
    *f = (fixture){.cloaker = {.replay = look}};
    f->replayer.cloaker = &f->spy;
    sc_rng_seed(&f->replayer.rng, 7);
    assert_true(sc__segment_set_init(&f->cloak_set, 200));
    sc__segment_set_add(&f->cloak_set, segments, PLACES);
    assert_true(sc__replayer_reserve(&f->replayer, MEMBERS));
    f->setup = (sc__replay_setup){&sighting, &f->cloak_set, likeness, &f->cloaker};
}

static void fixture_close(fixture *f)
{
    sc__replayer_fini(&f->replayer);
    sc__segment_set_fini(&f->cloak_set);
}

/** Within five deviations of a count of `trials`, each with probability `p`. */
static void check_count(uint64_t count, uint64_t trials, double p)
{
    const double mean = (double)trials * p;
    CHECK_CLOSE((double)count, mean, 5.0 * sqrt(mean * (1.0 - p)));
}

static void test_needs_and_order_are_drawn_again_and_fairly(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, SC_LIKENESS_OVERLAP);
    double row[PLACES] = {0};
    uint64_t fruitful = 0;
    for (int i = 0; i < 24000; i++) {
        CHECK_OK(sc__replay_all(&f.replayer, &f.setup, at, 1.0, row, &fruitful), NULL);
    }
    assert_int_equal(f.spy.replays, 24000);
    for (size_t i = 0; i < STRANGERS; i++) {
        for (size_t j = 0; j < STRANGERS; j++) {
            check_count(f.spy.dealt[i][j], f.spy.replays, 1.0 / STRANGERS);
        }
    }
    for (size_t i = 0; i < 120; i++) {
        check_count(f.spy.orders[i], f.spy.replays, 1.0 / 120);
    }
    assert_int_equal(fruitful, 0);  // it never said that anything came of it
    fixture_close(&f);
}

static void test_the_overlap_counts_for_strangers_who_are_members(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, SC_LIKENESS_OVERLAP);
    // Two of six are shared; one is beyond any map.
    static const sc_seg_id found[] = {0, 5, 65, 127, 4000000000};
    f.spy.segments = found;
    f.spy.segment_count = 5;
    f.spy.member_count = 1;
    double row[PLACES] = {0};
    uint64_t fruitful = 0;
    for (int i = 0; i < 300; i++) {
        CHECK_OK(sc__replay_all(&f.replayer, &f.setup, at, 0.5, row, &fruitful), NULL);
    }
    // The first arrival was the member; of an injected one nothing is to be learnt.
    uint64_t first = 0;
    for (size_t i = 0; i < STRANGERS; i++) {
        CHECK_CLOSE(row[at[i]], (double)f.spy.came[i][0] * 0.5 * 2.0 / 6.0, 1e-9);
        first += f.spy.came[i][0];
    }
    assert_true(first > 0 && first < 300);
    assert_int_equal(fruitful, first);
    CHECK_SAME(row[2], 0.0);
    CHECK_SAME(row[4], 0.0);
    CHECK_SAME(row[5], 0.0);
    fixture_close(&f);
}

static void test_exactly_alike_is_the_same_segments_with_all_members(void **state)
{
    (void)state;
    static const sc_seg_id more[] = {3, 5, 64, 70, 127, 128, 129};
    static const sc_seg_id other[] = {3, 5, 64, 70, 127, 129};
    static const struct {
        const sc_seg_id *segments;
        size_t segment_count;
        size_t member_count;
        double likeness;
    } cases[] = {
        {segments, PLACES, MEMBERS, 1.0},     {segments, PLACES, MEMBERS - 1, 0.0},
        {segments, PLACES - 1, MEMBERS, 0.0}, {more, PLACES + 1, MEMBERS, 0.0},
        {other, PLACES, MEMBERS, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        fixture_open(&f, SC_LIKENESS_EXACT);
        f.spy.segments = cases[i].segments;
        f.spy.segment_count = cases[i].segment_count;
        f.spy.member_count = cases[i].member_count;
        double row[PLACES] = {0};
        uint64_t fruitful = 0;
        CHECK_OK(sc__replay_all(&f.replayer, &f.setup, at, 1.0, row, &fruitful), NULL);
        for (size_t p = 0; p < PLACES; p++) {
            CHECK_SAME(row[p], p == 0 || p == 1 || p == 3 ? cases[i].likeness : 0.0);
        }
        assert_int_equal(fruitful, cases[i].likeness > 0.0);
        fixture_close(&f);
    }
}

static void test_several_on_one_place_count_each(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, SC_LIKENESS_OVERLAP);
    f.spy.segments = segments;
    f.spy.segment_count = PLACES;
    f.spy.member_count = MEMBERS;
    static const uint32_t together[STRANGERS] = {3, 3, 3};
    double row[PLACES] = {0};
    uint64_t fruitful = 0;
    CHECK_OK(sc__replay_all(&f.replayer, &f.setup, together, 0.25, row, &fruitful), NULL);
    CHECK_SAME(row[3], 0.75);
    assert_int_equal(fruitful, 1);
    fixture_close(&f);
}

static void test_what_the_cloaker_fails_with_is_told_and_nothing_added(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, SC_LIKENESS_OVERLAP);
    f.spy.segments = segments;
    f.spy.segment_count = PLACES;
    f.spy.member_count = MEMBERS;
    f.spy.err = SC_EBROKEN;
    double row[PLACES] = {0};
    uint64_t fruitful = 0;
    assert_int_equal(sc__replay_all(&f.replayer, &f.setup, at, 1.0, row, &fruitful), SC_EBROKEN);
    for (size_t p = 0; p < PLACES; p++) {
        CHECK_SAME(row[p], 0.0);
    }
    assert_int_equal(fruitful, 0);
    fixture_close(&f);
}

/** One traveller alone: asks for one user, and otherwise for what some stranger asked for. */
static sc_err look_at_one(void *opened, const sc_query *queries, size_t count,
                          sc_replayed *replayed)
{
    spy *s = opened;
    assert_int_equal(count, 1);
    assert_int_equal(queries[0].segment, segments[4]);
    size_t found = 0;
    for (size_t i = 0; i < STRANGERS; i++) {
        sc_needs needs = strangers[i];
        needs.k = 1;
        if (!has_needs(&queries[0], &needs)) continue;
        s->dealt[0][i]++;
        found++;
    }
    assert_int_equal(found, 1);
    s->replays++;
    sc_replayed_add(replayed, segments, PLACES, (const size_t[]){0}, 1);
    return SC_OK;
}

static void test_one_alone_asks_for_one_user_and_what_some_stranger_wants(void **state)
{
    (void)state;
    for (sc_likeness likeness = SC_LIKENESS_OVERLAP; likeness <= SC_LIKENESS_EXACT; likeness++) {
        fixture f;
        fixture_open(&f, likeness);
        f.cloaker.replay = look_at_one;
        double row[PLACES] = {0};
        uint64_t fruitful = 0;
        for (int i = 0; i < 3000; i++) {
            CHECK_OK(sc__replay_one(&f.replayer, &f.setup, 4, 0.5, row, &fruitful), NULL);
        }
        for (size_t j = 0; j < STRANGERS; j++) {
            check_count(f.spy.dealt[0][j], f.spy.replays, 1.0 / STRANGERS);
        }
        CHECK_SAME(row[4], 1500.0);
        assert_int_equal(fruitful, 3000);
        fixture_close(&f);
    }
}

static void test_an_outline_has_what_was_set_until_it_is_cleared(void **state)
{
    (void)state;
    sc__segment_set cloak_set;
    assert_true(sc__segment_set_init(&cloak_set, 129));
    static const sc_seg_id all[] = {0, 3, 5, 63, 64, 70, 127, 128, 129, SC_NONE};
    sc__segment_set_add(&cloak_set, segments, PLACES);
    assert_int_equal(sc__segment_set_count(&cloak_set, segments, PLACES), PLACES);
    assert_int_equal(sc__segment_set_count(&cloak_set, all, 10), PLACES);
    sc__segment_set_remove(&cloak_set, segments, PLACES);
    assert_int_equal(sc__segment_set_count(&cloak_set, all, 10), 0);
    sc__segment_set_fini(&cloak_set);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_needs_and_order_are_drawn_again_and_fairly),
    cmocka_unit_test(test_the_overlap_counts_for_strangers_who_are_members),
    cmocka_unit_test(test_exactly_alike_is_the_same_segments_with_all_members),
    cmocka_unit_test(test_several_on_one_place_count_each),
    cmocka_unit_test(test_what_the_cloaker_fails_with_is_told_and_nothing_added),
    cmocka_unit_test(test_one_alone_asks_for_one_user_and_what_some_stranger_wants),
    cmocka_unit_test(test_an_outline_has_what_was_set_until_it_is_cleared),
};
SC_SUITE(tests)
