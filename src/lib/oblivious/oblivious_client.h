/**
 * @file oblivious_client.h
 * @brief A client's side of Oblivious HTTP: one request sealed for a gateway, and its reply opened.
 *
 * How the bytes get to a relay and back is the caller's business. A request is padded, and has a
 * Date, by which a gateway refuses replays; a client whose clock is wrong is told so in a sealed
 * reply with the gateway's own Date, and may try again with that.
 */
#ifndef SC_OBLIVIOUS_OBLIVIOUS_CLIENT_H
#define SC_OBLIVIOUS_OBLIVIOUS_CLIENT_H

#include <starcloak/bytes.h>

#include "oblivious/binary_http.h"
#include "oblivious/oblivious_http.h"

enum {
    SC_OBLIVIOUS_DATE_SIZE = 30,  ///< of a Date field, with its NUL
};

/** Write a Date field. */
void sc_http_date_write(int64_t t_s, char out[SC_OBLIVIOUS_DATE_SIZE]);

/**
 * Seal a request.
 *
 * @param config   of the gateway; its first AEAD is used
 * @param request  without a Date, which is added; at most SC_BHTTP_FIELDS_MAX - 1 headers
 * @param date_s   now, by the gateway's clock as far as it is known
 * @param sealed   appended to: the body of a POST with SC_OHTTP_REQUEST_TYPE
 * @return SC_OK, SC_EINVAL (no request that can be sent, or the key is none), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_oblivious_seal(const sc_ohttp_config *config, const sc_bhttp_message *request,
                                    int64_t date_s, sc_bytes *sealed, sc_ohttp_exchange *exchange);

/**
 * Open a reply in place.
 *
 * @param bytes  the body that the relay gave; its text is left there, to be wiped by the caller
 * @return SC_OK, SC_EPARSE (not a reply to this request), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_oblivious_open(const sc_ohttp_exchange *exchange, uint8_t *bytes, size_t size,
                                    sc_bhttp_decoded *reply);

#endif
