/**
 * @file relay_build.h
 * @brief Room for a relay: the struct and its tables in one block of memory.
 *
 * Used by: answer (which makes relays), the decoders (which read them). sc_relay_free() frees it.
 */
#ifndef SC_RELAY_RELAY_BUILD_H
#define SC_RELAY_RELAY_BUILD_H

#include <starcloak/relay.h>

/**
 * A relay with these counts, and where its tables are to be written. All zero but for the counts
 * and pointers.
 *
 * @return NULL when memory is out, or the counts are beyond any
 */
sc_relay *sc__relay_alloc(size_t segment_count, size_t border_node_count, size_t request_count,
                          sc_seg_id **segments, sc_node_id **border_nodes, sc_request **requests);

/** How many entries the tables of a relay have. */
typedef struct sc__relay_counts {
    size_t segments;
    size_t border_nodes;
    size_t requests;
    size_t places;  ///< of sc_relay.border_places
} sc__relay_counts;

/** The tables of a relay, to be written. */
typedef struct sc__relay_tables {
    sc_seg_id *segments;
    sc_node_id *border_nodes;
    sc_request *requests;
    uint32_t *places;
} sc__relay_tables;

/** The same with room for sc_relay.border_places. */
sc_relay *sc__relay_alloc_placed(const sc__relay_counts *counts, sc__relay_tables *tables);

#endif
