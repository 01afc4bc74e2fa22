// One engine through one stream, to the end of every query. See streams.h.
#include "support/streams.h"

#include "engine/candidate.h"
#include "support/check.h"

/** What the driver knows of a query that has not ended. */
typedef struct known {
    bool is_added;
    bool is_proposed;
    bool is_removed;  ///< while it was proposed: its end is that of the proposal
} known;

/** A drive under way. */
typedef struct drive {
    stream *s;
    sc_engine *engine;
    sc_pruner *pruner;
    sc_rng prune_rng;
    sc_cloak *open;  ///< proposals to be answered later
    known queries[STREAM_QUERIES];
    stream_witness *witness;
    void *context;
} drive;

static known *known_of(drive *d, const sc_query_id *id)
{
    for (uint32_t i = 0; i < d->s->asked; i++) {
        if (memcmp(id, &d->s->queries[i].id, sizeof *id) == 0) return &d->queries[i];
    }
    fail_msg("a query that was not asked");
    return NULL;
}

static bool is_among(const sc_query_id *id, const sc_query_id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(id, &ids[i], sizeof *id) == 0) return true;
    }
    return false;
}

// --- Answering proposals ---------------------------------------------------------

static void refuse(drive *d, sc_cloak *cloak, const sc_query_id *gone, size_t gone_count)
{
    CHECK_OK(sc_engine_refuse(d->engine, cloak, gone, gone_count), NULL);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query_id *id = &cloak->members[i].query.id;
        known *k = known_of(d, id);
        if (k->is_removed || is_among(id, gone, gone_count)) stream_end(d->s, id);
        k->is_proposed = false;
    }
    sc_cloak_free(cloak);
}

static void accept(drive *d, sc_cloak *cloak)
{
    sc_diag diag = {""};
    const sc_err err = sc_engine_accept(d->engine, cloak, d->s->now, &diag);
    if (d->s->now > cloak->deadline) {
        assert_int_equal(err, SC_ELATE);
        refuse(d, cloak, NULL, 0);
        return;
    }
    CHECK_OK(err, &diag);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query_id *id = &cloak->members[i].query.id;
        known_of(d, id)->is_proposed = false;
        stream_end(d->s, id);
    }
    d->witness(d->context, cloak, d->s->now);
    sc_cloak_free(cloak);
}

static void answer(drive *d, sc_cloak *cloak)
{
    sc_query_id gone[STREAM_QUERIES];
    size_t gone_count = 0;
    switch (stream_answer(d->s, cloak, gone, &gone_count)) {
    case ANSWER_ACCEPT:
        accept(d, cloak);
        break;
    case ANSWER_REFUSE:
        refuse(d, cloak, gone, gone_count);
        break;
    case ANSWER_LATER:
        sc__candidate_of(cloak)->next = d->open;
        d->open = cloak;
        break;
    }
}

// --- Steps -----------------------------------------------------------------------

// Every query is somewhere; company may end without a word.
static void check_sums(const drive *d)
{
    const sc_engine_stats stats = sc_engine_get_stats(d->engine);
    uint64_t dropped = 0;
    for (size_t reason = 0; reason < SC_DROP_REASON_COUNT; reason++) {
        dropped += stats.dropped[reason];
    }
    uint64_t added = 0;
    uint64_t company = 0;
    for (uint32_t i = 0; i < d->s->asked; i++) {
        added += d->queries[i].is_added && !d->s->is_company[i];
        company += d->queries[i].is_added && d->s->is_company[i];
    }
    assert_int_equal(stats.added, added);
    assert_int_equal(stats.company, company);
    assert_int_equal(added,
                     stats.accepted + dropped + stats.removed + stats.pending + stats.proposed);
    assert_true(company >= stats.company_accepted + stats.company_held);
}

static void run(drive *d)
{
    CHECK_OK(sc_engine_run(d->engine, d->s->now), NULL);
    for (sc_drop drop; sc_engine_take_drop(d->engine, &drop);) {
        assert_int_equal(drop.t, d->s->now);
        stream_end(d->s, &drop.query.id);
    }
    sc_cloak *fresh = d->open;
    d->open = NULL;
    for (sc_cloak *cloak; (cloak = fresh);) {
        fresh = sc__candidate_of(cloak)->next;
        answer(d, cloak);
    }
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(d->engine));) {
        for (size_t i = 0; i < cloak->member_count; i++) {
            known_of(d, &cloak->members[i].query.id)->is_proposed = true;
        }
        CHECK_OK(sc_pruner_prune(d->pruner, cloak, &d->prune_rng), NULL);
        answer(d, cloak);
    }
}

static void remove_query(drive *d, const sc_query_id *id)
{
    known *k = known_of(d, id);
    const sc_err err = sc_engine_remove(d->engine, id);
    if (k->is_proposed) {
        assert_int_equal(err, k->is_removed ? SC_EUNKNOWN : SC_OK);
        k->is_removed = true;
    } else if (!err) {
        stream_end(d->s, id);
    } else {
        assert_int_equal(err, SC_EUNKNOWN);
    }
}

static void take_step(drive *d, const step *now)
{
    switch (now->kind) {
    case STEP_ADD:
        CHECK_OK(sc_engine_add(d->engine, &now->query), NULL);
        known_of(d, &now->query.id)->is_added = true;
        break;
    case STEP_ADD_COMPANY:
        CHECK_OK(sc_engine_add_company(d->engine, &now->query), NULL);
        known_of(d, &now->query.id)->is_added = true;
        break;
    case STEP_ADD_BAD:
        assert_int_equal(sc_engine_add(d->engine, &now->query), now->refusal);
        assert_int_equal(sc_engine_add_company(d->engine, &now->query), now->refusal);
        break;
    case STEP_REMOVE:
        remove_query(d, &now->id);
        break;
    case STEP_SWITCH:
        CHECK_OK(sc_engine_switch(d->engine, now->variant), NULL);
        break;
    case STEP_RUN:
        run(d);
        break;
    }
}

// Proposals are answered and deadlines pass, whatever the engine wants to be woken for.
static void finish(drive *d)
{
    while (sc_engine_next_wake(d->engine) != SC_TIME_NEVER || d->open) {
        const sc_time wake = sc_engine_next_wake(d->engine);
        if (wake != SC_TIME_NEVER && wake > d->s->now) d->s->now = wake;
        run(d);
        check_sums(d);
    }
    const sc_engine_stats stats = sc_engine_get_stats(d->engine);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.proposed, 0);
    assert_int_equal(stats.company_held, 0);
    assert_int_equal(stats.vertices, 0);
    assert_int_equal(stats.active_stars, 0);
    stream_check_ends(d->s);
}

void stream_drive(stream *s, sc_engine *engine, stream_witness *witness, void *context)
{
    drive d = {.s = s, .engine = engine, .witness = witness, .context = context};
    sc_rng_seed(&d.prune_rng, sc_rng_next(&s->rng));
    CHECK_OK(sc_pruner_new(s->map, &d.pruner), NULL);
    for (step now; stream_next(s, sc_engine_next_wake(engine), &now);) {
        take_step(&d, &now);
        check_sums(&d);
    }
    finish(&d);
    sc_pruner_free(d.pruner);
}
