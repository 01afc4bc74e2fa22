// Two engines through one stream. See race.h.
#include "support/race.h"

#include "support/check.h"
#include "support/sketch.h"

// --- Comparing -------------------------------------------------------------------

static void check_same_ids(const uint32_t *fast, size_t fast_count, const uint32_t *slow,
                           size_t slow_count)
{
    assert_int_equal(fast_count, slow_count);
    for (size_t i = 0; i < fast_count; i++) {
        assert_int_equal(fast[i], slow[i]);
    }
}

static bool asks_for_nothing(const sc_own_demands *own)
{
    return !own || (own->zone_count == 0 && !own->has_reached);
}

static void check_same_own(const sc_own_demands *fast, const sc_own_demands *slow)
{
    assert_int_equal(asks_for_nothing(fast), asks_for_nothing(slow));
    if (!fast || !slow || asks_for_nothing(slow)) return;
    check_same_ids(fast->zone, fast->zone_count, slow->zone, slow->zone_count);
    assert_int_equal(fast->has_reached, slow->has_reached);
    const size_t count = slow->has_reached ? slow->reached_count : 0;
    assert_true(!slow->has_reached || fast->reached_count == count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(fast->reached[i].segment, slow->reached[i].segment);
        assert_int_equal(fast->reached[i].part, slow->reached[i].part);
    }
}

static void check_same_query(const sc_query *fast, const sc_query *slow)
{
    assert_memory_equal(&fast->id, &slow->id, sizeof fast->id);
    assert_int_equal(fast->user, slow->user);
    assert_int_equal(fast->deadline, slow->deadline);
    assert_int_equal(fast->segment, slow->segment);
    assert_int_equal(fast->k, slow->k);
    assert_int_equal(fast->l, slow->l);
    assert_int_equal(fast->max_hops, slow->max_hops);
    assert_int_equal(fast->result_size, slow->result_size);
}

static void check_same_cloak(const sc_cloak *fast, const sc_cloak *slow)
{
    check_same_ids(fast->stars, fast->star_count, slow->stars, slow->star_count);
    check_same_ids(fast->segments, fast->segment_count, slow->segments, slow->segment_count);
    check_same_ids(fast->border_nodes, fast->border_node_count, slow->border_nodes,
                   slow->border_node_count);
    assert_int_equal(fast->member_count, slow->member_count);
    for (size_t i = 0; i < fast->member_count; i++) {
        check_same_query(&fast->members[i].query, &slow->members[i].query);
        assert_int_equal(fast->members[i].star, slow->members[i].star);
        assert_int_equal(fast->members[i].is_company, slow->members[i].is_company);
        check_same_own(fast->members[i].query.own, slow->members[i].query.own);
    }
    assert_int_equal(fast->deadline, slow->deadline);
}

static void check_same_drops(race *r)
{
    sc_drop fast;
    sc_drop slow;
    while (sc_engine_take_drop(r->fast, &fast)) {
        assert_true(slow_engine_take_drop(r->slow, &slow));
        check_same_query(&fast.query, &slow.query);
        assert_null(fast.query.own);
        assert_int_equal(fast.reason, slow.reason);
        assert_int_equal(fast.t, slow.t);
    }
    assert_false(slow_engine_take_drop(r->slow, &slow));
}

static void check_same_work(const race *r, const sc_engine_stats *fast, const sc_engine_stats *slow)
{
    assert_int_equal(fast->searches, slow->searches);
    if (r->is_patient) {
        // What is known to lack users need not be checked for roads.
        assert_true(fast->checks <= slow->checks);
        assert_int_equal(fast->cap_hits, slow->cap_hits);
        const slow_settle_counts counts = slow_engine_settle_counts(r->slow);
        assert_int_equal(fast->settled, counts.tried);
        assert_int_equal(fast->settle_failures, counts.failed);
        assert_int_equal(fast->ends_taken_back, counts.taken_back);
    } else {
        // What cannot pass need not be kept.
        assert_true(fast->cap_hits <= slow->cap_hits);
    }
    // As many numbers have been drawn.
    assert_memory_equal(&r->fast_rng, &r->slow_rng, sizeof r->fast_rng);
}

static void check_same_state(const race *r)
{
    assert_int_equal(sc_engine_next_wake(r->fast), slow_engine_next_wake(r->slow));
    const sc_engine_stats fast = sc_engine_get_stats(r->fast);
    const sc_engine_stats slow = slow_engine_stats_of(r->slow);
    assert_int_equal(fast.added, slow.added);
    assert_int_equal(fast.company, slow.company);
    assert_int_equal(fast.company_accepted, slow.company_accepted);
    assert_int_equal(fast.company_held, slow.company_held);
    assert_int_equal(fast.accepted, slow.accepted);
    for (size_t reason = 0; reason < SC_DROP_REASON_COUNT; reason++) {
        assert_int_equal(fast.dropped[reason], slow.dropped[reason]);
    }
    assert_int_equal(fast.removed, slow.removed);
    assert_int_equal(fast.cloaks, slow.cloaks);
    assert_int_equal(fast.refused, slow.refused);
    assert_int_equal(fast.pending, slow.pending);
    assert_int_equal(fast.proposed, slow.proposed);
    assert_int_equal(fast.vertices, slow.vertices);
    assert_int_equal(fast.active_stars, slow.active_stars);
    check_same_work(r, &fast, &slow);
}

// --- Answering proposals ---------------------------------------------------------

static void close_proposal(race_proposal p)
{
    sc_cloak_free(p.fast);
    slow_cloak_free(p.slow);
}

static void refuse(race *r, race_proposal p, const sc_query_id *gone, size_t gone_count)
{
    CHECK_OK(sc_engine_refuse(r->fast, p.fast, gone, gone_count), NULL);
    CHECK_OK(slow_engine_refuse(r->slow, p.slow, gone, gone_count), NULL);
    close_proposal(p);
}

static void answer(race *r, race_proposal p)
{
    sc_query_id gone[STREAM_QUERIES];
    size_t gone_count = 0;
    sc_err err = SC_OK;
    switch (stream_answer(&r->s, p.fast, gone, &gone_count)) {
    case ANSWER_ACCEPT:
        err = sc_engine_accept(r->fast, p.fast, r->s.now, NULL);
        assert_int_equal(err, slow_engine_accept(r->slow, p.slow, r->s.now));
        if (err) {
            assert_int_equal(err, SC_ELATE);
            refuse(r, p, gone, gone_count);
        } else {
            close_proposal(p);
        }
        break;
    case ANSWER_REFUSE:
        refuse(r, p, gone, gone_count);
        break;
    case ANSWER_LATER:
        r->open[r->open_count++] = p;
        break;
    }
}

static void answer_open(race *r)
{
    race_proposal open[STREAM_QUERIES];
    const size_t count = r->open_count;
    memcpy(open, r->open, sizeof open);
    r->open_count = 0;
    for (size_t i = 0; i < count; i++) {
        answer(r, open[i]);
    }
}

// The roads of a cloak of stars are what all its members ask for.
static void check_roads_do(const race *r, const sc_cloak *cloak)
{
    const slow_roads *roads = slow_engine_roads(r->slow);
    bool *stars = test_take(roads->star_count, sizeof *stars);
    for (size_t i = 0; i < cloak->star_count; i++) {
        stars[cloak->stars[i]] = true;
    }
    assert_true(cloak->star_count == 0 ||
                slow_is_good(roads, &r->demands, cloak->members, cloak->member_count, stars));
    free(stars);
}

static void answer_candidates(race *r, race_tally *all)
{
    for (race_proposal p; (p.fast = sc_engine_take_candidate(r->fast));) {
        p.slow = slow_engine_take_candidate(r->slow);
        assert_non_null(p.slow);
        check_same_cloak(p.fast, p.slow);
        const size_t stars = p.slow->star_count;
        CHECK_OK(sc_pruner_prune(r->pruner, p.fast, &r->fast_prune_rng), NULL);
        slow_engine_prune(r->slow, p.slow, &r->slow_prune_rng);
        check_same_cloak(p.fast, p.slow);
        check_roads_do(r, p.fast);
        all->pruned_stars += stars - p.slow->star_count;
        all->members += p.slow->member_count;
        if (p.slow->member_count > all->most_members) all->most_members = p.slow->member_count;
        answer(r, p);
    }
    assert_null(slow_engine_take_candidate(r->slow));
}

// --- The race --------------------------------------------------------------------

void race_start(race *r, uint64_t seed, const sc_map *map, const sc_engine_options *options)
{
    race_start_apart(r, seed, map, options, &options->demands);
}

void race_start_apart(race *r, uint64_t seed, const sc_map *map, const sc_engine_options *options,
                      const sc_demands *slow_demands)
{
    sc_diag diag = {""};
    *r = (race){
        .s = stream_new(seed, map),
        .is_patient = options->variant == SC_VARIANT_PATIENT,
        .demands = *slow_demands,
    };
    sc_rng_seed(&r->fast_rng, seed);
    sc_rng_seed(&r->slow_rng, seed);
    sc_rng_seed(&r->fast_prune_rng, seed + 1);
    sc_rng_seed(&r->slow_prune_rng, seed + 1);
    CHECK_OK(sc_pruner_new(map, &r->pruner), NULL);
    CHECK_OK(sc_engine_new(map, options, &r->fast_rng, &r->fast, &diag), &diag);
    sc_engine_options slow_options = *options;
    slow_options.demands = *slow_demands;
    r->slow = slow_engine_new(map, &slow_options, &r->slow_rng);
}

void race_end(race *r, race_tally *all)
{
    const sc_engine_stats stats = slow_engine_stats_of(r->slow);
    all->cloaks += stats.cloaks;
    all->refused += stats.refused;
    all->cap_hits += stats.cap_hits;
    const slow_settle_counts counts = slow_engine_settle_counts(r->slow);
    all->settle_counts.reduced += counts.reduced;
    all->settle_counts.failed += counts.failed;
    all->settle_counts.taken_back += counts.taken_back;
    for (size_t reason = 0; reason < SC_DROP_REASON_COUNT; reason++) {
        all->dropped[reason] += stats.dropped[reason];
    }
    sc_engine_free(r->fast);
    slow_engine_free(r->slow);
    sc_pruner_free(r->pruner);
}

static void run(race *r, race_tally *all)
{
    CHECK_OK(sc_engine_run(r->fast, r->s.now), NULL);
    CHECK_OK(slow_engine_run(r->slow, r->s.now), NULL);
    check_same_drops(r);
    answer_open(r);
    answer_candidates(r, all);
}

static void take_step(race *r, const step *now, race_tally *all)
{
    switch (now->kind) {
    case STEP_ADD:
    case STEP_ADD_BAD:
        assert_int_equal(sc_engine_add(r->fast, &now->query),
                         slow_engine_add(r->slow, &now->query));
        break;
    case STEP_ADD_COMPANY:
        assert_int_equal(sc_engine_add_company(r->fast, &now->query),
                         slow_engine_add_company(r->slow, &now->query));
        break;
    case STEP_REMOVE:
        assert_int_equal(sc_engine_remove(r->fast, &now->id),
                         slow_engine_remove(r->slow, &now->id));
        break;
    case STEP_SWITCH:
        CHECK_OK(sc_engine_switch(r->fast, now->variant), NULL);
        slow_engine_switch(r->slow, now->variant);
        break;
    case STEP_RUN:
        run(r, all);
        break;
    }
}

void race_through(race *r, race_tally *all)
{
    for (step now; stream_next(&r->s, slow_engine_next_wake(r->slow), &now);) {
        take_step(r, &now, all);
        check_same_state(r);
    }
    // To the end of every query.
    while (r->open_count > 0 || slow_engine_next_wake(r->slow) != SC_TIME_NEVER) {
        const sc_time wake = slow_engine_next_wake(r->slow);
        if (wake != SC_TIME_NEVER && wake > r->s.now) r->s.now = wake;
        run(r, all);
        check_same_state(r);
    }
    assert_int_equal(sc_engine_get_stats(r->fast).pending, 0);
}

void race_tell(const char *what, const race_tally *all)
{
    const double cloaks = (double)all->cloaks;
    print_message("# %s: %.0f cloaks, %.2f members, %.2f stars pruned; %lu refused, %lu expired, "
                  "%lu infeasible, %lu exposed, %lu caps hit; settled %lu, in vain %lu, ends "
                  "taken back %lu\n",
                  what, cloaks, (double)all->members / cloaks, (double)all->pruned_stars / cloaks,
                  all->refused, all->dropped[SC_DROP_EXPIRED], all->dropped[SC_DROP_INFEASIBLE],
                  all->dropped[SC_DROP_EXPOSED], all->cap_hits, all->settle_counts.reduced,
                  all->settle_counts.failed, all->settle_counts.taken_back);
}

void race_lengthen(race *r, const sc_map *map)
{
    r->s.steps_left = 700;
    r->s.most_queries = STREAM_QUERIES;
    r->s.segment_count = sc_map_segment_count(map);
    r->s.user_count = 300;
    r->s.least_k = 2;
    r->s.most_k = 6;
    r->s.most_hops = 4;
    r->s.longest_wait = 300;
    r->s.runs_per_time = 10;
}

void race_long_streams(uint64_t count, sc_engine_options (*options_of)(uint64_t seed))
{
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, 8, 8);
    sc_map *map = sketch_map(&drawn);
    race_tally all = {0};
    for (uint64_t seed = 0; seed < count; seed++) {
        check_case(seed);
        const sc_engine_options options = options_of(seed);
        race r;
        race_start(&r, seed, map, &options);
        race_lengthen(&r, map);
        race_through(&r, &all);
        race_end(&r, &all);
    }
    check_case_done();
    race_tell("long streams", &all);
    assert_true(all.cloaks > 20 * count);
    sc_map_free(map);
    sketch_free(&drawn);
}
