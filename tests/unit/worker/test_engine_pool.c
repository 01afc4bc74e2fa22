// An engine pool by hand: parts are spread over engine threads, messages find theirs, company
// crosses borders, parts come and go, and no query is lost.
#include "worker/engine_pool.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/obedient.h"
#include "support/streams.h"

enum { PARTS_MAX = 8, SELF = 77 };

typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    uint32_t parts;
    obedient gateways;
    sc_engine_pool *engines;
} scene;

static sc_engine_pool_options options_of(scene *s, unsigned engine_threads)
{
    sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = s->partition,
        .engine_threads = engine_threads,
        .max_queries = 1000,
        .self = SELF,
        .patience_us = 50,
        .port = received_port(&s->gateways.received),
    };
    options.engine.is_paranoid = true;
    return options;
}

/** A long street, divided into parts of about the same length. All are open if wanted. */
static void scene_open(scene *s, uint64_t seed, uint32_t parts, unsigned engine_threads,
                       uint32_t gateways)
{
    *s = (scene){.map = stream_long_street(seed), .parts = parts};
    const uint32_t stars = sc_map_star_count(s->map);
    uint16_t *part_of_star = test_take(stars, sizeof *part_of_star);
    for (uint32_t i = 0; i < stars; i++) {
        part_of_star[i] = (uint16_t)(i * parts / stars);
    }
    sc_diag diag = {""};
    CHECK_OK(sc_partition_new(s->map, part_of_star, parts, &s->partition, &diag), &diag);
    free(part_of_star);
    obedient_open(&s->gateways, STREAM_QUERIES, gateways);
    const sc_engine_pool_options options = options_of(s, engine_threads);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    CHECK_OK(sc_engine_pool_new(s->map, &options, &rng, &s->engines, &diag), &diag);
    s->gateways.engines = s->engines;
    s->gateways.partition = s->partition;
}

static void scene_close(scene *s)
{
    sc_engine_pool_free(s->engines);
    obedient_close(&s->gateways);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
}

/** Parts first, first + 1, ... */
static void open_parts(scene *s, uint16_t first, size_t count)
{
    uint16_t parts[PARTS_MAX];
    for (size_t i = 0; i < count; i++) {
        parts[i] = (uint16_t)(first + i);
    }
    CHECK_OK(sc_engine_pool_set_parts(s->engines, parts, count), NULL);
}

/** A segment of that part which is near, or not, to another. */
static sc_seg_id segment_in(const scene *s, uint32_t part, uint32_t hops, bool is_near)
{
    for (sc_seg_id i = 0; i < sc_map_segment_count(s->map); i++) {
        if (sc_partition_home(s->partition, i) != part) continue;
        if (sc_partition_is_near(s->partition, i, hops) == is_near) return i;
    }
    fail_msg("no such segment");
    return SC_NONE;
}

static void check_adds_up(const sc_engine_stats *stats)
{
    assert_int_equal(stats->added, stats->accepted + stats->dropped[0] + stats->dropped[1] +
                                       stats->removed + stats->pending + stats->proposed);
}

static void test_options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1, 2, 1, 1);
    const sc_engine_pool_options good = options_of(&s, 1);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_engine_pool *engines = NULL;
    sc_diag diag = {""};
    sc_engine_pool_options bad = good;
    bad.engine_threads = 0;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "threads");
    bad = good;
    bad.max_queries = 0;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "queries");
    bad = good;
    bad.patience_us = 0;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "patience");
    bad = good;
    bad.partition = NULL;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "partition");
    bad = good;
    bad.engine.max_combinations = 0;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "combinations");
    bad = good;
    bad.prune_threads = SC_PRUNE_THREADS_MAX + 1;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "engines");
    bad = good;
    bad.is_in_place = true;
    bad.engine_threads = 2;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "no other threads can be used");
    bad.engine_threads = 1;
    bad.prune_threads = 1;
    CHECK_REFUSED(sc_engine_pool_new(s.map, &bad, &rng, &engines, &diag), SC_EINVAL, &diag,
                  "no other threads can be used");
    assert_null(engines);
    scene_close(&s);
}

static void test_parts_are_spread_evenly_and_stay_where_they_are(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1, 8, 3, 1);
    sc_part_load before[PARTS_MAX];
    sc_part_load after[PARTS_MAX];
    open_parts(&s, 0, 6);
    sc_engine_pool_round(s.engines, 1);
    sc_engine_pool_stats_of(s.engines, before);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(before[i].is_open, i < 6);
        // Neighbours by number are together.
        if (i < 6) assert_int_equal(before[i].engine_thread, i / 2);
    }
    // Two go and two come: those that stay do not move.
    open_parts(&s, 2, 6);
    sc_engine_pool_round(s.engines, 2);
    sc_engine_pool_stats_of(s.engines, after);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(after[i].is_open, i >= 2);
        if (i >= 2 && i < 6) assert_int_equal(after[i].engine_thread, before[i].engine_thread);
    }
    scene_close(&s);
}

static void test_parts_that_are_not_there_or_named_twice_change_nothing(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1, 4, 2, 1);
    open_parts(&s, 1, 2);
    assert_int_equal(sc_engine_pool_set_parts(s.engines, (uint16_t[]){0, 4}, 2), SC_EINVAL);
    assert_int_equal(sc_engine_pool_set_parts(s.engines, (uint16_t[]){0, 3, 0}, 3), SC_EINVAL);
    sc_engine_pool_round(s.engines, 1);
    sc_part_load loads[PARTS_MAX];
    sc_engine_pool_stats_of(s.engines, loads);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(loads[i].is_open, i == 1 || i == 2);
    }
    scene_close(&s);
}

/** Rounds until no engine thread has sent another one something. */
static void go_rounds(const scene *s, sc_time now)
{
    while (sc_engine_pool_round(s->engines, now) <= now) {
    }
}

static void test_a_query_near_a_border_is_company_on_the_other_side(void **state)
{
    (void)state;
    // In one engine thread, and with a room for each.
    for (unsigned engine_threads = 1; engine_threads <= 4; engine_threads += 3) {
        scene s;
        scene_open(&s, 2, 4, engine_threads, 1);
        open_parts(&s, 0, 4);
        obedient_ask(&s.gateways, 0, segment_in(&s, 1, 1, true), 9, 1, 1, 1000);
        obedient_ask(&s.gateways, 1, segment_in(&s, 2, 0, false), 9, 1, 0, 1000);
        go_rounds(&s, 1);
        sc_part_load loads[PARTS_MAX];
        sc_engine_pool_stats_of(s.engines, loads);
        assert_int_equal(loads[1].queries, 1);
        assert_int_equal(loads[1].pending, 1);
        assert_int_equal(loads[2].queries, 1);
        uint64_t company = 0;
        uint32_t held = 0;
        for (size_t i = 0; i < 4; i++) {
            company += loads[i].company;
            held += loads[i].held;
        }
        assert_true(company >= 1);
        assert_int_equal(held, company);
        assert_int_equal(loads[1].company, 0);
        // Said again it changes nothing; removed it is gone everywhere.
        sc_msg again = {.kind = SC_MSG_ADD, .query = s.gateways.queries[0].query};
        sc_engine_pool_receive(s.engines, &again);
        obedient_leave(&s.gateways, 0);
        go_rounds(&s, 2);
        const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s.engines, loads);
        assert_int_equal(stats.engine.added, 2);
        assert_int_equal(stats.engine.company, company);
        assert_int_equal(stats.engine.company_held, 0);
        assert_int_equal(stats.engine.removed, 1);
        assert_int_equal(stats.misdirected, 0);
        received_check_quiet(&s.gateways.received);
        scene_close(&s);
    }
}

static void test_a_query_of_a_part_that_is_not_here_is_company_and_misdirected(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 2, 4, 2, 1);
    open_parts(&s, 0, 1);
    const sc_seg_id near = segment_in(&s, 1, 4, true);
    obedient_ask(&s.gateways, 0, near, 9, 1, 16, 1000);
    obedient_ask(&s.gateways, 1, segment_in(&s, 3, 0, false), 9, 1, 0, 1000);
    sc_engine_pool_round(s.engines, 1);
    sc_engine_pool_stats stats = sc_engine_pool_stats_of(s.engines, NULL);
    assert_int_equal(stats.misdirected, 2);
    assert_int_equal(stats.engine.added, 0);
    assert_int_equal(stats.engine.company, 1);
    // That it is company may be all that is sent.
    sc_msg msg = {.kind = SC_MSG_COMPANY, .query = plain_query(2, near, 9, 1, 16, 1000)};
    sc_engine_pool_receive(s.engines, &msg);
    // A segment of another map.
    msg = (sc_msg){.kind = SC_MSG_ADD, .query = plain_query(3, 1000000, 1, 1, 1, 1000)};
    sc_engine_pool_receive(s.engines, &msg);
    sc_engine_pool_round(s.engines, 2);
    stats = sc_engine_pool_stats_of(s.engines, NULL);
    assert_int_equal(stats.engine.company, 2);
    assert_int_equal(stats.misdirected, 3);
    received_check_quiet(&s.gateways.received);
    scene_close(&s);
}

static void test_messages_that_are_not_for_a_worker_are_passed_over(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 2, 2, 2, 1);
    open_parts(&s, 0, 2);
    for (sc_msg_kind kind = SC_MSG_NONE; kind < SC_MSG_KIND_COUNT; kind++) {
        if (kind == SC_MSG_ADD || kind == SC_MSG_COMPANY || kind == SC_MSG_REMOVE) continue;
        // Of an engine thread that there is, and of one that there is not.
        for (uint32_t room = 1; room <= 2; room++) {
            sc_msg msg = {.kind = kind, .from = 1};
            if (kind == SC_MSG_RESERVE) {
                msg.proposal = sc_proposal_new(0, 0, 0, 1);
            } else if (kind != SC_MSG_DROPPED && kind != SC_MSG_NOT_TAKEN) {
                msg.engine_thread = room;
            }
            sc_engine_pool_receive(s.engines, &msg);
            assert_int_equal(msg.kind, SC_MSG_NONE);
        }
    }
    assert_int_equal(sc_engine_pool_round(s.engines, 1), SC_TIME_NEVER);
    received_check_quiet(&s.gateways.received);
    scene_close(&s);
}

static void test_a_message_without_room_is_lost_and_counted(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 2, 2, 1, 1);
    open_parts(&s, 0, 2);
    sc_msg remove = {.kind = SC_MSG_REMOVE, .query = plain_query(1, 0, 1, 1, 1, 1)};
    unsigned said = 0;
    while (sc_engine_pool_stats_of(s.engines, NULL).lost == 0) {
        sc_msg copy = remove;
        sc_engine_pool_receive(s.engines, &copy);
        said++;
        assert_int_equal(sc_engine_pool_is_behind(s.engines),
                         said >= 999);  // and the message to look up
    }
    assert_true(said > 6000);
    scene_close(&s);
}

// --- Parts that go --------------------------------------------------------------------------

static void test_a_part_that_goes_takes_its_queries_and_calls_its_proposals_off(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 3, 2, 1, 2);
    open_parts(&s, 0, 2);
    const sc_seg_id segment = segment_in(&s, 0, 0, false);
    // Queries 0 and 1 are of two gateways; 2 waits.
    obedient_ask(&s.gateways, 0, segment, 2, 1, 0, 1000);
    obedient_ask(&s.gateways, 1, segment, 2, 1, 0, 1000);
    sc_engine_pool_round(s.engines, 1);
    obedient_ask(&s.gateways, 2, segment, 9, 1, 0, 1000);
    sc_engine_pool_round(s.engines, 2);
    assert_int_equal(received_count(&s.gateways.received), 2);
    open_parts(&s, 1, 1);
    sc_engine_pool_round(s.engines, 3);
    for (int i = 0; i < 2; i++) {
        received_msg each = {0};
        assert_true(received_take(&s.gateways.received, &each));
        assert_int_equal(each.msg.kind, SC_MSG_RESERVE);
        sc_msg_fini(&each.msg);
    }
    for (int i = 0; i < 2; i++) {
        received_msg each = {0};
        assert_true(received_take(&s.gateways.received, &each));
        assert_int_equal(each.msg.kind, SC_MSG_ABORT);
    }
    sc_part_load loads[PARTS_MAX];
    const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s.engines, loads);
    assert_false(loads[0].is_open);
    check_adds_up(&stats.engine);
    assert_int_equal(stats.engine.added, 3);
    assert_int_equal(stats.engine.removed, 3);
    assert_int_equal(stats.proposals_under_way, 0);
    // It comes back empty.
    open_parts(&s, 0, 1);
    sc_engine_pool_round(s.engines, 4);
    sc_engine_pool_stats_of(s.engines, loads);
    assert_true(loads[0].is_open);
    assert_int_equal(loads[0].queries, 0);
    received_check_quiet(&s.gateways.received);
    scene_close(&s);
}

static void test_what_R_has_is_answered_though_its_part_is_gone_and_back(void **state)
{
    (void)state;
    for (int is_published = 0; is_published < 2; is_published++) {
        scene s;
        scene_open(&s, 3, 2, 1, 1);
        open_parts(&s, 0, 2);
        const sc_seg_id segment = segment_in(&s, 0, 0, false);
        obedient_ask(&s.gateways, 0, segment, 2, 1, 0, 1000);
        obedient_ask(&s.gateways, 1, segment, 2, 1, 0, 1000);
        sc_engine_pool_round(s.engines, 1);
        sc_msg reserve = received_next(&s.gateways.received, SC_MSG_RESERVE, 1);
        open_parts(&s, 1, 1);
        sc_engine_pool_round(s.engines, 2);
        open_parts(&s, 0, 2);
        sc_engine_pool_round(s.engines, 3);
        assert_int_equal(sc_engine_pool_stats_of(s.engines, NULL).proposals_under_way, 1);
        sc_msg msg = {.kind = is_published ? SC_MSG_PUBLISHED : SC_MSG_DEAD,
                      .from = 1,
                      .id = reserve.proposal->id,
                      .engine_thread = reserve.proposal->engine_thread,
                      .deadline = 3};
        sc_engine_pool_receive(s.engines, &msg);
        sc_msg_fini(&reserve);
        sc_engine_pool_round(s.engines, 4);
        sc_part_load loads[PARTS_MAX];
        const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s.engines, loads);
        assert_int_equal(stats.proposals_under_way, 0);
        assert_int_equal(stats.engine.accepted, is_published ? 2 : 0);
        check_adds_up(&stats.engine);
        // The new engine has nothing to do with it.
        assert_true(loads[0].is_open);
        assert_int_equal(loads[0].cloaks + loads[0].pending, 0);
        received_check_quiet(&s.gateways.received);
        scene_close(&s);
    }
}

// --- Any story ------------------------------------------------------------------------------

/** One thing happens: a query arrives, or goes away. */
static void take_step(scene *s, sc_rng *rng, sc_time now, uint32_t *asked)
{
    obedient *o = &s->gateways;
    const uint32_t what = sc_rng_below(rng, 12);
    if (what < 8 && *asked < o->query_count) {
        const sc_seg_id segment = sc_rng_below(rng, sc_map_segment_count(s->map));
        obedient_ask(o, (*asked)++, segment, 1 + sc_rng_below(rng, 4), 1 + sc_rng_below(rng, 4),
                     sc_rng_below(rng, 5), now + 20 + sc_rng_below(rng, 100));
    } else if (what < 9 && *asked > 0) {
        obedient_leave(o, sc_rng_below(rng, *asked));
    }
}

/** Some parts go, some come, and all that is open is sent again. */
static void move_parts(scene *s, sc_rng *rng)
{
    const uint16_t first = (uint16_t)sc_rng_below(rng, s->parts);
    open_parts(s, first, sc_rng_below(rng, s->parts - first + 1));
    obedient_resend(&s->gateways);
}

typedef struct tally {
    uint64_t ends[OBEDIENT_STATE_COUNT];
    uint64_t cloaks;
    uint64_t across;
    uint64_t noes;
} tally;

static void listen_and_go_on(scene *s, sc_time now)
{
    sc_time wake;
    do {
        wake = sc_engine_pool_round(s->engines, now);
    } while (obedient_listen(&s->gateways, now) || wake <= now);
}

static void check_all_has_ended(scene *s)
{
    obedient_check_ends(&s->gateways);
    const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s->engines, NULL);
    check_adds_up(&stats.engine);
    assert_int_equal(stats.engine.pending + stats.engine.proposed, 0);
    assert_int_equal(stats.engine.company_held, 0);
    assert_int_equal(stats.engine.broken, 0);
    assert_int_equal(stats.proposals_under_way, 0);
    assert_int_equal(stats.proposals_published, s->gateways.cloaks);
    // Two gateways may have refused the same proposal.
    assert_true(stats.proposals_refused <= s->gateways.noes);
    assert_int_equal(stats.lost + stats.proposals_silent + stats.asked, 0);
}

static void play(uint64_t seed, bool has_moves, tally *sum)
{
    scene s;
    const uint32_t parts = 1 + (uint32_t)(seed % 5);
    scene_open(&s, seed, parts, 1 + (unsigned)(seed / 5 % 3), 1 + (uint32_t)(seed / 15 % 3));
    open_parts(&s, 0, parts);
    sc_rng rng;
    sc_rng_seed(&rng, ~seed);
    sc_time now = 0;
    uint32_t asked = 0;
    for (int i = 0; i < 300; i++) {
        take_step(&s, &rng, now, &asked);
        if (sc_rng_below(&rng, 4) == 0)
            CHECK_OK(sc_engine_pool_switch(s.engines, (sc_variant)(i % 3)), NULL);
        if (has_moves && sc_rng_below(&rng, 10) == 0) move_parts(&s, &rng);
        now += sc_rng_below(&rng, 5);
        // Often the answers wait, and meet what has happened since.
        if (sc_rng_below(&rng, 2) == 0) listen_and_go_on(&s, now);
    }
    open_parts(&s, 0, parts);
    obedient_resend(&s.gateways);
    listen_and_go_on(&s, now);
    listen_and_go_on(&s, now + 1000);
    check_all_has_ended(&s);
    assert_true(has_moves || sc_engine_pool_stats_of(s.engines, NULL).misdirected == 0);
    for (obedient_state i = OBEDIENT_UNASKED; i < OBEDIENT_STATE_COUNT; i++) {
        sum->ends[i] += obedient_count(&s.gateways, i);
    }
    sum->cloaks += s.gateways.cloaks;
    sum->across += s.gateways.across;
    sum->noes += s.gateways.noes;
    scene_close(&s);
}

static void check_no_query_is_lost(bool has_moves)
{
    tally sum = {0};
    for (uint64_t seed = 0; seed < 120; seed++) {
        check_case(seed);
        play(seed, has_moves, &sum);
    }
    check_case_done();
    print_message(
        "# %llu cloaks, %llu across a border; %llu published, %llu dropped, %llu gone; %llu "
        "refused\n",
        (unsigned long long)sum.cloaks, (unsigned long long)sum.across,
        (unsigned long long)sum.ends[OBEDIENT_PUBLISHED],
        (unsigned long long)sum.ends[OBEDIENT_DROPPED], (unsigned long long)sum.ends[OBEDIENT_GONE],
        (unsigned long long)sum.noes);
    assert_int_equal(sum.ends[OBEDIENT_NOT_TAKEN], 0);
    assert_true(sum.across > 100 && sum.noes > 10);
    assert_true(sum.ends[OBEDIENT_DROPPED] > 100 && sum.ends[OBEDIENT_GONE] > 100);
}

static void test_no_query_is_lost(void **state)
{
    (void)state;
    check_no_query_is_lost(false);
}

static void test_no_query_is_lost_when_parts_move(void **state)
{
    (void)state;
    check_no_query_is_lost(true);
}

/** A number for all that was published and dropped, and in which order. */
static uint64_t trace(uint64_t seed)
{
    scene s;
    scene_open(&s, seed, 4, 2, 2);
    open_parts(&s, 0, 4);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    uint64_t sum = 0;
    uint32_t asked = 0;
    for (sc_time now = 0; now < 200; now++) {
        take_step(&s, &rng, now, &asked);
        do {
            sc_engine_pool_round(s.engines, now);
            // Before they are answered: what was sent, to whom, with which random bits.
            for (size_t i = s.gateways.received.first; i < s.gateways.received.count; i++) {
                const received_msg *each = &s.gateways.received.msgs[i];
                sum = sum * 31 + each->to + (uint64_t)each->msg.kind;
                if (each->msg.kind == SC_MSG_RESERVE) {
                    sum = sum * 31 + each->msg.proposal->id.bytes[3];
                }
            }
        } while (obedient_listen(&s.gateways, now));
    }
    scene_close(&s);
    return sum;
}

static void test_the_same_seed_gives_the_same_msgs(void **state)
{
    (void)state;
    assert_int_equal(trace(5), trace(5));
    assert_int_not_equal(trace(5), trace(6));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_options_that_make_no_sense_are_refused),
    cmocka_unit_test(test_parts_are_spread_evenly_and_stay_where_they_are),
    cmocka_unit_test(test_parts_that_are_not_there_or_named_twice_change_nothing),
    cmocka_unit_test(test_a_query_near_a_border_is_company_on_the_other_side),
    cmocka_unit_test(test_a_query_of_a_part_that_is_not_here_is_company_and_misdirected),
    cmocka_unit_test(test_messages_that_are_not_for_a_worker_are_passed_over),
    cmocka_unit_test(test_a_message_without_room_is_lost_and_counted),
    cmocka_unit_test(test_a_part_that_goes_takes_its_queries_and_calls_its_proposals_off),
    cmocka_unit_test(test_what_R_has_is_answered_though_its_part_is_gone_and_back),
    SC_CASES(test_no_query_is_lost),
    SC_CASES(test_no_query_is_lost_when_parts_move),
    cmocka_unit_test(test_the_same_seed_gives_the_same_msgs),
};
SC_SUITE(tests)
