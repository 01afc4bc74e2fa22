/**
 * @file query_options.h
 * @brief The command line of `starcloak query`: whom to ask, where one is, how to be hidden.
 *
 * Used by: query.
 */
#ifndef SC_APPS_QUERY_OPTIONS_H
#define SC_APPS_QUERY_OPTIONS_H

#include "command.h"
#include "query_http.h"

/** Longer ones are no tokens. */
#define SC_QUERY_TOKEN_SIZE 1025

enum { SC_QUERY_CATEGORIES_MAX = 16 };

/** A number that may be missing. */
typedef struct sc_maybe {
    bool is_given;
    double value;
} sc_maybe;

/** Zero-initialise; sc_call_parse() with the two below fills it. */
typedef struct sc_query_options {
    const char *service;         ///< as it was given
    char url[SC_POST_URL_SIZE];  ///< where queries go

    // One pair is given.
    sc_maybe lon, lat;
    sc_maybe x, y;
    sc_maybe edge, offset_m;

    // The service has defaults.
    sc_maybe k, l, max_hops, max_wait_s;

    // One of them at most.
    sc_maybe nearest, within_m;
    char *categories[SC_QUERY_CATEGORIES_MAX];  ///< of argv
    size_t category_count;                      ///< 0: all

    char token[SC_QUERY_TOKEN_SIZE];  ///< of --token; "": not given
    const char *token_file;
    const char *ca;
    const char *cert;
    const char *key;
    double timeout_s;  ///< 0: not given
    bool json;
} sc_query_options;

extern const sc_option sc_query_options_table[];

error_t sc_query_options_parse(int key, char *argument, struct argp_state *state);

/** Whether `text` may be a token: a header can carry it. */
bool sc_query_is_token(const char *text);

#endif
