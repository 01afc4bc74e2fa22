// The anonymizer: what it publishes keeps every promise on every kind of map, it gives the cloaks
// of an engine driven by hand, loses nothing when memory runs out, and refuses what makes no sense.
#include <starcloak/anonymizer.h>
#include <starcloak/verify.h>

#include "sim/run.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/slow_promises.h"
#include "support/streams.h"

#include <stdio.h>

enum { QUERIES = 40, USERS = 7, STREAMS = 1200, REPEATED = 300 };

// --- Queries to ask ----------------------------------------------------------

/** A few users on random roads of a map, at times that often fall together. */
typedef struct crowd {
    sc_ask asks[QUERIES];
    char users[USERS][8];
} crowd;

static void gather(crowd *c, const sc_map *map, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (unsigned i = 0; i < USERS; i++) {
        snprintf(c->users[i], sizeof c->users[i], "user%u", i);
    }
    sc_time t = 0;
    for (size_t i = 0; i < QUERIES; i++) {
        // Not the same user twice at one time: that would be refused.
        if (i % USERS == 0) t++;
        t += sc_rng_below(&rng, 6) == 0 ? sc_rng_below(&rng, 20) : 0;
        const sc_edge_id edge = sc_rng_below(&rng, sc_map_edge_count(map));
        c->asks[i] = (sc_ask){
            .user = c->users[i % USERS],
            .user_size = strlen(c->users[i % USERS]),
            .t = t,
            .is_on_edge = true,
            .edge = edge,
            .offset_m = sc_rng_unit(&rng) * sc_map_edge_length_m(map, edge),
            .profile = {.k = 1 + sc_rng_below(&rng, 4),
                        .l = 1 + sc_rng_below(&rng, 6),
                        .max_hops = sc_rng_below(&rng, 6),
                        .max_wait_us = 1 + sc_rng_below(&rng, 40)},
        };
    }
}

static sc_anonymizer_options seeded(uint64_t seed)
{
    sc_anonymizer_options options = sc_anonymizer_options_default();
    options.engine = stream_options(seed);
    options.is_seeded = true;
    options.seed = seed;
    return options;
}

static sc_anonymizer *open_anonymizer(const sc_map *map, const sc_anonymizer_options *options)
{
    sc_anonymizer *anonymizer = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_anonymizer_new(map, options, &anonymizer, &diag), &diag);
    return anonymizer;
}

// --- Driving an anonymizer -----------------------------------------------------

/** Told of every outcome. */
typedef void witness(void *context, const sc_anonymizer_outcome *outcome);

/** Let the clock go on, step by step, until just before `until`. */
static void wake_until(sc_anonymizer *anonymizer, sc_time until, witness *sees, void *context)
{
    for (sc_time wake; (wake = sc_anonymizer_next_wake(anonymizer)) < until;) {
        CHECK_OK(sc_anonymizer_run(anonymizer, wake, NULL), NULL);
        for (sc_anonymizer_outcome outcome; sc_anonymizer_take(anonymizer, &outcome);) {
            sees(context, &outcome);
        }
    }
}

/** Ask everything at its time; tags are places in the crowd. */
static void drive(sc_anonymizer *anonymizer, const crowd *c, witness *sees, void *context)
{
    sc_diag diag = {""};
    for (size_t i = 0; i < QUERIES; i++) {
        wake_until(anonymizer, c->asks[i].t, sees, context);
        CHECK_OK(sc_anonymizer_ask(anonymizer, &c->asks[i], i, NULL, &diag), &diag);
        assert_int_equal(sc_anonymizer_next_wake(anonymizer), c->asks[i].t);
    }
    wake_until(anonymizer, SC_TIME_NEVER, sees, context);
}

// --- Promises -------------------------------------------------------------------

typedef struct judge {
    const crowd *crowd;
    slow_roads roads;
    sc_verifier *verifier;
    const sc_map *map;
    unsigned ends[QUERIES];
    uint64_t shared;  ///< cloaks of several queries
} judge;

static void verify(const judge *j, const sc_cloak *cloak, sc_time t)
{
    sc_claim_member members[QUERIES];
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        members[i] = (sc_claim_member){.user = member->query.user,
                                       .segment = member->query.segment,
                                       .star = member->star,
                                       .k = member->query.k,
                                       .l = member->query.l,
                                       .max_hops = member->query.max_hops,
                                       .deadline_us = member->query.deadline};
    }
    const sc_claim claim = {
        .stars = cloak->stars,
        .star_count = cloak->star_count,
        .segments = cloak->segments,
        .segment_count = cloak->segment_count,
        .border_nodes = cloak->border_nodes,
        .border_node_count = cloak->border_node_count,
        .members = members,
        .member_count = cloak->member_count,
        .t_us = t,
    };
    unsigned broken = 1;
    sc_diag diag = {""};
    CHECK_OK(sc_verifier_check_claim(j->verifier, &claim, &broken, &diag), NULL);
    if (broken) fail_msg("%s", diag.message);
}

static void judge_outcome(void *context, const sc_anonymizer_outcome *outcome)
{
    judge *j = context;
    const sc_cloak *cloak = outcome->cloak;
    if (!cloak) {
        assert_true(outcome->dropped_tag < QUERIES);
        const sc_ask *ask = &j->crowd->asks[outcome->dropped_tag];
        if (outcome->reason == SC_DROP_EXPIRED) {
            assert_true(outcome->t > ask->t + ask->profile.max_wait_us);
        }
        j->ends[outcome->dropped_tag]++;
        return;
    }
    slow_check_promises(&j->roads, cloak, outcome->t);
    verify(j, cloak, outcome->t);
    j->shared += cloak->member_count > 1;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        assert_true(query->owner < QUERIES);
        const sc_ask *ask = &j->crowd->asks[query->owner];
        assert_int_equal(query->segment, sc_map_edges(j->map)[ask->edge].segment);
        assert_int_equal(query->k, ask->profile.k);
        assert_int_equal(query->l, ask->profile.l);
        j->ends[query->owner]++;
    }
}

static void test_every_cloak_keeps_its_promises_in_every_variant_on_odd_maps(void **state)
{
    (void)state;
    uint64_t shared = 0;
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        crowd c;
        gather(&c, map, seed);
        sc_anonymizer_options options = seeded(seed);
        options.engine.variant = (sc_variant)(seed / STREAM_MAP_KINDS % SC_VARIANT_COUNT);
        judge j = {.crowd = &c, .map = map, .roads = slow_roads_new(map)};
        CHECK_OK(sc_verifier_new(map, &j.verifier), NULL);
        sc_anonymizer *anonymizer = open_anonymizer(map, &options);
        drive(anonymizer, &c, judge_outcome, &j);
        const sc_engine_stats stats = sc_anonymizer_get_stats(anonymizer);
        assert_int_equal(stats.added, QUERIES);
        assert_int_equal(stats.pending + stats.proposed, 0);
        for (size_t i = 0; i < QUERIES; i++) {
            assert_int_equal(j.ends[i], 1);  // P8
        }
        shared += j.shared;
        sc_anonymizer_free(anonymizer);
        sc_verifier_free(j.verifier);
        slow_roads_free(&j.roads);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(shared > STREAMS);
}

// --- The same cloaks as by hand -------------------------------------------------

/** Everything that came out, as numbers. */
typedef struct history {
    uint64_t numbers[QUERIES * 80];
    size_t count;
} history;

static void note(history *h, uint64_t number)
{
    assert_true(h->count < sizeof h->numbers / sizeof h->numbers[0]);
    h->numbers[h->count++] = number;
}

static void note_id(history *h, const sc_query_id *id)
{
    uint64_t halves[2];
    memcpy(halves, id, sizeof halves);
    note(h, halves[0]);
    note(h, halves[1]);
}

static void note_cloak(history *h, const sc_cloak *cloak, sc_time t)
{
    note(h, (uint64_t)t);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        note(h, cloak->segments[i]);
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        note_id(h, &cloak->members[i].query.id);
    }
}

static sc_err count_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    note_cloak(context, cloak, t);
    return SC_OK;
}

static sc_err count_drop(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason)
{
    (void)id;  // outcomes have tags instead
    note(context, (uint64_t)t);
    note(context, reason);
    return SC_OK;
}

static void note_outcome(void *context, const sc_anonymizer_outcome *outcome)
{
    if (outcome->cloak) {
        note_cloak(context, outcome->cloak, outcome->t);
    } else {
        (void)count_drop(context, NULL, outcome->t, outcome->reason);
    }
}

static void test_a_seed_gives_the_cloaks_of_a_recorded_stream(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < REPEATED; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        crowd c;
        gather(&c, map, seed);
        const sc_anonymizer_options options = seeded(seed);

        history by_hand = {.count = 0};
        sc_request_line lines[QUERIES] = {0};
        for (size_t i = 0; i < QUERIES; i++) {
            lines[i].ask = c.asks[i];
        }
        sc_run_options run = sc_run_options_default();
        run.engine = options.engine;
        run.seed = seed;
        run.listener =
            (sc_run_listener){.context = &by_hand, .cloaked = count_cloak, .dropped = count_drop};
        sc_run_report report;
        CHECK_OK(sc_run_lines(map, lines, QUERIES, &run, &report, NULL), NULL);

        history h = {.count = 0};
        sc_anonymizer *anonymizer = open_anonymizer(map, &options);
        drive(anonymizer, &c, note_outcome, &h);
        assert_int_equal(h.count, by_hand.count);
        assert_memory_equal(h.numbers, by_hand.numbers, h.count * sizeof h.numbers[0]);
        sc_anonymizer_free(anonymizer);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_a_key_changes_ids_and_nothing_else(void **state)
{
    (void)state;
    sc_map *map = stream_map(0);
    crowd c;
    gather(&c, map, 0);
    const uint8_t key[SC_KEY_SIZE] = {1, 2, 3};
    sc_anonymizer_options options = seeded(0);
    sc_anonymizer_ticket tickets[3];
    uint64_t cloaks[3];
    for (size_t i = 0; i < 3; i++) {
        options.key = i == 0 ? NULL : key;
        sc_anonymizer *anonymizer = open_anonymizer(map, &options);
        CHECK_OK(sc_anonymizer_ask(anonymizer, &c.asks[0], 0, &tickets[i], NULL), NULL);
        CHECK_OK(sc_anonymizer_cancel(anonymizer, &tickets[i].id), NULL);
        history h = {.count = 0};
        for (size_t j = 1; j < QUERIES; j++) {
            CHECK_OK(sc_anonymizer_ask(anonymizer, &c.asks[j], j, NULL, NULL), NULL);
            CHECK_OK(sc_anonymizer_run(anonymizer, c.asks[j].t, NULL), NULL);
        }
        wake_until(anonymizer, SC_TIME_NEVER, note_outcome, &h);
        cloaks[i] = sc_anonymizer_get_stats(anonymizer).cloaks;
        sc_anonymizer_free(anonymizer);
    }
    assert_memory_not_equal(&tickets[0].id, &tickets[1].id, sizeof tickets[0].id);
    assert_memory_equal(&tickets[1].id, &tickets[2].id, sizeof tickets[1].id);
    assert_int_equal(cloaks[0], cloaks[1]);
    sc_map_free(map);
}

static void test_without_a_seed_keys_and_choices_are_drawn_each_time(void **state)
{
    (void)state;
    sc_map *map = stream_map(0);
    crowd c;
    gather(&c, map, 0);
    sc_anonymizer_ticket tickets[2];
    for (size_t i = 0; i < 2; i++) {
        sc_anonymizer *anonymizer = open_anonymizer(map, NULL);
        CHECK_OK(sc_anonymizer_ask(anonymizer, &c.asks[0], 0, &tickets[i], NULL), NULL);
        sc_anonymizer_free(anonymizer);
    }
    assert_memory_not_equal(&tickets[0].id, &tickets[1].id, sizeof tickets[0].id);
    sc_map_free(map);
}

// --- Memory ------------------------------------------------------------------------

/** A whole life in which the n-th allocation fails; every call that fails is repeated. */
static bool live(const sc_map *map, const crowd *c, const sc_anonymizer_options *options,
                 unsigned long n)
{
    sc_diag diag = {""};
    sc_anonymizer *anonymizer = NULL;
    bool has_failed = false;
    unsigned ends[QUERIES] = {0};
    sc_alloc_fail_at(n);
// Repeat what failed for lack of memory, once there is memory again.
#define INSIST(call)                            \
    for (sc_err err; (err = (call));) {         \
        assert_int_equal(err, SC_ENOMEM);       \
        CHECK_CONTAINS(diag.message, "memory"); \
        assert_false(has_failed);               \
        assert_true(oom_happened());            \
        has_failed = true;                      \
    }
    INSIST(sc_anonymizer_new(map, options, &anonymizer, &diag));
    for (size_t i = 0; i <= QUERIES; i++) {
        if (i < QUERIES) INSIST(sc_anonymizer_ask(anonymizer, &c->asks[i], i, NULL, &diag));
        const sc_time until = i < QUERIES ? c->asks[i].t + 1 : SC_TIME_NEVER;
        for (sc_time wake; (wake = sc_anonymizer_next_wake(anonymizer)) < until;) {
            INSIST(sc_anonymizer_run(anonymizer, wake, &diag));
        }
        for (sc_anonymizer_outcome outcome; sc_anonymizer_take(anonymizer, &outcome);) {
            if (!outcome.cloak) ends[outcome.dropped_tag]++;
            for (size_t m = 0; outcome.cloak && m < outcome.cloak->member_count; m++) {
                ends[outcome.cloak->members[m].query.owner]++;
            }
        }
    }
#undef INSIST
    has_failed |= oom_happened();
    for (size_t i = 0; i < QUERIES; i++) {
        assert_int_equal(ends[i], 1);
    }
    sc_anonymizer_free(anonymizer);
    return has_failed;
}

static void test_no_query_is_lost_when_memory_runs_out(void **state)
{
    (void)state;
    for (unsigned variant = 0; variant < SC_VARIANT_COUNT; variant++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            check_case(seed);
            sc_map *map = stream_long_street(seed);
            crowd c;
            gather(&c, map, seed);
            sc_anonymizer_options options = seeded(seed);
            options.engine.variant = (sc_variant)variant;
            options.engine.is_paranoid = seed == 0;
            options.has_continuity = variant == SC_VARIANT_PATIENT && seed > 0;
            unsigned long n = 1;
            while (live(map, &c, &options, n)) {
                n++;
            }
            assert_true(n > 25);
            sc_map_free(map);
        }
    }
    check_case_done();
}

// --- What is refused -----------------------------------------------------------------

/** A grid on the globe, an anonymizer on it, and a good query. */
typedef struct scene {
    sc_map *map;
    sc_anonymizer *anonymizer;
    sc_ask ask;
    sc_diag diag;
} scene;

static scene open_scene(void)
{
    scene s = {.diag = {""}};
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 4);
    s.map = sketch_map(&grid);
    s.anonymizer = open_anonymizer(s.map, NULL);
    s.ask = (sc_ask){.user = "ann", .user_size = 3, .t = 100};
    sc_map_node_position(s.map, 0, &s.ask.x, &s.ask.y);
    sketch_free(&grid);
    return s;
}

static void close_scene(scene *s)
{
    sc_anonymizer_free(s->anonymizer);
    sc_map_free(s->map);
}

/** It is refused with a sentence that tells nothing of it, and changes nothing. */
static void check_refusal(scene *s, const sc_ask *ask, sc_err wanted, const char *part)
{
    const sc_engine_stats before = sc_anonymizer_get_stats(s->anonymizer);
    sc_anonymizer_ticket ticket = {.deadline = 42};
    const sc_err err = sc_anonymizer_ask(s->anonymizer, ask, 0, &ticket, &s->diag);
    CHECK_REFUSED(err, wanted, &s->diag, part);
    assert_null(strstr(s->diag.message, "ann"));
    assert_int_equal(ticket.deadline, 42);
    const sc_engine_stats after = sc_anonymizer_get_stats(s->anonymizer);
    assert_memory_equal(&before, &after, sizeof before);
}

static void test_bad_queries_are_refused_and_change_nothing(void **state)
{
    (void)state;
    scene s = open_scene();
    sc_ask bad = s.ask;
    bad.user_size = 0;
    check_refusal(&s, &bad, SC_EINVAL, "user");
    bad = s.ask;
    bad.x = NOT_A_NUMBER;
    check_refusal(&s, &bad, SC_EINVAL, "globe");
    bad = s.ask;
    bad.y = 91;
    check_refusal(&s, &bad, SC_EINVAL, "globe");
    bad = s.ask;
    bad.y += 1;
    check_refusal(&s, &bad, SC_ETOOFAR, "road");
    bad = s.ask;
    bad.is_on_edge = true;
    bad.edge = sc_map_edge_count(s.map);
    check_refusal(&s, &bad, SC_EUNKNOWN, "edge");
    bad.edge = 0;
    bad.offset_m = 1e9;
    check_refusal(&s, &bad, SC_EINVAL, "offset");
    bad = s.ask;
    bad.profile = (sc_profile){.k = 0, .l = 1, .max_hops = 1, .max_wait_us = 1};
    check_refusal(&s, &bad, SC_EPROFILE, "k (users)");
    bad.profile = (sc_profile){.k = 1, .l = 1, .max_hops = 1, .max_wait_us = -1};
    check_refusal(&s, &bad, SC_EPROFILE, "sigma_t");
    bad = s.ask;
    bad.t = INT64_MIN;
    check_refusal(&s, &bad, SC_EINVAL, "time");
    // And the good one is still taken, whatever bytes its user is made of.
    static const char bytes[] = {'\0', '\xff', '\n', '%'};
    s.ask.user = bytes;
    s.ask.user_size = sizeof bytes;
    CHECK_OK(sc_anonymizer_ask(s.anonymizer, &s.ask, 0, NULL, &s.diag), &s.diag);
    check_refusal(&s, &s.ask, SC_EDUPLICATE, "once");
    close_scene(&s);
}

static void test_an_empty_profile_stands_for_that_of_the_options(void **state)
{
    (void)state;
    scene s = open_scene();
    const sc_anonymizer_options options = sc_anonymizer_options_default();
    sc_anonymizer_ticket ticket;
    CHECK_OK(sc_anonymizer_ask(s.anonymizer, &s.ask, 0, &ticket, NULL), NULL);
    assert_int_equal(ticket.deadline, s.ask.t + options.profile.max_wait_us);
    assert_int_equal(sc_map_edges(s.map)[ticket.where.edge].segment, ticket.where.segment);
    s.ask.t++;
    s.ask.profile = (sc_profile){.k = 1, .l = 1, .max_hops = 0, .max_wait_us = 7};
    CHECK_OK(sc_anonymizer_ask(s.anonymizer, &s.ask, 0, &ticket, NULL), NULL);
    assert_int_equal(ticket.deadline, s.ask.t + 7);
    close_scene(&s);
}

static void test_time_does_not_run_backwards(void **state)
{
    (void)state;
    scene s = open_scene();
    assert_int_equal(sc_anonymizer_next_wake(s.anonymizer), SC_TIME_NEVER);
    CHECK_OK(sc_anonymizer_ask(s.anonymizer, &s.ask, 0, NULL, NULL), NULL);
    CHECK_OK(sc_anonymizer_run(s.anonymizer, 100, NULL), NULL);
    CHECK_REFUSED(sc_anonymizer_run(s.anonymizer, 99, &s.diag), SC_ETIME, &s.diag, "before");
    sc_ask earlier = s.ask;
    earlier.t = 99;
    check_refusal(&s, &earlier, SC_ETIME, "before");
    // A query may be older than the last run, if there is time left for it.
    CHECK_OK(sc_anonymizer_run(s.anonymizer, 200, NULL), NULL);
    s.ask.t = 150;
    s.ask.profile = (sc_profile){.k = 1, .l = 1, .max_hops = 1, .max_wait_us = 49};
    check_refusal(&s, &s.ask, SC_ELATE, "deadline");
    s.ask.profile.max_wait_us = 50;
    CHECK_OK(sc_anonymizer_ask(s.anonymizer, &s.ask, 1, NULL, NULL), NULL);
    close_scene(&s);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    scene s = open_scene();
    sc_anonymizer *none = NULL;
    sc_anonymizer_options options = sc_anonymizer_options_default();
    options.profile.k = 0;
    CHECK_REFUSED(sc_anonymizer_new(s.map, &options, &none, &s.diag), SC_EPROFILE, &s.diag, "k");
    options = sc_anonymizer_options_default();
    options.limits.max_k = 0;
    CHECK_REFUSED(sc_anonymizer_new(s.map, &options, &none, &s.diag), SC_EINVAL, &s.diag, "limit");
    options = sc_anonymizer_options_default();
    options.engine.max_combinations = 0;
    assert_int_equal(sc_anonymizer_new(s.map, &options, &none, &s.diag), SC_EINVAL);
    options = sc_anonymizer_options_default();
    options.has_continuity = true;
    CHECK_REFUSED(sc_anonymizer_new(s.map, &options, &none, &s.diag), SC_EINVAL, &s.diag,
                  "patient");
    options.engine.variant = SC_VARIANT_PATIENT;
    options.continuity.vmax_m_s = 0;
    CHECK_REFUSED(sc_anonymizer_new(s.map, &options, &none, &s.diag), SC_EINVAL, &s.diag, "vmax");
    assert_null(none);
    sc_anonymizer_free(NULL);
    close_scene(&s);
}

static void test_a_query_that_is_cancelled_has_no_outcome(void **state)
{
    (void)state;
    scene s = open_scene();
    sc_anonymizer_ticket ticket;
    CHECK_OK(sc_anonymizer_ask(s.anonymizer, &s.ask, 0, &ticket, NULL), NULL);
    CHECK_OK(sc_anonymizer_run(s.anonymizer, s.ask.t, NULL), NULL);
    CHECK_OK(sc_anonymizer_cancel(s.anonymizer, &ticket.id), NULL);
    assert_int_equal(sc_anonymizer_cancel(s.anonymizer, &ticket.id), SC_EUNKNOWN);
    assert_int_equal(sc_anonymizer_next_wake(s.anonymizer), SC_TIME_NEVER);
    CHECK_OK(sc_anonymizer_run(s.anonymizer, ticket.deadline + 1, NULL), NULL);
    sc_anonymizer_outcome outcome;
    assert_false(sc_anonymizer_take(s.anonymizer, &outcome));
    close_scene(&s);
}

// --- Continuity ----------------------------------------------------------------------

static void cloak_one(sc_anonymizer *anonymizer, const sc_ask *ask, bool is_cloaked)
{
    sc_anonymizer_outcome outcome;
    CHECK_OK(sc_anonymizer_ask(anonymizer, ask, 0, NULL, NULL), NULL);
    CHECK_OK(sc_anonymizer_run(anonymizer, ask->t, NULL), NULL);
    CHECK_OK(sc_anonymizer_run(anonymizer, ask->t + ask->profile.max_wait_us + 1, NULL), NULL);
    assert_true(sc_anonymizer_take(anonymizer, &outcome));
    assert_int_equal(outcome.cloak != NULL, is_cloaked);
}

static void test_last_cloaks_are_kept_by_accepted_cloaks_until_tau(void **state)
{
    (void)state;
    scene s = open_scene();
    sc_anonymizer_options options = seeded(1);
    options.engine = sc_engine_options_default();
    options.engine.variant = SC_VARIANT_PATIENT;
    options.has_continuity = true;
    options.continuity.tau_us = 1000;
    sc_anonymizer *anonymizer = open_anonymizer(s.map, &options);
    s.ask.profile = (sc_profile){.k = 2, .l = 1, .max_hops = 3, .max_wait_us = 10};
    cloak_one(anonymizer, &s.ask, false);
    assert_int_equal(sc_anonymizer_get_continuity_stats(anonymizer).users, 0);
    assert_int_equal(sc_anonymizer_get_continuity_stats(anonymizer).waiting, 0);

    s.ask.profile.k = 1;
    s.ask.t += 100;
    cloak_one(anonymizer, &s.ask, true);
    assert_int_equal(sc_anonymizer_get_continuity_stats(anonymizer).users, 1);
    s.ask.t += 100;
    cloak_one(anonymizer, &s.ask, true);
    sc_continuity_stats stats = sc_anonymizer_get_continuity_stats(anonymizer);
    assert_int_equal(stats.users, 1);
    assert_int_equal(stats.asked, 3);
    assert_int_equal(stats.linked, 1);

    sc_anonymizer_ticket ticket;
    s.ask.t += 100;
    CHECK_OK(sc_anonymizer_ask(anonymizer, &s.ask, 0, &ticket, NULL), NULL);
    CHECK_OK(sc_anonymizer_cancel(anonymizer, &ticket.id), NULL);
    assert_int_equal(sc_anonymizer_get_continuity_stats(anonymizer).waiting, 0);
    CHECK_OK(sc_anonymizer_run(anonymizer, s.ask.t - 100 + 1000, NULL), NULL);
    assert_int_equal(sc_anonymizer_get_continuity_stats(anonymizer).users, 1);
    CHECK_OK(sc_anonymizer_run(anonymizer, s.ask.t - 100 + 1001, NULL), NULL);
    stats = sc_anonymizer_get_continuity_stats(anonymizer);
    assert_int_equal(stats.users, 0);
    assert_int_equal(stats.bytes, 0);

    stats = sc_anonymizer_get_continuity_stats(s.anonymizer);  // without
    assert_int_equal(stats.asked, 0);
    sc_anonymizer_free(anonymizer);
    close_scene(&s);
}

static void test_running_until_never_ends_all_queries_at_their_times(void **state)
{
    (void)state;
    sc_map *map = stream_map(0);
    crowd c;
    gather(&c, map, 0);
    const sc_anonymizer_options options = seeded(0);
    history h[2] = {{.count = 0}, {.count = 0}};
    for (size_t i = 0; i < 2; i++) {
        sc_anonymizer *anonymizer = open_anonymizer(map, &options);
        for (size_t j = 0; j < QUERIES; j++) {
            CHECK_OK(sc_anonymizer_ask(anonymizer, &c.asks[j], j, NULL, NULL), NULL);
            CHECK_OK(sc_anonymizer_run(anonymizer, c.asks[j].t, NULL), NULL);
        }
        if (i == 1) CHECK_OK(sc_anonymizer_run(anonymizer, SC_TIME_NEVER, NULL), NULL);
        assert_true(i == 0 || sc_anonymizer_next_wake(anonymizer) == SC_TIME_NEVER);
        // Steps of its own, unless there is nothing left to do.
        wake_until(anonymizer, SC_TIME_NEVER, note_outcome, &h[i]);
        for (sc_anonymizer_outcome outcome; sc_anonymizer_take(anonymizer, &outcome);) {
            note_outcome(&h[i], &outcome);
        }
        sc_anonymizer_free(anonymizer);
    }
    assert_int_equal(h[0].count, h[1].count);
    assert_memory_equal(h[0].numbers, h[1].numbers, h[0].count * sizeof h[0].numbers[0]);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_cloak_keeps_its_promises_in_every_variant_on_odd_maps),
    SC_CASES(test_a_seed_gives_the_cloaks_of_a_recorded_stream),
    cmocka_unit_test(test_a_key_changes_ids_and_nothing_else),
    cmocka_unit_test(test_without_a_seed_keys_and_choices_are_drawn_each_time),
    SC_CASES(test_no_query_is_lost_when_memory_runs_out),
    cmocka_unit_test(test_bad_queries_are_refused_and_change_nothing),
    cmocka_unit_test(test_an_empty_profile_stands_for_that_of_the_options),
    cmocka_unit_test(test_time_does_not_run_backwards),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_a_query_that_is_cancelled_has_no_outcome),
    cmocka_unit_test(test_last_cloaks_are_kept_by_accepted_cloaks_until_tau),
    cmocka_unit_test(test_running_until_never_ends_all_queries_at_their_times),
};
SC_SUITE(tests)
