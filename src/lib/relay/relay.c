// Relays as one block of memory: the struct, requests, segments, border nodes, places. See
// relay_make.h.
#include "relay/relay_build.h"

#include "base/alloc.h"

// The tables follow the struct in the block, those with the strictest alignment first.
_Static_assert(sizeof(sc_relay) % _Alignof(sc_request) == 0, "requests follow the struct");
_Static_assert(sizeof(sc_request) % _Alignof(sc_seg_id) == 0, "ids follow the requests");

sc_relay *sc__relay_alloc_placed(const sc__relay_counts *counts, sc__relay_tables *tables)
{
    size_t request_bytes = 0;
    size_t ids = 0;
    size_t id_bytes = 0;
    size_t size = sizeof(sc_relay);
    if (__builtin_mul_overflow(counts->requests, sizeof(sc_request), &request_bytes) ||
        __builtin_add_overflow(counts->segments, counts->border_nodes, &ids) ||
        __builtin_add_overflow(ids, counts->places, &ids) ||
        __builtin_mul_overflow(ids, sizeof(uint32_t), &id_bytes) ||
        __builtin_add_overflow(size, request_bytes, &size) ||
        __builtin_add_overflow(size, id_bytes, &size)) {
        return NULL;
    }
    sc_relay *relay = sc_calloc(1, size);
    if (!relay) return NULL;

    tables->requests = (sc_request *)(void *)(relay + 1);
    tables->segments = (sc_seg_id *)(void *)(tables->requests + counts->requests);
    tables->border_nodes = tables->segments + counts->segments;
    tables->places = tables->border_nodes + counts->border_nodes;
    relay->segments = tables->segments;
    relay->segment_count = counts->segments;
    relay->border_nodes = tables->border_nodes;
    relay->border_node_count = counts->border_nodes;
    relay->requests = tables->requests;
    relay->request_count = counts->requests;
    relay->border_places = tables->places;
    relay->border_place_count = counts->places;
    return relay;
}

sc_relay *sc__relay_alloc(size_t segment_count, size_t border_node_count, size_t request_count,
                          sc_seg_id **segments, sc_node_id **border_nodes, sc_request **requests)
{
    const sc__relay_counts counts = {segment_count, border_node_count, request_count, 0};
    sc__relay_tables tables;
    sc_relay *relay = sc__relay_alloc_placed(&counts, &tables);
    if (!relay) return NULL;
    *segments = tables.segments;
    *border_nodes = tables.border_nodes;
    *requests = tables.requests;
    relay->border_places = NULL;
    return relay;
}

void sc_relay_free(sc_relay *relay)
{
    sc_free(relay);
}
