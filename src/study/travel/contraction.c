// Which star is taken out next, and the hierarchy that remains. See routes_internal.h.
//
// Good stars to begin with are those that leave few shortcuts and are spread evenly: small streets
// first, main roads last. A star's number says how good, by the shortcuts it would leave less the
// arcs it would take along, and by its depth, the longest chain of neighbours already taken out
// below it. Numbers change as neighbours go, mostly upwards, so a star's is looked at again when
// its turn has come, and it waits on if another is better by then.
#include "travel/routes_internal.h"

/** What an arc more counts, and a step of depth. On real maps searches are slower by a tenth with
 * half the weight for depth, by a half with none; with twice the weight they are not faster, and
 * building takes longer. */
enum { ARC_WEIGHT = 2, DEPTH_WEIGHT = 1 };

/** A star with more arcs waits for its neighbours to go before anybody looks for its shortcuts, of
 * which there may be one for each two arcs. Real junctions never come near. */
enum { CROWDED = 100 };

/** Numbers are positive. */
#define NUMBER_ZERO 0x40000000

typedef struct ordering {
    sc_routes *routes;
    sc__net *net;
    sc__witness witness;
    sc__turns turns;
    sc_star_id *taken_out;  ///< by rank
    uint32_t *depth;        ///< by star
    uint32_t done;
    const sc_progress *progress;
} ordering;

static void report(const ordering *o)
{
    enum { EVERY = 4096 };
    if (!o->progress || !o->progress->report) return;
    if (o->done % EVERY != 0 && o->done != o->net->star_count) return;
    o->progress->report(o->progress->context, "routes", o->done, o->net->star_count);
}

static bool is_crowded(const ordering *o, sc_star_id star)
{
    return o->net->lists[star].count > CROWDED;
}

// How good it would be to take `star` out now. Leaves its shortcuts in the witness, unless it is
// crowded.
static sc_err number_of(ordering *o, sc_star_id star, uint32_t *number)
{
    const int64_t arcs = o->net->lists[star].count;
    int64_t shortcuts = arcs * (arcs - 1) / 2;
    if (!is_crowded(o, star)) {
        const sc_err err = sc__witness_shortcuts(&o->witness, o->net, star);
        if (err) return err;
        shortcuts = (int64_t)o->witness.shortcut_count;
    }
    const int64_t sum =
        NUMBER_ZERO + (shortcuts - arcs) * ARC_WEIGHT + (int64_t)o->depth[star] * DEPTH_WEIGHT;
    *number = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    return SC_OK;
}

// Everybody's number, to begin with.
static sc_err line_up(ordering *o)
{
    for (sc_star_id star = 0; star < o->net->star_count; star++) {
        uint32_t number = 0;
        const sc_err err = number_of(o, star, &number);
        if (err) return err;
        if (!sc__turns_put(&o->turns, number, star)) return SC_ENOMEM;
    }
    return SC_OK;
}

// Take `star` out and put in the shortcuts, which are in the witness.
static sc_err take_out(ordering *o, sc_star_id star)
{
    sc__net_take_out(o->net, star);
    for (size_t i = 0; i < o->witness.shortcut_count; i++) {
        const sc__shortcut *shortcut = &o->witness.shortcuts[i];
        const sc_err err =
            sc__net_link(o->net, shortcut->a, shortcut->b, shortcut->ms, SC__SHORTCUT | star);
        if (err) return err;
    }
    uint32_t count = 0;
    const sc__arc *arcs = sc__net_arcs(o->net, star, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *depth = &o->depth[arcs[i].to];
        if (*depth <= o->depth[star]) *depth = o->depth[star] + 1;
    }
    o->routes->rank_of[star] = o->done;
    o->taken_out[o->done++] = star;
    return SC_OK;
}

static sc_err take_out_all(ordering *o)
{
    sc_err err = line_up(o);
    while (!err && o->turns.count > 0) {
        const sc_star_id star = sc__turns_take(&o->turns).star;
        uint32_t number = 0;
        err = number_of(o, star, &number);
        if (err) break;
        if (o->turns.count > 0 && number > sc__turns_least(&o->turns)) {
            if (!sc__turns_put(&o->turns, number, star)) err = SC_ENOMEM;
            continue;
        }
        if (is_crowded(o, star)) err = sc__witness_shortcuts(&o->witness, o->net, star);
        if (!err) err = take_out(o, star);
        report(o);
    }
    return err;
}

// An arc as it is written down, by ranks.
static sc__arc ranked(const ordering *o, sc_star_id from, sc__arc arc)
{
    const uint32_t *rank_of = o->routes->rank_of;
    const bool is_shortcut = arc.via & SC__SHORTCUT;
    if (is_shortcut) {
        arc.via = SC__SHORTCUT | rank_of[arc.via & ~SC__SHORTCUT];
    } else if (sc_map_segments(o->routes->map)[arc.via].star_a != from) {
        arc.via |= SC__BACKWARDS;
    }
    arc.to = rank_of[arc.to];
    return arc;
}

// Write down what remains: the arcs of each star when it was taken out.
static sc_err write_down(const ordering *o)
{
    sc_routes *routes = o->routes;
    const uint32_t star_count = o->net->star_count;
    uint64_t total = 0;
    for (sc_star_id star = 0; star < star_count; star++) {
        total += o->net->lists[star].count;
    }
    if (total >= UINT32_MAX) return SC_ELIMIT;
    routes->first_arc = sc_malloc_array((size_t)star_count + 1, sizeof *routes->first_arc);
    routes->arcs = sc_malloc_array(total, sizeof *routes->arcs);
    if (!routes->first_arc || !routes->arcs) return SC_ENOMEM;

    uint32_t next = 0;
    for (uint32_t rank = 0; rank < star_count; rank++) {
        const sc_star_id star = o->taken_out[rank];
        uint32_t count = 0;
        const sc__arc *arcs = sc__net_arcs(o->net, star, &count);
        routes->first_arc[rank] = next;
        for (uint32_t i = 0; i < count; i++) {
            routes->arcs[next++] = ranked(o, star, arcs[i]);
        }
    }
    routes->first_arc[star_count] = next;
    return SC_OK;
}

sc_err sc__order(sc_routes *routes, sc__net *net, const sc_progress *progress)
{
    ordering o = {.routes = routes, .net = net, .progress = progress};
    sc_err err = sc__witness_init(&o.witness, net->star_count, routes->longest_ms);
    if (err) return err;
    err = SC_ENOMEM;
    o.taken_out = sc_malloc_array(net->star_count, sizeof *o.taken_out);
    o.depth = sc_calloc(net->star_count, sizeof *o.depth);
    routes->rank_of = sc_malloc_array(net->star_count, sizeof *routes->rank_of);
    if (o.taken_out && o.depth && routes->rank_of) err = take_out_all(&o);
    if (!err) err = write_down(&o);
    sc__witness_fini(&o.witness);
    sc__turns_fini(&o.turns);
    sc_free(o.taken_out);
    sc_free(o.depth);
    return err;
}
