/**
 * @file relay.h
 * @brief What may leave: requests. Nothing here says who asks, or from where.
 *
 * The provider's side includes this header and neither query.h nor cloak.h, so
 * that the compiler shows what it can learn (P7).
 *
 * Uses: map. Used by: records, simulations; later the provider.
 */
#ifndef STARCLOAK_RELAY_H
#define STARCLOAK_RELAY_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sc_request_type {
    SC_REQUEST_KNN = 0,    ///< the k nearest objects by road
    SC_REQUEST_RANGE = 1,  ///< all objects within a road distance
} sc_request_type;

/** What a traveller wants to know. */
typedef struct sc_request {
    sc_request_type type;
    uint32_t k;               ///< of SC_REQUEST_KNN, >= 1
    double radius_m;          ///< of SC_REQUEST_RANGE, > 0
    sc_category_id category;  ///< SC_NONE for all
} sc_request;

#ifdef __cplusplus
}
#endif
#endif
