// The paranoid look at what members demand beyond k and l: a proposal that keeps it is reserved;
// one that does not is counted, refused and never leaves.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/oom.h"
#include "support/stage.h"

enum { DEADLINE = 100000, ROADS = 8, STARS = 3, WHOLE = SC_REACHED_WHOLE };

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
//
// The cloak is the whole street: stars D, E and F with all eight roads. Query 1 is between E and B
// (or H, whichever a dead end of E is), query 2 at a dead end of F; both ask for two users and
// three roads. With 1 hop only E can be the star of query 1, so that four roads can be its own.
typedef struct scene {
    stage stage;
    ledger_fixture ledger_fixture;
    sc_partition *partition;
    sc_density *density;
    sc_place_classes *classes;
    sc_demands demands;
    uint64_t counts[ROADS];
    sc_seg_id zone[2];
    sc_reached reached[ROADS];
    sc_ticket *tickets[2];
    bool is_theirs;  ///< query 2 is another gateway's
} scene;

/** Tickets that are in no ledger yet, and no demands. */
static scene *scene_new(void)
{
    scene *s = test_take(1, sizeof *s);
    const sc_engine_options engine = sc_engine_options_default();
    stage_open(&s->stage, small_maps[0].picture, small_maps[0].more, &engine);
    assert_int_equal(sc_map_segment_count(s->stage.map), ROADS);
    CHECK_OK(sc_place_classes_new(s->stage.map, &s->classes), NULL);
    for (uint32_t i = 0; i < 2; i++) {
        s->tickets[i] = ledger_ticket(i + 1, 2, DEADLINE);
        s->tickets[i]->query = stage_query(&s->stage, i + 1, i == 0 ? 'E' : 'F', 2, DEADLINE);
        s->tickets[i]->query.l = 3;
        s->tickets[i]->query.max_hops = 2;
    }
    return s;
}

static void scene_open(scene *s)
{
    if (s->demands.traffic > 0) {
        CHECK_OK(sc_density_new_counted(s->stage.map, s->counts, &s->density), NULL);
        s->demands.density = s->density;
    }
    if (sc_place_classes_count(s->classes) > 0) s->demands.classes = s->classes;
    sc__ledger_state_options options = ledger_options();
    options.paranoid = s->stage.map;
    options.demands = s->demands;
    CHECK_OK(sc_partition_whole(s->stage.map, &s->partition, NULL), NULL);
    options.partition = s->partition;
    ledger_open(&s->ledger_fixture, &options, 1);
    for (uint32_t i = 0; i < (s->is_theirs ? 1 : 2); i++) {
        sc__ledger_state_add(s->ledger_fixture.ledger_state, s->tickets[i], 0);
        sc_msg msg = ledger_next(&s->ledger_fixture, SC_MSG_ADD, SC_PEER_NONE);
        sc_msg_fini(&msg);
    }
}

static void scene_close(scene *s)
{
    ledger_close(&s->ledger_fixture);
    if (s->is_theirs) sc_ticket_free(s->tickets[1]);
    sc_partition_free(s->partition);
    sc_density_free(s->density);
    sc_place_classes_free(s->classes);
    stage_close(&s->stage);
    free(s);
}

static sc_proposal *whole_street(scene *s)
{
    static const char letters[] = "DEF";
    sc_proposal *proposal = sc_proposal_new(STARS, ROADS, 0, 2);
    assert_non_null(proposal);
    for (size_t i = 0; i < STARS; i++) {
        proposal->stars[i] = stage_star(&s->stage, letters[i]);
    }
    for (sc_seg_id i = 0; i < ROADS; i++) {
        proposal->segments[i] = i;
    }
    for (size_t i = 0; i < 2; i++) {
        sc_query query = s->tickets[i]->query;
        query.own = NULL;
        query.owner = i == 1 && s->is_theirs ? PEER_OTHER : PEER_SELF;
        proposal->members[i] = (sc_proposal_member){query, stage_star(&s->stage, letters[i + 1])};
    }
    proposal->id.bytes[0] = ++s->ledger_fixture.proposals;
    proposal->worker = PEER_WORKER;
    proposal->engine_thread = 3;
    proposal->releaser = PEER_SELF;
    proposal->is_single = !s->is_theirs;
    return proposal;
}

/** Open it, and see whether the cloak is reserved or refused as one that breaks a promise. */
static void check_cloak(scene *s, bool is_kept)
{
    scene_open(s);
    ledger_fixture *d = &s->ledger_fixture;
    const sc_proposal_id id = ledger_reserve(d, whole_street(s), 1);
    if (!is_kept) {
        ledger_check_no(d, &id, (const uint32_t[]){0});
        assert_null(sc__ledger_state_take_due(d->ledger_state, 1000));
    } else if (s->is_theirs) {
        ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    }
    ledger_check_quiet(d);
    assert_int_equal(s->tickets[0]->state, is_kept ? SC_TICKET_RESERVED : SC_TICKET_OPEN);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).violations, !is_kept);
    ledger_check_none_settled(d);
    scene_close(s);
}

/** Of query 1, which has 1 hop, only the four roads at E are its own. */
static void narrow(scene *s)
{
    s->tickets[0]->query.max_hops = 1;
}

static void test_strict_counts_the_roads_that_can_be_a_members_own(void **state)
{
    (void)state;
    for (uint32_t l = 4; l <= 5; l++) {
        for (int is_strict = 0; is_strict < 2; is_strict++) {
            scene *s = scene_new();
            narrow(s);
            s->tickets[0]->query.l = l;
            s->demands.is_strict = is_strict;
            check_cloak(s, l == 4 || !is_strict);
        }
    }
}

// Seven roads of weight 1 and the own one of 7: half of all, which traffic 2 allows.
static void test_no_road_stands_out_by_traffic(void **state)
{
    (void)state;
    for (uint64_t busy = 6; busy <= 7; busy++) {
        scene *s = scene_new();
        s->demands.traffic = 2;
        s->counts[s->tickets[0]->query.segment] = busy;
        check_cloak(s, busy == 6);
    }
    // Of its own four roads it is more than half.
    scene *s = scene_new();
    narrow(s);
    s->demands.traffic = 2;
    s->demands.is_strict = true;
    s->counts[s->tickets[0]->query.segment] = 6;
    check_cloak(s, false);
}

static void test_roads_of_a_class_do_not_count(void **state)
{
    (void)state;
    for (uint32_t marked = 5; marked <= 6; marked++) {
        scene *s = scene_new();
        uint32_t clinic = 0;
        CHECK_OK(sc_place_classes_add(s->classes, "clinic", &clinic), NULL);
        for (sc_seg_id i = 0; i < marked; i++) {
            sc_place_classes_mark(s->classes, clinic, i);
        }
        check_cloak(s, marked == 5);
    }
}

static void test_a_zone_is_among_the_roads_that_count(void **state)
{
    (void)state;
    for (int is_strict = 0; is_strict < 2; is_strict++) {
        scene *s = scene_new();
        narrow(s);
        const sc_seg_id own = s->tickets[0]->query.segment;
        const sc_seg_id far = s->tickets[1]->query.segment;
        s->zone[0] = own < far ? own : far;
        s->zone[1] = own < far ? far : own;
        s->tickets[0]->own = (sc_own_demands){.zone = s->zone, .zone_count = 2};
        s->demands.is_strict = is_strict;
        check_cloak(s, !is_strict);
    }
}

/** The user of query 1 can have reached its own road and two more, the last in part. */
static void reach_three(scene *s, uint16_t last)
{
    const sc_seg_id own = s->tickets[0]->query.segment;
    size_t count = 0;
    unsigned others = 0;
    for (sc_seg_id i = 0; i < ROADS; i++) {
        if (i == own) {
            s->reached[count++] = (sc_reached){i, WHOLE};
        } else if (others++ < 2) {
            s->reached[count++] = (sc_reached){i, others == 2 ? last : WHOLE};
        }
    }
    s->tickets[0]->own =
        (sc_own_demands){.reached = s->reached, .reached_count = count, .has_reached = true};
}

static void test_roads_count_by_what_can_be_reached_since_the_last_cloak(void **state)
{
    (void)state;
    for (int is_whole = 0; is_whole < 2; is_whole++) {
        scene *s = scene_new();
        reach_three(s, is_whole ? WHOLE : WHOLE - 1);
        check_cloak(s, is_whole);
    }
    // By the traffic that can have come from there the own road is 2 of 4, or 3 of 5.
    for (uint64_t busy = 1; busy <= 2; busy++) {
        scene *s = scene_new();
        reach_three(s, WHOLE);
        s->demands.traffic = 2;
        s->counts[s->tickets[0]->query.segment] = busy;
        check_cloak(s, busy == 1);
    }
}

static void test_of_others_members_what_all_demand_is_looked_at(void **state)
{
    (void)state;
    for (uint64_t busy = 6; busy <= 7; busy++) {
        scene *s = scene_new();
        s->is_theirs = true;
        s->demands.traffic = 2;
        s->counts[s->tickets[1]->query.segment] = busy;
        check_cloak(s, busy == 6);
    }
}

static void test_without_memory_for_the_look_members_fail_as_overloaded(void **state)
{
    (void)state;
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        scene *s = scene_new();
        reach_three(s, WHOLE);
        s->demands = (sc_demands){.traffic = 2, .is_strict = true};
        scene_open(s);
        ledger_fixture *d = &s->ledger_fixture;
        sc_proposal *proposal = whole_street(s);
        oom_arm(n);
        (void)ledger_reserve(d, proposal, 1);
        const bool has_failed = oom_happened();
        assert_int_equal(sc__ledger_state_stats(d->ledger_state).violations, 0);
        if (has_failed) {
            failures++;
            ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
            ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
        }
        scene_close(s);
        if (!has_failed) break;
    }
    assert_true(failures >= 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_strict_counts_the_roads_that_can_be_a_members_own),
    cmocka_unit_test(test_no_road_stands_out_by_traffic),
    cmocka_unit_test(test_roads_of_a_class_do_not_count),
    cmocka_unit_test(test_a_zone_is_among_the_roads_that_count),
    cmocka_unit_test(test_roads_count_by_what_can_be_reached_since_the_last_cloak),
    cmocka_unit_test(test_of_others_members_what_all_demand_is_looked_at),
    cmocka_unit_test(test_without_memory_for_the_look_members_fail_as_overloaded),
};
SC_SUITE(tests)
