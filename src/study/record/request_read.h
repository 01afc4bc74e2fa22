/**
 * @file request_read.h
 * @brief What a traveller wants to know, from JSON.
 *
 * Used by: stream_line.c, run_query.c.
 */
#ifndef SC_RECORD_REQUEST_READ_H
#define SC_RECORD_REQUEST_READ_H

#include <starcloak/relay.h>

#include "record/fields.h"

/** The words for categories. */
typedef struct sc__words {
    const sc_map *map;
    const sc_vocabulary *vocabulary;  ///< NULL: the map's own words, and no others
} sc__words;

/**
 * The "request" of `line`, in normal form; where there is none, the one nearest object of any
 * category. A word that the vocabulary does not have becomes SC_NONE, which sc_request_check()
 * refuses.
 *
 * @return SC_OK, SC_EPARSE (no request, or a category that the map does not have)
 */
SC_CHECKED sc_err sc__request_read(const sc__fields *line, const sc__words *words, sc_request *out);

#endif
