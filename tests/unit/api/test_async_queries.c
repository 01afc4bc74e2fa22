// The table of queries with a life of their own, beside a plain list of them: any sequence of
// calls leaves both in the same state, told at the same times and wiped at the same times.
#include "api/async_queries.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"

#include <stdio.h>
#include <string.h>

enum { MODELS = 400, OWNERS = 3, KEYS = 5 };

/** A query as the list has it. */
typedef struct model {
    sc_async_query *query;  ///< NULL: it is freed
    sc_async_id id;
    unsigned owner;
    int key;  ///< < 0: none
    unsigned body;
    sc_async_state state;
    sc_time lease_until;
    sc_time keep_until;
    size_t size;
    unsigned holders;
    bool is_open;
    bool is_withdrawn;
    bool is_told;
    bool is_found;  ///< by its id
} model;

typedef struct world {
    sc_rng *rng;
    sc_async_queries *table;
    sc_async_limits limits;
    sc_async_stats stats;
    sc_time now;
    model models[MODELS];
    size_t count;
} world;

static sc_async_hash hash_of(unsigned number)
{
    sc_async_hash hash = {{0}};
    memcpy(hash.bytes, &number, sizeof number);
    return hash;
}

static void key_text(int key, char out[8])
{
    snprintf(out, 8, "key-%d", key);
}

static bool is_final(const model *m)
{
    return sc_async_state_is_final(m->state);
}

static void model_touch(const world *w, model *m)
{
    if (m->lease_until < w->now + w->limits.lease_us) m->lease_until = w->now + w->limits.lease_us;
}

/** What nothing refers to any more is freed: the address sanitizer sees who is wrong. */
static void model_let_go(model *m)
{
    if (!m->is_found && !m->is_open && m->holders == 0) m->query = NULL;
}

static void model_forget(world *w, model *m)
{
    if (is_final(m)) {
        w->stats.outcomes--;
        w->stats.bytes -= m->size;
    } else {
        w->stats.pending--;
    }
    m->is_found = false;
    m->key = -1;
    model_let_go(m);
}

static model *model_of_key(world *w, unsigned owner, int key)
{
    for (size_t i = 0; i < w->count; i++) {
        model *m = &w->models[i];
        if (m->is_found && m->owner == owner && m->key == key) return m;
    }
    return NULL;
}

static void try_add(world *w)
{
    if (w->count == MODELS) return;
    model *m = &w->models[w->count];
    *m = (model){.owner = sc_rng_below(w->rng, OWNERS), .key = -1};
    if (sc_rng_below(w->rng, 2) == 0) m->key = (int)sc_rng_below(w->rng, KEYS);
    m->id.size = SC_ASYNC_RANDOM_SIZE;
    memcpy(m->id.bytes, &w->count, sizeof w->count);
    m->body = sc_rng_below(w->rng, 2);
    char key[8];
    key_text(m->key, key);
    const sc_async_ask ask = {.id = m->id,
                              .owner = hash_of(m->owner),
                              .key = m->key >= 0 ? key : NULL,
                              .key_size = strlen(key),
                              .body = hash_of(m->body),
                              .query = {{(uint8_t)w->count, (uint8_t)(w->count >> 8)}},
                              .wait_us = -1};
    const bool is_new = m->key < 0 || !model_of_key(w, m->owner, m->key);
    const sc_err err = sc_async_queries_add(w->table, &ask, &w->limits, w->now, &m->query);
    assert_int_equal(err, is_new ? SC_OK : SC_EDUPLICATE);
    if (!is_new) return;
    m->is_found = m->is_open = true;
    m->holders = 1;
    m->lease_until = w->now + w->limits.lease_us;
    w->stats.pending++;
    w->stats.asked++;
    w->count++;
}

static void try_find(world *w, model *m)
{
    const unsigned owner = sc_rng_below(w->rng, OWNERS);
    const sc_async_hash hash = hash_of(owner);
    sc_async_query *found = sc_async_queries_find(w->table, &m->id, &hash, &w->limits, w->now);
    // Another's is as one that never was.
    if (!m->is_found || owner != m->owner) {
        assert_null(found);
        return;
    }
    assert_ptr_equal(found, m->query);
    model_touch(w, m);
}

static void try_find_key(world *w)
{
    const unsigned owner = sc_rng_below(w->rng, OWNERS);
    const int key = (int)sc_rng_below(w->rng, KEYS);
    const unsigned body = sc_rng_below(w->rng, 2);
    const sc_async_hash owner_hash = hash_of(owner);
    const sc_async_hash body_hash = hash_of(body);
    char text[8];
    key_text(key, text);
    const sc_async_query *found = sc_async_queries_find_key(
        w->table, text, strlen(text), &owner_hash, &body_hash, &w->limits, w->now);
    model *m = model_of_key(w, owner, key);
    assert_ptr_equal(found, m ? m->query : NULL);
    if (!m || m->body != body) return;
    w->stats.repeated++;
    model_touch(w, m);
}

static void try_hold(model *m)
{
    if (!m->is_found) return;
    sc_async_query_hold(m->query);
    m->holders++;
}

static void try_release(world *w, model *m)
{
    if (m->holders == 0) return;
    sc_async_queries_release(w->table, m->query, &w->limits, w->now);
    m->holders--;
    model_touch(w, m);
    model_let_go(m);
}

static void try_delete(world *w, model *m)
{
    if (!m->is_found) return;
    const bool must_tell = !is_final(m) && !m->is_withdrawn;
    assert_int_equal(sc_async_queries_delete(w->table, m->query), must_tell);
    w->stats.forgotten_deleted++;
    const bool was_final = is_final(m);
    sc_async_query *query = m->query;
    model_forget(w, m);
    if (!was_final) m->state = SC_ASYNC_WITHDRAWN;
    m->is_withdrawn = true;
    if (m->query) assert_int_equal(query->state, m->state);
}

static void try_cloaked(world *w, model *m)
{
    if (!m->is_open) return;
    sc_async_queries_cloaked(w->table, m->query);
    if (m->is_found) m->state = SC_ASYNC_CLOAKED;
}

/** The one that is over next makes room. */
static void model_crowd_out(world *w, size_t size)
{
    while (w->stats.outcomes >= w->limits.max_outcomes ||
           w->stats.bytes + size > w->limits.max_bytes) {
        model *first = NULL;
        for (size_t i = 0; i < w->count; i++) {
            model *m = &w->models[i];
            if (m->is_found && is_final(m) && (!first || m->keep_until < first->keep_until)) {
                first = m;
            }
        }
        if (!first) return;
        model_forget(w, first);
        w->stats.forgotten_crowded_out++;
    }
}

static void try_settle(world *w, model *m)
{
    static const char text[100] = "{\"outcome\":\"answered\"}";
    if (!m->is_open) return;
    const bool is_gone = m->is_withdrawn && m->state == SC_ASYNC_WAITING;
    const sc_async_outcome outcome = {
        .state = is_gone ? SC_ASYNC_WITHDRAWN : SC_ASYNC_ANSWERED + sc_rng_below(w->rng, 3),
        .status = sc_rng_below(w->rng, 2) == 0 ? 200 : 502,
        .json = text,
        .size = is_gone ? 0 : 1 + sc_rng_below(w->rng, sizeof text)};
    const bool is_told = sc_async_queries_settle(w->table, m->query, &outcome, &w->limits, w->now);
    assert_int_equal(is_told, m->is_found);
    m->is_open = false;
    if (!m->is_found) {
        model_let_go(m);
        return;
    }
    w->stats.pending--;
    w->stats.lapsed += is_gone;
    model_crowd_out(w, outcome.size);
    m->state = outcome.state;
    m->size = outcome.size;
    if (m->state == SC_ASYNC_FAILED && outcome.status == 502) m->key = -1;
    w->stats.outcomes++;
    w->stats.bytes += m->size;
    m->keep_until = w->now + 2 * w->limits.keep_us;
}

static void try_told(world *w, model *m)
{
    if (!m->query || !is_final(m) || !m->is_found) return;
    sc_async_queries_told(w->table, m->query, &w->limits, w->now);
    if (m->is_told) return;
    m->is_told = true;
    if (w->now + w->limits.keep_us < m->keep_until) m->keep_until = w->now + w->limits.keep_us;
}

static void pass_time(world *w)
{
    enum { ROOM = 3 };
    sc_async_queries_pass_time(w->table, w->now);
    for (size_t i = 0; i < w->count; i++) {
        model *m = &w->models[i];
        if (!m->is_found || !is_final(m) || m->keep_until > w->now) continue;
        w->stats.forgotten_told += m->is_told;
        w->stats.forgotten_untold += !m->is_told;
        model_forget(w, m);
    }
    bool is_due[MODELS] = {false};
    size_t wanted = 0;
    for (size_t i = 0; i < w->count; i++) {
        model *m = &w->models[i];
        if (!m->is_found || m->state != SC_ASYNC_WAITING || m->is_withdrawn) continue;
        if (m->holders > 0 || m->lease_until > w->now) continue;
        is_due[i] = m->is_withdrawn = true;
        wanted++;
    }
    sc_query_id ids[ROOM];
    size_t count = ROOM;
    size_t got = 0;
    while (count == ROOM) {
        count = sc_async_queries_lapse(w->table, &w->limits, w->now, ids, ROOM);
        for (size_t i = 0; i < count; i++) {
            const size_t at = ids[i].bytes[0] | (size_t)ids[i].bytes[1] << 8;
            assert_true(at < w->count && is_due[at]);
            is_due[at] = false;
        }
        got += count;
    }
    assert_int_equal(got, wanted);
}

static void compare(const world *w)
{
    const sc_async_stats stats = sc_async_queries_stats(w->table);
    assert_memory_equal(&stats, &w->stats, sizeof stats);
    size_t awaited = 0;
    for (size_t i = 0; i < w->count; i++) {
        const model *m = &w->models[i];
        awaited += m->is_found && !m->is_told && (m->holders > 0 || m->lease_until > w->now);
        if (!m->query) continue;
        assert_int_equal(m->query->state, m->state);
        assert_int_equal(m->query->holders, m->holders);
        assert_int_equal(m->query->is_open, m->is_open);
        assert_int_equal(m->query->is_forgotten, !m->is_found);
        assert_int_equal(m->query->is_told, m->is_told);
    }
    assert_int_equal(sc_async_queries_awaited(w->table, w->now), awaited);
}

static void step(world *w)
{
    // Time goes on with each call, and is even while outcomes are kept for an odd time: so no two
    // are over at once, and it is known which is first.
    w->now += 2 + 2 * (sc_time)sc_rng_below(w->rng, 2);
    const unsigned what = sc_rng_below(w->rng, 12);
    if (what == 0 || w->count == 0) {
        try_add(w);
        return;
    }
    model *m = &w->models[sc_rng_below(w->rng, (uint32_t)w->count)];
    // The newer ones are what most happens to.
    if (w->count > 20 && sc_rng_below(w->rng, 4) > 0) {
        m = &w->models[w->count - 1 - sc_rng_below(w->rng, 20)];
    }
    switch (what) {
    case 1:
        try_find(w, m);
        break;
    case 2:
        try_find_key(w);
        break;
    case 3:
        try_hold(m);
        break;
    case 4:
    case 5:
        try_release(w, m);
        break;
    case 6:
        if (sc_rng_below(w->rng, 4) == 0) try_delete(w, m);
        break;
    case 7:
        if (sc_rng_below(w->rng, 4) == 0) try_cloaked(w, m);
        break;
    case 8:
        try_settle(w, m);
        break;
    case 9:
        try_told(w, m);
        break;
    default:
        pass_time(w);
        break;
    }
}

static void end(world *w)
{
    for (size_t i = 0; i < w->count; i++) {
        model *m = &w->models[i];
        w->now += 2;
        while (m->query && m->holders > 0) {
            try_release(w, m);
        }
        if (m->query && m->is_open) try_settle(w, m);
    }
    compare(w);
    sc_async_queries_free(w->table);
    sc_rng_free(w->rng);
}

static void test_any_sequence_of_calls_leaves_what_a_plain_list_has(void **state)
{
    (void)state;
    enum { SEEDS = 60, STEPS = 3000 };
    static world w;
    sc_async_stats seen = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        w = (world){.limits = {.lease_us = 60 + (sc_time)(seed % 5) * 40,
                               .keep_us = (sc_time)(seed % 7) * 50 + 1,
                               .max_outcomes = 1 + seed % 11,
                               .max_bytes = 50 + seed % 3 * 200}};
        CHECK_OK(sc_rng_new_seeded(seed, &w.rng), NULL);
        CHECK_OK(sc_async_queries_new(&w.table), NULL);
        for (unsigned i = 0; i < STEPS; i++) {
            step(&w);
            compare(&w);
        }
        seen.lapsed += w.stats.lapsed;
        seen.repeated += w.stats.repeated;
        seen.forgotten_told += w.stats.forgotten_told;
        seen.forgotten_untold += w.stats.forgotten_untold;
        seen.forgotten_crowded_out += w.stats.forgotten_crowded_out;
        seen.forgotten_deleted += w.stats.forgotten_deleted;
        end(&w);
    }
    // All of it has happened.
    assert_true(seen.lapsed > 50 && seen.repeated > 50 && seen.forgotten_told > 50);
    assert_true(seen.forgotten_untold > 50 && seen.forgotten_crowded_out > 50);
    assert_true(seen.forgotten_deleted > 50);
}

static const sc_async_limits limits = {
    .lease_us = 10, .keep_us = 10, .max_outcomes = 10, .max_bytes = 1000};

static void test_without_memory_a_query_is_not_entered_and_its_outcome_says_so(void **state)
{
    (void)state;
    const sc_async_ask ask = {.id = {.size = SC_ASYNC_RANDOM_SIZE}, .key = "k", .key_size = 1};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_async_queries *table = NULL;
        sc_async_query *query = NULL;
        sc_err err = sc_async_queries_new(&table);
        if (!err) err = sc_async_queries_add(table, &ask, &limits, 0, &query);
        bool was_told = false;
        if (!err) {
            const sc_async_outcome outcome = {
                .state = SC_ASYNC_ANSWERED, .status = 200, .json = "{}", .size = 2};
            was_told = sc_async_queries_settle(table, query, &outcome, &limits, 0);
            assert_true(was_told);
            // It may be asked again: it is no answer.
            const bool is_lost = query->state == SC_ASYNC_FAILED;
            assert_int_equal(query->status, is_lost ? 503 : 200);
            assert_int_equal(query->has_key, !is_lost);
            sc_async_queries_release(table, query, &limits, 0);
        }
        const bool is_out = oom_happened();
        sc_async_queries_free(table);
        if (!is_out) {
            assert_true(was_told && !err);
            break;
        }
        assert_true(err == SC_ENOMEM || was_told);
        failures++;
    }
    // The table, four arrays, the query, the outcome.
    assert_int_equal(failures, 7);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_any_sequence_of_calls_leaves_what_a_plain_list_has),
    cmocka_unit_test(test_without_memory_a_query_is_not_entered_and_its_outcome_says_so),
};
SC_SUITE(tests)
