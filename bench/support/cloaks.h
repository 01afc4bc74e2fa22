/**
 * @file cloaks.h
 * @brief Cloaks to be answered, and objects to answer with.
 */
#ifndef SC_BENCH_CLOAKS_H
#define SC_BENCH_CLOAKS_H

#include <starcloak/objects.h>
#include <starcloak/relay.h>

/** Relays without requests: segments and border nodes of cloaks that the engine made. */
typedef struct cloaks {
    sc_relay *relays;
    size_t count;
    size_t capacity;
    double segments;      ///< of one, on average
    double border_nodes;  ///< of one, on average
} cloaks;

/**
 * Up to `most` cloaks of the basic engine on `map`. With `alone` each traveller is content without
 * company and wants ten segments: so cloaks come from all over a map, however large, and look
 * alike.
 */
cloaks cloaks_new(const sc_map *map, size_t most, bool alone);
void cloaks_free(cloaks *c);

/** Shares of all objects: the categories of a stock. */
typedef struct share {
    const char *name;
    double of_all;
} share;
extern const share shares[];  ///< the first is all objects; the last has no name

/**
 * Objects where the map has its own, or one for every four edges at random; each gets by chance
 * one of the categories of shares[], or none of them ("rest").
 */
sc_objects *stock_new(const sc_map *map);

/** The request for the `k` nearest of a share, or with k = 0 for all of it within `radius_m`. */
sc_request stock_request(const sc_objects *stock, const share *of, uint32_t k, double radius_m);

#endif
