// The parts of an engine thread. See parts.h.
#include "worker/parts.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>
#include <time.h>

// --- Life -----------------------------------------------------------------------------------

sc_err sc__parts_init(sc__parts *parts, const sc_map *map, const sc_engine_options *options,
                      uint32_t count, uint32_t engine_thread, sc_rng *rng)
{
    *parts = (sc__parts){.map = map,
                         .options = *options,
                         .rng = rng,
                         .count = count,
                         .engine_thread = engine_thread};
    pthread_mutex_init(&parts->lock, NULL);
    parts->open = sc_calloc(count, sizeof(sc__part *));
    parts->is_meant = sc_calloc(count, sizeof *parts->is_meant);
    parts->is_wanted = sc_calloc(count, sizeof *parts->is_wanted);
    return parts->open && parts->is_meant && parts->is_wanted ? SC_OK : SC_ENOMEM;
}

static void free_part(sc__part *part)
{
    sc_engine_free(part->engine);
    sc_free(part);
}

void sc__parts_fini(sc__parts *parts)
{
    if (!parts->map) return;
    while (parts->first) {
        sc__part *part = parts->first;
        parts->first = part->next;
        free_part(part);
    }
    sc_free(parts->open);
    sc_free(parts->is_meant);
    sc_free(parts->is_wanted);
    pthread_mutex_destroy(&parts->lock);
    parts->map = NULL;
}

// --- What is wanted -------------------------------------------------------------------------

void sc__parts_want(sc__parts *parts, const uint16_t *numbers, size_t count)
{
    pthread_mutex_lock(&parts->lock);
    memset(parts->is_wanted, 0, parts->count * sizeof *parts->is_wanted);
    for (size_t i = 0; i < count; i++) {
        parts->is_wanted[numbers[i]] = true;
    }
    pthread_mutex_unlock(&parts->lock);
    atomic_store(&parts->is_news, true);
}

bool sc__parts_look(sc__parts *parts)
{
    // A plain look first: most often there is nothing, and no other cache is disturbed.
    if (!atomic_load(&parts->is_news) || !atomic_exchange(&parts->is_news, false)) return false;
    pthread_mutex_lock(&parts->lock);
    memcpy(parts->is_meant, parts->is_wanted, parts->count * sizeof *parts->is_meant);
    pthread_mutex_unlock(&parts->lock);
    return true;
}

sc_err sc__parts_open(sc__parts *parts, uint32_t number, sc_diag *diag)
{
    sc__part *part = sc_calloc(1, sizeof *part);
    if (!part) return sc_fail_memory(diag, "opening a part");
    *part = (sc__part){.number = number, .is_open = true, .is_changed = true};
    const sc_err err = sc_engine_new(parts->map, &parts->options, parts->rng, &part->engine, diag);
    if (err) {
        sc_free(part);
        return err;
    }
    part->wake = sc_engine_next_wake(part->engine);
    parts->open[number] = part;
    pthread_mutex_lock(&parts->lock);
    part->next = parts->first;
    parts->first = part;
    pthread_mutex_unlock(&parts->lock);
    return SC_OK;
}

void sc__parts_close(sc__parts *parts, sc__part *part)
{
    parts->open[part->number] = NULL;
    pthread_mutex_lock(&parts->lock);
    part->is_open = false;
    pthread_mutex_unlock(&parts->lock);
    part->is_changed = true;
    part->wake = SC_TIME_NEVER;
}

sc__part *sc__parts_of(const sc__parts *parts, const sc_cloak *cloak)
{
    sc__part *part = parts->first;
    while (part && part->engine != cloak->engine) {
        part = part->next;
    }
    return part;
}

// --- Work -----------------------------------------------------------------------------------

/** One round of so many is measured, and counts for all of them: the clock of a thread is a call of
 * the system, and as dear as cloaking a query. */
enum { ROUNDS_PER_MEASURE = 8 };

static uint64_t cpu_ns(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (uint64_t)spent.tv_sec * 1000000000 + (uint64_t)spent.tv_nsec;
}

/** One whose allowance is spent is woken by what is received about its proposals. */
static bool may_run(const sc__part *part)
{
    return part->is_open && !sc__allowance_is_spent(&part->allowance);
}

sc_err sc__parts_run(sc__parts *parts, sc_time now)
{
    sc_err err = SC_OK;
    const bool is_measured = parts->round_count++ % ROUNDS_PER_MEASURE == 0;
    uint64_t before = 0;
    for (sc__part *part = parts->first; part; part = part->next) {
        if (!may_run(part) || !(part->is_due || part->wake <= now)) continue;
        if (is_measured && before == 0) before = cpu_ns();
        const sc_err one = sc_engine_run(part->engine, now);
        if (is_measured) {
            const uint64_t after = cpu_ns();
            part->cpu_ns += (after - before) * ROUNDS_PER_MEASURE;
            before = after;
        }
        part->is_due = one != SC_OK;
        part->wake = sc_engine_next_wake(part->engine);
        part->has_found = part->is_changed = true;
        if (one) err = one;
    }
    return err;
}

sc_err sc__parts_switch(sc__parts *parts, sc_variant variant)
{
    for (sc__part *part = parts->first; part; part = part->next) {
        const sc_err err = sc_engine_switch(part->engine, variant);
        if (err) return err;
        sc__part_touch(part);
    }
    parts->options.variant = variant;
    return SC_OK;
}

sc_time sc__parts_next_wake(const sc__parts *parts)
{
    sc_time wake = SC_TIME_NEVER;
    for (const sc__part *part = parts->first; part; part = part->next) {
        if (!may_run(part)) continue;
        if (part->is_due) return INT64_MIN;
        if (part->wake < wake) wake = part->wake;
    }
    return wake;
}

// --- What others see ------------------------------------------------------------------------

void sc__engine_stats_add(sc_engine_stats *stats, const sc_engine_stats *more)
{
    stats->added += more->added;
    stats->accepted += more->accepted;
    for (size_t i = 0; i < SC_DROP_REASON_COUNT; i++) {
        stats->dropped[i] += more->dropped[i];
    }
    stats->removed += more->removed;
    stats->pending += more->pending;
    stats->proposed += more->proposed;
    stats->company += more->company;
    stats->company_accepted += more->company_accepted;
    stats->company_held += more->company_held;
    stats->cloaks += more->cloaks;
    stats->refused += more->refused;
    stats->broken += more->broken;
    stats->searches += more->searches;
    stats->checks += more->checks;
    stats->cap_hits += more->cap_hits;
    stats->settled += more->settled;
    stats->settle_failures += more->settle_failures;
    stats->ends_taken_back += more->ends_taken_back;
    stats->vertices += more->vertices;
    stats->active_stars += more->active_stars;
}

/** What is left of an engine in the counts. What it still had was removed: their gateways send them
 * again, elsewhere. */
static sc_engine_stats last_stats(const sc_engine *engine)
{
    sc_engine_stats stats = sc_engine_get_stats(engine);
    stats.removed += stats.pending + stats.proposed;
    stats.pending = stats.proposed = stats.company_held = 0;
    stats.vertices = stats.active_stars = 0;
    return stats;
}

/** Chained by `next`. */
static sc__part *take_out_finished(sc__parts *parts)
{
    sc__part *finished = NULL;
    for (sc__part **link = &parts->first; *link;) {
        sc__part *part = *link;
        if (part->is_open || part->under_way > 0) {
            link = &part->next;
            continue;
        }
        *link = part->next;
        part->next = finished;
        finished = part;
        const sc_engine_stats stats = last_stats(part->engine);
        sc__engine_stats_add(&parts->closed, &stats);
    }
    return finished;
}

void sc__parts_show(sc__parts *parts)
{
    pthread_mutex_lock(&parts->lock);
    for (sc__part *part = parts->first; part; part = part->next) {
        if (!part->is_changed) continue;
        part->is_changed = false;
        part->shown = sc_engine_get_stats(part->engine);
        part->shown_cpu_ns = part->cpu_ns;
    }
    sc__part *finished = take_out_finished(parts);
    pthread_mutex_unlock(&parts->lock);
    while (finished) {
        sc__part *part = finished;
        finished = part->next;
        free_part(part);
    }
}

static void fill_load(sc_part_load *load, const sc__part *part)
{
    const sc_engine_stats *stats = &part->shown;
    load->is_open = true;
    load->queries = stats->added;
    load->company = stats->company;
    load->cloaks = stats->cloaks;
    for (size_t i = 0; i < SC_DROP_REASON_COUNT; i++) {
        load->dropped += stats->dropped[i];
    }
    load->cpu_us = part->shown_cpu_ns / 1000;
    load->pending = (uint32_t)(stats->pending + stats->proposed);
    load->held = (uint32_t)stats->company_held;
}

void sc__parts_add_stats(sc__parts *parts, sc_engine_stats *stats, sc_part_load *loads)
{
    pthread_mutex_lock(&parts->lock);
    sc__engine_stats_add(stats, &parts->closed);
    for (const sc__part *part = parts->first; part; part = part->next) {
        sc__engine_stats_add(stats, &part->shown);
        if (!loads || !part->is_open) continue;
        fill_load(&loads[part->number], part);
        loads[part->number].engine_thread = parts->engine_thread;
    }
    pthread_mutex_unlock(&parts->lock);
}
