// The ledger's thread. See ledger.h.
//
// It reads what came in (tickets and withdrawals, messages of engines and other gateways, errands
// that are back), enters it in the ledger state, and sends what is due. Three handovers, all
// bounded:
//
//   incoming  a ticket, or the id of one whose client went away: in one queue, so that a client
//             never goes before it came. Tickets: max_pending at most. Withdrawals: at most one for
//             each ticket, so that room for another two times max_pending is enough unless HTTP
//             loops leave that many settled tickets unread; then a withdrawal waits its turn. And
//             one for the parts that are to be sent again; and one that wakes.
//   messages  from engines and gateways. The engine threads of this process look for room
//             before they send, and wait if another was quicker; of messages from elsewhere some
//             are lost when there are too many. Engines in place put here only what they send while
//             a message is carried out: at most a message for each query that was added since the
//             last time it was read.
//   back      errands: each has a ticket of its own that is published, so max_pending at most; and
//             one NULL, which ends the thread. Of a courier in place none.
//
// Engines and courier in place get their turn in each round. The courier's is bounded in time, one
// errand more or less: what comes in meanwhile waits no longer than that. Engines come last, so
// that they know all that has happened; what they propose may be due at once, and then the next
// round follows without waiting.
//
// The messages that the ledger state sends to our own engine pool must find room there, if it has
// threads, since they cannot be taken back. The engine pool is asked whether it is behind before
// each batch of queries that are added for the first time, and before each batch of those that are
// added again (sc_port_space()): at most two batches in between. All other messages are bounded by
// what the engine pool has: a removal for each query that is open, an answer to each of its
// proposals.
//
// Outcomes are reported at the end of a round, after the counts: a query with a reported outcome
// is in the counts.
#include "ledger/ledger_internal.h"

#include "base/clock.h"
#include "base/thread.h"

#include <poll.h>
#include <sched.h>
#include <string.h>

/** Things taken from a handover at once, and how far ahead tickets are called for. */
enum { BATCH = SC__LEDGER_BATCH, AHEAD = 2 * SC_ENGINE_PREFETCH_AHEAD };

/** How long a courier in place works before others are looked after: several times what a cloak
 * takes, and little against what anybody notices. */
enum { TURN_US = 1000 };

// --- A round --------------------------------------------------------------------------------

/** What can be read, as bits. */
enum { INCOMING = 1, MESSAGES = 2, BACK = 4, EVERYTHING = INCOMING | MESSAGES | BACK };

/** All parts that have to be, in one pass over the queries. */
static void resend_parts(sc_ledger *ledger, sc_time now)
{
    // Before the parts are looked at: one that is named meanwhile comes with another input.
    atomic_store(&ledger->is_resend_due, false);
    size_t count = 0;
    const uint32_t parts = sc_partition_part_count(ledger->options.partition);
    for (uint32_t part = 0; part < parts; part++) {
        if (atomic_exchange(&ledger->must_resend[part], false)) ledger->resent[count++] = part;
    }
    sc__ledger_state_resend(ledger->state, ledger->resent, count, now);
}

static void read_input(sc_ledger *ledger, const sc__ledger_input *input, sc_time now)
{
    switch (input->kind) {
    case SC__LEDGER_INPUT_TICKET:
        sc__ledger_state_add(ledger->state, input->ticket, now);
        break;
    case SC__LEDGER_INPUT_WITHDRAWAL:
        sc__ledger_state_withdraw(ledger->state, &input->id, now);
        break;
    case SC__LEDGER_INPUT_RESEND:
        resend_parts(ledger, now);
        break;
    case SC__LEDGER_INPUT_WAKE:
        atomic_store(&ledger->must_wake, false);
        break;
    }
}

/** The engine will need them a few inputs later. */
static void prefetch_roads(const sc_ledger *ledger, const sc__ledger_input *inputs, size_t place,
                           size_t count)
{
    if (place >= count || inputs[place].kind != SC__LEDGER_INPUT_TICKET) return;
    sc_engine_pool_prefetch(ledger->engines, &inputs[place].ticket->query);
}

static void read_inputs(sc_ledger *ledger, const sc__ledger_input *inputs, size_t count)
{
    const bool is_behind = ledger->engines && sc_engine_pool_is_behind(ledger->engines);
    const sc_time now = ledger->clock();
    for (size_t i = 0; i < count; i++) {
        // Another processor may have written it.
        if (i + AHEAD < count) __builtin_prefetch(inputs[i + AHEAD].ticket, 1);
        if (ledger->is_in_place)
            prefetch_roads(ledger, inputs, i + SC_ENGINE_PREFETCH_AHEAD, count);
        if (inputs[i].kind == SC__LEDGER_INPUT_TICKET && is_behind) {
            sc__ledger_state_turn_away(ledger->state, inputs[i].ticket, now);
        } else {
            read_input(ledger, &inputs[i], now);
        }
    }
}

/** Returns how many inputs there were. */
static size_t read_incoming(sc_ledger *ledger)
{
    sc__ledger_input inputs[BATCH];
    const size_t count = sc_handover_take(ledger->incoming, inputs, BATCH);
    read_inputs(ledger, inputs, count);
    return count;
}

/** Returns how many messages there were. */
static size_t read_messages(sc_ledger *ledger)
{
    sc_msg msgs[BATCH];
    const size_t count = sc_handover_take(ledger->messages, msgs, BATCH);
    const sc_time now = ledger->clock();
    for (size_t i = 0; i < count; i++) {
        sc__ledger_state_receive(ledger->state, &msgs[i], now);
    }
    return count;
}

void sc__ledger_read_own(sc_ledger *ledger)
{
    read_inputs(ledger, ledger->own, ledger->own_count);
    explicit_bzero(ledger->own, ledger->own_count * sizeof ledger->own[0]);
    ledger->own_count = 0;
    // At most a message for each query that was added: there is room for those of the next batch.
    if (sc_handover_count(ledger->messages) > 0) (void)read_messages(ledger);
}

void sc__ledger_enter(sc_ledger *ledger, sc_errand *errand, sc_time now)
{
    sc_result *result = sc__errand_result(&ledger->publisher, errand);
    sc_reservation *reservation = sc__errand_reservation(errand);
    sc__reservation_charge_tries(reservation, errand->tries);
    sc__ledger_state_answered(ledger->state, reservation, errand->failure, errand->places, result,
                              now);
    sc__errand_free(errand);
}

/** Returns how many errands there were. */
static size_t read_back(sc_ledger *ledger)
{
    sc_errand *errands[BATCH];
    const size_t count = sc_handover_take(ledger->back, errands, BATCH);
    const sc_time now = ledger->clock();
    for (size_t i = 0; i < count; i++) {
        if (errands[i]) {
            sc__ledger_enter(ledger, errands[i], now);
        } else {
            ledger->must_end = true;
        }
    }
    return count;
}

/** Send one that is due; false if there is none. */
static bool send_due(sc_ledger *ledger)
{
    // Asked again for each: making the ones before it has taken time.
    const sc_time now = ledger->clock();
    sc_reservation *reservation = sc__ledger_state_take_due(ledger->state, now);
    if (!reservation) return false;
    sc__departure left;
    const sc_failure failure = sc__publish(&ledger->publisher, reservation, now, &left);
    if (failure) {
        sc__ledger_state_unsent(ledger->state, reservation, failure, now);
        return true;
    }
    if (!left.relay) {
        sc__ledger_state_all_rare(ledger->state, reservation, now);
        return true;
    }
    sc__ledger_state_published(ledger->state, reservation, left.number, left.users, now);
    const sc_ledger_options *options = &ledger->options;
    if (options->published) {
        options->published(options->context, left.relay, left.number, left.users);
    }
    if (options->audited) {
        options->audited(options->context, reservation->proposal, reservation->members, now);
    }
    return true;
}

/** Let results of other gateways be read; each is a ticket's at least, as an errand is. */
static void digest_arrived(sc_ledger *ledger)
{
    for (sc_reservation *reservation;
         (reservation = sc__ledger_state_take_arrived(ledger->state));) {
        const sc_time now = ledger->clock();
        bool has_sent = false;
        const sc_failure failure = sc__digest(&ledger->publisher, reservation, now, &has_sent);
        if (failure || !has_sent)
            sc__ledger_state_answered(ledger->state, reservation, failure, NULL, NULL, now);
    }
}

/** Let a courier in place work, for a while. */
static void give_turn(sc_ledger *ledger)
{
    sc_courier *courier = atomic_load_explicit(&ledger->courier, memory_order_acquire);
    if (!courier) return;
    ledger->is_in_turn = true;
    ledger->has_more |= sc_courier_turn(courier, sc_clock_us() + TURN_US);
    ledger->is_in_turn = false;
}

/** Let messages leave and the counts be seen, then hand out who has an outcome. */
static void tell_settled(sc_ledger *ledger)
{
    sc_port_flush(&ledger->port);
    const sc_ledger_stats stats = sc__ledger_state_stats(ledger->state);
    pthread_mutex_lock(&ledger->lock);
    ledger->stats = stats;
    pthread_mutex_unlock(&ledger->lock);

    size_t count = 0;
    for (sc_ticket *next, *ticket = sc__ledger_state_take_settled(ledger->state); ticket;
         ticket = next) {
        next = ticket->next;
        ticket->next = NULL;
        ledger->options.settled(ledger->options.context, ticket);
        count++;
    }
    if (count == 0) return;
    if (ledger->options.all_settled) ledger->options.all_settled(ledger->options.context);
    atomic_fetch_sub(&ledger->pending, count);
}

static sc_time go_round(sc_ledger *ledger, unsigned readable)
{
    ledger->has_more = false;
    if (readable & BACK) ledger->has_more |= read_back(ledger) == BATCH;
    if (readable & MESSAGES) ledger->has_more |= read_messages(ledger) == BATCH;
    if (readable & INCOMING) ledger->has_more |= read_incoming(ledger) == BATCH;
    if (ledger->own_count > 0) sc__ledger_read_own(ledger);
    digest_arrived(ledger);
    while (send_due(ledger)) {
    }
    give_turn(ledger);
    sc__ledger_state_pass_time(ledger->state, ledger->clock());
    const sc_time engines = ledger->is_in_place
                                ? sc_engine_pool_round(ledger->engines, ledger->clock())
                                : SC_TIME_NEVER;
    tell_settled(ledger);
    sc_time wake = sc__ledger_state_next_wake(ledger->state);
    if (ledger->publisher.rare) {
        const sc_time wipe = sc__rare_requests_pass_time(ledger->publisher.rare, ledger->clock());
        if (wipe < wake) wake = wipe;
    }
    return engines < wake ? engines : wake;
}

sc_time sc__ledger_round(sc_ledger *ledger)
{
    return go_round(ledger, EVERYTHING);
}

sc_time sc_ledger_round(sc_ledger *ledger)
{
    if (atomic_load_explicit(&ledger->is_over, memory_order_relaxed)) return SC_TIME_NEVER;
    unsigned readable = 0;
    if (sc_handover_count(ledger->incoming) > 0) readable |= INCOMING;
    if (sc_handover_count(ledger->messages) > 0) readable |= MESSAGES;
    if (sc_handover_count(ledger->back) > 0) readable |= BACK;
    const sc_time wake = go_round(ledger, readable);
    if (ledger->must_end) {
        sc__ledger_finish(ledger);
        return SC_TIME_NEVER;
    }
    // A client that was told an outcome may have asked again already.
    return ledger->has_more || ledger->own_count > 0 ? INT64_MIN : wake;
}

// --- The thread, and its end ----------------------------------------------------------------

/** Let time pass before the next round, if it would come early. What a provider elsewhere sends
 * meanwhile is read at once, since queries wait for it. */
static void keep_pace(sc_ledger *ledger, sc_pace *pace)
{
    int64_t early_us = sc_pace_next(pace, SC__LEDGER_ROUND_US, sc_clock_us());
    const int64_t until_us = sc_clock_us() + early_us;
    sc_courier *courier = atomic_load_explicit(&ledger->courier, memory_order_acquire);
    while (early_us > 0 && courier && sc_courier_is_asking(courier) && !ledger->has_more) {
        sc_courier_poll(courier, NULL, 0, until_us);
        give_turn(ledger);
        tell_settled(ledger);
        early_us = until_us - sc_clock_us();
    }
    if (!ledger->has_more) sc_pace_sleep(early_us);
}

static void wait_for_input(sc_ledger *ledger, struct pollfd *sources, size_t count, sc_time wake)
{
    sc_courier *courier = atomic_load_explicit(&ledger->courier, memory_order_acquire);
    if (courier) {
        sc_courier_poll(courier, sources, count, wake);
    } else {
        (void)poll(sources, count, sc_clock_wait_ms(sc_clock_us(), wake));
    }
}

static void *work(void *argument)
{
    sc_ledger *ledger = argument;
    pthread_setname_np(pthread_self(), "ledger");
    struct pollfd sources[] = {
        {.fd = sc_handover_fd(ledger->incoming), .events = POLLIN},
        {.fd = sc_handover_fd(ledger->messages), .events = POLLIN},
        {.fd = sc_handover_fd(ledger->back), .events = POLLIN},
    };
    sc_pace pace = {0};
    sc_time wake = SC_TIME_NEVER;
    while (!ledger->must_end) {
        if (!ledger->has_more) keep_pace(ledger, &pace);
        wait_for_input(ledger, sources, 3, ledger->has_more ? INT64_MIN : wake);
        unsigned readable = 0;
        for (unsigned i = 0; i < 3; i++) {
            if (sources[i].revents) readable |= 1u << i;
        }
        wake = go_round(ledger, readable);
    }
    sc__ledger_finish(ledger);
    return NULL;
}

sc_err sc__ledger_start(sc_ledger *ledger)
{
    const sc_err err = sc_thread_start(&ledger->thread, work, ledger);
    ledger->has_thread = !err;
    return err;
}

void sc__ledger_finish(sc_ledger *ledger)
{
    while (read_back(ledger) > 0) {
    }
    while (atomic_load(&ledger->pending) > 0) {
        while (read_incoming(ledger) > 0) {
        }
        sc__ledger_read_own(ledger);
        sc__ledger_state_stop(ledger->state, ledger->clock());
        tell_settled(ledger);
        // A ticket that was counted and not handed over yet will be, or is taken back.
        if (atomic_load(&ledger->pending) > 0) sched_yield();
    }
    atomic_store(&ledger->is_over, true);
}

void sc_ledger_end(sc_ledger *ledger)
{
    sc_ledger_drain(ledger);
    if (!ledger->state || atomic_exchange(&ledger->is_ending, true)) return;
    const sc_errand *end = NULL;
    (void)sc_handover_put(ledger->back, &end);
}

void sc_ledger_stop(sc_ledger *ledger)
{
    sc_ledger_end(ledger);
    if (!ledger->state) return;
    if (ledger->has_thread) {
        pthread_join(ledger->thread, NULL);
        ledger->has_thread = false;
    }
    if (!atomic_load(&ledger->is_over)) sc__ledger_finish(ledger);
    if (ledger->engines) sc_engine_pool_end(ledger->engines);
}
