/**
 * @file area_reply.h
 * @brief One page of a provider's reply: the objects in it, and how the next page is found.
 */
#ifndef SC_AREAS_AREA_REPLY_H
#define SC_AREAS_AREA_REPLY_H

#include <starcloak/bytes.h>

#include "adapter/provider_reply.h"
#include "areas/area_settings.h"

/** Release with sc__area_reply_fini(). */
typedef struct sc__area_reply {
    sc_adapter_reply page;
    uint64_t total;    ///< how many objects all pages have, as it says; UINT64_MAX: it does not
    const char *next;  ///< the address or the cursor of the next page; NULL: there is none
    char number[24];   ///< a cursor that is one, as text
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

#endif
