// Lives of engines in which allocations fail. See life.h.
#include "support/life.h"

#include <starcloak/prune.h>

#include "support/check.h"
#include "support/made_demands.h"
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
    const life_plan *plan;
    made_demands *demands;  ///< NULL: none
    stream s;
    sc_rng rng;
    sc_rng prune_rng;
    sc_engine *engine;
    sc_pruner *pruner;
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

// A run that fails may be followed by one that searches in another way.
static sc_err run_or_switch(life *l)
{
    const sc_err err = sc_engine_run(l->engine, l->s.now);
    if (err == SC_ENOMEM && l->plan->has_switches && !l->plan->is_certain) {
        const sc_variant any[] = {SC_VARIANT_BASIC, SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID};
        CHECK_OK(sc_engine_switch(l->engine, any[l->told.count % 3]), NULL);
    }
    return err;
}

static void run(life *l)
{
    sc_err err = SC_OK;
    INSIST(l, err, run_or_switch(l));
    CHECK_OK(err, NULL);
    for (sc_drop drop; sc_engine_take_drop(l->engine, &drop);) {
        stream_end(&l->s, &drop.query.id);
        note(&l->told, drop.query.user);
        note(&l->told, drop.reason);
        note(&l->told, (uint64_t)drop.t);
    }
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(l->engine));) {
        note_cloak(&l->told, cloak);
        INSIST(l, err, sc_pruner_prune(l->pruner, cloak, &l->prune_rng));
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
    if (l->plan->is_on_dead_ends) query.segment = next_dead_end(l->s.map, query.segment);
    if (l->demands) query.own = made_own_demands(l->demands, &query);
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
    case STEP_SWITCH:
        CHECK_OK(sc_engine_switch(l->engine, now->variant), NULL);
        break;
    case STEP_RUN:
        run(l);
        break;
    }
}

static void live(life *l, const life_plan *plan, const sc_map *map, made_demands *demands)
{
    sc_err err = SC_OK;
    sc_engine_options options = plan->options;
    *l = (life){.plan = plan, .s = stream_new(plan->seed, map)};
    if (plan->has_demands) {
        l->demands = demands;
        made_demands_again(demands);
        options.demands = demands->of_engine;
        options.demands.is_strict = options.demands.is_strict && !plan->is_certain;
    }
    l->s.user_count = 12;
    l->s.least_k = 1;
    l->s.most_k = 3;
    l->s.most_hops = 4;
    l->s.longest_wait = 60;
    if (plan->is_everywhere) {
        l->s.segment_count = sc_map_segment_count(map);
        l->s.has_company = true;
    }
    l->s.has_switches = plan->has_switches;
    sc_rng_seed(&l->rng, plan->seed);
    sc_rng_seed(&l->prune_rng, plan->seed + 1);
    INSIST(l, err, sc_engine_new(map, &options, &l->rng, &l->engine, NULL));
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
    const sc_engine_stats stats = sc_engine_get_stats(l->engine);
    assert_int_equal(stats.pending + stats.proposed + stats.company_held + stats.vertices, 0);
    note(&l->told, stats.added);
    note(&l->told, stats.accepted);
    note(&l->told, stats.removed);
    sc_engine_free(l->engine);
    sc_pruner_free(l->pruner);
}

unsigned long life_fail_each(const life_plan *plan)
{
    sc_map *map = stream_long_street(plan->seed);
    slow_roads roads = slow_roads_new(map);
    made_demands demands;
    made_demands_start(&demands, &roads, plan->seed);
    if (plan->options.variant != SC_VARIANT_PATIENT) made_demands_reduce(&demands);
    life untroubled;
    live(&untroubled, plan, map, &demands);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        life l;
        live(&l, plan, map, &demands);
        // An allocation may fail without a call that does, where it could be done without.
        const bool has_failed = oom_happened() || l.failures > 0;
        if (plan->is_certain || !has_failed) {
            assert_int_equal(l.told.count, untroubled.told.count);
            assert_memory_equal(l.told.at, untroubled.told.at, l.told.count * sizeof *l.told.at);
        }
        free(l.told.at);
        if (!has_failed) break;
        failures++;
    }
    free(untroubled.told.at);
    made_demands_end(&demands);
    slow_roads_free(&roads);
    sc_map_free(map);
    return failures;
}
