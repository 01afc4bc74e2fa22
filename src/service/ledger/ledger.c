// The ledger's life, and what any thread may call. See ledger.h.
#include "ledger/ledger.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/rng.h"
#include "ledger/ledger_internal.h"

#include <starcloak/prune.h>

#include <sched.h>

/** Jitter, guard and patience are below an hour, deadlines of the provider below a day. */
static const sc_time hour_us = INT64_C(3600000000);
static const double day_s = 86400.0;

/** How much longer than its provider another gateway's result may take. */
static const sc_time more_for_a_result_us = INT64_C(5000000);

/** Messages that may wait: of our own engine pool, which waits with more; of many workers
 * elsewhere. */
enum { OWN_MSGS = 4096, MSGS_FROM_ELSEWHERE = 65536 };

// --- Life -----------------------------------------------------------------------------------

sc_ledger_options sc_ledger_options_default(void)
{
    return (sc_ledger_options){
        .engine = sc_engine_options_default(),
        .engine_threads = 1,
        .continuity = sc_continuity_options_default(),
        .patience_us = 500000,
        .max_pending = 100000,
        .jitter_us = 200000,
        .guard_us = 10000,
        .provider_deadline_s = 10.0,
        .rare = sc_rare_options_default(),
    };
}

static sc_err check_options(const sc_ledger_options *options, sc_diag *diag)
{
    if (options->max_pending < 1 || options->max_pending > UINT32_MAX / 4) {
        return sc_fail(diag, SC_EINVAL,
                       "ledger: the number of queries that wait at once must be 1 to %u, not %zu",
                       (unsigned)(UINT32_MAX / 4), options->max_pending);
    }
    if (options->jitter_us < 0 || options->jitter_us > hour_us || options->guard_us < 0 ||
        options->guard_us > hour_us) {
        return sc_fail(diag, SC_EINVAL, "ledger: jitter and guard must be from 0 to an hour");
    }
    if (options->patience_us < 1 || options->patience_us > hour_us) {
        return sc_fail(diag, SC_EINVAL, "ledger: patience must be above 0 and at most an hour");
    }
    if (!options->settled) {
        return sc_fail(diag, SC_EINVAL, "ledger: a callback for outcomes is needed");
    }
    const double s = options->provider_deadline_s;
    if (!(s > 0.0 && s <= day_s)) {
        return sc_fail(diag, SC_EINVAL,
                       "ledger: the provider's deadline must be above 0 and at most a day");
    }
    if (options->prune_threads > SC_PRUNE_THREADS_MAX) {
        return sc_fail(diag, SC_EINVAL, "ledger: at most %d threads can prune",
                       SC_PRUNE_THREADS_MAX);
    }
    if (options->is_hosted &&
        (options->workers || options->engine_threads != 1 || options->prune_threads > 0)) {
        return sc_fail(diag, SC_EINVAL,
                       "ledger: one that shares a thread needs its engine in that thread, too");
    }
    if (options->has_continuity && !options->workers &&
        options->engine.variant != SC_VARIANT_PATIENT) {
        return sc_fail(diag, SC_EINVAL,
                       "ledger: continuity is kept by the engine patient alone, not by %s",
                       sc_variant_name(options->engine.variant));
    }
    return SC_OK;
}

// --- The engine pool in this process --------------------------------------------------------

// With one engine thread, and no threads that prune for it, the engines are in place: the ledger's
// thread runs them, and each message is a call. An engine that finds a cloak reserves it by a call
// to the ledger state, which answers by a call to the engine before the first one returns. In the
// other direction there is no such nesting: while the ledger state sends, it may be in the midst of
// a change. What an engine has to send then (that it cannot take a query) waits among the messages
// of others.

/** The ledger state sends to the engines. */
static void send_to_engines(void *context, sc_peer to, sc_msg *msg)
{
    (void)to;  // there is no other peer
    sc_ledger *ledger = context;
    if (ledger->is_in_place) {
        const bool was_telling = ledger->is_telling;
        ledger->is_telling = true;
        sc_engine_pool_receive(ledger->engines, msg);
        ledger->is_telling = was_telling;
    } else {
        sc_engine_pool_receive(ledger->engines, msg);
    }
}

/** For queries that are added again. Engines in place that could not take some are let alone until
 * these are settled. */
static size_t space_in_engines(void *context)
{
    sc_ledger *ledger = context;
    if (ledger->is_in_place && sc_handover_count(ledger->messages) > 0) return 0;
    return sc_engine_pool_is_behind(ledger->engines) ? 0 : SC_ENGINE_POOL_BATCH;
}

/** The engine threads send to the ledger. The ledger's thread never waits for them, so they may
 * wait for it. */
static void receive_from_engines(void *context, sc_peer to, sc_msg *msg)
{
    (void)to;
    sc_ledger *ledger = context;
    if (ledger->is_in_place) {
        if (ledger->is_telling) {
            sc_ledger_receive(ledger, msg);
        } else {
            sc__ledger_state_receive(ledger->state, msg, ledger->clock());
        }
        return;
    }
    while (!sc_handover_put(ledger->messages, msg)) {
        if (atomic_load(&ledger->is_over)) {
            sc_msg_fini(msg);
            return;
        }
        sched_yield();
    }
}

/** Of what is free each engine thread has its share. Another may yet be quicker: then it waits,
 * above. */
static size_t space_for_engines(void *context)
{
    sc_ledger *ledger = context;
    if (ledger->is_in_place) return SIZE_MAX;
    const size_t waiting = sc_handover_count(ledger->messages);
    return (OWN_MSGS - waiting) / ledger->options.engine_threads;
}

static sc_err make_engines(sc_ledger *ledger, const sc_map *map, sc_diag *diag)
{
    const sc_ledger_options *options = &ledger->options;
    ledger->is_in_place = options->engine_threads == 1 && options->prune_threads == 0;
    sc_engine_pool_options engines = {
        .engine = options->engine,
        .partition = options->partition,
        .engine_threads = options->engine_threads,
        .is_in_place = ledger->is_in_place,
        .prune_threads = options->prune_threads,
        .max_queries = options->max_pending,
        .self = options->self,
        .patience_us = options->patience_us,
        .round_us = SC__LEDGER_ROUND_US,
        .port = {.send = receive_from_engines, .space = space_for_engines, .context = ledger},
    };
    engines.engine.is_paranoid = false;  // the ledger looks before it reserves
    ledger->port = (sc_port){.send = send_to_engines, .space = space_in_engines, .context = ledger};
    sc_err err = sc_engine_pool_new(map, &engines, ledger->rng, &ledger->engines, diag);
    if (err) return err;
    const size_t count = sc_partition_part_count(options->partition);
    uint16_t *parts = sc_malloc_array(count, sizeof *parts);
    if (!parts) return sc_fail_memory(diag, "making a ledger");
    for (size_t i = 0; i < count; i++) {
        parts[i] = (uint16_t)i;
    }
    err = sc_engine_pool_set_parts(ledger->engines, parts, count);
    sc_free(parts);
    // So that there are engines before there are queries.
    if (!err && ledger->is_in_place) (void)sc_engine_pool_round(ledger->engines, ledger->clock());
    return err ? sc_fail(diag, err, "ledger: engines: %s", sc_err_text(err)) : SC_OK;
}

// --- Making it ------------------------------------------------------------------------------

static sc_err make_handover(size_t item_size, size_t capacity, const int *eventfds, size_t which,
                            sc_handover **out)
{
    return eventfds ? sc_handover_new_at(item_size, capacity, eventfds[which], out)
                    : sc_handover_new(item_size, capacity, out);
}

static sc_err make_handovers(sc_ledger *ledger)
{
    const size_t most = ledger->options.max_pending;
    const size_t parts = sc_partition_part_count(ledger->options.partition);
    ledger->must_resend = sc_calloc(parts, sizeof *ledger->must_resend);
    ledger->resent = sc_calloc(parts, sizeof *ledger->resent);
    if (!ledger->must_resend || !ledger->resent) return SC_ENOMEM;
    const size_t msgs = ledger->options.workers ? MSGS_FROM_ELSEWHERE : OWN_MSGS;
    const int *at = ledger->options.eventfds;
    sc_err err = make_handover(sizeof(sc__ledger_input), 3 * most + 2, at, 0, &ledger->incoming);
    if (!err) err = make_handover(sizeof(sc_msg), msgs, at, 1, &ledger->messages);
    if (!err) err = make_handover(sizeof(sc_errand *), most + 1, at, 2, &ledger->back);
    ledger->options.eventfds = NULL;
    return err;
}

static sc_err make_state(sc_ledger *ledger, const sc_map *map, sc_diag *diag)
{
    const sc_ledger_options *options = &ledger->options;
    if (options->has_continuity) {
        const sc_err err = sc_continuity_new(map, &options->continuity, &ledger->continuity, diag);
        if (err) return err;
    }
    const sc_time provider_us = sc_time_from_seconds(options->provider_deadline_s);
    ledger->publisher = (sc__publisher){
        .map = map,
        .rng = ledger->rng,
        .provider_deadline_us = provider_us,
    };
    if (options->rare.users > 0) {
        const sc_err err = sc__rare_requests_new(map, &options->rare, &ledger->publisher.rare);
        if (err) return err;
    }
    const sc__ledger_state_options state = {
        .max_tickets = options->max_pending,
        .watched = options->watched,
        .watched_context = options->context,
        .self = options->self,
        .jitter_us = options->jitter_us,
        .guard_us = options->guard_us,
        .patience_us = options->patience_us,
        .give_up_us = provider_us + more_for_a_result_us,
        .continuity = ledger->continuity,
        .paranoid = options->is_paranoid ? map : NULL,
        .demands = options->engine.demands,
        .partition = options->partition,
        .is_company_known = ledger->engines != NULL,
        .port = ledger->port,
    };
    const sc_err err = sc__ledger_state_new(&state, ledger->rng, &ledger->state);
    return err ? sc_fail(diag, err, "ledger: %s", sc_err_text(err)) : SC_OK;
}

static sc_err make_parts(sc_ledger *ledger, const sc_map *map, sc_diag *diag)
{
    sc_ledger_options *options = &ledger->options;
    while (options->self == SC_PEER_NONE) {
        options->self = sc_rng_next(ledger->rng);
    }
    if (!options->partition) {
        const sc_err err = sc_partition_whole(map, &ledger->whole, diag);
        if (err) return err;
        options->partition = ledger->whole;
    }
    sc_err err = make_handovers(ledger);
    if (err) return sc_fail(diag, err, "ledger: %s", sc_err_text(err));
    if (options->workers) {
        ledger->port = *options->workers;
    } else {
        err = make_engines(ledger, map, diag);
        if (err) return err;
    }
    return make_state(ledger, map, diag);
}

sc_err sc__ledger_new_idle(const sc_map *map, const sc_ledger_options *options,
                           int64_t (*clock)(void), sc_rng *rng, sc_ledger **out, sc_diag *diag)
{
    sc_ledger *ledger = sc_calloc(1, sizeof *ledger);
    if (!ledger) {
        sc_rng_free(rng);
        (void)sc_fail_memory(diag, "making a ledger");
        return SC_ENOMEM;
    }
    pthread_mutex_init(&ledger->lock, NULL);
    ledger->rng = rng;
    ledger->options = *options;
    ledger->clock = clock;
    sc_err err = check_options(options, diag);
    if (!err) err = make_parts(ledger, map, diag);
    if (err) {
        sc_ledger_free(ledger);
        return err;
    }
    *out = ledger;
    return SC_OK;
}

sc_err sc_ledger_new(const sc_map *map, const sc_ledger_options *options, sc_ledger **out,
                     sc_diag *diag)
{
    sc_ledger *ledger = NULL;
    sc_rng *rng = NULL;
    sc_err err = sc_rng_new_secure(&rng);
    if (err) return sc_fail(diag, err, "ledger: no random numbers: %s", sc_err_text(err));
    err = sc__ledger_new_idle(map, options, sc_clock_us, rng, &ledger, diag);
    if (err) return err;
    if (ledger->engines && !ledger->is_in_place) err = sc_engine_pool_start(ledger->engines);
    if (!err && !options->is_hosted) err = sc__ledger_start(ledger);
    if (err) {
        sc_ledger_free(ledger);
        return sc_fail(diag, err, "ledger: cannot start a thread");
    }
    *out = ledger;
    return SC_OK;
}

void sc_ledger_free(sc_ledger *ledger)
{
    if (!ledger) return;
    sc_ledger_stop(ledger);
    atomic_store(&ledger->is_over, true);
    sc_engine_pool_free(ledger->engines);
    sc__ledger_state_free(ledger->state);
    sc_continuity_free(ledger->continuity);
    sc__publisher_fini(&ledger->publisher);
    // Messages and errands that came after the end.
    sc_msg msg;
    while (ledger->messages && sc_handover_take(ledger->messages, &msg, 1) == 1) {
        sc_msg_fini(&msg);
    }
    sc_errand *errand;
    while (ledger->back && sc_handover_take(ledger->back, &errand, 1) == 1) {
        sc__errand_free(errand);
    }
    sc_handover_free(ledger->incoming);
    sc_handover_free(ledger->messages);
    sc_handover_free(ledger->back);
    sc_free(ledger->must_resend);
    sc_free(ledger->resent);
    sc_partition_free(ledger->whole);
    sc_rng_free(ledger->rng);
    pthread_mutex_destroy(&ledger->lock);
    sc_free(ledger);
}

static sc_err send_by_courier(void *context, sc_errand *errand)
{
    return sc_courier_send(context, errand);
}

void sc_ledger_set_courier(sc_ledger *ledger, sc_courier *courier)
{
    if (sc_courier_is_in_place(courier)) atomic_store(&ledger->courier, courier);
    // Before the first ticket. For want of memory requests go by the numbers of this map.
    if (ledger->publisher.rare) {
        (void)!sc__rare_requests_name(ledger->publisher.rare, sc_courier_vocabulary(courier));
    }
    // As the sender: looked at after a ticket was read.
    sc__ledger_state_set_costs(ledger->state, sc_courier_costs(courier));
    sc__ledger_set_sender(ledger, send_by_courier, courier, sc_courier_vocabulary(courier));
}

void sc__ledger_set_sender(sc_ledger *ledger, sc__sender *send, void *context,
                           const sc_vocabulary *vocabulary)
{
    // The thread looks here only after it has read a ticket, which comes later.
    ledger->publisher.send = send;
    ledger->publisher.send_context = context;
    ledger->publisher.vocabulary = vocabulary;
}

// --- Any thread -----------------------------------------------------------------------------

/** False: there is no room. */
static bool put_from_loop(sc_ledger *ledger, const sc__ledger_input *input)
{
    if (!ledger->options.is_hosted) return sc_handover_put(ledger->incoming, input);
    if (ledger->own_count == SC__LEDGER_BATCH) sc__ledger_read_own(ledger);
    ledger->own[ledger->own_count++] = *input;
    return true;
}

sc_err sc_ledger_submit(sc_ledger *ledger, sc_ticket *ticket)
{
    // Counted first and looked at then: the thread that closes the ledger sees the count, or we see
    // that it is closed.
    const size_t before = atomic_fetch_add(&ledger->pending, 1);
    sc_err err = SC_OK;
    if (atomic_load(&ledger->is_closed)) {
        err = SC_EINTERRUPTED;
    } else if (before >= ledger->options.max_pending ||
               !put_from_loop(ledger, &(sc__ledger_input){.ticket = ticket})) {
        err = SC_EBUSY;
    }
    if (err) atomic_fetch_sub(&ledger->pending, 1);
    return err;
}

/** Withdrawals may have taken the room of other inputs: it is free again soon. */
static void put_input(sc_ledger *ledger, const sc__ledger_input *input)
{
    while (!atomic_load(&ledger->is_over) && !sc_handover_put(ledger->incoming, input)) {
        sched_yield();
    }
}

void sc_ledger_withdraw(sc_ledger *ledger, const sc_query_id *id)
{
    const sc__ledger_input withdrawal = {.kind = SC__LEDGER_INPUT_WITHDRAWAL, .id = *id};
    if (!ledger->options.is_hosted) {
        put_input(ledger, &withdrawal);
    } else if (!atomic_load(&ledger->is_over)) {
        (void)put_from_loop(ledger, &withdrawal);
    }
}

void sc_ledger_errand_back(void *context, sc_errand *errand)
{
    sc_ledger *ledger = context;
    if (ledger->is_in_turn) {
        sc__ledger_enter(ledger, errand, ledger->clock());
        return;
    }
    const bool is_put = sc_handover_put(ledger->back, &errand);
    (void)is_put;  // there is room for every errand
}

void sc_ledger_receive(sc_ledger *ledger, sc_msg *msg)
{
    if (!atomic_load(&ledger->is_over) && sc_handover_put(ledger->messages, msg)) return;
    atomic_fetch_add(&ledger->lost, 1);
    sc_msg_fini(msg);
}

void sc_ledger_resend(sc_ledger *ledger, uint32_t part)
{
    if (part >= sc_partition_part_count(ledger->options.partition)) return;
    atomic_store(&ledger->must_resend[part], true);
    if (atomic_exchange(&ledger->is_resend_due, true)) return;
    const sc__ledger_input input = {.kind = SC__LEDGER_INPUT_RESEND};
    put_input(ledger, &input);
}

sc_err sc_ledger_switch(sc_ledger *ledger, sc_variant variant)
{
    const sc_err err =
        ledger->engines ? sc_engine_pool_switch(ledger->engines, variant) : SC_EINVAL;
    if (err || !ledger->is_in_place || atomic_exchange(&ledger->must_wake, true)) return err;
    const sc__ledger_input input = {.kind = SC__LEDGER_INPUT_WAKE};
    put_input(ledger, &input);
    return SC_OK;
}

sc_variant sc_ledger_variant(const sc_ledger *ledger)
{
    return ledger->engines ? sc_engine_pool_variant(ledger->engines)
                           : ledger->options.engine.variant;
}

sc_engine_pool *sc_ledger_engines(sc_ledger *ledger)
{
    return ledger->engines;
}

void sc_ledger_descriptors(const sc_ledger *ledger, int fds[SC_LEDGER_DESCRIPTORS])
{
    fds[0] = sc_handover_fd(ledger->incoming);
    fds[1] = sc_handover_fd(ledger->messages);
    fds[2] = sc_handover_fd(ledger->back);
}

void sc_ledger_drain(sc_ledger *ledger)
{
    atomic_store(&ledger->is_closed, true);
}

size_t sc_ledger_pending(const sc_ledger *ledger)
{
    return atomic_load(&ledger->pending);
}

sc_ledger_stats sc_ledger_stats_of(sc_ledger *ledger)
{
    pthread_mutex_lock(&ledger->lock);
    sc_ledger_stats stats = ledger->stats;
    pthread_mutex_unlock(&ledger->lock);
    stats.lost = atomic_load(&ledger->lost);
    if (ledger->engines) stats.engine = sc_engine_pool_stats_of(ledger->engines, NULL).engine;
    return stats;
}
