// All engine threads of a process. See engine_pool.h.
//
// Which engine thread has which part is read by the thread that brings a message, without a lock:
// an atomic number per part. A part is in that table only while its engine thread knows of it: it
// is put there after the engine thread was told, and taken out before. So a query that is handed to
// the engine thread of its home is never lost there for want of an engine, unless the part goes at
// that moment.
#include "worker/engine_pool.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "engine/options.h"
#include "worker/engine_thread.h"
#include "worker/parts.h"

#include <string.h>

/** More engine threads than any machine has cores. */
enum { THREADS_MAX = 4096 };

struct sc_engine_pool {
    const sc_map *map;
    const sc_partition *partition;
    uint32_t part_count;
    size_t thread_count;
    sc__engine_thread **threads;
    _Atomic uint16_t *thread_of;  ///< by part
    sc__siblings siblings;        ///< the two above, and the next
    atomic_ullong lost;
    atomic_ullong misdirected;
    pthread_mutex_t switching;  ///< so that all engine threads get the same variant
};

// --- Life -----------------------------------------------------------------------------------

static sc_err check_options(const sc_map *map, const sc_engine_pool_options *options, sc_diag *diag)
{
    if (!options->partition || sc_partition_map(options->partition) != map) {
        return sc_fail(diag, SC_EINVAL, "engines: the partition is of another map");
    }
    if (options->engine_threads < 1 || options->engine_threads > THREADS_MAX) {
        return sc_fail(diag, SC_EINVAL, "engines: threads must be 1 to %d", THREADS_MAX);
    }
    if (options->is_in_place && (options->engine_threads > 1 || options->prune_threads > 0)) {
        return sc_fail(
            diag, SC_EINVAL,
            "engines: with engines in the caller's thread, no other threads can be used");
    }
    if (options->max_queries < 1 || options->max_queries > UINT32_MAX) {
        return sc_fail(diag, SC_EINVAL,
                       "engines: the number of queries at once must be 1 to 2^32-1");
    }
    if (options->patience_us < 1) {
        return sc_fail(diag, SC_EINVAL, "engines: patience must be above 0");
    }
    return sc__options_check(&options->engine, diag);
}

static sc_err make_threads(sc_engine_pool *pool, const sc_engine_pool_options *options, sc_rng *rng,
                           sc_diag *diag)
{
    pool->threads = sc_calloc(options->engine_threads, sizeof(sc__engine_thread *));
    pool->thread_of = sc_malloc_array(pool->part_count, sizeof *pool->thread_of);
    if (!pool->threads || !pool->thread_of) return sc_fail_memory(diag, "making engine threads");
    for (uint32_t i = 0; i < pool->part_count; i++) {
        atomic_init(&pool->thread_of[i], SC__NO_ENGINE_THREAD);
    }
    sc_err err = SC_OK;
    while (!err && pool->thread_count < options->engine_threads) {
        const uint32_t number = (uint32_t)pool->thread_count;
        err = sc__engine_thread_new(pool->map, options, number, rng, &pool->threads[number], diag);
        if (!err) pool->thread_count++;
    }
    pool->siblings = (sc__siblings){pool->threads, pool->thread_of, &pool->lost};
    for (size_t i = 0; !err && pool->thread_count > 1 && i < pool->thread_count; i++) {
        sc__engine_thread_meet(pool->threads[i], &pool->siblings);
    }
    return err;
}

sc_err sc_engine_pool_new(const sc_map *map, const sc_engine_pool_options *options, sc_rng *rng,
                          sc_engine_pool **out, sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_engine_pool *pool = sc_calloc(1, sizeof *pool);
    if (!pool) return sc_fail_memory(diag, "making engine threads");
    pthread_mutex_init(&pool->switching, NULL);
    pool->map = map;
    pool->partition = options->partition;
    pool->part_count = sc_partition_part_count(options->partition);
    err = make_threads(pool, options, rng, diag);
    if (err) {
        sc_engine_pool_free(pool);
        return err;
    }
    *out = pool;
    return SC_OK;
}

sc_err sc_engine_pool_start(sc_engine_pool *pool)
{
    for (size_t i = 0; i < pool->thread_count; i++) {
        const sc_err err = sc__engine_thread_start(pool->threads[i]);
        if (err) {
            sc_engine_pool_end(pool);
            return err;
        }
    }
    return SC_OK;
}

void sc_engine_pool_end(sc_engine_pool *pool)
{
    for (size_t i = 0; i < pool->thread_count; i++) {
        sc__engine_thread_end(pool->threads[i]);
    }
}

void sc_engine_pool_free(sc_engine_pool *pool)
{
    if (!pool) return;
    sc_engine_pool_end(pool);
    for (size_t i = 0; i < pool->thread_count; i++) {
        sc__engine_thread_free(pool->threads[i]);
    }
    sc_free(pool->threads);
    sc_free((void *)pool->thread_of);
    pthread_mutex_destroy(&pool->switching);
    sc_free(pool);
}

// --- Messages -------------------------------------------------------------------------------

/** What the message owns is the engine thread's then, or freed. */
static void tell(sc_engine_pool *pool, size_t thread, sc_msg *msg)
{
    if (sc__engine_thread_receive(pool->threads[thread], msg)) {
        explicit_bzero(msg, sizeof *msg);
    } else {
        atomic_fetch_add(&pool->lost, 1);
    }
}

/** Each engine thread has a copy. */
static void tell_all(sc_engine_pool *pool, const sc_msg *msg)
{
    for (size_t i = 0; i < pool->thread_count; i++) {
        sc_msg copy;
        if (sc_msg_clone(msg, &copy)) {
            tell(pool, i, &copy);
        } else {
            atomic_fetch_add(&pool->lost, 1);
        }
        sc_msg_fini(&copy);
    }
}

static void receive_of_query(sc_engine_pool *pool, sc_msg *msg)
{
    const sc_query *query = &msg->query;
    // The sender may have another map.
    const bool is_known = query->segment < sc_map_segment_count(pool->map);
    const uint32_t home = is_known ? sc_partition_home(pool->partition, query->segment) : 0;
    const uint16_t thread = is_known ? atomic_load(&pool->thread_of[home]) : SC__NO_ENGINE_THREAD;
    if (thread == SC__NO_ENGINE_THREAD && msg->kind == SC_MSG_ADD)
        atomic_fetch_add(&pool->misdirected, 1);
    if (!is_known) return;
    if (thread != SC__NO_ENGINE_THREAD) {
        tell(pool, thread, msg);
    } else if (sc_partition_is_near(pool->partition, query->segment, query->max_hops)) {
        tell_all(pool, msg);
    }
}

void sc_engine_pool_receive(sc_engine_pool *pool, sc_msg *msg)
{
    switch (msg->kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
    case SC_MSG_REMOVE:
        receive_of_query(pool, msg);
        break;
    case SC_MSG_OK:
    case SC_MSG_NO:
    case SC_MSG_PUBLISHED:
    case SC_MSG_DEAD:
        if (msg->engine_thread < pool->thread_count) tell(pool, msg->engine_thread, msg);
        break;
    default:
        break;
    }
    sc_msg_fini(msg);
}

bool sc_engine_pool_is_behind(sc_engine_pool *pool)
{
    for (size_t i = 0; i < pool->thread_count; i++) {
        if (sc__engine_thread_is_behind(pool->threads[i])) return true;
    }
    return false;
}

void sc_engine_pool_prefetch(const sc_engine_pool *pool, const sc_query *query)
{
    sc__engine_thread_prefetch(pool->threads[0], query);
}

// --- Parts ----------------------------------------------------------------------------------

/** The first engine thread that has fewer than its share, the largest shares first: METIS divides
 * in halves again and again, so that parts with numbers near each other are mostly neighbours, and
 * company between them stays in one thread. */
static size_t first_with_room(const size_t *counts, size_t threads, size_t parts)
{
    size_t best = 0;
    for (size_t i = 0; i < threads; i++) {
        const size_t share = parts / threads + (i < parts % threads);
        if (counts[i] < share) return i;
        if (counts[i] < counts[best]) best = i;
    }
    return best;
}

/** Where each part shall be: those that stay where they are, the others wherever there is room.
 * False: there is no such part, or it is named twice. */
static bool plan(const sc_engine_pool *pool, const uint16_t *parts, size_t count,
                 uint16_t *thread_of, size_t *counts)
{
    for (uint32_t i = 0; i < pool->part_count; i++) {
        thread_of[i] = SC__NO_ENGINE_THREAD;
    }
    for (size_t i = 0; i < count; i++) {
        if (parts[i] >= pool->part_count || thread_of[parts[i]] != SC__NO_ENGINE_THREAD)
            return false;
        // Named, and in some room: which one is seen to below.
        thread_of[parts[i]] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        const uint16_t thread = atomic_load(&pool->thread_of[parts[i]]);
        if (thread == SC__NO_ENGINE_THREAD) continue;
        thread_of[parts[i]] = thread;
        counts[thread]++;
    }
    for (size_t i = 0; i < count; i++) {
        if (atomic_load(&pool->thread_of[parts[i]]) != SC__NO_ENGINE_THREAD) continue;
        const size_t thread = first_with_room(counts, pool->thread_count, count);
        thread_of[parts[i]] = (uint16_t)thread;
        counts[thread]++;
    }
    return true;
}

/** The parts of one engine thread; returns how many. */
static size_t list(const sc_engine_pool *pool, const uint16_t *thread_of, size_t thread,
                   uint16_t *parts)
{
    size_t count = 0;
    for (uint32_t i = 0; i < pool->part_count; i++) {
        if (thread_of[i] == thread) parts[count++] = (uint16_t)i;
    }
    return count;
}

static void carry_out(sc_engine_pool *pool, const uint16_t *thread_of, uint16_t *parts)
{
    for (uint32_t i = 0; i < pool->part_count; i++) {
        if (thread_of[i] == SC__NO_ENGINE_THREAD)
            atomic_store(&pool->thread_of[i], SC__NO_ENGINE_THREAD);
    }
    for (size_t i = 0; i < pool->thread_count; i++) {
        sc__engine_thread_set_parts(pool->threads[i], parts, list(pool, thread_of, i, parts));
    }
    for (uint32_t i = 0; i < pool->part_count; i++) {
        atomic_store(&pool->thread_of[i], thread_of[i]);
    }
}

sc_err sc_engine_pool_set_parts(sc_engine_pool *pool, const uint16_t *parts, size_t count)
{
    uint16_t *thread_of = sc_malloc_array(pool->part_count, sizeof *thread_of);
    uint16_t *of_thread = sc_malloc_array(pool->part_count, sizeof *of_thread);
    size_t *counts = sc_calloc(pool->thread_count, sizeof *counts);
    sc_err err = SC_ENOMEM;
    if (thread_of && of_thread && counts) {
        err = plan(pool, parts, count, thread_of, counts) ? SC_OK : SC_EINVAL;
    }
    if (!err) carry_out(pool, thread_of, of_thread);
    sc_free(thread_of);
    sc_free(of_thread);
    sc_free(counts);
    return err;
}

// --- All engine threads ---------------------------------------------------------------------

sc_err sc_engine_pool_switch(sc_engine_pool *pool, sc_variant variant)
{
    sc_err err = SC_OK;
    pthread_mutex_lock(&pool->switching);
    // They are of one kind: what the first refuses, all do.
    for (size_t i = 0; !err && i < pool->thread_count; i++) {
        err = sc__engine_thread_switch(pool->threads[i], variant);
    }
    pthread_mutex_unlock(&pool->switching);
    return err;
}

sc_variant sc_engine_pool_variant(const sc_engine_pool *pool)
{
    return sc__engine_thread_variant(pool->threads[0]);
}

sc_engine_pool_stats sc_engine_pool_stats_of(sc_engine_pool *pool, sc_part_load *loads)
{
    sc_engine_pool_stats stats = {
        .lost = atomic_load(&pool->lost),
        .misdirected = atomic_load(&pool->misdirected),
    };
    if (loads) memset(loads, 0, pool->part_count * sizeof *loads);
    for (size_t i = 0; i < pool->thread_count; i++) {
        sc__engine_thread_add_stats(pool->threads[i], &stats, loads);
    }
    return stats;
}

sc_time sc_engine_pool_round(sc_engine_pool *pool, sc_time now)
{
    sc_time wake = SC_TIME_NEVER;
    for (size_t i = 0; i < pool->thread_count; i++) {
        (void)sc__engine_thread_round(pool->threads[i], now);
    }
    for (size_t i = 0; i < pool->thread_count; i++) {
        const sc_time one = sc__engine_thread_next_wake(pool->threads[i], now);
        if (one < wake) wake = one;
    }
    return wake;
}
