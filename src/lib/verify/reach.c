// How far the parts of a cloak are from one star, and how many segments are near it: breadth
// first over the roads that were found again (roads.h), level by level. See verifier.h.
#include "verify/verifier.h"

#include "base/alloc.h"

/** A walk under way. */
typedef struct walk {
    sc_verifier *verifier;
    const sc_targets *targets;
    uint32_t number;
    size_t count;  ///< stars in the queue
    size_t found;  ///< targets
} walk;

// Come to a star, unless the walk was there before.
static sc_err visit(walk *w, sc_star_id star)
{
    sc_verifier *v = w->verifier;
    if (star == SC_NONE || v->stars[star].walked == w->number) return SC_OK;
    v->stars[star].walked = w->number;
    if (!sc_grow(&v->queue, w->count, &v->queue_capacity, sizeof *v->queue)) return SC_ENOMEM;
    v->queue[w->count++] = star;

    if (!w->targets->are_segments) {
        w->found += v->stars[star].claimed == w->targets->claim;
        return SC_OK;
    }
    const sc_roads *roads = &v->roads;
    for (uint32_t i = roads->first_touched[star]; i < roads->first_touched[star + 1]; i++) {
        sc_segment_marks *marks = &v->segments[roads->touched[i]];
        if (!w->targets->are_any && marks->claimed != w->targets->claim) continue;
        if (marks->walked == w->number) continue;
        marks->walked = w->number;
        w->found++;
    }
    return SC_OK;
}

static sc_err visit_neighbours(walk *w, sc_star_id star)
{
    const sc_roads *roads = &w->verifier->roads;
    for (uint32_t i = roads->first_touched[star]; i < roads->first_touched[star + 1]; i++) {
        const sc_touching touching = roads->touching[roads->touched[i]];
        sc_err err = visit(w, touching.a);
        if (!err) err = visit(w, touching.b);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__reach(sc_verifier *verifier, sc_star_id from, uint32_t max_hops,
                 const sc_targets *targets, uint32_t *reach)
{
    walk w = {verifier, targets, sc__walk_number(verifier), 0, 0};
    sc_err err = visit(&w, from);
    uint32_t hops = 0;
    size_t level = 0;
    while (!err && w.found < targets->count && hops < max_hops && level < w.count) {
        const size_t level_end = w.count;
        for (; level < level_end && w.found < targets->count && !err; level++) {
            err = visit_neighbours(&w, verifier->queue[level]);
        }
        hops++;
    }
    if (err) return err;
    *reach = w.found >= targets->count ? hops : SC_NONE;
    return SC_OK;
}

sc_err sc__has_room(sc_verifier *verifier, sc_seg_id segment, uint32_t max_hops, uint32_t wanted,
                    bool *has_room)
{
    const sc_touching touching = verifier->roads.touching[segment];
    const sc_star_id ends[] = {touching.a, touching.b};
    const sc_targets targets = {
        .claim = sc__claim_number(verifier, 2),
        .count = wanted,
        .are_segments = true,
        .are_any = true,
    };
    *has_room = false;
    for (size_t i = 0; i < 2 && !*has_room; i++) {
        if (ends[i] == SC_NONE) continue;
        uint32_t reach = SC_NONE;
        const sc_err err = sc__reach(verifier, ends[i], max_hops, &targets, &reach);
        if (err) return err;
        *has_room = reach != SC_NONE;
    }
    return SC_OK;
}
