// A gateway's ledger after a reconnection: all its open queries are sent again to the workers of
// all parts. How much of the ledger's time does that take?
//
// usage: bench_resend QUERIES PARTS MAP.scm
//
// A pass over all queries for each part, as it would be if parts came one by one (of some parts,
// and scaled); one pass for all parts; and sending then, to no peer. CPU time of one thread,
// milliseconds, the least of some runs.
#include "support/bench.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "ledger/state.h"
#include "partition/partition_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HOPS = 6, WAIT_S = 60, SOME_PARTS = 4, RUNS = 5 };

static void die_if(sc_err err, const char *what, const sc_diag *diag)
{
    if (err) bench_die(what, diag->message[0] ? diag->message : sc_err_text(err));
}

static uint64_t sent;

static void send_to_no_peer(void *context, sc_peer to, sc_msg *msg)
{
    (void)context;
    (void)to;
    sent++;
    sc_msg_fini(msg);
}

static sc__ledger_state *open_ledger(const sc_partition *partition, size_t queries, sc_rng *rng)
{
    sc__ledger_state *state = NULL;
    const sc__ledger_state_options options = {
        .max_tickets = queries,
        .self = 1,
        .guard_us = 10000,
        .patience_us = 500000,
        .give_up_us = 10000000,
        .partition = partition,
        .port = {.send = send_to_no_peer},
    };
    die_if(sc__ledger_state_new(&options, rng, &state), "ledger", &(sc_diag){""});
    return state;
}

static void ask_all(sc__ledger_state *state, const sc_map *map, size_t queries, sc_rng *rng)
{
    for (size_t i = 0; i < queries; i++) {
        sc_ticket *ticket = sc_ticket_new();
        if (!ticket) {
            bench_die("tickets", "out of memory");
            return;  // for those who do not know that it never returns
        }
        ticket->query = (sc_query){
            .user = 1 + i,
            .segment = sc_rng_below(rng, sc_map_segment_count(map)),
            .k = 5,
            .l = 3,
            .max_hops = MAX_HOPS,
            .deadline = sc_time_from_seconds(WAIT_S),
        };
        const uint64_t id[2] = {sc_rng_next(rng), sc_rng_next(rng)};
        memcpy(ticket->query.id.bytes, id, sizeof id);
        sc__ledger_state_add(state, ticket, 0);
    }
}

static void free_all(sc__ledger_state *state)
{
    sc__ledger_state_stop(state, 0);
    for (sc_ticket *next, *ticket = sc__ledger_state_take_settled(state); ticket; ticket = next) {
        next = ticket->next;
        sc_ticket_free(ticket);
    }
    sc__ledger_state_free(state);
}

static double ms_since(double before_s)
{
    return 1e3 * (bench_cpu_s() - before_s);
}

int main(int argc, char **argv)
{
    if (argc != 4) bench_die("usage", "bench_resend QUERIES PARTS MAP.scm");
    const size_t queries = strtoul(argv[1], NULL, 10);
    const uint32_t parts = (uint32_t)strtoul(argv[2], NULL, 10);
    sc_map *map = bench_open(argv[3]);
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    die_if(sc_partition_make(map, &(sc_partition_options){.parts = parts, .seed = 1}, &partition,
                             &diag),
           "partition", &diag);
    uint32_t *all = malloc(parts * sizeof *all);
    if (!all) bench_die("parts", "out of memory");
    for (uint32_t part = 0; part < parts; part++) {
        all[part] = part;
    }
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc__ledger_state *state = open_ledger(partition, queries, &rng);
    ask_all(state, map, queries, &rng);
    // A quarter of their time later company was sent to those near a border.
    sc_time now = sc_time_from_seconds(WAIT_S / 3.0);
    sc__ledger_state_pass_time(state, now);

    const uint32_t some = parts < SOME_PARTS ? parts : SOME_PARTS;
    const double start_s = bench_cpu_s();
    for (uint32_t part = 0; part < some; part++) {
        sc__ledger_state_resend(state, &part, 1, now);
    }
    const double one_by_one_ms = ms_since(start_s) * parts / some;
    sc__ledger_state_pass_time(state, ++now);

    double pass_ms = (double)INFINITY;
    double send_ms = (double)INFINITY;
    for (int run = 0; run < RUNS; run++) {
        sent = 0;
        const double before_s = bench_cpu_s();
        sc__ledger_state_resend(state, all, parts, now);
        pass_ms = fmin(pass_ms, ms_since(before_s));
        const double passed_s = bench_cpu_s();
        sc__ledger_state_pass_time(state, ++now);
        send_ms = fmin(send_ms, ms_since(passed_s));
    }
    printf("%zu queries, %u parts: %.1f ms part by part, %.1f ms in one pass; %.1f ms to send %lu "
           "messages\n",
           queries, parts, one_by_one_ms, pass_ms, send_ms, (unsigned long)sent);
    free_all(state);
    free(all);
    sc_partition_free(partition);
    sc_map_free(map);
    return 0;
}
