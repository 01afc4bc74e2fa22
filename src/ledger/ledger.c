// The ledger's life, and what any thread may call. See ledger.h.
#include "ledger/ledger.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "ledger/ledger_internal.h"

#include <starcloak/prune.h>

#include <sched.h>

/** Jitter and guard are below an hour, deadlines of the provider below a day. */
static const sc_time hour_us = INT64_C(3600000000);
static const double day_s = 86400.0;

// --- Life ----------------------------------------------------------------------------------

sc_ledger_options sc_ledger_options_default(void)
{
    return (sc_ledger_options){
        .engine = sc_engine_options_default(),
        .prune_threads = 1,
        .max_pending = 100000,
        .jitter_us = 200000,
        .guard_us = 10000,
        .provider_deadline_s = 10.0,
    };
}

static sc_err check_options(const sc_ledger_options *options, sc_diag *diag)
{
    if (options->max_pending < 1 || options->max_pending > UINT32_MAX / 4) {
        return sc_fail(diag, SC_EINVAL, "ledger: 1 to %u queries can wait at once, not %zu",
                       (unsigned)(UINT32_MAX / 4), options->max_pending);
    }
    if (options->jitter_us < 0 || options->jitter_us > hour_us || options->guard_us < 0 ||
        options->guard_us > hour_us) {
        return sc_fail(diag, SC_EINVAL, "ledger: jitter and guard are from 0 to an hour");
    }
    if (!options->settled) {
        return sc_fail(diag, SC_EINVAL, "ledger: somebody must be told of outcomes");
    }
    const double s = options->provider_deadline_s;
    if (!(s > 0.0 && s <= day_s)) {
        return sc_fail(diag, SC_EINVAL, "ledger: the provider needs some time, a day at most");
    }
    if (options->prune_threads > SC_PRUNE_THREADS_MAX) {
        return sc_fail(diag, SC_EINVAL, "ledger: at most %d threads can prune",
                       SC_PRUNE_THREADS_MAX);
    }
    return SC_OK;
}

static void tell_engine(void *context, const sc__command *command)
{
    sc__room_tell(context, command);
}

static sc_err make_parts(sc_ledger *ledger, const sc_map *map, sc_diag *diag)
{
    const sc_ledger_options *options = &ledger->options;
    const size_t most = options->max_pending;
    sc_err err = sc_handover_new(sizeof(sc__letter), 3 * most, &ledger->incoming);
    if (!err) err = sc_handover_new(sizeof(sc_errand *), most + 1, &ledger->back);
    if (err) return sc_fail(diag, err, "ledger: %s", sc_err_text(err));

    sc__room_options room = {
        .engine = options->engine,
        .prune_threads = options->prune_threads,
        .max_queries = most,
    };
    room.engine.is_paranoid = false;  // the ledger looks before it reserves
    err = sc__room_new(map, &room, ledger->rng, &ledger->room, diag);
    if (err) return err;

    const sc__books_options books = {
        .max_tickets = most,
        .jitter_us = options->jitter_us,
        .guard_us = options->guard_us,
        .paranoid = options->is_paranoid ? map : NULL,
        .tell = tell_engine,
        .context = ledger->room,
    };
    err = sc__books_new(&books, ledger->rng, &ledger->books);
    if (err) return sc_fail(diag, err, "ledger: %s", sc_err_text(err));
    ledger->publisher = (sc__publisher){
        .map = map,
        .rng = ledger->rng,
        .provider_deadline_us = sc_seconds(options->provider_deadline_s),
    };
    return SC_OK;
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
    if (err) return sc_fail(diag, err, "ledger: no randomness: %s", sc_err_text(err));
    err = sc__ledger_new_idle(map, options, sc_clock_us, rng, &ledger, diag);
    if (err) return err;
    err = sc__room_start(ledger->room);
    if (!err) err = sc__ledger_start(ledger);
    if (err) {
        sc_ledger_free(ledger);
        return sc_fail(diag, err, "ledger: a thread cannot be started");
    }
    *out = ledger;
    return SC_OK;
}

void sc_ledger_free(sc_ledger *ledger)
{
    if (!ledger) return;
    sc_ledger_stop(ledger);
    sc__room_free(ledger->room);
    sc__books_free(ledger->books);
    sc__publisher_fini(&ledger->publisher);
    // Errands that came back after the end.
    sc_errand *errand;
    while (ledger->back && sc_handover_take(ledger->back, &errand, 1) == 1) {
        sc__errand_free(errand);
    }
    sc_handover_free(ledger->incoming);
    sc_handover_free(ledger->back);
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
    sc__ledger_set_sender(ledger, send_by_courier, courier);
}

void sc__ledger_set_sender(sc_ledger *ledger, sc__sender *send, void *context)
{
    // The thread looks here only after it has read a ticket, which comes later.
    ledger->publisher.send = send;
    ledger->publisher.send_context = context;
}

sc__room *sc__ledger_room(sc_ledger *ledger)
{
    return ledger->room;
}

// --- Any thread ----------------------------------------------------------------------------

sc_err sc_ledger_submit(sc_ledger *ledger, sc_ticket *ticket)
{
    // Counted first and looked at then: whoever closes the ledger sees the count, or we see that it
    // is closed.
    const size_t before = atomic_fetch_add(&ledger->pending, 1);
    sc_err err = SC_OK;
    if (atomic_load(&ledger->is_closed)) {
        err = SC_EINTERRUPTED;
    } else if (before >= ledger->options.max_pending ||
               !sc_handover_put(ledger->incoming, &(sc__letter){.ticket = ticket})) {
        err = SC_EBUSY;
    }
    if (err) atomic_fetch_sub(&ledger->pending, 1);
    return err;
}

void sc_ledger_withdraw(sc_ledger *ledger, const sc_query_id *id)
{
    const sc__letter withdrawal = {.id = *id};
    while (!atomic_load(&ledger->is_over) && !sc_handover_put(ledger->incoming, &withdrawal)) {
        sched_yield();
    }
}

void sc_ledger_errand_back(void *context, sc_errand *errand)
{
    sc_ledger *ledger = context;
    const bool is_put = sc_handover_put(ledger->back, &errand);
    (void)is_put;  // there is room for every errand
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
    stats.engine = sc__room_stats(ledger->room);
    return stats;
}
