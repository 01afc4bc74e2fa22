// A stream of questions in memory. See traffic.h.
//
// Passes are timed as a whole, with CPU time of the process, so that reading the
// clock is not part of what is measured.
#include "support/traffic.h"

#include "support/bench.h"

#include "engine/engine_internal.h"
#include "sim/workload.h"
#include "travel/walk.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <starcloak/prune.h>

/** Room for "u" and a 32-bit number. */
enum { NAME_SIZE = 12, FIRST_ROOM = 1 << 16, SAMPLES = 1000 };

const variant_entry variants[] = {
    {"basic", SC_VARIANT_BASIC, false, 0},
    {"bounded", SC_VARIANT_BOUNDED, false, 0},
    {"bounded, strict", SC_VARIANT_BOUNDED, true, 0},
    {"hybrid", SC_VARIANT_HYBRID, false, 0},
    {"patient", SC_VARIANT_PATIENT, false, 0},
    {"patient, 1", SC_VARIANT_PATIENT, false, 1},
    {NULL, SC_VARIANT_BASIC, false, 0},
};

const variant_entry compared[] = {
    {"xstar", SC_VARIANT_XSTAR, false, 0},
    {"sampling", SC_VARIANT_SAMPLING, false, 0},
    {"expansion", SC_VARIANT_EXPANSION, false, 0},
    {NULL, SC_VARIANT_BASIC, false, 0},
};

sc_engine_options variant_options(const variant_entry *v)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = v->variant;
    options.is_strict = v->is_strict;
    options.max_combinations = sc_variant_cap(v->variant);
    if (v->crowd > 0) options.crowd = v->crowd;
    return options;
}

static void *room(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count, size);
    if (!memory) bench_die("traffic", "out of memory");
    return memory;
}

static void listen(traffic *t, uint32_t users, double seconds)
{
    // Walks, not trips: on a map of ten million nodes ways would take longer than all the rest.
    const sc_workload workload = sc_workload_default();
    sc_movement *walk = NULL;
    sc_travellers *travellers = NULL;
    sc_diag diag = {""};
    if (sc_walk_new(t->map, users, 1, &walk, &diag) ||
        sc_travellers_new(walk, &workload, 1, &travellers, &diag)) {
        bench_die("travellers", diag.message);
    }
    size_t capacity = 0;
    const sc_time end = sc_time_from_seconds(seconds);
    while (sc_travellers_next(travellers) < end) {
        if (t->count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : FIRST_ROOM;
            t->asks = room(t->asks, capacity, sizeof *t->asks);
            t->names = room(t->names, capacity, NAME_SIZE);
        }
        sc_request_line request_line;
        const uint32_t who = sc_travellers_ask(travellers, &request_line);
        // As a service is told, so that admission has to snap it.
        sc_ask_use_position(t->map, &request_line.ask);
        t->asks[t->count] = request_line.ask;
        snprintf(t->names + t->count * NAME_SIZE, NAME_SIZE, "u%u", who);
        if (sc_travellers_resume(travellers, who, request_line.ask.t)) {
            bench_die("travellers", "out of memory");
        }
        t->count++;
    }
    for (size_t i = 0; i < t->count; i++) {
        t->asks[i].user = t->names + i * NAME_SIZE;
    }
    sc_travellers_free(travellers);
    sc_movement_free(walk);
}

traffic traffic_new(const sc_map *map, uint32_t users, double seconds)
{
    traffic t = {.map = map};
    listen(&t, users, seconds);
    t.queries = room(NULL, t.count, sizeof *t.queries);

    const uint8_t key[SC_KEY_SIZE] = "for the benchmark alone";
    const sc_limits limits = sc_limits_default();
    sc_admission *door = NULL;
    sc_diag diag = {""};
    if (sc_admission_new(map, &limits, key, &door, &diag)) bench_die("admission", diag.message);
    const double start = bench_cpu_s();
    for (size_t i = 0; i < t.count; i++) {
        sc_snap where;
        if (sc_admission_admit(door, &t.asks[i], &t.queries[i], &where, &diag)) {
            bench_die("admission", diag.message);
        }
    }
    t.admission_s = bench_cpu_s() - start;
    sc_admission_free(door);
    return t;
}

void traffic_free(traffic *t)
{
    free(t->asks);
    free(t->names);
    free(t->queries);
    *t = (traffic){0};
}

static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

typedef struct cloaker {
    sc_engine *engine;
    sc_pruner *pruner;
    sc_rng *rng;
    const traffic *traffic;
} cloaker;

/** Run the engine and accept what it proposes. */
static void run(const cloaker *lane, sc_time now)
{
    if (sc_engine_run(lane->engine, now)) bench_die("engine", "out of memory");
    sc_cloak *cloak;
    while ((cloak = sc_engine_take_candidate(lane->engine))) {
        sc_diag diag = {""};
        if (sc_pruner_prune(lane->pruner, cloak, lane->rng)) bench_die("prune", "out of memory");
        if (sc_engine_accept(lane->engine, cloak, now, &diag)) bench_die("accept", diag.message);
        if (lane->traffic->on_cloak) lane->traffic->on_cloak(lane->traffic->data, cloak);
        sc_cloak_free(cloak);
    }
    sc_drop drop;
    while (sc_engine_take_drop(lane->engine, &drop)) {
    }
}

passage traffic_cloak(const traffic *t, const sc_engine_options *options, bool measure_bytes)
{
    passage result = {0};
    cloaker lane = {.traffic = t};
    sc_diag diag = {""};
    if (sc_rng_new_seeded(1, &lane.rng) || sc_pruner_new(t->map, &lane.pruner)) {
        bench_die("engine", "out of memory");
    }
    const size_t before = bytes_in_use();
    if (sc_engine_new(t->map, options, lane.rng, &lane.engine, &diag)) {
        bench_die("engine", diag.message);
    }
    result.fixed_bytes = bytes_in_use() - before;

    const double start = bench_cpu_s();
    for (size_t i = 0; i < t->count; i++) {
        const sc_time now = t->asks[i].t;
        for (sc_time wake; (wake = sc_engine_next_wake(lane.engine)) < now;) {
            run(&lane, wake);
        }
        if (i + SC_ENGINE_PREFETCH_AHEAD < t->count) {
            sc_engine_prefetch(lane.engine, &t->queries[i + SC_ENGINE_PREFETCH_AHEAD]);
        }
        if (sc_engine_add(lane.engine, &t->queries[i])) bench_die("engine", "a query is refused");
        run(&lane, now);
        if (!measure_bytes || i % (1 + t->count / SAMPLES) != 0) continue;
        const uint64_t pending = sc_engine_get_stats(lane.engine).pending;
        if (pending > result.pending) {
            result.pending = pending;
            result.bytes = bytes_in_use() - before;
        }
    }
    result.cpu_s = bench_cpu_s() - start;
    result.stats = sc_engine_get_stats(lane.engine);
    result.cloaked = result.stats.accepted;
    sc_engine_free(lane.engine);
    sc_pruner_free(lane.pruner);
    sc_rng_free(lane.rng);
    return result;
}

double traffic_floor_s(const traffic *t, size_t pending)
{
    sc_item_pool pool;
    sc__engine_deadlines heap = {.context = &pool};
    sc_item_pool_init(&pool, sizeof(sc__pending));
    uint32_t *queue = room(NULL, pending, sizeof *queue);
    const double start = bench_cpu_s();
    for (size_t i = 0; i < t->count; i++) {
        uint32_t *place = &queue[i % pending];
        if (i >= pending) {
            sc__engine_deadlines_remove(&heap,
                                        ((sc__pending *)sc_item_pool_at(&pool, *place))->heap_at);
            sc_item_pool_give(&pool, *place);
        }
        if (sc_item_pool_reserve(&pool) ||
            !sc__engine_deadlines_reserve(&heap, (size_t)pool.count + 1)) {
            bench_die("floor", "out of memory");
        }
        *place = sc_item_pool_take(&pool);
        sc__pending *query = sc_item_pool_at(&pool, *place);
        *query = (sc__pending){.query = t->queries[i], .order = i};
        sc__engine_deadlines_push(&heap, (sc__engine_deadline){query->query.deadline, *place});
    }
    const double took = bench_cpu_s() - start;
    free(queue);
    sc__engine_deadlines_fini(&heap);
    sc_item_pool_fini(&pool);
    return took;
}
