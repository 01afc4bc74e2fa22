// A cloak made to be attacked. See made.h.
//
// Each try has an engine of its own: making one costs far less than what follows, and nothing of
// one try is left to the next. It is run after every query, not once for all of them: it comes to
// the same, and there is a chance to look up in between.
#include "demo/made.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

#include <starcloak/prune.h>

/** Hybrid's alpha need not be longer: thirty years. So a deadline stays within an sc_time. */
#define LONGEST_ALPHA_S 1e9

/** From when they come to when they are near their deadlines; how long does not matter, since time
 * only goes on from one thing that happens to the next. */
#define UNTIL_NEAR_S 10.0

typedef struct attempt {
    sc_engine *engine;
    sc_pruner *pruner;
    sc_rng *rng;
    sc_time now;
    sc_cloak *found;
} attempt;

/** A query's id is its number. */
static sc_query_id id_of(uint64_t number)
{
    sc_query_id id = {{0}};
    memcpy(id.bytes, &number, sizeof number);
    return id;
}

static bool has_first(const sc_cloak *cloak)
{
    const sc_query_id first = id_of(0);
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (memcmp(&cloak->members[i].query.id, &first, sizeof first) == 0) return true;
    }
    return false;
}

/** Let the clock be t->now; of the cloaks that leave, keep the one that is looked for. */
static sc_err run(attempt *t)
{
    sc_err err = sc_engine_run(t->engine, t->now);
    for (sc_cloak *cloak; !err && !t->found && (cloak = sc_engine_take_candidate(t->engine));) {
        err = sc_prune(t->pruner, cloak, t->rng);
        if (!err) err = sc_engine_accept(t->engine, cloak, t->now, NULL);
        if (!err && has_first(cloak)) {
            t->found = cloak;
        } else {
            sc_cloak_free(cloak);
        }
    }
    return err;
}

static sc_err add(attempt *t, const sc_attack_request *attack, size_t i, sc_time deadline)
{
    const sc_needs *needs = &attack->members[i];
    const sc_query query = {.id = id_of(i),
                            .user = i + 1,
                            .deadline = deadline,
                            .segment = attack->places[i],
                            .k = needs->k,
                            .l = needs->l,
                            .max_hops = needs->max_hops,
                            .result_size = needs->result_size};
    return sc_engine_add(t->engine, &query);
}

static sc_err play(attempt *t, const sc__making *making, sc_time deadline)
{
    const sc_attack_request *attack = making->attack;
    sc_err err = SC_OK;
    for (size_t i = 0; !err && !t->found && i < attack->member_count; i++) {
        err = sc__patience_left(making->patience);
        if (!err) err = add(t, attack, i, deadline);
        if (!err) err = run(t);
    }
    for (sc_time wake; !err && !t->found && (wake = sc_engine_next_wake(t->engine)) <= deadline;) {
        t->now = wake;
        err = sc__patience_left(making->patience);
        if (!err) err = run(t);
    }
    return err;
}

/** One attempt: *out is the cloak, or NULL. */
static sc_err try_once(const sc__making *making, sc_cloak **out, sc_diag *diag)
{
    sc_engine_options options = *making->engine;
    options.is_paranoid = false;  // nobody depends on what is promised here
    const sc_time longest = sc_seconds(LONGEST_ALPHA_S);
    if (options.consideration_us > longest) options.consideration_us = longest;

    attempt t = {.rng = making->rng};
    sc_err err = sc_engine_new(making->map, &options, t.rng, &t.engine, diag);
    if (!err) err = sc_pruner_new(making->map, &t.pruner);
    if (!err) err = play(&t, making, options.consideration_us + sc_seconds(UNTIL_NEAR_S));
    sc_engine_free(t.engine);
    sc_pruner_free(t.pruner);
    if (err) {
        sc_cloak_free(t.found);
        return err;
    }
    *out = t.found;
    return SC_OK;
}

sc_err sc__made_cloak(const sc__making *making, sc_cloak **out, sc_diag *diag)
{
    sc_cloak *cloak = NULL;
    sc_err err = SC_OK;
    for (int i = 0; !err && !cloak && i < SC__MADE_TRIES; i++) {
        err = try_once(making, &cloak, diag);
    }
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "cloaking queries to be attacked");
    if (!err) *out = cloak;
    return err;
}
