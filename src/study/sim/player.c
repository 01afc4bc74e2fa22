// An engine played forward in virtual time. See player.h.
#include "sim/player.h"

#include "base/alloc.h"

/**
 * A refused cloak is looked for again this much later. At the same moment it would be
 * found again at once, and if it is broken for good, for ever.
 */
#define RETRY_US 1000

sc_err sc_player_init(sc_player *player, const sc_map *map, const sc_run_options *options,
                      sc_rng *root, sc_diag *diag)
{
    player->now = INT64_MIN;
    sc_err err = sc_rng_fork(root, &player->engine_rng);
    if (!err) err = sc_rng_fork(root, &player->prune_rng);
    if (!err) {
        err = sc_engine_new(map, &options->engine, player->engine_rng, &player->engine, diag);
    }
    if (err) return err;
    if (options->prune_threads == 0) return sc_pruner_new(map, &player->pruner);
    return sc_prune_pool_new(map, options->prune_threads, player->prune_rng, &player->pool);
}

void sc_player_fini(sc_player *player)
{
    sc_player_forget(player);
    sc_free(player->outcomes);
    sc_prune_pool_free(player->pool);
    sc_pruner_free(player->pruner);
    sc_engine_free(player->engine);
    sc_rng_free(player->engine_rng);
    sc_rng_free(player->prune_rng);
    *player = (sc_player){0};
}

void sc_player_forget(sc_player *player)
{
    for (size_t i = 0; i < player->outcome_count; i++) {
        sc_cloak_free(player->outcomes[i].cloak);
    }
    player->outcome_count = 0;
}

static sc_err keep_outcome(sc_player *player, const sc_outcome *outcome)
{
    if (!sc_grow(&player->outcomes, player->outcome_count, &player->outcome_capacity,
                 sizeof *player->outcomes)) {
        sc_cloak_free(outcome->cloak);
        return SC_ENOMEM;
    }
    player->outcomes[player->outcome_count++] = *outcome;
    return SC_OK;
}

/** Accept a cloak that has been pruned, or refuse it: then its members go on waiting. */
static sc_err settle(sc_player *player, sc_cloak *cloak, sc_diag *diag)
{
    if (!cloak->is_pruned) {  // as it comes from a pool that is out of memory
        sc_cloak_free(cloak);
        return SC_ENOMEM;
    }
    sc_err err = sc_engine_accept(player->engine, cloak, player->now, diag);
    if (!err) return keep_outcome(player, &(sc_outcome){.t = player->now, .cloak = cloak});
    // Memory may be out for checking it; that is no fault of the cloak.
    if (err != SC_ENOMEM) err = sc_engine_refuse(player->engine, cloak, NULL, 0);
    sc_cloak_free(cloak);
    return err;
}

static sc_err prune_inline(sc_player *player, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_cloak *cloak = NULL;
    while (!err && (cloak = sc_engine_take_candidate(player->engine))) {
        err = sc_pruner_prune(player->pruner, cloak, player->prune_rng);
        if (!err) {
            err = settle(player, cloak, diag);
        } else {
            sc_cloak_free(cloak);
        }
    }
    return err;
}

static sc_err prune_in_pool(sc_player *player, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_cloak *cloak = NULL;
    while ((cloak = sc_engine_take_candidate(player->engine))) {
        sc_prune_pool_give(player->pool, cloak);
    }
    while (!err && (cloak = sc_prune_pool_take(player->pool, true))) {
        err = settle(player, cloak, diag);
    }
    return err;
}

sc_err sc_player_step(sc_player *player, sc_time now, sc_diag *diag)
{
    sc_err err = sc_engine_run(player->engine, now);
    if (err) return err;
    player->now = now;
    sc_drop drop;
    while (!err && sc_engine_take_drop(player->engine, &drop)) {
        err = keep_outcome(
            player, &(sc_outcome){.t = now, .dropped = drop.query.id, .reason = drop.reason});
    }
    if (err) return err;
    return player->pool ? prune_in_pool(player, diag) : prune_inline(player, diag);
}

sc_time sc_player_next_wake(const sc_player *player)
{
    const sc_time wake = sc_engine_next_wake(player->engine);
    return wake > player->now ? wake : player->now + RETRY_US;
}

sc_err sc_player_wake_until(sc_player *player, sc_time until, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (sc_time wake; !err && (wake = sc_player_next_wake(player)) < until;) {
        err = sc_player_step(player, wake, diag);
    }
    return err;
}
