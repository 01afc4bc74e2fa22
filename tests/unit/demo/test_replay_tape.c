// A record as a tape: what is on it, what it looks like at any moment, and what is refused.
#include "demo/replay_tape.h"

#include "base/rng.h"
#include "replay_record.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

static sc_map *map;
static sc_map_grid grid;

static int open_map(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 4);
    map = sketch_map(&s);
    sketch_free(&s);
    grid = sc_map_grid_of(map);
    return 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

static sc_err open_text(const char *text, size_t size, sc_tape **out, sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
    return sc_tape_of(map, &grid, &input, out, diag);
}

static sc_tape *tape_of(const script *s)
{
    sc_tape *tape = NULL;
    sc_diag diag = {""};
    CHECK_OK(open_text(s->text, s->size, &tape, &diag), &diag);
    return tape;
}

// --- By hand -------------------------------------------------------------------------------------

/** Two who find each other, one who does not, one whose provider fails, one with a failing cloak.
 */
static script story(void)
{
    script s = script_new(map);
    script_put(&s, "{\"event\":\"demands\",\"t\":0.000000,\"strict\":false}\n");
    script_query(&s, 0, 100.5, 3);
    script_query(&s, 1, 101.0, 4);
    script_query(&s, 2, 101.5, 5);
    script_cloak(&s, 7, 102.0, (const unsigned[]){0, 2}, 2);
    script_put(&s, "{\"event\":\"answer\",\"query\":\"q0\",\"cloak\":7,\"candidates\":0,"
                   "\"results\":[]}\n");
    script_loss(&s, "failed", 2, 104.0, "provider");  // later, and yet behind its cloak
    script_query(&s, 3, 103.0, 6);
    script_loss(&s, "drop", 1, 111.000001, "expired");
    script_loss(&s, "failed", 3, 112.0, "request");
    script_end(&s, 120);
    return s;
}

static void test_everything_that_happens_is_on_the_tape(void **state)
{
    (void)state;
    script s = story();
    sc_tape *tape = tape_of(&s);
    assert_int_equal(sc_tape_begin(tape), 100500000);
    assert_int_equal(sc_tape_end(tape), 120000000);
    assert_int_equal(sc_tape_peak(tape), 3);
    assert_null(sc_tape_engine(tape));
    static const sc_tape_kind kinds[] = {SC_TAPE_QUERY, SC_TAPE_QUERY, SC_TAPE_QUERY, SC_TAPE_CLOAK,
                                         SC_TAPE_QUERY, SC_TAPE_LOSS,  SC_TAPE_LOSS};
    uint64_t at = 0;
    const void *entries[7];
    for (size_t i = 0; i < 7; i++) {
        const sc_tape_entry *entry = sc_tape_at(tape, at);
        assert_non_null(entry);
        assert_int_equal(entry->kind, kinds[i]);
        entries[i] = entry;
        at += entry->size;
    }
    assert_null(sc_tape_at(tape, at));
    const sc_tape_query *query = entries[1];
    assert_int_equal(query->entry.t, 101000000);
    assert_int_equal(query->number, 1);
    assert_int_equal(query->segment, s.segments[1]);
    assert_int_equal(query->profile.max_hops, 3);
    assert_int_equal(query->profile.max_wait_us, 10000000);
    assert_true(query->at[0] >= 0 && query->at[1] >= 0);
    const sc_tape_cloak *cloak = entries[3];
    assert_int_equal(cloak->number, 7);
    assert_int_equal(cloak->member_count, 2);
    assert_int_equal(cloak->answered_count, 1);
    CHECK_CLOSE(cloak->wait_s, 1.5, 1e-9);
    assert_int_equal(cloak->request_count, 1);  // both ask for the same
    assert_int_equal(sc_tape_cloak_requests(cloak)[0].k, 1);
    assert_string_equal(sc_tape_cloak_members(cloak)[0].failure, "");
    assert_string_equal(sc_tape_cloak_members(cloak)[1].failure, "provider");
    assert_int_equal(cloak->segment_count, s.segments[0] == s.segments[2] ? 1 : 2);
    assert_int_equal(sc_tape_cloak_border_nodes(cloak)[0], 0);
    const sc_tape_loss *loss = entries[5];
    assert_int_equal(loss->number, 1);
    assert_true(loss->is_drop);
    assert_string_equal(loss->reason, "expired");
    loss = entries[6];
    assert_false(loss->is_drop);
    assert_string_equal(loss->reason, "request");
    sc_tape_free(tape);
    script_free(&s);
}

static void test_counts_are_those_of_the_record(void **state)
{
    (void)state;
    script s = story();
    sc_tape *tape = tape_of(&s);
    sc_replay_state at = {0};
    uint64_t next = 0;
    CHECK_OK(sc_tape_seek(tape, sc_time_from_seconds(102.5), &at, &next), NULL);
    assert_int_equal(at.open_count, 1);
    assert_non_null(sc_replay_state_find(&at, 1));
    assert_null(sc_replay_state_find(&at, 0));
    assert_null(sc_replay_state_find(&at, 3));
    assert_int_equal(at.counts.cloaks, 1);
    assert_int_equal(at.counts.users, 2);
    assert_int_equal(at.counts.answered, 1);
    assert_int_equal(at.counts.failed, 1);
    CHECK_OK(sc_tape_seek(tape, sc_tape_end(tape), &at, &next), NULL);
    assert_int_equal(at.open_count, 0);
    assert_int_equal(at.counts.dropped, 1);
    assert_int_equal(at.counts.expired, 1);
    assert_int_equal(at.counts.infeasible, 0);
    assert_int_equal(at.counts.failed, 2);
    assert_null(sc_tape_at(tape, next));
    CHECK_OK(sc_tape_seek(tape, sc_tape_begin(tape), &at, &next), NULL);
    assert_int_equal(at.open_count, 1);
    assert_int_equal(at.counts.cloaks, 0);
    sc_replay_state_fini(&at);
    sc_tape_free(tape);
    script_free(&s);
}

// --- At random -----------------------------------------------------------------------------------

/** Queries come at random, and end in cloaks or otherwise, some long after they were asked. */
static script random_story(uint64_t seed, double *end_s)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    script s = script_new(map);
    unsigned open[64];
    size_t open_count = 0;
    unsigned asked = 0;
    unsigned cloaks = 0;
    double t = 5;
    while (asked < 300 || open_count > 0) {
        t += sc_rng_below(&rng, 8) * 0.25;
        const uint32_t dice = sc_rng_below(&rng, 10);
        if (asked < 300 && open_count < 64 && (dice < 5 || open_count == 0)) {
            open[open_count++] = asked;
            script_query(&s, asked++, t, sc_rng_below(&rng, sc_map_edge_count(map)));
            continue;
        }
        // The oldest often stays for long.
        const size_t first = dice == 9 || open_count == 1 ? 0 : 1;
        if (open_count <= first) continue;
        if (dice < 8) {
            size_t members = 1 + sc_rng_below(&rng, 4);
            if (members > open_count - first) members = open_count - first;
            script_cloak(&s, cloaks++, t, &open[first], members);
            if (dice == 7) script_loss(&s, "failed", open[first], t, "provider");
            memmove(&open[first], &open[first + members],
                    (open_count - first - members) * sizeof *open);
            open_count -= members;
        } else {
            const bool is_drop = dice == 8;
            script_loss(&s, is_drop ? "drop" : "failed", open[first], t,
                        is_drop ? "infeasible" : "request");
            memmove(&open[first], &open[first + 1], (open_count - first - 1) * sizeof *open);
            open_count--;
        }
    }
    *end_s = t + 3;
    script_end(&s, *end_s);
    return s;
}

static void check_same(const sc_replay_state *a, const sc_replay_state *b)
{
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
    assert_int_equal(a->open_count, b->open_count);
    for (size_t i = a->begin; i < a->end; i++) {
        const sc_replay_query *query = &a->queries[i];
        if (!query->is_open) continue;
        const sc_replay_query *other = sc_replay_state_find(b, query->query->number);
        assert_non_null(other);
        assert_ptr_equal(other->query, query->query);
    }
}

static void test_a_seek_is_as_playing_from_the_beginning(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        check_case(seed);
        double end_s = 0;
        script s = random_story(seed, &end_s);
        sc_tape *tape = tape_of(&s);
        sc_replay_state played = {0};
        sc_replay_state sought = {0};
        uint64_t offset = 0;
        uint32_t peak = 0;
        const sc_time end = sc_time_from_seconds(end_s);
        for (sc_time t = sc_tape_begin(tape); t <= end; t += sc_time_from_seconds(0.25)) {
            for (const sc_tape_entry *e; (e = sc_tape_at(tape, offset)) && e->t <= t;) {
                CHECK_OK(sc_replay_state_apply(&played, e), NULL);
                if (played.open_count > peak) peak = played.open_count;
                offset += e->size;
            }
            uint64_t next = 0;
            CHECK_OK(sc_tape_seek(tape, t, &sought, &next), NULL);
            assert_int_equal(next, offset);
            check_same(&played, &sought);
            check_same(&sought, &played);
        }
        assert_null(sc_tape_at(tape, offset));
        assert_int_equal(played.open_count, 0);
        assert_int_equal(sc_tape_peak(tape), peak);
        sc_replay_state_fini(&played);
        sc_replay_state_fini(&sought);
        sc_tape_free(tape);
        script_free(&s);
    }
    check_case_done();
}

static void test_rows_are_a_second_apart_or_as_far_as_need_be(void **state)
{
    (void)state;
    static const double lengths[] = {0, 0.5, 1, 100.25, 86399, 86400, 1e6, 1e9};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        script s = script_new(map);
        script_query(&s, 0, 10, 0);
        script_end(&s, 10 + lengths[i]);
        sc_tape *tape = tape_of(&s);
        const size_t count = sc_tape_row_count(tape);
        assert_true(count >= 1 && count <= SC_REPLAY_ROWS_MAX);
        if (lengths[i] < 86399) assert_int_equal(count, (size_t)lengths[i] + 1);
        sc_time t = 0;
        (void)sc_tape_row(tape, count - 1, &t);
        assert_true(t <= sc_tape_end(tape));
        assert_int_equal(sc_tape_row_at(tape, sc_tape_end(tape)), count - 1);
        assert_int_equal(sc_tape_row_at(tape, t), count - 1);
        assert_int_equal(sc_tape_row_at(tape, t - 1), count > 1 ? count - 2 : 0);
        assert_int_equal(sc_tape_row_at(tape, 0), 0);
        assert_int_equal(sc_tape_row(tape, count - 1, &t)->pending, 1);
        sc_tape_free(tape);
        script_free(&s);
    }
}

// --- What is refused -----------------------------------------------------------------------------

static void check_refused(const script *s, sc_err wanted, const char *part)
{
    sc_tape *tape = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(open_text(s->text, s->size, &tape, &diag), wanted, &diag, part);
    assert_null(tape);
    // Never who, nor where.
    assert_null(strstr(diag.message, "secret"));
}

static void test_what_cannot_be_replayed_is_refused_with_its_line(void **state)
{
    (void)state;
    script s = script_new(map);
    check_refused(&s, SC_EPARSE, "the file is empty");
    script_end(&s, 1);
    check_refused(&s, SC_EINVAL, "no query was asked");
    s.size = 0;
    script_query(&s, 0, 2, 0);
    check_refused(&s, SC_EPARSE, "the file is cut short");
    script_query(&s, 1, 1.5, 0);
    check_refused(&s, SC_EPARSE, "run.jsonl:2: the event is earlier than one before it");
    s.size = 0;
    script_query(&s, 0, 2, 0);
    script_end(&s, 1);
    check_refused(&s, SC_EPARSE, "run.jsonl:2: the event is earlier");
    s.size = 0;
    script_query(&s, 0, 2, 0);
    script_put(&s, "{\"event\":\n");
    check_refused(&s, SC_EPARSE, "run.jsonl:2");
    s.size = 0;
    script_query(&s, 0, 2, 0);
    script_put(&s, "{\"event\":\"end\",\"t\":3,\"map\":\"0123456789abcdef\"}\n");
    check_refused(&s, SC_EMISMATCH, "run.jsonl:2: this was a run on the map with the checksum");
    script_free(&s);
    sc_tape *tape = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_tape_open(map, &grid, "absent.jsonl", &tape, &diag), SC_EIO, &diag,
                  "absent.jsonl");
    sc_tape_free(NULL);
}

static void test_a_tape_without_memory_is_refused(void **state)
{
    (void)state;
    script s = story();
    const place p = place_new();
    const char *path = place_write(&p, "run.jsonl", s.text, s.size);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_tape *tape = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_tape_open(map, &grid, path, &tape, &diag);
        const bool happened = oom_happened();
        if (!happened) {
            CHECK_OK(err, &diag);
            sc_replay_state at = {0};
            uint64_t next = 0;
            sc_alloc_fail_at(1);
            assert_int_equal(sc_tape_seek(tape, sc_tape_begin(tape), &at, &next), SC_ENOMEM);
            sc_alloc_fail_at(0);
            assert_int_equal(at.open_count, 0);
            CHECK_OK(sc_tape_seek(tape, sc_tape_begin(tape), &at, &next), NULL);
            assert_int_equal(at.open_count, 1);
            sc_replay_state_fini(&at);
            sc_tape_free(tape);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(tape);
        failures++;
    }
    assert_true(failures > 10);
    place_free(&p);
    script_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_everything_that_happens_is_on_the_tape),
    cmocka_unit_test(test_counts_are_those_of_the_record),
    cmocka_unit_test(test_a_seek_is_as_playing_from_the_beginning),
    cmocka_unit_test(test_rows_are_a_second_apart_or_as_far_as_need_be),
    cmocka_unit_test(test_what_cannot_be_replayed_is_refused_with_its_line),
    cmocka_unit_test(test_a_tape_without_memory_is_refused),
};
SC_SUITE_WITH(tests, open_map, close_map)
