/**
 * @file categories.h
 * @brief Categories by name, as --category gives them.
 *
 * Names are taken down when the command line is read, and looked up when the objects are there.
 *
 * Used by: nearest.
 */
#ifndef SC_APPS_CATEGORIES_H
#define SC_APPS_CATEGORIES_H

#include <argp.h>

#include <starcloak/relay.h>

/** Zero-initialise. */
typedef struct sc_category_names {
    const char *names[SC_REQUEST_CATEGORIES];  ///< borrowed
    uint32_t count;
} sc_category_names;

/** Take down one more; too many are a usage error. */
void sc_category_names_add(sc_category_names *names, const struct argp_state *state,
                           const char *option, const char *name);

/**
 * Fill in the categories of `request`; none given means all.
 *
 * @return SC_OK, SC_EUNKNOWN with the nearest name and the first of those that there are
 */
SC_CHECKED sc_err sc_category_names_find(const sc_category_names *names,
                                         const sc_vocabulary *vocabulary, sc_request *request,
                                         sc_diag *diag);

#endif
