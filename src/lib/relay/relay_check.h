/**
 * @file relay_check.h
 * @brief Is this a relay of this map? Asked by everyone who is handed one.
 *
 * Used by: encoders and decoders, the provider (lbs), the trusted side (answer), the adapter for
 * providers that know points only (points). What only one of them wants to know it asks itself.
 */
#ifndef SC_RELAY_RELAY_CHECK_H
#define SC_RELAY_RELAY_CHECK_H

#include <starcloak/relay.h>

/**
 * Whether `relay` is of `map` and its ids lead nowhere outside of the map's tables. After this,
 * segments and border nodes are known to ascend, each once, and there is one segment and one
 * request at least. Requests are not looked at. Time O(segments); takes no memory.
 *
 * @param max_segments  SIZE_MAX: as many as the map has
 * @return SC_OK, SC_EMISMATCH (another map), SC_ELIMIT (too many segments), SC_EUNKNOWN (no such
 *         segment or node), SC_EINVAL (not ascending; no segment, or no request; more border nodes
 *         than ends)
 */
SC_CHECKED sc_err sc__relay_check(const sc_map *map, const sc_relay *relay, size_t max_segments,
                                  sc_diag *diag);

#endif
