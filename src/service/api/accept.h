/**
 * @file accept.h
 * @brief Two headers by which a client says what it can do without: Accept-Encoding, If-None-Match.
 *
 * A stranger's text; what cannot be understood counts as not said.
 *
 * Used by: kept.
 */
#ifndef SC_SERVICE_ACCEPT_H
#define SC_SERVICE_ACCEPT_H

#include <stdbool.h>

/** Whether gzip may be sent: it is named, or "*" is, with a weight above 0. @param header  may be
 * NULL */
bool sc__accepts_gzip(const char *header);

/** Whether `etag`, with its quotes, is in the list, or the list is "*". @param header  may be NULL
 */
bool sc__names_etag(const char *header, const char *etag);

#endif
