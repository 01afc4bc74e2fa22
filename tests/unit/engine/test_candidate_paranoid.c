// A paranoid engine: what it is asked to accept is checked again by src/lib/verify.
// Honest cloaks pass; one that was changed on its way does not, is counted, and its
// members go on.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

enum { STREAMS = 400 };

static void count(void *context, const sc_cloak *cloak, sc_time now)
{
    (void)cloak;
    (void)now;
    ++*(uint64_t *)context;
}

static void test_honest_cloaks_pass(void **state)
{
    (void)state;
    uint64_t cloaks = 0;
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        sc_engine_options options = stream_options(seed);
        options.is_paranoid = true;
        stream s = stream_new(seed, map);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_engine *engine = NULL;
        CHECK_OK(sc_engine_new(map, &options, &rng, &engine, NULL), NULL);
        stream_drive(&s, engine, count, &cloaks);  // which fails where an acceptance does
        assert_int_equal(sc_engine_get_stats(engine).broken, 0);
        sc_engine_free(engine);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(cloaks > STREAMS);
}

// --- Tampering -------------------------------------------------------------------

static const char street[] = "o   o   o   o   o\n"
                             "|   |   |   |   |\n"
                             "A---B---C---D---E\n"
                             "|   |   |   |   |\n"
                             "o   o   o   o   o\n";

/** Two at A and B who reach no farther than each other, with all that they share. */
static sc_cloak *propose(stage *st)
{
    sc_engine_options options = sc_engine_options_default();
    options.is_paranoid = true;
    stage_open(st, street, "", &options);
    for (uint32_t number = 1; number <= 2; number++) {
        sc_query query = stage_query(st, number, "AB"[number - 1], 2, 1000);
        query.max_hops = 1;
        query.l = 6;  // all segments of A and B
        stage_ask(st, &query, 0);
    }
    sc_cloak *cloak = stage_take(st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    assert_int_equal(cloak->star_count, 2);
    assert_int_equal(cloak->segment_count, 6);
    return cloak;
}

/** A change to a cloak; lists may be replaced by longer ones. */
typedef void tampering(const stage *st, sc_cloak *cloak);

static void drop_a_segment(const stage *st, sc_cloak *cloak)
{
    (void)st;
    cloak->segment_count--;
}

static void swap_segments(const stage *st, sc_cloak *cloak)
{
    (void)st;
    const sc_seg_id first = cloak->segments[0];
    cloak->segments[0] = cloak->segments[1];
    cloak->segments[1] = first;
}

static void replace_a_segment(const stage *st, sc_cloak *cloak)
{
    const sc_seg_id far = stage_dead_end(st, 'E');
    for (size_t i = 0; i < cloak->segment_count; i++) {
        assert_int_not_equal(cloak->segments[i], far);
    }
    cloak->segments[cloak->segment_count - 1] = far;
}

static void drop_a_star(const stage *st, sc_cloak *cloak)
{
    (void)st;
    cloak->star_count--;
}

static void add_a_star(const stage *st, sc_cloak *cloak)
{
    static sc_star_id stars[3];
    size_t count_below = 0;
    const sc_star_id added = stage_star(st, 'E');
    while (count_below < 2 && cloak->stars[count_below] < added) {
        stars[count_below] = cloak->stars[count_below];
        count_below++;
    }
    stars[count_below] = added;
    for (size_t i = count_below; i < 2; i++) {
        stars[i + 1] = cloak->stars[i];
    }
    cloak->stars = stars;
    cloak->star_count = 3;
}

static void drop_a_border_node(const stage *st, sc_cloak *cloak)
{
    (void)st;
    assert_int_equal(cloak->border_node_count, 1);
    cloak->border_node_count = 0;
}

static void move_a_member_to_another_star(const stage *st, sc_cloak *cloak)
{
    cloak->members[0].star = stage_star(st, 'C');
}

static const struct {
    const char *what;
    tampering *change;
} tamperings[] = {
    {"drop a segment", drop_a_segment},
    {"swap segments", swap_segments},
    {"replace a segment", replace_a_segment},
    {"drop a star", drop_a_star},
    {"add a star", add_a_star},
    {"drop a border node", drop_a_border_node},
    {"move a member to another star", move_a_member_to_another_star},
};

static void test_a_cloak_that_was_tampered_with_is_refused_and_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tamperings / sizeof *tamperings; i++) {
        stage st;
        sc_cloak *cloak = propose(&st);
        sc_star_id *stars = cloak->stars;
        tamperings[i].change(&st, cloak);
        sc_diag diag = {""};
        const sc_err err = sc_engine_accept(st.engine, cloak, 0, &diag);
        if (err != SC_EBROKEN) fail_msg("%s: %s", tamperings[i].what, sc_err_text(err));
        CHECK_CONTAINS(diag.message, "P");  // which promise
        assert_int_equal(sc_engine_get_stats(st.engine).broken, 1);
        assert_int_equal(sc_engine_get_stats(st.engine).accepted, 0);
        assert_int_equal(sc_engine_get_stats(st.engine).proposed, 2);

        CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
        cloak->stars = stars;
        sc_cloak_free(cloak);
        assert_int_equal(sc_engine_get_stats(st.engine).refused, 1);

        // The queries themselves are as they were, and find an honest cloak.
        stage_run(&st, 0);
        cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){1, 2, 0});
        CHECK_OK(sc_engine_accept(st.engine, cloak, 0, &diag), &diag);
        assert_int_equal(sc_engine_get_stats(st.engine).accepted, 2);
        sc_cloak_free(cloak);
        stage_close(&st);
    }
}

// What a cloak says of its members is not believed either: the engine goes by the queries as they
// were given to it. Here S lacks a segment, and the members seem content with five.
static void test_needs_that_were_lowered_hide_nothing(void **state)
{
    (void)state;
    stage st;
    sc_cloak *cloak = propose(&st);
    for (size_t i = 0; i < cloak->member_count; i++) {
        cloak->members[i].query.l = 1;
        cloak->members[i].query.k = 1;
        cloak->members[i].query.deadline = SC_TIME_NEVER;
    }
    cloak->deadline = SC_TIME_NEVER;
    assert_int_equal(sc_engine_accept(st.engine, cloak, 1001, NULL), SC_ELATE);
    cloak->segment_count--;
    assert_int_equal(sc_engine_accept(st.engine, cloak, 0, NULL), SC_EBROKEN);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_late_cloak_is_late_and_not_broken(void **state)
{
    (void)state;
    stage st;
    sc_cloak *cloak = propose(&st);
    assert_int_equal(sc_engine_accept(st.engine, cloak, 1001, NULL), SC_ELATE);
    assert_int_equal(sc_engine_get_stats(st.engine).broken, 0);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_honest_cloaks_pass),
    cmocka_unit_test(test_a_cloak_that_was_tampered_with_is_refused_and_counted),
    cmocka_unit_test(test_needs_that_were_lowered_hide_nothing),
    cmocka_unit_test(test_a_late_cloak_is_late_and_not_broken),
};
SC_SUITE(tests)
