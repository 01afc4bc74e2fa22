/**
 * @file relay_make.h
 * @brief Room for a relay: the struct and its tables in one block of memory.
 *
 * Used by: answer (which makes relays), the decoders (which read them). sc_relay_free() frees it.
 */
#ifndef SC_RELAY_RELAY_MAKE_H
#define SC_RELAY_RELAY_MAKE_H

#include <starcloak/relay.h>

/**
 * A relay with these counts, and where its tables are to be written. All zero but for the counts
 * and pointers.
 *
 * @return NULL when memory is out, or the counts are beyond any
 */
sc_relay *sc__relay_alloc(size_t segment_count, size_t border_node_count, size_t request_count,
                          sc_seg_id **segments, sc_node_id **border_nodes, sc_request **requests);

/** The same with room for sc_relay.border_places. */
sc_relay *sc__relay_alloc_placed(size_t segment_count, size_t border_node_count,
                                 size_t request_count, size_t place_count, sc_seg_id **segments,
                                 sc_node_id **border_nodes, sc_request **requests,
                                 uint32_t **places);

#endif
