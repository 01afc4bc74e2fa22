/**
 * @file both_sides.h
 * @brief The whole way from a cloak to exact answers: relay, provider, reply, filter.
 *
 *     both_sides_open(&b, &cloak, requests, count, &rng);   // one request per member
 *     both_sides_check(&b, member, position);               // as often as one likes
 *
 * Between the two sides is a function call, or bytes in one of the encodings. Every answer is held
 * against a plain Dijkstra (slow_nearest.h).
 */
#ifndef SC_TESTS_SUPPORT_BOTH_SIDES_H
#define SC_TESTS_SUPPORT_BOTH_SIDES_H

#include <starcloak/answer.h>
#include <starcloak/lbs.h>
#include <starcloak/relay_codec.h>

#include "support/odd_cloak.h"
#include "support/slow_nearest.h"

typedef enum way_between { BY_CALL, BY_COMPACT_BYTES, BY_GEOJSON_BYTES } way_between;

/** How many members a cloak has at most. */
enum { BOTH_SIDES_MEMBERS = 16 };

typedef struct both_sides {
    const sc_map *map;  ///< borrowed, as the next two
    sc_objects *objects;
    slow_nearest *slow;
    way_between way;
    sc_lbs *lbs;
    sc_filter *filter;
    sc_relay *relay;    ///< as it was made
    sc_relay *arrived;  ///< as the provider read it; NULL if it came by call
    sc_reply made;      ///< as the provider made it
    sc_reply read;      ///< as the trusted side read it
    sc_bytes bytes;
    sc_request requests[BOTH_SIDES_MEMBERS];  ///< by member
    uint32_t which[BOTH_SIDES_MEMBERS];       ///< by member
} both_sides;

/** `slow` knows the same objects. */
both_sides both_sides_new(sc_objects *objects, slow_nearest *slow, way_between way);
void both_sides_free(both_sides *b);

/**
 * Relay a cloak with one request per member, and take its reply in; all of it must succeed.
 *
 * @return false where GeoJSON cannot tell: two roads or two crossings of the map look the same, and
 *         one of the sides has said so
 */
bool both_sides_open(both_sides *b, const odd_cloak *cloak, const sc_request *requests,
                     size_t member_count, sc_rng *rng);

/** Someone at that position gets the exact answer to the request of `member`. */
void both_sides_check(both_sides *b, size_t member, odd_position at);

#endif
