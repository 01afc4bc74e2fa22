/**
 * @file stock.h
 * @brief All objects that a provider has spoken of for one cloak, each once.
 *
 * Objects are told apart by their keys. While answers come in they are numbered as they come; in
 * the end by key, so that neither the order of the questions nor the network decides which of two
 * equally far objects comes first.
 *
 * Used by: take, reply, believe, answer.
 */
#ifndef SC_POINTS_STOCK_H
#define SC_POINTS_STOCK_H

#include "base/string_index.h"
#include "points/parse.h"

/** One object. */
typedef struct sc__item {
    double x;  ///< where the provider says it is
    double y;
    double off_road_m;  ///< how far that is from the nearest road, once settled
    uint32_t key;       ///< into the strings
    uint32_t name;
    sc_category_id category;
    uint32_t number;  ///< in the order of coming
    uint64_t answer;  ///< the last one that named it
} sc__item;

/** sc__stock_init() it, and leave it where it is; release with sc__stock_fini(). */
typedef struct sc__stock {
    sc__item *items;
    uint32_t count;
    size_t capacity;
    char *strings;  ///< begins with an empty one
    size_t strings_size;
    size_t strings_capacity;
    sc_string_index by_key;

    // Once settled: the items by key, and these for sc_object_table.
    sc_object *objects;
    uint32_t *keys;
} sc__stock;

void sc__stock_init(sc__stock *stock);

/**
 * The number of an object, which is put in stock if it is new.
 *
 * @param answer  which answer the row is of, from 1; no answer may name an object twice
 * @return SC_OK, SC_EREPLY (it was elsewhere before, or is named twice), SC_ELIMIT (more than
 *         can be kept), SC_ENOMEM
 */
SC_CHECKED sc_err sc__stock_put(sc__stock *stock, const sc__row *row, uint64_t answer,
                                uint32_t *out, sc_diag *diag);

/**
 * Number the objects by key, and find the road that each is nearest to. Once, and nothing is put
 * in afterwards.
 *
 * @param new_number  set: a number for each old one; sc_free() it
 */
SC_CHECKED sc_err sc__stock_settle(sc__stock *stock, const sc_map *map, uint32_t **new_number,
                                   sc_diag *diag);

/** Harmless twice. */
void sc__stock_fini(sc__stock *stock);

#endif
