// The star graph while stars are taken out of it. See routes_internal.h.
//
// Stars have a handful of arcs each, and lists change all the time. So they are blocks of one pool,
// of a few sizes; a list that is full moves to a block of the next size.
#include "travel/routes_internal.h"

static uint32_t room(uint32_t size)
{
    return (uint32_t)SC__LEAST_ROOM << size;
}

// Take a block of the pool, one that waits if there is one.
static sc_err take_block(sc__net *net, uint32_t size, uint32_t *first)
{
    if (size >= SC__ROOM_SIZES) return SC_ELIMIT;
    if (net->idle[size]) {
        *first = net->idle[size] - 1;
        net->idle[size] = net->pool[*first].to;
        return SC_OK;
    }
    const size_t count = net->pool_count + room(size);
    if (count >= UINT32_MAX) return SC_ELIMIT;
    if (!sc_reserve(&net->pool, count, &net->pool_capacity, sizeof *net->pool)) return SC_ENOMEM;
    *first = (uint32_t)net->pool_count;
    net->pool_count = count;
    return SC_OK;
}

static void leave_block(sc__net *net, uint32_t size, uint32_t first)
{
    net->pool[first].to = net->idle[size];
    net->idle[size] = first + 1;
}

// Append to a list, which moves if it is full.
static sc_err add(sc__net *net, sc_star_id star, sc__arc arc)
{
    sc__arc_list *list = &net->lists[star];
    if (list->count == room(list->size)) {
        uint32_t first = 0;
        const sc_err err = take_block(net, list->size + 1, &first);
        if (err) return err;
        for (uint32_t i = 0; i < list->count; i++) {
            net->pool[first + i] = net->pool[list->first + i];
        }
        leave_block(net, list->size, list->first);
        list->first = first;
        list->size++;
    }
    net->pool[list->first + list->count++] = arc;
    return SC_OK;
}

static sc__arc *find(const sc__net *net, sc_star_id star, sc_star_id to)
{
    const sc__arc_list *list = &net->lists[star];
    for (uint32_t i = 0; i < list->count; i++) {
        if (net->pool[list->first + i].to == to) return &net->pool[list->first + i];
    }
    return NULL;
}

sc_err sc__net_link(sc__net *net, sc_star_id a, sc_star_id b, uint32_t ms, uint32_t via)
{
    // Both lists know of the arc or none does: ask the shorter one.
    const bool is_a_shorter = net->lists[a].count <= net->lists[b].count;
    const sc__arc *known = is_a_shorter ? find(net, a, b) : find(net, b, a);
    if (known) {
        if (known->ms <= ms) return SC_OK;
        *find(net, a, b) = (sc__arc){b, ms, via};
        *find(net, b, a) = (sc__arc){a, ms, via};
        return SC_OK;
    }
    const sc_err err = add(net, a, (sc__arc){b, ms, via});
    return err ? err : add(net, b, (sc__arc){a, ms, via});
}

void sc__net_take_out(sc__net *net, sc_star_id star)
{
    uint32_t count = 0;
    const sc__arc *arcs = sc__net_arcs(net, star, &count);
    for (uint32_t i = 0; i < count; i++) {
        sc__arc_list *list = &net->lists[arcs[i].to];
        sc__arc *back = find(net, arcs[i].to, star);
        *back = net->pool[list->first + --list->count];
    }
}

sc_err sc__net_init(sc__net *net, const sc_map *map, const uint32_t *segment_ms)
{
    *net = (sc__net){.star_count = sc_map_star_count(map)};
    sc_err err = SC_ENOMEM;
    net->lists = sc_calloc(net->star_count, sizeof *net->lists);
    if (!net->lists) goto fail;
    for (sc_star_id star = 0; star < net->star_count; star++) {
        err = take_block(net, 0, &net->lists[star].first);
        if (err) goto fail;
    }
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_star_id a = segments[s].star_a;
        const sc_star_id b = segments[s].star_b;
        // Dead ends and roads that return lead nowhere else.
        if (b == SC_NONE || a == b) continue;
        err = sc__net_link(net, a, b, segment_ms[s], s);
        if (err) goto fail;
    }
    return SC_OK;

fail:
    sc__net_fini(net);
    return err;
}

void sc__net_fini(sc__net *net)
{
    sc_free(net->lists);
    sc_free(net->pool);
    *net = (sc__net){.star_count = 0};
}
