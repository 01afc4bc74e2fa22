// The parts of a worker. See worker_parts.h.
#include "cluster/worker_parts.h"

#include "base/alloc.h"

#include <string.h>

/** How long servers may take to say that they know of our subscriptions. Nobody beats meanwhile, so
 * it is less than the time after which we would be missed. */
static const double flush_s = 0.5;

typedef struct part_state {
    bool is_wanted;
    bool is_open;      ///< the crew was told
    sc_wire_ear *ear;  ///< NULL: not heard
    bool is_listed;
} part_state;

struct sc__worker_parts {
    sc_crew *crew;
    sc_wire *wire;
    sc_wire_hear *hear;
    void *context;
    uint32_t count;   ///< of the cut
    uint32_t listed;  ///< how many are
    part_state *of;
    uint16_t *list;       ///< room for all
    sc_part_load *loads;  ///< as well
};

sc_err sc__worker_parts_new(uint32_t parts, sc_crew *crew, sc_wire *wire, sc_wire_hear *hear,
                            void *context, sc__worker_parts **out)
{
    sc__worker_parts *made = sc_calloc(1, sizeof *made);
    if (!made) return SC_ENOMEM;
    made->crew = crew;
    made->wire = wire;
    made->hear = hear;
    made->context = context;
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

void sc__worker_parts_free(sc__worker_parts *parts)
{
    if (!parts) return;
    for (uint32_t p = 0; parts->of && p < parts->count; p++) {
        sc_wire_deafen(parts->of[p].ear);
    }
    sc_free(parts->of);
    sc_free(parts->list);
    sc_free(parts->loads);
    sc_free(parts);
}

// --- Following a placement -----------------------------------------------------------------

/** Stop hearing what is not wanted; returns whether the crew must be told of other parts. */
static bool close_ears(sc__worker_parts *parts)
{
    bool is_other = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        part_state *s = &parts->of[p];
        is_other = is_other || s->is_wanted != s->is_open;
        if (s->is_wanted) continue;
        sc_wire_deafen(s->ear);
        s->ear = NULL;
        s->is_listed = false;
    }
    return is_other;
}

static bool tell_crew(sc__worker_parts *parts)
{
    size_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        if (parts->of[p].is_wanted) parts->list[count++] = (uint16_t)p;
    }
    if (sc_crew_set_parts(parts->crew, parts->list, count)) return false;
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_open = parts->of[p].is_wanted;
    }
    return true;
}

/** Hear all that is open, and list it once the servers know. */
static void open_ears(sc__worker_parts *parts)
{
    bool has_news = false;
    for (uint32_t p = 0; p < parts->count; p++) {
        part_state *s = &parts->of[p];
        if (!s->is_open || s->is_listed) continue;
        has_news = true;
        if (s->ear) continue;
        if (sc_wire_listen_part(parts->wire, p, parts->hear, parts->context, &s->ear, NULL)) return;
    }
    if (!has_news || !sc_wire_stats_of(parts->wire).is_connected) return;
    if (sc_wire_flush(parts->wire, flush_s)) return;
    for (uint32_t p = 0; p < parts->count; p++) {
        parts->of[p].is_listed = parts->of[p].ear != NULL;
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
    const bool is_other = close_ears(parts);
    if (!is_other || tell_crew(parts)) open_ears(parts);
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

// --- What there is to tell -----------------------------------------------------------------

uint32_t sc__worker_parts_count(const sc__worker_parts *parts)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        count += parts->of[p].is_open || parts->of[p].ear;
    }
    return count;
}

sc_beat *sc__worker_parts_beat(sc__worker_parts *parts)
{
    sc_beat *beat = sc_beat_new(parts->listed);
    if (!beat) return NULL;
    beat->crew = sc_crew_stats_of(parts->crew, parts->loads);
    size_t count = 0;
    for (uint32_t p = 0; p < parts->count; p++) {
        beat->open += parts->loads[p].pending + (uint64_t)parts->loads[p].held;
        if (!parts->of[p].is_listed) continue;
        beat->parts[count++] = (sc_beat_part){.part = p, .load = parts->loads[p]};
    }
    return beat;
}
