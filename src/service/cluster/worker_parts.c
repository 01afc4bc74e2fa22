// The parts of a worker. See worker_parts.h.
#include "cluster/worker_parts.h"

#include "base/alloc.h"

/** How long servers may take to confirm our subscriptions. No heartbeat is sent meanwhile, so it is
 * less than the time after which this worker would count as gone. */
static const double flush_s = 0.5;

typedef struct part_state {
    bool is_wanted;
    bool is_open;  ///< in the engine pool
    bool is_listed;
} part_state;

struct sc__worker_parts {
    sc_engine_pool *engines;
    sc_bus *bus;
    uint32_t count;   ///< of the partition
    uint32_t listed;  ///< how many are
    part_state *of;
    uint16_t *list;       ///< room for all
    sc_part_load *loads;  ///< as well
};

void sc__worker_parts_free(sc__worker_parts *parts)
{
    if (!parts) return;
    sc_free(parts->of);
    sc_free(parts->list);
    sc_free(parts->loads);
    sc_free(parts);
}

sc_err sc__worker_parts_new(uint32_t parts, sc_engine_pool *engines, sc_bus *bus,
                            sc__worker_parts **out)
{
    sc__worker_parts *made = sc_calloc(1, sizeof *made);
    if (!made) return SC_ENOMEM;
    made->engines = engines;
    made->bus = bus;
    made->count = parts;
    made->of = sc_calloc(parts, sizeof *made->of);
    made->list = sc_malloc_array(parts, sizeof *made->list);
    made->loads = sc_malloc_array(parts, sizeof *made->loads);
    if (!made->of || !made->list || !made->loads) {
        sc__worker_parts_free(made);
        return SC_ENOMEM;
    }
    *out = made;
    return SC_OK;
}

// --- Following a placement --------------------------------------------------------------

/** Unlist parts that are not wanted; returns whether the engine pool needs other parts. */
static bool unlist_unwanted(sc__worker_parts *parts)
{
    bool is_other = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        part_state *s = &parts->of[p];
        is_other = is_other || s->is_wanted != s->is_open;
        s->is_listed = s->is_listed && s->is_wanted;
    }
    return is_other;
}

static bool set_pool_parts(sc__worker_parts *parts)
{
    size_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        if (parts->of[p].is_wanted) parts->list[count++] = (uint16_t)p;
    }
    if (sc_engine_pool_set_parts(parts->engines, parts->list, count)) return false;
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_open = parts->of[p].is_wanted;
    }
    return true;
}

/** List all open parts, once the servers are known to know of our subscription. */
static void list_open(sc__worker_parts *parts)
{
    bool has_news = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        has_news = has_news || (parts->of[p].is_open && !parts->of[p].is_listed);
    }
    if (!has_news || !sc_bus_is_connected(parts->bus)) return;
    if (sc_bus_flush(parts->bus, flush_s)) return;
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_listed = parts->of[p].is_open;
    }
}

static uint32_t count_listed(const sc__worker_parts *parts)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        count += parts->of[p].is_listed;
    }
    return count;
}

bool sc__worker_parts_follow(sc__worker_parts *parts, const sc_placement *placement, sc_peer self)
{
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_wanted = placement && placement->owners[p] == self;
    }
    const uint32_t before = parts->listed;
    const bool is_other = unlist_unwanted(parts);
    if (!is_other || set_pool_parts(parts)) list_open(parts);
    parts->listed = count_listed(parts);
    return is_other || parts->listed != before;
}

void sc__worker_parts_unlist(sc__worker_parts *parts)
{
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_listed = false;
    }
    parts->listed = 0;
}

// --- What heartbeats have ---------------------------------------------------------------

uint32_t sc__worker_parts_count(const sc__worker_parts *parts)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        count += parts->of[p].is_open;
    }
    return count;
}

sc_heartbeat *sc__worker_parts_heartbeat(sc__worker_parts *parts)
{
    sc_heartbeat *heartbeat = sc_heartbeat_new(parts->listed);
    if (!heartbeat) return NULL;
    heartbeat->engines = sc_engine_pool_stats_of(parts->engines, parts->loads);
    size_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        heartbeat->open += parts->loads[p].pending + (uint64_t)parts->loads[p].held;
        if (!parts->of[p].is_listed) continue;
        heartbeat->parts[count++] = (sc_heartbeat_part){.part = p, .load = parts->loads[p]};
    }
    return heartbeat;
}
