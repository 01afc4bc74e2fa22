/**
 * @file answer.h
 * @brief Making an sc_answer: the nearest objects, with their texts, in one block.
 *
 * Used by: clerk. What it is made of may go afterwards: everything is copied.
 */
#ifndef SC_COURIER_ANSWER_H
#define SC_COURIER_ANSWER_H

#include "courier/courier.h"

/** Where the numbers of an answer lead. All borrowed. */
typedef struct sc__catalogue {
    const sc_map *map;
    const sc_object_table *table;
    const sc_vocabulary *vocabulary;  ///< of the table's categories; SC_NONE has no word
    const sc_point_reply *points;     ///< knows positions better than the map; NULL: there is none
} sc__catalogue;

/** The answer for these objects, in their order; NULL if memory is out. */
sc_answer *sc__point_answer_new(const sc__catalogue *catalogue, const sc_near *nears, size_t count);

#endif
