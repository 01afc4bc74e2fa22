/**
 * @file area_reply.h
 * @brief One page of a provider's reply: the objects in it, and how the next page is found.
 *
 * The bytes are a stranger's. Messages name the field, never its content.
 */
#ifndef SC_AREAS_AREA_REPLY_H
#define SC_AREAS_AREA_REPLY_H

#include <starcloak/bytes.h>
#include <starcloak/map.h>

#include "areas/area_settings.h"
#include "base/json_tree.h"

/** Longer ones are refused, bytes. */
enum { SC__AREA_KEY_MAX = 255, SC__AREA_NAME_MAX = 1023 };

/** An object. Texts are lent by the reply or by the settings. */
typedef struct sc__area_row {
    const char *key;
    const char *name;      ///< "" if it has none
    const char *category;  ///< ours; NULL: it tells none
    double x;
    double y;
} sc__area_row;

/** Release with sc__area_reply_fini(). */
typedef struct sc__area_reply {
    sc__area_row *rows;
    size_t count;
    size_t listed;     ///< entries of the list; those without a position are no rows
    uint64_t total;    ///< how many objects all pages have, as it says; UINT64_MAX: it does not
    const char *next;  ///< the address or the cursor of the next page; NULL: there is none
    sc_json_tree document;
    char *keys;
} sc__area_reply;

/**
 * Read one page.
 *
 * @param out  set on success
 * @return SC_OK, SC_EREPLY, SC_ELIMIT (max-objects), SC_ENET (`error`), SC_ENOMEM
 */
SC_CHECKED sc_err sc__area_reply_read(const sc_area_settings *settings, sc_coords coords,
                                      const sc_bytes *body, sc__area_reply *out, sc_diag *diag);

/** Harmless twice. */
void sc__area_reply_fini(sc__area_reply *reply);

/** Our category for a word of the provider's. Lent by the settings, or the word itself. */
const char *sc__area_category(const sc_area_settings *settings, const char *theirs);

#endif
