/**
 * @file request_text.h
 * @brief A client's query as the text of a request.
 *
 * Positions are longitude and latitude, or x and y, or, on a map without coordinates, edge and
 * offset.
 *
 */
#ifndef SC_DEMO_LOADGEN_REQUEST_TEXT_H
#define SC_DEMO_LOADGEN_REQUEST_TEXT_H

#include <starcloak/err.h>
#include <starcloak/map.h>
#include <starcloak/query.h>

#include "demo/loadgen/load_connection.h"

#include <stdint.h>

/** What a traveller wants to know. */
typedef struct sc__client_query {
    sc_edge_id edge;
    double offset_m;
    sc_profile profile;
    uint32_t nearest;         ///< how many objects
    sc_metric metric;         ///< in which they are the nearest
    sc_category_id category;  ///< SC_NONE: of any
} sc__client_query;

typedef struct sc__request_writer sc__request_writer;

/** @param map, target  borrowed */
SC_CHECKED sc_err sc__request_writer_new(const sc_map *map, const sc_target *target,
                                         sc__request_writer **out);
void sc__request_writer_free(sc__request_writer *writer);

/** No request is larger, with its NUL. */
enum { SC__REQUEST_SIZE = 65536 };

/** Write a query into `out`, of SC__REQUEST_SIZE; returns its size. Any thread. */
size_t sc__request_writer_query(const sc__request_writer *writer, const char *token,
                                const sc__client_query *question, char *out);

/** The same with another body, for nonsense; cut to fit. */
size_t sc__request_writer_post(const sc__request_writer *writer, const char *token,
                               const char *body, size_t body_size, char *out);

/** Where a service with `map` will take the traveller to be, once it has read what is written: on
 * the road that is nearest. A map without coordinates must be the writer's. */
SC_CHECKED sc_err sc__request_writer_position(const sc__request_writer *writer, const sc_map *map,
                                              const sc__client_query *question, sc_edge_id *edge,
                                              double *offset_m);

#endif
