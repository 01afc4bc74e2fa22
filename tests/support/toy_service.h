/**
 * @file toy_service.h
 * @brief What travellers ask, in a few lines: a service on the loopback that answers at once, well
 * or badly.
 *
 * It speaks HTTP over plain sockets, in a thread of its own, so that it can also say what no server
 * should. It hides no query: every query is told that its needs are met. Objects and distances are
 * right (by a plain search), and so is its page of metrics, unless its manners say otherwise.
 */
#ifndef SC_TESTS_SUPPORT_TOY_SERVICE_H
#define SC_TESTS_SUPPORT_TOY_SERVICE_H

#include <starcloak/map.h>

/** How it behaves. */
typedef enum toy_manners {
    TOY_GOOD,
    TOY_IN_PIECES,     ///< good, with chunks, a few bytes at a time
    TOY_CLOSING,       ///< good, one reply per connection
    TOY_DROPPING,      ///< every query expires
    TOY_FAILING,       ///< the provider is never there
    TOY_REFUSING,      ///< too many requests
    TOY_FEW_USERS,     ///< one user less than k
    TOY_FEW_SEGMENTS,  ///< one segment less than l
    TOY_LATE,          ///< a second longer than allowed
    TOY_WRONG,         ///< all objects are a metre nearer
    TOY_SWAPPING,      ///< each object is told with the id of another
    TOY_FORGETFUL,     ///< the last object is missing
    TOY_TWICE,         ///< every reply comes twice
    TOY_CUTTING,       ///< closes the connection instead of replying
    TOY_MUTE,          ///< never replies
    TOY_NO_HTTP,       ///< says something else
    TOY_NO_JSON,       ///< a body that is none
    TOY_ODD_STATUS,    ///< 418
    TOY_ODD_OUTCOME,   ///< a word that the description does not have
    TOY_MISCOUNTING,   ///< its metrics count every answer twice
    TOY_PENDING,       ///< its metrics always have one more that waits
    TOY_BREAKING,      ///< its metrics have a broken promise for every answer
    TOY_SHY,           ///< its metrics are not for everybody
} toy_manners;

typedef struct toy_service toy_service;

/** Start it on a free port. @param map  borrowed */
toy_service *toy_service_start(const sc_map *map, toy_manners manners);
void toy_service_stop(toy_service *service);

toy_manners toy_service_manners(const toy_service *service);

/** "http://127.0.0.1:40123"; lent. */
const char *toy_service_url(const toy_service *service);

/** The last query's body, ended by NUL, and the token that came with it; once it has stopped
 * asking. Lent. */
const char *toy_service_body(const toy_service *service);
const char *toy_service_token(const toy_service *service);

#endif
