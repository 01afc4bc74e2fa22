// Relays as one block of memory: the struct, requests, segments, border nodes, places. See
// relay_make.h.
#include "relay/relay_make.h"

#include "base/alloc.h"

// The tables follow the struct in the block, those with the strictest alignment first.
_Static_assert(sizeof(sc_relay) % _Alignof(sc_request) == 0, "requests follow the struct");
_Static_assert(sizeof(sc_request) % _Alignof(sc_seg_id) == 0, "ids follow the requests");

sc_relay *sc__relay_alloc_placed(size_t segment_count, size_t border_node_count,
                                 size_t request_count, size_t place_count, sc_seg_id **segments,
                                 sc_node_id **border_nodes, sc_request **requests,
                                 uint32_t **places)
{
    size_t request_bytes = 0;
    size_t ids = 0;
    size_t id_bytes = 0;
    size_t size = sizeof(sc_relay);
    if (__builtin_mul_overflow(request_count, sizeof(sc_request), &request_bytes) ||
        __builtin_add_overflow(segment_count, border_node_count, &ids) ||
        __builtin_add_overflow(ids, place_count, &ids) ||
        __builtin_mul_overflow(ids, sizeof(uint32_t), &id_bytes) ||
        __builtin_add_overflow(size, request_bytes, &size) ||
        __builtin_add_overflow(size, id_bytes, &size)) {
        return NULL;
    }
    sc_relay *relay = sc_calloc(1, size);
    if (!relay) return NULL;

    *requests = (sc_request *)(void *)(relay + 1);
    *segments = (sc_seg_id *)(void *)(*requests + request_count);
    *border_nodes = *segments + segment_count;
    *places = *border_nodes + border_node_count;
    relay->segments = *segments;
    relay->segment_count = segment_count;
    relay->border_nodes = *border_nodes;
    relay->border_node_count = border_node_count;
    relay->requests = *requests;
    relay->request_count = request_count;
    relay->border_places = *places;
    relay->border_place_count = place_count;
    return relay;
}

sc_relay *sc__relay_alloc(size_t segment_count, size_t border_node_count, size_t request_count,
                          sc_seg_id **segments, sc_node_id **border_nodes, sc_request **requests)
{
    uint32_t *places = NULL;
    sc_relay *relay = sc__relay_alloc_placed(segment_count, border_node_count, request_count, 0,
                                             segments, border_nodes, requests, &places);
    if (relay) relay->border_places = NULL;
    return relay;
}

void sc_relay_free(sc_relay *relay)
{
    sc_free(relay);
}
