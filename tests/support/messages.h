/**
 * @file messages.h
 * @brief A relay and the reply to it, made up at random on an odd map.
 *
 * They are what the encodings must carry, not what a provider would answer: objects and distances
 * are drawn. Only what is listed with the segments lies on them.
 */
#ifndef SC_TESTS_SUPPORT_MESSAGES_H
#define SC_TESTS_SUPPORT_MESSAGES_H

#include <starcloak/relay_codec.h>

#include "support/sketch.h"

typedef struct exchange {
    sc_map *map;
    sc_vocabulary vocabulary;  ///< the map's words and more
    const char **msgs;
    sc_relay *relay;
    sc_reply reply;  ///< `table` is the map's, or made of the following
    sc_object *own_objects;
    uint32_t *own_keys;
    char *own_strings;
} exchange;

/** The categories of objects and requests, five of them; the last have names that need care. */
extern const char *const exchange_categories[];

/** Make one; the same seed, the same exchange. Release with exchange_free(). */
exchange exchange_new(uint64_t seed, bool own_objects);

/** The same on a map of one's own, which it takes. */
exchange exchange_on(sc_map *map, uint64_t seed, bool own_objects);

void exchange_free(exchange *x);

/** How the objects of a reply are called: their key, or their number. Lent until the next call. */
const char *exchange_key(const sc_object_table *table, uint32_t object);

/** Object `i` of those listed with the segments for a request, as sent; SC_NONE behind the last. */
uint32_t exchange_on_segments(const sc_reply *reply, size_t request, size_t i);

/** Both ask the same of the same place, bit for bit. */
void check_same_relay(const sc_relay *got, const sc_relay *wanted);

/**
 * Both list the same objects, by key, category and name, in the same order, at the same distances
 * and durations, give or take a share of `tolerance`.
 */
void check_same_lists(const sc_reply *got, const sc_reply *wanted, double tolerance);

#endif
